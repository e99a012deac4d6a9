package article

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// TestIndexes checks that an article among many is read through indexes: no large table is
// scanned.
func TestIndexes(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.fill()
	st.db.Broken() // orders are not kept without triggers
	admin := st.db.Admin(t)
	for _, sql := range []string{
		"SET session_replication_role = replica", // no triggers: only the number of rows matters
		`INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, external_id, order_no, sku, status, quantity_ordered, product_id, supplier_id, received_at)
			SELECT l.tenant_id, l.workspace_id, 'x' || n, 'X' || n / 10, 'SKU' || n % 1000, (ARRAY['received', 'ordered', 'draft'])[n % 3 + 1], 1,
				CASE WHEN n % 2 = 0 THEN 'p' || n % 1000 END, 's' || n % 40, now()
			FROM generate_series(1, 40000) n, (SELECT * FROM workspace.purchase_order_lines LIMIT 1) l`,
		`INSERT INTO workspace.receipts (tenant_id, workspace_id, line_id, version, quantity)
			SELECT tenant_id, workspace_id, id, 1, 1 FROM workspace.purchase_order_lines WHERE external_id LIKE 'x%'`,
		`INSERT INTO workspace.sales_lines (tenant_id, workspace_id, line_id, order_id, product_id, day, week, counts, units, returned)
			SELECT l.tenant_id, l.workspace_id, 'x' || n, 'x' || n, 'p' || n % 1000, l.day, l.week, true, 1, 0
			FROM generate_series(1, 40000) n, (SELECT * FROM workspace.sales_lines LIMIT 1) l`,
		"ANALYZE workspace.purchase_order_lines, workspace.receipts, workspace.sales_lines",
	} {
		_, err := admin.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	pgtest.ReadsByIndex(t, st.db, []string{"purchase_order_lines", "receipts", "sales_lines"}, 120_000, func() {
		_, err := st.s.Get(t.Context(), st.by(auth.Viewer), st.tea())
		require.NoError(t, err)
		_, err = st.s.Activity(t.Context(), st.by(auth.Viewer), st.tea())
		require.NoError(t, err)
	})
}
