package exchange_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/exchange"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/inventory"
	standin "github.com/quayside/quayside/test/inventory"
)

// failures returns how often an order failed in a row, and how many attempts are shown to people.
func (w *world) failures() (inARow string) {
	w.t.Helper()
	require.NoError(w.t, w.admin.QueryRow(w.t.Context(), `SELECT concat(failures, ' failures, ', (SELECT count(*)
		FROM workspace.exchange_attempts), ' attempts') FROM workspace.exchange_orders`).Scan(&inARow))
	return inARow
}

// TestLimited answers 429 more often than an order may fail: the order waits as long as it was told, and nothing else
// becomes slower or worse.
func TestLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{})
	w.ordered(order, "TEA")
	w.there.Fail("", standin.Broken)
	w.compare(order, exchange.Waiting)
	require.Equal(t, "1 failures, 1 attempts", w.failures())
	for range 10 {
		w.there.Fail("", standin.Limited)
		outcome := w.compare(order, exchange.Waiting)
		require.Equal(t, inventory.CodeLimited, outcome.Code)
		require.Equal(t, 2*time.Minute, outcome.Wait)
		require.Equal(t, "1 failures, 1 attempts", w.failures())
	}
	w.there.Fail("", standin.Broken)
	again := w.compare(order, exchange.Waiting)
	require.InDelta(t, 10*time.Second, again.Wait, float64(2500*time.Millisecond), "the pause after the second failure")
	require.Equal(t, "2 failures, 2 attempts", w.failures())
	w.compare(order, exchange.Synced)
}

// TestLimitedPoll does the same to a poll and to a reconcile.
func TestLimitedPoll(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	state := func() string {
		w.abundant()
		return w.one(`SELECT concat_ws(' ', failures || ' failures', round(extract(epoch FROM poll_at - now()) / 60) || ' minutes',
			nullif(message, ''), CASE WHEN busy_until IS NOT NULL THEN 'busy' END) FROM workspace.exchange_cursors`)
	}
	for range 3 {
		w.there.Fail("", standin.Limited)
		w.read()
		require.Equal(t, "0 failures 2 minutes", state())
	}
	w.exec("UPDATE workspace.exchange_cursors SET reconcile_at = now()")
	w.there.Fail("", standin.None, standin.Limited) // the poll succeeds, and the reconcile has to wait
	w.read()
	require.Equal(t, "0 failures 2 minutes", state())
	require.Equal(t, "2", w.one("SELECT round(extract(epoch FROM reconcile_at - now()) / 60)::text FROM workspace.exchange_cursors"))
	w.there.Fail("", standin.Broken)
	w.read()
	require.Equal(t, "1 failures 1 minutes the inventory system cannot be reached: ", state()+": ", "a failure is one")
}

// TestLostClaim lets another instance claim an order while its comparison fails here. The caller is told, nothing is
// stored, and the other instance keeps its claim.
func TestLostClaim(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{})
	w.ordered(order, "TEA")
	row := func() (text string) {
		require.NoError(t, w.admin.QueryRow(t.Context(), "SELECT o::text FROM workspace.exchange_orders o").Scan(&text))
		return text
	}
	var others string
	meddler := w.meddling(func(string) {
		w.exec(`UPDATE workspace.exchange_orders SET claim = gen_random_uuid(), claimed_until = now() + interval '1 minute'`)
		others = row()
	})
	w.abundant()
	w.there.Fail("", standin.Broken)
	_, err := meddler.Sync(t.Context(), w.sync, w.connection.ID, order)
	require.True(t, fault.HasCode(err, exchange.CodeBusy), "%v", err)
	require.Equal(t, others, row())
	require.Equal(t, "0 failures, 0 attempts", w.failures())
}

// TestLostCursor lets another instance take the cursor of a connection over while one page is read here.
func TestLostCursor(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	for i := range 150 { // two pages
		w.make(fmt.Sprintf("T-%03d", i))
	}
	meddler := w.meddling(func(string) {
		w.exec("UPDATE workspace.exchange_cursors SET busy_until = now() + interval '9 minutes', poll_at = now() + interval '7 minutes'")
	})
	require.NoError(t, meddler.Read(t.Context(), minute))
	require.Equal(t, "0 9 7", w.one(`SELECT concat_ws(' ', page, round(extract(epoch FROM busy_until - now()) / 60),
		round(extract(epoch FROM poll_at - now()) / 60)) FROM workspace.exchange_cursors`), "the other instance's cursor is as it was")
	require.Len(t, w.orders(), 100, "only the page that was under way")
}

// TestLease compares an order with the usual lease, and with one of its own.
func TestLease(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{})
	for number, tt := range map[string]struct {
		config exchange.Config
		want   time.Duration
	}{"PO-1": {exchange.Config{}, 2 * time.Minute}, "PO-2": {exchange.Config{Lease: 20 * time.Second}, 20 * time.Second}} {
		w.ordered(number, "TEA")
		var before, until, after time.Time
		require.NoError(t, w.admin.QueryRow(t.Context(), "SELECT clock_timestamp()").Scan(&before))
		service := w.meddlingWith(tt.config, func(string) {
			require.NoError(t, w.admin.QueryRow(t.Context(), `SELECT claimed_until, clock_timestamp() FROM workspace.exchange_orders
				WHERE order_no = $1`, number).Scan(&until, &after))
		})
		w.abundant()
		_, err := service.Sync(t.Context(), w.sync, w.connection.ID, number)
		require.NoError(t, err)
		require.WithinRange(t, until, before.Add(tt.want), after.Add(tt.want))
	}
}
