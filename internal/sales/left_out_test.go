package sales

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
)

// touch has records computed again that were changed behind ingest's back.
func (st *stage) touch(slug, table string) {
	st.t.Helper()
	st.exec(`INSERT INTO workspace.sales_changed (tenant_id, workspace_id, slug, record_id, changed_at)
		SELECT tenant_id, workspace_id, $2, id, now() FROM workspace.`+table+` WHERE tenant_id = $1 ON CONFLICT DO NOTHING`, st.tenant.ID, slug)
	st.keep()
}

// leftOut returns the lines that are in no figure, with why.
func (st *stage) leftOut() []string {
	return st.rows(`SELECT i.external_id || ' ' || s.left_out FROM workspace.sales_lines s
		JOIN workspace.order_line_items i ON i.tenant_id = s.tenant_id AND i.id = s.line_id
		WHERE s.tenant_id = $1 AND s.left_out IS NOT NULL AND NOT s.counts ORDER BY 1`)
}

// TestLeftOut stores sales that cannot be true beside others, as they were stored before records with them were
// refused. All figures are those without them; when a record is mended, its sale counts.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.send("customers", map[string]any{"external_id": "c1", "name": "Ada"})
	st.product("a", map[string]any{"family": "Tea"})
	for _, id := range []string{"good", "late", "zero", "epoch", "old", "future", "tomorrow", "units", "exchanged", "returned", "price", "rate"} {
		st.order(id, "2026-03-02T10:00:00Z", map[string]any{"customer_id": "c1"})
		st.line(id, id, 3, map[string]any{"product_id": "a"})
	}
	st.order("late", "2026-03-09T10:00:00Z", nil)
	st.order("gone", "2026-03-02T10:00:00Z", map[string]any{"status": "cancelled"})
	st.line("gone", "gone", 3, map[string]any{"product_id": "a"})
	st.keep()
	before := st.all()

	tomorrow := time.Now().UTC().AddDate(0, 0, 1)
	for id, at := range map[string]any{"zero": "0001-01-01T00:00:00Z", "epoch": time.Unix(0, 0), "old": "1999-12-31T23:59:59Z",
		"future": tomorrow.AddDate(0, 0, 1), "tomorrow": tomorrow, "gone": "0001-01-01T00:00:00Z"} {
		st.exec("UPDATE workspace.orders SET ordered_at = $2 WHERE tenant_id = $1 AND external_id = $3", st.tenant.ID, at, id)
	}
	for id, change := range map[string]string{"units": "quantity = 1e308", "exchanged": "quantity = 2e12, current_quantity = 3", "returned": "returned_quantity = 2e12", "price": "unit_price = 98765431211434745.89"} {
		st.exec("UPDATE workspace.order_line_items SET "+change+" WHERE tenant_id = $1 AND external_id = $2", st.tenant.ID, id)
	}
	st.exec("UPDATE workspace.orders SET base_total = 1e30, total = 0.01 WHERE tenant_id = $1 AND external_id = 'rate'", st.tenant.ID)
	st.touch("orders", "orders")
	require.Equal(t, []string{"epoch day", "exchanged quantity", "future day", "old day", "price amount", "rate amount", "returned quantity", "units quantity", "zero day"},
		st.leftOut(), "a cancelled order counts nowhere anyway")
	require.Equal(t, []string{
		"2026-03-02 lines 1 orders 1 customers 1 units 3 - 0 gross 30 discount 0 net 30 unconverted 0",
		"2026-03-09 lines 1 orders 1 customers 1 units 3 - 0 gross 30 discount 0 net 30 unconverted 0",
	}, st.weeks("*")[:2])
	require.Len(t, st.weeks("*"), 3, "and that of tomorrow")
	require.Equal(t, "2026-03-02", st.rows("SELECT first_sale::text FROM workspace.sales_series WHERE tenant_id = $1 AND first_sale IS NOT NULL")[0])
	require.Equal(t, []string{"3"}, st.rows("SELECT sum(orders)::text FROM workspace.sales_customers WHERE tenant_id = $1 AND until = 'infinity'"))

	state, err := st.s.State(t.Context(), auth.Principal{Tenant: st.tenant.ID, Workspace: st.tenant.Workspace, Role: auth.Viewer})
	require.NoError(t, err)
	require.EqualValues(t, 9, state.LeftOut)

	kept := st.all()
	require.NoError(t, st.s.Rebuild(t.Context(), st.tenant.ID, st.tenant.Workspace))
	st.keep()
	require.Equal(t, kept, st.all(), "a rebuild leaves out the same")

	st.exec("UPDATE workspace.orders SET ordered_at = '2026-03-02T10:00:00Z', base_total = NULL, total = 100 WHERE tenant_id = $1 AND external_id <> 'late'", st.tenant.ID)
	st.exec("UPDATE workspace.order_line_items SET quantity = 3, current_quantity = NULL, unit_price = 10, returned_quantity = NULL WHERE tenant_id = $1", st.tenant.ID)
	st.touch("orders", "orders")
	require.Empty(t, st.leftOut())
	require.Equal(t, before, st.all())
}

// TestImplausibleCancelling counts what an order sold that is said to be cancelled on a day that cannot be true: its status says
// whether it is.
func TestImplausibleCancelling(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.product("a", nil)
	tomorrow := time.Now().UTC().AddDate(0, 0, 1)
	for id, values := range map[string]map[string]any{
		"1900": {"cancelled_at": "1900-01-02T00:00:00Z"}, "old": {"cancelled_at": "1999-12-31T23:59:59Z"}, "never": {"cancelled_at": "9999-12-31T00:00:00Z"},
		"gone": {"cancelled_at": "2000-01-01T00:00:00Z"}, "soon": {"cancelled_at": tomorrow}, "status": {"cancelled_at": "9999-12-31T00:00:00Z", "status": "cancelled"},
	} {
		st.order(id, "2026-03-02T10:00:00Z", values)
		st.line(id, id, 3, map[string]any{"product_id": "a"})
	}
	st.keep()
	require.Equal(t, []string{"1900", "never", "old"}, st.rows(`SELECT i.external_id FROM workspace.sales_lines s
		JOIN workspace.order_line_items i ON i.tenant_id = s.tenant_id AND i.id = s.line_id WHERE s.tenant_id = $1 AND s.counts ORDER BY 1`))
	require.Empty(t, st.leftOut())
}

// TestArrivedInTime judges a day by when its order was last written: what was the future then stays so, until the
// source says it again.
func TestArrivedInTime(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.product("a", nil)
	st.order("o", "2026-03-20T10:00:00Z", nil)
	st.line("o", "o", 1, map[string]any{"product_id": "a"})
	st.exec("ALTER TABLE workspace.orders DISABLE TRIGGER USER") // they would set the time
	st.exec("UPDATE workspace.orders SET updated_at = '2026-03-18T23:00:00Z' WHERE tenant_id = $1", st.tenant.ID)
	st.exec("ALTER TABLE workspace.orders ENABLE TRIGGER USER")
	st.touch("orders", "orders")
	require.Equal(t, []string{"o day"}, st.leftOut())
	// In Berlin it was the 19th already, and the 20th was tomorrow.
	st.exec("UPDATE control.workspaces SET time_zone = 'Europe/Berlin' WHERE tenant_id = $1", st.tenant.ID)
	st.keep()
	require.Empty(t, st.leftOut())
}

// TestImplausibleCounts counts stock on days that cannot be true: they neither stretch the series nor forget what was
// counted before.
func TestImplausibleCounts(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	stock := func(at string, available any) {
		st.product("a", map[string]any{"stock_available": available, "stock_updated_at": at})
	}
	st.product("a", nil)
	st.order("o1", "2026-03-02T10:00:00Z", nil)
	st.line("l1", "o1", 1, map[string]any{"product_id": "a"})
	stock("2026-03-03T10:00:00Z", 5)
	stock("2026-03-05T10:00:00Z", 0)
	stock("2026-03-08T10:00:00Z", 7)
	st.keep()
	want := st.series()
	st.exec("DELETE FROM workspace.stock_history WHERE tenant_id = $1 AND observed_at < '2026-03-06'", st.tenant.ID)
	for i, day := range []string{"0001-01-01", "1970-01-01", "9999-12-30"} {
		st.exec(`INSERT INTO workspace.stock_history (tenant_id, product_id, version, workspace_id, observed_at, stock_available)
			SELECT tenant_id, id, version + $2, workspace_id, $3::date, 0 FROM workspace.products WHERE tenant_id = $1`, st.tenant.ID, 1+i, day)
	}
	st.touch("products", "products")
	require.Equal(t, want, st.series())
	require.NoError(t, st.s.Rebuild(t.Context(), st.tenant.ID, st.tenant.Workspace))
	st.keep()
	require.Equal(t, want, st.series(), "days of a dropped history stay")
}
