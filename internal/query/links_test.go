package query

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/pg/pgtest"
)

// shopped is a stage with an order of a customer, and products of suppliers.
func shopped(t *testing.T) *stage {
	t.Helper()
	st := newStage(t)
	st.write("customers", `{"external_id":"c1","name":"Ada Lovelace","email":"ada@example.com"}`)
	st.write("customers", `{"external_id":"c2","email":"nameless@example.com"}`)
	st.write("suppliers", `{"external_id":"SUP-7","name":"Harbour Teas"}`)
	st.write("suppliers", `{"external_id":"Plain","name":"Plain"}`)
	st.write("products", `{"sku":"TEA-100","name":"Earl Grey","supplier_id":"SUP-7"}`)
	st.write("products", `{"sku":"TEA-200","name":"Assam","supplier_id":"Plain"}`)
	st.write("products", `{"sku":"TEA-300","name":"Darjeeling"}`)
	st.write("orders", `{"external_id":"o1","order_number":"#1001","ordered_at":"2026-03-14T09:30:00Z","status":"open","currency":"EUR","total":1,"customer_id":"c1"}`)
	st.write("orders", `{"external_id":"o2","ordered_at":"2026-03-14T09:30:00Z","status":"open","currency":"EUR","total":1,"customer_id":"c2"}`)
	st.write("meeting_notes",
		`{"external_id":"m1","title":"Spring","started_at":"2026-03-14T09:30:00Z","customer_id":"c1","supplier_id":"SUP-7"}`)
	return st
}

// linked returns the names that a page gives for a field, in the order of the rows.
func linked(t *testing.T, page Page, field string) (names []Label) {
	t.Helper()
	for _, row := range page.Rows {
		id, _ := values(t, row)[field].(string)
		names = append(names, page.Links[field][id])
	}
	return names
}

func TestLinksAreNamed(t *testing.T) {
	t.Parallel()
	st := shopped(t)
	orders, err := st.s.Rows(t.Context(), st.by(), Request{ViewSlug: "orders"})
	require.NoError(t, err)
	require.Equal(t, []Label{{"Ada Lovelace", ""}, {"nameless@example.com", ""}}, linked(t, orders, "customer_id"))

	products, err := st.s.Rows(t.Context(), st.by(),
		Request{ViewSlug: "products", SelectFields: []string{"sku", "supplier_id"}})
	require.NoError(t, err)
	require.Equal(t, []Label{{"Harbour Teas", "SUP-7"}, {"Plain", ""}, {}}, linked(t, products, "supplier_id"),
		"a code that is the name is said once")
	require.Len(t, products.Links["supplier_id"], 2)

	st.write("order_line_items", `{"external_id":"l1","order_id":"o1","product_id":"TEA-200","name":"Tea","quantity":1,"unit_price":1}`)
	st.exec(`INSERT INTO workspace.article_aliases (tenant_id, workspace_id, name, product_id)
		SELECT d.tenant_id, d.workspace_id, d.id, o.id FROM workspace.products d JOIN workspace.products o ON o.sku = 'TEA-100' WHERE d.sku = 'TEA-200'`)
	st.exec("UPDATE workspace.products SET merged_into = id, sku = NULL WHERE sku = 'TEA-200'")
	lines, err := st.s.Rows(t.Context(), st.by(), Request{ViewSlug: "order_line_items"})
	require.NoError(t, err)
	require.Equal(t, []Label{{"Earl Grey", "TEA-100"}}, linked(t, lines, "product_id"), "it was merged")

	notes, err := st.s.Rows(t.Context(), st.by(), Request{ViewSlug: "meeting_notes"})
	require.NoError(t, err)
	require.Equal(t, []Label{{"Ada Lovelace", ""}}, linked(t, notes, "customer_id"))
	require.Equal(t, []Label{{"Harbour Teas", "SUP-7"}}, linked(t, notes, "supplier_id"))

	one, err := st.s.Get(t.Context(), st.by(), "meeting_notes", notes.Rows[0].ID, Parameters{})
	require.NoError(t, err)
	require.Equal(t, notes.Links, one.Links)
}

// TestLinksOfOwnTables checks links from and to a company's own table.
func TestLinksOfOwnTables(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.exec("INSERT INTO workspace.registry_columns (tenant_id, slug, name, position, type, reference) VALUES ($1, 'things', 'other', 20, 'text', 'things')", st.tenant.ID)
	st.write("things", `{"external_id":"a","words":"The first"}`)
	st.write("things", `{"external_id":"b","other":"a"}`)
	st.write("things", `{"external_id":"c","other":"b"}`)
	page, err := st.s.Rows(t.Context(), st.by(), Request{ViewSlug: "things"})
	require.NoError(t, err)
	require.Equal(t, []Label{{}, {"The first", "a"}, {"b", ""}}, linked(t, page, "other"))
}

// TestLinksLeadNowhere checks that ids of deleted records, or of records of another workspace
// or company, have no name, however they came into the row.
func TestLinksLeadNowhere(t *testing.T) {
	t.Parallel()
	st := shopped(t)
	ours := st.tenant
	stranger := pgtest.NewTenant(t, st.db)
	second := pgtest.Tenant{ID: ours.ID, Workspace: uuid.Must(uuid.NewV7())}
	st.exec("INSERT INTO control.workspaces (tenant_id, id, name) VALUES ($1, $2, 'Second')", second.ID, second.Workspace)
	var foreign []string
	for _, place := range []pgtest.Tenant{stranger, second} {
		st.tenant = place
		st.write("customers", `{"external_id":"canary-`+place.Workspace.String()+`","name":"canary"}`)
		found, err := st.s.Rows(t.Context(), st.by(), Request{ViewSlug: "customers", Filters: []byte(`{"name":"canary"}`)})
		require.NoError(t, err)
		require.Len(t, found.Rows, 1)
		foreign = append(foreign, found.Rows[0].ID)
	}
	st.tenant = ours
	st.exec("SET session_replication_role = replica") // without foreign keys, which would refuse some of these rows
	for _, id := range append(foreign, "gone", "") {
		st.exec("UPDATE workspace.orders SET customer_id = $2 WHERE tenant_id = $1", ours.ID, id)
		page, err := st.s.Rows(t.Context(), st.by(), Request{ViewSlug: "orders"})
		require.NoError(t, err)
		require.Len(t, page.Rows, 2)
		require.Equal(t, Links{"customer_id": {}}, page.Links)
		one, err := st.s.Get(t.Context(), st.by(), "orders", page.Rows[0].ID, Parameters{})
		require.NoError(t, err)
		require.Equal(t, Links{"customer_id": {}}, one.Links)
		text, err := json.Marshal(one)
		require.NoError(t, err)
		require.NotContains(t, string(text), "canary\"")
	}
}

// TestNoLinksNoStatement checks that no names are looked up where no selected field refers to
// a record.
func TestNoLinksNoStatement(t *testing.T) {
	t.Parallel()
	st := shopped(t)
	for _, tt := range []struct {
		request Request
		tables  []string
	}{
		{Request{ViewSlug: "customers", linked: true}, nil},
		{Request{ViewSlug: "orders", SelectFields: []string{"status"}, linked: true}, nil},
		{Request{ViewSlug: "orders"}, nil}, // a count, an export
		{Request{ViewSlug: "meeting_notes", SelectFields: []string{"supplier_id"}, linked: true}, []string{"suppliers"}},
	} {
		err := st.s.reading(t.Context(), st.by(), tt.request, pageTimeout, func(tx pgx.Tx, p plan) error {
			for slug := range p.referred {
				require.Contains(t, tt.tables, slug)
			}
			require.Len(t, p.referred, len(tt.tables))
			page := &pageReader{plan: p, most: 10}
			require.NoError(t, page.run(t.Context(), tx, p.pages(11)[0]))
			require.NotEmpty(t, page.rows)
			if tt.tables == nil {
				links, err := page.labels(t.Context(), nil) // without a transaction a statement would panic
				require.NoError(t, err)
				for _, named := range links {
					require.Empty(t, named)
				}
			}
			return nil
		})
		require.NoError(t, err)
	}
}

// TestLinkPlan checks that names are looked up by primary key.
func TestLinkPlan(t *testing.T) {
	t.Parallel()
	st := shopped(t)
	st.exec(`INSERT INTO workspace.customers (tenant_id, workspace_id, external_id, name) SELECT $1, $2, 'x' || n, 'name ' || n FROM generate_series(1, 20000) n`, st.tenant.ID, st.tenant.Workspace)
	st.exec("ANALYZE workspace.customers")
	page, err := st.s.Rows(t.Context(), st.by(), Request{ViewSlug: "customers", Limit: 200})
	require.NoError(t, err)
	var ids []string
	for _, row := range page.Rows {
		ids = append(ids, row.ID)
	}
	slices.Sort(ids)
	plans := st.explainPages(Request{ViewSlug: "orders", linked: true}, func(p plan) []statement {
		return []statement{p.naming(p.referred["customers"], ids)}
	})
	require.Contains(t, plans[0].indexes(), "customers_pkey")
	require.LessOrEqual(t, plans[0].touched(), 200.0)
}
