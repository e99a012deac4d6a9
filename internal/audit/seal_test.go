package audit_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

var errGivenUp = errors.New("given up")

// writer writes rows in a transaction that stays open until it is told to end.
type writer struct {
	book  *book
	rows  int
	gives bool // rolls back instead of committing
	end   chan struct{}
	ended chan error
}

func begin(t *testing.T, w writer) writer {
	t.Helper()
	written := make(chan struct{})
	w.end, w.ended = make(chan struct{}), make(chan error, 1)
	go func() {
		w.ended <- w.book.db.InTenant(t.Context(), w.book.tenant, func(tx pgx.Tx) error {
			for range w.rows {
				if err := audit.Record(t.Context(), tx, w.book.by, "thing.done", uuid.NewString(), nil); err != nil {
					close(written)
					return err
				}
			}
			close(written)
			<-w.end
			if w.gives {
				return errGivenUp
			}
			return nil
		})
	}()
	<-written
	return w
}

// TestSealersAndWriters runs eight writers at a time, whose transactions end in another order
// than they began, some with a rollback. Two sealers and a verifier run all the time. No row is
// left out, none is sealed twice, and no verification finds tampering.
func TestSealersAndWriters(t *testing.T) {
	t.Parallel()
	const writers, rounds = 8, 40
	db := pgtest.New(t)
	books := []*book{newBook(t, db), newBook(t, db)}
	background, stop := background(t, books[0])
	random := rand.New(rand.NewPCG(7, 7))
	written := map[uuid.UUID]int64{}
	for range rounds {
		var open []writer
		for range writers {
			open = append(open, begin(t,
				writer{book: books[random.IntN(2)], rows: 1 + random.IntN(3), gives: random.IntN(5) == 0}))
		}
		for _, i := range random.Perm(writers) {
			close(open[i].end)
			err := <-open[i].ended
			if open[i].gives {
				require.ErrorIs(t, err, errGivenUp)
				continue
			}
			require.NoError(t, err)
			written[open[i].book.tenant] += int64(open[i].rows)
		}
	}
	stop()
	require.NoError(t, background.Wait())
	for _, b := range books {
		b.write(0)
		report := b.verify()
		require.Empty(t, b.says(report))
		require.Equal(t, []int64{written[b.tenant], written[b.tenant], 0},
			[]int64{report.Rows, report.Head.Number, report.Waiting})
		sealed := slices.SortedFunc(slices.Values(b.rows), func(x, y uuid.UUID) int { return slices.Compare(x[:], y[:]) })
		require.Equal(t, b.read("SELECT id::text FROM workspace.audit WHERE tenant_id = $1 ORDER BY id"), sealed)
	}
}

// background runs two sealers and a verifier in loops until it is stopped.
func background(t *testing.T, b *book) (*errgroup.Group, context.CancelFunc) {
	t.Helper()
	running, stop := context.WithCancel(t.Context())
	group := &errgroup.Group{}
	for _, do := range []func() error{
		func() error { return b.audit.Seal(t.Context()) },
		func() error { return b.audit.Seal(t.Context()) },
		func() error {
			report, err := b.audit.Verify(t.Context(), b.by)
			if err == nil && report.Problems > 0 {
				err = errors.New("all was well, but: " + report.Findings[0].Detail)
			}
			return err
		},
	} {
		group.Go(func() error {
			for running.Err() == nil {
				if err := do(); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group, stop
}

// TestSealingIsPerTenant holds one tenant's lock: the others are sealed meanwhile, and that
// tenant once the lock is free.
func TestSealingIsPerTenant(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	held, other := newBook(t, db), newBook(t, db)
	begun := time.Now()
	waits := func(after time.Duration) time.Duration {
		oldest, err := held.audit.Waiting(t.Context(), begun.Add(after))
		require.NoError(t, err)
		return oldest
	}
	require.Zero(t, waits(time.Hour))
	held.record()
	other.record()
	err := db.InTenant(t.Context(), held.tenant, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(),
			"SELECT pg_advisory_xact_lock(hashtextextended($1, hashtext('workspace.audit_seals')))", held.tenant.String())
		require.NoError(t, err)
		other.write(0)
		require.Len(t, other.rows, 1)
		return err
	})
	require.NoError(t, err)
	require.Equal(t, int64(1), held.verify().Waiting)
	require.InDelta(t, time.Hour, waits(time.Hour), float64(time.Minute), "the held row waits")
	held.write(0)
	require.Len(t, held.rows, 1)
	require.Zero(t, waits(time.Hour))
}

// TestLongBacklog seals more than a page of rows that have waited for long, such as rows older
// than the first seal. None of them is reported as late.
func TestLongBacklog(t *testing.T) {
	t.Parallel()
	b := newBook(t, pgtest.New(t))
	b.tamper(`INSERT INTO workspace.audit (tenant_id, id, at, actor, request_id, action, subject)
		SELECT $1, gen_random_uuid(), now() - i * interval '1 hour', '{}', '', 'thing.done', '' FROM generate_series(1, 2500) i`, b.tenant)
	b.write(1)
	b.write(1)
	report, err := b.audit.Verify(t.Context(), auth.Operator(b.tenant))
	require.NoError(t, err)
	require.Zero(t, report.Problems, "%v", report.Findings)
	require.Equal(t, []int64{2502, 2502}, []int64{report.Rows, report.Head.Number})

	b.tamper("UPDATE workspace.audit SET request_id = 'x' WHERE tenant_id = $1", b.tenant)
	report, err = b.audit.Verify(t.Context(), auth.Operator(b.tenant))
	require.NoError(t, err)
	require.Equal(t, int64(2502), report.Problems)
	require.Len(t, report.Findings, 100, "what is shown is bounded")
}
