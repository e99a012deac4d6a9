package exchange_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/connection"
	"github.com/quayside/quayside/internal/exchange"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/purchase"
	standin "github.com/quayside/quayside/test/inventory"
)

// TestConflict has both sides change a price, and a person decide.
func TestConflict(t *testing.T) {
	t.Parallel()
	for _, take := range []string{"ours", "theirs"} {
		t.Run(take, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, standin.Options{})
			line := w.ordered(order, "TEA")[0]
			w.compare(order, exchange.Synced)
			w.edit(line.ID, purchase.Changes{PricePerUnit: text("2.4")})
			require.NoError(t, w.there.SetPrice(order, "TEA", dec("2.6")))
			w.compare(order, exchange.Conflict)
			w.hint(order, "")
			w.compare(order, exchange.Conflict)
			require.Equal(t, []string{"price both_changed 2.5 2.4 2.6"}, w.questions())

			// The decision is for other values than those that are there by now: the question is asked again.
			w.decide(take)
			require.NoError(t, w.there.SetPrice(order, "TEA", dec("2.7")))
			w.compare(order, exchange.Conflict)
			require.Equal(t, []string{"price both_changed 2.5 2.4 2.7"}, w.questions())

			// A decision that did not get through is carried out by the next comparison.
			w.decide(take)
			w.there.Fail("PATCH /v1/purchase_order_rows/{id}", standin.CutBefore)
			w.abundant()
			_, err := w.Sync(t.Context(), w.sync, w.connection.ID, order)
			require.NoError(t, err)
			w.compare(order, exchange.Synced)
			require.Empty(t, w.questions())
			want := map[string]string{"ours": "2.4", "theirs": "2.7"}[take]
			require.Equal(t, want, w.here(order)[0].Price)
			require.Equal(t, want, w.orderThere(order).Rows[0].Price.String())
		})
	}
}

// TestLoad brings an order here that was made there, and what was added to it later.
func TestLoad(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{})
	ctx := t.Context()
	w.foreign("K-1", "TEA", "CUP")
	require.NoError(t, w.there.Receive("K-1", "TEA", dec("2"), at("2026-11-03")))
	w.hint("K-1", fmt.Sprint(w.orderThere("K-1").ID))
	w.compare("K-1", exchange.Synced)
	require.Equal(t, []row{{"CUP", "ordered", "6", "0", "4", ""}, {"TEA", "partially_received", "6", "2", "4", ""}}, w.here("K-1"))
	var id, key, system string
	require.NoError(t, w.admin.QueryRow(ctx, `SELECT id, external_id, external_system FROM workspace.purchase_order_lines
		WHERE order_no = 'K-1' AND sku = 'TEA'`).Scan(&id, &key, &system))
	require.Equal(t, fmt.Sprintf("katana:%d", w.orderThere("K-1").Rows[0].ID), key)
	require.Equal(t, []string{"2 2026-11-03"}, w.receipts(id))
	line := w.stored(id)
	require.Equal(t, &w.sync.Actor, line.OrderedOutside)
	require.Empty(t, line.CreatedBy.Type)
	require.Nil(t, line.ApprovedBy)

	// A line that is added here goes there; a row that is added there comes here.
	w.ordered("K-1", "POT")
	w.compare("K-1", exchange.Synced)
	require.Len(t, w.orderThere("K-1").Rows, 4, "the received part is a row of its own")
	// An article that only exists there holds the order, and its other lines are still compared later.
	w.foreign("K-2", "MUG")
	w.hint("K-2", fmt.Sprint(w.orderThere("K-2").ID))
	outcome := w.compare("K-2", exchange.Held)
	require.Equal(t, exchange.CodeArticle, outcome.Code)
	require.Contains(t, outcome.Message, "MUG")
	w.exec(`INSERT INTO workspace.products (tenant_id, workspace_id, id, external_id, sku, name) VALUES ($1, $2, 'prod-MUG', 'P-MUG', 'MUG', 'Mug')`,
		w.boss.Tenant, w.boss.Workspace)
	w.compare("K-2", exchange.Synced)
	require.Equal(t, []row{{"MUG", "ordered", "6", "0", "4", ""}}, w.here("K-2"))
}

// TestMoved moves a line to another order and splits one: the rows there follow.
func TestMoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{})
	lines := w.draft(order, "TEA", "CUP")
	w.compare(order, exchange.Synced)
	w.edit(lines[1].ID, purchase.Changes{OrderNo: text("PO-8")})
	w.compare("PO-8", exchange.Synced)
	w.compare(order, exchange.Synced)
	require.Equal(t, []row{{"TEA", "draft", "10", "0", "2.5", "2026-12-01"}}, w.here(order))
	require.Equal(t, []row{{"CUP", "draft", "10", "0", "2.5", "2026-12-01"}}, w.here("PO-8"))
	require.Len(t, live(w.orderThere(order)), 1)
	require.Len(t, live(w.orderThere("PO-8")), 1)

	split, err := w.lines.Split(t.Context(), w.buyer, refs(w.stored(lines[0].ID))[0], "4", "2026-12-20")
	require.NoError(t, err)
	require.Len(t, split, 2)
	w.compare(order, exchange.Synced)
	require.Len(t, live(w.orderThere(order)), 2)
	w.hint(order, "")
	outcome := w.compare(order, exchange.Synced)
	require.Empty(t, append(outcome.Here, outcome.There...))
	require.Len(t, w.here(order), 2)
}

func live(of *standin.Order) (rows []*standin.Row) {
	for _, row := range of.Rows {
		if row.DeletedAt == nil {
			rows = append(rows, row)
		}
	}
	return rows
}

// TestMay checks that nothing is written on a side that the connection may not write to, and that nobody is asked.
func TestMay(t *testing.T) {
	t.Parallel()
	t.Run("export only", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, standin.Options{}, func(s *connection.Settings) { s.MayLoad = false })
		line := w.ordered(order, "TEA", "CUP")[0]
		w.compare(order, exchange.Synced)
		require.NoError(t, w.there.SetPrice(order, "TEA", dec("9")))
		require.NoError(t, w.there.Receive(order, "CUP", dec("2"), at("2026-11-03")))
		before := w.here(order)
		for range 2 {
			w.hint(order, "")
			w.compare(order, exchange.Synced)
			require.Equal(t, before, w.here(order))
		}
		w.edit(line.ID, purchase.Changes{PricePerUnit: text("2.4"), ExpectedArrivalDate: text("2026-12-09")})
		w.compare(order, exchange.Synced)
		require.Empty(t, w.questions())
		row := w.orderThere(order).Rows[0]
		require.Equal(t, "9 2026-12-09", row.Price.String()+" "+row.Arrival.Format("2006-01-02"),
			"what both changed is left alone, the rest goes there")
		w.foreign("K-1", "TEA")
		w.hint("K-1", fmt.Sprint(w.orderThere("K-1").ID))
		w.compare("K-1", exchange.Synced)
		require.Empty(t, w.here("K-1"))
	})
	t.Run("load only", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, standin.Options{}, func(s *connection.Settings) { s.MayExport = false })
		w.foreign("K-1", "TEA")
		w.hint("K-1", fmt.Sprint(w.orderThere("K-1").ID))
		w.compare("K-1", exchange.Synced)
		taken := w.there.Taken()
		lines, _, err := w.lines.Lines(t.Context(), w.buyer, "K-1", page.All)
		require.NoError(t, err)
		w.edit(lines[0].ID, purchase.Changes{PricePerUnit: text("3.9"), QuantityOrdered: text("5")})
		require.NoError(t, w.there.SetPrice("K-1", "TEA", dec("9")))
		require.NoError(t, w.there.SetArrival("K-1", "TEA", at("2026-12-24")))
		before := w.there.Taken()
		for range 2 {
			w.hint("K-1", "")
			w.compare("K-1", exchange.Synced)
		}
		require.Equal(t, before, w.there.Taken(), "nothing is written there")
		require.LessOrEqual(t, taken, before)
		require.Empty(t, w.questions())
		require.Equal(t, []row{{"TEA", "ordered", "5", "0", "3.9", "2026-12-24"}}, w.here("K-1"))
		w.ordered(order, "TEA")
		var marked int
		require.NoError(t, w.admin.QueryRow(t.Context(), `SELECT count(*) FROM workspace.exchange_orders WHERE order_no = $1`,
			order).Scan(&marked))
		require.Zero(t, marked)
	})
}

// TestPausedOrder leaves an order alone that a person paused.
func TestPausedOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{})
	w.ordered(order, "TEA")
	w.exec(`UPDATE workspace.exchange_orders SET state = 'paused'`)
	outcome, err := w.Sync(t.Context(), w.sync, w.connection.ID, order)
	require.NoError(t, err)
	require.Equal(t, exchange.Paused, outcome.State)
	require.Nil(t, w.orderThere(order))
	_, err = w.Sync(t.Context(), auth.Principal{Tenant: w.boss.Tenant, Workspace: w.boss.Workspace, Role: auth.CompanyAdmin},
		w.connection.ID, order)
	require.Error(t, err, "only the connection's own sync")
}
