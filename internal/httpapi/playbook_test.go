package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/playbook"
)

type shownConfig struct {
	Version        int64 `json:"version"`
	InForceVersion int64 `json:"in_force_version"`
	Keys           []struct {
		Name    string `json:"name"`
		Value   any    `json:"value"`
		Default any    `json:"default"`
		Meaning string `json:"meaning"`
		Origin  string `json:"origin"`
	} `json:"keys"`
}

// TestPlaybookConfig checks that the config says what each value means, that rules and config are
// the same thing, and that a refusal names the key.
func TestPlaybookConfig(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	boss := w.join(w.tenant, auth.CompanyAdmin).enter()
	workspace := "/api/app/workspaces/" + w.tenant.Workspace.String()
	path := workspace + "/playbook/config"
	read := boss.call(http.MethodGet, path, nil)
	require.Equal(t, `"0"`, read.header.Get("ETag"))
	start := decode[shownConfig](t, read, http.StatusOK)
	require.Len(t, start.Keys, len(playbook.Keys()))
	for _, key := range start.Keys {
		require.Equal(t, key.Default, key.Value, key.Name)
		require.Equal(t, "default", key.Origin)
		require.NotEmpty(t, key.Meaning)
	}

	set := func(version, body string) answer {
		return boss.call(http.MethodPut, path, body, `If-Match: "`+version+`"`)
	}
	got := set("0", `{"values":{"require_four_eyes":false,"over_receipt_pct":2.50,"monthly_budget":null},"note":"Alone"}`)
	require.Equal(t, int64(1), decode[shownConfig](t, got, http.StatusOK).Version)
	rules := boss.call(http.MethodGet, workspace+"/purchasing-rules", nil)
	require.Equal(t, `"1"`, rules.header.Get("ETag"))
	require.JSONEq(t, `{"four_eyes":false,"agents_submit":true,"over_receipt_percent":"2.5","reapproval_percent":"5"}`, rules.body)
	got = boss.call(http.MethodPut, workspace+"/purchasing-rules",
		`{"four_eyes":true,"agents_submit":false,"over_receipt_percent":"10","reapproval_percent":"7.5"}`, `If-Match: "1"`)
	require.Equal(t, http.StatusOK, got.status, got.body)
	requireProblem(t, set("1", `{"values":{}}`), http.StatusPreconditionFailed, "stale")
	for body, pointer := range map[string]string{
		`{"values":{"cover_days":0}}`: "cover_days", `{"values":{"cover_days":"9"}}`: "cover_days",
		`{"values":{"nothing":1}}`: "nothing", `{"values":{},"effective_from":"soon"}`: "effective_from",
	} {
		found := decode[problem](t, set("2", body), http.StatusUnprocessableEntity)
		require.Contains(t, found.Errors[0].Pointer, pointer, body)
	}
	versions := decode[page[struct {
		Version int64          `json:"version"`
		Values  map[string]any `json:"values"`
		Note    string         `json:"note"`
	}]](t, boss.call(http.MethodGet, path+"/versions", nil), http.StatusOK).Items
	require.Len(t, versions, 2)
	require.InDelta(t, 7.5, versions[0].Values["reapproval_pct"], 0)
	require.Equal(t, false, versions[1].Values["require_four_eyes"])
	require.Equal(t, "Alone", versions[1].Note)
	require.Empty(t, decode[page[any]](t, boss.call(http.MethodGet, path+"/versions?cursor=1", nil), http.StatusOK).Items)
	requireProblem(t, boss.call(http.MethodGet, path+"/versions?cursor=x", nil), http.StatusBadRequest, "cursor")
}

// TestPlaybookDocuments checks a strategy and an SOP over HTTP.
func TestPlaybookDocuments(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	boss := w.join(w.tenant, auth.CompanyAdmin).enter()
	path := "/api/app/workspaces/" + w.tenant.Workspace.String() + "/playbook/"
	type document struct {
		ID             string         `json:"id"`
		Slug           string         `json:"slug"`
		Version        int64          `json:"version"`
		InForceVersion int64          `json:"in_force_version"`
		Body           string         `json:"body"`
		Parameters     map[string]any `json:"parameters"`
	}
	tea := `{"title":"Tea","scope":"family","target":"Tea","body":"*Why*","parameters":{"cover_days":60},"status":"active"}`
	made := decode[document](t, boss.call(http.MethodPost, path+"strategies", tea), http.StatusCreated)
	require.Equal(t, int64(1), made.InForceVersion)
	require.InDelta(t, 60, made.Parameters["cover_days"], 0)
	requireProblem(t, boss.call(http.MethodPost, path+"strategies",
		`{"title":"x","scope":"workspace","body":"","parameters":{"require_four_eyes":false},"status":"active"}`),
		http.StatusUnprocessableEntity, "unknown_key")
	got := boss.call(http.MethodPut, path+"strategies/"+made.ID, tea, `If-Match: "1"`)
	require.Equal(t, `"2"`, got.header.Get("ETag"), got.body)
	requireProblem(t, boss.call(http.MethodPut, path+"strategies/"+made.ID, tea, `If-Match: "1"`), http.StatusPreconditionFailed, "stale")
	requireProblem(t, boss.call(http.MethodPut, path+"strategies/"+made.ID, tea), http.StatusPreconditionRequired, "if_match")
	require.Len(t, decode[page[document]](t, boss.call(http.MethodGet, path+"strategies/"+made.ID+"/versions", nil), http.StatusOK).Items, 2)
	require.Len(t, decode[page[document]](t, boss.call(http.MethodGet, path+"strategies", nil), http.StatusOK).Items, 1)

	late := `"title":"Late","trigger":"Overdue","body":"Call.","owner_role":"buyer","status":"draft"}`
	sop := decode[document](t, boss.call(http.MethodPost, path+"sops", `{"slug":"late",`+late), http.StatusCreated)
	require.Zero(t, sop.InForceVersion)
	requireProblem(t, boss.call(http.MethodPost, path+"sops", `{"slug":"late",`+late), http.StatusConflict, "slug_taken")
	got = boss.call(http.MethodPut, path+"sops/late", `{`+late, `If-Match: "1"`)
	require.Equal(t, http.StatusOK, got.status, got.body)
	require.Equal(t, int64(2), decode[document](t, boss.call(http.MethodGet, path+"sops/"+sop.ID, nil), http.StatusOK).Version)
	requireProblem(t, boss.call(http.MethodGet, path+"sops/none", nil), http.StatusNotFound, "not_found")

	for _, slug := range []string{"procurement_config", "strategies", "sops", "playbook"} {
		got := w.send(http.MethodPost, "master", "/api/ingest/"+slug, nil, []byte(`{"external_id":"1"}`))
		require.Equal(t, http.StatusNotFound, got.status, got.body)
		require.Contains(t, got.body, "unknown ingest type: "+slug)
	}
}

// TestPlaybookPreview checks what previews answer before and after there is a queue, and that they
// refuse what saving refuses.
func TestPlaybookPreview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	place := w.company("canary")
	boss := place.roles[auth.CompanyAdmin].enter()
	path := "/api/app/workspaces/" + place.Workspace.String() + "/playbook/"
	longer, none := `{"values":{"cover_days":60}}`, `"groups":[{"group":"order","before":0,"after":0},`+
		`{"group":"expedite","before":0,"after":0},{"group":"upcoming","before":0,"after":0},`+
		`{"group":"drafted","before":0,"after":0},{"group":"put_off","before":0,"after":0}],`+
		`"costs":[],"become_critical":0,"stop_critical":0,"changed":0,"largest":[]`
	config := func(body string) answer {
		return boss.call(http.MethodPost, path+"config/preview", body, `If-Match: "0"`)
	}
	require.JSONEq(t, `{"articles":0,"articles_total":0,`+none+`}`, config(longer).body, "there is no queue")
	walk{w: w}.recommendation(t, place)
	today := time.Now().UTC().Format(time.DateOnly)
	require.JSONEq(t, `{"as_of":"`+today+`","articles":1,"articles_total":1,`+none+`}`, config(longer).body,
		"the stock of the only article is not known")
	require.JSONEq(t, `{"as_of":"`+today+`","articles":0,"articles_total":0,`+none+`}`,
		config(`{"values":{"require_four_eyes":false}}`).body)

	found := decode[problem](t, config(`{"values":{"cover_days":0}}`), http.StatusUnprocessableEntity)
	require.Contains(t, found.Errors[0].Pointer, "cover_days")
	requireProblem(t, boss.call(http.MethodPost, path+"config/preview", longer, `If-Match: "1"`),
		http.StatusPreconditionFailed, "stale")
	requireProblem(t, boss.call(http.MethodPost, path+"config/preview", longer), http.StatusPreconditionRequired, "if_match")

	tea := `{"title":"Tea","scope":"workspace","body":"","parameters":{"cover_days":60},"status":"draft"}`
	require.Contains(t, boss.call(http.MethodPost, path+"strategies/preview", tea).body, `"articles":1`)
	made := decode[struct{ ID string }](t, boss.call(http.MethodPost, path+"strategies", tea), http.StatusCreated)
	got := boss.call(http.MethodPost, path+"strategies/"+made.ID+"/preview", tea, `If-Match: "1"`)
	require.Contains(t, got.body, `"articles":1`)
	requireProblem(t, boss.call(http.MethodPost, path+"strategies/"+made.ID+"/preview", tea, `If-Match: "2"`),
		http.StatusPreconditionFailed, "stale")
	requireProblem(t, boss.call(http.MethodPost, path+"strategies/preview",
		`{"title":"x","scope":"supplier","target":"nobody","body":"","parameters":{},"status":"active"}`),
		http.StatusUnprocessableEntity, "unknown_reference")
}
