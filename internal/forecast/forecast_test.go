package forecast_test

import (
	"log/slog"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/forecast"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/shop"
)

// expectedLog is the log of a workspace that begins with a day.
func expectedLog(known demand.Sales) []demand.Entry {
	for i := range known.Articles {
		known.Articles[i].Running = 0
	}
	log := demand.Replay(known, demand.Origins(known.End-52*7, known.End))
	log = slices.DeleteFunc(log, func(e demand.Entry) bool {
		at := slices.IndexFunc(known.Articles, func(a demand.Article) bool { return a.ID == e.Article })
		return len(known.Articles[at].Units) == 0
	})
	for i := range log {
		log[i].Replayed = log[i].Origin < known.End
	}
	return log
}

// TestDaily compares all that is stored and shown with what package demand computes from the
// shop's own days, to the last digit.
func TestDaily(t *testing.T) {
	t.Parallel()
	for name, back := range map[string]int{"on a Monday": 0, "on a Thursday": 4} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, made := newStage(t), made(1)
			asOf := made.Options.Days - back
			s.open(s.tenant, made, asOf)
			require.NoError(t, s.forecasts.Daily(t.Context(), at(made, asOf)))

			known, log := sales(made, asOf), expectedLog(sales(made, asOf))
			require.Greater(t, len(log), 500)
			want := demand.Estimate(known, log)
			s.requireLog(log)
			s.requireSeasons(want)
			s.requireDemands(made, asOf, known, log, want)
			require.Equal(t, []string{made.Date(asOf).Format(time.DateOnly)},
				s.rows("SELECT as_of::text FROM workspace.forecast_state"))
		})
	}
}

func (s *stage) requireLog(want []demand.Entry) {
	s.t.Helper()
	rows, err := s.admin.Query(s.t.Context(), `SELECT product_id, family, origin, ARRAY[forecast_none, forecast_half, forecast_full],
		strength, indexed, sigma_day2, class, replayed, in_stock_days, units FROM workspace.forecast_log ORDER BY origin, product_id`)
	require.NoError(s.t, err)
	got, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (e demand.Entry, err error) {
		var origin time.Time
		var forecasts []float64
		var inStock *int
		var units *float64
		err = row.Scan(&e.Article, &e.Family, &origin, &forecasts, &e.Strength, &e.Indexed, &e.SigmaDay2, &e.Class, &e.Replayed,
			&inStock, &units)
		e.Origin, e.Forecast = demand.DayOf(origin), [3]float64(forecasts)
		if inStock != nil {
			e.Finished, e.InStock, e.Units = true, *inStock, *units
		}
		return e, err
	})
	require.NoError(s.t, err)
	require.Equal(s.t, want, got)
}

func (s *stage) requireSeasons(want demand.Estimates) {
	s.t.Helper()
	rows := s.view(s.tenant, "seasonality", nil, nil)
	require.Len(s.t, rows, 12*(len(want.Families)+1))
	seasons, strengths := map[string]demand.Season{"ALL": want.All}, map[string]demand.Strength{}
	strengths["ALL"] = demand.Strength{Reason: demand.NotApplied}
	used := map[float64]bool{}
	for _, f := range want.Families {
		seasons[f.Name], strengths[f.Name], used[f.Strength.Value] = f.Season, f.Strength, true
	}
	require.Greater(s.t, len(used), 1, "the shop has families with a season and others")
	for _, row := range rows {
		delete(row, "key")
		scope, _ := row["scope"].(string)
		month, _ := row["month"].(int32)
		m := seasons[scope].Months[month-1]
		confidence := "low"
		switch {
		case m.Years >= 2 && m.Units >= 240:
			confidence = "high"
		case m.Units >= 60:
			confidence = "medium"
		}
		require.Equal(s.t, map[string]any{
			"scope": scope, "month": month, "raw_index": m.Raw, "index": m.Index, "years": int32(m.Years), "units": m.Units,
			"strength": strengths[scope].Value, "strength_reason": string(strengths[scope].Reason), "confidence": confidence,
		}, row)
	}
}

func (s *stage) requireDemands(made *shop.Shop, asOf int, known demand.Sales, log []demand.Entry, want demand.Estimates) {
	s.t.Helper()
	rows := s.view(s.tenant, "product_demand", nil, nil)
	require.Len(s.t, rows, len(made.Articles))
	calibrations, from := demand.Calibrate(log, known.End), demand.DayOf(made.Date(asOf))
	judged := 0
	for i, a := range known.Articles { // the shop numbers its articles in the order of their ids
		d, row, h := want.Articles[i], rows[i], made.History[i]
		accuracy := demand.Judge(a, known.End, d.Class,
			slices.DeleteFunc(slices.Clone(log), func(e demand.Entry) bool { return e.Article != a.ID }))
		low, high := d.Range(from, 30, calibrations[d.Class].Tau2)
		if accuracy.Bias != nil {
			judged++
		}
		expected := map[string]any{
			"product_id": a.ID, "variant_external_id": a.ID, "sku": made.Articles[i].SKU, "name": made.Articles[i].Name,
			"family": orNil(a.Family), "exposure_days": int32(d.Exposure), "velocity_raw": d.Raw, "velocity": d.Velocity,
			"sigma_day": math.Sqrt(d.SigmaDay2), "season_factor": d.Index.Mean(from, 30), "season_strength": d.Strength,
			"demand_per_day": d.Over(from, 30) / 30, "trend_pct": orNil(d.Trend), "demand_class": string(d.Class),
			"forecast_30": d.Over(from, 30), "forecast_90": d.Over(from, 90), "low_30": low, "high_30": high,
			"wape": orNil(accuracy.WAPE), "wape_naive": orNil(accuracy.WAPENaive),
			"wape_seasonal_naive": orNil(accuracy.WAPESeasonalNaive), "rmsse": orNil(accuracy.RMSSE), "bias": orNil(accuracy.Bias),
			"confidence": string(d.Confidence),
		}
		units := func(days int) (sum float64) {
			for day := asOf - days; day < asOf; day++ {
				sum += float64(h.Sold[day])
			}
			return sum
		}
		expected["units_28"], expected["units_84"], expected["units_365"] = units(28), units(84), units(365)
		first := slices.IndexFunc(h.Sold[:asOf], func(n int32) bool { return n > 0 })
		last, stockout, flags := asOf-1, 0, []string{}
		if a.Family == "" {
			flags = append(flags, "no_family")
		}
		expected["first_sale_date"], expected["last_sale_date"] = nil, nil
		if first < 0 {
			flags = append(flags, "never_sold")
		} else {
			for h.Sold[last] == 0 {
				last--
			}
			expected["first_sale_date"], expected["last_sale_date"] = made.Date(first), made.Date(last)
			for day := max(first, asOf/7*7-84); day < asOf/7*7; day++ {
				if !h.InStock(day) {
					stockout++
				}
			}
		}
		expected["stockout_days_84"], expected["flags"] = int32(stockout), strings.Join(flags, ", ")
		require.Equal(s.t, expected, row)
	}
	require.Greater(s.t, judged, 20)
	one := known.Articles[7].ID
	require.Equal(s.t, rows[7:8], s.view(s.tenant, "product_demand", nil, &one))
	require.Len(s.t, s.view(s.tenant, "seasonality", nil, &one), 12)
	before, later := made.Date(asOf-1), made.Date(asOf+1)
	require.Empty(s.t, s.view(s.tenant, "product_demand", &before, nil), "not known then")
	require.Len(s.t, s.view(s.tenant, "product_demand", &later, nil), len(rows))
	require.Empty(s.t, s.view(s.tenant, "seasonality", &before, nil))
}

// orNil returns what a null is read as, for a nil pointer or an empty text.
func orNil(value any) any {
	switch v := value.(type) {
	case *float64:
		if v != nil {
			return *v
		}
	case string:
		if v != "" {
			return v
		}
	}
	return nil
}

// TestTenantsComputeAlone adds a second tenant with the same articles and other sales.
func TestTenantsComputeAlone(t *testing.T) {
	t.Parallel()
	s, made, other := newStage(t), made(1), made(2)
	s.open(s.tenant, made, made.Options.Days)
	require.NoError(t, s.forecasts.Daily(t.Context(), today))
	alone := s.stored(s.tenant)

	neighbour := pgtest.NewTenant(t, s.db)
	s.open(neighbour, other, other.Options.Days)
	require.NoError(t, s.forecasts.Daily(t.Context(), today))
	require.NotEqual(t, alone["forecasts"], s.stored(neighbour)["forecasts"])
	require.NoError(t, s.forecasts.Compute(t.Context(), s.tenant.ID, s.tenant.Workspace, demand.DayOf(today)))
	require.Equal(t, alone, s.stored(s.tenant))
}

// TestSeveralInstances runs two of them at once, and one while another holds the workspace.
func TestSeveralInstances(t *testing.T) {
	t.Parallel()
	s, made := newStage(t), made(1)
	s.open(s.tenant, made, made.Options.Days)
	cells, err := pg.Open(t.Context(), pg.Config{URL: s.db.ServiceURL})
	require.NoError(t, err)
	t.Cleanup(cells.Close)
	second := forecast.New(cells, slog.New(slog.DiscardHandler))

	require.NoError(t, s.db.InTenant(t.Context(), s.tenant.ID, func(tx pgx.Tx) error {
		s.lock(tx)
		require.NoError(t, second.Daily(t.Context(), today))
		require.Empty(t, s.stored(s.tenant)["forecast_state"], "it leaves the workspace to who has it")
		err := second.Compute(t.Context(), s.tenant.ID, s.tenant.Workspace, demand.DayOf(today))
		require.True(t, fault.Is(err, fault.Unavailable))
		return nil
	}))
	var running sync.WaitGroup
	for _, instance := range []*forecast.Service{s.forecasts, second} {
		running.Go(func() { require.NoError(t, instance.Daily(t.Context(), today)) })
	}
	running.Wait()
	s.requireLog(expectedLog(sales(made, made.Options.Days)))

	control := newStage(t)
	control.open(control.tenant, made, made.Options.Days)
	require.NoError(t, control.forecasts.Daily(t.Context(), today))
	require.Equal(t, control.stored(control.tenant), s.stored(s.tenant))
}

// lock keeps others from computing the workspace, until the transaction ends.
func (s *stage) lock(tx pgx.Tx) {
	var alone bool
	require.NoError(s.t, tx.QueryRow(s.t.Context(), "SELECT pg_try_advisory_xact_lock(hashtextextended(concat('forecasts of ', $1::uuid), 0))",
		s.tenant.Workspace).Scan(&alone))
	require.True(s.t, alone)
}

// TestNoLookAhead computes an earlier day with and without the sales that came later.
func TestNoLookAhead(t *testing.T) {
	t.Parallel()
	s, later, made := newStage(t), newStage(t), made(1)
	asOf := made.Options.Days - 40 // a Wednesday
	s.open(s.tenant, made, asOf)
	later.open(later.tenant, made, made.Options.Days)
	for _, one := range []*stage{s, later} {
		require.NoError(t, one.forecasts.Daily(t.Context(), at(made, asOf)))
	}
	require.Equal(t, s.stored(s.tenant), later.stored(later.tenant))

	// As of the same day, with a log that has gone on.
	before := s.stored(s.tenant)["forecasts"]
	require.NoError(t, later.forecasts.Daily(t.Context(), today))
	require.NotEqual(t, before, later.stored(later.tenant)["forecasts"])
	require.NoError(t, later.forecasts.Compute(t.Context(), later.tenant.ID, later.tenant.Workspace,
		demand.DayOf(made.Date(asOf))))
	strip := "SELECT (to_jsonb(t) - 'tenant_id' - 'workspace_id' - 'as_of')::text FROM workspace.forecasts t ORDER BY 1"
	require.Equal(t, s.rows(strip), later.rows(strip))
}

// TestOnlyChangesAreWritten computes the same twice.
func TestOnlyChangesAreWritten(t *testing.T) {
	t.Parallel()
	s, made := newStage(t), made(1)
	s.open(s.tenant, made, made.Options.Days)
	require.NoError(t, s.forecasts.Daily(t.Context(), today))
	const writers = "SELECT xmin::text FROM workspace.forecasts ORDER BY product_id"
	before := s.rows(writers)
	require.NoError(t, s.forecasts.Compute(t.Context(), s.tenant.ID, s.tenant.Workspace, demand.DayOf(today)))
	require.Equal(t, before, s.rows(writers))

	s.exec("DELETE FROM workspace.sales_series WHERE product_id = $1", made.Articles[0].ID)
	require.NoError(t, s.forecasts.Compute(t.Context(), s.tenant.ID, s.tenant.Workspace, demand.DayOf(today)))
	require.Len(t, s.rows(writers), len(made.Articles)-1)
	require.Error(t, s.forecasts.Compute(t.Context(), s.tenant.ID, uuid.New(), demand.DayOf(today)))
}

// TestZonesAndSettings checks when a workspace is due.
func TestZonesAndSettings(t *testing.T) {
	t.Parallel()
	s, made := newStage(t), made(1)
	s.open(s.tenant, made, made.Options.Days)
	asOf := func() string { return s.rows("SELECT coalesce(max(as_of)::text, '') FROM workspace.forecast_state")[0] }
	daily := func(now time.Time) {
		t.Helper()
		require.NoError(t, s.forecasts.Daily(t.Context(), now))
	}
	s.exec("UPDATE workspace.sales_settings SET rebuilding = 'lines', time_zone = 'America/New_York'")
	daily(today)
	require.Empty(t, asOf(), "its sales are being computed")
	s.exec("UPDATE workspace.sales_settings SET rebuilding = NULL")
	daily(today)
	require.Equal(t, "2026-07-05", asOf(), "it is still Sunday in New York")
	daily(today.Add(4*time.Hour - time.Second))
	require.Equal(t, "2026-07-05", asOf())
	daily(today.Add(4 * time.Hour))
	require.Equal(t, "2026-07-06", asOf())

	s.exec("UPDATE workspace.sales_settings SET time_zone = 'Pacific/Honolulu'")
	daily(today.Add(4 * time.Hour))
	require.Equal(t, "2026-07-05", asOf(), "the settings are others")
}
