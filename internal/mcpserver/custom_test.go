package mcpserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
)

// TestCustomColumn adds a column to a built-in table, describes it and filters by it.
func TestCustomColumn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.connect(w.token(w.join(auth.CompanyAdmin), auth.ScopeRead, auth.ScopeAdmin))
	type defined struct {
		Columns []string `json:"columns"`
	}
	made := ask[defined](c, "column_define", arguments{"view_slug": "suppliers",
		"column": arguments{"name": "rating", "type": "number", "description": "From 1 to 5."}})
	require.Equal(t, []string{"rating"}, made.Columns)
	c.refusalOf("name_taken", "column_define", arguments{"view_slug": "suppliers", "column": arguments{"name": "email", "type": "text"}})
	c.refusalOf("built_in", "table_define", arguments{"table": arguments{"slug": "suppliers", "name": "Mine", "columns": []any{}}})
	w.exec(`INSERT INTO workspace.suppliers (tenant_id, workspace_id, external_id, name, custom)
		SELECT $1, $2, n::text, 'Supplier ' || n, jsonb_build_object('rating', n) FROM generate_series(1, 5) n`, w.tenant.ID, w.tenant.Workspace)
	text, refused := c.try("table_describe", arguments{"view_slug": "suppliers"})
	require.False(t, refused)
	require.Contains(t, text, "From 1 to 5.")
	found := ask[queried](c, "data_query", arguments{"view_slug": "suppliers", "filters": arguments{"rating": arguments{"gte": 4}},
		"select_fields": []string{"name", "rating"}, "sort_by": "rating", "sort_desc": true})
	require.Equal(t, []map[string]any{{"name": "Supplier 5", "rating": "5"}, {"name": "Supplier 4", "rating": "4"}}, found.Rows)
}
