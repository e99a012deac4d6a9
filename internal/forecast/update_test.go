package forecast_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/forecast"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// mark marks articles as the keeper of sales does.
func (s *stage) mark(products ...string) {
	s.t.Helper()
	require.NoError(s.t, s.db.InTenant(s.t.Context(), s.tenant.ID, func(tx pgx.Tx) error {
		return forecast.Mark(s.t.Context(), tx, s.tenant.ID, s.tenant.Workspace, products)
	}))
}

func (s *stage) update() {
	s.t.Helper()
	require.NoError(s.t, s.forecasts.Update(s.t.Context(), s.tenant.ID, s.tenant.Workspace))
}

func (s *stage) marks() []string {
	return s.rows("SELECT product_id FROM workspace.forecast_marks ORDER BY 1")
}

// writers returns which transaction wrote the row of each article.
func (s *stage) writers() []string {
	return s.rows("SELECT xmin::text FROM workspace.forecasts ORDER BY product_id")
}

// TestUpdate changes one article's sales in the past.
func TestUpdate(t *testing.T) {
	t.Parallel()
	s, fresh, made := newStage(t), newStage(t), made(1)
	asOf := made.Options.Days - 4 // a Thursday
	now, today := at(made, asOf), demand.DayOf(made.Date(asOf))
	s.open(s.tenant, made, asOf)
	const changed = 11
	id := made.Articles[changed].ID
	require.NotEmpty(t, family(made, changed))

	s.mark(id, id)
	s.update()
	require.Equal(t, []string{id}, s.marks(), "before the first computation the marks stay")
	require.NoError(t, s.forecasts.Daily(t.Context(), now))
	require.Empty(t, s.marks())

	// A sale of today is not known before tomorrow.
	before := s.writers()
	made.History[changed].Sold[asOf] = 500
	s.sell(s.tenant, made, changed, asOf+1)
	s.mark(id)
	s.update()
	require.Empty(t, s.marks())
	require.Equal(t, before, s.writers())
	require.Equal(t, []string{"false"}, s.rows("SELECT stale::text FROM workspace.forecast_state"))

	// Ten more were sold on each day of the last eight weeks.
	for day := asOf - 56; day < asOf; day++ {
		made.History[changed].Sold[day] += 10
		made.History[changed].Stock[day] = 1
	}
	s.sell(s.tenant, made, changed, asOf)
	s.mark(id)
	s.update()
	after := s.writers()
	for i := range made.Articles {
		require.Equal(t, i == changed, before[i] != after[i], "article %d", i)
	}
	known := sales(made, asOf)
	want := s.families()[family(made, changed)].Estimate(known.Articles[changed], known.End)
	row := s.view(s.tenant, "product_demand", nil, &id)[0]
	require.Equal(t, want.Velocity, row["velocity"])
	require.Equal(t, want.Over(today, 90), row["forecast_90"])
	require.Equal(t, string(want.Class), row["demand_class"])

	// Within the hour all articles are computed, and are as if there had been no update.
	require.NoError(t, s.forecasts.Daily(t.Context(), now.Add(time.Hour-time.Second)))
	require.Equal(t, after, s.writers())
	require.NoError(t, s.forecasts.Daily(t.Context(), now.Add(time.Hour)))
	require.NotEqual(t, after, s.writers(), "the family's season is another")
	fresh.open(fresh.tenant, made, asOf)
	compute := func() {
		t.Helper()
		require.NoError(t, fresh.forecasts.Compute(t.Context(), fresh.tenant.ID, fresh.tenant.Workspace, today))
	}
	compute() // without a log
	require.NotEqual(t, s.stored(s.tenant)["forecasts"], fresh.stored(fresh.tenant)["forecasts"])
	fresh.exec("INSERT INTO workspace.forecast_log SELECT * FROM json_populate_recordset(NULL::workspace.forecast_log, $1)",
		s.log(fresh.tenant))
	fresh.exec("UPDATE workspace.forecast_state SET newest_origin = $1::text::date", s.newest())
	compute()
	require.Equal(t, fresh.stored(fresh.tenant), s.stored(s.tenant))
}

// families returns the stored values of families.
func (s *stage) families() map[string]demand.Family {
	s.t.Helper()
	families := map[string]demand.Family{}
	rows, err := s.admin.Query(s.t.Context(), "SELECT family, prior, strength, index, indexed FROM workspace.forecast_families")
	require.NoError(s.t, err)
	_, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (bool, error) {
		var f demand.Family
		var index []float64
		err := row.Scan(&f.Name, &f.Prior, &f.Strength.Value, &index, &f.Season.Known)
		for m := range index {
			f.Season.Months[m].Index = index[m]
		}
		families[f.Name] = f
		return true, err
	})
	require.NoError(s.t, err)
	return families
}

// log returns the log as JSON, as another tenant's.
func (s *stage) log(tenant pgtest.Tenant) string {
	return s.rows(`SELECT json_agg(to_jsonb(l) || jsonb_build_object('tenant_id', $1::uuid, 'workspace_id', $2::uuid))::text
		FROM workspace.forecast_log l`, tenant.ID, tenant.Workspace)[0]
}

func (s *stage) newest() string {
	return s.rows("SELECT newest_origin::text FROM workspace.forecast_state")[0]
}

// TestMarkDuringUpdate marks an article again while its mark is there: an update must not take
// the mark before it can see the sales.
func TestMarkDuringUpdate(t *testing.T) {
	t.Parallel()
	s, made := newStage(t), made(1)
	s.open(s.tenant, made, made.Options.Days)
	require.NoError(t, s.forecasts.Daily(t.Context(), today))
	first, second := made.Articles[0].ID, made.Articles[1].ID
	s.mark(first, second)
	require.NoError(t, s.db.InTenant(t.Context(), s.tenant.ID, func(tx pgx.Tx) error {
		err := forecast.Mark(t.Context(), tx, s.tenant.ID, s.tenant.Workspace, []string{second})
		s.update()
		require.Equal(t, []string{second}, s.marks())
		return err
	}))
	require.NoError(t, s.db.InTenant(t.Context(), s.tenant.ID, func(tx pgx.Tx) error {
		s.lock(tx)
		s.update()
		require.Equal(t, []string{second}, s.marks(), "another computation runs")
		return nil
	}))
	s.exec("UPDATE workspace.sales_settings SET week_start = 7")
	s.update()
	require.Equal(t, []string{second}, s.marks(), "all articles must be computed first")
	s.exec("UPDATE workspace.sales_settings SET week_start = 1")
	require.NoError(t, s.forecasts.Daily(t.Context(), today))
	require.Empty(t, s.marks())
}

// TestManyMarks marks more articles than one transaction takes.
func TestManyMarks(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.exec(`INSERT INTO workspace.sales_settings (tenant_id, workspace_id, time_zone, week_start, base_currency, rebuild_began_at)
		VALUES ($1, $2, 'UTC', 1, 'EUR', now())`, s.tenant.ID, s.tenant.Workspace)
	require.NoError(t, s.forecasts.Daily(t.Context(), today))
	s.exec(`INSERT INTO workspace.products (tenant_id, workspace_id, id, sku, name)
		SELECT $1, $2, to_char(n, '0000'), n::text, 'x' FROM generate_series(1, 1201) n`, s.tenant.ID, s.tenant.Workspace)
	s.exec("INSERT INTO workspace.sales_series (tenant_id, workspace_id, product_id) SELECT tenant_id, workspace_id, id FROM workspace.products")
	s.mark(s.rows("SELECT id FROM workspace.products")...)
	s.update()
	require.Empty(t, s.marks())
	require.Len(t, s.writers(), 1201)
}
