package article

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
)

// TestOutlier reads articles whose stored numbers cannot be true. What follows from them is left out, says so, and can
// be written as JSON.
func TestOutlier(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.send("suppliers", map[string]any{"external_id": "s1", "name": "Harbour Teas"})
	st.send("products", map[string]any{"external_id": "TEA", "sku": "TEA", "name": "Tea", "price": 10, "currency": "EUR", "unit_cost": 4,
		"cost_currency": "EUR", "stock_available": 5, "supplier_id": "s1", "lead_time_days": 10})
	for _, id := range []string{"a", "b"} {
		st.send("purchase_order_lines", map[string]any{"external_id": id, "order_no": "PO-" + id, "sku": "TEA", "status": "ordered",
			"quantity_ordered": 7})
	}
	st.exec("UPDATE workspace.purchase_order_lines SET quantity_ordered = 1e308 WHERE external_id = 'b'")
	var id string
	require.NoError(t, st.db.Admin(t).QueryRow(t.Context(), "SELECT id FROM workspace.products").Scan(&id))
	read := func() Overview {
		t.Helper()
		o, err := st.s.Get(t.Context(), st.by(auth.Viewer), id)
		require.NoError(t, err)
		_, err = json.Marshal(o)
		require.NoError(t, err)
		_, err = st.s.Activity(t.Context(), st.by(auth.Viewer), id)
		require.NoError(t, err)
		return o
	}
	o := read()
	require.Equal(t, "7", o.Incoming.Quantity.String())
	require.EqualValues(t, 1, o.Incoming.LeftOut)
	require.Nil(t, o.Uncomputed)

	for _, dates := range [][2]any{{"1900-01-01T00:00:00Z", nil}, {"9999-12-31T00:00:00Z", "1900-01-01"}, {nil, "9999-12-31"}} {
		st.exec("UPDATE workspace.purchase_order_lines SET ordered_at = $1, expected_arrival_date = $2 WHERE external_id = 'a'", dates[0], dates[1])
		dated := read().Incoming
		require.EqualValues(t, 1, dated.Undated, dates)
		dated.Undated = 0
		require.Equal(t, o.Incoming, dated, "as without a date")
	}

	st.exec("INSERT INTO workspace.uncomputed_articles (tenant_id, workspace_id, product_id, part, reason) VALUES ($1, $2, $3, 'queue', 'why')",
		st.tenant.ID, st.tenant.Workspace, id)
	st.exec(`UPDATE workspace.products SET stock_available = 5e308, lead_time_days = 1e308, price = 1e-300, unit_cost = 5e308,
		stock_updated_at = '0001-01-01T00:00:00Z'`)
	o = read()
	require.Equal(t, "why", o.Uncomputed.Reason)
	require.Empty(t, o.Projection)
	require.Nil(t, o.DaysOfCover)
	require.Nil(t, o.Margin)
	require.False(t, math.IsInf(o.LeadTime.Days, 0))
}
