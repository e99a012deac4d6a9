package ingest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// buyer returns the principal of a person who may edit records.
func (st stand) buyer() auth.Principal {
	by := st.by()
	by.Role, by.Scope, by.Person = auth.Buyer, "", uuid.New()
	by.Actor = auth.Actor{Type: auth.ByPerson, ID: by.Person.String()}
	return by
}

// ask reads one value directly from the database.
func (st stand) ask(sql string, args ...any) (text string) {
	st.t.Helper()
	require.NoError(st.t, st.db.Admin(st.t).QueryRow(st.t.Context(), sql, args...).Scan(&text))
	return text
}

func (st stand) id(table, key string) string {
	st.t.Helper()
	return st.ask("SELECT id FROM workspace."+table+" t WHERE tenant_id = $1 AND coalesce(external_id, to_jsonb(t)->>'sku') = $2",
		st.tenant.ID, key)
}

func TestEdit(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	st := newStand(t, s, db)
	_, err := db.Admin(t).Exec(t.Context(),
		`INSERT INTO workspace.registry_tables (tenant_id, slug, title) VALUES ($1, 'decisions', 'Decisions');`, st.tenant.ID)
	require.NoError(t, err)
	_, err = db.Admin(t).Exec(t.Context(),
		`INSERT INTO workspace.registry_columns (tenant_id, slug, name, position, type) VALUES ($1, 'decisions', 'weight', 1, 'number')`, st.tenant.ID)
	require.NoError(t, err)
	st.write("decisions", `{"external_id":"D1","weight":1}`)
	st.write("products", `{"sku":"ONLY-SKU","name":"Cup"}`)
	by := st.buyer()
	line, supplier, product := st.id("purchase_order_lines", "known-1"), st.id("suppliers", "S1"), st.id("products", "P1")
	cup, decision := st.id("products", "ONLY-SKU"), st.id("records", "D1")

	for _, tt := range []struct {
		name, slug, id, changes string
		version                 int64
		want                    Outcome
		row                     string // an expression and its value
		value                   string
	}{
		{"a note", "purchase_order_lines", line, `{"note":"call first"}`, 1, Outcome{Result: Updated, Version: 2}, "note",
			"call first"},
		{"the same again changes nothing", "purchase_order_lines", line, `{"note":"call first"}`, 2,
			Outcome{Result: Unchanged, Version: 2}, "version::text", "2"},
		{"null clears", "purchase_order_lines", line, `{"note":null,"expected_arrival_date":"2026-05-01"}`, 2,
			Outcome{Result: Updated, Version: 3}, "coalesce(note, '-') || expected_arrival_date", "-2026-05-01"},
		{"a coerced number", "suppliers", supplier, `{"lead_time_days":"7.50"}`, 1,
			Outcome{Result: Updated, Version: 2, Coerced: []string{"lead_time_days"}}, "lead_time_days::text", "7.50"},
		{"a reference by its key", "products", product, `{"supplier_id":"S1","price":"9.99"}`, 1,
			Outcome{Result: Updated, Version: 2, Coerced: []string{"price"}}, "supplier_id", supplier},
		{"a product that has a sku alone", "products", cup, `{"family":"Cups"}`, 1, Outcome{Result: Updated, Version: 2},
			"family", "Cups"},
		{"a tenant's own table", "decisions", decision, `{"weight":2}`, 1, Outcome{Result: Updated, Version: 2},
			"data->>'weight'", "2"},
	} {
		outcome, err := s.Edit(t.Context(), by, tt.slug, tt.id, []byte(tt.changes), tt.version)
		require.NoError(t, err, tt.name)
		tt.want.EventType = "ingest." + tt.slug + ".received"
		require.Equal(t, tt.want, outcome, tt.name)
		table := map[bool]string{true: "records", false: tt.slug}[tt.slug == "decisions"]
		require.Equal(t, tt.value, st.ask("SELECT "+tt.row+" FROM workspace."+table+" WHERE id = $1", tt.id), tt.name)
		require.Equal(t, "user"+by.Person.String()+fmt.Sprint(outcome.Version),
			st.ask("SELECT actor->>'type' || (actor->>'id') || version FROM workspace.events WHERE subject = $1 ORDER BY id DESC LIMIT 1", tt.id), tt.name)
	}
	require.Equal(t, "4", st.ask("SELECT count(*)::text FROM workspace.events WHERE subject = $1", line),
		"one event for each edit")
}

func TestEditRefusals(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	st, stranger := newStand(t, s, db), newStand(t, s, db)
	line, product, supplier := st.id("purchase_order_lines", "known-1"), st.id("products", "P1"), st.id("suppliers", "S1")
	before := st.rows()
	for _, tt := range []struct {
		name, slug, id, changes string
		kind                    fault.Kind
		code                    string
		fields                  []string
	}{
		{"not an object", "suppliers", supplier, `[]`, fault.BadRequest, "invalid_json", nil},
		{"a name twice", "suppliers", supplier, `{"note":"a","note":"b"}`, fault.BadRequest, "invalid_json", nil},
		{"nothing", "suppliers", supplier, `{}`, fault.Invalid, "nothing", nil},
		{"an unknown field", "suppliers", supplier, `{"shoe_size":1}`, fault.Invalid, "unknown_field", []string{"shoe_size"}},
		{"a system column", "suppliers", supplier, `{"id":"x","tenant_id":"y"}`, fault.Invalid, "unknown_field",
			[]string{"id", "tenant_id"}},
		{"the key", "suppliers", supplier, `{"external_id":"S2"}`, fault.Invalid, "locked", []string{"external_id"}},
		{"either key", "products", product, `{"external_id":"x","sku":"y","identity_key":"z"}`, fault.Invalid, "locked",
			[]string{"external_id", "sku", "identity_key"}},
		{"what purchasing keeps", "purchase_order_lines", line,
			`{"status":"ordered","quantity_received":10,"price_per_unit":1,"note":"x"}`, fault.Invalid, "locked",
			[]string{"status", "quantity_received", "price_per_unit"}},
		{"an approval", "purchase_order_lines", line,
			`{"approved_by":"` + uuid.NewString() + `","recommendation_key":"x","created_by_type":"agent"}`, fault.Invalid,
			"locked", []string{"approved_by", "recommendation_key", "created_by_type"}},
		{"a snapshot", "purchase_order_lines", line, `{"product_name":"x"}`, fault.Invalid, "locked",
			[]string{"product_name"}},
		{"an API-only column", "purchase_order_lines", line, `{"ordered_at":"2026-01-01"}`, fault.Invalid, "locked",
			[]string{"ordered_at"}},
		{"a value of another type", "suppliers", supplier, `{"lead_time_days":"soon","active":"yes"}`, fault.Invalid, "type",
			[]string{"lead_time_days", "active"}},
		{"below its range", "suppliers", supplier, `{"lead_time_days":-1}`, fault.Invalid, "range",
			[]string{"lead_time_days"}},
		{"no choice", "products", product, `{"status":"sold"}`, fault.Invalid, "choice", []string{"status"}},
		{"an empty that may not be", "suppliers", supplier, `{"name":null}`, fault.Invalid, "required", []string{"name"}},
		{"an unknown reference", "products", product, `{"supplier_id":"nobody"}`, fault.Invalid, "unknown_reference",
			[]string{"supplier_id"}},
		{"another company's reference", "products", product, `{"supplier_id":"` + stranger.id("suppliers", "S1") + `"}`,
			fault.Invalid, "unknown_reference", []string{"supplier_id"}},
		{"another company's record", "suppliers", stranger.id("suppliers", "S1"), `{"note":"x"}`, fault.NotFound,
			"unknown_record", nil},
		{"another table's record", "suppliers", product, `{"note":"x"}`, fault.NotFound, "unknown_record", nil},
		{"no record", "suppliers", "a\x00", `{"note":"x"}`, fault.NotFound, "unknown_record", nil},
		{"no text", "suppliers", "\xff", `{"note":"x"}`, fault.NotFound, "unknown_record", nil},
		{"no table", "nothing", supplier, `{"note":"x"}`, fault.NotFound, "unknown_table", nil},
	} {
		_, err := s.Edit(t.Context(), st.buyer(), tt.slug, tt.id, []byte(tt.changes), 1)
		require.True(t, fault.Is(err, tt.kind), "%s: %v", tt.name, err)
		require.True(t, fault.HasCode(err, tt.code), "%s: %v", tt.name, err)
		_, public := fault.Public(err)
		var fields []string
		for _, field := range public.Fields {
			fields = append(fields, field.Field)
		}
		require.Equal(t, tt.fields, fields, tt.name)
	}
	for role, may := range map[auth.Role]bool{auth.CompanyAdmin: true, auth.Buyer: true, auth.Approver: false,
		auth.Viewer: false} {
		by := st.buyer()
		by.Role = role
		_, err := s.Edit(t.Context(), by, "suppliers", supplier, []byte(`{"note":null}`), 1)
		require.Equal(t, !may, fault.Is(err, fault.Forbidden), "%s: %v", role, err)
	}
	elsewhere := st.buyer()
	elsewhere.Workspace = uuid.New()
	_, err := s.Edit(t.Context(), elsewhere, "suppliers", supplier, []byte(`{"note":"x"}`), 1)
	require.True(t, fault.HasCode(err, "unknown_record"), err)
	require.Equal(t, before, st.rows())
	require.Equal(t, "0", st.ask("SELECT count(*)::text FROM workspace.failed_imports"),
		"a person sees the refusal; it is no failed import")
}

// TestEditOfAnotherVersion checks that an edit does not overwrite a version that its author
// has not seen, even if the row changes while the edit waits. The error names that version.
func TestEditOfAnotherVersion(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	st := newStand(t, s, db)
	line := st.id("purchase_order_lines", "known-1")
	edit := func(note string, version int64) error {
		_, err := s.Edit(t.Context(), st.buyer(), "purchase_order_lines", line, fmt.Appendf(nil, `{"note":%q}`, note),
			version)
		return err
	}
	requireStale := func(err error, version int64) {
		t.Helper()
		require.True(t, fault.Is(err, fault.Stale), err)
		_, public := fault.Public(err)
		require.Equal(t, "stale", public.Code)
		require.Equal(t, version, public.Version)
		require.Contains(t, public.Message, fmt.Sprint("version ", version))
	}
	requireStale(edit("too new", 2), 1)
	requireStale(edit("of no version", 0), 1)
	require.NoError(t, edit("first", 1))
	requireStale(edit("second", 1), 2)

	// The row changes while an edit waits for it, and while a retry with a condition does.
	for i, write := range []func(since time.Time) error{
		func(time.Time) error { return edit("third", 2) },
		func(since time.Time) error {
			_, err := s.Retry(t.Context(), st.buyer(), "purchase_order_lines",
				[]byte(`{"external_id":"known-1","note":"fourth"}`), Terms{NotAfter: since})
			return err
		},
	} {
		since := time.Now()
		tx, err := db.Admin(t).Begin(t.Context())
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), "UPDATE workspace.purchase_order_lines SET quantity_ordered = $2 WHERE id = $1", line,
			100+i)
		require.NoError(t, err)
		written := make(chan error, 1)
		go func() {
			err := write(since)
			if !fault.Is(err, fault.Stale) {
				t.Errorf("write %d ended while the row was held: %v", i, err)
			}
			written <- err
		}()
		pgtest.AwaitWaiting(t, db.Admin(t), 1)
		require.NoError(t, tx.Commit(t.Context()))
		err = <-written
		require.True(t, fault.Is(err, fault.Stale), err)
		require.Equal(t, "first", st.ask("SELECT note FROM workspace.purchase_order_lines WHERE id = $1", line),
			"it was overwritten")
	}
}

// TestEditsAndRecordsAtOnce has people edit a record while an external system writes to it.
// No last value is lost, and every change has its version and its event.
func TestEditsAndRecordsAtOnce(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	st := newStand(t, s, db)
	supplier := st.id("suppliers", "S1")
	const rounds = 40
	var writers sync.WaitGroup
	writers.Go(func() {
		for n := range rounds {
			_, err := s.Write(t.Context(), Record{By: st.by(), Slug: "suppliers", RequestID: "test",
				Body: fmt.Appendf(nil, `{"external_id":"S1","lead_time_days":%d}`, n+1)})
			if err != nil {
				t.Error(err)
			}
		}
	})
	for _, field := range []string{"note", "contact_name"} {
		writers.Go(func() {
			by, version := st.buyer(), int64(1)
			for n := range rounds {
				for {
					outcome, err := s.Edit(t.Context(), by, "suppliers", supplier, fmt.Appendf(nil, `{%q:"%d"}`, field, n+1), version)
					version = outcome.Version
					if err == nil {
						break
					}
					_, public := fault.Public(err)
					if public.Kind != fault.Stale {
						t.Error(err)
						return
					}
					version = public.Version
				}
			}
		})
	}
	writers.Wait()
	require.Equal(t, "40|40|40|121",
		st.ask("SELECT concat_ws('|', lead_time_days, note, contact_name, version) FROM workspace.suppliers WHERE id = $1",
			supplier))
	require.Equal(t, "121|121",
		st.ask("SELECT count(*) || '|' || count(DISTINCT version) FROM workspace.events WHERE subject = $1", supplier))
}

// TestCreate checks that a person creates a record once and never overwrites another.
func TestCreate(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	st := newStand(t, s, db)
	by := st.buyer()
	ctx := t.Context()
	id, err := s.Create(ctx, by, "suppliers", []byte(`{"external_id":"NEW-1","name":"Mills","lead_time_days":"7.50"}`))
	require.NoError(t, err)
	require.Equal(t, id, st.id("suppliers", "NEW-1"))
	require.Equal(t, "Mills 7.50 1",
		st.ask("SELECT name || ' ' || lead_time_days || ' ' || version FROM workspace.suppliers WHERE tenant_id = $1 AND id = $2", st.tenant.ID, id))
	require.Equal(t, "created user",
		st.ask("SELECT data->>'result' || ' ' || (actor->>'type') FROM workspace.events WHERE tenant_id = $1 AND subject = $2", st.tenant.ID, id))
	cup, err := s.Create(ctx, by, "products", []byte(`{"sku":"NEW-CUP","name":"Cup","supplier_id":"NEW-1"}`))
	require.NoError(t, err)
	require.Equal(t, id, st.ask("SELECT supplier_id FROM workspace.products WHERE tenant_id = $1 AND id = $2",
		st.tenant.ID, cup))

	for _, tt := range []struct {
		slug, values, field, code string
	}{
		{"suppliers", `{"external_id":"NEW-1","name":"Other"}`, "external_id", "exists"},
		{"suppliers", `{"external_id":"NEW-1","name":"Mills","lead_time_days":"7.50"}`, "external_id", "exists"},
		{"products", `{"sku":"NEW-CUP","name":"Cup"}`, "sku", "exists"},
		{"suppliers", `{"name":"Nameless"}`, "external_id", "required"},
		{"suppliers", `{"external_id":"NEW-2"}`, "name", "required"},
		{"suppliers", `{"external_id":"NEW-2","name":"x","lead_time_days":"soon"}`, "lead_time_days", "type"},
		{"products", `{"sku":"X","name":"x","supplier_id":"nobody"}`, "supplier_id", "unknown_reference"},
		{"products", `{"sku":"X","name":"x","identity_key":"X"}`, "identity_key", "locked"},
		{"products", `{"sku":"X","name":"x","id":"mine"}`, "id", "unknown_field"},
		{"purchase_order_lines", `{"external_id":"L1","order_no":"PO-1","sku":"X","quantity_ordered":1}`, "", "closed"},
	} {
		_, err := s.Create(ctx, by, tt.slug, []byte(tt.values))
		var refusal *fault.Error
		require.ErrorAs(t, err, &refusal, tt.values)
		require.Equal(t, tt.code, refusal.Code, tt.values)
		if tt.field != "" {
			require.Equal(t, tt.field, refusal.Fields[0].Field, tt.values)
		}
	}
	require.Equal(t, "Mills",
		st.ask("SELECT name FROM workspace.suppliers WHERE tenant_id = $1 AND external_id = 'NEW-1'", st.tenant.ID))
	require.Equal(t, "0", st.ask("SELECT count(*)::text FROM workspace.failed_imports WHERE tenant_id = $1", st.tenant.ID),
		"a refusal is the person's to see")
	viewer := by
	viewer.Role = auth.Viewer
	_, err = s.Create(ctx, viewer, "suppliers", []byte(`{"external_id":"NEW-3","name":"x"}`))
	require.True(t, fault.Is(err, fault.Forbidden), err)
}

// TestCreateAtOnce checks that of many concurrent creations of one record, one succeeds.
func TestCreateAtOnce(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	st := newStand(t, s, db)
	var group sync.WaitGroup
	made := make([]error, 16)
	for i := range made {
		group.Go(func() {
			_, made[i] = s.Create(t.Context(), st.buyer(), "suppliers",
				fmt.Appendf(nil, `{"external_id":"ONE","name":"Writer %d"}`, i))
		})
	}
	group.Wait()
	stored := 0
	for _, err := range made {
		if err == nil {
			stored++
			continue
		}
		require.True(t, fault.HasCode(err, "exists"), err)
	}
	require.Equal(t, 1, stored)
	require.Equal(t, "1", st.ask("SELECT version::text FROM workspace.suppliers WHERE tenant_id = $1 AND external_id = 'ONE'", st.tenant.ID))
}
