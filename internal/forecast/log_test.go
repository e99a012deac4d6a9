package forecast_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/demand"
)

// logOf returns the log, with or without outcomes, by article and origin.
func (s *stage) logOf(where string, leftOut ...string) []string {
	return s.rows("SELECT (to_jsonb(l) - coalesce($1::text[], '{}'))::text FROM workspace.forecast_log l WHERE "+where+
		" ORDER BY product_id, origin", leftOut)
}

func (s *stage) origins(where string) []string {
	return s.rows("SELECT DISTINCT origin::text FROM workspace.forecast_log WHERE " + where + " ORDER BY 1")
}

// TestLogIsNeverRewritten runs a workspace for some months, in which its past sales change.
func TestLogIsNeverRewritten(t *testing.T) {
	t.Parallel()
	s, made := newStage(t), made(1)
	days := made.Options.Days
	begun := days - 7*13
	s.open(s.tenant, made, begun)
	daily := func(day int) {
		t.Helper()
		require.NoError(t, s.forecasts.Daily(t.Context(), at(made, day)))
	}
	daily(begun)
	outcome := []string{"in_stock_days", "units"}
	finished, all := s.logOf("units IS NOT NULL"), s.logOf("true", outcome...)
	require.NotEmpty(t, finished)
	require.Greater(t, len(all), len(finished), "the last origin's days are not over")
	require.Len(t, s.origins("replayed"), 13)

	// The past changes, and the service is down for five weeks.
	for i := range made.Articles {
		for day := begun - 200; day < begun; day++ {
			made.History[i].Sold[day] *= 3
		}
		s.sell(s.tenant, made, i, begun+34)
	}
	daily(begun + 34)
	last := made.Date(begun).Format(time.DateOnly)
	require.Subset(t, s.logOf("units IS NOT NULL"), finished, "outcomes stay")
	require.Equal(t, all, s.logOf("origin <= '"+last+"'", outcome...), "forecasts stay")
	require.Empty(t, s.logOf("units IS NULL AND origin <= '"+last+"'"), "and all are known now")
	missed := s.origins("origin > '" + last + "'")
	require.Len(t, missed, 1)
	require.Equal(t, missed, s.origins("replayed AND origin > '"+last+"'"), "it was made later")

	// In the week of an origin, it is made and not replayed, and once.
	next, err := time.Parse(time.DateOnly, missed[0])
	require.NoError(t, err)
	day := int(next.Sub(made.Date(0)).Hours())/24 + 28
	for i := range made.Articles {
		s.sell(s.tenant, made, i, day+3)
	}
	daily(day - 1)
	require.Empty(t, s.origins("origin > '"+missed[0]+"'"))
	daily(day + 1)
	made28 := s.origins("origin > '" + missed[0] + "' AND NOT replayed")
	require.Equal(t, []string{next.AddDate(0, 0, 28).Format(time.DateOnly)}, made28)
	entries := s.logOf("origin > '" + missed[0] + "'")
	for i := range made.Articles {
		made.History[i].Sold[day-1] *= 9
		s.sell(s.tenant, made, i, day+3)
	}
	daily(day + 2)
	require.Equal(t, entries, s.logOf("origin > '"+missed[0]+"'"))
}

// TestLogIsGuarded tries what a bug could do to the log.
func TestLogIsGuarded(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	try := func(sql string) error {
		return s.db.InTenant(t.Context(), s.tenant.ID, func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), sql)
			return err
		})
	}
	require.ErrorContains(t, try("UPDATE workspace.forecast_log SET forecast_none = 0"), "permission denied")
	s.logged("gone", "current_date - 790", 1)
	s.logged("gone", "current_date - 800", 1)
	require.NoError(t, try("DELETE FROM workspace.forecast_log"))
	require.Equal(t, []string{"790"}, s.rows("SELECT (current_date - origin)::text FROM workspace.forecast_log"),
		"only what is too old to count")
}

// logged writes an entry of an origin for each of n articles.
func (s *stage) logged(name, origin string, n int) {
	s.t.Helper()
	s.exec(`INSERT INTO workspace.forecast_log (tenant_id, workspace_id, origin, product_id, family, forecast_none, forecast_half, forecast_full,
			strength, indexed, sigma_day2, class, replayed, in_stock_days, units)
		SELECT $1, $2, `+origin+`, $3 || n, '', 1, 1, 1, 0, false, 1, 'smooth', false, 28, 1
		FROM generate_series(1, $4::integer) n`, s.tenant.ID, s.tenant.Workspace, name, n)
}

// TestLateSales imports the sales of an article when the log has begun.
func TestLateSales(t *testing.T) {
	t.Parallel()
	s, made := newStage(t), made(1)
	days := made.Options.Days
	s.open(s.tenant, made, days)
	const late = 5
	id := made.Articles[late].ID
	s.exec("DELETE FROM workspace.sales_series WHERE product_id = $1", id)
	s.exec("DELETE FROM workspace.sales_days WHERE product_id = $1", id)
	require.NoError(t, s.forecasts.Daily(t.Context(), today))
	before := s.logOf("true")
	s.sell(s.tenant, made, late, days)
	s.mark(id)
	s.update()
	require.NoError(t, s.forecasts.Daily(t.Context(), today.Add(2*time.Hour)))
	require.Equal(t, []string{"false"}, s.rows("SELECT stale::text FROM workspace.forecast_state"), "all were computed")
	require.Equal(t, before, s.logOf("true"), "not while an import may go on")
	require.NoError(t, s.forecasts.Daily(t.Context(), today.AddDate(0, 0, 1)))
	require.Equal(t, before, s.logOf("product_id <> '"+id+"'"))
	var want []string
	for _, e := range expectedLog(sales(made, days)) {
		if e.Article == id {
			want = append(want, time.Unix(int64(e.Origin)*24*60*60, 0).UTC().Format(time.DateOnly))
		}
	}
	require.Greater(t, len(want), 10)
	require.Equal(t, want, s.origins("replayed AND product_id = '"+id+"'"))
	require.NotNil(t, s.view(s.tenant, "product_demand", nil, &id)[0]["bias"], "it can be judged")
}

// TestInterruptedLog leaves entries that an interrupted computation had written.
func TestInterruptedLog(t *testing.T) {
	t.Parallel()
	s, made := newStage(t), made(1)
	s.open(s.tenant, made, made.Options.Days)
	require.NoError(t, s.forecasts.Daily(t.Context(), today))
	whole := s.stored(s.tenant)
	s.exec("DELETE FROM workspace.forecast_log WHERE product_id > $1", made.Articles[20].ID)
	s.exec("DELETE FROM workspace.forecasts")
	s.exec("DELETE FROM workspace.forecast_state")
	require.NoError(t, s.forecasts.Daily(t.Context(), today))
	require.Equal(t, whole, s.stored(s.tenant))

	// The same for the last three origins.
	s.exec("DELETE FROM workspace.forecast_log WHERE product_id > $1 AND origin > $2::text::date - 84", made.Articles[20].ID, s.newest())
	s.exec("UPDATE workspace.forecast_state SET newest_origin = newest_origin - 84, as_of = as_of - 1")
	require.NoError(t, s.forecasts.Daily(t.Context(), today))
	require.Equal(t, whole, s.stored(s.tenant))
}

// TestWeekStartChanges moves the start of the week when the log has begun.
func TestWeekStartChanges(t *testing.T) {
	t.Parallel()
	s, made := newStage(t), made(1)
	days := made.Options.Days
	s.open(s.tenant, made, days)
	require.NoError(t, s.forecasts.Daily(t.Context(), at(made, days-70)))
	before := s.logOf("true", "in_stock_days", "units")
	s.exec("UPDATE workspace.sales_settings SET week_start = 7")
	s.exec("UPDATE workspace.sales_series SET first_week = workspace.week_of(first_sale, 7)") // its units are a day off, which does not matter here
	require.NoError(t, s.forecasts.Daily(t.Context(), today))
	require.Subset(t, s.logOf("true", "in_stock_days", "units"), before)
	later := s.origins("origin > '" + made.Date(days-70).Format(time.DateOnly) + "'")
	require.GreaterOrEqual(t, len(later), 2)
	for _, origin := range later {
		day, err := time.Parse(time.DateOnly, origin)
		require.NoError(t, err)
		require.Equal(t, time.Sunday, day.Weekday())
		require.True(t, demand.IsOrigin(demand.DayOf(day)))
	}
}

// TestLogIsKept checks that entries of the log are deleted with the first origin after 800 days.
func TestLogIsKept(t *testing.T) {
	t.Parallel()
	s, made := newStage(t), made(3)
	s.open(s.tenant, made, made.Options.Days)
	for _, days := range []string{"799", "801"} {
		s.logged("gone", "date '"+today.Format(time.DateOnly)+"' - "+days, 2100) // more than are deleted at once
	}
	left := func() []string {
		return s.rows("SELECT ($1::date - origin)::text || ' ' || count(*) FROM workspace.forecast_log WHERE product_id LIKE 'gone%' GROUP BY origin", today)
	}
	require.NoError(t, s.forecasts.Daily(t.Context(), today))
	require.Equal(t, []string{"799 2100"}, left())
	require.NoError(t, s.forecasts.Daily(t.Context(), today.AddDate(0, 0, 2)))
	require.Equal(t, []string{"799 2100"}, left(), "no origin has passed")
	require.NoError(t, s.forecasts.Daily(t.Context(), today.AddDate(0, 0, 28)))
	require.Empty(t, left())
}
