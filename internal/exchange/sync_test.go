package exchange_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/exchange"
	"github.com/quayside/quayside/internal/purchase"
	standin "github.com/quayside/quayside/test/inventory"
)

// TestStatuses brings an order through the six statuses, from both sides.
func TestStatuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{})
	ctx := t.Context()

	lines := w.draft(order, "TEA", "CUP")
	outcome := w.compare(order, exchange.Synced)
	require.Equal(t, []string{"TEA: created", "CUP: created"}, outcome.There)
	require.Equal(t, "DRAFT", w.orderThere(order).Status)
	require.Equal(t, int64(1), w.stored(lines[0].ID).Version, "a line that people work on stays as it is")

	lines, err := w.lines.Submit(ctx, w.buyer, refs(lines...))
	require.NoError(t, err)
	w.compare(order, exchange.Synced)
	require.Equal(t, "DRAFT", w.orderThere(order).Status, "what waits for approval is a draft there")
	require.Equal(t, purchase.PendingApproval, w.stored(lines[0].ID).Status)

	_, err = w.lines.Approve(ctx, w.boss, refs(lines...))
	require.NoError(t, err)
	w.compare(order, exchange.Synced)
	require.Equal(t, "NOT_RECEIVED", w.orderThere(order).Status)
	var system, po string
	require.NoError(t, w.admin.QueryRow(ctx, `SELECT external_system, external_po_id FROM workspace.purchase_order_lines WHERE id = $1`,
		lines[0].ID).Scan(&system, &po))
	require.Equal(t, "katana", system)

	require.NoError(t, w.there.Receive(order, "TEA", dec("4"), at("2026-11-02")))
	require.NoError(t, w.there.Receive(order, "TEA", dec("1"), at("2026-11-05")))
	w.hint(order, po)
	outcome = w.compare(order, exchange.Synced)
	require.Equal(t, []string{"TEA: status, receipts"}, outcome.Here)
	require.Equal(t, []string{"4 2026-11-02", "1 2026-11-05"}, w.receipts(lines[0].ID))
	require.Equal(t, []row{{"CUP", "ordered", "10", "0", "2.5", "2026-12-01"},
		{"TEA", "partially_received", "10", "5", "2.5", "2026-12-01"}}, w.here(order))

	_, err = w.lines.Receive(ctx, w.buyer, purchase.Delivery{Arrivals: []purchase.Arrival{
		{Ref: refs(w.stored(lines[0].ID))[0]}}, At: time.Now()})
	require.NoError(t, err)
	w.compare(order, exchange.Synced)
	require.Equal(t, "PARTIALLY_RECEIVED", w.orderThere(order).Status)

	_, err = w.lines.Cancel(ctx, w.boss, refs(w.stored(lines[1].ID)), "not needed")
	require.NoError(t, err)
	w.compare(order, exchange.Synced)
	require.Equal(t, "RECEIVED", w.orderThere(order).Status)
	require.Equal(t, []row{{"CUP", "cancelled", "10", "0", "2.5", "2026-12-01"},
		{"TEA", "received", "10", "10", "2.5", "2026-12-01"}}, w.here(order))

	taken := w.there.Taken()
	w.hint(order, po)
	outcome = w.compare(order, exchange.Synced)
	require.Empty(t, append(outcome.Here, outcome.There...), "a quiet order is left alone")
	require.Equal(t, taken, w.there.Taken())
}

// TestDeletedThere cancels here what is deleted there.
func TestDeletedThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{})
	w.ordered(order, "TEA")
	w.compare(order, exchange.Synced)
	require.NoError(t, w.there.Remove(order))
	w.hint(order, "")
	w.compare(order, exchange.Synced)
	require.Equal(t, []row{{"TEA", "cancelled", "10", "0", "2.5", "2026-12-01"}}, w.here(order))
}
