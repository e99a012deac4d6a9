package exchange_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/exchange"
	standin "github.com/quayside/quayside/test/inventory"
)

// TestReconcile finds every way in which the two sides can differ, and asks for a comparison of each.
func TestReconcile(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	for _, number := range []string{"EQUAL", "PRICE", "ARRIVED", "LOST", "PURGED", "OPEN"} {
		w.order(number, "ordered", 10)
		w.make(number)
	}
	w.order("BOTH-GONE", "cancelled", 10)
	w.make("BOTH-GONE")
	require.NoError(t, w.there.Remove("BOTH-GONE"))
	w.synced()
	w.exec("UPDATE workspace.exchange_orders SET external_id = '999' WHERE order_no = 'PURGED'")
	require.NoError(t, w.there.SetPrice("PRICE", "TEA", dec("5")))
	w.synced() // as if a bug had merged the price and not written it
	w.exec("UPDATE workspace.purchase_order_lines SET quantity_received = 3, status = 'partially_received' WHERE order_no = 'ARRIVED'")
	w.exec("UPDATE workspace.exchange_orders SET state = 'synced', synced_at = now() - interval '1 hour', created_at = now() - interval '1 hour'")
	require.NoError(t, w.there.Remove("LOST"))
	require.NoError(t, w.there.SetPrice("OPEN", "TEA", dec("6")))
	w.exec("UPDATE workspace.exchange_orders SET state = 'conflict' WHERE order_no = 'OPEN'")
	w.make("NEW")

	_, err := w.Reconcile(t.Context(), w.boss, w.id)
	require.NoError(t, err)
	w.exec("UPDATE workspace.exchange_cursors SET poll_at = now() + interval '1 day'")
	require.NoError(t, w.Read(t.Context(), minute))
	found, err := w.ReadingOf(t.Context(), w.boss, w.id)
	require.NoError(t, err)
	require.Nil(t, found.Under)
	require.NotNil(t, found.Last)
	last := *found.Last
	require.Equal(t, []int{9, 2, 3, 2, 2}, []int{last.Orders, last.Equal, last.Differ, last.OnlyHere, last.OnlyThere}, "%+v", last.List)
	told := map[string]exchange.Different{}
	for _, d := range last.List {
		told[d.Number+" "+string(d.Kind)] = d
	}
	require.Equal(t, []string{"TEA: price is 4 here, 5 there"}, told["PRICE differ"].Fields)
	require.Contains(t, strings.Join(told["ARRIVED differ"].Fields, "; "), "receipts is 3 here, 0 there")
	require.Equal(t, []string{"TEA: status is NOT_RECEIVED here, none there"}, told["LOST only_here"].Fields)
	require.Contains(t, told, "PURGED only_here")
	require.Contains(t, told, "PURGED only_there")
	require.Contains(t, told, "NEW only_there")
	states := strings.Join(w.orders(), "\n")
	for _, want := range []string{"EQUAL [0-9]+ synced", "PRICE [0-9]+ waiting", "ARRIVED [0-9]+ waiting", "LOST [0-9]+ waiting",
		"PURGED 999 waiting", "OPEN [0-9]+ conflict", "NEW [0-9]+ waiting", "BOTH-GONE [0-9]+ synced"} {
		require.Regexp(t, want, states)
	}
	require.Equal(t, "0", w.one("SELECT count(*)::text FROM workspace.exchange_listed"))
	require.Equal(t, "true", w.one("SELECT reconcile_at > now() AND busy_until IS NULL FROM workspace.exchange_cursors"), "the next one is at night")
}

// TestReconcileGoesOn interrupts a reconcile of several pages at every page: it goes on where it was, and counts every order
// once.
func TestReconcileGoesOn(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	for i := range 250 { // three pages
		w.make(fmt.Sprintf("T-%03d", i))
	}
	_, err := w.Reconcile(t.Context(), w.boss, w.id)
	require.NoError(t, err)
	w.exec("UPDATE workspace.exchange_cursors SET poll_at = now() + interval '1 day'")
	for i := range 3 {
		if i < 2 {
			w.there.Fail("GET /v1/purchase_orders", standin.None, standin.Broken)
		}
		w.make(fmt.Sprintf("U-%d", i)) // moves all others by one place
		w.exec("UPDATE workspace.exchange_cursors SET reconcile_at = now()")
		require.NoError(t, w.counted().Read(t.Context(), minute))
	}
	found, err := w.ReadingOf(t.Context(), w.boss, w.id)
	require.NoError(t, err)
	require.NotNil(t, found.Last, "%+v", found)
	require.Len(t, w.orders(), 251, "those that came after the first page was read are left to the next poll")
	require.Equal(t, 251, found.Last.OnlyThere)
	require.Len(t, found.Last.List, 100)
}
