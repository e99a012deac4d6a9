package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/apikey"
	"github.com/quayside/quayside/internal/auth"
)

type keptRule struct {
	ID                    uuid.UUID
	Slug                  string
	KeyID                 *uuid.UUID `json:"key_id"`
	KeyLabel              string     `json:"key_label"`
	BulkID                *uuid.UUID `json:"bulk_id"`
	Enabled               bool
	Version               int64
	CreatedByID, ByID     string
	Fix                   struct{ Do, Field string }
	CreatedByType, ByType string
}

func (d desk) rules() string { return strings.Replace(d.path, "failures", "ingest-rules", 1) }

func (d desk) listRules() []keptRule {
	d.w.t.Helper()
	return decode[page[keptRule]](d.w.t, d.call(http.MethodGet, d.rules(), nil), http.StatusOK).Items
}

// TestFixIsKeptAsARule fixes a group of failed imports, keeps the fix for the key that sent them, and sends the same
// mistake again: with this key, with the key that replaces it, and with others.
func TestFixIsKeptAsARule(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.work()
	admin := w.desk(auth.CompanyAdmin)
	shop, secret, err := w.app.Keys.Issue(t.Context(), auth.Operator(w.tenant.ID),
		apikey.Request{Workspace: w.tenant.Workspace, Scope: "*", Label: "Shop sync"})
	require.NoError(t, err)
	w.keys["shop"] = secret
	n := 0
	send := func(key string) answer {
		n++
		return w.send(http.MethodPost, key, "/api/ingest/customers", nil,
			fmt.Appendf(nil, `{"external_id":"C%d","name":"Ada","accepts_marketing":"ja"}`, n))
	}
	requireStored := func(got answer) {
		t.Helper()
		require.Equal(t, http.StatusOK, got.status, got.body)
		require.Equal(t, "accepts_marketing", got.header.Get("Ingest-Coerced"))
	}
	require.Equal(t, http.StatusUnprocessableEntity, send("shop").status)
	require.Equal(t, http.StatusUnprocessableEntity, send("master").status)

	fixes := []any{map[string]any{"do": "map", "field": "accepts_marketing", "from": "ja", "value": true}}
	plan := map[string]any{"filter": map[string]any{"table": "customers", "code": "type", "field": "accepts_marketing", "key": shop.ID}, "fixes": fixes}
	start := map[string]any{"plan": plan, "expected": 1, "keep": map[string]any{"key": shop.ID}}
	requireProblem(t, w.desk(auth.Buyer).call(http.MethodPost, admin.bulks(), start), http.StatusForbidden, "forbidden")
	require.Empty(t, w.read("workspace.bulk_retries", "id", "1"), "all or nothing")
	bulk := decode[bulkRetry](t, admin.call(http.MethodPost, admin.bulks(), start), http.StatusCreated)
	require.Equal(t, int64(1), admin.ended(bulk.ID).Succeeded)

	requireStored(send("shop"))
	require.Equal(t, http.StatusUnprocessableEntity, send("master").status)
	require.Equal(t, http.StatusUnprocessableEntity, send("stranger").status)
	require.Equal(t, http.StatusUnprocessableEntity, send("elsewhere").status)
	dry := w.send(http.MethodPost, "shop", "/api/ingest/customers?dry_run=true", nil, []byte(`{"external_id":"D","name":"Ada","accepts_marketing":"ja"}`))
	requireStored(dry)

	rules := admin.listRules()
	require.Len(t, rules, 1)
	require.Equal(t, "Shop sync", rules[0].KeyLabel)
	require.Equal(t, bulk.ID, *rules[0].BulkID)
	require.Equal(t, rules, w.desk(auth.Viewer).listRules(), "everybody sees them")

	_, successor, err := w.app.Keys.Rotate(t.Context(), auth.Operator(w.tenant.ID), shop.ID, apikey.OverlapHour)
	require.NoError(t, err)
	w.keys["successor"] = successor
	requireStored(send("successor"))
	requireStored(send("shop"))

	off := admin.call(http.MethodPatch, admin.rules()+"/"+rules[0].ID.String(), map[string]any{"enabled": false}, `If-Match: "1"`)
	require.Equal(t, `"2"`, off.header.Get("ETag"))
	require.Equal(t, http.StatusUnprocessableEntity, send("successor").status)
	requireProblem(t, admin.call(http.MethodPatch, admin.rules()+"/"+rules[0].ID.String(), map[string]any{"enabled": true}, `If-Match: "1"`),
		http.StatusPreconditionFailed, "stale")
	versions := decode[page[keptRule]](t, admin.call(http.MethodGet, admin.rules()+"/"+rules[0].ID.String()+"/versions", nil), http.StatusOK).Items
	require.Len(t, versions, 2)
	require.Equal(t, []bool{false, true}, []bool{versions[0].Enabled, versions[1].Enabled})
}

// TestRulesAndRetries keeps rules without a retry. Then the failed imports are retried as they were sent, or with another
// field corrected.
func TestRulesAndRetries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin := w.desk(auth.CompanyAdmin)
	keep := func(filter map[string]any, fixes ...map[string]any) answer {
		return admin.call(http.MethodPost, admin.rules(), map[string]any{"filter": filter, "fixes": fixes})
	}
	kept := func(filter map[string]any, fixes ...map[string]any) {
		t.Helper()
		require.Equal(t, http.StatusCreated, keep(filter, fixes...).status)
	}
	fill := map[string]any{"do": "set", "field": "name", "value": "Unknown"}
	requireProblem(t, keep(map[string]any{}, fill), http.StatusUnprocessableEntity, "one_table")
	requireProblem(t, keep(map[string]any{"table": "nothing"}, fill), http.StatusNotFound, "unknown_table")

	one := admin.fail("suppliers", `{"external_id":"S1","name":"Acme","lead_time_days":"bald"}`)
	both := admin.fail("suppliers", `{"external_id":"S2","name":"Acme","lead_time_days":"bald","active":"vielleicht"}`)
	nameless := admin.fail("suppliers", `{"external_id":"S3"}`)
	kept(map[string]any{"table": "suppliers", "code": "type", "field": "lead_time_days"},
		map[string]any{"do": "map", "field": "lead_time_days", "from": "bald", "value": 3}, map[string]any{"do": "drop", "field": "note"})
	kept(map[string]any{"table": "suppliers", "code": "required", "field": "name"}, fill)

	require.Equal(t, http.StatusOK, admin.retry(one.ID, map[string]any{}).status)
	require.Equal(t, http.StatusOK, admin.retry(nameless.ID, map[string]any{}).status)
	edited := `{"external_id":"S2","name":"Acme","lead_time_days":"bald","active":false}`
	tried := admin.call(http.MethodPost, strings.Replace(admin.path, "failures", "sources/suppliers/test", 1),
		map[string]any{"record": edited, "failure": both.ID})
	require.Equal(t, "created", decode[struct{ Result string }](t, tried, http.StatusOK).Result)
	require.Equal(t, "created", decode[struct{ Result string }](t, admin.retry(both.ID, map[string]any{"payload": edited}), http.StatusOK).Result)
	require.Equal(t, []string{"S1 | Acme | 3", "S2 | Acme | 3", "S3 | Unknown | -"},
		w.read("workspace.suppliers", "external_id, name, lead_time_days", "1"))

	got := w.post("suppliers", `{"external_id":"S1","name":"Harbour Teas","note":"x","shoe_size":1}`)
	require.Equal(t, "shoe_size, note", got.header.Get("Ingest-Dropped"))
	require.Empty(t, got.header.Get("Ingest-Coerced"))
	require.Contains(t, w.read("workspace.suppliers", "external_id, name, lead_time_days", "1"), "S1 | Harbour Teas | 3", "what is there stays")
}
