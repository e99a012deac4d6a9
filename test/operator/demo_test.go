package operator_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/test/rig"
)

// demoOutput is the output of 'quayside demo --json'.
type demoOutput struct {
	Address  string
	Tenant   string `json:"tenant_id"`
	Logins   []struct{ Email, Role string }
	Password string
	Key      string
}

// demoCounts are the rows of everything that the demo fills.
const demoCounts = `SELECT jsonb_build_object(
	'suppliers', (SELECT count(*) FROM workspace.suppliers), 'products', (SELECT count(*) FROM workspace.products),
	'customers', (SELECT count(*) FROM workspace.customers), 'orders', (SELECT count(*) FROM workspace.orders),
	'order_line_items', (SELECT count(*) FROM workspace.order_line_items),
	'purchase_order_lines', (SELECT count(*) FROM workspace.purchase_order_lines),
	'meeting_notes', (SELECT count(*) FROM workspace.meeting_notes),
	'stock_history', (SELECT count(*) FROM workspace.stock_history), 'failed_imports', (SELECT count(*) FROM workspace.failed_imports),
	'events', (SELECT count(*) FROM workspace.events), 'users', (SELECT count(*) FROM control.users),
	'tenants', (SELECT count(*) FROM control.tenants), 'live keys', (SELECT count(*) FROM workspace.api_keys WHERE revoked_at IS NULL AND expires_at IS NULL))`

// wrongFigures selects the sources whose figures differ from the rows, failures or pending
// records that exist.
const wrongFigures = `SELECT coalesce(string_agg(f.slug, ', '), '') FROM workspace.source_figures f
	JOIN (SELECT key AS slug, value::bigint AS n FROM jsonb_each_text((` + demoCounts + `))) c USING (slug)
	WHERE f.rows <> c.n
	   OR f.open_failures <> (SELECT count(*) FROM workspace.failed_imports i WHERE i.slug = f.slug AND i.status = 'open')
	   OR f.pending <> CASE f.slug
		WHEN 'order_line_items' THEN (SELECT count(*) FROM workspace.order_line_items WHERE order_id IS NULL)
		WHEN 'purchase_order_lines' THEN (SELECT count(*) FROM workspace.purchase_order_lines WHERE product_name IS NULL)
		ELSE 0 END`

// TestDemo fills an empty database, signs in as everybody, and runs the demo again.
func TestDemo(t *testing.T) {
	t.Parallel()
	server := rig.NewServer(t)
	first := rig.Run(t, server.Env, "demo", "--small", "--no-serve", "--json")
	var shown demoOutput
	first.Decode(t, &shown)
	require.Contains(t, first.Stderr, "purchase_order_lines")
	require.Regexp(t, `^pk_[0-9a-f]{48}$`, shown.Key)
	require.GreaterOrEqual(t, len(shown.Password), 10)
	require.Len(t, shown.Logins, 4)

	db := connect(t, server.AdminURL())
	filled := read[map[string]int](t, db, demoCounts)
	for what, least := range map[string]int{
		"suppliers": 25, "products": 120, "customers": 200, "orders": 400, "order_line_items": 850,
		"purchase_order_lines": 140,
		"meeting_notes":        30, "stock_history": 400, "failed_imports": 60, "events": 2000, "users": 4, "live keys": 3,
	} {
		require.GreaterOrEqual(t, filled[what], least, what)
	}
	for about, tt := range map[string]struct {
		count string
		least int
	}{
		"statuses":                {"SELECT count(DISTINCT status) FROM workspace.purchase_order_lines", 6},
		"partly received":         {"SELECT count(*) FROM workspace.purchase_order_lines WHERE status = 'partially_received' AND quantity_received > 0", 3},
		"received":                {"SELECT count(*) FROM workspace.purchase_order_lines WHERE status = 'received' AND received_at < now()", 50},
		"overdue":                 {"SELECT count(*) FROM workspace.purchase_order_lines WHERE status IN ('ordered', 'partially_received') AND expected_arrival_date < now()", 5},
		"unresolved":              {"SELECT count(*) FROM workspace.purchase_order_lines WHERE product_name IS NULL", 6},
		"waiting for their order": {"SELECT count(*) FROM workspace.order_line_items WHERE order_id IS NULL", 5},
		"linked to their order":   {"SELECT count(*) FROM workspace.order_line_items WHERE order_id IS NOT NULL", 850},
		"currencies":              {"SELECT count(DISTINCT currency) FROM workspace.orders", 2},
		"buying currencies":       {"SELECT count(DISTINCT currency) FROM workspace.purchase_order_lines", 2},
		"kinds of failures":       {"SELECT count(DISTINCT code) FROM workspace.failed_imports", 6},
		"fixable by mapping":      {`SELECT count(*) FROM workspace.failed_imports WHERE convert_from(payload, 'UTF8') LIKE '%"qty"%' AND code = 'required'`, 10},
		"hours with orders": {"SELECT count(*) FROM workspace.source_hours WHERE slug = 'orders' AND accepted > 0",
			16},
		"alerts":                     {"SELECT count(*) FROM workspace.alerts WHERE rule = 'new_failures'", 6},
		"keys that were used":        {"SELECT count(*) FROM workspace.key_figures", 3},
		"months with completed sale": {"SELECT count(DISTINCT date_trunc('month', ordered_at)) FROM workspace.orders WHERE status = 'completed'", 9},
	} {
		require.GreaterOrEqual(t, read[int](t, db, tt.count), tt.least, about)
	}
	require.Empty(t, read[string](t, db, wrongFigures))
	require.Zero(t, read[int](t, db, `SELECT count(*) FROM workspace.receipts r
		JOIN workspace.purchase_order_lines l ON l.tenant_id = r.tenant_id AND l.id = r.line_id
		JOIN workspace.products p ON p.tenant_id = l.tenant_id AND p.sku = l.sku
		WHERE r.created_at >= p.stock_updated_at`), "stock includes the receipts")

	// It serves, and everybody gets in.
	process := rig.ServeWith(t, server.Env, "demo", "--small")
	require.Contains(t, process.Log(), process.URL)
	require.Contains(t, process.Log(), "cannot be shown again")
	for _, login := range shown.Logins {
		response, err := http.Post(process.URL+"/api/app/session", "application/json",
			strings.NewReader(`{"email": "`+login.Email+`", "password": "`+shown.Password+`"}`))
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusOK, response.StatusCode, login.Email)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		process.URL+"/api/ingest/suppliers?dry_run=true", strings.NewReader(`{"external_id": "SUP-40", "name": "Mine"}`))
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+shown.Key)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Zero(t, process.Terminate())

	var again demoOutput
	rig.Run(t, server.Env, "demo", "--small", "--no-serve", "--json").Decode(t, &again)
	require.Empty(t, again.Key, "a key is shown once")
	require.Equal(t, shown.Logins, again.Logins)
	require.Equal(t, filled, read[map[string]int](t, db, demoCounts), "nothing is filled twice")

	larger := rig.Run(t, server.Env, "demo", "--scale", "2", "--no-serve")
	require.Equal(t, 1, larger.Code)
	require.Contains(t, larger.Stderr, "quayside demo reset")
	for _, wrong := range [][]string{{"--scale", "0"}, {"--scale", "113"}, {"--small", "--truth", "x"}, {"--live", "--no-serve"}} {
		require.Equal(t, 2, rig.Run(t, server.Env, append([]string{"demo"}, wrong...)...).Code, wrong)
	}
}

// TestDemoAmongOthers leaves a database with other data alone unless told otherwise, and
// completes a demo that was interrupted.
func TestDemoAmongOthers(t *testing.T) {
	t.Parallel()
	server := rig.NewMigrated(t)
	require.Zero(t, rig.Run(t, server.Env, "tenant", "create", "--name", "Acme").Code)
	db := connect(t, server.AdminURL())
	before := read[map[string]int](t, db, demoCounts)

	refused := rig.Run(t, server.Env, "demo", "--small", "--no-serve")
	require.Equal(t, 1, refused.Code)
	require.Contains(t, refused.Stderr, `another company, "Acme"; use an empty database`)
	require.Empty(t, refused.Stdout)
	require.Equal(t, before, read[map[string]int](t, db, demoCounts))

	var shown, resumed demoOutput
	rig.Run(t, server.Env, "demo", "--small", "--no-serve", "--into-existing", "--json").Decode(t, &shown)
	filled := read[map[string]int](t, db, demoCounts)
	require.Equal(t, 2, filled["tenants"])

	// As if it had ended before the last steps.
	_, err := db.Exec(t.Context(), "DELETE FROM control.memberships; DELETE FROM workspace.meeting_notes")
	require.NoError(t, err)
	_, err = db.Exec(t.Context(), "UPDATE workspace.source_figures SET rows = 0 WHERE slug = 'meeting_notes'")
	require.NoError(t, err)
	rig.Run(t, server.Env, "demo", "--small", "--no-serve", "--json").Decode(t, &resumed)
	require.Equal(t, shown.Tenant, resumed.Tenant)
	require.NotEmpty(t, resumed.Key)
	require.NotEqual(t, shown.Key, resumed.Key)
	completed := read[map[string]int](t, db, demoCounts)
	for _, history := range []string{"events", "stock_history"} { // records sent again add to the history
		require.GreaterOrEqual(t, completed[history], filled[history])
		delete(completed, history)
		delete(filled, history)
	}
	require.Equal(t, filled, completed)
	require.Empty(t, read[string](t, db, wrongFigures))
}

// catalogue is all that protects the tables: row security, triggers and constraints. Removing a
// company leaves it as it was.
const catalogue = `SELECT jsonb_build_array(
	(SELECT jsonb_object_agg(c.oid::regclass, jsonb_build_array(c.relrowsecurity, c.relforcerowsecurity)) FROM pg_class c
	 WHERE relnamespace IN ('control'::regnamespace, 'workspace'::regnamespace) AND relkind IN ('r', 'p')),
	(SELECT jsonb_object_agg(tgrelid::regclass || ' ' || tgname, tgenabled) FROM pg_trigger WHERE NOT tgisinternal),
	(SELECT jsonb_object_agg(conrelid::regclass || ' ' || conname, pg_get_constraintdef(oid)) FROM pg_constraint
	 WHERE connamespace IN ('control'::regnamespace, 'workspace'::regnamespace)))::text`

// ofTenant counts the rows of a tenant in all tables.
const ofTenant = `SELECT coalesce(sum((xpath('/row/n/text()', query_to_xml(format(
	'SELECT count(*) AS n FROM %s WHERE tenant_id = %L', a.attrelid::regclass, $1::text), true, true, '')))[1]::text::int), 0)::int
	FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid WHERE a.attname = 'tenant_id' AND c.relkind IN ('r', 'p')
	AND c.relnamespace IN ('control'::regnamespace, 'workspace'::regnamespace) AND NOT c.relispartition`

// TestDemoLiveAndReset waits for a live order, then removes the demo, but nothing else.
func TestDemoLiveAndReset(t *testing.T) {
	t.Parallel()
	server := rig.NewMigrated(t)
	require.Zero(t, rig.Run(t, server.Env, "tenant", "create", "--name", "Acme").Code)
	db := connect(t, server.AdminURL())
	protected := read[string](t, db, catalogue)
	process := rig.ServeWith(t, server.Env, "demo", "--small", "--live", "--into-existing")
	require.Eventually(t, func() bool {
		return read[int](t, db, `SELECT count(*) FROM workspace.order_line_items l JOIN workspace.orders o
			ON o.tenant_id = l.tenant_id AND o.id = l.order_id AND o.ordered_at::date = now()::date`) > 0
	}, 3*time.Minute, 100*time.Millisecond)
	require.Zero(t, process.Terminate())

	demo := read[string](t, db, "SELECT id FROM control.tenants WHERE name = 'Harbour Goods'")
	acme := read[string](t, db, "SELECT id FROM control.tenants WHERE name = 'Acme'")
	rows := func(tenant string) (n int) {
		require.NoError(t, db.QueryRow(t.Context(), ofTenant, tenant).Scan(&n))
		return n
	}
	require.Greater(t, rows(demo), 5000)
	others := rows(acme)
	require.Positive(t, others)
	reset := rig.Run(t, server.Env, "demo", "reset")
	require.Zero(t, reset.Code, reset.Stderr)
	require.Contains(t, reset.Stderr, "Harbour Goods is removed")
	require.Zero(t, rows(demo))
	require.Equal(t, others, rows(acme))
	require.Equal(t, 1, read[int](t, db, "SELECT count(*) FROM control.tenants"))
	require.Equal(t, protected, read[string](t, db, catalogue))

	require.Contains(t, rig.Run(t, server.Env, "demo", "reset").Stderr, "no demo to remove")
	require.Zero(t, rig.Run(t, server.Env, "demo", "--small", "--no-serve", "--into-existing").Code)
}

func connect(t *testing.T, address string) *pgx.Conn {
	t.Helper()
	db, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close(t.Context()) })
	return db
}

// read returns the one value of a query.
func read[T any](t *testing.T, db *pgx.Conn, query string) (value T) {
	t.Helper()
	require.NoError(t, db.QueryRow(t.Context(), query).Scan(&value), query)
	return value
}
