package procure_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/procure"
)

// TestMoved computes the articles that a line, or a SKU, belonged to before.
func TestMoved(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.open()
	st.send("suppliers", map[string]any{"external_id": "s2", "name": "Other Teas", "lead_time_days": 10})
	id := func(sku string) (id string) {
		t.Helper()
		require.NoError(t, st.admin.QueryRow(t.Context(), "SELECT id FROM workspace.products WHERE tenant_id = $1 AND external_id = $2", st.tenant.ID, sku).Scan(&id))
		return id
	}
	onOrder := func(what string, tea, cup float64) {
		t.Helper()
		st.follow()
		require.Equal(t, [2]float64{tea, cup}, [2]float64{st.row("TEA").OnOrder, st.row("CUP").OnOrder}, what)
	}
	st.line("L1", "TEA", "ordered", 96, nil)
	onOrder("by its SKU", 96, 0)
	st.line("L1", "CUP", "ordered", 96, nil)
	onOrder("another SKU", 0, 96)
	st.line("L1", "CUP", "ordered", 96, map[string]any{"product_id": id("TEA")})
	onOrder("an article beside the SKU", 96, 0)
	st.line("L1", "CUP", "ordered", 96, map[string]any{"product_id": id("CUP")})
	onOrder("another article", 0, 96)
	st.line("L1", "TEA", "ordered", 96, map[string]any{"product_id": nil})
	onOrder("no article beside another SKU", 96, 0)

	st.product("TEA", 5, map[string]any{"external_id": "TEA-2", "supplier_id": "s2"})
	st.follow()
	require.Equal(t, procure.AmbiguousSKU, ambiguous(t, st, id("TEA")))
	st.product("POT", 5, map[string]any{"external_id": "TEA-2", "supplier_id": "s2"})
	st.follow()
	require.NotEqual(t, procure.AmbiguousSKU, ambiguous(t, st, id("TEA")))

	// Three deliveries of the CUP by s1 teach its lead time, also for the TEA.
	deliver := func(supplier string, values map[string]any) {
		t.Helper()
		for n := range 3 {
			arrived := today.AddDate(0, 0, -20-n)
			record := map[string]any{"supplier_id": supplier, "quantity_received": 5, "ordered_at": arrived.AddDate(0, 0, -30).Format(time.RFC3339),
				"received_at": arrived.Format(time.RFC3339)}
			for name, value := range values {
				record[name] = value
			}
			st.line(fmt.Sprintf("D%d", n), "CUP", "received", 5, record)
		}
		st.follow()
	}
	deliver("s1", nil)
	require.EqualValues(t, "30 supplier_learnt", st.lead("TEA"))
	deliver("s2", nil)
	require.EqualValues(t, "10 supplier", st.lead("TEA"))
	require.EqualValues(t, "30 supplier_learnt", st.lead("POT"))
	deliver("s2", map[string]any{"status": "cancelled", "received_at": nil})
	require.EqualValues(t, "10 supplier", st.lead("POT"))
}

// lead returns the lead time that the stored row of an article was computed with.
func (st *stage) lead(sku string) (lead string) {
	st.t.Helper()
	require.NoError(st.t, st.admin.QueryRow(st.t.Context(),
		"SELECT lead_time_days || ' ' || lead_time_source FROM workspace.queue_rows WHERE tenant_id = $1 AND sku = $2", st.tenant.ID, sku).Scan(&lead))
	return lead
}

func ambiguous(t *testing.T, st *stage, id string) (reason procure.Blocked) {
	t.Helper()
	require.NoError(t, st.admin.QueryRow(t.Context(),
		"SELECT coalesce(blocked_reason, '') FROM workspace.queue_rows WHERE tenant_id = $1 AND product_id = $2", st.tenant.ID, id).Scan(&reason))
	return reason
}
