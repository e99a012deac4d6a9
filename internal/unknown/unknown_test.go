//race:detect requests share the meter
package unknown

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/telemetry"
)

// instance is one process of the service.
type instance struct {
	*Service
	tables  *registry.Service
	records *ingest.Service
	meter   *Meter
}

func newInstance(t *testing.T, db *pgtest.DB) instance {
	t.Helper()
	i := instance{tables: registry.New(db.Cells), meter: NewMeter(db.Cells)}
	i.records = ingest.New(db.Cells, i.tables, slog.New(slog.DiscardHandler), telemetry.NewMetrics(),
		ingest.Config{Lanes: 2, Queued: 1000, Unknown: i.meter.Saw})
	t.Cleanup(i.records.Close)
	i.Service = New(db.Cells, i.tables, i.records, i.meter)
	return i
}

// stand is a company with the table decisions, and an instance.
type stand struct {
	t     *testing.T
	db    *pgtest.DB
	admin *pgx.Conn
	by    auth.Principal
	instance
}

func newStand(t *testing.T, db *pgtest.DB) *stand {
	t.Helper()
	tenant := pgtest.NewTenant(t, db)
	st := &stand{t: t, db: db, admin: db.Admin(t), instance: newInstance(t, db), by: auth.Principal{
		Tenant: tenant.ID, Workspace: tenant.Workspace, Zone: time.UTC, Scope: auth.AllTables, Role: auth.CompanyAdmin,
		Person: uuid.New(), Actor: auth.Actor{Type: auth.ByPerson, ID: "somebody"}}}
	_, err := st.tables.Define(t.Context(), auth.Operator(tenant.ID), registry.Definition{Title: "Decisions",
		Columns: []registry.ColumnDefinition{{Name: "title", Type: registry.Text}}})
	require.NoError(t, err)
	return st
}

// send sends a record as a system does.
func (st *stand) send(through instance, slug, body string) error {
	by := st.by
	by.Role, by.Person, by.Actor = "", uuid.Nil, auth.Actor{Type: auth.ByOperator}
	_, err := through.records.Write(st.t.Context(), ingest.Record{By: by, Slug: slug, Body: []byte(body), RequestID: "test"})
	return err
}

func (st *stand) sends(bodies ...string) {
	st.t.Helper()
	for _, body := range bodies {
		require.NoError(st.t, st.send(st.instance, "decisions", body))
	}
}

func (st *stand) list() Found {
	st.t.Helper()
	require.NoError(st.t, st.meter.Flush(st.t.Context()))
	found, err := st.List(st.t.Context(), st.by, "decisions")
	require.NoError(st.t, err)
	return found
}

func (st *stand) ask(sql string, args ...any) (answer string) {
	st.t.Helper()
	require.NoError(st.t, st.admin.QueryRow(st.t.Context(), sql, args...).Scan(&answer))
	return answer
}

func (st *stand) exec(sql string, args ...any) {
	st.t.Helper()
	_, err := st.admin.Exec(st.t.Context(), sql, args...)
	require.NoError(st.t, err)
}

// column makes a column for a field.
func (st *stand) column(name string, of registry.Type) {
	st.t.Helper()
	_, err := st.tables.DefineColumn(st.t.Context(), auth.Operator(st.by.Tenant), "decisions", 0,
		registry.ColumnDefinition{Name: name, Type: of})
	require.NoError(st.t, err)
}

// run works on a backfill until it has ended.
func (st *stand) run(id uuid.UUID) Backfill {
	st.t.Helper()
	for more := true; more; {
		var err error
		more, err = st.Run(st.t.Context(), st.by, id)
		require.NoError(st.t, err)
	}
	one, err := st.Backfill(st.t.Context(), st.by, id)
	require.NoError(st.t, err)
	return one
}

func (st *stand) backfill(field, column string) Backfill {
	st.t.Helper()
	started, err := st.Start(st.t.Context(), st.by, "decisions", field, column)
	require.NoError(st.t, err)
	return st.run(started.ID)
}

func (st *stand) value(key, column string) string {
	st.t.Helper()
	return st.ask("SELECT coalesce(data ->> $3, '') FROM workspace.records WHERE tenant_id = $1 AND external_id = $2", st.by.Tenant, key, column)
}

// TestCounted sends records through two instances, whose counts add up.
func TestCounted(t *testing.T) {
	t.Parallel()
	st := newStand(t, pgtest.New(t))
	other := newInstance(t, st.db)
	const each = 50
	var sending sync.WaitGroup
	for n, through := range []instance{st.instance, other} {
		sending.Go(func() {
			for i := range each {
				body := fmt.Sprintf(`{"external_id":"R%d-%d","vat_id":"DE%d","weight":%d,"since":"2026-01-%02d","id":"x"}`, n, i, 1000+i, i, i%28+1)
				if err := st.send(through, "decisions", body); err != nil {
					t.Error(err)
				}
			}
		})
	}
	sending.Wait()
	require.NoError(t, other.meter.Flush(t.Context()))
	found := st.list()
	require.Len(t, found.Fields, 3, "id is a column of every table")
	for _, f := range found.Fields {
		require.EqualValues(t, 2*each, f.Records, f.Name)
		require.Equal(t, Seen, f.Status)
		require.Equal(t, f.Name, f.Suggested)
		require.NotEmpty(t, f.Samples)
		require.LessOrEqual(t, len(f.Samples), mostSamples)
		require.Zero(t, f.Kept)
	}
	types := map[string]registry.Type{}
	for _, f := range found.Fields {
		types[f.Name] = f.Type
	}
	require.Equal(t, map[string]registry.Type{"vat_id": registry.Text, "weight": registry.Number, "since": registry.Date}, types)
	require.Equal(t, []string{"XX9999"}, found.Fields[1].Samples, "vat_id, masked")
	require.Equal(t, "0", st.ask("SELECT count(*)::text FROM workspace.unknown_values"), "values are not kept unless somebody says so")

	// One value of another kind widens the type; refused and rehearsed records do not count.
	st.sends(`{"external_id":"R","weight":"n/a"}`)
	require.Error(t, st.send(st.instance, "decisions", `{"title":"no key","vat_id":"x"}`))
	_, err := st.records.Rehearse(t.Context(), st.by, "decisions", []byte(`{"external_id":"R","vat_id":"x"}`), ingest.Terms{})
	require.NoError(t, err)
	found = st.list()
	require.Equal(t, "weight", found.Fields[0].Name)
	require.Equal(t, registry.Text, found.Fields[0].Type)
	require.Equal(t, Kinds{Number: 2 * each, Text: 1}, found.Fields[0].Kinds)
	require.EqualValues(t, 2*each, found.Fields[2].Records)
}

// TestNothingUnknown sends records without unknown fields: nothing is written.
func TestNothingUnknown(t *testing.T) {
	t.Parallel()
	st := newStand(t, pgtest.New(t))
	st.sends(`{"external_id":"A","title":"x","id":"1","tenant_id":"2"}`)
	require.Empty(t, st.meter.tables)
	require.Empty(t, st.list().Fields)
	require.Equal(t, "0", st.ask("SELECT count(*)::text FROM workspace.unknown_fields"))
}

// TestBounds sends 10,000 hostile names through two instances.
func TestBounds(t *testing.T) {
	t.Parallel()
	st := newStand(t, pgtest.New(t))
	other := newInstance(t, st.db)
	hostile := []string{`a\u0000b`, `\u202eevil`, `x\ny`, "", strings.Repeat("y", 10_000), `'; DROP TABLE workspace.records; --`, "__proto__", `a\"b`}
	var names []string
	for i := range 10_000 {
		names = append(names, fmt.Sprintf("%s%d", hostile[i%len(hostile)], i))
	}
	for n, through := range []instance{st.instance, other} {
		for from := n * 5000; from < n*5000+5000; from += 100 {
			body := fmt.Sprintf(`{"external_id":"R%d"`, from)
			for _, name := range names[from : from+100] {
				body += fmt.Sprintf(`,"%s":"secret %s"`, name, `\u0000`)
			}
			require.NoError(t, st.send(through, "decisions", body+"}"))
		}
		require.LessOrEqual(t, len(through.meter.tables[place{st.by.Tenant, st.by.Workspace, "decisions"}].fields), mostNames+1)
	}
	require.NoError(t, other.meter.Flush(t.Context()))
	found := st.list()
	require.Len(t, found.Fields, mostNames)
	counted := found.Others
	for _, f := range found.Fields {
		counted += f.Records
		require.True(t, countable(f.Name))
		require.NotContains(t, strings.Join(f.Samples, ""), "secret")
	}
	require.EqualValues(t, 10_000, counted, "every value is counted once")

	// The next names find no room, and those that are known go on being counted.
	st.sends(fmt.Sprintf(`{"external_id":"R","brand_new":1,%q:2}`, found.Fields[0].Name))
	again := st.list()
	require.Len(t, again.Fields, mostNames)
	require.Equal(t, found.Others+1, again.Others)
	require.Equal(t, found.Fields[0].Records+1, again.Fields[0].Records)
}

// TestLostDatabase: what could not be written is written later, once.
func TestLostDatabase(t *testing.T) {
	t.Parallel()
	st := newStand(t, pgtest.New(t))
	require.NoError(t, st.SetKeeping(t.Context(), st.by, "decisions", true))
	st.sends(`{"external_id":"A","vat_id":"1"}`)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	require.Error(t, st.meter.Flush(gone))
	st.sends(`{"external_id":"B","vat_id":"x"}`)
	field := st.list().Fields[0]
	require.EqualValues(t, 2, field.Records)
	require.EqualValues(t, 2, field.Kept)
	require.Equal(t, Kinds{Number: 1, Text: 1}, field.Kinds)
	require.ElementsMatch(t, []string{"9", "x"}, field.Samples)
}

// TestIsolation: another company, and another workspace, see nothing of it.
func TestIsolation(t *testing.T) {
	t.Parallel()
	st := newStand(t, pgtest.New(t))
	theirs := newStand(t, st.db)
	st.sends(`{"external_id":"A","vat_id":"DE1"}`)
	require.Len(t, st.list().Fields, 1)
	require.Empty(t, theirs.list().Fields)
	elsewhere := st.by
	elsewhere.Workspace = uuid.New()
	found, err := st.List(t.Context(), elsewhere, "decisions")
	require.NoError(t, err)
	require.Empty(t, found.Fields)
	require.True(t, fault.HasCode(theirs.SetIgnored(t.Context(), theirs.by, "decisions", "vat_id", true), "unknown_field"))
	require.True(t, fault.HasCode(st.SetIgnored(t.Context(), st.by, "decisions", strings.Repeat("x", 5000), true), "unknown_field"))

	buyer := st.by
	buyer.Role = auth.Buyer
	for _, err := range []error{
		st.SetIgnored(t.Context(), buyer, "decisions", "vat_id", true), st.SetKeeping(t.Context(), buyer, "decisions", true),
		second(st.Start(t.Context(), buyer, "decisions", "vat_id", "title")), second(st.Cancel(t.Context(), buyer, uuid.New())),
	} {
		require.True(t, fault.Is(err, fault.Forbidden), err)
	}
}

func second[T any](_ T, err error) error { return err }

// TestKeeping: values are kept only while that is switched on, and only of fields that nobody ignores.
func TestKeeping(t *testing.T) {
	t.Parallel()
	st := newStand(t, pgtest.New(t))
	other := newInstance(t, st.db)
	kept := func() string {
		return st.ask("SELECT coalesce(string_agg(concat_ws(' ', name, record_key, value), ', ' ORDER BY name, record_key), '') FROM workspace.unknown_values")
	}
	st.sends(`{"external_id":"A","vat_id":"old"}`)
	st.list()
	require.NoError(t, st.SetKeeping(t.Context(), st.by, "decisions", true))
	st.sends(`{"external_id":"A","vat_id":"first","color":"red"}`, `{"external_id":"A","vat_id":"newest"}`,
		`{"external_id":"B","vat_id":null,"color":{"a":1},"size":1e999999}`, `{"external_id":"C","vat_id":"`+strings.Repeat("x", longestKept)+`"}`)
	require.NoError(t, st.send(other, "decisions", `{"external_id":"D","vat_id":5.10}`))
	require.NoError(t, other.meter.Flush(t.Context()))
	require.True(t, st.list().Keeping)
	require.Equal(t, `color A "red", vat_id A "newest", vat_id D 5.10`, kept())

	// A value that was cleared, or became one that no column takes, is not the record's newest any more.
	st.sends(`{"external_id":"A","color":""}`, `{"external_id":"D","vat_id":{"a":1}}`)
	st.list()
	require.Equal(t, `vat_id A "newest"`, kept())

	require.NoError(t, st.SetIgnored(t.Context(), st.by, "decisions", "color", true))
	st.sends(`{"external_id":"B","color":"blue"}`)
	st.list()
	require.Equal(t, `vat_id A "newest"`, kept())

	// Switching it off deletes everything, also what is on its way.
	require.NoError(t, st.send(other, "decisions", `{"external_id":"E","vat_id":"late"}`))
	require.NoError(t, st.SetKeeping(t.Context(), st.by, "decisions", false))
	require.NoError(t, other.meter.Flush(t.Context()))
	require.False(t, st.list().Keeping)
	require.Empty(t, kept())
}

// TestKeepingIsKnownEverywhere: once keeping is switched on, no record loses its value, whichever instance stores it and whatever
// that instance has in its cache. That also holds for a built-in table, which the company has not extended yet.
func TestKeepingIsKnownEverywhere(t *testing.T) {
	t.Parallel()
	st := newStand(t, pgtest.New(t))
	other := newInstance(t, st.db)
	for slug, record := range map[string]string{"decisions": `{"external_id":"%[1]s","vat_id":"%[1]s"}`,
		"suppliers": `{"external_id":"%[1]s","name":"%[1]s","vat_id":"%[1]s"}`} {
		send := func(through instance, key string) {
			require.NoError(t, st.send(through, slug, fmt.Sprintf(record, key)))
		}
		for _, through := range []instance{st.instance, other} {
			send(through, "before") // each has the table in its cache
			require.NoError(t, through.meter.Flush(t.Context()))
		}
		require.NoError(t, st.SetKeeping(t.Context(), st.by, slug, true))
		var sending sync.WaitGroup
		for n := range 60 {
			through := []instance{st.instance, other}[n%2]
			sending.Go(func() {
				if err := st.send(through, slug, fmt.Sprintf(record, fmt.Sprint("after-", n))); err != nil {
					t.Error(err)
				}
			})
		}
		sending.Wait()
		kept := func() string {
			for _, through := range []instance{st.instance, other} {
				require.NoError(t, through.meter.Flush(t.Context()))
			}
			return st.ask("SELECT count(*)::text FROM workspace.unknown_values WHERE slug = $1", slug)
		}
		require.Equal(t, "60", kept(), slug)

		require.NoError(t, other.SetKeeping(t.Context(), st.by, slug, false))
		send(st.instance, "later")
		require.Zero(t, len(st.meter.values.held), "the instance knows that nothing is kept")
		require.Equal(t, "0", kept(), slug)
	}
}

// TestRoom: of a table's values, the newest are kept.
func TestRoom(t *testing.T) {
	t.Parallel()
	st := newStand(t, pgtest.New(t))
	st.meter.room = 1000
	require.NoError(t, st.SetKeeping(t.Context(), st.by, "decisions", true))
	st.sends(`{"external_id":"A","vat_id":"1"}`)
	st.list()
	st.exec(`INSERT INTO workspace.unknown_values (tenant_id, workspace_id, slug, name, record_key, value, seen_at)
		SELECT $1, $2, 'decisions', 'vat_id', 'old' || n, '1', now() - make_interval(secs => n) FROM generate_series(1, $3::int) n`,
		st.by.Tenant, st.by.Workspace, st.meter.room)
	st.sends(`{"external_id":"B","vat_id":"1"}`)
	st.list()
	require.Equal(t, "1000 t", st.ask(
		"SELECT concat_ws(' ', count(*), bool_or(record_key = 'B') AND NOT bool_or(record_key = 'old999')) FROM workspace.unknown_values"))
}

var errKilled = errors.New("killed")
