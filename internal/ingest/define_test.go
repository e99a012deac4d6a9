package ingest

import (
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/telemetry"
)

// TestDefinedOnTheNextRecord changes a company's own table through one instance, and sends each next record to another
// one, which has the table cached as it was before.
func TestDefinedOnTheNextRecord(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	tables := registry.New(db.Cells) // the other instance
	st, other := stand{t, s, db, pgtest.NewTenant(t, db)}, stand{t, s, db, pgtest.NewTenant(t, db)}
	ctx, admin := t.Context(), auth.Operator(st.tenant.ID)
	send := func(st stand, body string) (Outcome, error) {
		return s.Write(ctx, Record{By: st.by(), Slug: "decisions", Body: []byte(body), RequestID: "test"})
	}
	sure := func(_ *registry.Defined, err error) { t.Helper(); require.NoError(t, err) }
	data := func(key string) string {
		return st.ask("SELECT data::text FROM workspace.records WHERE tenant_id = $1 AND external_id = $2", st.tenant.ID, key)
	}
	code := func(err error) string {
		var refusal *fault.Error
		if errors.As(err, &refusal) {
			return refusal.Code
		}
		return ""
	}

	_, err := send(st, `{"external_id":"D1"}`)
	require.Equal(t, "unknown_table", code(err))
	start := "open"
	sure(tables.Define(ctx, admin, registry.Definition{Title: "Decisions", Columns: []registry.ColumnDefinition{
		{Name: "title", Type: registry.Text}, {Name: "status", Type: registry.Text, Choices: []string{"open", "done"}, Default: &start},
	}}))
	_, err = send(st, `{"external_id":"D1","title":"Buy tea","weight":3}`)
	require.NoError(t, err)
	require.JSONEq(t, `{"title":"Buy tea","status":"open"}`, data("D1"))

	weight := registry.ColumnDefinition{Name: "weight", Type: registry.Number, Maximum: "10"}
	sure(tables.DefineColumn(ctx, admin, "decisions", 0, weight))
	_, err = send(st, `{"external_id":"D1","weight":11}`)
	require.Equal(t, "range", code(err))
	outcome, err := send(st, `{"external_id":"D1","weight":"3"}`)
	require.NoError(t, err)
	require.Equal(t, []string{"weight"}, outcome.Coerced)

	weight.Required = true
	sure(tables.DefineColumn(ctx, admin, "decisions", 0, weight))
	_, err = send(st, `{"external_id":"D2","title":"x"}`)
	require.Equal(t, "required", code(err))
	_, err = send(st, `{"external_id":"D1","title":"Buy more tea"}`)
	require.NoError(t, err, "what is required is required of new records")

	// A retired column is dropped, and what it held is kept until it returns.
	sure(tables.SetColumnRetired(ctx, admin, "decisions", "weight", 0, true))
	outcome, err = send(st, `{"external_id":"D1","weight":9,"status":"done"}`)
	require.NoError(t, err)
	require.Equal(t, []string{"weight"}, outcome.Dropped)
	require.JSONEq(t, `{"title":"Buy more tea","status":"done","weight":3}`, data("D1"))
	sure(tables.SetColumnRetired(ctx, admin, "decisions", "weight", 0, false))
	_, err = send(st, `{"external_id":"D1","weight":4}`)
	require.NoError(t, err)

	// Another company's table of the same slug has other columns, and its records are its own.
	_, err = send(other, `{"external_id":"D1","title":"x"}`)
	require.Equal(t, "unknown_table", code(err))
	sure(tables.Define(ctx, auth.Operator(other.tenant.ID), registry.Definition{Title: "Decisions",
		Columns: []registry.ColumnDefinition{{Name: "title", Type: registry.Boolean}}}))
	_, err = send(other, `{"external_id":"D1","title":true,"status":"never"}`)
	require.NoError(t, err)
	require.JSONEq(t, `{"title":"Buy more tea","status":"done","weight":4}`, data("D1"))

	sure(tables.SetRetired(ctx, admin, "decisions", 0, true))
	_, err = send(st, `{"external_id":"D1","weight":5}`)
	require.Equal(t, "unknown_table", code(err))
	_, err = send(other, `{"external_id":"D2","title":false}`)
	require.NoError(t, err)
}

// TestPeopleOnly checks a column that only people fill in: systems cannot set it, and people can.
func TestPeopleOnly(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	st := newStand(t, s, db)
	_, err := s.registry.Define(t.Context(), auth.Operator(st.tenant.ID), registry.Definition{Title: "Decisions",
		Columns: []registry.ColumnDefinition{{Name: "title", Type: registry.Text}, {Name: "verdict", Type: registry.Text, PeopleOnly: true}}})
	require.NoError(t, err)
	st.write("decisions", `{"external_id":"D1","title":"x","verdict":"from a system"}`)
	id := st.id("records", "D1")
	verdict := func() string {
		return st.ask("SELECT coalesce(data->>'verdict', '-') FROM workspace.records WHERE id = $1", id)
	}
	require.Equal(t, "-", verdict())
	_, err = s.Edit(t.Context(), st.buyer(), "decisions", id, []byte(`{"verdict":"yes"}`), 1)
	require.NoError(t, err)
	st.write("decisions", `{"external_id":"D1","title":"y","verdict":"no"}`)
	require.Equal(t, "yes", verdict())
	made, err := s.Create(t.Context(), st.buyer(), "decisions", []byte(`{"external_id":"D2","verdict":"maybe"}`))
	require.NoError(t, err)
	require.Equal(t, "maybe", st.ask("SELECT data->>'verdict' FROM workspace.records WHERE id = $1", made))
	_, err = s.Retry(t.Context(), st.buyer(), "decisions", []byte(`{"external_id":"D1","verdict":"retried"}`), Terms{})
	require.NoError(t, err)
	require.Equal(t, "yes", verdict(), "a retry is what a system has sent")
}

// TestDefinedUnderLoad changes a table again and again while two instances store records of it: none fails.
func TestDefinedUnderLoad(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	second := New(db.Cells, registry.New(db.Cells), slog.New(slog.DiscardHandler), telemetry.NewMetrics(), Config{Lanes: 2, Queued: 1000})
	t.Cleanup(second.Close)
	st := stand{t, s, db, pgtest.NewTenant(t, db)}
	admin := auth.Operator(st.tenant.ID)
	_, err := s.registry.Define(t.Context(), admin, registry.Definition{Title: "Decisions"})
	require.NoError(t, err)
	var group sync.WaitGroup
	failed := make([]error, 60)
	for i := range failed {
		group.Go(func() {
			_, failed[i] = []*Service{s, second}[i%2].Write(t.Context(), Record{By: st.by(), Slug: "decisions", RequestID: "test",
				Body: []byte(`{"external_id":"D` + strconv.Itoa(i%20) + `","c1":1,"c4":2}`)})
		})
	}
	for i := range 30 {
		_, err := second.registry.DefineColumn(t.Context(), admin, "decisions", 0,
			registry.ColumnDefinition{Name: "c" + strconv.Itoa(i), Type: registry.Number})
		require.NoError(t, err)
	}
	group.Wait()
	require.NoError(t, errors.Join(failed...))
	require.Equal(t, "20", st.ask("SELECT count(*)::text FROM workspace.records WHERE tenant_id = $1", st.tenant.ID))
}
