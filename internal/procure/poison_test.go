package procure_test

import (
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/playbook"
	"github.com/quayside/quayside/internal/procure"
)

// uncomputed returns why articles are not computed, by SKU, as To order lists them.
func (st *stage) uncomputed() map[string]string {
	st.t.Helper()
	sum, err := st.queue.Summarize(st.t.Context(), st.by(auth.Viewer))
	require.NoError(st.t, err)
	reasons := map[string]string{}
	for _, one := range sum.Uncomputed {
		reasons[one.SKU] = one.Reason
	}
	return reasons
}

// skus returns the articles that have a row.
func (st *stage) skus() (skus []string) {
	st.t.Helper()
	rows, err := st.admin.Query(st.t.Context(), "SELECT sku FROM workspace.queue_rows WHERE tenant_id = $1 ORDER BY sku", st.tenant.ID)
	require.NoError(st.t, err)
	for rows.Next() {
		var sku string
		require.NoError(st.t, rows.Scan(&sku))
		skus = append(skus, sku)
	}
	require.NoError(st.t, rows.Err())
	return skus
}

// TestUncomputed breaks the data of articles, each in another way, as it was stored before records with it were refused.
// They have no row, and people are told why; all others are computed, those whose records change too. What is mended
// comes back.
func TestUncomputed(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.open()
	for _, sku := range []string{"STOCK", "COUNT", "MOQ", "COVER", "SUPPLY", "MANY", "RATE"} {
		st.product(sku, 0, nil)
		st.sell(sku, 4)
	}
	st.line("supply", "SUPPLY", "ordered", 5, nil)
	st.line("many", "MANY", "ordered", 5, nil)
	st.compute()
	all := st.skus()
	require.Len(t, all, 9)
	require.Empty(t, st.uncomputed())
	tea := st.row("TEA")

	for sku, change := range map[string]string{
		"STOCK": "stock_available = 1e308", "COUNT": "stock_available = 5e308", "MOQ": "moq = 1e13", "COVER": "cover_days = 1e12",
	} {
		st.exec("UPDATE workspace.products SET "+change+" WHERE tenant_id = $1 AND sku = $2", st.tenant.ID, sku)
	}
	for id, quantity := range map[string]string{"supply": "1e308", "many": "5e308"} { // PostgreSQL cannot read the second as a float
		st.exec("UPDATE workspace.purchase_order_lines SET quantity_ordered = $3::text::numeric WHERE tenant_id = $1 AND external_id = $2",
			st.tenant.ID, id, quantity)
	}
	st.exec(`UPDATE workspace.forecasts SET velocity = 'Infinity' WHERE tenant_id = $1 AND product_id = (
		SELECT id FROM workspace.products WHERE tenant_id = $1 AND sku = 'RATE')`, st.tenant.ID)
	want := map[string]string{
		"STOCK":  "the stock, 1e+308, is not plausible",
		"COUNT":  "the stock, +Inf, is not plausible",
		"MOQ":    "the minimum order quantity, 10000000000000, is not plausible",
		"COVER":  "a cover of more than 3650 days is not plausible",
		"SUPPLY": "the open quantity of order PO-supply, 1e+308, is not plausible",
		"MANY":   "a number of its data is too large to compute with",
		"RATE":   "the demand of a day, +Inf, is not plausible",
	}
	again := func() {
		t.Helper()
		st.exec("DELETE FROM workspace.queue_state")
		require.NoError(t, st.queue.Daily(t.Context(), today.Add(12*time.Hour)))
	}
	again()
	require.Equal(t, want, st.uncomputed())
	require.Equal(t, []string{"CUP", "TEA"}, st.skus())
	require.Equal(t, tea.Key, st.row("TEA").Key)

	// Marked articles are computed beside broken ones that are marked, too.
	st.exec(`INSERT INTO workspace.queue_marks (tenant_id, workspace_id, product_id) SELECT tenant_id, workspace_id, id FROM workspace.products`)
	st.product("TEA", 7, map[string]any{"order_multiple": 12})
	st.follow()
	require.InDelta(t, 7, *st.row("TEA").Available, 0)
	require.Equal(t, want, st.uncomputed())
	require.Zero(t, st.count("SELECT count(*) FROM workspace.queue_marks"))

	var broken string
	require.NoError(t, st.admin.QueryRow(t.Context(), "SELECT id FROM workspace.products WHERE sku = 'MANY'").Scan(&broken))
	_, err := st.queue.Explain(t.Context(), st.by(auth.Viewer), broken, procure.WhatIf{})
	require.True(t, fault.HasCode(err, "not_computed"), "%v", err)
	require.ErrorContains(t, err, "too large to compute with")
	effect, err := st.queue.Preview(t.Context(), st.by(auth.CompanyAdmin), playbook.Trial{
		Config: &playbook.ConfigChange{Values: playbook.Values{"cover_days": jsontext.Value("60")}}})
	require.NoError(t, err)
	require.Equal(t, 9, effect.Articles)

	st.exec("UPDATE workspace.products SET stock_available = 0, moq = NULL, cover_days = NULL WHERE tenant_id = $1 AND sku NOT IN ('TEA', 'CUP')", st.tenant.ID)
	st.exec("UPDATE workspace.purchase_order_lines SET quantity_ordered = 5 WHERE tenant_id = $1", st.tenant.ID)
	st.exec("UPDATE workspace.forecasts SET velocity = 2 WHERE velocity = 'Infinity'")
	again()
	require.Empty(t, st.uncomputed())
	require.Equal(t, all, st.skus())
}

// TestUncomputedDemand has no row for an article whose demand is not computed, and counts sales that are left out.
func TestUncomputedDemand(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.open()
	st.exec("UPDATE workspace.order_line_items SET quantity = 1e308 WHERE tenant_id = $1 AND external_id = 'lTEA-3'", st.tenant.ID)
	st.exec(`INSERT INTO workspace.sales_changed (tenant_id, workspace_id, slug, record_id, changed_at)
		SELECT tenant_id, workspace_id, 'order_line_items', id, now() FROM workspace.order_line_items WHERE tenant_id = $1`, st.tenant.ID)
	st.follow()
	require.Equal(t, procure.Gaps{Implausible: 1}, st.row("TEA").Gaps)
	require.Zero(t, st.row("CUP").Gaps)
	require.Empty(t, st.uncomputed())

	st.exec(`UPDATE workspace.sales_series SET units[3] = 1e308 WHERE tenant_id = $1 AND product_id = (
		SELECT id FROM workspace.products WHERE tenant_id = $1 AND sku = 'TEA')`, st.tenant.ID)
	st.exec("INSERT INTO workspace.forecast_marks (tenant_id, workspace_id, product_id) SELECT tenant_id, workspace_id, product_id FROM workspace.sales_series")
	require.NoError(t, st.forecasts.Update(t.Context(), st.tenant.ID, st.tenant.Workspace))
	st.follow()
	require.Equal(t, []string{"CUP"}, st.skus())
	require.Equal(t, map[string]string{"TEA": "the quantity 1e+308 that was sold in a week is not plausible"}, st.uncomputed())
}

// TestPriceOutlier leaves a cost that cannot be true out of sums, and lets no agent order at it.
func TestPriceOutlier(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.open()
	sum := func() procure.SupplierSum {
		s, err := st.queue.Summarize(t.Context(), st.by(auth.Viewer))
		require.NoError(t, err)
		require.Len(t, s.Suppliers, 1)
		return s.Suppliers[0]
	}
	before := sum()
	require.Zero(t, before.LeftOut)
	require.True(t, before.Cost.IsPositive())
	st.product("GOLD", 0, nil)
	st.sell("GOLD", 12)
	st.compute()
	st.exec("UPDATE workspace.products SET unit_cost = 98765431211434745.89, price = 1e308 WHERE tenant_id = $1 AND sku = 'GOLD'", st.tenant.ID)
	st.exec("DELETE FROM workspace.queue_state")
	require.NoError(t, st.queue.Daily(t.Context(), today.Add(12*time.Hour)))
	after := sum()
	require.Equal(t, before.Cost.String(), after.Cost.String())
	require.EqualValues(t, 1, after.LeftOut)
	require.Equal(t, before.Lines+1, after.Lines)
	gold := st.row("GOLD")
	require.Equal(t, procure.NoPrice, gold.Blocked)
	require.Equal(t, procure.GroupOrder, gold.Group)
}

// mark marks an article as the reader of the outbox does.
func (st *stage) mark(sku string) {
	st.t.Helper()
	var id string
	require.NoError(st.t, st.admin.QueryRow(st.t.Context(), "SELECT id FROM workspace.products WHERE tenant_id = $1 AND sku = $2",
		st.tenant.ID, sku).Scan(&id))
	require.NoError(st.t, st.db.InTenant(st.t.Context(), st.tenant.ID, func(tx pgx.Tx) error {
		return q.New(tx).MarkQueueChanged(st.t.Context(),
			q.MarkQueueChangedParams{Tenants: []uuid.UUID{st.tenant.ID}, Slugs: []string{"products"}, Records: []string{id}})
	}))
}

// TestBrokenQueue lets the queue of one company fail as a whole. The other one is computed; the broken one says since
// when it is not, and that it is again as soon as it is.
func TestBrokenQueue(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	other := *st
	other.tenant = pgtest.NewTenant(t, st.db)
	st.open()
	other.open()
	st.exec(`CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'broken'; END $$`)
	st.exec("CREATE TRIGGER refuse BEFORE INSERT ON workspace.queue_rows FOR EACH ROW WHEN (NEW.tenant_id = '" +
		st.tenant.ID.String() + "') EXECUTE FUNCTION public.refuse()")
	for _, one := range []*stage{st, &other} {
		one.product("TEA", 9, map[string]any{"order_multiple": 12})
		one.mark("TEA")
	}
	require.Error(t, st.queue.Keep(t.Context()))
	require.InDelta(t, 9, *other.row("TEA").Available, 0)

	lag := func(of *stage) string {
		sum, err := of.queue.Summarize(t.Context(), of.by(auth.Viewer))
		require.NoError(t, err)
		if sum.Lag == nil {
			return ""
		}
		return string(sum.Lag.Part) + " since " + sum.Lag.Since.UTC().Format(time.RFC3339)
	}
	require.Empty(t, lag(st), "it waits for seconds")
	since := time.Now().UTC().Add(-time.Hour).Truncate(time.Second)
	st.exec("UPDATE workspace.queue_marks SET marked_at = $1 WHERE tenant_id = $2", since, st.tenant.ID)
	require.Equal(t, "procurement_queue since "+since.Format(time.RFC3339), lag(st))
	require.Empty(t, lag(&other))
	st.mark("TEA")
	require.Equal(t, "procurement_queue since "+since.Format(time.RFC3339), lag(st), "a mark that is set again keeps its time")

	st.exec("DROP TRIGGER refuse ON workspace.queue_rows")
	st.follow()
	require.Empty(t, lag(st))
	require.InDelta(t, 9, *st.row("TEA").Available, 0)
}
