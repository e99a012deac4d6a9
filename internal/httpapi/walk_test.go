package httpapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/apikey"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/connection"
	"github.com/quayside/quayside/internal/failed"
	"github.com/quayside/quayside/internal/mend"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/purchase"
	"github.com/quayside/quayside/internal/registry"
	tokens "github.com/quayside/quayside/internal/token"
	"github.com/quayside/quayside/test/inventory"
)

// bare holds the routes that are not operations of the app API, and who may use them. A route
// that is neither here nor an operation fails the test.
var bare = map[string]string{
	"POST /api/ingest/{slug}":                     "a key; testdata/ingest walks keys, scopes and tenants",
	"GET /api/ingest/{slug}":                      "a key; testdata/ingest walks keys and tenants",
	"/api/ingest/{slug}":                          "refuses other methods",
	"POST /hooks/inventory/{connection}":          "a signature; TestHooks",
	"/hooks/":                                     "refuses other methods",
	"GET /api/operator/tenants":                   "the operator's token; TestOperator",
	"POST /api/operator/tenants":                  "the operator's token; TestOperator",
	"POST /api/operator/tenants/{tenant}/suspend": "the operator's token; TestOperator",
	"POST /api/operator/tenants/{tenant}/resume":  "the operator's token; TestOperator",
	"POST /api/operator/tenants/{tenant}/delete":  "the operator's token; TestOperator",
	"/api/operator/":                              "the operator's token; TestOperator",
	"GET /healthz":                                "anybody",
	"GET /livez":                                  "anybody",
	"GET /readyz":                                 "anybody",
	"GET /acceptz":                                "anybody",
	"GET /docs":                                   "anybody",
	"GET /docs/{page...}":                         "anybody",
	"GET /docs/reference":                         "anybody",
	"GET /docs/reference.css":                     "anybody",
	"GET /llms.txt":                               "anybody",
	"GET /api/openapi.json":                       "anybody",
	"/api/app/":                                   "refuses",
	"/":                                           "anybody: the web app's files",
	"/mcp":                                        "a token; internal/mcpserver walks scopes, tools and roles",
	"/.well-known/":                               "refuses",
	"GET /.well-known/oauth-protected-resource":   "anybody: where tokens come from",
	"GET /.well-known/oauth-protected-resource/mcp": "anybody: where tokens come from",
}

// unaudited are the operations that change something and write no audit row. Every other one
// that requires a permission must write one.
var unaudited = map[string]string{
	"previewImport":         "shows what would become of a file, and keeps nothing",
	"uploadImport":          "a file that waits; that its import was started is in the audit",
	"editRow":               "has its event, as every record that is stored: the record's history names the person",
	"createRow":             "has its event, as every record that is stored: the record's history names the person",
	"createView":            "how somebody looks at a table",
	"changeView":            "how somebody looks at a table",
	"deleteView":            "how somebody looks at a table",
	"createListView":        "how somebody looks at a list",
	"changeListView":        "how somebody looks at a list",
	"deleteListView":        "how somebody looks at a list",
	"markAlertsRead":        "what a person has read is theirs",
	"markInbox":             "what a person has seen is theirs",
	"testRecord":            "shows what would become of a record, and keeps nothing",
	"previewBulkRetry":      "shows what would become of a bulk retry, and keeps nothing",
	"countFailedValues":     "counts what was sent, and keeps nothing",
	"explainRecommendation": "shows how a suggestion comes about, and keeps nothing",
	"previewPlaybookConfig": "shows what a change would do to the queue, and keeps nothing",
	"previewStrategy":       "shows what a strategy would do to the queue, and keeps nothing",
	"rehearseExchange":      "shows what a sync would do, and keeps nothing",
	"tryTableColumn":        "shows what a column's rules would have refused, and keeps nothing",
	"previewStrategyChange": "shows what a change would do to the queue, and keeps nothing",
}

// exports are the operations that only read and still write an audit row, because data leaves
// the service.
var exports = []string{"exportRows", "exportFailures", "downloadImportRejects"}

// document is the part of the OpenAPI document that the test needs.
type document struct {
	Paths      map[string]map[string]described
	Components struct{ Schemas map[string]schema }
}

type described struct {
	OperationID string `json:"operationId"`
	Needs       string `json:"x-needs"`
	RequestBody struct {
		Content map[string]struct{ Schema schema }
	} `json:"requestBody"`
}

type schema struct {
	Ref        string `json:"$ref"`
	Properties map[string]schema
	Examples   []any
}

// company is one of the two companies of the test.
type company struct {
	pgtest.Tenant
	canary string
	roles  map[auth.Role]*person
}

// TestPermissions calls every operation in every role, as another company's admin and as
// nobody, and compares the answers with the permission table.
func TestPermissions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ours, theirs := w.company("canary-ours"), w.company("canary-theirs")
	sibling := w.sibling(ours, "canary-sibling")
	doc := decode[document](t, w.nobody().call(http.MethodGet, "/api/openapi.json", nil), http.StatusOK)

	walked, ids := []string{}, []string{}
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) { // in the same order each time: a call may show what an earlier one made
		for _, method := range slices.Sorted(maps.Keys(doc.Paths[path])) {
			op := doc.Paths[path][method]
			method = strings.ToUpper(method)
			walked, ids = append(walked, method+" "+path), append(ids, op.OperationID)
			if op.Needs == "" {
				continue // ingest: a key, not a person
			}
			t.Run(op.OperationID, func(t *testing.T) {
				walk{w: w, doc: doc, method: method, path: path, op: op, ours: ours, theirs: theirs, sibling: sibling}.run(t)
			})
		}
	}
	require.Greater(t, len(walked), 30, "the operations were not read")
	require.Subset(t, ids, slices.Collect(maps.Keys(unaudited)), "an exception that nothing needs")
	for _, pattern := range w.app.HTTP.Patterns() {
		if _, known := bare[pattern]; !known {
			require.Contains(t, walked, pattern, "a route that the walk does not know")
		}
	}
}

// company creates a company whose names all contain the canary.
func (w *world) company(canary string) company {
	w.t.Helper()
	c := company{Tenant: pgtest.NewTenant(w.t, w.db), canary: canary, roles: map[auth.Role]*person{}}
	w.exec("UPDATE control.tenants SET name = $2 WHERE id = $1", c.ID, canary)
	w.exec("UPDATE control.workspaces SET name = $2 WHERE tenant_id = $1", c.ID, canary)
	for _, role := range auth.Roles() {
		c.roles[role] = w.join(c.Tenant, role)
		w.exec("UPDATE control.users SET name = $2 WHERE id = $1", c.roles[role].id, canary)
	}
	w.key(c)
	return c
}

// sibling creates another workspace of a company, with one of each object in it.
func (w *world) sibling(of company, canary string) company {
	w.t.Helper()
	second := company{Tenant: pgtest.Tenant{ID: of.ID, Workspace: uuid.Must(uuid.NewV7())}, canary: canary,
		roles: of.roles}
	w.exec("INSERT INTO control.workspaces (tenant_id, id, name, time_zone) VALUES ($1, $2, 'Second', 'UTC')", second.ID,
		second.Workspace)
	for _, thing := range []string{"{key}", "{record}", "{article}", "{customer}", "{view}", "{failure}", "{bulk}", "{line}", "{import}", "{token}", "{strategy}", "{sop}", "{run}", "{connection}", "{rule}", "{backfill}"} {
		walk{w: w}.id(w.t, thing, of.roles[auth.CompanyAdmin], second, second)
	}
	walk{w: w}.conflict(w.t, second, walk{w: w}.line(w.t, second).OrderNo)
	w.exec("UPDATE workspace.imports SET status = 'cancelled', finished_at = now() WHERE workspace_id = $1",
		second.Workspace)
	return second
}

// rowsOf returns all rows of a workspace.
func (w *world) rowsOf(workspace uuid.UUID) []string {
	w.t.Helper()
	if w.everyRow == "" {
		w.everyRow = strings.Join(w.read(`pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'workspace_id' AND NOT a.attisdropped
			WHERE c.relnamespace = 'workspace'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition`,
			`format('SELECT %L || t::text AS row FROM %s t WHERE workspace_id = $1', c.oid::regclass, c.oid::regclass)`, "1"),
			" UNION ALL ")
	}
	rows, err := w.admin.Query(w.t.Context(), w.everyRow+" ORDER BY 1", workspace)
	require.NoError(w.t, err)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(w.t, err)
	require.Greater(w.t, len(found), 8, "something of everything")
	return found
}

// configured gives a workspace a config of one version.
func (w *world) configured(place company) {
	w.t.Helper()
	w.exec("DELETE FROM workspace.playbook_versions WHERE workspace_id = $1 AND kind = 'config'", place.Workspace)
	w.exec(`INSERT INTO workspace.playbook_versions (tenant_id, workspace_id, kind, document_id, version, content, author, note, revision)
		VALUES ($1, $2, 'config', $2, 1, '{"values":{}}', '{"type":"system"}', $3, 1)`, place.ID, place.Workspace, place.canary)
}

func (w *world) key(c company) uuid.UUID {
	w.t.Helper()
	key, _, err := w.app.Keys.Issue(w.t.Context(), auth.Operator(c.ID),
		apikey.Request{Workspace: c.Workspace, Scope: "*", Label: c.canary})
	require.NoError(w.t, err)
	return key.ID
}

// walk is the test of one operation with all callers.
type walk struct {
	w            *world
	doc          document
	method, path string
	op           described
	ours, theirs company
	sibling      company // another workspace of ours
}

func (k walk) run(t *testing.T) {
	t.Helper()
	needs := auth.Permission(k.op.Needs)
	open := needs == "anybody"
	for role, somebody := range k.ours.roles {
		got := k.call(t, somebody.enter(), k.ours, k.ours)
		switch {
		case open, needs == "signed_in", role.May(needs):
			require.Less(t, got.status, 300, "%s as %s: %s", k.op.OperationID, role, got.body)
			k.requireAudit(t, somebody, got)
		default:
			requireProblem(t, got, http.StatusForbidden, "forbidden")
			require.NotContains(t, got.body, k.ours.canary)
			require.Empty(t, k.audited(got), "a refused call is in the audit")
		}
		require.NotContains(t, got.body, k.theirs.canary, "%s shows %s another company", k.op.OperationID, role)
		if k.inWorkspace() {
			require.NotContains(t, got.body, k.sibling.canary, "%s shows %s another workspace", k.op.OperationID, role)
		}
	}
	if open {
		require.Less(t, k.call(t, k.w.nobody(), k.ours, k.ours).status, 300)
		return
	}
	requireProblem(t, k.call(t, k.w.nobody(), k.ours, k.ours), http.StatusUnauthorized, "no_session")
	forged := k.w.nobody()
	forged.session = strings.Repeat("A", 43)
	requireProblem(t, k.call(t, forged, k.ours, k.ours), http.StatusUnauthorized, "no_session")
	if needs != "signed_in" {
		// Another company's admin cannot tell our company from one that does not exist.
		stranger := k.theirs.roles[auth.CompanyAdmin]
		got := k.call(t, stranger.enter(), k.ours, k.ours)
		nowhere := company{Tenant: pgtest.Tenant{ID: uuid.New(), Workspace: uuid.New()}}
		require.Equal(t, masked(k.call(t, stranger.enter(), nowhere, k.ours)), masked(got),
			"a place that exists is told from one that does not")
		requireProblem(t, got, http.StatusNotFound, "unknown_place")
	}
	aThing := regexp.MustCompile(`\{(member|invitation|key|token|session|failure|bulk|line|order|record|article|view|import|strategy|sop|run|supplier|connection|definition|rule|backfill)\}`).MatchString(k.path)
	if aThing {
		got := k.call(t, k.ours.roles[auth.CompanyAdmin].enter(), k.ours, k.theirs)
		require.Equal(t, http.StatusNotFound, got.status, "our admin reached their thing by its id: %s", got.body)
		require.NotContains(t, got.body, k.theirs.canary)
	}
	if k.inWorkspace() {
		// Our admin belongs to the other workspace too, but calls in this one.
		do := k.prepare(t, k.ours.roles[auth.CompanyAdmin].enter(), k.ours, k.sibling)
		before := k.w.rowsOf(k.sibling.Workspace)
		got := do()
		require.NotContains(t, got.body, k.sibling.canary, "another workspace is shown")
		require.Equal(t, before, k.w.rowsOf(k.sibling.Workspace), "another workspace was changed")
		if aThing || k.takesLines() {
			require.Equal(t, http.StatusNotFound, got.status, "another workspace's thing was reached by its id: %s", got.body)
		}
	}
}

func (k walk) inWorkspace() bool { return strings.Contains(k.path, "{workspace}") }

// takesLines reports whether the operation's body names existing lines.
func (k walk) takesLines() bool {
	body := k.op.RequestBody.Content["application/json"].Schema
	_, lines := k.doc.Components.Schemas[strings.TrimPrefix(body.Ref, "#/components/schemas/")].Properties["lines"]
	return lines && k.op.OperationID != "draftLines"
}

// requireAudit checks the audit row of a successful operation: its actor, company and request.
func (k walk) requireAudit(t *testing.T, somebody *person, got answer) {
	t.Helper()
	_, exempt := unaudited[k.op.OperationID]
	switch needs := k.op.Needs; {
	case needs == "anybody", needs == "signed_in": // a person's own settings; TestAudit has those that a company can read
	case k.method == http.MethodGet && !slices.Contains(exports, k.op.OperationID), exempt:
		require.Empty(t, k.audited(got), "%s only reads", k.op.OperationID)
	default:
		want := []string{fmt.Sprintf("%s | user | %s", k.ours.ID, somebody.id)}
		if k.op.OperationID == "splitLine" {
			want = append(want, want[0]) // one for each of the two lines
		}
		require.Equal(t, want, k.audited(got), "%s must write one audit row", k.op.OperationID)
	}
}

// audited returns the audit rows of a call.
func (k walk) audited(got answer) []string {
	return k.w.read("workspace.audit WHERE request_id = '"+got.header.Get("X-Request-Id")+"'",
		"tenant_id, actor->>'type', actor->>'id'", "1")
}

// masked returns an answer without its request id, which differs from call to call.
func masked(got answer) string {
	return fmt.Sprint(got.status, regexp.MustCompile(`"request_id":"[^"]*"`).ReplaceAllString(got.body, ""))
}

// call calls the operation in the company place, on an object created for it in the company
// things.
func (k walk) call(t *testing.T, caller *person, place, things company) answer {
	t.Helper()
	return k.prepare(t, caller, place, things)()
}

// prepare creates the operation's object and returns a function that calls the operation.
func (k walk) prepare(t *testing.T, caller *person, place, things company) func() answer {
	t.Helper()
	path := regexp.MustCompile(`\{[a-z]+\}`).ReplaceAllStringFunc(k.path, func(name string) string {
		return k.id(t, name, caller, place, things)
	})
	if k.op.OperationID == "startBulkRetry" {
		k.id(t, "{failure}", caller, place, things) // there must be one to retry
	}
	var body any
	if content, ok := k.op.RequestBody.Content["application/json"]; ok {
		body = k.body(t, content.Schema, things)
	}
	seen := `If-Match: "1"`
	switch k.op.OperationID {
	case "correctReceipt":
		seen = `If-Match: "4"` // drafted, submitted, approved, received
	case "sendOrder":
		by := auth.Operator(things.ID)
		by.Workspace = things.Workspace
		_, order, _ := strings.Cut(path, "purchase-orders/")
		order, _, _ = strings.Cut(order, "/")
		draft, err := k.w.app.Sending.Draft(t.Context(), by, purchase.Print{OrderNo: order}, time.Now())
		require.NoError(t, err)
		body = map[string]any{"key": uuid.New(), "digest": draft.Digest, "to": []string{}, "subject": "Order", "text": "Hello", "by_hand": true}
	case "removeOrderReceiver":
		_, order, _ := strings.Cut(path, "purchase-orders/")
		order, _, _ = strings.Cut(order, "/")
		k.w.exec(`INSERT INTO workspace.order_receivers (tenant_id, workspace_id, supplier, address, actor)
			SELECT $1, $2, coalesce(supplier_id, supplier_name, ''), 'sales@harbour.example', '{}' FROM workspace.purchase_order_lines
			WHERE tenant_id = $1 AND workspace_id = $2 AND order_no = $3 LIMIT 1
			ON CONFLICT DO NOTHING`, things.ID, things.Workspace, order)
		path += "?address=sales@harbour.example"
	case "confirmOrder": // the line of the order in the path
		_, order, _ := strings.Cut(path, "purchase-orders/")
		order, _, _ = strings.Cut(order, "/")
		line := strings.Split(k.w.read("workspace.purchase_order_lines WHERE order_no = '"+order+"'", "id, version", "created_at DESC")[0], " | ")
		body = map[string]any{"lines": []any{map[string]any{"id": line[0], "version": json.Number(line[1])}}}
	case "decideConflicts":
		_, order, _ := strings.Cut(path, "purchase-orders/")
		order, _, _ = strings.Cut(order, "/")
		body = map[string]any{"decisions": []any{map[string]any{"conflict": k.conflict(t, things, order), "take": "ours", "ours": "1", "theirs": "2"}}}
	case "setPurchasingRules", "setPlaybookConfig", "previewPlaybookConfig":
		k.w.configured(place)
	case "createTableDefinition":
		body = map[string]any{"name": "T" + strings.ReplaceAll(uuid.NewString(), "-", ""), "columns": []any{map[string]any{"name": "a", "type": "text"}}}
	case "listUnknownFields", "ignoreUnknownField":
		k.unknownField(things, "suppliers")
	case "startBackfill":
		table := k.id(t, "{definition}", caller, place, things)
		k.unknownField(things, table)
		body = map[string]any{"table": table, "field": "vat_id", "column": "note"}
	case "convertTableColumn":
		body = map[string]any{"type": "number", "lose": 0}
	case "createConnection":
		k.w.exec("UPDATE workspace.connections SET deleted_at = now() WHERE workspace_id = $1", place.Workspace)
	case "startAgentRun":
		k.w.exec("UPDATE workspace.agent_runs SET status = 'done' WHERE status <> 'done' AND workspace_id = $1", place.Workspace)
	}
	if strings.Contains(k.path, "{definition}") {
		seen = `If-Match: "` + k.w.read("workspace.registry_tables WHERE tenant_id = '"+things.ID.String()+"'", "version", "created_at DESC, slug DESC")[0] + `"`
	}
	if strings.HasSuffix(k.path, "/preview") && strings.Contains(k.path, "/playbook/") {
		k.recommendation(t, things) // there must be a queue
	}
	if _, ok := k.op.RequestBody.Content["application/octet-stream"]; ok {
		body = "external_id,order_number\n1,2\n"
		// A workspace stores only a few files.
		k.w.exec("UPDATE workspace.imports SET status = 'cancelled', finished_at = now() WHERE finished_at IS NULL")
	}
	if k.op.OperationID == "search" {
		k.id(t, "{record}", caller, place, things) // there must be one to find
		path += "?q=canary"
	}
	if k.op.OperationID == "findArrivals" {
		path += "?code=canary"
	}
	return func() answer { return caller.call(k.method, path, body, seen) }
}

// id creates the object that a path parameter names.
func (k walk) id(t *testing.T, name string, caller *person, place, things company) string {
	t.Helper()
	switch name {
	case "{tenant}":
		return place.ID.String()
	case "{workspace}":
		return place.Workspace.String()
	case "{slug}":
		return "orders"
	case "{table}":
		return "suppliers"
	case "{list}":
		return "purchase-orders"
	case "{record}", "{supplier}":
		var id string
		require.NoError(t, k.w.admin.QueryRow(t.Context(), `INSERT INTO workspace.suppliers (tenant_id, workspace_id, external_id, name)
			VALUES ($1, $2, gen_random_uuid()::text, $3) RETURNING id`, things.ID, things.Workspace, things.canary).Scan(&id))
		return id
	case "{article}":
		var id string
		require.NoError(t, k.w.admin.QueryRow(t.Context(), `INSERT INTO workspace.products (tenant_id, workspace_id, sku, name)
			VALUES ($1, $2, gen_random_uuid()::text, $3) RETURNING id`, things.ID, things.Workspace, things.canary).Scan(&id))
		return id
	case "{customer}":
		var id string
		require.NoError(t, k.w.admin.QueryRow(t.Context(), `INSERT INTO workspace.customers (tenant_id, workspace_id, external_id, name)
			VALUES ($1, $2, gen_random_uuid()::text, $3) RETURNING id`, things.ID, things.Workspace, things.canary).Scan(&id))
		return id
	case "{view}":
		id, whose := uuid.New(), caller.id
		if things.ID != place.ID {
			whose = things.roles[auth.CompanyAdmin].id
		}
		k.w.exec(`INSERT INTO workspace.saved_views (tenant_id, id, workspace_id, list, slug, name, definition, owner_id)
			VALUES ($1, $2, $3, $6, CASE WHEN $6 THEN 'purchase-orders' ELSE 'suppliers' END, $4, '{}', $5)`,
			things.ID, id, things.Workspace, things.canary+id.String(), whose, strings.Contains(k.path, "{list}"))
		return id.String()
	case "{definition}":
		by, title := auth.Operator(things.ID), things.canary
		if things.ID == k.ours.ID {
			title = k.ours.canary // a company's tables are in all of its workspaces
		}
		made, err := k.w.app.Tables.Define(t.Context(), by, registry.Definition{Title: title,
			Slug:    "t" + strings.ReplaceAll(uuid.NewString(), "-", ""),
			Columns: []registry.ColumnDefinition{{Name: "note", Type: registry.Text}, {Name: "kept", Type: registry.Text}}})
		require.NoError(t, err)
		if k.op.OperationID == "restoreTable" {
			_, err = k.w.app.Tables.SetRetired(t.Context(), by, made.Slug, 0, true)
		} else {
			_, err = k.w.app.Tables.SetColumnRetired(t.Context(), by, made.Slug, "kept", 0, true)
		}
		require.NoError(t, err)
		return made.Slug
	case "{column}":
		return map[string]string{"retireTableColumn": "note", "restoreTableColumn": "kept", "putTableColumn": "added", "tryTableColumn": "added", "convertTableColumn": "note"}[k.op.OperationID]
	case "{backfill}":
		id := uuid.Must(uuid.NewV7())
		k.w.exec(`INSERT INTO workspace.backfills (tenant_id, id, workspace_id, slug, field, column_name, actor, total, message)
			VALUES ($1, $2, $3, 'suppliers', 'vat_id', $4, '{}', 1, $5)`, things.ID, id, things.Workspace, id.String(), things.canary)
		return id.String()
	case "{platform}":
		return "n8n"
	case "{strategy}", "{sop}":
		return k.document(name, things).String()
	case "{key}":
		return k.w.key(things).String()
	case "{connection}":
		// Its test passed. The system behind it is a stand-in that has nothing.
		k.w.exec("UPDATE workspace.connections SET deleted_at = now() WHERE workspace_id = $1", things.Workspace)
		by := auth.Operator(things.ID)
		by.Workspace = things.Workspace
		other := httptest.NewServer(inventory.New(inventory.Options{Token: "token"}, inventory.Stock{}))
		t.Cleanup(other.Close)
		made, err := k.w.app.HTTP.Connections.Create(t.Context(), by, connection.Katana,
			connection.Settings{Name: things.canary, Address: other.URL + "/v1", MayLoad: true}, "token")
		require.NoError(t, err)
		k.w.exec(`INSERT INTO workspace.exchange_ids (tenant_id, connection_id, kind, ours, theirs, name, chosen_by)
			VALUES ($1, $2, 'location', '0192b6a1-7d3c-7e51-9f0a-5b1d2c3e4f60', '11', $3, '{"type":"system"}')`, things.ID, made.ID, things.canary)
		k.w.exec("UPDATE workspace.connections SET tested = credentials, tested_at = now() WHERE id = $1", made.ID)
		return made.ID.String()
	case "{member}":
		return k.w.join(things.Tenant, auth.Viewer).id.String()
	case "{invitation}":
		invitation, _, err := k.w.app.Accounts.Invite(t.Context(), auth.Operator(things.ID), fresh(), auth.Buyer)
		require.NoError(t, err)
		return invitation.ID.String()
	case "{failure}":
		// No key has the nil id; only the failure matters here.
		id := uuid.Must(uuid.NewV7())
		k.w.exec(`INSERT INTO workspace.failed_imports (tenant_id, id, workspace_id, slug, http_status, code, message, payload, payload_hash, key_id, request_id, status, closed_at)
			VALUES ($1, $2, $3, 'orders', 422, 'required', $4, '{"external_id":1}', sha256(convert_to($6, 'UTF8')), $2, 'walk', $5, CASE WHEN $5::text = 'open' THEN NULL ELSE now() END)`,
			things.ID, id, things.Workspace, things.canary,
			map[bool]string{true: "ignored", false: "open"}[k.op.OperationID == "reopenFailure"], id.String())
		return id.String()
	case "{bulk}":
		id := uuid.Must(uuid.NewV7())
		k.w.exec(`INSERT INTO workspace.bulk_retries (tenant_id, id, workspace_id, filter, fixes, overwrite, actor, request_id, total, last_id)
			VALUES ($1, $2, $3, jsonb_build_object('text', $4::text), '[]', false, '{}', 'walk', 1, $2)`, things.ID, id, things.Workspace, things.canary)
		return id.String()
	case "{rule}":
		by := auth.Operator(things.ID)
		by.Workspace = things.Workspace
		key := k.w.key(things)
		made, err := k.w.app.HTTP.Failures.KeepRules(t.Context(), by, failed.Plan{Filter: failed.Filter{Slug: "orders"},
			Fixes: []mend.Fix{{Do: mend.DropField, Field: things.canary}}}, failed.Keep{Key: &key})
		require.NoError(t, err)
		return made[0].ID.String()
	case "{run}":
		// Its line is gone, so that undoing it keeps the line and writes one audit row.
		id := uuid.Must(uuid.NewV7())
		k.w.exec(`INSERT INTO workspace.agent_runs (tenant_id, id, workspace_id, dry, status, started_by, message)
			VALUES ($1, $2, $3, false, 'done', '{"type":"system"}', $4)`, things.ID, id, things.Workspace, things.canary)
		k.w.exec(`INSERT INTO workspace.agent_decisions (tenant_id, run_id, n, product_id, recommendation_key, sku, name, supplier_id, supplier_name,
				quantity, currency, rule, sentence, outcome, line_id, line_version)
			VALUES ($1, $2, 1, 'gone', 'rq1:0:1', '', $3, '', '', 1, '', 'draft', $3, 'drafted', 'gone', 1)`, things.ID, id, things.canary)
		k.w.exec(`INSERT INTO workspace.suggestions (tenant_id, recommendation_key, first_on, workspace_id, product_id, supplier_id, urgency,
				suggested_quantity, safety_stock, lead_time_days, until, last_on, judged_on)
			VALUES ($1, $2, current_date, $3, 'gone', $4, 'high', 1, 0, 1, current_date, current_date, current_date)`,
			things.ID, id.String(), things.Workspace, things.canary)
		return id.String()
	case "{line}":
		return k.line(t, things).ID
	case "{order}":
		order := k.line(t, things).OrderNo
		if strings.Contains(k.path, "{connection}") { // which was created just now
			k.exchange(t, things, order)
		}
		return order
	case "{mail}": // of the order in the path, which was created just now
		id := uuid.Must(uuid.NewV7())
		k.w.exec(`INSERT INTO workspace.order_mails (tenant_id, id, workspace_id, order_no, key, supplier, receivers, copies, reply_to, subject, document,
				file_name, lines, state)
			SELECT $1, $2, $3, order_no, $2, '', '{}', '{}', '', $4, convert_to($4, 'UTF8'), 'canary.pdf', '[]', 'sent' FROM workspace.purchase_order_lines
			WHERE tenant_id = $1 AND workspace_id = $3 ORDER BY created_at DESC, id DESC LIMIT 1`, things.ID, id, things.Workspace, things.canary)
		return id.String()
	case "{approver}":
		return things.roles[auth.Approver].id.String()
	case "{import}":
		id := uuid.Must(uuid.NewV7())
		k.w.exec(`INSERT INTO workspace.imports (tenant_id, id, workspace_id, slug, status, file_name, reading, found, actor, request_id, total)
			VALUES ($1, $2, $3, 'orders', 'ready', $4, '{"format":"csv","delimiter":","}', '{"about":"CSV","names":["external_id"]}', '{}', 'walk', 1)`,
			things.ID, id, things.Workspace, things.canary)
		k.w.exec(`INSERT INTO workspace.import_chunks (tenant_id, import_id, n, bytes) VALUES ($1, $2, 0, convert_to(E'external_id\n1\n', 'UTF8'))`, things.ID, id)
		return id.String()
	case "{token}":
		whose := caller
		if things.ID != place.ID || whose.id == uuid.Nil {
			whose = things.roles[auth.CompanyAdmin]
		}
		made, _, err := k.w.app.Tokens.Issue(t.Context(),
			auth.Principal{Tenant: things.ID, Workspace: things.Workspace, Role: auth.Viewer, Person: whose.id},
			tokens.Request{Label: things.canary, Scopes: []auth.Scope{auth.ScopeRead}})
		require.NoError(t, err)
		return made.ID.String()
	case "{session}":
		whose := caller.id
		if things.ID != place.ID || whose == uuid.Nil {
			whose = things.roles[auth.CompanyAdmin].id
		}
		(&person{w: k.w, id: whose, from: "10.0.0.1"}).enter()
		var id uuid.UUID
		require.NoError(t, k.w.admin.QueryRow(t.Context(),
			"SELECT id FROM control.sessions WHERE user_id = $1 ORDER BY id DESC LIMIT 1", whose).Scan(&id))
		return id.String()
	}
	t.Fatalf("%s has a parameter that the walk cannot fill: %s", k.op.OperationID, name)
	return ""
}

// unknownField counts a field that a table does not have.
func (k walk) unknownField(c company, table string) {
	k.w.exec(`INSERT INTO workspace.unknown_fields (tenant_id, workspace_id, slug, name, records, texts, samples, first_seen_at, last_seen_at)
		VALUES ($1, $2, $3, 'vat_id', 1, 1, ARRAY[$4], now(), now()) ON CONFLICT DO NOTHING`, c.ID, c.Workspace, table, c.canary)
}

// exchange puts an order into the exchange of the workspace's connection.
func (k walk) exchange(t *testing.T, c company, order string) (connection uuid.UUID) {
	t.Helper()
	require.NoError(t, k.w.admin.QueryRow(t.Context(), `INSERT INTO workspace.exchange_orders (tenant_id, connection_id, order_no, workspace_id, state, message)
		SELECT tenant_id, id, $2, workspace_id, $3, $4 FROM workspace.connections WHERE workspace_id = $1 AND deleted_at IS NULL RETURNING connection_id`,
		c.Workspace, order, map[bool]string{true: "paused", false: "failed"}[k.op.OperationID == "resumeExchangeOrder"], c.canary).Scan(&connection))
	return connection
}

// conflict creates a conflict about the price of an order's line.
func (k walk) conflict(t *testing.T, c company, order string) uuid.UUID {
	t.Helper()
	id := uuid.Must(uuid.NewV7())
	k.id(t, "{connection}", nil, c, c)
	k.w.exec(`INSERT INTO workspace.exchange_conflicts (tenant_id, id, connection_id, workspace_id, order_no, line_id, field, reason, base, ours, theirs, choices)
		SELECT $1, $2, $3, $4, order_no, id, 'price', 'both_changed', $6, '1', '2', '{ours,theirs}' FROM workspace.purchase_order_lines
		WHERE tenant_id = $1 AND order_no = $5 LIMIT 1`, c.ID, id, k.exchange(t, c, order), c.Workspace, order, c.canary)
	return id
}

// document creates a strategy or an SOP.
func (k walk) document(name string, c company) uuid.UUID {
	id, content := uuid.Must(uuid.NewV7()), `{"title":"","body":"","status":"active","scope":"workspace","parameters":{}}`
	kind, slug := "strategy", any(nil)
	if name == "{sop}" {
		kind, slug = "sop", "sop-"+id.String()
		content = `{"title":"","body":"","status":"active","trigger":"","owner_role":"buyer","slug":"sop-` + id.String() + `"}`
	}
	k.w.exec(`INSERT INTO workspace.playbook_versions (tenant_id, workspace_id, kind, document_id, version, slug, content, author, note, revision)
		VALUES ($1, $2, $3, $4, 1, $5, $6::jsonb || jsonb_build_object('title', $7::text), '{"type":"system"}', '', 1)`,
		c.ID, c.Workspace, kind, id, slug, content, c.canary)
	return id
}

// recommendation creates an article with a row of the queue that is put off, and returns its id and
// the row's key.
func (k walk) recommendation(t *testing.T, c company) (product, key string) {
	t.Helper()
	sku := uuid.NewString()
	require.NoError(t, k.w.admin.QueryRow(t.Context(), `INSERT INTO workspace.products (tenant_id, workspace_id, sku, name)
		VALUES ($1, $2, $3, $4) RETURNING id`, c.ID, c.Workspace, sku, c.canary).Scan(&product))
	key = purchase.RecommendationKey(c.ID, sku, purchase.Everywhere, 1)
	k.w.exec(`INSERT INTO workspace.forecast_state (tenant_id, workspace_id, as_of, time_zone, week_start, computed_at, stale)
		VALUES ($1, $2, current_date, 'UTC', 1, now(), false) ON CONFLICT DO NOTHING`, c.ID, c.Workspace)
	k.w.exec(`INSERT INTO workspace.queue_state (tenant_id, workspace_id, as_of, forecasts_at, playbook_revision, computed_at)
		VALUES ($1, $2, current_date, now(), 0, now()) ON CONFLICT DO NOTHING`, c.ID, c.Workspace)
	k.w.exec(`INSERT INTO workspace.queue_rows (tenant_id, workspace_id, product_id, as_of, recommendation_key, sku, name, action, urgency, rank,
			margin_at_risk, open_purchase_order_quantity, draft_quantity, overdue_quantity, demand_per_day, lead_time_days,
			lead_time_source, safety_stock, reorder_point, target_stock, late_by_days, raw_quantity, suggested_quantity,
			overbuy_quantity, confidence, data_gaps, reason, reason_text, computed_at, digest)
		VALUES ($1, $2, $3, current_date, $4, $5, $6, 'order', 'high', 1, 0, 0, 0, 0, 1, 14, 'default', 3, 5, 9, 0, 7.5, 8, 0.5, 'low', '{}',
			'[]', $6, now(), '')`, c.ID, c.Workspace, product, key, sku, c.canary)
	k.w.exec(`INSERT INTO workspace.suppressions (tenant_id, id, workspace_id, product_id, recommendation_key, kind, since, raw_quantity, critical, reason, actor)
		VALUES ($1, $2, $3, $4, $5, 'dismissed', current_date, 8, false, $6, '{"type":"system"}')`, c.ID, uuid.New(), c.Workspace, product, key, c.canary)
	return product, key
}

// line creates a line that the operation can act on.
func (k walk) line(t *testing.T, c company) purchase.Line {
	t.Helper()
	text := func(s string) *string { return &s }
	by := func(role auth.Role) auth.Principal {
		id := c.roles[role].id
		return auth.Principal{Tenant: c.ID, Workspace: c.Workspace, Role: role, Person: id,
			Actor: auth.Actor{Type: auth.ByPerson, ID: id.String()}}
	}
	lines, err := k.w.app.Purchase.DraftConfirmed(t.Context(), by(auth.Buyer),
		[]purchase.NewLine{{Changes: purchase.Changes{
			OrderNo: text(uuid.NewString()), SKU: text("TEA"), SupplierID: text(k.supplier(t, c)), QuantityOrdered: text("10"),
			PricePerUnit: text("1"), Currency: text("EUR"), Note: &c.canary,
		}}})
	require.NoError(t, err)
	step := func(to purchase.Status, do func() ([]purchase.Line, error)) {
		if slices.Contains(before[k.op.OperationID], to) {
			lines, err = do()
			require.NoError(t, err)
		}
	}
	refs := func() []purchase.Ref { return []purchase.Ref{{ID: lines[0].ID, Version: lines[0].Version}} }
	step(purchase.Cancelled, func() ([]purchase.Line, error) {
		return k.w.app.Purchase.Cancel(t.Context(), by(auth.Buyer), refs(), "not needed")
	})
	step(purchase.PendingApproval, func() ([]purchase.Line, error) {
		return k.w.app.Purchase.Submit(t.Context(), by(auth.Buyer), refs())
	})
	step(purchase.Ordered, func() ([]purchase.Line, error) {
		return k.w.app.Purchase.Approve(t.Context(), by(auth.Approver), refs())
	})
	step(purchase.PartiallyReceived, func() ([]purchase.Line, error) {
		return k.w.app.Purchase.Receive(t.Context(), by(auth.Buyer),
			purchase.Delivery{Arrivals: []purchase.Arrival{{Ref: refs()[0], Quantity: "4"}}})
	})
	return lines[0]
}

// before holds the statuses that a line must pass before an operation; the others act on a
// draft.
var before = map[string][]purchase.Status{
	"approveLines":    {purchase.PendingApproval},
	"sendBackLines":   {purchase.PendingApproval},
	"reopenLines":     {purchase.Cancelled},
	"receiveLines":    {purchase.PendingApproval, purchase.Ordered},
	"confirmOrder":    {purchase.PendingApproval, purchase.Ordered},
	"sendOrder":       {purchase.PendingApproval, purchase.Ordered},
	"closeLinesShort": {purchase.PendingApproval, purchase.Ordered, purchase.PartiallyReceived},
	"correctReceipt":  {purchase.PendingApproval, purchase.Ordered, purchase.PartiallyReceived},
}

func (k walk) supplier(t *testing.T, c company) string {
	t.Helper()
	id := uuid.NewString()
	k.w.exec("INSERT INTO workspace.suppliers (tenant_id, workspace_id, id, external_id, name) VALUES ($1, $2, $3, $3, $4)", c.ID, c.Workspace, id, c.canary)
	return id
}

// body returns the example of the operation, with real ids.
func (k walk) body(t *testing.T, body schema, things company) map[string]any {
	t.Helper()
	filled := map[string]any{}
	fields := k.doc.Components.Schemas[strings.TrimPrefix(body.Ref, "#/components/schemas/")].Properties
	require.NotEmpty(t, fields)
	for name, field := range fields {
		if len(field.Examples) > 0 {
			filled[name] = field.Examples[0]
		}
		switch {
		case name == "lines" && k.op.OperationID == "draftRecommendations":
			_, key := k.recommendation(t, things)
			filled[name] = []any{map[string]any{"recommendation_key": key}}
		case name == "recommendation_key":
			_, filled[name] = k.recommendation(t, things)
		case name == "product_id" && k.op.OperationID == "explainRecommendation":
			filled[name], _ = k.recommendation(t, things)
		case name == "until":
			filled[name] = time.Now().AddDate(0, 0, 7).Format(time.DateOnly)
		case name == "lines" && k.op.OperationID != "draftLines":
			line := k.line(t, things)
			filled[name] = []any{map[string]any{"id": line.ID, "version": line.Version}}
		case k.op.OperationID == "createRow":
			filled[name] = map[string]any{"external_id": fresh(), "name": "Northern Mills"} // a new one each time
		case name == "slug" && k.op.OperationID == "createSop":
			filled[name] = "sop-" + uuid.NewString()
		case name == "confirm_on_its_way":
			filled[name] = true // the test drafts the example many times
		case name == "into":
			var id string
			require.NoError(t, k.w.admin.QueryRow(t.Context(), `INSERT INTO workspace.products (tenant_id, workspace_id, external_id, sku, name)
				SELECT tenant_id, workspace_id, 'id of ' || sku, sku, name FROM workspace.products
				WHERE tenant_id = $1 AND workspace_id = $2 AND external_id IS NULL ORDER BY created_at DESC LIMIT 1 RETURNING id`,
				things.ID, things.Workspace).Scan(&id))
			filled[name] = id
		case name == "email" && k.op.OperationID == "signIn":
			filled[name] = k.w.join(things.Tenant, auth.Viewer).email
		case name == "email":
			filled[name] = fresh()
		case name == "token" && strings.Contains(k.path, "connections"): // the example
		case name == "token" && strings.Contains(k.path, "invitations"):
			_, link, err := k.w.app.Accounts.Invite(t.Context(), auth.Operator(things.ID), fresh(), auth.Buyer)
			require.NoError(t, err)
			filled[name] = link[strings.Index(link, "#")+1:]
		case name == "token":
			link, err := k.w.app.Accounts.OperatorResetLink(t.Context(), k.w.join(things.Tenant, auth.Viewer).email)
			require.NoError(t, err)
			filled[name] = link[strings.Index(link, "#")+1:]
		}
	}
	return filled
}

func fresh() string { return fmt.Sprintf("fresh-%d@example.com", people.Add(1)) }

// TestOpenAPIIsServed checks that the served document is the committed one.
func TestOpenAPIIsServed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	got := w.nobody().call(http.MethodGet, "/api/openapi.json", nil)
	var served map[string]any
	require.NoError(t, json.Unmarshal([]byte(got.body), &served))
	require.Equal(t, "3.1.0", served["openapi"])

	page := w.nobody().call(http.MethodGet, "/docs/reference", nil)
	require.Equal(t, http.StatusOK, page.status)
	paths, ok := served["paths"].(map[string]any)
	require.True(t, ok)
	for path := range paths {
		require.Contains(t, page.body, path)
	}
	// Offline: nothing is loaded from elsewhere, and the policy would refuse it.
	for _, found := range regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(page.body, -1) {
		require.True(t, strings.HasPrefix(found[1], "#") || strings.HasPrefix(found[1], "/docs") ||
			strings.HasPrefix(found[1], "/api/"), found[1])
	}
	require.Contains(t, page.header.Get("Content-Security-Policy"), "default-src 'none'")
}
