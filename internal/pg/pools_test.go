//race:detect transactions share the pools, the pulse and who waits for commits
package pg_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// TestSizes checks that the sizes keep to the limit, and that nothing is left without a connection.
func TestSizes(t *testing.T) {
	t.Parallel()
	for cores := int32(1); cores <= 64; cores *= 2 {
		free, err := pg.SizesFor(cores, cores, 0)
		require.NoError(t, err)
		require.Less(t, free.All(), 46+cores)
		for most := cores + 8; most < 200; most++ {
			sizes, err := pg.SizesFor(cores, cores, most)
			require.NoError(t, err)
			require.Equal(t, most, sizes.All())
			require.Positive(t, min(sizes.Reads, sizes.Files))
			require.GreaterOrEqual(t, min(sizes.People, sizes.Background), int32(2))
		}
		_, err = pg.SizesFor(cores, cores, cores+7)
		require.True(t, fault.HasCode(err, "config"))
	}
}

// hold begins a transaction, and ends it when the test closes the channel.
func hold(t *testing.T, begin func(func(pgx.Tx) error) error, until <-chan struct{}) (ended <-chan error) {
	t.Helper()
	begun, done := make(chan struct{}), make(chan error, 1)
	go func() {
		done <- begin(func(pgx.Tx) error {
			close(begun)
			<-until
			return nil
		})
	}()
	select {
	case <-begun:
	case err := <-done:
		require.NoError(t, err, "a transaction did not begin")
	}
	return done
}

// TestOnesReadsHinderNobody lets one tenant read as much at once as it can: it gets its share, and then an answer
// in words. Another tenant reads, and everybody's changes and background work go on.
func TestOnesReadsHinderNobody(t *testing.T) {
	t.Parallel()
	cells, err := pg.Open(t.Context(), pg.Config{URL: pgtest.New(t).ServiceURL, MaxConns: 40})
	require.NoError(t, err)
	t.Cleanup(cells.Close)
	greedy, other := uuid.New(), uuid.New()
	reading := func(ctx context.Context, tenant uuid.UUID) func(func(pgx.Tx) error) error {
		return func(do func(pgx.Tx) error) error { return cells.Reading(ctx, tenant, time.Minute, do) }
	}
	nothing := func(pgx.Tx) error { return nil }
	until := make(chan struct{})
	var held []<-chan error
	for range cells.Sizes().Reads / 2 {
		held = append(held, hold(t, reading(t.Context(), greedy), until))
	}
	for range cells.Sizes().Files / 2 {
		held = append(held, hold(t, reading(pg.ForFile(t.Context()), greedy), until))
	}
	refused := make(chan error, 2)
	go func() { refused <- reading(t.Context(), greedy)(nothing) }()
	go func() { refused <- reading(pg.ForFile(t.Context()), greedy)(nothing) }()

	require.NoError(t, reading(t.Context(), other)(nothing), "another tenant reads")
	require.NoError(t, reading(pg.ForFile(t.Context()), other)(nothing), "and exports")
	require.NoError(t, cells.InTenant(t.Context(), greedy, nothing), "its own changes are short")
	require.NoError(t, reading(pg.InBackground(t.Context()), greedy)(nothing), "its background work has other connections")
	for range 2 {
		err := <-refused
		require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
		require.True(t, fault.HasCode(err, "reads") || fault.HasCode(err, "exports"), "%v", err)
	}
	close(until)
	for _, ended := range held {
		require.NoError(t, <-ended)
	}
	require.NoError(t, reading(t.Context(), greedy)(nothing))
}

// TestOnesCallsHinderNobody lets one session hold as many connections as it can: its next call waits, and others' do not.
func TestOnesCallsHinderNobody(t *testing.T) {
	t.Parallel()
	cells, err := pg.Open(t.Context(), pg.Config{URL: pgtest.New(t).ServiceURL, MaxConns: 40})
	require.NoError(t, err)
	t.Cleanup(cells.Close)
	greedy := uuid.New()
	calling := func(ctx context.Context, who uuid.UUID) func(func(pgx.Tx) error) error {
		return func(do func(pgx.Tx) error) error { return cells.InSystemFor(ctx, who, do) }
	}
	nothing := func(pgx.Tx) error { return nil }
	until := make(chan struct{})
	release := sync.OnceFunc(func() { close(until) })
	defer release()
	var held []<-chan error
	for range cells.Sizes().People / 2 {
		held = append(held, hold(t, calling(t.Context(), greedy), until))
	}
	soon, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	require.Error(t, calling(soon, greedy)(nothing))
	require.NoError(t, calling(t.Context(), uuid.New())(nothing))
	release()
	for _, ended := range held {
		require.NoError(t, <-ended)
	}
	require.NoError(t, calling(t.Context(), greedy)(nothing))
}

// TestNobodyWaitsForever uses up the connections of background work, which makes nobody else wait, and those for
// people, which answers in words after a few seconds.
func TestNobodyWaitsForever(t *testing.T) {
	t.Parallel()
	cells, err := pg.Open(t.Context(), pg.Config{URL: pgtest.New(t).ServiceURL, MaxConns: 9})
	require.NoError(t, err)
	t.Cleanup(cells.Close)
	changing := func(ctx context.Context) func(func(pgx.Tx) error) error {
		return func(do func(pgx.Tx) error) error { return cells.InTenant(ctx, uuid.New(), do) }
	}
	until := make(chan struct{})
	var held []<-chan error
	for range cells.Sizes().Background {
		held = append(held, hold(t, changing(pg.InBackground(t.Context())), until))
	}
	for range cells.Sizes().People {
		held = append(held, hold(t, changing(t.Context()), until))
	}
	err = changing(t.Context())(func(pgx.Tx) error { return nil })
	require.True(t, fault.HasCode(err, "busy"), "%v", err)
	require.True(t, fault.Is(err, fault.Unavailable))
	waiting, cancel := context.WithCancel(pg.InBackground(t.Context()))
	cancel()
	require.Error(t, changing(waiting)(func(pgx.Tx) error { return nil }), "background work waits as long as it is wanted")
	close(until)
	for _, ended := range held {
		require.NoError(t, <-ended)
	}
	_, err = cells.CheckConnections(t.Context())
	require.NoError(t, err)
}
