package ingest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/registry"
)

// TestTryValue judges single values: what converts, what does not, and what the rules refuse.
func TestTryValue(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	column := func(change func(*registry.Column)) *registry.Column {
		c := &registry.Column{Name: "c", Type: registry.Text, Nullable: true}
		change(c)
		return c
	}
	of := func(to registry.Type) *registry.Column { return column(func(c *registry.Column) { c.Type = to }) }
	for _, tt := range []struct {
		name       string
		column     *registry.Column
		from       registry.Type
		stored     string
		want, code string
		unreadable bool
	}{
		{"a choice", column(func(c *registry.Column) { c.Choices = []string{"open"} }), registry.Text, `"open"`, "open", "", false},
		{"no choice", column(func(c *registry.Column) { c.Choices = []string{"open"} }), registry.Text, `"paused"`, "paused", "choice", false},
		{"too long", column(func(c *registry.Column) { c.MaxLength = 2 }), registry.Text, `"äöü"`, "äöü", "too_long", false},
		{"within the length", column(func(c *registry.Column) { c.MaxLength = 3 }), registry.Text, `"äöü"`, "äöü", "", false},
		{"below", column(func(c *registry.Column) { c.Type, c.Minimum = registry.Number, "2.5" }), registry.Number, `2.4`, "2.4", "range", false},
		{"a currency", column(func(c *registry.Column) { c.Format = registry.Currency }), registry.Text, `"EUR"`, "EUR", "", false},
		{"no currency", column(func(c *registry.Column) { c.Format = registry.Currency }), registry.Text, `"Euro"`, "Euro", "currency", false},
		{"blank but required", column(func(c *registry.Column) { c.Required, c.Nullable = true, false }), registry.Text, `" "`, " ", "required", false},
		{"null but required", column(func(c *registry.Column) { c.Required, c.Nullable = true, false }), registry.Text, `null`, "", "required", false},
		{"a reference", column(func(c *registry.Column) { c.Reference = &registry.Reference{Slug: "suppliers"} }), registry.Text, `"0190"`, "", "", false},
		{"text to number", of(registry.Number), registry.Text, `"007.50"`, "007.50", "", false},
		{"words to number", of(registry.Number), registry.Text, `"on request"`, "", "type", true},
		{"empty text to number", of(registry.Number), registry.Text, `""`, "", "", false},
		{"number to text", of(registry.Text), registry.Number, `1.50`, "1.50", "", false},
		{"one to boolean", of(registry.Boolean), registry.Number, `1`, "true", "", false},
		{"two to boolean", of(registry.Boolean), registry.Number, `2`, "", "type", true},
		{"time to date, in the workspace's zone", of(registry.Date), registry.Datetime, `"2026-03-14T23:30:00Z"`, "2026-03-15", "", false},
		{"date to time, in the workspace's zone", of(registry.Datetime), registry.Date, `"2026-03-14"`, "2026-03-13T23:00:00Z", "", false},
		{"seconds to time", of(registry.Datetime), registry.Number, `1773480000`, "", "ambiguous_time", true},
		{"beyond the usual bound", &registry.NewTable("t", "external_id", *of(registry.Number)).Columns[0], registry.Number, `1e13`, "1e13", "range", false},
		{"a zero time, which stays readable", of(registry.Datetime), registry.Text, `"0001-01-01T00:00:00Z"`, "0001-01-01T00:00:00Z", "zero_date", false},
		{"a zero time of the year 0", of(registry.Datetime), registry.Text, `"0001-01-01"`, "", "zero_date", true},
		{"text to UUID", of(registry.UUID), registry.Text, `"0190F1DE-6A3B-7C21-9D2E-3F4A5B6C7D8E"`, "0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			j := try(tt.column, tt.from, jsontext.Value(tt.stored), berlin)
			code := ""
			if j.refusal != nil {
				code = j.refusal.Code
			}
			require.Equal(t, tt.want, j.value.text)
			require.Equal(t, tt.code, code)
			require.Equal(t, tt.unreadable, j.unreadable)
		})
	}
}

// trialStand is a company with a table whose records two sources have sent: the shop 1,200 of them, the board 30.
type trialStand struct {
	stand
	shop, board auth.Actor
}

func newTrialStand(t *testing.T) trialStand {
	t.Helper()
	s, db := newService(t)
	st := trialStand{stand: stand{t, s, db, pgtest.NewTenant(t, db)},
		shop: auth.Actor{Type: auth.ByKey, ID: uuid.NewString()}, board: auth.Actor{Type: auth.ByKey, ID: uuid.NewString()}}
	_, err := s.registry.Define(t.Context(), auth.Operator(st.tenant.ID), registry.Definition{Title: "Decisions",
		Columns: []registry.ColumnDefinition{{Name: "status", Type: registry.Text}, {Name: "weight", Type: registry.Text}}})
	require.NoError(t, err)
	status := func(i int) string { return []string{"open", "open", "done", "paused"}[i%4] } // each fourth is paused
	st.sendAll(st.shop, 1200, func(i int) string {
		return fmt.Sprintf(`{"external_id":"S%d","status":%q,"weight":"%d"}`, i, status(i), i)
	})
	st.sendAll(st.board, 30, func(i int) string {
		if i < 10 {
			return fmt.Sprintf(`{"external_id":"B%d"}`, i)
		}
		return fmt.Sprintf(`{"external_id":"B%d","status":"open","weight":"heavy"}`, i)
	})
	return st
}

// sendAll sends records one after the other: their order is that of the events.
func (st trialStand) sendAll(by auth.Actor, n int, body func(i int) string) {
	st.t.Helper()
	for from := 0; from < n; from += 50 {
		bodies := []string{}
		for i := from; i < min(from+50, n); i++ {
			bodies = append(bodies, body(i))
		}
		st.sendBatch(by, bodies)
	}
}

func (st trialStand) sendBatch(by auth.Actor, bodies []string) {
	st.t.Helper()
	table, err := st.s.registry.Table(st.t.Context(), st.tenant.ID, "decisions")
	require.NoError(st.t, err)
	batch := make([]*ticket, 0, len(bodies))
	for _, body := range bodies {
		fields, err := decode([]byte(body))
		require.NoError(st.t, err)
		sender := st.by()
		sender.Actor = by
		batch = append(batch, &ticket{clean: sanitize(table, fields, time.UTC, false), mode: write,
			record: Record{By: sender, Slug: "decisions", Body: []byte(body), RequestID: "test"}})
	}
	require.NoError(st.t, st.s.send(st.t.Context(), batch))
	for _, tick := range batch {
		require.NoError(st.t, tick.err)
		require.NotNil(st.t, tick.verdict.created)
	}
}

func (st trialStand) try(column registry.ColumnDefinition) Trial {
	st.t.Helper()
	trial, err := st.s.Try(st.t.Context(), auth.Operator(st.tenant.ID), "decisions", 0, column)
	require.NoError(st.t, err)
	return trial
}

// counts returns a trial's numbers as text, to be compared at a glance.
func (tr Tried) counts() string {
	return fmt.Sprintf("%d of %d: %d refused, %d missing, %d unreadable, %d converted", tr.Looked, tr.Of, tr.Refused, tr.Missing,
		tr.Unreadable, tr.Converted)
}

func (st trialStand) source(trial Trial, by auth.Actor) Tried {
	st.t.Helper()
	at := slices.IndexFunc(trial.Sources, func(s SourceTrial) bool { return s.By == by })
	require.GreaterOrEqual(st.t, at, 0)
	return trial.Sources[at].Tried
}

// TestTry tries rules against 1,230 rows and the records of two sources, with exact numbers.
func TestTry(t *testing.T) {
	t.Parallel()
	st := newTrialStand(t)
	everything := "SELECT (SELECT count(*) FROM workspace.events) || ' ' || (SELECT count(*) FROM workspace.audit) || ' ' || " +
		"(SELECT string_agg(version::text, ',' ORDER BY slug) FROM workspace.registry_tables) || (SELECT sum(version) FROM workspace.records)"
	before := st.ask(everything)

	trial := st.try(registry.ColumnDefinition{Name: "status", Type: registry.Text, Choices: []string{"open", "done"}})
	require.Equal(t, "1230 of 1230: 300 refused, 0 missing, 0 unreadable, 0 converted", trial.Rows.counts())
	require.Equal(t, "1000 of 1000: 250 refused, 0 missing, 0 unreadable, 0 converted", st.source(trial, st.shop).counts())
	require.Equal(t, "30 of 30: 0 refused, 0 missing, 0 unreadable, 0 converted", st.source(trial, st.board).counts())
	require.Equal(t, st.shop, trial.Sources[0].By, "the source with the most refusals comes first")
	require.Len(t, trial.Rows.Examples, trialExamples)
	example := trial.Sources[0].Examples[0]
	require.Equal(t, "S1199", example.Key, "the newest first")
	require.Equal(t, "paused", *example.Value)
	require.Equal(t, "choice", example.Code)
	require.Equal(t, `status: "paused" is not one of open, done`, example.Message)
	require.Equal(t, st.tenant.Workspace, example.Workspace)
	require.Equal(t, st.id("records", "S1199"), example.Record)
	require.False(t, trial.New || trial.Retyped)

	// Ten of the board's records made rows without a status. They stay, and would have been refused when they were new.
	trial = st.try(registry.ColumnDefinition{Name: "status", Type: registry.Text, Required: true})
	require.Equal(t, "1230 of 1230: 0 refused, 10 missing, 0 unreadable, 0 converted", trial.Rows.counts())
	require.Equal(t, "30 of 30: 0 refused, 10 missing, 0 unreadable, 0 converted", st.source(trial, st.board).counts())
	require.Equal(t, "missing required field: status", st.source(trial, st.board).Examples[0].Message)
	require.Nil(t, st.source(trial, st.board).Examples[0].Value)

	require.Equal(t, before, st.ask(everything), "a trial writes nothing")

	// A change of a row does not need what a new row needs, and null is refused always.
	st.sendBatch(st.board, []string{`{"external_id":"B1","weight":"7"}`, `{"external_id":"B20","status":null}`})
	before = st.ask(everything)
	trial = st.try(registry.ColumnDefinition{Name: "status", Type: registry.Text, Required: true})
	require.Equal(t, "1230 of 1230: 0 refused, 11 missing, 0 unreadable, 0 converted", trial.Rows.counts())
	require.Equal(t, "32 of 32: 1 refused, 10 missing, 0 unreadable, 0 converted", st.source(trial, st.board).counts())

	// Another type: what converts, what does not, and what converts and then breaks a bound.
	trial = st.try(registry.ColumnDefinition{Name: "weight", Type: registry.Number, Maximum: "1189"})
	require.True(t, trial.Retyped)
	require.Equal(t, "1230 of 1230: 30 refused, 0 missing, 20 unreadable, 1201 converted", trial.Rows.counts())
	require.Equal(t, "1000 of 1000: 10 refused, 0 missing, 0 unreadable, 1000 converted", st.source(trial, st.shop).counts())
	require.Equal(t, `weight: "heavy" is not a number`, st.source(trial, st.board).Examples[0].Message)

	// A new column: whether a source sent it is not known.
	trial = st.try(registry.ColumnDefinition{Name: "owner", Type: registry.Text, Required: true})
	require.True(t, trial.New)
	require.Equal(t, "1230 of 1230: 0 refused, 1230 missing, 0 unreadable, 0 converted", trial.Rows.counts())
	require.Equal(t, "1000 of 1000: 0 refused, 1000 missing, 0 unreadable, 0 converted", st.source(trial, st.shop).counts())
	require.Equal(t, "32 of 32: 0 refused, 30 missing, 0 unreadable, 0 converted", st.source(trial, st.board).counts())

	require.Equal(t, before, st.ask(everything), "a trial writes nothing")
}

// TestTryAddedColumn tries the rules of a column that a company has added to a built-in table.
func TestTryAddedColumn(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	st := stand{t, s, db, pgtest.NewTenant(t, db)}
	admin := auth.Operator(st.tenant.ID)
	hazard := registry.ColumnDefinition{Name: "hazard_class", Type: registry.Text, Required: true}
	st.write("products", `{"external_id":"P0","sku":"OLD","name":"Old"}`)
	tried, err := s.Try(t.Context(), admin, "products", 0, hazard)
	require.NoError(t, err)
	require.True(t, tried.New)
	require.Equal(t, "1 of 1: 0 refused, 1 missing, 0 unreadable, 0 converted", tried.Rows.counts())

	hazard.Required = false
	_, err = s.registry.DefineColumn(t.Context(), admin, "products", 0, hazard)
	require.NoError(t, err)
	st.write("products", `{"sku":"TEA","name":"Tea","hazard_class":"3"}`)
	st.write("products", `{"sku":"OIL","name":"Oil","hazard_class":"flammable"}`)
	hazard.Type, hazard.Minimum = registry.Number, "4"
	tried, err = s.Try(t.Context(), admin, "products", 0, hazard)
	require.NoError(t, err)
	require.Equal(t, "3 of 3: 2 refused, 0 missing, 1 unreadable, 1 converted", tried.Rows.counts())
	require.Equal(t, "3 of 3: 2 refused, 0 missing, 1 unreadable, 1 converted", tried.Sources[0].counts())
	require.Equal(t, "OIL", tried.Rows.Examples[0].Key)
	require.Equal(t, "OIL", tried.Sources[0].Examples[0].Key)
}

// TestTryRefuses checks that a trial refuses what the change itself would be refused for, and whoever may not make it.
func TestTryRefuses(t *testing.T) {
	t.Parallel()
	st := newTrialStand(t)
	other := pgtest.NewTenant(t, st.db)
	buyer := auth.Principal{Tenant: st.tenant.ID, Workspace: st.tenant.Workspace, Role: auth.Buyer, Actor: auth.Actor{Type: auth.ByPerson}}
	status := registry.ColumnDefinition{Name: "status", Type: registry.Text}
	for _, tt := range []struct {
		name   string
		by     auth.Principal
		slug   string
		column registry.ColumnDefinition
		code   string
	}{
		{"a buyer", buyer, "decisions", status, "forbidden"},
		{"another company", auth.Operator(other.ID), "decisions", status, "unknown_table"},
		{"a built-in column", auth.Operator(st.tenant.ID), "orders", status, "name_taken"},
		{"a wrong rule", auth.Operator(st.tenant.ID), "decisions", registry.ColumnDefinition{Name: "status", Type: registry.Text, Minimum: "1"}, "bounds"},
		{"a reference", auth.Operator(st.tenant.ID), "decisions", registry.ColumnDefinition{Name: "status", References: "suppliers"}, "type_fixed"},
		{"the key", auth.Operator(st.tenant.ID), "decisions", registry.ColumnDefinition{Name: "external_id", Type: registry.Number}, "identity"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := st.s.Try(t.Context(), tt.by, tt.slug, 0, tt.column)
			require.True(t, fault.HasCode(err, tt.code), err)
		})
	}
	_, err := st.s.Try(t.Context(), auth.Operator(st.tenant.ID), "decisions", 1, status)
	require.True(t, fault.HasCode(err, "stale"), err)
}

// TestTryStopsInTime checks that a trial that runs out of time says how far it came.
func TestTryStopsInTime(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	st := stand{t, s, db, pgtest.NewTenant(t, db)}
	_, err := s.registry.Define(t.Context(), auth.Operator(st.tenant.ID), registry.Definition{Title: "Decisions",
		Columns: []registry.ColumnDefinition{{Name: "status", Type: registry.Text}}})
	require.NoError(t, err)
	st.ask(`WITH made AS (INSERT INTO workspace.records (tenant_id, workspace_id, slug, external_id, data)
		SELECT $1, $2, 'decisions', i::text, jsonb_build_object('status', 'x') FROM generate_series(1, $3::int) i RETURNING 1)
		SELECT count(*)::text FROM made`, st.tenant.ID, st.tenant.Workspace, trialSlice+7)
	by := auth.Operator(st.tenant.ID)
	prospect, err := s.registry.Prospect(t.Context(), by, "decisions", 0,
		registry.ColumnDefinition{Name: "status", Type: registry.Text, Choices: []string{"open"}})
	require.NoError(t, err)
	zones, err := s.zones(t.Context(), st.tenant.ID)
	require.NoError(t, err)
	attempt := &trial{Prospect: prospect, s: s, by: by, zones: zones}

	var tried Tried
	require.NoError(t, attempt.rows(t.Context(), &tried, 0))
	require.Equal(t, "0 of 5007: 0 refused, 0 missing, 0 unreadable, 0 converted", tried.counts())
	tried = Tried{}
	require.NoError(t, attempt.rows(t.Context(), &tried, trialTime))
	require.Equal(t, "5007 of 5007: 5007 refused, 0 missing, 0 unreadable, 0 converted", tried.counts())
	sources, since, err := attempt.records(t.Context(), time.Now())
	require.NoError(t, err)
	require.Empty(t, sources)
	require.True(t, since.After(time.Now()), "no time of the past was looked at")
}
