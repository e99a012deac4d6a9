package supplier

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// many stores lines and articles of which every n-th is the supplier's. A third of the lines is in one
// order; the others are open.
func (st *stage) many(lines, articles, nth int) {
	st.t.Helper()
	st.db.Broken() // orders and tokens are not kept without triggers
	admin := st.db.Admin(st.t)
	_, err := admin.Exec(st.t.Context(), "SET session_replication_role = replica") // no triggers: only the number of rows matters
	require.NoError(st.t, err)
	_, err = admin.Exec(st.t.Context(), `INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, external_id, order_no, sku, status, quantity_ordered, price_per_unit, supplier_id, ordered_at, received_at)
		SELECT s.tenant_id, s.workspace_id, 'x' || n, CASE WHEN n % 3 = 0 THEN 'LONG' ELSE 'X' || n / 10 END, 'SKU' || n % 5000,
			CASE WHEN n % 3 > 0 THEN 'ordered' ELSE 'received' END, 1, n % 7 + 1,
			CASE WHEN n % $2 = 0 THEN s.id ELSE 'other' || n % 1000 END, now() - interval '1 day', now()
		FROM generate_series(1, $1::integer) n, workspace.suppliers s`, lines, nth)
	require.NoError(st.t, err)
	_, err = admin.Exec(st.t.Context(), `INSERT INTO workspace.products (tenant_id, workspace_id, external_id, name, supplier_id)
		SELECT s.tenant_id, s.workspace_id, 'x' || n, 'Article ' || n, CASE WHEN n % $2 = 0 THEN s.id ELSE 'other' || n % 1000 END
		FROM generate_series(1, $1::integer) n, workspace.suppliers s`, articles, nth)
	require.NoError(st.t, err)
	_, err = admin.Exec(st.t.Context(), "ANALYZE workspace.purchase_order_lines, workspace.products")
	require.NoError(st.t, err)
}

// read reads everything about the supplier.
func (st *stage) read() (o Overview) {
	st.t.Helper()
	by := st.by(auth.CompanyAdmin)
	began := time.Now()
	o, err := st.s.Get(st.t.Context(), by, st.id)
	require.NoError(st.t, err)
	_, err = st.s.Activity(st.t.Context(), by, st.id)
	require.NoError(st.t, err)
	found, more, err := st.s.Articles(st.t.Context(), by, st.id, page.Request{Most: 50})
	require.NoError(st.t, err)
	require.Len(st.t, found, 50)
	require.True(st.t, more)
	orders, more, err := st.s.Orders(st.t.Context(), by, st.id, page.Request{Most: 50})
	require.NoError(st.t, err)
	require.Len(st.t, orders, 4, "those of fill, and the long one")
	require.False(st.t, more)
	require.Less(st.t, time.Since(began), 20*time.Second) // it takes a fraction; a long order compared with itself would not
	return o
}

// TestIndexes checks that a supplier among many is read through indexes: no large table is scanned.
func TestIndexes(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.fill()
	st.many(100_000, 100_000, 1000)
	pgtest.ReadsByIndex(t, st.db, []string{"purchase_order_lines", "products"}, 200_000, func() { st.read() })
}

// TestLarge checks that a supplier with all lines and articles is read soon, and that what is cut off is
// said.
func TestLarge(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.fill()
	st.many(100_000, 20_000, 1)
	o := st.read()
	require.True(t, o.Open.Cut)
	require.True(t, o.Bought.Cut)
	require.Len(t, o.Open.List, MostShown)
	require.Equal(t, int64(MostOpen), o.Open.Lines+o.Open.Drafted)
}
