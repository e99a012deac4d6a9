package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// TestAnswersFitTheirSchemas checks every tool's answer against its output schema.
func TestAnswersFitTheirSchemas(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.connect(w.token(w.join(auth.CompanyAdmin), all...))
	made := w.fill(w.tenant.ID, w.tenant.Workspace, "x")
	listed, err := c.ListTools(t.Context(), &mcp.ListToolsParams{})
	require.NoError(t, err)
	for _, tool := range listed.Tools {
		text, err := json.Marshal(tool.OutputSchema)
		require.NoError(t, err)
		var schema jsonschema.Schema
		require.NoError(t, json.Unmarshal(text, &schema))
		resolved, err := schema.Resolve(nil)
		require.NoError(t, err)
		result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool.Name, Arguments: about(tool.Name, made)})
		require.NoError(t, err)
		require.False(t, result.IsError, tool.Name)
		require.NoError(t, resolved.Validate(result.StructuredContent), tool.Name)
	}
}

// TestAnnotations checks the tools' annotations, by which clients decide when to ask their
// users.
func TestAnnotations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	listed, err := w.connect(w.agent("one", auth.ScopeRead)).ListTools(t.Context(), &mcp.ListToolsParams{})
	require.NoError(t, err)
	names := []string{}
	for _, tool := range listed.Tools {
		names = append(names, tool.Name)
		verb := tool.Name[strings.LastIndex(tool.Name, "_")+1:]
		changes := slices.Contains([]string{"retry", "create", "submit", "set", "put", "run", "define"}, verb)
		require.Equal(t, !changes, tool.Annotations.ReadOnlyHint, tool.Name)
		// A retry replaces what a record was, a set figure the one before it, and a definition its rules. A put stores a draft, which
		// replaces nothing.
		require.Equal(t, verb == "retry" || verb == "set" || verb == "define", *tool.Annotations.DestructiveHint, tool.Name)
		require.False(t, *tool.Annotations.OpenWorldHint, tool.Name)
		require.NotEmpty(t, tool.Title)
		text, err := json.Marshal(tool.InputSchema)
		require.NoError(t, err)
		var schema jsonschema.Schema
		require.NoError(t, json.Unmarshal(text, &schema))
		for name, property := range schema.Properties {
			require.NotEmpty(t, property.Description, "%s: %s", tool.Name, name)
		}
	}
	require.IsIncreasing(t, names, "the list stands in a stable order")
	text, err := json.Marshal(listed)
	require.NoError(t, err)
	// A client reads the list once for each conversation. 32,000 bytes are about 7,800 tokens, the price of
	// the playbook's and the timeline's tools: a description that would exceed it has to become shorter.
	require.Less(t, len(text), 32_000, "all the tools together leave room for work")
	require.NotContains(t, names, "table_define")
	// A token that may define tables gets two more.
	admins, err := w.connect(w.token(w.join(auth.CompanyAdmin), all...)).ListTools(t.Context(), &mcp.ListToolsParams{})
	require.NoError(t, err)
	require.Len(t, admins.Tools, len(names)+2)
	text, err = json.Marshal(admins)
	require.NoError(t, err)
	require.Less(t, len(text), 34_000)
}

// TestQuery checks the contract of data_query: names, defaults, limits, the cursor.
func TestQuery(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exec(`INSERT INTO workspace.suppliers (tenant_id, workspace_id, external_id, name) SELECT $1, $2, n::text, 'Supplier ' || n FROM generate_series(1, 1200) n`, w.tenant.ID, w.tenant.Workspace)
	c := w.connect(w.agent("one", auth.ScopeRead))

	first := ask[queried](c, "data_query", arguments{"view_slug": "suppliers"})
	require.Len(t, first.Rows, 50)
	require.True(t, first.Truncated)
	require.NotEmpty(t, first.NextCursor)

	few := ask[queried](c, "data_query", arguments{
		"view_slug": "suppliers", "filters": arguments{"external_id": arguments{"in": []string{"7", "8", "9"}}},
		"select_fields": []string{"name"}, "sort_by": "name", "sort_desc": true, "limit": 2,
	})
	require.Equal(t, []map[string]any{{"name": "Supplier 9"}, {"name": "Supplier 8"}}, few.Rows)
	require.True(t, few.Truncated)
	require.Len(t, few.Columns, 1)
	require.NotEmpty(t, few.Columns[0].Description)

	seen := map[any]bool{}
	args := arguments{"view_slug": "suppliers", "limit": 1000, "select_fields": []string{"external_id", "name"}}
	for pages := 0; ; pages++ {
		require.Less(t, pages, 10)
		page := ask[queried](c, "data_query", args)
		for _, row := range page.Rows {
			seen[row["external_id"]] = true
		}
		if !page.Truncated {
			require.Empty(t, page.NextCursor)
			break
		}
		args["cursor"] = page.NextCursor
	}
	require.Len(t, seen, 1200)
}

// TestQueryComputed checks that computed views are listed, described and queried as of a day, and
// show their own company only.
func TestQueryComputed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for place, units := range map[pgtest.Tenant]int{w.tenant: 3, w.other: 500} {
		w.exec(`INSERT INTO workspace.sales_settings (tenant_id, workspace_id, time_zone, week_start, base_currency, rebuild_began_at)
			VALUES ($1, $2, 'UTC', 1, 'EUR', now())`, place.ID, place.Workspace)
		w.exec(`INSERT INTO workspace.sales_weeks (tenant_id, workspace_id, product_id, week, lines, orders, customers, units, returned,
				gross, discount, net, unconverted)
			VALUES ($1, $2, '*', '2026-10-05', 1, 1, 1, $3, 0, 9, 0, 9, 0)`, place.ID, place.Workspace, units)
	}
	c := w.connect(w.agent("one", auth.ScopeRead))
	listed := ask[struct {
		Tables []struct {
			Slug     string
			Computed bool
			Rows     *int64
		}
	}](c, "table_list", arguments{})
	var views []string
	for _, table := range listed.Tables {
		require.Equal(t, table.Computed, table.Rows == nil, table.Slug)
		if table.Computed {
			views = append(views, table.Slug)
			about := ask[struct {
				Computed   bool
				Parameters []string
				Columns    []struct{ Name, Description string }
			}](c, "table_describe", arguments{"view_slug": table.Slug})
			require.True(t, about.Computed)
			require.Regexp(t, "^as_of: The day", about.Parameters[0])
			require.NotEmpty(t, about.Columns)
			ask[queried](c, "data_query", arguments{"view_slug": table.Slug})
		}
	}
	require.Contains(t, views, "weekly_sales")

	args := arguments{"view_slug": "weekly_sales", "as_of": "2026-10-13", "select_fields": []string{"week_label", "units_net"}}
	require.Equal(t, []map[string]any{{"week_label": "2026-W41", "units_net": "3"}, {"week_label": "2026-W42", "units_net": "0"}},
		ask[queried](c, "data_query", args).Rows)
	args["product"] = uuid.NewString()
	require.Empty(t, ask[queried](c, "data_query", args).Rows)
	for _, wrong := range []arguments{{"view_slug": "weekly_sales", "as_of": "soon"},
		{"view_slug": "suppliers", "as_of": "2026-10-13"}, {"view_slug": "family_trend", "product": "all"}} {
		text, refused := c.try("data_query", wrong)
		require.True(t, refused, text)
	}
}

// TestSearchTellsWhatToolsOpen checks that views of tables are found and views of the app's
// lists are not.
func TestSearchTellsWhatToolsOpen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, list := range []bool{false, true} {
		w.exec(`INSERT INTO workspace.saved_views (tenant_id, workspace_id, id, list, slug, name, definition, owner_id, shared)
			VALUES ($1, $2, gen_random_uuid(), $3, CASE WHEN $3 THEN 'purchase-orders' ELSE 'suppliers' END, 'Tardy', '{}', gen_random_uuid(), true)`, w.tenant.ID, w.tenant.Workspace, list)
	}
	found := ask[struct {
		Hits []struct{ Kind, Table string }
	}](w.connect(w.agent("one", auth.ScopeRead)), "search_records", arguments{"text": "tardy"})
	require.Equal(t, []struct{ Kind, Table string }{{"view", "suppliers"}}, found.Hits)
}

// TestQueryNamesLinks checks that rows come with the names of the records that they refer to.
func TestQueryNamesLinks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	made := w.fill(w.tenant.ID, w.tenant.Workspace, "x")
	c := w.connect(w.agent("one", auth.ScopeRead))
	type named struct {
		Links    []map[string]string
		LinksCut bool `json:"links_cut"`
	}
	page := ask[named](c, "data_query",
		arguments{"view_slug": "purchase_order_lines", "select_fields": []string{"supplier_id"}})
	require.Len(t, page.Links, 1)
	require.Equal(t, "supplier_id", page.Links[0]["field"])
	require.Equal(t, made.supplier, page.Links[0]["id"])
	require.NotEmpty(t, page.Links[0]["label"])
	require.False(t, page.LinksCut)
	require.Empty(t, ask[named](c, "data_query", arguments{"view_slug": "suppliers"}).Links)
}

// TestRefusals checks that a refusal says what is wrong, what would be right, and which call
// helps.
func TestRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.connect(w.agent("one", all...))
	made := w.fill(w.tenant.ID, w.tenant.Workspace, "x")
	nobody := uuid.NewString()
	for _, tt := range []struct {
		tool  string
		args  any
		code  string
		words []string
	}{
		{"data_query", arguments{"view_slug": "supplier"}, "unknown_table",
			[]string{"there are", "suppliers", "orders", "table_list"}},
		{"table_describe", arguments{"view_slug": "x; y"}, "unknown_table", []string{"purchase_order_lines"}},
		{"data_query", arguments{"view_slug": "suppliers", "filters": arguments{"nme": "x"}}, "unknown_field",
			[]string{`no field "nme"`, "name", "external_id", "table_describe"}},
		{"data_query", arguments{"view_slug": "suppliers", "sort_by": "nme"}, "unknown_field", []string{"its fields are"}},
		{"data_query", arguments{"view_slug": "suppliers", "select_fields": []string{"nme"}}, "unknown_field",
			[]string{"its fields are"}},
		{"data_query", arguments{"view_slug": "suppliers", "filters": arguments{"name": arguments{"like": "x"}}}, "operator",
			[]string{"contains, eq, ne, in, empty"}},
		{"data_query", arguments{"view_slug": "purchase_order_lines", "filters": arguments{"quantity_ordered": "many"}},
			"value", []string{"number", "table_describe"}},
		{"data_query", arguments{"view_slug": "suppliers", "limit": 1001}, "limit", []string{"between 1 and 1000"}},
		{"data_query", arguments{"view_slug": "suppliers", "limit": "10"}, "argument",
			[]string{`limit: expected integer, received "10"`}},
		{"data_query", arguments{"view_slug": "suppliers", "cursor": "x"}, "cursor", []string{"without a cursor"}},
		{"data_query", arguments{"view_slug": "suppliers", "where": "1=1"}, "argument",
			[]string{"where: there is no such argument; there are as_of, cursor, filters, limit, product, select_fields, sort_by, sort_desc, view_slug"}},
		{"data_query", arguments{}, "argument", []string{"view_slug: it is missing. The table's slug"}},
		{"data_query", arguments{"view_slug": "suppliers", "filters": []string{}}, "argument",
			[]string{"filters: expected object"}},
		{"failed_import_list", arguments{"status": "closed"}, "argument",
			[]string{`status: there is no "closed"; there are open, ignored, resolved`}},
		{"failed_import_list", arguments{"limit": 101}, "argument", []string{"between 1 and 100"}},
		{"failed_import_get", arguments{"id": nobody}, "unknown_failure", []string{nobody, "failed_import_list"}},
		{"failed_import_get", arguments{"id": "no id"}, "argument", []string{"id: cannot be read"}},
		{"failed_import_retry", arguments{"id": nobody, "confirm": true}, "unknown_failure", []string{"failed_import_list"}},
		{"purchase_order_line_get", arguments{"id": nobody}, "unknown_line",
			[]string{"data_query with view_slug purchase_order_lines"}},
		{"purchase_order_timeline_get", arguments{"order_no": "PO-0"}, "unknown_order", []string{"order_no"}},
		{"purchase_order_comment_create", arguments{"order_no": made.line.OrderNo, "text": " "}, "text", []string{"2000"}},
		{"purchase_order_draft_create", arguments{"lines": []any{}}, "argument", []string{"between 1 and 50"}},
		{"purchase_order_draft_create", arguments{"lines": []any{arguments{"sku": "X", "quantity_ordered": -1}}}, "number",
			[]string{"give a number"}},
		{"purchase_order_draft_create", arguments{"lines": []any{arguments{"sku": "X"}}}, "argument",
			[]string{"lines/0/quantity_ordered: it is missing. The quantity to order"}},
		{"purchase_order_line_submit", arguments{"lines": []any{arguments{"id": made.line.ID, "version": made.line.Version}}},
			"not_yours", []string{"drafts that it made itself"}},
		{"purchase_order_line_submit", arguments{"lines": []any{arguments{"id": made.line.ID, "version": 9}}}, "stale",
			[]string{"purchase_order_line_get"}},
	} {
		words := c.refusalOf(tt.code, tt.tool, tt.args)
		for _, word := range tt.words {
			require.Contains(t, words, word, "%s %v", tt.tool, tt.args)
		}
	}
	_, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "approve"})
	require.ErrorContains(t, err, "unknown tool")
	require.NotContains(t, w.log.String(), `"level":"ERROR"`)
}

// TestLongAnswers asks for far more than fits. client.try measures every answer.
func TestLongAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.connect(w.agent("one", all...))
	long := strings.Repeat("船\"\\", 33_000)
	require.Equal(t, http.StatusOK, w.send("suppliers", arguments{"external_id": "1", "name": "short", "note": long}))
	require.Equal(t, http.StatusOK, w.send("suppliers", arguments{"external_id": "2", "name": "short", "note": long}))
	page := ask[queried](c, "data_query", arguments{"view_slug": "suppliers"})
	require.Len(t, page.Rows, 1)
	require.True(t, page.CutTexts && page.Truncated)
	require.Contains(t, page.Rows[0]["note"], "… [cut]")
	next := ask[queried](c, "data_query", arguments{"view_slug": "suppliers", "cursor": page.NextCursor})
	require.Equal(t, "2", next.Rows[0]["external_id"])
	more := ask[queried](c, "data_query",
		arguments{"view_slug": "suppliers", "select_fields": []string{"note"}, "limit": 1})
	note := func(answer queried) string { return fmt.Sprint(answer.Rows[0]["note"]) }
	require.Greater(t, len(note(more)), 3*len(note(page)), "fewer fields, more of each")

	for n := range 120 {
		require.Equal(t, http.StatusUnprocessableEntity, w.send("suppliers",
			arguments{"external_id": fmt.Sprint(n, strings.Repeat("x", 400)), "note": long[:n*100], "name": nil}))
	}
	seen := map[string]bool{}
	args := arguments{"limit": 100}
	for {
		listed := ask[failures](c, "failed_import_list", args)
		for _, item := range listed.Items {
			seen[item.ID] = true
		}
		if !listed.Truncated {
			break
		}
		args["cursor"] = listed.NextCursor
	}
	require.Len(t, seen, 120)
	for id := range seen {
		ask[any](c, "failed_import_get", arguments{"id": id})
		break
	}

	// Tables with very many columns and long descriptions, and very many tables.
	w.exec(`INSERT INTO workspace.registry_tables (tenant_id, slug, title, description) SELECT $1, 'custom_' || n, 'Custom', repeat('words ', 500) FROM generate_series(1, 300) n`, w.tenant.ID)
	w.exec(`INSERT INTO workspace.registry_columns (tenant_id, slug, name, position, type, required, nullable, description)
		SELECT $1, 'custom_' || t, CASE n WHEN 0 THEN 'external_id' ELSE 'column_' || n END, n, 'text', n = 0, n > 0, repeat('words ', 200) FROM generate_series(1, 300) t, generate_series(0, CASE t WHEN 1 THEN 400 ELSE 0 END) n`, w.tenant.ID)
	require.Equal(t, 401+5, count(t, c, "table_describe", "columns", "name", arguments{"view_slug": "custom_1"}))
	require.Greater(t, count(t, c, "table_list", "tables", "slug", arguments{}), 300)
	require.Equal(t, http.StatusOK, w.send("custom_1", arguments{"external_id": "1"}))
	wide := ask[queried](c, "data_query", arguments{"view_slug": "custom_1"})
	require.Len(t, wide.Rows[0], 1+5, "what is empty is left out")
	asked := ask[queried](c, "data_query", arguments{"view_slug": "custom_1", "select_fields": []string{"column_1"}})
	require.Equal(t, []map[string]any{{"column_1": nil}}, asked.Rows, "unless it was asked for")
}

// count reads a paged list to its end.
func count(t *testing.T, c client, tool, list, name string, args arguments) int {
	t.Helper()
	seen := map[any]bool{}
	for {
		answer := ask[map[string]any](c, tool, args)
		items, ok := answer[list].([]any)
		require.True(t, ok)
		for _, item := range items {
			args["after"] = item.(map[string]any)[name] //nolint:forcetypeassert // made by us
			seen[args["after"]] = true
		}
		if answer["truncated"] != true {
			return len(seen)
		}
	}
}
