package sales

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// customer describes what is known of a customer after each day with an order.
func (st *stage) customer(id string) []string {
	st.t.Helper()
	st.keep()
	return st.rows(`SELECT concat_ws(' ', s.day, '-', s.until, 'orders', s.orders, 'from', s.first_day, 'first gap', s.first_gap,
			'median', s.median_gap, 'of', s.gaps, 'value', s.expected, s.lifetime, s.family, s.usual)
		FROM workspace.sales_customers s JOIN workspace.customers c ON c.tenant_id = s.tenant_id AND c.id = s.customer_id
		WHERE s.tenant_id = $1 AND c.external_id = '` + id + `' ORDER BY s.day`)
}

// TestCustomers follows what is known of a customer after each day with an order.
func TestCustomers(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.send("customers", map[string]any{"external_id": "c1", "name": "Ada"})
	st.send("customers", map[string]any{"external_id": "c2", "name": "Bo"})
	st.product("a", map[string]any{"sku": "TEA", "family": "Tea"})
	st.product("b", map[string]any{"sku": "BEAN", "category": "Coffee"})
	buy := func(id, day, product string, quantity int) {
		st.order(id, "2026-03-"+day+"T10:00:00Z", map[string]any{"customer_id": "c1"})
		st.line(id, id, quantity, map[string]any{"product_id": product})
	}
	buy("o1", "02", "a", 1)
	buy("o2", "12", "b", 3)
	buy("o3", "12", "b", 2) // the same day
	first := "2026-03-02 - 2026-03-12 orders 1 from 2026-03-02 first gap median of 0 value 10.00 10 Tea TEA"
	require.Equal(t, []string{first,
		"2026-03-12 - infinity orders 3 from 2026-03-02 first gap 10 median 10 of 1 value 20.00 60 Coffee BEAN, TEA",
	}, st.customer("c1"))

	buy("o4", "06", "b", 1) // stored late: later days change, earlier ones only end sooner
	require.Equal(t, []string{
		"2026-03-02 - 2026-03-06 orders 1 from 2026-03-02 first gap median of 0 value 10.00 10 Tea TEA",
		"2026-03-06 - 2026-03-12 orders 2 from 2026-03-02 first gap 4 median 4 of 1 value 10.00 20 Coffee TEA, BEAN",
		"2026-03-12 - infinity orders 4 from 2026-03-02 first gap 4 median 5 of 2 value 17.50 70 Coffee BEAN, TEA",
	}, st.customer("c1"))

	st.order("o4", "2026-03-06T10:00:00Z", map[string]any{"status": "cancelled"})
	require.Equal(t, first, st.customer("c1")[0], "as before")
	require.Len(t, st.customer("c1"), 2)

	st.product("b", map[string]any{"category": "Beans", "sku": "B2"})
	require.Equal(t, "2026-03-12 - infinity orders 3 from 2026-03-02 first gap 10 median 10 of 1 value 20.00 60 Beans B2, TEA",
		st.customer("c1")[1], "the article has another name and category")

	st.order("o2", "2026-03-12T10:00:00Z", map[string]any{"customer_id": "c2"})
	st.order("o3", "2026-03-12T10:00:00Z", map[string]any{"customer_id": "c2"})
	require.Equal(t, []string{"2026-03-02 - infinity orders 1 from 2026-03-02 first gap median of 0 value 10.00 10 Tea TEA"},
		st.customer("c1"))
	require.Equal(t, []string{"2026-03-12 - infinity orders 2 from 2026-03-12 first gap median of 0 value 25.00 50 Beans B2"},
		st.customer("c2"))
}

// TestRenamedArticle checks that figures of customers count as old until they have the new name of
// an article, however late the change was read.
func TestRenamedArticle(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.send("customers", map[string]any{"external_id": "c1"})
	st.product("a", map[string]any{"sku": "TEA"})
	st.order("o1", "2026-03-02T10:00:00Z", map[string]any{"customer_id": "c1"})
	st.line("o1", "o1", 1, map[string]any{"product_id": "a"})
	st.keep()
	st.product("a", map[string]any{"sku": "TEA-2"})
	sent := st.rows("SELECT clock_timestamp()::text FROM (SELECT $1::uuid) t")[0]
	var behind []string
	for len(behind) == 0 {
		_, err := st.s.Round(t.Context())
		require.NoError(t, err)
		behind = st.rows("SELECT (changed_at < '" + sent + "')::text FROM workspace.sales_changed WHERE tenant_id = $1 AND slug = 'customers'")
	}
	require.Equal(t, []string{"true"}, behind)
}

// TestExpectedValue checks that the expected value is the mean of the last 8 orders, of which one
// has no rate and two are of one day.
func TestExpectedValue(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.send("customers", map[string]any{"external_id": "c1"})
	for i := 1; i <= 10; i++ {
		id, currency := fmt.Sprintf("o%02d", i), "EUR"
		if i == 5 {
			currency = "USD"
		}
		st.order(id, fmt.Sprintf("2026-03-%02dT10:00:00Z", min(i, 9)), map[string]any{"customer_id": "c1", "currency": currency})
		st.line(id, id, i, nil)
	}
	days := st.customer("c1")
	require.Len(t, days, 9)
	require.Contains(t, days[8], "value 67.14 500", "(30 + 40 + 60 + 70 + 80 + 90 + 100) / 7")
	require.Contains(t, days[4], "value 25.00 100", "(10 + 20 + 30 + 40) / 4")
}
