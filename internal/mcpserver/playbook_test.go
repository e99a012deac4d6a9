package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/playbook"
)

// documentShown is what strategy_get and sop_get answer.
type documentShown struct {
	Notice     string
	ID         string
	Slug       string
	Title      string
	Version    int64
	Status     string
	InForce    bool  `json:"in_force"`
	Newest     int64 `json:"newest_version"`
	Effective  int64 `json:"in_force_version"`
	Author     string
	Parameters map[string]any
	Body       string
	BodyNext   int `json:"body_next"`
	Versions   []struct {
		Version int64
		Status  string
		Author  string
	}
	More bool `json:"more_versions"`
}

const addVersion = `INSERT INTO workspace.playbook_versions
		(tenant_id, workspace_id, kind, document_id, version, slug, content, author, note, revision)
	VALUES ($1, $2, $3, $4, $5, $6, $7, '{"type":"user"}', $8, 1)`

// write writes a strategy and an SOP that are in force into a company's playbook.
func (w *world) write(tenant, workspace uuid.UUID, made *things) {
	w.t.Helper()
	made.strategy, made.sop = uuid.Must(uuid.NewV7()), "late-"+uuid.NewString()
	w.document(tenant, workspace, made.strategy, nil, arguments{"title": made.canary, "scope": "supplier", "target": made.supplier,
		"body": made.canary, "parameters": arguments{"cover_days": 60}, "status": "active"})
	w.document(tenant, workspace, uuid.Must(uuid.NewV7()), &made.sop, arguments{"slug": made.sop, "title": made.canary,
		"trigger": made.canary, "body": made.canary, "owner_role": "buyer", "status": "active"})
	require.NoError(w.t, w.admin.QueryRow(w.t.Context(), `SELECT coalesce(max(version), 0) FROM workspace.playbook_versions
		WHERE tenant_id = $1 AND workspace_id = $2 AND kind = 'config'`, tenant, workspace).Scan(&made.config))
}

// document stores the first version of a strategy, or of an SOP if it has a slug.
func (w *world) document(tenant, workspace, id uuid.UUID, slug *string, content arguments) {
	w.t.Helper()
	kind := "strategy"
	if slug != nil {
		kind = "sop"
	}
	text, err := json.Marshal(content)
	require.NoError(w.t, err)
	w.exec(addVersion, tenant, workspace, kind, id, 1, slug, string(text), content["body"])
}

// TestAssistantsKeepGuards checks that no token lowers what guards people's decisions, and that the
// refusal says who can.
func TestAssistantsKeepGuards(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	made := w.fill(w.tenant.ID, w.tenant.Workspace, "x")
	admin, agent := w.connect(w.token(w.join(auth.CompanyAdmin), all...)), w.connect(w.agent("one", all...))
	before := w.read("SELECT p::text FROM workspace.playbook_versions p ORDER BY 1")

	for _, key := range playbook.Keys() {
		if key.Planning && !key.Guards {
			continue
		}
		words := admin.refusalOf("people_only", "procurement_config_set",
			arguments{"values": arguments{key.Name: key.Default, "cover_days": 1}, "version": 0})
		require.Contains(t, words, "only people change "+key.Name+"; in the app under Playbook")
		require.Contains(t, words, "tell the person")
	}
	agent.refusalOf("forbidden", "procurement_config_set", about("procurement_config_set", made))
	for _, c := range []client{admin, agent} {
		for _, tool := range []string{"strategy_put", "sop_put"} {
			for _, status := range []string{"active", "archived"} {
				args := about(tool, made)
				args["status"] = status
				require.Contains(t, c.refusalOf("people_only", tool, args), "only people set another status than draft")
				delete(args, "version") // a new document
				delete(args, "id")
				if tool == "sop_put" {
					args["slug"] = "new"
				}
				c.refusalOf("people_only", tool, args)
			}
		}
	}
	for _, role := range []auth.Role{auth.Viewer, auth.Buyer, auth.Approver} {
		c := w.connect(w.token(w.join(role), all...))
		for _, tool := range []string{"strategy_put", "sop_put", "procurement_config_set"} {
			c.refusalOf("forbidden", tool, about(tool, made))
		}
	}
	require.Equal(t, before, w.read("SELECT p::text FROM workspace.playbook_versions p ORDER BY 1"))
}

// TestPlaybookRefusals checks what else is refused, and that refusals say what helps.
func TestPlaybookRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	made := w.fill(w.tenant.ID, w.tenant.Workspace, "x")
	theirs := w.fill(w.other.ID, w.other.Workspace, "canary-theirs")
	c := w.connect(w.token(w.join(auth.CompanyAdmin), all...))
	with := func(tool string, pairs ...any) arguments {
		args := about(tool, made)
		for i := 0; i < len(pairs); i += 2 {
			if args[fmt.Sprint(pairs[i])] = pairs[i+1]; pairs[i+1] == nil {
				delete(args, fmt.Sprint(pairs[i]))
			}
		}
		return args
	}
	for _, tt := range []struct {
		code, tool string
		args       arguments
		words      string
	}{
		{"stale", "strategy_put", with("strategy_put", "version", 2), "strategy_get"},
		{"stale", "sop_put", with("sop_put", "version", 7), "sop_get"},
		{"stale", "procurement_config_set", with("procurement_config_set", "version", 3), "procurement_config_get"},
		{"argument", "strategy_put", with("strategy_put", "version", nil), "give id and version"},
		{"argument", "strategy_put", with("strategy_put", "id", nil), "give id and version"},
		{"argument", "strategy_put", with("strategy_put", "scope", "shop"), "workspace, family, supplier, product"},
		{"argument", "strategy_put", with("strategy_put", "tenant_id", w.other.ID), "no such argument"},
		{"unknown_key", "strategy_put", with("strategy_put", "parameters", arguments{"require_four_eyes": false}), "cannot set"},
		{"unknown_reference", "strategy_put", with("strategy_put", "target", theirs.supplier), "no supplier"},
		{"unknown_key", "procurement_config_set", with("procurement_config_set", "values", arguments{"cover": 1}), "has the keys"},
		{"range", "procurement_config_set", with("procurement_config_set", "values", arguments{"cover_days": 0}), "between 1 and 365"},
		{"argument", "procurement_config_set", with("procurement_config_set", "effective_from", "2030-01-01"), "no such argument"},
		{"slug_taken", "sop_put", with("sop_put", "version", nil), "newest_version"},
		{"slug", "sop_put", with("sop_put", "version", nil, "slug", "Late"), "lower-case"},
		{"argument", "sop_put", with("sop_put", "owner_role", "king"), "company_admin"},
		{"not_found", "strategy_get", arguments{"id": theirs.strategy}, "strategy_list"},
		{"not_found", "strategy_put", with("strategy_put", "id", theirs.strategy), "no such strategy"},
		{"not_found", "sop_get", arguments{"slug": theirs.sop}, "sop_list"},
		{"not_found", "sop_put", with("sop_put", "slug", theirs.sop), "no such SOP"},
		{"not_found", "sop_get", arguments{"slug": made.sop, "version": 2}, "has no version 2"},
		{"argument", "sop_get", arguments{"slug": made.sop, "body_from": 2}, "has 1 characters"},
		{"argument", "sop_list", arguments{"after": "nothing"}, "not in the list"},
	} {
		require.Contains(t, c.refusalOf(tt.code, tt.tool, tt.args), tt.words, "%s %v", tt.tool, tt.args)
	}
	require.Equal(t, []string{"4 1"}, w.read("SELECT count(*), max(version) FROM workspace.playbook_versions"))
}

// TestProposedStrategy proposes a strategy over MCP alone. A person activates it, and only then is it in
// force.
func TestProposedStrategy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	boss := w.join(auth.CompanyAdmin)
	agent := w.connect(w.agent("Planner", auth.ScopeRead, auth.ScopeWrite))
	draft := arguments{"title": "Tea lasts", "scope": "family", "target": "Tea", "body": "It keeps for a year.",
		"parameters": arguments{"cover_days": 60}, "note": "as asked", "run_id": "run-7"}
	stored := ask[documentShown](agent, "strategy_put", draft)
	require.Equal(t, [2]any{"draft", int64(0)}, [2]any{stored.Status, stored.Effective})
	shown := ask[documentShown](agent, "strategy_get", arguments{"id": stored.ID})
	require.False(t, shown.InForce)
	require.Equal(t, "agent", shown.Author)
	require.NotEmpty(t, shown.Notice)

	id, err := uuid.Parse(stored.ID)
	require.NoError(t, err)
	seen, err := w.app.Playbook.Strategy(t.Context(), boss, id)
	require.NoError(t, err)
	seen.Content.Status = playbook.Active
	_, err = w.app.Playbook.ChangeStrategy(t.Context(), boss, id, seen.Version, seen.Content, "good")
	require.NoError(t, err)

	draft["id"], draft["version"], draft["body"] = stored.ID, 2, "It keeps for ever."
	ask[documentShown](agent, "strategy_put", draft)
	shown = ask[documentShown](agent, "strategy_get", arguments{"id": stored.ID})
	require.True(t, shown.InForce, "the version in force is shown, not the newest draft")
	require.Equal(t, [3]int64{2, 3, 2}, [3]int64{shown.Version, shown.Newest, shown.Effective})
	require.Equal(t, "It keeps for a year.", shown.Body)
	require.InDelta(t, 60, shown.Parameters["cover_days"], 0)
	require.Len(t, shown.Versions, 3)
	require.Equal(t, "user", shown.Versions[1].Author)
	newest := ask[documentShown](agent, "strategy_get", arguments{"id": stored.ID, "version": 3})
	require.Equal(t, [2]any{"It keeps for ever.", false}, [2]any{newest.Body, newest.InForce})
	listed := ask[struct{ Strategies []documentShown }](agent, "strategy_list", nil)
	require.Len(t, listed.Strategies, 1)
	require.Equal(t, [3]any{"draft", int64(3), int64(2)},
		[3]any{listed.Strategies[0].Status, listed.Strategies[0].Newest, listed.Strategies[0].Effective})
	require.Equal(t, []string{"agent strategy_put run-7", "user  ", "agent strategy_put run-7"},
		w.read(`SELECT actor->>'type', coalesce(data->>'tool', ''), coalesce(data->>'run', '') FROM workspace.audit
			WHERE action = 'strategy.changed' ORDER BY id`))
}

// TestProposedSOP proposes an SOP, by a person's token and an agent's.
func TestProposedSOP(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	boss := w.join(auth.CompanyAdmin)
	late := arguments{"slug": "late-delivery", "title": "Late delivery", "trigger": "A line is late", "body": "Call.",
		"owner_role": "agent", "review_date": "2031-01-31"}
	ask[documentShown](w.connect(w.token(boss, auth.ScopeWrite)), "sop_put", late)
	found, err := w.app.Playbook.SOP(t.Context(), boss, "late-delivery")
	require.NoError(t, err)
	found.Content.Status = playbook.Active
	_, err = w.app.Playbook.ChangeSOP(t.Context(), boss, "late-delivery", 1, found.Content, "")
	require.NoError(t, err)
	agent := w.connect(w.agent("one", all...))
	late["version"], late["body"] = 2, "Do nothing."
	require.Equal(t, int64(2), ask[documentShown](agent, "sop_put", late).Effective)
	shown := ask[documentShown](agent, "sop_get", arguments{"slug": "late-delivery"})
	require.Equal(t, [3]any{"Call.", true, int64(3)}, [3]any{shown.Body, shown.InForce, shown.Newest})
	require.Equal(t, "late-delivery", ask[struct{ SOPs []documentShown }](agent, "sop_list", nil).SOPs[0].Slug)
}

// TestPlanning changes planning figures over MCP.
func TestPlanning(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	boss := w.join(auth.CompanyAdmin)
	_, err := w.app.Playbook.SetConfig(t.Context(), boss,
		playbook.ConfigChange{Values: playbook.Values{"monthly_budget": jsontext.Value("9000")}})
	require.NoError(t, err)
	c := w.connect(w.token(boss, auth.ScopeRead, auth.ScopeWrite))
	config := ask[struct {
		Newest int64 `json:"newest_version"`
		Keys   map[string]struct{ Planning bool }
	}](c, "procurement_config_get", nil)
	for _, key := range playbook.Keys() {
		require.Equal(t, key.Planning, config.Keys[key.Name].Planning, key.Name)
	}
	set := ask[struct {
		Version int64
		Values  map[string]any
	}](c, "procurement_config_set", arguments{"values": arguments{"cover_days": 45, "review_days": nil},
		"version": config.Newest, "note": "longer"})
	require.Equal(t, int64(2), set.Version)
	require.InDelta(t, 45, set.Values["cover_days"], 0)
	require.InDelta(t, 9000, set.Values["monthly_budget"], 0, "what people set stays")
	require.Equal(t, []string{"procurement_config_set"},
		w.read("SELECT data->>'tool' FROM workspace.audit WHERE action = 'procurement_config.changed' AND data ? 'token'"))
}

// TestLongDocuments reads texts and lists that do not fit into one answer.
func TestLongDocuments(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.agent("one", all...)
	for _, letter := range []string{"x", "船", "\u0001", "\n", `"`} {
		c := w.connect(w.agent("reader "+letter, all...))
		body, short := strings.Repeat(letter, 20_000), strings.Repeat(letter, 200)
		slug := "long-" + uuid.NewString()
		ask[documentShown](w.connect(agent), "sop_put", arguments{"slug": slug, "title": "T" + short[:100*len(letter)], "trigger": short,
			"body": body, "owner_role": "buyer", "note": short})
		for version := range 60 {
			w.exec(addVersion+" ON CONFLICT DO NOTHING", w.tenant.ID, w.tenant.Workspace, "sop",
				w.read("SELECT document_id::text FROM workspace.playbook_versions WHERE slug = $1 LIMIT 1", slug)[0], version+2, slug,
				w.read("SELECT content::text FROM workspace.playbook_versions WHERE slug = $1 LIMIT 1", slug)[0], short)
		}
		got, from := "", 0
		for {
			page := ask[documentShown](c, "sop_get", arguments{"slug": slug, "body_from": from})
			got += page.Body
			require.True(t, page.More)
			require.NotEmpty(t, page.Versions)
			if from = page.BodyNext; from == 0 {
				break
			}
		}
		require.Equal(t, body, got)
	}
	for n := range 200 {
		made := things{canary: fmt.Sprint(strings.Repeat("\u0001", 150), n), supplier: "s"}
		w.write(w.tenant.ID, w.tenant.Workspace, &made)
	}
	c := w.connect(w.agent("lister", all...))
	require.Equal(t, 200, count(t, c, "strategy_list", "strategies", "id", arguments{}))
	require.Equal(t, 205, count(t, c, "sop_list", "sops", "slug", arguments{}))
}
