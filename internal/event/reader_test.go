package event_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/event"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// write writes an event about a record.
func write(t *testing.T, tx pgx.Tx, tenant pgtest.Tenant, record string) {
	t.Helper()
	_, err := tx.Exec(t.Context(), `INSERT INTO workspace.events (tenant_id, subject, id, workspace_id, kind, slug, version, actor, request_id, data)
		VALUES ($1, $2, $3, $4, 'test', 'things', 1, '{}', '', '{}')`, tenant.ID, record, uuid.Must(uuid.NewV7()), tenant.Workspace)
	require.NoError(t, err)
}

// next reads until a record comes. Tests share a server, whose open transactions hold the
// reader up.
func next(t *testing.T, reader *event.Reader, record string) (records []string) {
	t.Helper()
	for {
		batch, err := reader.Next(t.Context(), 1)
		require.NoError(t, err)
		require.NoError(t, reader.Advance(t.Context(), batch))
		for _, change := range batch.Changes {
			records = append(records, change.Record)
			if change.Record == record {
				return records
			}
		}
	}
}

// TestReaderWaitsForOpenTransactions commits events in another order than their transactions
// began. Each is read once, and none appears behind the reader.
func TestReaderWaitsForOpenTransactions(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	tenant := pgtest.NewTenant(t, db)
	reader := event.NewReader(db.Cells, "test")
	_, err := reader.Next(t.Context(), 1) // it begins
	require.NoError(t, err)

	slow, err := db.Admin(t).Begin(t.Context())
	require.NoError(t, err)
	write(t, slow, tenant, "slow")
	quick, err := db.Admin(t).Begin(t.Context())
	require.NoError(t, err)
	write(t, quick, tenant, "quick")
	require.NoError(t, quick.Commit(t.Context()))
	batch, err := reader.Next(t.Context(), 10)
	require.NoError(t, err)
	require.Empty(t, batch.Changes, "the slow transaction may still write before the quick one")
	write(t, slow, tenant, "slow too")
	require.NoError(t, slow.Commit(t.Context()))
	require.Equal(t, []string{"slow", "slow too", "quick"}, next(t, reader, "quick"))
	require.Equal(t, []string{"last"}, func() []string {
		tx, err := db.Admin(t).Begin(t.Context())
		require.NoError(t, err)
		write(t, tx, tenant, "last")
		require.NoError(t, tx.Commit(t.Context()))
		return next(t, event.NewReader(db.Cells, "test"), "last") // another instance goes on
	}())
}

// TestReaderBeginsAnew moves the place to where the outbox cannot be read on.
func TestReaderBeginsAnew(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	admin := db.Admin(t)
	reader := event.NewReader(db.Cells, "test")
	began := func() time.Time {
		batch, err := reader.Next(t.Context(), 1)
		require.NoError(t, err)
		return batch.BeganAt
	}
	first := began()
	require.Equal(t, first, began())
	for name, change := range map[string]string{
		"restored on another server": "xid = '9999999999'",
		"events were dropped":        "read_to = now() - interval '29 days 1 hour'",
	} {
		_, err := admin.Exec(t.Context(), "UPDATE control.readers SET "+change)
		require.NoError(t, err)
		again := began()
		require.True(t, again.After(first), name)
		first = again
		require.Equal(t, first, began(), name)
	}
	_, err := admin.Exec(t.Context(), "UPDATE control.readers SET read_to = now() - interval '28 days'")
	require.NoError(t, err)
	require.Equal(t, first, began(), "a long pause, but no event is lost")
}

// TestReaderIsBusy checks that a reader knows whether somebody writes, also if it reads old events.
func TestReaderIsBusy(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	tenant := pgtest.NewTenant(t, db)
	reader := event.NewReader(db.Cells, "test")
	busy := func() bool {
		batch, err := reader.Next(t.Context(), 1)
		require.NoError(t, err)
		return batch.Busy
	}
	require.False(t, busy(), "there is no event")
	admin := db.Admin(t)
	require.NoError(t, pgx.BeginFunc(t.Context(), admin, func(tx pgx.Tx) error {
		write(t, tx, tenant, "old")
		_, err := tx.Exec(t.Context(), "UPDATE workspace.events SET created_at = created_at - interval '3 seconds' WHERE tenant_id = $1", tenant.ID)
		return err
	}))
	require.False(t, busy(), "the last event is old")
	require.NoError(t, pgx.BeginFunc(t.Context(), admin, func(tx pgx.Tx) error {
		write(t, tx, tenant, "new")
		// A slow machine does not make it old.
		_, err := tx.Exec(t.Context(), "UPDATE workspace.events SET created_at = now() + interval '1 hour' WHERE tenant_id = $1 AND subject = 'new'", tenant.ID)
		return err
	}))
	require.True(t, busy())
}
