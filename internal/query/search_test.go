package query

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// skus returns the SKUs of all products that a request finds, in order.
func (st *stage) skus(request Request) (skus []string) {
	st.t.Helper()
	request.ViewSlug, request.SelectFields = "products", []string{"sku"}
	for {
		page, err := st.s.Rows(st.t.Context(), st.by(), request)
		require.NoError(st.t, err)
		for _, row := range page.Rows {
			skus = append(skus, fmt.Sprint(values(st.t, row)["sku"]))
		}
		if request.Cursor = page.NextCursor; request.Cursor == "" {
			return skus
		}
	}
}

// TestSearchInRows checks that a search narrows a table, and that filters, order and pages
// apply to what it found.
func TestSearchInRows(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.exec("INSERT INTO control.workspaces (tenant_id, id, name) VALUES ($1, $2, 'Second')", st.tenant.ID, uuid.Max)
	places := []pgtest.Tenant{st.tenant, {ID: st.tenant.ID, Workspace: uuid.Max}, pgtest.NewTenant(t, st.db)}
	for i, place := range places {
		st.tenant = place
		for _, product := range []string{`"sku":"AB-1%d","name":"Linen shirt","price":3`,
			`"sku":"AB-2%d","name":"Linen trousers","price":2`, `"sku":"CD-1%d","name":"Cotton shirt","price":1`} {
			st.write("products", fmt.Sprintf("{"+product+"}", i))
		}
	}
	st.tenant = places[0]
	for _, tt := range []struct {
		request Request
		want    string
	}{
		{Request{}, "AB-10 AB-20 CD-10"},
		{Request{Search: "  "}, "AB-10 AB-20 CD-10"},
		{Request{Search: "LIN"}, "AB-10 AB-20"},
		{Request{Search: "linen", SortBy: "price"}, "AB-20 AB-10"},
		{Request{Search: "linen", SortBy: "price", Limit: 1}, "AB-20 AB-10"},
		{Request{Search: "shirt", SortDesc: true}, "CD-10 AB-10"},
		{Request{Search: "shirt linen"}, "AB-10"},
		{Request{Search: "ab1"}, "AB-10"},
		{Request{Search: "shirt", Filters: []byte(`{"price":{"lt":2}}`)}, "CD-10"},
		{Request{Search: "silk"}, ""},
		{Request{Search: "…"}, ""},
	} {
		require.Equal(t, tt.want, strings.Join(st.skus(tt.request), " "), "%+v", tt.request)
	}
	count, err := st.s.Count(t.Context(), st.by(), Request{ViewSlug: "products", Search: "shirt"})
	require.NoError(t, err)
	require.Equal(t, Count{Rows: 2}, count)
	var file strings.Builder
	exported, err := st.s.Export(t.Context(), st.by(), Request{ViewSlug: "products", Search: "shirt"}, &file)
	require.NoError(t, err)
	require.Equal(t, int64(2), exported)

	page, err := st.s.Rows(t.Context(), st.by(), Request{ViewSlug: "products", Search: "shirt", Limit: 1})
	require.NoError(t, err)
	_, err = st.s.Rows(t.Context(), st.by(),
		Request{ViewSlug: "products", Search: "linen", Limit: 1, Cursor: page.NextCursor})
	require.True(t, fault.HasCode(err, "cursor"), err)
	for slug, said := range map[string]string{"order_line_items": "x", "things": "x", "gauges": "x"} {
		_, err := st.s.Rows(t.Context(), st.by(), Request{ViewSlug: slug, Search: said})
		require.True(t, fault.HasCode(err, "not_searchable"), err)
	}
	_, err = st.s.Rows(t.Context(), st.by(), Request{ViewSlug: "products", Search: strings.Repeat("x", 201)})
	require.True(t, fault.HasCode(err, "too_long"), err)
	_, err = st.s.Rows(t.Context(), st.by(), Request{ViewSlug: "products", Search: "a\x00"})
	require.True(t, fault.HasCode(err, "nul"), err)
}

// TestSearchTellsItsEnd checks that of very many matches the best are returned, with a note
// that there are more.
func TestSearchTellsItsEnd(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.exec(`INSERT INTO workspace.products (tenant_id, workspace_id, sku, name) SELECT $1, $2, 'P-' || n, CASE WHEN n <= 200 THEN 'Linen ' ELSE '' END || 'shirt ' || n FROM generate_series(1, 700) n`, st.tenant.ID, st.tenant.Workspace)
	for said, want := range map[string]struct {
		rows int
		cut  bool
	}{"shirt": {200, true}, "linen": {200, false}, "linen shirt": {200, false}, "shirt p": {200, true},
		"shirt 699": {1, false}} {
		page, err := st.s.Rows(t.Context(), st.by(), Request{ViewSlug: "products", Search: said, Limit: MaxLimit})
		require.NoError(t, err)
		require.Len(t, page.Rows, want.rows, said)
		require.Equal(t, want.cut, page.SearchCut, said)
	}
}
