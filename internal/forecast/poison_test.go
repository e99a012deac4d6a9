package forecast_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// gaps returns the articles without figures, with why.
func (s *stage) gaps() []string {
	return s.rows("SELECT product_id || ': ' || reason FROM workspace.uncomputed_articles WHERE part = 'demand' ORDER BY 1")
}

// TestBrokenArticles breaks the stored sales of five articles, each in another way: all others have the figures that
// they have in a shop without the five. What is mended is computed again.
func TestBrokenArticles(t *testing.T) {
	t.Parallel()
	s, control, made := newStage(t), newStage(t), made(1)
	days := made.Options.Days
	s.open(s.tenant, made, days)
	control.open(control.tenant, made, days)
	broken := map[string]string{
		"units[5] = 1e308":                   "the quantity 1e+308 that was sold in a week is not plausible",
		"units[5] = 2e308":                   "a number of its sales is too large to compute with", // nor can PostgreSQL read it
		"units[5] = 'NaN'":                   "the quantity NaN that was sold in a week is not plausible",
		"units[5] = -1e13":                   "the quantity -10000000000000 that was sold in a week is not plausible",
		"first_sale = '0044-03-15 BC'::date": "a sale in the year -43 is not plausible",
	}
	var want, ids []string
	i := 0
	for change, reason := range broken {
		id := made.Articles[i].ID
		s.exec("UPDATE workspace.sales_series SET "+change+" WHERE product_id = $1", id)
		control.exec("DELETE FROM workspace.sales_series WHERE product_id = $1", id)
		ids, want = append(ids, id), append(want, id+": "+reason)
		i++
	}
	require.NoError(t, s.forecasts.Daily(t.Context(), today))
	require.NoError(t, control.forecasts.Daily(t.Context(), today))
	require.ElementsMatch(t, want, s.gaps())
	require.Equal(t, control.stored(control.tenant), s.stored(s.tenant))

	// Marked articles too: those that can be computed are, and no mark stays.
	other := made.Articles[20].ID
	s.mark(append(ids, other)...)
	s.update()
	require.Empty(t, s.marks())
	require.ElementsMatch(t, want, s.gaps())
	require.Equal(t, control.stored(control.tenant)["forecasts"], s.stored(s.tenant)["forecasts"])
	s.past("product_demand", today.AddDate(0, 0, -1), "")

	for i := range ids {
		s.sell(s.tenant, made, i, days)
		control.sell(control.tenant, made, i, days)
	}
	s.mark(ids...)
	s.update()
	require.Empty(t, s.gaps())
	require.Len(t, s.stored(s.tenant)["forecasts"], len(made.Articles))
	for _, one := range []*stage{s, control} {
		require.NoError(t, one.forecasts.Compute(t.Context(), one.tenant.ID, one.tenant.Workspace, demand.DayOf(today)))
	}
	require.Equal(t, control.stored(control.tenant)["forecasts"], s.stored(s.tenant)["forecasts"])
}

// TestBrokenWorkspace lets the computation of one company fail as a whole: the other one is computed.
func TestBrokenWorkspace(t *testing.T) {
	t.Parallel()
	s, made := newStage(t), made(1)
	neighbour := pgtest.NewTenant(t, s.db)
	s.open(s.tenant, made, made.Options.Days)
	s.open(neighbour, made, made.Options.Days)
	s.exec(`CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'broken'; END $$`)
	s.exec("CREATE TRIGGER refuse BEFORE INSERT ON workspace.forecasts FOR EACH ROW WHEN (NEW.tenant_id = '" +
		s.tenant.ID.String() + "') EXECUTE FUNCTION public.refuse()")
	require.ErrorContains(t, s.forecasts.Daily(t.Context(), today), "P0001")
	require.Len(t, s.stored(neighbour)["forecasts"], len(made.Articles))
	require.Empty(t, s.stored(s.tenant)["forecasts"])
	require.Empty(t, s.gaps(), "no article is to blame")
}
