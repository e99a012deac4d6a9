package procure_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/procure"
	"github.com/quayside/quayside/internal/purchase"
)

// TestQueue reads what is known of an article into its row.
func TestQueue(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.open()
	st.line("o1", "TEA", "ordered", 20, map[string]any{"ordered_at": today.AddDate(0, 0, -3).Format(time.RFC3339),
		"expected_arrival_date": today.AddDate(0, 0, -1).Format(time.DateOnly)})
	st.line("d1", "TEA", "draft", 7, nil)
	st.line("p1", "TEA", "partially_received", 10, map[string]any{"quantity_received": 4,
		"expected_arrival_date": today.AddDate(0, 0, 5).Format(time.DateOnly)})
	st.follow()
	tea := st.row("TEA")
	require.InDelta(t, 2, tea.PerDay, 0.2, "14 a week")
	require.InDelta(t, 9, *tea.Available, 0, "5 were counted, 4 came since")
	require.InDelta(t, 26, tea.OnOrder, 0)
	require.InDelta(t, 20, tea.Overdue, 0)
	require.InDelta(t, 7, tea.Drafted, 0)
	require.Equal(t, 10, tea.LeadDays)
	require.Equal(t, procure.LeadOfSupplier, tea.LeadSource)
	require.Equal(t, procure.ActionOrder, tea.Action)
	require.Zero(t, int(tea.Suggested)%12, "a multiple of 12")
	require.Equal(t, "4", tea.Price.String())
	require.Equal(t, fmt.Sprint(4*tea.Suggested), tea.Cost.String())
	require.Empty(t, tea.Blocked)

	cup := st.row("CUP")
	require.Equal(t, procure.ActionNone, cup.Action)
	rows, next, err := st.queue.List(t.Context(), st.by(auth.Viewer), procure.Filter{})
	require.NoError(t, err)
	require.Empty(t, next)
	require.Len(t, rows, 1, "what asks for nothing is not listed")
	sum, err := st.queue.Summarize(t.Context(), st.by(auth.Viewer))
	require.NoError(t, err)
	require.Equal(t, int64(1), sum.Groups[procure.GroupOrder])
	require.Len(t, sum.Suppliers, 1)
	require.Equal(t, "Harbour Teas", sum.Suppliers[0].Name)
}

// TestSupplierTerms shows a supplier's terms beside what to order in their currency, and nowhere else.
func TestSupplierTerms(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.open()
	for _, c := range []struct {
		terms         map[string]any
		minimum, free string // empty: none
	}{
		{map[string]any{}, "", ""},
		{map[string]any{"free_shipping_value": "600.50"}, "", "600.5"},
		{map[string]any{"free_shipping_value": 0, "min_order_value": 250, "currency": "EUR"}, "250", "0"},
		{map[string]any{"free_shipping_value": 600, "min_order_value": 250, "currency": "USD"}, "", ""},
		{map[string]any{"free_shipping_value": nil, "currency": "EUR"}, "250", ""},
	} {
		c.terms["external_id"] = "s1"
		st.send("suppliers", c.terms)
		sum, err := st.queue.Summarize(t.Context(), st.by(auth.Viewer))
		require.NoError(t, err)
		require.Len(t, sum.Suppliers, 1)
		require.Equal(t, [2]string{c.minimum, c.free}, [2]string{shown(sum.Suppliers[0].MinOrderValue), shown(sum.Suppliers[0].FreeShippingValue)}, c.terms)
	}
}

func shown(amount *decimal.Decimal) string {
	if amount == nil {
		return ""
	}
	return amount.String()
}

// TestBlocked names the first reason for which agents may not order.
func TestBlocked(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.send("suppliers", map[string]any{"external_id": "s1", "name": "Harbour Teas"})
	st.send("suppliers", map[string]any{"external_id": "s2", "name": "Gone", "active": false})
	old := today.AddDate(0, 0, -4).Format(time.RFC3339)
	for sku, values := range map[string]map[string]any{
		"no_stock":          {"stock_available": nil, "stock_updated_at": nil},
		"no_supplier":       {"supplier_id": nil},
		"no_price":          {"unit_cost": nil},
		"inactive_supplier": {"supplier_id": "s2"},
		"ambiguous_sku":     nil,
		"stale_stock":       {"stock_updated_at": old},
	} {
		st.product(sku, 0, values)
		st.sell(sku, 12)
	}
	for id, values := range map[string]map[string]any{
		"no_price: nothing":     {"unit_cost": 0},
		"lasts_years: stock":    {"stock_available": -1e9},
		"lasts_years: minimum":  {"moq": 1e9},
		"lasts_years: reserves": {"safety_stock": 1e9},
	} {
		st.product(id, 0, values)
		st.sell(id, 12)
	}
	st.product("another", 0, map[string]any{"sku": "ambiguous_sku"})
	st.product("new_product", 0, nil)
	st.sell("new_product", 2)
	st.product("archived", 0, map[string]any{"status": "archived"})
	st.product("never", 0, map[string]any{"do_not_reorder": true})
	st.product("untracked", 0, map[string]any{"track_inventory": false})
	st.compute()
	// The day of the stock's last change counts too, and it was stored just now.
	st.exec("UPDATE workspace.stock_history SET observed_at = $1", today.AddDate(0, 0, -4))
	st.product("no_stock", 0, map[string]any{"stock_available": nil, "stock_updated_at": nil, "name": "Touched"})
	st.exec("DELETE FROM workspace.queue_state")
	require.NoError(t, st.queue.Daily(t.Context(), today.Add(time.Hour)))
	rows, err := st.admin.Query(t.Context(), "SELECT variant_external_id, coalesce(blocked_reason, '') FROM workspace.queue_rows")
	require.NoError(t, err)
	seen := map[string]string{}
	for rows.Next() {
		var id, reason string
		require.NoError(t, rows.Scan(&id, &reason))
		seen[id] = reason
	}
	require.NoError(t, rows.Err())
	for id, reason := range seen {
		if id == "another" {
			// It shares the SKU, and has no sales of its own.
			require.Contains(t, []string{"new_product", "ambiguous_sku"}, reason)
			continue
		}
		id, _, _ = strings.Cut(id, ":")
		require.Equal(t, id, reason)
	}
	require.Len(t, seen, 12, "archived, untracked and unwanted articles have no row")
}

// TestTouchedEqualsAll changes records at random, and compares the rows of touched articles with
// those of a computation of all.
func TestTouchedEqualsAll(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.open()
	random := rand.New(rand.NewPCG(21, 7))
	skus := []string{"TEA", "CUP", "POT"}
	st.product("POT", 3, nil)
	statuses := []string{"draft", "ordered", "partially_received", "received", "cancelled"}
	for range 60 {
		sku := skus[random.IntN(len(skus))]
		switch random.IntN(5) {
		case 0:
			st.product(sku, random.IntN(60), map[string]any{"order_multiple": 1 + random.IntN(12), "moq": random.IntN(30)})
		case 1, 2:
			quantity, status := 1+random.IntN(40), statuses[random.IntN(len(statuses))]
			values := map[string]any{"ordered_at": today.AddDate(0, 0, -1-random.IntN(40)).Format(time.RFC3339),
				"expected_arrival_date": today.AddDate(0, 0, random.IntN(60)-30).Format(time.DateOnly)}
			if status == "received" {
				values["quantity_received"], values["received_at"] = quantity, today.Add(-time.Hour).Format(time.RFC3339)
			}
			st.line(fmt.Sprint("r", random.IntN(12)), sku, status, quantity, values)
		case 3:
			st.send("suppliers", map[string]any{"external_id": "s1", "name": "Harbour Teas", "lead_time_days": random.IntN(40),
				"active": random.IntN(5) > 0})
		case 4:
			id := fmt.Sprint("x", random.IntN(10))
			st.send("orders", map[string]any{"external_id": id, "ordered_at": today.AddDate(0, 0, -1-random.IntN(80)).Format(time.RFC3339),
				"status": "completed", "currency": "EUR", "total": 10})
			st.send("order_line_items", map[string]any{"external_id": "l" + id, "order_id": id, "sku": sku, "name": sku,
				"quantity": 1 + random.IntN(30), "unit_price": 10})
		}
	}
	st.follow()
	touched := st.dump()
	st.exec("DELETE FROM workspace.queue_rows")
	st.exec("DELETE FROM workspace.queue_state")
	require.NoError(t, st.queue.Daily(t.Context(), today.Add(12*time.Hour)))
	require.Equal(t, st.dump(), touched)
	require.Len(t, touched, 3)
	require.NoError(t, st.queue.Daily(t.Context(), today.Add(12*time.Hour)), "nothing is due")
}

// TestKeys follows the key of a need: it survives computations, a draft locks it, an order frees the
// next one, and nobody drafts it twice.
func TestKeys(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.open()
	ctx, buyer, approver := t.Context(), st.by(auth.Buyer), st.by(auth.Approver)
	first := st.row("TEA")
	st.product("TEA", 4, nil)
	st.follow()
	require.Equal(t, first.Key, st.row("TEA").Key)

	lines, err := st.queue.Draft(ctx, buyer, []procure.Pick{{Key: first.Key}}, false)
	require.NoError(t, err)
	require.Len(t, lines, 1)
	require.Equal(t, fmt.Sprint(st.row("TEA").Suggested), lines[0].QuantityOrdered.String())
	locked := st.row("TEA")
	require.Equal(t, procure.GroupDrafted, locked.Group)
	require.Equal(t, lines[0].ID, locked.Lock.Line)
	require.Equal(t, first.Key, locked.Key)
	require.Equal(t, procure.ActionOrder, locked.Action, "a draft is no supply")

	for _, second := range []auth.Principal{st.by(auth.Buyer), st.agent()} {
		_, err = st.queue.Draft(ctx, second, []procure.Pick{{Key: first.Key}}, true)
		require.True(t, fault.HasCode(err, "recommendation_locked"), "%v", err)
		require.ErrorContains(t, err, lines[0].OrderNo)
	}
	submitted, err := st.lines.Submit(ctx, buyer, []purchase.Ref{{ID: lines[0].ID, Version: lines[0].Version}})
	require.NoError(t, err)
	_, err = st.lines.Approve(ctx, approver, []purchase.Ref{{ID: lines[0].ID, Version: submitted[0].Version}})
	require.NoError(t, err)
	st.follow()
	after := st.row("TEA")
	require.NotEqual(t, first.Key, after.Key)
	require.NotEqual(t, procure.ActionOrder, after.Action, "what was suggested is enough")
	require.Zero(t, st.count("SELECT count(*) FROM workspace.suppressions"), "no rest of it is held back")
	require.InDelta(t, locked.Suggested, after.OnOrder, 0)
	_, err = st.queue.Draft(ctx, buyer, []procure.Pick{{Key: first.Key}}, true)
	require.True(t, fault.HasCode(err, "recommendation_locked"), "%v", err)
	require.ErrorContains(t, err, lines[0].OrderNo)
}

// TestPutOff dismisses, snoozes and restores, and shows a need again that has grown.
func TestPutOff(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.open()
	ctx, buyer := t.Context(), st.by(auth.Buyer)
	st.product("TEA", 20, nil) // enough until a new order lands
	st.follow()
	tea := st.row("TEA")
	require.Equal(t, procure.UrgencyHigh, tea.Urgency)
	require.Error(t, st.queue.Dismiss(ctx, buyer, tea.Key, " "))
	require.Error(t, st.queue.Dismiss(ctx, st.by(auth.Viewer), tea.Key, "no"))
	require.NoError(t, st.queue.Dismiss(ctx, buyer, tea.Key, "A new model comes"))
	off := st.row("TEA")
	require.Equal(t, procure.GroupPutOff, off.Group)
	require.Equal(t, procure.Suppressed, off.Blocked)
	require.Equal(t, today.AddDate(0, 0, 14), *off.PutOffUntil)

	require.NoError(t, st.queue.Restore(ctx, buyer, tea.Key))
	require.Equal(t, procure.GroupOrder, st.row("TEA").Group)
	require.Error(t, st.queue.Restore(ctx, buyer, tea.Key))
	require.Error(t, st.queue.Snooze(ctx, buyer, tea.Key, today, ""))
	require.NoError(t, st.queue.Snooze(ctx, buyer, tea.Key, today.AddDate(0, 0, 3), ""))
	require.Equal(t, today.AddDate(0, 0, 3), *st.row("TEA").PutOffUntil)

	st.product("TEA", 0, nil)
	st.follow()
	require.Equal(t, procure.GroupOrder, st.row("TEA").Group, "it became critical")
}

// TestRejected holds a need back after a person cancelled its draft, and not after an agent did or after the person
// took it back.
func TestRejected(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.open()
	ctx, agent := t.Context(), st.agent()
	st.product("TEA", 20, nil)
	st.follow()
	lines, err := st.queue.Draft(ctx, agent, []procure.Pick{{Key: st.row("TEA").Key}}, false)
	require.NoError(t, err)
	_, err = st.lines.Cancel(ctx, agent, []purchase.Ref{{ID: lines[0].ID, Version: lines[0].Version}}, "taken back")
	require.NoError(t, err)
	st.follow()
	again := st.row("TEA")
	require.Equal(t, procure.GroupOrder, again.Group)

	buyer := st.by(auth.Buyer)
	lines, err = st.queue.Draft(ctx, buyer, []procure.Pick{{Key: again.Key}}, false)
	require.NoError(t, err)
	_, err = st.lines.TakeBack(ctx, buyer, refs(lines), "the wrong supplier")
	require.NoError(t, err)
	st.follow()
	again = st.row("TEA")
	require.Equal(t, procure.GroupOrder, again.Group)

	lines, err = st.queue.Draft(ctx, buyer, []procure.Pick{{Key: again.Key}}, false)
	require.NoError(t, err)
	_, err = st.lines.Cancel(ctx, buyer, []purchase.Ref{{ID: lines[0].ID, Version: lines[0].Version}}, "too much")
	require.NoError(t, err)
	st.follow()
	off := st.row("TEA")
	require.Equal(t, procure.GroupPutOff, off.Group)
	require.NotEqual(t, again.Key, off.Key)
	_, err = st.queue.Draft(ctx, agent, []procure.Pick{{Key: off.Key}}, true)
	require.True(t, fault.HasCode(err, "recommendation_blocked"), "an agent cannot confirm: %v", err)
	_, err = st.lines.DraftConfirmed(ctx, agent, []purchase.NewLine{{RecommendationKey: off.Key, Changes: purchase.Changes{ProductID: &off.Product,
		QuantityOrdered: new("12")}}})
	require.True(t, fault.HasCode(err, "recommendation_blocked"), "nor draft the line apart from the queue: %v", err)
	_, err = st.queue.Draft(ctx, buyer, []procure.Pick{{Key: off.Key}}, false)
	require.True(t, fault.HasCode(err, "recommendation_blocked"), "%v", err)
	_, err = st.queue.Draft(ctx, buyer, []procure.Pick{{Key: off.Key, Quantity: new("3")}}, true)
	require.NoError(t, err)
}

// TestGaps counts refused records that name an article, and its order lines without orders.
func TestGaps(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.open()
	require.Zero(t, st.row("TEA").Gaps)
	st.exec(`INSERT INTO workspace.failed_imports (tenant_id, id, workspace_id, slug, http_status, code, message, payload, payload_hash, key_id, request_id)
		VALUES ($1, gen_random_uuid(), $2, 'order_line_items', 422, 'x', 'x', '{"sku": "TEA", "quantity": "many"}', sha256('x'), gen_random_uuid(), 'r')`,
		st.tenant.ID, st.tenant.Workspace)
	st.product("TEA", 6, nil)
	st.follow()
	require.Equal(t, procure.Gaps{FailedImports: 1}, st.row("TEA").Gaps)
	require.Zero(t, st.row("CUP").Gaps)

	// The orders of these lines have not come. Another company's line, and one that came a minute ago, are not missing.
	other := pgtest.NewTenant(t, st.db)
	for n, line := range []struct {
		tenant              pgtest.Tenant
		age, field, article string
	}{
		{st.tenant, "11 minutes", "sku", "CUP"}, {st.tenant, "9 minutes", "sku", "CUP"}, {other, "11 minutes", "sku", "CUP"},
		{st.tenant, "1 day", "variant_external_id", "CUP"}, {st.tenant, "20 years", "sku", "CUP"},
	} {
		st.exec(`INSERT INTO workspace.order_line_items (tenant_id, workspace_id, external_id, order_external_id, name, quantity, unit_price, created_at, `+
			line.field+`) VALUES ($1, $2, 'W' || $3::int, 'lost', 'x', 1, 1, now() - $4::interval, $5)`,
			line.tenant.ID, line.tenant.Workspace, n, line.age, line.article)
	}
	st.product("CUP", 6, nil)
	st.follow()
	require.Equal(t, procure.Gaps{Waiting: 2}, st.row("CUP").Gaps)
}

// TestOthers shows nothing of a company to another.
func TestOthers(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.open()
	tea := st.row("TEA")
	other := pgtest.NewTenant(t, st.db)
	by := st.by(auth.CompanyAdmin)
	by.Tenant, by.Workspace = other.ID, other.Workspace
	ctx := t.Context()
	rows, _, err := st.queue.List(ctx, by, procure.Filter{})
	require.NoError(t, err)
	require.Empty(t, rows)
	_, err = st.queue.Explain(ctx, by, tea.Product, procure.WhatIf{})
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	_, err = st.queue.Draft(ctx, by, []procure.Pick{{Key: tea.Key}}, true)
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	require.True(t, fault.Is(st.queue.Dismiss(ctx, by, tea.Key, "no"), fault.NotFound))
}
