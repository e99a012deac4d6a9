package customer

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// TestIndexes checks that a customer with many orders, among others, is read through indexes: no large
// table is scanned. What is cut off is said.
func TestIndexes(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.fill()
	admin := st.db.Admin(t)
	for _, sql := range []string{
		"SET session_replication_role = replica", // no triggers: only the number of rows matters
		`INSERT INTO workspace.sales_orders (tenant_id, workspace_id, order_id, customer_id, day, week, net)
			SELECT c.tenant_id, c.workspace_id, workspace.new_id(), CASE WHEN n % 50 = 0 THEN c.id ELSE 'x' || n % 500 END, current_date - 1 - n % 300, current_date, 1
			FROM generate_series(1, 100000) n, workspace.customers c WHERE c.external_id = 'c1'`,
		`INSERT INTO workspace.sales_lines (tenant_id, workspace_id, line_id, order_id, product_id, customer_id, day, week, counts, units, returned)
			SELECT o.tenant_id, o.workspace_id, workspace.new_id(), o.order_id, 'p', o.customer_id, o.day, o.week, true, 1, 0 FROM workspace.sales_orders o`,
		`INSERT INTO workspace.orders (tenant_id, workspace_id, id, external_id, ordered_at, status, currency, total)
			SELECT o.tenant_id, o.workspace_id, o.order_id, o.order_id, o.day, 'completed', 'EUR', 1 FROM workspace.sales_orders o ON CONFLICT DO NOTHING`,
		`INSERT INTO workspace.order_line_items (tenant_id, workspace_id, id, external_id, order_id, name, quantity, unit_price)
			SELECT l.tenant_id, l.workspace_id, l.line_id, l.line_id, l.order_id, 'Tea', 1, 1 FROM workspace.sales_lines l ON CONFLICT DO NOTHING`,
		"ANALYZE workspace.sales_orders, workspace.sales_lines, workspace.orders, workspace.order_line_items",
	} {
		_, err := admin.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	defer func() {
		_, err := admin.Exec(t.Context(), "DELETE FROM workspace.orders WHERE external_id = id") // no search knows them
		require.NoError(t, err)
	}()
	id, by := st.id("c1"), st.by(auth.CompanyAdmin)
	pgtest.ReadsByIndex(t, st.db, []string{"sales_orders", "sales_lines", "orders", "order_line_items"}, 400_000, func() {
		o, err := st.s.Get(t.Context(), by, id)
		require.NoError(t, err)
		require.True(t, o.Usual.Cut)
		require.Equal(t, int64(MostSearched), o.Usual.Orders)
		_, err = st.s.Activity(t.Context(), by, id)
		require.NoError(t, err)
		found, more, err := st.s.Orders(t.Context(), by, id, page.Request{Most: 20})
		require.NoError(t, err)
		require.True(t, more)
		require.Len(t, found, 20)
		require.NotEmpty(t, found[0].Lines)
	})
}
