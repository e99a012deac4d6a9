package forecast

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/pg/q"
)

// first starts a week of the tests: a Thursday of 2019.
const first = 7 * 2600

// weekly returns the series of an article that sold so much in each week of a year.
func weekly(id string, units float64) q.ReadSeriesRow {
	row := q.ReadSeriesRow{ProductID: id, Family: "Tea", FirstSale: dateOf(first), LastSale: dateOf(first + 363),
		FirstWeek: dateOf(first), EndsOn: dateOf(first + 363)}
	for range 52 {
		row.Units, row.EmptyDays = append(row.Units, units), append(row.EmptyDays, 0)
	}
	return row
}

// TestPoison adds series that cannot be true, or that the arithmetic breaks on, to those of a family. All others have
// the figures that they have without them.
func TestPoison(t *testing.T) {
	t.Parallel()
	compute := func(rows ...q.ReadSeriesRow) (*known, map[string]figure) {
		k := newKnown(place{}, q.ReadForecastSettingsRow{WeekStart: 4}, first+364)
		for _, row := range rows {
			k.add(row)
		}
		d, err := k.derive(true)
		require.NoError(t, err)
		k.log = d.log.entries
		f := newFigures(&k, d.estimates.Articles, tau2Of(d.calibrations))
		all := map[string]figure{}
		for i := range f.demands {
			all[f.demands[i].ID] = f.row(i)
		}
		_, err = f.rows(0, len(f.demands))
		require.NoError(t, err)
		return &k, all
	}
	good := []q.ReadSeriesRow{weekly("a", 7), weekly("b", 14), weekly("c", 21), weekly("d", 28)}
	_, want := compute(good...)
	require.Len(t, want, 4)

	huge, infinite, none := weekly("huge", 7), weekly("infinite", 7), weekly("none", 7)
	huge.Units[3], infinite.Units[51], none.Units[20] = 1e308, math.Inf(1), math.NaN()
	running, year := weekly("running", 7), weekly("year", 7)
	running.Running, year.Units365 = -2e12, 1e300
	ancient := weekly("ancient", 7)
	ancient.FirstSale.Time = ancient.FirstSale.Time.AddDate(-2018, 0, 0)
	k, got := compute(append(good, huge, infinite, none, running, year, ancient)...)
	require.Equal(t, want, got)
	require.Equal(t, map[string]string{
		"huge":     "the quantity 1e+308 that was sold in a week is not plausible",
		"infinite": "the quantity +Inf that was sold in a week is not plausible",
		"none":     "the quantity NaN that was sold in a week is not plausible",
		"running":  "the quantity -2000000000000 that was sold in a week is not plausible",
		"ancient":  "a sale in the year 1 is not plausible",
		"year":     "the quantity 1e+300 that was sold in a week is not plausible",
	}, k.gaps)

	// An article on which the arithmetic panics: its days are fewer than its weeks.
	k = new(newKnown(place{}, q.ReadForecastSettingsRow{WeekStart: 4}, first+364))
	for _, row := range good {
		k.add(row)
	}
	k.rows = append(k.rows, weekly("broken", 7))
	k.sales.Articles = append(k.sales.Articles, demand.Article{ID: "broken", Family: "Tea", Units: make([]float64, 52), InStock: []int{7}})
	d, err := k.derive(true)
	require.NoError(t, err)
	require.Len(t, d.estimates.Articles, 4)
	require.Equal(t, map[string]string{"broken": unestimated}, k.gaps)
	require.Len(t, k.rows, 4)
}

// TestBelieved passes over entries of the log that were made from what is left out today.
func TestBelieved(t *testing.T) {
	t.Parallel()
	fine := demand.Entry{Forecast: [3]float64{28, 28, 28}, Strength: 0.5, SigmaDay2: 4, Finished: true, InStock: 28, Units: 30}
	require.True(t, believed(fine))
	for name, change := range map[string]func(*demand.Entry){
		"forecast": func(e *demand.Entry) { e.Forecast[1] = 1e99 }, "units": func(e *demand.Entry) { e.Units = math.Inf(1) },
		"spread": func(e *demand.Entry) { e.SigmaDay2 = math.NaN() }, "strength": func(e *demand.Entry) { e.Strength = math.NaN() },
	} {
		e := fine
		change(&e)
		require.False(t, believed(e), name)
	}
}

// TestFinite refuses figures that are no numbers.
func TestFinite(t *testing.T) {
	t.Parallel()
	fine := figure{Velocity: 2, WAPE: new(0.3)}
	require.True(t, fine.finite())
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		require.False(t, new(figure{Low30: x}).finite())
		require.False(t, new(figure{Bias: &x}).finite())
	}
}
