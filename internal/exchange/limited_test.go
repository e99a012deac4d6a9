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
	// reads reads once, and checks when the next poll is due and what is stored of the last one.
	reads := func(failures int, message string, pause time.Duration) (before, after time.Time) {
		t.Helper()
		before = w.clock()
		w.read()
		after = w.clock()
		w.abundant()
		var counted int
		var stored string
		var next time.Time
		require.NoError(t, w.admin.QueryRow(t.Context(),
			"SELECT failures, message, poll_at FROM workspace.exchange_cursors WHERE busy_until IS NULL").Scan(&counted, &stored, &next))
		require.Equal(t, failures, counted)
		require.Equal(t, message, stored)
		require.WithinRange(t, next, before.Add(pause), after.Add(pause+time.Second))
		return before, after
	}
	for range 3 {
		w.there.Fail("", standin.Limited)
		reads(0, "", 2*time.Minute)
	}
	w.exec("UPDATE workspace.exchange_cursors SET reconcile_at = now()")
	w.there.Fail("", standin.None, standin.Limited) // the poll succeeds, and the reconcile has to wait
	before, after := reads(0, "", 2*time.Minute)
	var next time.Time
	require.NoError(t, w.admin.QueryRow(t.Context(), "SELECT reconcile_at FROM workspace.exchange_cursors").Scan(&next))
	require.WithinRange(t, next, before.Add(2*time.Minute), after.Add(2*time.Minute+time.Second))
	w.there.Fail("", standin.Broken)
	reads(1, "the inventory system cannot be reached", time.Minute)
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
		w.exec("UPDATE workspace.exchange_cursors SET busy_until = '2100-01-01 09:00Z', poll_at = '2100-01-01 07:00Z'")
	})
	require.NoError(t, meddler.Read(t.Context(), minute))
	require.Equal(t, "true", w.one(`SELECT (page = 0 AND busy_until = '2100-01-01 09:00Z' AND poll_at = '2100-01-01 07:00Z')::text
		FROM workspace.exchange_cursors`), "the other instance's cursor is as it was")
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
