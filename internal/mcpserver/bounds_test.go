package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/purchase"
)

// TestRetryBounds checks what a token may not do with failed imports.
func TestRetryBounds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.connect(w.agent("one", auth.ScopeFailures))
	failure := func(key any, payload string) string {
		id := uuid.Must(uuid.NewV7())
		w.refused(w.tenant.ID, w.tenant.Workspace, id, "refused", payload)
		w.exec(`UPDATE workspace.failed_imports SET record_key = $2, errors = '[{"field": "external_id"}, {"field": "name"}]' WHERE id = $1`, id, key)
		return id.String()
	}
	w.exec("INSERT INTO workspace.suppliers (tenant_id, workspace_id, external_id, name) VALUES ($1, $2, 'victim', 'Good Teas')", w.tenant.ID, w.tenant.Workspace)

	known := failure("S1", `{"external_id":"S1","name":""}`)
	evil := arguments{"id": known, "payload": arguments{"external_id": "victim", "name": "Evil Teas"}, "confirm": true}
	require.Contains(t, c.refusalOf("other_record", "failed_import_retry", evil), "keep the field that identifies it")
	require.Equal(t, []string{"Good Teas"}, w.read("SELECT name FROM workspace.suppliers WHERE external_id = 'victim'"))
	stored := ask[retried](c, "failed_import_retry",
		arguments{"id": known, "payload": arguments{"external_id": "S1", "name": "Mended"}, "confirm": true, "run_id": nil})
	require.True(t, stored.Stored)

	// A supplier's record fails for its name, and the correction would bring another mail address.
	redirected := failure("S3", `{"external_id":"S3","name":"","email":"orders@tea.example"}`)
	for _, payload := range []arguments{
		{"external_id": "S3", "name": "Tea", "email": "orders@evil.example"}, {"external_id": "S3", "name": "Tea"},
		{"external_id": "S3", "name": "Tea", "email": "orders@tea.example", "address": "Evil Street 1"},
	} {
		for _, confirm := range []bool{false, true} {
			told := c.refusalOf("not_named", "failed_import_retry", arguments{"id": redirected, "payload": payload, "confirm": confirm})
			require.Regexp(t, "email|address", told)
		}
	}
	require.Empty(t, w.read("SELECT email FROM workspace.suppliers WHERE external_id = 'S3'"))
	require.True(t, ask[retried](c, "failed_import_retry", arguments{"id": redirected, "confirm": true,
		"payload": arguments{"external_id": "S3", "name": "Tea", "email": "orders@tea.example"}}).Stored)

	unknown := failure(nil, `{"name":"nobody"}`)
	c.refusalOf("not_by_token", "failed_import_retry",
		arguments{"id": unknown, "payload": arguments{"external_id": "victim", "name": "Evil Teas"}, "confirm": true})
	seen := ask[retried](c, "failed_import_retry", arguments{"id": unknown, "payload": nil})
	require.Contains(t, seen.Refusal, "external_id", "as it came, it may be tried; null is as good as left out")

	dismissed := failure("S2", `{"external_id":"S2","name":"unwanted"}`)
	w.exec("UPDATE workspace.failed_imports SET status = 'ignored', closed_at = now() WHERE id = $1", dismissed)
	c.refusalOf("dismissed", "failed_import_retry", arguments{"id": dismissed, "confirm": true})
	c.refusalOf("dismissed", "failed_import_retry", arguments{"id": dismissed})
	require.Empty(t, w.read("SELECT name FROM workspace.suppliers WHERE external_id IN ('S2', 'nobody')"))
}

// TestLeaving checks that the token of somebody who left does not work again when they return.
func TestLeaving(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin, by := w.join(auth.CompanyAdmin), w.join(auth.Buyer)
	secret := w.token(by, auth.ScopeRead)
	member, err := w.app.Accounts.Member(t.Context(), admin, by.Person)
	require.NoError(t, err)
	require.NoError(t, w.app.Accounts.RemoveMember(t.Context(), admin, by.Person, member.Version))
	w.exec("INSERT INTO control.memberships (tenant_id, user_id, role) VALUES ($1, $2, 'company_admin')", w.tenant.ID,
		by.Person)
	status, _, _ := w.post(t.Context(), "/mcp", []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`),
		legacy{secret: secret, revision: "2025-06-18"}.header())
	require.Equal(t, http.StatusUnauthorized, status)
	require.Equal(t, []string{"1"}, w.read("SELECT count(*) FROM workspace.tokens WHERE revoked_at IS NOT NULL"))
}

// TestRuns checks which texts are accepted as a run, which is kept for ever.
func TestRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	secret := w.agent("one", all...)
	c := w.connect(secret)
	made := w.fill(w.tenant.ID, w.tenant.Workspace, "x")
	draft := func(run any, meta mcp.Meta) string {
		args := about("purchase_order_draft_create", made)
		args["run_id"] = run
		result, err := c.CallTool(t.Context(),
			&mcp.CallToolParams{Meta: meta, Name: "purchase_order_draft_create", Arguments: args})
		require.NoError(t, err)
		require.False(t, result.IsError)
		return w.read("SELECT created_by_run_id FROM workspace.purchase_order_lines ORDER BY id DESC LIMIT 1")[0]
	}
	require.Equal(t, "nightly 7", draft("nightly 7", nil))
	require.Equal(t, "from meta", draft("argument", mcp.Meta{"quayside/run_id": "from meta"}))
	for _, bad := range []any{secret, "x " + w.key, "a\nb", "\u202eevil", strings.Repeat("x", 201), "", nil} {
		_, err := uuid.Parse(draft(bad, nil))
		require.NoError(t, err, "the request's id stands in for %v", bad)
	}
	require.Equal(t, []string{"0"},
		w.read("SELECT count(*) FROM workspace.audit a WHERE a::text LIKE '%' || $1 || '%' OR a::text LIKE '%' || $2 || '%'",
			secret, w.key))
}

// TestAwkwardAnswers asks for answers that are longer than their calls suggest.
func TestAwkwardAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.connect(w.agent("one", all...))
	made := w.fill(w.tenant.ID, w.tenant.Workspace, "x")
	control := strings.Repeat("\u0001", 20_000) // six bytes each in JSON
	w.exec("UPDATE workspace.suppliers SET note = $2 WHERE id = $1", made.supplier, control)
	for _, fields := range [][]string{nil, {"note"}, {"note", "id"}} {
		page := ask[queried](c, "data_query", arguments{"view_slug": "suppliers", "select_fields": fields})
		require.True(t, page.CutTexts)
	}

	// A line whose names are all long, and the largest number of drafts in one call.
	w.exec("UPDATE workspace.purchase_order_lines SET product_name = $2, supplier_name = $2, note = $2, order_no = left($2, 400), sku = left($2, 400) WHERE id = $1", made.line.ID, control)
	ask[any](c, "purchase_order_line_get", arguments{"id": made.line.ID})
	w.exec(`INSERT INTO workspace.order_entries (tenant_id, id, workspace_id, order_no, kind, actor, text)
		SELECT tenant_id, gen_random_uuid(), workspace_id, order_no, 'comment', '{"type":"user"}', repeat('"', 2000)
		FROM workspace.purchase_order_lines, generate_series(1, 60) WHERE id = $1`, made.line.ID)
	ask[any](c, "purchase_order_timeline_get", arguments{"order_no": w.read("SELECT order_no FROM workspace.purchase_order_lines WHERE id = $1", made.line.ID)[0]})
	many := []any{}
	for range 50 {
		many = append(many, arguments{"sku": strings.Repeat("\"", 100), "supplier_id": made.supplier, "quantity_ordered": 24,
			"price_per_unit": 1, "currency": "EUR", "note": strings.Repeat("n", 400)})
	}
	require.Less(t, len(c.refusalOf("already_on_its_way", "purchase_order_draft_create", arguments{"lines": many})),
		20_000, "a call that has one article fifty times")
	drafted := ask[map[string]any](c, "purchase_order_draft_create",
		arguments{"lines": many, "confirm_on_its_way": true, "order_no": strings.Repeat("\"", 60)})
	lines, ok := drafted["lines"].([]any)
	require.True(t, ok)
	require.Len(t, lines, 50)
	require.Equal(t, "24", lines[49].(map[string]any)["quantity_ordered"]) //nolint:forcetypeassert // made by us

	// A record with very many fields that the table does not have, or that are all wrong.
	dropped := arguments{"external_id": "S1", "name": "x"}
	for n := range 1500 {
		dropped[fmt.Sprint("unknown_field_", n, control[:5])] = 1
	}
	payload, err := json.Marshal(dropped)
	require.NoError(t, err)
	id := uuid.Must(uuid.NewV7())
	w.refused(w.tenant.ID, w.tenant.Workspace, id, "refused", string(payload))
	require.True(t, ask[retried](c, "failed_import_retry", arguments{"id": id}).Would)
	require.True(t, ask[retried](c, "failed_import_retry", arguments{"id": id, "confirm": true}).Stored)

	w.exec("INSERT INTO workspace.registry_tables (tenant_id, slug, title) VALUES ($1, 'wide', 'Wide')", w.tenant.ID)
	w.exec(`INSERT INTO workspace.registry_columns (tenant_id, slug, name, position, type, required, nullable)
		SELECT $1, 'wide', CASE n WHEN 0 THEN 'external_id' ELSE 'column_' || n END, n, CASE n WHEN 0 THEN 'text' ELSE 'number' END, n = 0, n > 0 FROM generate_series(0, 400) n`, w.tenant.ID)
	bad := arguments{"external_id": "1"}
	for n := range 400 {
		bad[fmt.Sprint("column_", n+1)] = "many"
	}
	require.Equal(t, http.StatusUnprocessableEntity, w.send("wide", bad))
	wide := ask[failures](c, "failed_import_list", arguments{"table": "wide"}).Items[0].ID
	require.False(t, ask[retried](c, "failed_import_retry", arguments{"id": wide}).Would)
	text, refused := c.try("failed_import_retry", arguments{"id": wide, "confirm": true})
	require.True(t, refused, text)
	c.refusalOf("argument", "table_list", arguments{"after": "nothing"})
}

// TestOtherWorkspace checks that a lock held in another workspace reveals nothing about it.
func TestOtherWorkspace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	elsewhere := uuid.Must(uuid.NewV7())
	w.exec("INSERT INTO control.workspaces (tenant_id, id, name, time_zone) VALUES ($1, $2, 'Second', 'UTC')", w.tenant.ID,
		elsewhere)
	w.exec("INSERT INTO workspace.products (tenant_id, workspace_id, external_id, sku, name) VALUES ($1, $2, 'TEA-1', 'TEA-1', 'Tea')", w.tenant.ID, w.tenant.Workspace)
	key := purchase.RecommendationKey(w.tenant.ID, "TEA-1", purchase.Everywhere, 1)
	w.exec(`INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, external_id, order_no, sku, quantity_ordered, recommendation_key)
		VALUES ($1, $2, 'SECRET', 'SECRET', 'TEA-1', 1, $3)`, w.tenant.ID, elsewhere, key)
	c := w.connect(w.agent("one", auth.ScopeWrite, auth.ScopeRead))
	words := c.refusalOf("recommendation_locked", "purchase_order_draft_create",
		arguments{"lines": []any{arguments{"sku": "TEA-1", "quantity_ordered": 1, "recommendation_key": key}}})
	require.NotContains(t, words, "SECRET")
	require.Empty(t, ask[queried](c, "data_query", arguments{"view_slug": "purchase_order_lines"}).Rows)
}

// TestAlreadyOnItsWay checks that an agent is told about open lines in the same words as
// people.
func TestAlreadyOnItsWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.connect(w.agent("one", auth.ScopeWrite, auth.ScopeRead))
	w.exec(`INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, external_id, order_no, sku, status, quantity_ordered, expected_arrival_date)
	        VALUES ($1, $2, 'L1', 'PO-3131', 'TEA', 'ordered', 12, '2020-01-01')`, w.tenant.ID, w.tenant.Workspace)
	line := []any{arguments{"sku": "TEA", "quantity_ordered": 1}}
	result, err := c.CallTool(t.Context(),
		&mcp.CallToolParams{Name: "purchase_order_draft_create", Arguments: arguments{"lines": line}})
	require.NoError(t, err)
	require.True(t, result.IsError)
	words := result.Content[0].(*mcp.TextContent).Text //nolint:forcetypeassert // made by us
	for _, want := range []string{"already on its way: TEA: 12 overdue on PO-3131; confirm that more is wanted",
		`"order_no":"PO-3131"`, `"overdue":true`, "confirm_on_its_way"} {
		require.Contains(t, words, want)
	}
	ask[any](c, "purchase_order_draft_create", arguments{"lines": line, "confirm_on_its_way": true})
}
