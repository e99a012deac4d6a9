package demand

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quayside/quayside/test/property"
)

// These tests calculate the demand a second time, slowly and from its definition, and compare the
// results. Of the package they take the season's index, which season_test.go checks.

// plainDemand is one article's demand.
type plainDemand struct{ raw, velocity, sigmaDay2 float64 }

// plainFamily calculates the demand of one family's articles with a season.
func plainFamily(members []Article, index Index, end Day) map[string]plainDemand {
	results, priors := map[string]plainDemand{}, []float64{}
	for _, a := range members {
		if raw, exposure := plainRaw(a, index, end); exposure >= 56 {
			priors = append(priors, raw)
		}
	}
	hasPrior := members[0].Family != "" && len(priors) >= 3
	for _, a := range members {
		var d plainDemand
		var exposure float64
		d.raw, exposure = plainRaw(a, index, end)
		d.velocity = d.raw
		if hasPrior {
			prior := plainQuantile(priors, 0.5)
			if !slices.ContainsFunc(lastOf(a.InStock, 104), func(days int) bool { return days > 0 }) {
				d.raw = prior
			}
			d.velocity = (exposure*d.raw + 3*prior) / (exposure + 3)
		}
		d.sigmaDay2 = plainVariance(a, d.velocity, index, end)
		results[a.ID] = d
	}
	return results
}

func lastOf[T any](all []T, n int) []T { return all[max(0, len(all)-n):] }

// plainRaw returns the units per in-stock day of the last 104 weeks, and these days. A week counts 0.9 times as much as
// the week after it, and with at most Q3 + 3 IQR of the weeks with sales, if there are 8 of those.
func plainRaw(a Article, index Index, end Day) (raw, exposure float64) {
	var sold []float64
	for _, u := range lastOf(a.Units, 104) {
		if u > 0 {
			sold = append(sold, u)
		}
	}
	most := math.Inf(1)
	if len(sold) >= 8 {
		lower, upper := plainQuantile(sold, 0.25), plainQuantile(sold, 0.75)
		most = 4*upper - 3*lower
	}
	var units, days float64
	for back := range min(104, len(a.Units)) {
		w, weight := len(a.Units)-1-back, math.Pow(0.9, float64(back))
		units += weight * math.Min(a.Units[w], most)
		days += weight * float64(a.InStock[w]) * plainSeason(index, end, back)
		exposure += float64(a.InStock[w])
	}
	if days == 0 {
		return 0, exposure
	}
	return math.Max(0, units/days), exposure
}

// plainVariance returns the variance of a day, of the last 52 weeks with at least 4 in-stock days, uncapped.
func plainVariance(a Article, velocity float64, index Index, end Day) float64 {
	var squares, weights float64
	for back := range min(52, len(a.Units)) {
		w, weight := len(a.Units)-1-back, math.Pow(0.9, float64(back))
		if a.InStock[w] >= 4 {
			expected := velocity * plainSeason(index, end, back) * float64(a.InStock[w])
			off := a.Units[w] - expected
			squares += weight * off * off
			weights += weight
		}
	}
	if weights == 0 {
		return velocity
	}
	return math.Max(velocity, squares/weights/7)
}

// plainSeason returns the index of the month in which the fourth day of a week lies.
func plainSeason(index Index, end Day, back int) float64 {
	return index[plainDate(end).AddDate(0, 0, -7*(back+1)+3).Month()-1]
}

func plainDate(day Day) time.Time { return time.Date(1970, 1, 1+int(day), 0, 0, 0, 0, time.UTC) }

// plainOver returns the demand of some days, day by day.
func plainOver(velocity float64, index Index, from Day, days int) (total float64) {
	for day := range days {
		total += velocity * index[plainDate(from).AddDate(0, 0, day).Month()-1]
	}
	return total
}

func plainQuantile(values []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	at := q * float64(len(sorted)-1)
	below, above := math.Floor(at), math.Ceil(at)
	return sorted[int(below)] + (at-below)*(sorted[int(above)]-sorted[int(below)])
}

// requireNear allows rounding errors only.
func requireNear(t require.TestingT, want, got float64, what string) {
	require.InDelta(t, want, got, 1e-9*math.Max(1, math.Abs(want)), what)
}

// drawSeasonal draws sales of which one family has a season that is used.
func drawSeasonal(t *rapid.T) Sales {
	sales := drawSales(t, 130)
	start := sales.End - 7*120
	for i, id := range []string{"s1", "s2", "s3"} {
		a := steady(id, "seasonal", 120, 0)
		for w := range a.Units {
			a.Units[w] = float64(10 + 3*i + w%3)
			if month := plainDate(start + Day(7*w+3)).Month(); month >= 5 && month <= 9 {
				a.Units[w] *= 5
			}
		}
		sales.Articles = append(sales.Articles, a)
	}
	return sales
}

// byFamily groups articles. Each article without a family is alone.
func byFamily(articles []Article) map[string][]Article {
	groups := map[string][]Article{}
	for _, a := range articles {
		name := a.Family
		if name == "" {
			name = "alone " + a.ID
		}
		groups[name] = append(groups[name], a)
	}
	return groups
}

// TestEstimateIsThePlainOne draws articles with outliers, returns, empty days and seasons.
func TestEstimateIsThePlainOne(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		sales := drawSeasonal(t)
		got := map[string]Demand{}
		for _, d := range Estimate(sales, nil).Articles {
			got[d.ID] = d
		}
		require.InDelta(t, 0.5, got["s1"].Strength, 0, "the season is used")
		for _, members := range byFamily(sales.Articles) {
			index := got[members[0].ID].Index
			for id, want := range plainFamily(members, index, sales.End) {
				d := got[id]
				requireNear(t, want.raw, d.Raw, id+": raw")
				requireNear(t, want.velocity, d.Velocity, id+": velocity")
				requireNear(t, want.sigmaDay2, d.SigmaDay2, id+": variance")
				requireNear(t, plainOver(want.velocity, index, sales.End, 45), d.Over(sales.End, 45), id+": 45 days")
			}
		}
	})
}

// TestForecastsArePlainOnes does the same to the forecasts of the log, at each strength of the season.
func TestForecastsArePlainOnes(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		sales := drawSeasonal(t)
		entries := map[string]Entry{}
		for _, e := range Forecasts(sales, nil) {
			entries[e.Article] = e
		}
		for _, members := range byFamily(sales.Articles) {
			season := flat
			if members[0].Family != "" {
				season = NewSeason(members, sales.End).Index()
			}
			for i, strength := range []float64{0, 0.5, 1} {
				index := season
				for m := range index {
					index[m] = 1 - strength + strength*season[m]
				}
				for id, want := range plainFamily(members, index, sales.End) {
					requireNear(t, plainOver(want.velocity, index, sales.End, 28), entries[id].Forecast[i], id)
					if strength == entries[id].Strength {
						requireNear(t, want.sigmaDay2, entries[id].SigmaDay2, id+": variance")
					}
				}
			}
		}
	})
}

// TestOutlier sells 10 in each of eight weeks, and once 1,000: by hand.
func TestOutlier(t *testing.T) {
	t.Parallel()
	a := steady("a", "", 9, 10)
	a.Units[8] = 1000 // the last week
	// All quartiles are 10, so the week counts with 10 like the others: 10 in 7 days.
	d := estimateOne(a)
	require.InDelta(t, 10./7, d.Velocity, 1e-12)
	// The variance knows it: one week of 1,000 missed by 990, and eight that were right. The weights sum up to
	// (1 - 0.9⁹)/0.1.
	require.InDelta(t, 990.*990/(6.12579511)/7, d.SigmaDay2, 1e-4)

	a.Units = a.Units[1:] // with eight weeks as well
	a.InStock = a.InStock[1:]
	require.InDelta(t, 10./7, estimateOne(a).Velocity, 1e-12)
	a.Units[0] = 0 // seven weeks with sales are too few to tell: (1000 + 10*(0.9 + … + 0.9⁶)) / 7 / (1 + … + 0.9⁷)
	require.InDelta(t, (1000+10*4.217031)/7/5.6953279, estimateOne(a).Velocity, 1e-6)
}
