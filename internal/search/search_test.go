package search

import (
	"context"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// stage is a company with records to search.
type stage struct {
	t      testing.TB
	db     *pgtest.DB
	tenant pgtest.Tenant
	by     auth.Principal
}

func newStage(t testing.TB, db *pgtest.DB) stage {
	t.Helper()
	tenant := pgtest.NewTenant(t, db)
	return stage{t, db, tenant,
		auth.Principal{Tenant: tenant.ID, Workspace: tenant.Workspace, Role: auth.Viewer, Person: uuid.New()}}
}

// exec runs one statement as the service does. $1 and $2 are tenant and workspace.
func (st stage) exec(sql string, args ...any) {
	st.t.Helper()
	require.NoError(st.t, st.db.InTenant(st.t.Context(), st.tenant.ID, func(tx pgx.Tx) error {
		_, err := tx.Exec(st.t.Context(), sql, append([]any{st.tenant.ID, st.tenant.Workspace}, args...)...)
		return err
	}))
}

func (st stage) product(id, sku, name string) {
	st.t.Helper()
	st.exec("INSERT INTO workspace.products (tenant_id, workspace_id, id, sku, name) VALUES ($1, $2, $3, $4, $5)", id, sku,
		name)
}

func (st stage) supplier(id, name string) {
	st.t.Helper()
	st.exec("INSERT INTO workspace.suppliers (tenant_id, workspace_id, id, external_id, name) VALUES ($1, $2, $3, 'x-' || $3, $4)", id, name)
}

// finds returns the hits of a search, as kind and id.
func (st stage) finds(said string) string {
	st.t.Helper()
	found, err := New(st.db.Cells).Find(st.t.Context(), st.by, said)
	require.NoError(st.t, err)
	var hits []string
	for _, hit := range found.Hits {
		hits = append(hits, string(hit.Kind)+" "+hit.ID)
	}
	return strings.Join(hits, ", ")
}

// TestTokens checks the words that records are found by. PostgreSQL has the only definition.
func TestTokens(t *testing.T) {
	t.Parallel()
	admin := pgtest.New(t).Admin(t)
	for _, tt := range []struct {
		codes []string
		names string
		want  string
	}{
		{nil, "", ""},
		{nil, "  — … ", ""},
		{nil, "Linen Shirt, blue/white (M)", "linen shirt blue white m"},
		{nil, "Crème BRÛLÉE Ångström İstanbul Straße ﬁt ½", "creme brulee angstrom istanbul straße fit 1 2"},
		{nil, "日本語 Тест", "日本語 тест"},
		{nil, strings.Repeat("x", 70) + " y", strings.Repeat("x", 64) + " y"},
		{nil, strings.Repeat("a ", 20), strings.TrimSpace(strings.Repeat("a ", 16))},
		{[]string{"AB-12-XL"}, "", "#ab12xl #12xl #xl"},
		{[]string{"PO-2024/0017-M"}, "", "#po20240017m #20240017m #0017m"},
		{[]string{"--", "4006381333931"}, "", "#4006381333931"},
		{[]string{"a-b-c-d-e-f"}, "", "#abcdef #bcdef #cdef #def"},
		{[]string{strings.Repeat("9", 70)}, "", "#" + strings.Repeat("9", 64)},
	} {
		var tokens []string
		require.NoError(t, admin.QueryRow(t.Context(), "SELECT workspace.tokens_of($1::text[] || NULL::text, $2)",
			append([]string{}, tt.codes...), tt.names).Scan(&tokens))
		require.Equal(t, tt.want, strings.Join(tokens, " "), "%q %q", tt.codes, tt.names)
	}
}

// TestFind searches by the beginning of a code, of a part of it, of any word of a name, and by
// several words.
func TestFind(t *testing.T) {
	t.Parallel()
	st := newStage(t, pgtest.New(t))
	st.product("p1", "LS-104-XL", "Linen shirt Crème")
	st.product("p2", "LS-1045", "Wool shirt")
	st.product("p3", "SHIRT", "Bolt")
	st.supplier("s1", "Shirtworks Ärmel & Co. GmbH")
	st.exec("INSERT INTO workspace.customers (tenant_id, workspace_id, id, external_id, email) VALUES ($1, $2, 'c1', 'C-9', 'anna@wool.example')")
	st.exec("INSERT INTO workspace.orders (tenant_id, workspace_id, id, external_id, order_number, ordered_at, status, currency, total) VALUES ($1, $2, 'o1', '77', '#1042', now(), 'open', 'EUR', 1)")
	st.exec("INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, external_id, order_no, sku, quantity_ordered) VALUES ($1, $2, 'l1', 'PO-1042', 'X', 1)")
	for said, want := range map[string]string{
		"PO-10":           "purchase_order PO-1042",
		"po1042":          "purchase_order PO-1042",
		"1042":            "purchase_order PO-1042, order o1",
		"ls-104":          "product p2, product p1",
		"LS104X":          "product p1",
		"ls/104 xl":       "product p1",
		"104xl":           "product p1",
		"shirt":           "product p3, product p1, product p2, supplier s1",
		"shirt wool":      "product p2",
		"wool shirt":      "product p2",
		"lin shi":         "product p1",
		"creme":           "product p1",
		"CRÈME shirt":     "product p1",
		"armel":           "supplier s1",
		"gmbh shirtw":     "supplier s1",
		"anna@wool":       "customer c1",
		"wool.ex":         "customer c1",
		"linen wool":      "",
		"hirt":            "",
		"  ":              "",
		"-":               "",
		"purchase order":  "table purchase_order_lines",
		"p":               "purchase_order PO-1042, table products, table purchase_order_lines",
		"shirt shirt shi": "supplier s1, product p3, product p1, product p2",
	} {
		require.Equal(t, want, st.finds(said), said)
	}
	found, err := New(st.db.Cells).Find(t.Context(), st.by, "ls-104-xl")
	require.NoError(t, err)
	require.Equal(t, Found{Hits: []Hit{{Kind: Product, ID: "p1", Table: "products", Label: "Linen shirt Crème",
		Code: "LS-104-XL"}}}, found)
}

// TestTokensFollow checks that tokens change with the record and are deleted with it. After
// every test, the tokens are compared with the records.
func TestTokensFollow(t *testing.T) {
	t.Parallel()
	st := newStage(t, pgtest.New(t))
	st.product("p1", "A-1", "Old name")
	st.exec("UPDATE workspace.products SET name = 'New name', barcode = '4006' WHERE tenant_id = $1 AND workspace_id = $2")
	require.Empty(t, st.finds("old"))
	require.Equal(t, "product p1", st.finds("new"))
	require.Equal(t, "product p1", st.finds("400"))

	// An update of columns that are not searched writes no token.
	version := func() (version string) {
		require.NoError(t, st.db.Admin(t).QueryRow(t.Context(),
			"SELECT string_agg(xmin::text || ctid::text, ' ' ORDER BY token) FROM workspace.search_tokens").Scan(&version))
		return version
	}
	before := version()
	st.exec("UPDATE workspace.products SET price = 5, name = name WHERE tenant_id = $1 AND workspace_id = $2")
	require.Equal(t, before, version())

	// An order is found while it has lines, a failed import while it is open.
	st.exec("INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, external_id, order_no, sku, quantity_ordered) VALUES ($1, $2, 'l1', 'PO-1', 'X', 1)")
	st.exec("UPDATE workspace.purchase_order_lines SET order_no = 'PO-2' WHERE tenant_id = $1 AND workspace_id = $2")
	require.Equal(t, "purchase_order PO-2", st.finds("po"))
	failure := uuid.New()
	st.exec(`INSERT INTO workspace.failed_imports (tenant_id, workspace_id, id, slug, http_status, code, message, payload, payload_hash, key_id, request_id, record_key)
		VALUES ($1, $2, $3, 'orders', 422, 'required', 'm', '', sha256(''), $3, 'r', 'EXT-5')`, failure)
	require.Equal(t, "failed_import "+failure.String(), st.finds("ext-5"))
	st.exec("UPDATE workspace.failed_imports SET status = 'ignored', closed_at = now() WHERE tenant_id = $1 AND workspace_id = $2")
	require.Empty(t, st.finds("ext-5"))

	_, err := st.db.Admin(t).Exec(t.Context(), "DELETE FROM workspace.products")
	require.NoError(t, err)
	require.Empty(t, st.finds("new"))
}

// TestWrongTokensAreNoticed checks that the check after every test can fail.
func TestWrongTokensAreNoticed(t *testing.T) {
	t.Parallel()
	st := newStage(t, pgtest.New(t))
	st.supplier("s1", "Mill")
	wrong := func() (wrong []string) {
		require.NoError(t, st.db.InTenant(t.Context(), st.tenant.ID, func(tx pgx.Tx) (err error) {
			wrong, err = pgtest.WrongTokens(t.Context(), tx, st.tenant.ID)
			return err
		}))
		return wrong
	}
	require.Empty(t, wrong())
	swap := func(from, to string) {
		st.exec(`WITH gone AS (DELETE FROM workspace.search_tokens WHERE tenant_id = $1 AND workspace_id = $2 AND token = $3 RETURNING *)
			INSERT INTO workspace.search_tokens SELECT tenant_id, workspace_id, kind, $4, record_id FROM gone`, from, to)
	}
	swap("mill", "millx")
	require.Equal(t, []string{`the search finds suppliers s1 by
  ["#s1" "#xs1" "millx"], and should find it by
  ["#s1" "#xs1" "mill"]`}, wrong())
	swap("millx", "mill")
}

// TestFindIsolated checks that nobody finds records of another company or workspace, another
// person's private views, or failed imports that they may not see.
func TestFindIsolated(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	ours, theirs := newStage(t, db), newStage(t, db)
	theirs.supplier("s1", "Canary")
	require.Empty(t, ours.finds("canary"))
	require.Equal(t, "supplier s1", theirs.finds("canary"))
	elsewhere := theirs
	elsewhere.by.Workspace = uuid.New()
	require.Empty(t, elsewhere.finds("canary"))

	own, other := uuid.New(), uuid.New()
	for id, owner := range map[uuid.UUID]uuid.UUID{own: theirs.by.Person, other: uuid.New()} {
		theirs.exec(`INSERT INTO workspace.saved_views (tenant_id, workspace_id, id, slug, name, definition, owner_id) VALUES ($1, $2, $3, 'products', 'Late ones', '{}', $4)`, id, owner)
	}
	require.Equal(t, "view "+own.String(), theirs.finds("late"))
	theirs.exec("UPDATE workspace.saved_views SET shared = true WHERE tenant_id = $1 AND workspace_id = $2")
	require.Len(t, strings.Split(theirs.finds("late"), ", "), 2)

	// A view of a list is found, with its address, by those who may read the list.
	list := uuid.New()
	for list, id := range map[string]uuid.UUID{"audit": uuid.New(), "purchase-orders": list} {
		theirs.exec(`INSERT INTO workspace.saved_views (tenant_id, workspace_id, id, list, slug, name, definition, owner_id, shared)
			VALUES ($1, $2, $3, true, $4, 'Tardy ' || $4, '{"search":{"tab":"overdue"}}', $3, true)`, id, list)
	}
	found, err := New(db.Cells).Find(t.Context(), theirs.by, "tardy")
	require.NoError(t, err)
	require.Equal(t, []Hit{{Kind: View, ID: list.String(), Label: "Tardy purchase-orders", List: "purchase-orders",
		Search: map[string]string{"tab": "overdue"}}}, found.Hits)
	admin := theirs.by
	admin.Role = auth.CompanyAdmin
	found, err = New(db.Cells).Find(t.Context(), admin, "tardy")
	require.NoError(t, err)
	require.Len(t, found.Hits, 2)
	require.Empty(t, ours.finds("tardy"))

	_, err = New(db.Cells).Find(t.Context(), auth.Principal{Tenant: theirs.tenant.ID, Workspace: theirs.tenant.Workspace},
		"canary")
	require.True(t, fault.Is(err, fault.Forbidden), err)
	for said, code := range map[string]string{"a\x00b": "nul", strings.Repeat("x", 201): "too_long"} {
		_, err := New(db.Cells).Find(t.Context(), theirs.by, said)
		require.True(t, fault.HasCode(err, code), err)
	}
}

// TestFindFailedImports checks who finds failed imports: every role of people and agents, and a token only with the
// scope for them. What else has the word is found without it.
func TestFindFailedImports(t *testing.T) {
	t.Parallel()
	st := newStage(t, pgtest.New(t))
	st.supplier("s1", "Canary")
	failure := uuid.New()
	st.exec(`INSERT INTO workspace.failed_imports (tenant_id, workspace_id, id, slug, http_status, code, message, payload, payload_hash, key_id, request_id, record_key)
		VALUES ($1, $2, $3, 'suppliers', 422, 'required', 'm', '', sha256(''), $3, 'r', 'canary')`, failure)
	supplier, both := "supplier s1", "failed_import "+failure.String()+", supplier s1"
	for _, role := range []auth.Role{auth.CompanyAdmin, auth.Approver, auth.Buyer, auth.Viewer, auth.Agent} {
		st.by.Role, st.by.Token, st.by.Scopes = role, uuid.Nil, nil
		require.Equal(t, both, st.finds("canary"), role)
		st.by.Token = uuid.New()
		for _, tt := range []struct {
			scopes []auth.Scope
			want   string
		}{
			{[]auth.Scope{auth.ScopeRead}, supplier},
			{[]auth.Scope{auth.ScopeRead, auth.ScopeWrite, auth.ScopeAdmin}, supplier},
			{[]auth.Scope{auth.ScopeRead, auth.ScopeFailures}, both},
			{auth.Scopes(), both},
		} {
			st.by.Scopes = tt.scopes
			require.Equal(t, tt.want, st.finds("canary"), "%s with %s", role, tt.scopes)
		}
		st.by.Scopes = []auth.Scope{auth.ScopeFailures}
		_, err := New(st.db.Cells).Find(t.Context(), st.by, "canary")
		require.True(t, fault.HasCode(err, "missing_scope"), "%v", err)
	}
	st.by = auth.Connection(st.tenant.ID, st.tenant.Workspace, uuid.New(), time.UTC)
	require.Equal(t, supplier, st.finds("canary"), "a sync")
}

// TestFindIsBounded checks that a search returns 20 hits, with some of every kind, and says
// that there are more.
func TestFindIsBounded(t *testing.T) {
	t.Parallel()
	st := newStage(t, pgtest.New(t))
	st.exec(`INSERT INTO workspace.products (tenant_id, workspace_id, id, sku, name) SELECT $1, $2, 'p' || n, 'mill' || n, 'Mill wheel ' || n FROM generate_series(1, 1500) n`)
	st.supplier("s1", "Old mill")
	st.supplier("s2", "Millworks")
	for _, said := range []string{"m", "mill", "mill wheel"} {
		found, err := New(st.db.Cells).Find(t.Context(), st.by, said)
		require.NoError(t, err)
		require.True(t, found.More, said)
		require.Len(t, found.Hits, mostHits, said)
		if said != "mill wheel" {
			require.True(t, slices.ContainsFunc(found.Hits, func(hit Hit) bool { return hit.ID == "s1" }), said)
		}
	}
	require.Equal(t, "product p1234", st.finds("mill wheel 1234"), "a rare word leads")
	require.Equal(t, "supplier s1", st.finds("mill old"))
}

// TestFindAtSize measures searches among QUAYSIDE_SEARCH_ROWS products of one workspace.
func TestFindAtSize(t *testing.T) {
	rows, _ := strconv.Atoi(os.Getenv("QUAYSIDE_SEARCH_ROWS"))
	if rows == 0 {
		t.Skip("set QUAYSIDE_SEARCH_ROWS, such as 1000000")
	}
	t.Parallel() // nothing runs beside it
	db := pgtest.New(t)
	// The tokens of this tenant are not checked at the end, which would take longer than the
	// test.
	st := stage{t: t, db: db, tenant: pgtest.Tenant{ID: uuid.New(), Workspace: uuid.New()}}
	st.by = auth.Principal{Tenant: st.tenant.ID, Workspace: st.tenant.Workspace, Role: auth.Viewer, Person: uuid.New()}
	for from := 1; from <= rows; from += 10_000 {
		st.exec(`INSERT INTO workspace.products (tenant_id, workspace_id, sku, barcode, external_id, name, variant_name)
			SELECT $1, $2, format('SKU-%s-%s', lpad(n::text, 7, '0'), (ARRAY['S', 'M', 'L', 'XL'])[1 + n % 4]), 4006381000000 + n, 8000000000000 + n,
				concat_ws(' ', (ARRAY['Organic', 'Classic', 'Vintage', 'Premium', 'Slim', 'Heavy', 'Light', 'Summer', 'Winter', 'Urban'])[1 + n % 10],
					(ARRAY['Cotton', 'Wool', 'Linen', 'Steel', 'Oak', 'Leather', 'Denim', 'Silk', 'Canvas', 'Copper'])[1 + (n / 10) % 10],
					(ARRAY['Shirt', 'Jacket', 'Lamp', 'Chair', 'Bolt', 'Bag', 'Shoe'])[1 + (n / 100) % 7], n),
				CASE n % 3 WHEN 0 THEN 'Blue' WHEN 1 THEN 'Red' END
			FROM generate_series($3::int, $4::int) n`, from, min(from+9_999, rows))
	}
	_, err := db.Admin(t).Exec(t.Context(), "VACUUM ANALYZE workspace.products, workspace.search_tokens")
	require.NoError(t, err)
	service := New(db.Cells)
	for _, said := range []string{"s", "shirt", "sku", "SKU-0500000", "4006381123456", "cotton shirt", "cotton shirt blue",
		"organic cotton shirt 700", "silk nothing", "zzz"} {
		var took []time.Duration
		var found Found
		for range 200 {
			start := time.Now()
			found, err = service.Find(context.WithoutCancel(t.Context()), st.by, said)
			took = append(took, time.Since(start))
			require.NoError(t, err)
		}
		slices.Sort(took)
		t.Logf("%-26s %2d hits  p50 %8s  p95 %8s  max %8s", said, len(found.Hits), took[100].Round(10*time.Microsecond),
			took[190].Round(10*time.Microsecond), took[199].Round(10*time.Microsecond))
		require.Less(t, took[190], 100*time.Millisecond, said)
	}
}
