package ingest

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/telemetry"
)

// convertStand is a company with a table whose column weight is a text.
type convertStand struct {
	stand
	weight registry.ColumnDefinition
}

func newConvertStand(t *testing.T) convertStand {
	t.Helper()
	s, db := newService(t)
	st := convertStand{stand{t, s, db, pgtest.NewTenant(t, db)}, registry.ColumnDefinition{Name: "weight", Type: registry.Text}}
	_, err := s.registry.Define(t.Context(), auth.Operator(st.tenant.ID), registry.Definition{Title: "Decisions",
		Columns: []registry.ColumnDefinition{st.weight, {Name: "title", Type: registry.Text}}})
	require.NoError(t, err)
	st.weight.Type = registry.Number
	return st
}

func (st convertStand) retype(lose int64) error {
	_, err := st.s.Retype(st.t.Context(), auth.Operator(st.tenant.ID), "decisions", 0, st.weight, lose)
	return err
}

// job returns the conversion's job.
func (st convertStand) job() ConversionJob {
	st.t.Helper()
	id := st.ask("SELECT id::text FROM workspace.conversions WHERE tenant_id = $1 ORDER BY id DESC LIMIT 1", st.tenant.ID)
	return ConversionJob{st.tenant.ID, uuid.MustParse(id)}
}

func (st convertStand) run() (more bool, pause time.Duration) {
	st.t.Helper()
	more, pause, err := st.s.Convert(st.t.Context(), st.job())
	require.NoError(st.t, err)
	return more, pause
}

// settle lets the time pass after which no statement with the old type can begin to write.
func (st convertStand) settle() {
	st.t.Helper()
	st.ask("UPDATE workspace.conversions SET settled_at = now() WHERE tenant_id = $1 RETURNING ''", st.tenant.ID)
}

// finish runs the job until it has ended.
func (st convertStand) finish() {
	st.t.Helper()
	for more, pause := true, time.Duration(0); more; more, pause = st.run() {
		require.LessOrEqual(st.t, pause, convertPause)
	}
	require.Equal(st.t, "done", st.ask("SELECT pass FROM workspace.conversions WHERE tenant_id = $1", st.tenant.ID))
}

func (st convertStand) data(key string) string {
	st.t.Helper()
	return st.ask("SELECT data::text || ' ' || version FROM workspace.records WHERE tenant_id = $1 AND external_id = $2", st.tenant.ID, key)
}

// TestConvert gives a column another type: what converts is converted, what does not is emptied and stays in the events.
func TestConvert(t *testing.T) {
	t.Parallel()
	st := newConvertStand(t)
	for key, weight := range map[string]string{"D1": `"007.50"`, "D2": `"heavy"`, "D3": `""`, "D4": `null`, "D5": `"1e2"`} {
		st.write("decisions", fmt.Sprintf(`{"external_id":%q,"title":"x","weight":%s}`, key, weight))
	}
	st.write("decisions", `{"external_id":"D6","title":"x"}`)
	updated := st.ask("SELECT max(updated_at)::text FROM workspace.records WHERE tenant_id = $1", st.tenant.ID)

	require.True(t, fault.HasCode(st.retype(0), "more_lost"), "nobody loses more values than they have seen")
	_, err := st.s.registry.DefineColumn(t.Context(), auth.Operator(st.tenant.ID), "decisions", 0, st.weight)
	require.True(t, fault.HasCode(err, "type_fixed"), err)
	require.Equal(t, `{"title": "x", "weight": "heavy"} 1`, st.data("D2"))
	require.NoError(t, st.retype(1))
	require.True(t, fault.HasCode(st.retype(1), "same_type"))
	st.weight.Type = registry.Boolean
	require.True(t, fault.HasCode(st.retype(9), "converting"), "one conversion at a time")

	// The rows are converted at once. The job does not end before the statements that were running can have ended.
	more, pause := st.run()
	require.True(t, more)
	require.Greater(t, pause, 20*time.Second, "at the end of the first pass the job waits")
	require.Equal(t, `{"title": "x", "weight": 7.50} 2`, st.data("D1"))
	require.Equal(t, `{"title": "x", "weight": null} 2`, st.data("D2"))
	require.Equal(t, `{"title": "x", "weight": null} 2`, st.data("D3"))
	require.Equal(t, `{"title": "x", "weight": null} 1`, st.data("D4"))
	require.Equal(t, `{"title": "x", "weight": 100} 2`, st.data("D5"))
	require.Equal(t, `{"title": "x"} 1`, st.data("D6"))
	st.settle()
	st.finish()
	require.Equal(t, "3 1", st.ask("SELECT converted || ' ' || emptied FROM workspace.conversions WHERE tenant_id = $1", st.tenant.ID))
	require.Equal(t, `{"before": {"weight": "heavy"}, "record": {"weight": null}, "result": "updated"}`, st.ask(
		"SELECT data::text FROM workspace.events WHERE subject = $1 AND kind = 'ingest.decisions.converted'", st.id("records", "D2")))
	require.Equal(t, updated, st.ask("SELECT max(updated_at)::text FROM workspace.records WHERE tenant_id = $1", st.tenant.ID),
		"nobody has stated anything new")
	more, _ = st.run()
	require.False(t, more, "a job that runs again finds nothing to do")
	st.write("decisions", `{"external_id":"D2","weight":"8"}`)
	require.Equal(t, `{"title": "x", "weight": 8} 3`, st.data("D2"))
}

// TestConvertRace lets a writer that read the old definition store a value of the old type after the first pass. The job
// waits for its transaction, and converts the value.
func TestConvertRace(t *testing.T) {
	t.Parallel()
	st := newConvertStand(t)
	st.write("decisions", `{"external_id":"D1","weight":"1"}`)
	second := New(st.db.Cells, registry.New(st.db.Cells), slog.New(slog.DiscardHandler), telemetry.NewMetrics(), Config{Lanes: 1, Queued: 10})
	t.Cleanup(second.Close)
	_, err := second.Write(t.Context(), Record{By: st.by(), Slug: "decisions", Body: []byte(`{"external_id":"D2","weight":"2"}`), RequestID: "test"})
	require.NoError(t, err, "the second instance has the table in its cache")

	// What a statement does that began before the change and has not committed when the first pass ends.
	late := st.begin()
	_, err = late.Exec(t.Context(), `INSERT INTO workspace.records (tenant_id, workspace_id, slug, external_id, data)
		VALUES ($1, $2, 'decisions', 'D0', '{"weight":"3"}')`, st.tenant.ID, st.tenant.Workspace)
	require.NoError(t, err)
	require.NoError(t, st.retype(0))
	st.run()
	st.settle()
	for range 3 {
		more, pause := st.run()
		require.True(t, more)
		require.Equal(t, convertPause, pause, "the job waits for the transaction")
	}
	require.NoError(t, late.Commit(t.Context()))
	st.finish()
	for i, want := range []string{"3", "1", "2"} {
		require.Contains(t, st.data(fmt.Sprintf("D%d", i)), fmt.Sprintf(`{"weight": %s} `, want))
	}

	// An instance that has the old definition in its cache stores by the new one.
	_, err = second.Write(t.Context(), Record{By: st.by(), Slug: "decisions", Body: []byte(`{"external_id":"D2","weight":"heavy"}`), RequestID: "test"})
	require.True(t, fault.HasCode(err, "type"), err)
	outcome, err := second.Write(t.Context(), Record{By: st.by(), Slug: "decisions", Body: []byte(`{"external_id":"D2","weight":"4"}`), RequestID: "test"})
	require.NoError(t, err)
	require.Equal(t, []string{"weight"}, outcome.Coerced)
}

// TestConvertResumes ends a job after each slice, and lets another take over.
func TestConvertResumes(t *testing.T) {
	t.Parallel()
	st := newConvertStand(t)
	st.ask(`WITH made AS (INSERT INTO workspace.records (tenant_id, workspace_id, slug, external_id, data)
		SELECT $1, $2, 'decisions', i::text, jsonb_build_object('weight', i::text) FROM generate_series(1, $3::int) i RETURNING 1)
		SELECT count(*)::text FROM made`, st.tenant.ID, st.tenant.Workspace, 2*convertSlice+7)
	require.NoError(t, st.retype(0))
	zones := map[uuid.UUID]*time.Location{}
	left := func() string {
		return st.ask("SELECT count(*)::text FROM workspace.records WHERE tenant_id = $1 AND jsonb_typeof(data -> 'weight') = 'string'", st.tenant.ID)
	}
	for _, want := range []string{"507", "7", "0"} {
		more, _, err := st.s.convertStep(t.Context(), st.job(), zones)
		require.NoError(t, err)
		require.True(t, more)
		require.Equal(t, want, left())
	}
	st.settle()
	st.finish()
	require.Equal(t, "1007", st.ask("SELECT converted::text FROM workspace.conversions WHERE tenant_id = $1", st.tenant.ID))
	require.Equal(t, "1007", st.ask("SELECT count(*)::text FROM workspace.events WHERE tenant_id = $1 AND kind LIKE '%.converted'", st.tenant.ID))
}

// TestConvertAdded converts a column that a company has added to a built-in table.
func TestConvertAdded(t *testing.T) {
	t.Parallel()
	st := newConvertStand(t)
	admin := auth.Operator(st.tenant.ID)
	at := registry.ColumnDefinition{Name: "tested_at", Type: registry.Datetime}
	_, err := st.s.registry.DefineColumn(t.Context(), admin, "products", 0, at)
	require.NoError(t, err)
	st.write("products", `{"sku":"TEA","name":"Tea","tested_at":"2026-03-14T23:30:00Z"}`)
	at.Type = registry.Date
	_, err = st.s.Retype(t.Context(), admin, "products", 0, at, 0)
	require.NoError(t, err)
	st.run()
	st.settle()
	st.finish()
	require.Equal(t, `{"tested_at": "2026-03-14"} 2`, st.ask("SELECT custom::text || ' ' || version FROM workspace.products WHERE tenant_id = $1", st.tenant.ID))
}
