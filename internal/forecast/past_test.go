package forecast_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/forecast"
)

var storedViews = []string{"product_demand", "seasonality"}

// TestPastOfToday checks that what is computed for a day equals what is stored as of that day:
// all articles, and each alone.
func TestPastOfToday(t *testing.T) {
	t.Parallel()
	s, made := newStage(t), made(4)
	day := made.Options.Days - 2 // within a week
	s.open(s.tenant, made, day)
	require.NoError(t, s.forecasts.Daily(t.Context(), at(made, day)))
	for _, name := range storedViews {
		require.Equal(t, s.view(s.tenant, name, nil, nil), s.past(name, made.Date(day), ""), name)
		for _, i := range []int{0, 1, 3, 17, 31, 59} { // some without a family
			product := made.Articles[i].ID
			require.Equal(t, s.view(s.tenant, name, nil, &product), s.past(name, made.Date(day), product), "%s of %d", name, i)
		}
	}
}

// TestPastKnowsNothingLater checks that the figures of a day are those that were stored on it,
// whatever was sold and forecast since.
func TestPastKnowsNothingLater(t *testing.T) {
	t.Parallel()
	s, made := newStage(t), made(5)
	then := made.Options.Days - 33 // an origin has passed since, and outcomes have become known
	s.open(s.tenant, made, then)
	require.NoError(t, s.forecasts.Daily(t.Context(), at(made, then)))
	product := made.Articles[17].ID
	stored := map[string][]map[string]any{}
	for _, name := range storedViews {
		stored[name], stored[name+" of one"] = s.view(s.tenant, name, nil, nil), s.view(s.tenant, name, nil, &product)
	}
	for i := range made.Articles {
		s.sell(s.tenant, made, i, made.Options.Days)
	}
	require.NoError(t, s.forecasts.Daily(t.Context(), today))
	for _, name := range storedViews {
		require.NotEqual(t, stored[name], s.view(s.tenant, name, nil, nil), "the later sales matter today")
		require.Equal(t, stored[name], s.past(name, made.Date(then), ""), name)
		require.Equal(t, stored[name+" of one"], s.past(name, made.Date(then), product), name)
	}
}

// TestPastBounds checks what is refused, and that a workspace without sales has no rows.
func TestPastBounds(t *testing.T) {
	t.Parallel()
	s, made := newStage(t), made(6)
	for _, name := range storedViews {
		require.Empty(t, s.past(name, today, ""), "no sales yet")
	}
	s.open(s.tenant, made, made.Options.Days)
	for _, name := range storedViews {
		require.Empty(t, s.past(name, today, "01900000-0000-7000-8000-000000000000"), "no such article")
	}
	for _, row := range s.past("product_demand", made.Date(0), "") {
		require.Equal(t, 0.0, row["velocity"], "nothing was sold before the first day")
	}

	s.exec(`INSERT INTO workspace.products (tenant_id, workspace_id, id, external_id, name, family)
		SELECT $1, $2, 'more ' || n, n, 'More', 'Many' FROM generate_series(0, $3::integer) n`, s.tenant.ID, s.tenant.Workspace, forecast.MostPast)
	s.exec(`INSERT INTO workspace.sales_series (tenant_id, workspace_id, product_id)
		SELECT $1, $2, 'more ' || n FROM generate_series(0, $3::integer) n`, s.tenant.ID, s.tenant.Workspace, forecast.MostPast)
	for _, product := range []string{"", "more 1"} {
		require.NoError(t, s.db.InTenant(t.Context(), s.tenant.ID, func(tx pgx.Tx) error {
			_, err := s.forecasts.DemandAsOf(t.Context(), tx, s.tenant.ID, s.tenant.Workspace, today, product)
			require.True(t, fault.HasCode(err, "too_many"), "%v", err)
			return nil
		}))
	}
	require.Len(t, s.past("product_demand", today, made.Articles[0].ID), 1, "a small family is computed")
}
