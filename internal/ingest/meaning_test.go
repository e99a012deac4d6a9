package ingest

import (
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/registry"
)

// send writes a record as somebody, and returns what became of it: the result, or the code of the refusal.
func (st stand) send(by auth.Principal, slug, body string) string {
	st.t.Helper()
	outcome, err := st.s.Write(st.t.Context(), Record{By: by, Slug: slug, Body: []byte(body), RequestID: uuid.NewString()})
	if err != nil {
		_, public := fault.Public(err)
		return public.Code
	}
	return string(outcome.Result)
}

// TestNullClears distinguishes null, which clears a value, from a field that is not sent, in a built-in table and in a
// company's own. Empty text stays empty text, and is null for everything else.
func TestNullClears(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	st := stand{t, s, db, pgtest.NewTenant(t, db)}
	_, err := s.registry.Define(t.Context(), auth.Operator(st.tenant.ID), registry.Definition{Title: "Decisions",
		Columns: []registry.ColumnDefinition{{Name: "name", Type: registry.Text, Required: true}, {Name: "note", Type: registry.Text},
			{Name: "lead_time_days", Type: registry.Number}}})
	require.NoError(t, err)
	stored := map[string]string{
		"suppliers": `SELECT concat_ws(' ', name, coalesce('<' || note || '>', 'null'), coalesce(lead_time_days::text, 'null'))
			FROM workspace.suppliers WHERE tenant_id = $1`,
		"decisions": `SELECT concat_ws(' ', data ->> 'name', coalesce('<' || (data ->> 'note') || '>', 'null'),
			coalesce(data ->> 'lead_time_days', 'null')) FROM workspace.records WHERE tenant_id = $1`,
	}
	for _, slug := range []string{"suppliers", "decisions"} {
		for _, tt := range []struct{ body, result, stored string }{
			{`"name":"Acme","note":"x","lead_time_days":7`, "created", "Acme <x> 7"},
			{`"note":"y"`, "updated", "Acme <y> 7"},
			{`"note":null`, "updated", "Acme null 7"},
			{`"note":null`, "unchanged", "Acme null 7"},
			{`"note":""`, "updated", "Acme <> 7"},
			{`"note":" "`, "updated", "Acme < > 7"},
			{`"lead_time_days":""`, "updated", "Acme < > null"},
			{`"lead_time_days":0`, "updated", "Acme < > 0"},
			{`"lead_time_days":0.0`, "unchanged", "Acme < > 0"},
			{`"name":null`, "required", "Acme < > 0"},
			{`"name":""`, "required", "Acme < > 0"},
			{`"unknown":null`, "unchanged", "Acme < > 0"},
		} {
			require.Equal(t, tt.result, st.send(st.by(), slug, `{"external_id":"S1",`+tt.body+`}`), "%s: %s", slug, tt.body)
			require.Equal(t, tt.stored, st.ask(stored[slug], st.tenant.ID), "%s: %s", slug, tt.body)
		}
		require.Equal(t, "2 created updated updated unchanged updated updated updated updated unchanged unchanged", st.ask(
			`SELECT count(DISTINCT subject) + 1 || ' ' || string_agg(data ->> 'result', ' ' ORDER BY id) FROM workspace.events WHERE tenant_id = $1 AND slug = $2`,
			st.tenant.ID, slug), "every accepted record has its event")
	}
}

// TestReferencesStayInTheWorkspace refers to a supplier by its own id and by its external id, and to one of another
// workspace of the same company.
func TestReferencesStayInTheWorkspace(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	st := stand{t, s, db, pgtest.NewTenant(t, db)}
	sibling := st.by()
	sibling.Workspace = uuid.Must(uuid.NewV7())
	_, err := db.Admin(t).Exec(t.Context(), "INSERT INTO control.workspaces (tenant_id, id, name, time_zone) VALUES ($1, $2, 'Second', 'UTC')",
		st.tenant.ID, sibling.Workspace)
	require.NoError(t, err)
	require.Equal(t, "created", st.send(st.by(), "suppliers", `{"external_id":"here","name":"Acme"}`))
	require.Equal(t, "created", st.send(sibling, "suppliers", `{"external_id":"there","name":"Other"}`))
	require.Equal(t, "duplicate_key", st.send(sibling, "suppliers", `{"external_id":"here","name":"Moved"}`))
	here, there := st.id("suppliers", "here"), st.id("suppliers", "there")
	for i, tt := range []struct{ reference, result string }{
		{"here", "created"}, {here, "created"}, {"there", "unknown_reference"}, {there, "unknown_reference"}, {"nobody", "unknown_reference"},
		{"HERE", "unknown_reference"}, {"here ", "unknown_reference"},
	} {
		require.Equal(t, tt.result, st.send(st.by(), "products", fmt.Sprintf(`{"external_id":"P%d","name":"Tea","supplier_id":%q}`, i, tt.reference)), tt.reference)
		if tt.result == "created" {
			require.Equal(t, here, st.ask("SELECT supplier_id FROM workspace.products WHERE tenant_id = $1 AND external_id = $2",
				st.tenant.ID, fmt.Sprintf("P%d", i)), "our id is stored")
		}
	}
	require.Equal(t, "Acme", st.ask("SELECT name FROM workspace.suppliers WHERE tenant_id = $1 AND external_id = 'here'", st.tenant.ID))

	// A line waits for its order, and not for one of the other workspace.
	require.Equal(t, "created", st.send(st.by(), "order_line_items", `{"external_id":"L1","order_id":"later","name":"Tea","quantity":1,"unit_price":2}`))
	require.Equal(t, "created", st.send(sibling, "orders", `{"external_id":"later","ordered_at":"2026-11-01T10:00:00Z","status":"open","currency":"EUR","total":2}`))
	require.NoError(t, s.Sweep(t.Context()))
	require.Equal(t, "later null", st.ask("SELECT order_external_id || ' ' || coalesce(order_id, 'null') FROM workspace.order_line_items WHERE tenant_id = $1", st.tenant.ID))
}

// TestSKUCleared: a product that has an external_id may lose its SKU, and one that has none is known by it.
func TestSKUCleared(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	st := stand{t, s, db, pgtest.NewTenant(t, db)}
	for _, tt := range []struct{ body, result, stored string }{
		{`{"external_id":"P1","sku":"TEA","name":"Tea"}`, "created", "TEA"},
		{`{"external_id":"P1","name":"Tea"}`, "unchanged", "TEA"},
		{`{"external_id":"P1","sku":null}`, "updated", "null"},
		{`{"external_id":null,"sku":null,"name":"Tea"}`, "required", "null"},
	} {
		require.Equal(t, tt.result, st.send(st.by(), "products", tt.body), tt.body)
		require.Equal(t, tt.stored, st.ask("SELECT coalesce(sku, 'null') FROM workspace.products WHERE tenant_id = $1", st.tenant.ID), tt.body)
	}
}

// TestRepeats sends the same wrong record several times, and once in other bytes. One dead letter counts the repeats and
// shows the last error.
func TestRepeats(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	st := stand{t, s, db, pgtest.NewTenant(t, db)}
	weight := registry.ColumnDefinition{Name: "weight", Type: registry.Number}
	_, err := s.registry.Define(t.Context(), auth.Operator(st.tenant.ID), registry.Definition{Title: "Decisions",
		Columns: []registry.ColumnDefinition{weight}})
	require.NoError(t, err)
	letters := func() string {
		return st.ask(`SELECT string_agg(concat_ws(' ', slug, seen, message), '; ' ORDER BY first_seen_at)
			FROM workspace.failed_imports WHERE tenant_id = $1 AND first_seen_at <= last_seen_at`, st.tenant.ID)
	}
	const wrong = `{"external_id":"D1","weight":"many"}`
	for range 3 {
		require.Equal(t, "type", st.send(st.by(), "decisions", wrong))
	}
	require.Equal(t, `decisions 3 weight: "many" is not a number`, letters())
	weight.Type = registry.Boolean
	_, err = s.Retype(t.Context(), auth.Operator(st.tenant.ID), "decisions", 0, weight, 0)
	require.NoError(t, err)
	require.Equal(t, "type", st.send(st.by(), "decisions", wrong))
	require.Equal(t, `decisions 4 weight: "many" is not true or false`, letters())
	require.Equal(t, "type", st.send(st.by(), "decisions", wrong+" "))
	require.Equal(t, `decisions 4 weight: "many" is not true or false; decisions 1 weight: "many" is not true or false`, letters(),
		"other bytes are another record")
}
