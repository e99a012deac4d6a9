package ingest

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/mend"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/telemetry"
)

// rule reads a fix as it is stored.
func rule(t *testing.T, fix string, keys ...uuid.UUID) registry.Rule {
	t.Helper()
	var read mend.Fix
	require.NoError(t, json.Unmarshal([]byte(fix), &read))
	require.NoError(t, read.Check())
	return registry.NewRule(read, keys...)
}

func TestApplyRules(t *testing.T) {
	t.Parallel()
	here, shop, till := uuid.New(), uuid.New(), uuid.New()
	table := registry.NewTable("customers", "external_id")
	table.Rules = map[uuid.UUID][]registry.Rule{
		here: {
			rule(t, `{"do":"rename","field":"Marketing","to":"accepts_marketing"}`),
			rule(t, `{"do":"map","field":"accepts_marketing","from":"ja","value":"yes"}`, shop),
			rule(t, `{"do":"map","field":"accepts_marketing","from":"yes","value":true}`),
			rule(t, `{"do":"drop","field":"note"}`, till),
			rule(t, `{"do":"set","field":"country","value":"DE","missing":true}`, shop),
			rule(t, `{"do":"set","field":"source","value":"shop"}`, shop),
		},
		uuid.New(): {rule(t, `{"do":"drop","field":"external_id"}`)},
	}
	for _, tt := range []struct {
		name, body string
		workspace  uuid.UUID
		key        uuid.UUID
		origin     string // what the key sent, of a retry
		want       string
		mended     string
		dropped    []string
	}{
		{"one after the other", `{"Marketing":"ja","note":"x"}`, here, shop, "",
			`{"accepts_marketing":true,"note":"x","source":"shop"}`, "accepts_marketing source", nil},
		{"another key", `{"Marketing":"ja","note":"x"}`, here, till, "", `{"accepts_marketing":"ja"}`, "accepts_marketing", []string{"note"}},
		{"another workspace", `{"Marketing":"ja"}`, uuid.New(), shop, "", `{"Marketing":"ja"}`, "", nil},
		{"no key", `{"Marketing":"ja"}`, here, uuid.Nil, "", `{"Marketing":"ja"}`, "", nil},
		{"nothing to do", `{"accepts_marketing":false,"source":"shop"}`, here, shop, "", `{"accepts_marketing":false,"source":"shop"}`, "", nil},
		{"a retry as it was sent", `{"Marketing":"ja","source":"till"}`, here, shop, `{"Marketing":"ja","source":"till"}`,
			`{"accepts_marketing":true,"source":"shop"}`, "accepts_marketing source", nil},
		{"a retry with another field edited", `{"accepts_marketing":"ja", "source":"web"}`, here, shop, `{"accepts_marketing": "j\u0061","source":"Netz"}`,
			`{"accepts_marketing":true,"source":"web"}`, "accepts_marketing", nil},
		{"a retry with the field edited", `{"accepts_marketing":"ja","source":"shop"}`, here, shop, `{"accepts_marketing":"nein","source":"shop"}`,
			`{"accepts_marketing":"ja","source":"shop"}`, "", nil},
		{"a retry with the field taken out", `{"accepts_marketing":false}`, here, shop, `{"accepts_marketing":false,"source":""}`,
			`{"accepts_marketing":false}`, "", nil},
		{"a retry with the new name added", `{"Marketing":"ja","accepts_marketing":false,"source":"shop"}`, here, shop, `{"Marketing":"ja","source":"shop"}`,
			`{"Marketing":"ja","accepts_marketing":false,"source":"shop"}`, "", nil},
		{"a retry of what had no fields", `{"Marketing":"ja"}`, here, shop, `[]`, `{"Marketing":"ja"}`, "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			record := Record{By: auth.Principal{Workspace: tt.workspace, Key: tt.key}, Body: []byte(tt.body)}
			if tt.origin != "" {
				record.By.Key, record.Origin = uuid.Nil, &Origin{Key: tt.key, Payload: []byte(tt.origin)}
			}
			fields, err := decode(record.Body)
			require.NoError(t, err)
			got, dropped := record.applyRules(record.rules(table), fields)
			var mended []string
			for _, f := range got {
				if f.Mended {
					mended = append(mended, f.Name)
				}
			}
			require.Equal(t, tt.want, string(encode(got)))
			require.Equal(t, tt.mended, strings.Join(mended, " "))
			require.Equal(t, tt.dropped, dropped)
			require.Equal(t, tt.body, string(record.Body))
		})
	}
}

// keyOf makes a key of a workspace and returns who sends with it.
func (st stand) keyOf(workspace uuid.UUID) auth.Principal {
	st.t.Helper()
	by, id := st.by(), uuid.Must(uuid.NewV7())
	_, err := st.db.Admin(st.t).Exec(st.t.Context(), `INSERT INTO workspace.api_keys (tenant_id, id, workspace_id, key_hash, prefix, label, scope)
		VALUES ($1, $2, $3, sha256(convert_to($4, 'UTF8')), 'qs_12345678', 'Shop sync', '*')`, st.tenant.ID, id, workspace, id.String())
	require.NoError(st.t, err)
	by.Workspace, by.Key, by.Actor = workspace, id, auth.Actor{Type: auth.ByKey, ID: id.String()}
	return by
}

// keep keeps a fix as a rule, as an instance without a cache would.
func (st stand) keep(slug, fix string, key *uuid.UUID) *registry.KeptRule {
	st.t.Helper()
	by := auth.Operator(st.tenant.ID)
	by.Workspace = st.tenant.Workspace
	var read mend.Fix
	require.NoError(st.t, json.Unmarshal([]byte(fix), &read))
	var kept []*registry.KeptRule
	require.NoError(st.t, st.db.InTenant(st.t.Context(), st.tenant.ID, func(tx pgx.Tx) (err error) {
		kept, err = registry.KeepRules(st.t.Context(), tx, by, registry.Keeping{Slug: slug, Key: key, Fixes: []mend.Fix{read}})
		return err
	}))
	return kept[0]
}

// TestRulesOnTheNextRecord keeps and changes rules of a built-in table and of a company's own through one instance, and
// sends each next record to another one, which has the table cached as it was before.
func TestRulesOnTheNextRecord(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	second := New(db.Cells, registry.New(db.Cells), slog.New(slog.DiscardHandler), telemetry.NewMetrics(), Config{Lanes: 2, Queued: 1000})
	t.Cleanup(second.Close)
	st, other := stand{t, s, db, pgtest.NewTenant(t, db)}, stand{t, s, db, pgtest.NewTenant(t, db)}
	admin := auth.Operator(st.tenant.ID)
	admin.Workspace = st.tenant.Workspace
	sibling := uuid.Must(uuid.NewV7())
	_, err := db.Admin(t).Exec(t.Context(), "INSERT INTO control.workspaces (tenant_id, id, name, time_zone) VALUES ($1, $2, 'Second', 'UTC')",
		st.tenant.ID, sibling)
	require.NoError(t, err)
	for _, tenant := range []pgtest.Tenant{st.tenant, other.tenant} {
		_, err := s.registry.Define(t.Context(), auth.Operator(tenant.ID), registry.Definition{Title: "Decisions", Columns: []registry.ColumnDefinition{
			{Name: "accepts_marketing", Type: registry.Boolean}, {Name: "name", Type: registry.Text}, {Name: "score", Type: registry.Number},
		}})
		require.NoError(t, err)
	}
	shop, till := st.keyOf(st.tenant.Workspace), st.keyOf(st.tenant.Workspace)
	elsewhere, stranger := st.keyOf(sibling), other.keyOf(other.tenant.Workspace)
	n := 0
	for _, slug := range []string{"customers", "decisions"} {
		send := func(by auth.Principal) (string, []string) {
			n++
			outcome, err := second.Write(t.Context(), Record{By: by, Slug: slug, RequestID: "test",
				Body: fmt.Appendf(nil, `{"external_id":"%s-%d","name":"x","accepts_marketing":"ja"}`, slug, n)})
			if err != nil {
				_, public := fault.Public(err)
				return public.Code, nil
			}
			return string(outcome.Result), outcome.Coerced
		}
		requireSent := func(by auth.Principal, want string, coerced ...string) {
			t.Helper()
			result, named := send(by)
			require.Equal(t, want, result, slug)
			require.Equal(t, coerced, named, slug)
		}
		requireSent(shop, "type")
		kept := st.keep(slug, `{"do":"map","field":"accepts_marketing","from":"ja","value":true}`, &shop.Key)
		requireSent(shop, "created", "accepts_marketing")
		requireSent(till, "type")
		requireSent(elsewhere, "type")
		requireSent(stranger, "type")
		people := shop
		people.Key, people.Actor = uuid.Nil, auth.Actor{Type: auth.ByOperator}
		requireSent(people, "type")

		dry, err := second.Write(t.Context(), Record{By: shop, Slug: slug, RequestID: "test", DryRun: true,
			Body: []byte(`{"external_id":"dry-` + slug + `","name":"x","accepts_marketing":"ja"}`)})
		require.NoError(t, err)
		require.Equal(t, []string{"accepts_marketing"}, dry.Coerced)

		off, on := false, true
		changed, err := s.registry.ChangeRule(t.Context(), admin, kept.ID, kept.Version, registry.RuleChanges{Enabled: &off})
		require.NoError(t, err)
		require.Equal(t, int64(2), changed.Version)
		requireSent(shop, "type")
		_, err = s.registry.ChangeRule(t.Context(), admin, kept.ID, 1, registry.RuleChanges{Enabled: &on})
		require.True(t, fault.Is(err, fault.Stale), "%v", err)

		all := st.keep(slug, `{"do":"map","field":"accepts_marketing","from":"ja","value":false}`, nil)
		require.NotEqual(t, kept.ID, all.ID)
		requireSent(till, "created", "accepts_marketing")
		requireSent(elsewhere, "type")
		requireSent(stranger, "type")
		again := st.keep(slug, `{"do":"map","field":"accepts_marketing","from":"ja","value":"perhaps"}`, nil)
		require.Equal(t, all.ID, again.ID, "it takes the place of the rule about the same value")
		requireSent(till, "type")
	}
}

// TestRefusedByARule checks that a record that a rule changes and the table refuses anyway is kept as it was sent, and
// stored when the rule is better.
func TestRefusedByARule(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	st := stand{t, s, db, pgtest.NewTenant(t, db)}
	shop := st.keyOf(st.tenant.Workspace)
	st.keep("suppliers", `{"do":"map","field":"lead_time_days","from":"bald","value":"soon"}`, nil)
	sent := `{"lead_time_days" : "bald", "name":"Acme","external_id":"S1" }`
	_, err := s.Write(t.Context(), Record{By: shop, Slug: "suppliers", Body: []byte(sent), RequestID: "test"})
	_, public := fault.Public(err)
	require.Equal(t, `lead_time_days: "soon" is not a number (a rule has changed it)`, public.Message)
	require.Equal(t, sent, st.ask("SELECT convert_from(payload, 'UTF8') FROM workspace.failed_imports WHERE tenant_id = $1", st.tenant.ID))

	st.keep("suppliers", `{"do":"map","field":"lead_time_days","from":"bald","value":3}`, nil)
	outcome, err := s.Retry(t.Context(), st.buyer(), "suppliers", []byte(sent),
		Terms{External: true, Origin: &Origin{Key: shop.Key, Payload: []byte(sent)}})
	require.NoError(t, err)
	require.Equal(t, []string{"lead_time_days"}, outcome.Coerced)
	require.Equal(t, "3", st.ask("SELECT lead_time_days::text FROM workspace.suppliers WHERE tenant_id = $1", st.tenant.ID))
}

// TestMissingIsFilled checks a rule for a missing field: it is for new records, and leaves the values of others alone.
func TestMissingIsFilled(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	st := stand{t, s, db, pgtest.NewTenant(t, db)}
	shop := st.keyOf(st.tenant.Workspace)
	st.keep("suppliers", `{"do":"set","field":"name","value":"Unknown","missing":true}`, nil)
	for _, tt := range []struct{ name, body, want, coerced, stored string }{
		{"new", `{"external_id":"S1"}`, "created", "name", "Unknown"},
		{"new and blank", `{"external_id":"S2","name":" "}`, "created", "name", "Unknown"},
		{"new and named", `{"external_id":"S3","name":"Acme"}`, "created", "", "Acme"},
		{"known, without its name", `{"external_id":"S3","country":"DE"}`, "updated", "", "Acme"},
		{"known, with a blank name", `{"external_id":"S3","name":""}`, "required", "", "Acme"},
		{"new, and wrong in another way", `{"external_id":"S4","lead_time_days":"soon"}`, "type", "", "-"},
	} {
		for _, dry := range []bool{true, false} {
			outcome, err := s.Write(t.Context(), Record{By: shop, Slug: "suppliers", Body: []byte(tt.body), RequestID: "test", DryRun: dry})
			result := string(outcome.Result)
			if err != nil {
				_, public := fault.Public(err)
				result = public.Code
			}
			require.Equal(t, tt.want, result, "%s, dry: %t", tt.name, dry)
			require.Equal(t, tt.coerced, strings.Join(outcome.Coerced, " "), tt.name)
		}
		require.Equal(t, tt.stored, st.ask("SELECT coalesce(max(name), '-') FROM workspace.suppliers WHERE tenant_id = $1 AND external_id = $2",
			st.tenant.ID, tt.body[16:18]), tt.name)
	}
	person := st.by()
	_, err := s.Write(t.Context(), Record{By: person, Slug: "suppliers", Body: []byte(`{"external_id":"S5"}`), RequestID: "test"})
	require.True(t, fault.HasCode(err, "required"), "%v", err)
}

// TestFilledRecordMeetsAnother has the whole record arrive while one without a field is stored as new. It is not new then, and
// leaves the field alone.
func TestFilledRecordMeetsAnother(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	st := stand{t, s, db, pgtest.NewTenant(t, db)}
	st.keep("suppliers", `{"do":"set","field":"name","value":"Unknown","missing":true}`, nil)
	other, err := db.Admin(t).Begin(t.Context())
	require.NoError(t, err)
	_, err = other.Exec(t.Context(), "INSERT INTO workspace.suppliers (tenant_id, workspace_id, external_id, name) VALUES ($1, $2, 'S1', 'Acme')",
		st.tenant.ID, st.tenant.Workspace)
	require.NoError(t, err)
	shop, told := st.keyOf(st.tenant.Workspace), make(chan error, 1)
	go func() {
		outcome, err := s.Write(t.Context(), Record{By: shop, Slug: "suppliers", RequestID: "test",
			Body: []byte(`{"external_id":"S1","country":"DE"}`)})
		if err == nil && outcome.Result != Updated {
			err = fmt.Errorf("it was %s", outcome.Result)
		}
		told <- err
	}()
	pgtest.AwaitWaiting(t, db.Admin(t), 1)
	require.NoError(t, other.Commit(t.Context()))
	require.NoError(t, <-told)
	require.Equal(t, "Acme DE 2", st.ask("SELECT concat_ws(' ', name, country, version) FROM workspace.suppliers WHERE tenant_id = $1", st.tenant.ID))
}
