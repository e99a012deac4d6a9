package exchange_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/exchange"
	"github.com/quayside/quayside/internal/job"
	standin "github.com/quayside/quayside/test/inventory"
)

// work runs the jobs of an instance until the test ends.
func (w *world) work(service *exchange.Service) {
	w.t.Helper()
	workers := river.NewWorkers()
	river.AddWorker(workers, river.WorkFunc(func(ctx context.Context, task *river.Job[exchange.Job]) error {
		pause, err := service.Work(ctx, task.Args)
		if err == nil && pause > 0 {
			return river.JobSnooze(pause)
		}
		return err
	}))
	ctx, stop := context.WithCancel(w.t.Context())
	wait, err := w.db.StartJobs(ctx, workers, map[string]river.QueueConfig{job.Exchanges: {MaxWorkers: 4}}, job.Shared,
		slog.New(slog.DiscardHandler))
	require.NoError(w.t, err)
	w.t.Cleanup(func() { stop(); wait() })
}

// jobs returns the orders that have a job.
func (w *world) jobs() []string {
	w.t.Helper()
	rows, err := w.admin.Query(w.t.Context(), `SELECT args ->> 'order' FROM river.river_job WHERE kind = 'exchange_order' ORDER BY 1`)
	require.NoError(w.t, err)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(w.t, err)
	return found
}

// TestDispatch enqueues what is due, once, and no more than the budget lets be compared.
func TestDispatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{})
	ctx := t.Context()
	for i := range 6 {
		w.draft(fmt.Sprintf("PO-%d", 11+i), "TEA")
	}
	w.exec(`UPDATE workspace.exchange_orders SET due_at = now() - interval '1 minute' * substr(order_no, 4)::int`)
	w.exec(`UPDATE workspace.exchange_orders SET state = 'paused' WHERE order_no = 'PO-16'`)
	w.exec(`UPDATE workspace.exchange_orders SET due_at = now() + interval '1 hour' WHERE order_no = 'PO-15'`)
	w.abundant()
	for range 2 {
		require.NoError(t, w.Dispatch(ctx))
		require.Equal(t, []string{"PO-11", "PO-12", "PO-13", "PO-14"}, w.jobs())
	}
	w.exec(`DELETE FROM river.river_job`)
	t.Run("not while the other system asked for a pause", func(t *testing.T) {
		w.exec(`UPDATE workspace.connection_pace SET held_until = now() + interval '1 hour'`)
		require.NoError(t, w.Dispatch(ctx))
		require.Empty(t, w.jobs())
	})
	t.Run("nor with a budget that is used up, or nearly", func(t *testing.T) {
		w.abundant()
		w.exec(`UPDATE workspace.connection_pace SET used_until = now() + interval '15 seconds'`)
		require.NoError(t, w.Dispatch(ctx))
		require.Empty(t, w.jobs())
		w.exec(`UPDATE workspace.connection_pace SET used_until = now() + interval '14 seconds'`) // about 8 of 120 calls are left
		require.NoError(t, w.Dispatch(ctx))
		require.Len(t, w.jobs(), 2)
	})
	t.Run("nor for a connection that is not in use", func(t *testing.T) {
		w.abundant()
		w.exec(`DELETE FROM river.river_job`)
		_, err := w.connections.Pause(ctx, w.boss, w.connection.ID, "a test")
		require.NoError(t, err)
		require.NoError(t, w.Dispatch(ctx))
		require.Empty(t, w.jobs())
	})
}

// TestSeed marks the orders that were open before the connection was in use, and no others.
func TestSeed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{})
	ctx := t.Context()
	w.draft("PO-1", "TEA")
	w.ordered("PO-2", "TEA")
	done := w.draft("PO-3", "TEA")
	_, err := w.lines.Cancel(ctx, w.buyer, refs(done...), "not needed")
	require.NoError(t, err)
	w.exec(`DELETE FROM workspace.exchange_orders`) // as if they had been made before
	w.exec(`UPDATE workspace.connections SET seeded_at = NULL`)
	require.NoError(t, w.Dispatch(ctx))
	require.NoError(t, w.Dispatch(ctx))
	require.Equal(t, []string{"PO-1", "PO-2"}, w.jobs())
	w.exec(`DELETE FROM workspace.exchange_orders`)
	require.NoError(t, w.Dispatch(ctx))
	var marked int
	require.NoError(t, w.admin.QueryRow(ctx, `SELECT count(*) FROM workspace.exchange_orders`).Scan(&marked))
	require.Zero(t, marked, "once")
	w.exec(`UPDATE workspace.connections SET updated_at = now() - interval '2 minutes', seeded_at = now() - interval '2 minutes'`)
	require.NoError(t, w.Dispatch(ctx))
	require.NoError(t, w.admin.QueryRow(ctx, `SELECT count(*) FROM workspace.exchange_orders`).Scan(&marked))
	require.Equal(t, 2, marked, "and again a minute later, for what was written at the same time")
}

// TestJobs runs the jobs of two instances over connections that are cut, until all orders are there.
func TestJobs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{Faults: standin.Plan{Seed: 3, CutBefore: 0.03, CutAfter: 0.05}})
	another, _ := w.instance()
	w.work(w.Service)
	w.work(another)
	numbers := []string{}
	for i := range 8 {
		numbers = append(numbers, fmt.Sprintf("PO-%d", 31+i))
		w.ordered(numbers[i], "TEA", "CUP")
	}
	synced := func() bool {
		require.NoError(t, w.Dispatch(t.Context()))
		require.NoError(t, another.Dispatch(t.Context()))
		var waiting int
		require.NoError(t, w.admin.QueryRow(t.Context(), `SELECT count(*) FROM workspace.exchange_orders WHERE state <> 'synced'`).Scan(&waiting))
		return waiting == 0
	}
	require.Eventually(t, synced, time.Minute, 100*time.Millisecond)
	for _, number := range numbers {
		require.Len(t, live(w.orderThere(number)), 2)
	}
}
