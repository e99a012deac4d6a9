package httpapi_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
)

// TestAuditOfComingsAndGoings checks the entries of sign-ins, refused sign-ins and exports,
// and that changes of names and rules show the former ones.
func TestAuditOfComingsAndGoings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ours, theirs := w.company("ours"), w.company("theirs")
	ada := ours.roles[auth.CompanyAdmin]
	told := func(action string) []auditEntry {
		return ada.enter().audit(ours.ID, "action="+action).Items
	}

	require.Equal(t, http.StatusUnauthorized, ada.guess("not the password").status)
	require.Equal(t, http.StatusOK, ada.signIn(password).status)
	w.app.Accounts.Close() // waits for entries written after the answer
	refused, started := told("session.refused"), told("session.started")
	require.Len(t, refused, 1)
	require.Equal(t, []string{"system", ada.id.String(), ada.email},
		[]string{refused[0].ByType, refused[0].Subject, fmt.Sprint(refused[0].Data["email"])})
	require.NotEmpty(t, refused[0].RequestID)
	require.Len(t, started, 1)
	require.Equal(t, []string{"user", ada.id.String()}, []string{started[0].ByType, started[0].ByID})
	require.Equal(t, map[string]any{"how": "password", "address": ada.from}, started[0].Data)
	require.Empty(t, theirs.roles[auth.CompanyAdmin].enter().audit(theirs.ID, "action=session.started").Items)

	place := "/api/app/workspaces/" + ours.Workspace.String()
	did := func(method, path string, body any, headers ...string) {
		t.Helper()
		got := ada.call(method, path, body, headers...)
		require.Less(t, got.status, 300, got.body)
	}
	did(http.MethodPatch, "/api/app/profile", map[string]any{"name": "Ada Lovelace"})
	did(http.MethodPatch, "/api/app/profile",
		map[string]any{"name": "Ada Lovelace", "alert_mails": false}) // not a new name
	renamed := told("member.renamed")
	require.Len(t, renamed, 1)
	require.Equal(t, []any{"ours", "Ada Lovelace"}, []any{renamed[0].Data["from"], renamed[0].Data["to"]})

	did(http.MethodGet, place+"/tables/suppliers/export?select_fields=id,name", nil)
	require.Equal(t, map[string]any{"fields": []any{"id", "name"}, "filtered": false}, told("table.exported")[0].Data)
	require.Equal(t, http.StatusNotFound, ada.call(http.MethodGet, place+"/tables/nothing/export", nil).status)
	require.Len(t, told("table.exported"), 1, "what was not made")
	did(http.MethodGet, place+"/failures.ndjson?status=open", nil)
	require.Equal(t, map[string]any{"status": "open", "table": ""}, told("failures.exported")[0].Data)
	file := walk{w: w}.id(t, "{import}", ada, ours, ours)
	did(http.MethodGet, place+"/imports/"+file+"/rejects.ndjson", nil)
	require.Equal(t, file, told("import.rejects_exported")[0].Subject)

	rules := map[string]any{"four_eyes": false, "agents_submit": true, "over_receipt_percent": "10",
		"reapproval_percent": "5"}
	did(http.MethodPut, place+"/purchasing-rules", rules, `If-Match: "0"`)
	changed := told("purchasing_rules.changed")[0].Data
	require.Equal(t, rules, changed["to"])
	require.Equal(t, map[string]any{"four_eyes": true, "agents_submit": true, "over_receipt_percent": "10",
		"reapproval_percent": "5"}, changed["from"])
	approver := ours.roles[auth.Approver].id
	w.exec("UPDATE control.users SET name = 'Abe' WHERE id = $1", approver)
	limit := place + "/approval-limits/" + approver.String()
	for _, amount := range []string{"5000", "70", ""} {
		did(http.MethodPut, limit, map[string]any{"amount": amount, "currency": "EUR"})
	}
	limits := told("approval_limit.changed")
	large, small := map[string]any{"amount": "5000", "currency": "EUR"}, map[string]any{"amount": "70", "currency": "EUR"}
	require.Equal(t, map[string]any{"from": nil, "to": large}, limits[2].Data)
	require.Equal(t, map[string]any{"from": large, "to": small}, limits[1].Data)
	require.Equal(t, map[string]any{"from": small, "to": nil}, limits[0].Data)
	require.Equal(t, "Abe", limits[0].About, "the details do not name the person")

	w.exec(`INSERT INTO workspace.products (tenant_id, workspace_id, id, external_id, name) VALUES ($1, $2, 'tea', 'tea', 'Green tea')`,
		ours.ID, ours.Workspace)
	w.exec(`INSERT INTO workspace.audit (tenant_id, id, workspace_id, actor, request_id, action, subject, data)
		VALUES ($1, gen_random_uuid(), $2, '{"type":"system"}', '', 'recommendation.restored', 'tea', '{}')`, ours.ID, ours.Workspace)
	require.Equal(t, "Green tea", told("recommendation.restored")[0].About)
}
