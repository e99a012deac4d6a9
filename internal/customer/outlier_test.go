package customer

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/query"
)

// TestOutlier gives one sale a price, and another one a day, that cannot be true. The customer's figures are without
// them, and say so; the computed views can be read.
func TestOutlier(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.fill()
	exec := func(sql string) {
		t.Helper()
		_, err := st.db.Admin(t).Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	exec("UPDATE workspace.order_line_items SET unit_price = 98765431211434745.89, quantity = 1e308 WHERE external_id = 'o3GONE'")
	exec("UPDATE workspace.orders SET ordered_at = '0001-01-01T00:00:00Z' WHERE external_id = 'o1'")
	exec(`INSERT INTO workspace.sales_changed (tenant_id, workspace_id, slug, record_id, changed_at)
		SELECT tenant_id, workspace_id, 'orders', id, now() FROM workspace.orders`)
	require.NoError(t, st.sales.CatchUp(t.Context(), st.tenant.ID, st.tenant.Workspace))
	o, err := st.s.Get(t.Context(), st.by(auth.Viewer), st.id("c1"))
	require.NoError(t, err)
	require.EqualValues(t, 2, o.LeftOut)
	require.EqualValues(t, 3, o.Due.Orders)
	first := today.AddDate(0, 0, -65)
	require.Equal(t, first.Format(time.DateOnly), o.Due.First)
	// 3 + 3 of 4 + 1 + 4 units at 10.
	require.Equal(t, "110", o.Due.Lifetime.String())
	require.Equal(t, first.AddDate(0, 0, 1-first.Day()), o.Months[0].First)
	for _, view := range []string{"weekly_sales", "family_trend", "seasonality", "product_demand", "customer_reorder_due",
		"unmatched_lines"} {
		page, err := st.s.query.Rows(t.Context(), st.by(auth.Viewer), query.Request{ViewSlug: view, Limit: 50})
		require.NoError(t, err, view)
		_, err = json.Marshal(page)
		require.NoError(t, err, view)
	}
}
