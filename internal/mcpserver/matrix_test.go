package mcpserver_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/purchase"
	"github.com/quayside/quayside/internal/registry"
)

// may holds the scope that a tool needs and the roles that may call it. It repeats the
// permissions by hand, so that a change of them is noticed.
var may = map[string]struct {
	scope auth.Scope
	roles []auth.Role
}{
	"table_list":                         {auth.ScopeRead, everybody},
	"table_describe":                     {auth.ScopeRead, everybody},
	"data_query":                         {auth.ScopeRead, everybody},
	"search_records":                     {auth.ScopeRead, everybody},
	"purchase_order_line_get":            {auth.ScopeRead, everybody},
	"procurement_config_get":             {auth.ScopeRead, everybody},
	"procurement_queue_list":             {auth.ScopeRead, everybody},
	"procurement_recommendation_explain": {auth.ScopeRead, everybody},
	"procurement_draft_create":           {auth.ScopeWrite, []auth.Role{auth.CompanyAdmin, auth.Buyer, auth.Agent}},
	"procurement_run":                    {auth.ScopeWrite, []auth.Role{auth.CompanyAdmin, auth.Buyer, auth.Agent}},
	"failed_import_list":                 {auth.ScopeFailures, everybody},
	"failed_import_get":                  {auth.ScopeFailures, everybody},
	"failed_import_retry":                {auth.ScopeFailures, []auth.Role{auth.CompanyAdmin, auth.Buyer, auth.Agent}},
	"purchase_order_draft_create":        {auth.ScopeWrite, []auth.Role{auth.CompanyAdmin, auth.Buyer, auth.Agent}},
	"purchase_order_line_submit":         {auth.ScopeWrite, []auth.Role{auth.CompanyAdmin, auth.Buyer, auth.Agent}},
	"purchase_order_timeline_get":        {auth.ScopeRead, everybody},
	"purchase_order_comment_create": {auth.ScopeWrite,
		[]auth.Role{auth.CompanyAdmin, auth.Approver, auth.Buyer, auth.Agent}},
	"procurement_config_set": {auth.ScopeWrite, []auth.Role{auth.CompanyAdmin}},
	"strategy_list":          {auth.ScopeRead, everybody},
	"strategy_get":           {auth.ScopeRead, everybody},
	"strategy_put":           {auth.ScopeWrite, []auth.Role{auth.CompanyAdmin, auth.Agent}},
	"sop_list":               {auth.ScopeRead, everybody},
	"sop_get":                {auth.ScopeRead, everybody},
	"sop_put":                {auth.ScopeWrite, []auth.Role{auth.CompanyAdmin, auth.Agent}},
	"table_define":           {auth.ScopeAdmin, []auth.Role{auth.CompanyAdmin}},
	"column_define":          {auth.ScopeAdmin, []auth.Role{auth.CompanyAdmin}},
}

var everybody = []auth.Role{auth.CompanyAdmin, auth.Approver, auth.Buyer, auth.Viewer, auth.Agent}

// around returns the sets of scopes that decide about what needs this one: it alone, everything but it, and all. More
// scopes never allow less, so they speak for all 15 sets; TestScopes of internal/auth tries each set with each
// permission.
func around(needs auth.Scope) (alone, without, with []auth.Scope) {
	return []auth.Scope{needs}, slices.DeleteFunc(slices.Clone(all), func(scope auth.Scope) bool { return scope == needs }), all
}

// sets returns the sets of scopes that decide about some tool.
func sets() (sets [][]auth.Scope) {
	for _, scope := range all {
		alone, without, _ := around(scope)
		sets = append(sets, alone, without)
	}
	return append(sets, all)
}

// decides reports whether a set of scopes is one of those that decide about a scope.
func decides(set []auth.Scope, needs auth.Scope) bool {
	alone, without, with := around(needs)
	return slices.Equal(set, alone) || slices.Equal(set, without) || slices.Equal(set, with)
}

// things are a company's objects that tools can be called with.
type things struct {
	canary   string
	failure  uuid.UUID
	line     purchase.Line
	supplier string
	product  string
	key      string // of the product's recommendation
	strategy uuid.UUID
	sop      string // its slug; it is in force
	config   int64  // the newest version of the config
	run      uuid.UUID
}

// fill creates one of each of these objects in a company, marked with a canary.
func (w *world) fill(tenant, workspace uuid.UUID, canary string) things {
	w.t.Helper()
	_, err := w.app.Tables.Define(w.t.Context(), auth.Operator(tenant), registry.Definition{Title: "Decisions"})
	require.NoError(w.t, err)
	made := things{canary: canary, failure: uuid.Must(uuid.NewV7()), supplier: uuid.NewString(), run: uuid.Must(uuid.NewV7())}
	w.exec("INSERT INTO workspace.suppliers (tenant_id, workspace_id, id, external_id, name) VALUES ($1, $2, $3, $3, $4)",
		tenant, workspace, made.supplier, canary)
	w.refused(tenant, workspace, made.failure, canary, fmt.Sprintf(`{"external_id":%q,"name":%q}`, made.failure, canary))
	by := auth.Principal{Tenant: tenant, Workspace: workspace, Role: auth.Buyer, Person: uuid.New()}
	by.Actor = auth.Actor{Type: auth.ByPerson, ID: by.Person.String()}
	made.line = w.draft(by, made)
	w.exec(`INSERT INTO workspace.agent_runs (tenant_id, id, workspace_id, dry, status, started_by, message)
		VALUES ($1, $2, $3, true, 'done', '{"type":"system"}', $4)`, tenant, made.run, workspace, canary)
	w.recommend(tenant, workspace, &made)
	w.write(tenant, workspace, &made)
	return made
}

// refused creates a failed import of a supplier in a company.
func (w *world) refused(tenant, workspace, id uuid.UUID, message, payload string) {
	w.t.Helper()
	w.exec(`INSERT INTO workspace.failed_imports (tenant_id, id, workspace_id, slug, http_status, code, message, payload, payload_hash, key_id, request_id, status)
		VALUES ($1, $2, $3, 'suppliers', 422, 'required', $4, convert_to($5, 'UTF8'), sha256(convert_to($5, 'UTF8')), $2, 'test', 'open')`, tenant, id, workspace, message, payload)
}

// draft creates a line that can be submitted.
func (w *world) draft(by auth.Principal, of things) purchase.Line {
	w.t.Helper()
	text := func(s string) *string { return &s }
	lines, err := w.app.Purchase.DraftConfirmed(w.t.Context(), by, []purchase.NewLine{{Changes: purchase.Changes{
		OrderNo: text("PO-" + of.supplier), // every workspace begins its own series with the same number
		SKU:     text("TEA"), SupplierID: &of.supplier, QuantityOrdered: text("10"), PricePerUnit: text("1"),
		Currency: text("EUR"), Note: &of.canary,
	}}})
	require.NoError(w.t, err)
	return lines[0]
}

// about returns arguments with which a tool acts on a company's things.
func about(tool string, of things) arguments {
	return map[string]arguments{
		"table_list":                         {},
		"table_describe":                     {"view_slug": "suppliers"},
		"data_query":                         {"view_slug": "suppliers", "filters": arguments{"external_id": of.supplier}},
		"search_records":                     {"text": of.canary},
		"purchase_order_line_get":            {"id": of.line.ID},
		"procurement_config_get":             {},
		"procurement_queue_list":             {"text": of.canary},
		"procurement_recommendation_explain": {"recommendation_key": of.key, "cover_days": 40},
		"procurement_draft_create":           {"recommendation_key": of.key},
		"procurement_run":                    {"id": of.run},
		"failed_import_list":                 {},
		"failed_import_get":                  {"id": of.failure.String()},
		"failed_import_retry":                {"id": of.failure.String(), "confirm": true},
		"purchase_order_draft_create": {"confirm_on_its_way": true,
			"lines": []any{arguments{"sku": "TEA", "supplier_id": of.supplier, "quantity_ordered": 1}}},
		"purchase_order_line_submit":    {"lines": []any{arguments{"id": of.line.ID, "version": of.line.Version}}},
		"purchase_order_timeline_get":   {"order_no": of.line.OrderNo},
		"purchase_order_comment_create": {"order_no": of.line.OrderNo, "text": "late by 12 days"},
		"procurement_config_set":        {"values": arguments{"cover_days": 40}, "version": of.config},
		"strategy_list":                 {},
		"strategy_get":                  {"id": of.strategy},
		"strategy_put": {"id": of.strategy, "version": 1, "title": "Tea", "scope": "supplier", "target": of.supplier,
			"body": "Why", "parameters": arguments{"cover_days": 50}},
		"table_define":  {"table": arguments{"name": "Decisions", "columns": []any{arguments{"name": "title", "type": "text"}}}},
		"column_define": {"view_slug": "decisions", "column": arguments{"name": "status", "type": "text", "choices": []string{"open", "done"}}},
		"sop_list":      {},
		"sop_get":       {"slug": of.sop},
		"sop_put": {"slug": of.sop, "version": 1, "title": "Late", "trigger": "A line is late", "body": "Call",
			"owner_role": "buyer"},
	}[tool]
}

// TestMatrix calls every tool in every role, with its scope alone, with every other scope and with all, on the
// company's own things and on another's; with all scopes also on those of another workspace of the company.
func TestMatrix(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := matrix{world: w, theirs: w.fill(w.other.ID, w.other.Workspace, "canary-theirs")}
	second := uuid.Must(uuid.NewV7())
	w.exec("INSERT INTO control.workspaces (tenant_id, id, name, time_zone) VALUES ($1, $2, 'Second', 'UTC')", w.tenant.ID,
		second)
	m.sibling = w.fill(w.tenant.ID, second, "canary-sibling")
	before, siblingBefore := w.everything("tenant_id", w.other.ID), w.everything("workspace_id", second)
	require.Contains(t, strings.Join(siblingBefore, " "), m.sibling.canary)
	listed, err := w.connect(w.agent("lister", all...)).ListTools(t.Context(), &mcp.ListToolsParams{})
	require.NoError(t, err)
	require.Len(t, listed.Tools, len(may), "a tool that the matrix does not know")
	for _, tool := range listed.Tools {
		require.Contains(t, may, tool.Name)
	}

	for _, role := range everybody {
		for _, scopes := range sets() {
			m.walk(role, scopes, slices.DeleteFunc(slices.Clone(listed.Tools), func(tool *mcp.Tool) bool {
				return !decides(scopes, may[tool.Name].scope)
			}))
		}
	}
	require.Equal(t, len(everybody)*3*len(may)*2, m.calls)
	require.Equal(t, before, w.everything("tenant_id", w.other.ID), "something of another company changed")
	require.Equal(t, siblingBefore, w.everything("workspace_id", second), "something of another workspace changed")
}

// matrix is a walk through the tools.
type matrix struct {
	*world
	theirs, sibling things
	calls           int
}

// walk calls tools in one role with one set of scopes.
func (m *matrix) walk(role auth.Role, scopes []auth.Scope, tools []*mcp.Tool) {
	t, who := m.t, fmt.Sprint(role, scopes)
	secret := func() string { return m.agent(who, scopes...) }
	if role != auth.Agent {
		person := m.join(role)
		secret = func() string { return m.token(person, scopes...) }
	}
	var c client
	var ours things
	for i, tool := range tools {
		if i%15 == 0 { // stay within the token's rate limit
			c = m.connect(secret())
		}
		rule := may[tool.Name]
		allowed := slices.Contains(scopes, rule.scope) && slices.Contains(rule.roles, role)
		if ours.canary == "" {
			ours = m.ours(role, who)
		}
		name := fmt.Sprintf("%s as %s with %s", tool.Name, role, scopes)
		text, refused := c.try(tool.Name, about(tool.Name, ours))
		require.Equal(t, !allowed, refused, "%s: %s", name, text)
		if !allowed {
			code := map[bool]string{true: "forbidden", false: "missing_scope"}[slices.Contains(scopes, rule.scope)]
			require.Contains(t, text, `"`+code+`"`, name)
			require.NotContains(t, text, ours.canary, name)
		}
		text, refused = c.try(tool.Name, about(tool.Name, m.theirs))
		require.NotContains(t, text, m.theirs.canary, name)
		if strings.Contains(text, m.theirs.failure.String()) {
			require.True(t, refused, name) // the answer may repeat the arguments
		}
		m.calls += 2
		if len(scopes) == len(all) {
			text, refused = c.try(tool.Name, about(tool.Name, m.sibling))
			require.NotContains(t, text, m.sibling.canary, name)
			require.True(t, refused || !names(tool.Name), "%s reached another workspace: %s", name, text)
		}
		if allowed && !tool.Annotations.ReadOnlyHint {
			ours = things{} // it was used up
		}
	}
}

// ours creates things of the company that somebody may act on.
func (m *matrix) ours(role auth.Role, who string) things {
	m.t.Helper()
	ours := m.fill(m.tenant.ID, m.tenant.Workspace, "canary-ours")
	if role == auth.Agent { // an agent may submit only what it drafted
		agent := uuid.NewSHA1(m.tenant.Workspace, []byte(who)).String()
		ours.line = m.draft(auth.Principal{Tenant: m.tenant.ID, Workspace: m.tenant.Workspace, Role: role,
			Actor: auth.Actor{Type: auth.ByAgent, ID: agent}}, ours)
	}
	return ours
}

// names reports whether a tool's arguments name one object, rather than filter or describe.
func names(tool string) bool {
	return !slices.Contains([]string{"table_list", "table_describe", "data_query", "search_records", "failed_import_list",
		"procurement_config_get", "procurement_queue_list", "purchase_order_draft_create", "procurement_config_set",
		"strategy_list", "sop_list", "table_define", "column_define"}, tool)
}

// everything returns all rows of a company or a workspace, table by table.
func (w *world) everything(column string, id uuid.UUID) (rows []string) {
	w.t.Helper()
	for _, table := range w.read(`SELECT c.oid::regclass::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = $1
		WHERE c.relnamespace IN ('workspace'::regnamespace, 'control'::regnamespace) AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1`, column) {
		rows = append(rows, table)
		rows = append(rows, w.read("SELECT t::text FROM "+table+" t WHERE "+column+" = $1 ORDER BY 1", id)...)
	}
	return rows
}

// TestTokensEnd checks that a token stops working at once.
func TestTokensEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.join(auth.Buyer)
	admin := w.join(auth.CompanyAdmin)
	secret := w.token(by, auth.ScopeRead)
	c := w.connect(secret)
	ask[queried](c, "data_query", arguments{"view_slug": "suppliers"})
	status := func(secret string) int {
		status, _, _ := w.post(t.Context(), "/mcp", []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`),
			legacy{secret: secret, revision: "2025-06-18"}.header())
		return status
	}
	require.Equal(t, http.StatusOK, status(secret))

	// A role that is taken away is gone with the next call, also for the token.
	write := w.connect(w.token(by, auth.ScopeWrite))
	made := w.fill(w.tenant.ID, w.tenant.Workspace, "x")
	ask[lines](write, "purchase_order_draft_create", about("purchase_order_draft_create", made))
	member, err := w.app.Accounts.Member(t.Context(), admin, by.Person)
	require.NoError(t, err)
	member, err = w.app.Accounts.ChangeRole(t.Context(), admin, by.Person, auth.Viewer, member.Version)
	require.NoError(t, err)
	write.refusalOf("forbidden", "purchase_order_draft_create", about("purchase_order_draft_create", made))
	require.NoError(t, w.app.Accounts.RemoveMember(t.Context(), admin, by.Person, member.Version))
	require.Equal(t, http.StatusUnauthorized, status(secret), "their owner has left")

	agent := w.agent("one", auth.ScopeRead)
	require.Equal(t, http.StatusOK, status(agent))
	w.exec("UPDATE workspace.tokens SET expires_at = now() - interval '1 second' WHERE label = 'one'")
	require.Equal(t, http.StatusUnauthorized, status(agent), "expired")
	w.exec("UPDATE workspace.tokens SET expires_at = NULL WHERE label = 'one'")
	id, err := uuid.Parse(w.read("SELECT id::text FROM workspace.tokens WHERE label = 'one'")[0])
	require.NoError(t, err)
	_, err = w.app.Tokens.Revoke(t.Context(), admin, id)
	require.NoError(t, err)
	require.Equal(t, http.StatusUnauthorized, status(agent), "revoked")
}
