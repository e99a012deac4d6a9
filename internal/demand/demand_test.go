package demand

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// day parses a date.
func day(text string) Day {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		panic(err)
	}
	return DayOf(t)
}

// steady returns an article that sold the same in every week and was always in stock.
func steady(id, family string, weeks int, units float64) Article {
	return Article{ID: id, Family: family, Units: slices.Repeat([]float64{units}, weeks),
		InStock: slices.Repeat([]int{7}, weeks)}
}

var monday = day("2026-01-05")

func TestDay(t *testing.T) {
	t.Parallel()
	east := time.FixedZone("east", 14*60*60)
	require.Equal(t, day("2026-03-01"), DayOf(time.Date(2026, 3, 1, 1, 0, 0, 0, east)), "the zone's own date")
	require.Equal(t, Day(0), day("1970-01-01"))
	require.Equal(t, 1, monthOfWeek(day("2026-02-26"))-monthOfWeek(day("2026-02-25")), "the fourth day decides")
}

func TestCeiling(t *testing.T) {
	t.Parallel()
	// Sorted 1 2 3 4 5 6 7 100: Q1 = 2.75, Q3 = 6.25, so 6.25 + 3*3.5 = 16.75.
	units := []float64{100, 1, 0, 2, 3, 0, 0, 4, 5, 6, 7, 0}
	most, capped := ceiling(units)
	require.True(t, capped)
	require.InDelta(t, 16.75, most, 1e-12)

	_, capped = ceiling(units[:10]) // 7 weeks with sales
	require.False(t, capped)

	// An article that sells 4 in every fifth week: quartiles over all weeks would cap it at 0.
	seldom := steady("a", "", 60, 0)
	for w := 0; w < 60; w += 5 {
		seldom.Units[w] = 4
	}
	most, capped = ceiling(seldom.Units)
	require.True(t, capped)
	require.InDelta(t, 4, most, 1e-12)
	require.Positive(t, estimateOne(seldom).Velocity)
}

// estimateOne returns the estimate of an article without others.
func estimateOne(a Article) Demand {
	return Estimate(Sales{End: monday, Articles: []Article{a}}, nil).Articles[0]
}

func TestRate(t *testing.T) {
	t.Parallel()
	a := Article{Units: []float64{10, 20}, InStock: []int{5, 7}}
	// (20 + 0.9*10) / (7 + 0.9*5)
	require.InDelta(t, 29/11.5, newRate(a, flat.weeks(monday)).raw, 1e-12)
	// The last week was in a month of twice the demand: (20 + 9) / (2*7 + 4.5).
	factors := flat.weeks(monday)
	factors[0] = 2
	require.InDelta(t, 29/18.5, newRate(a, factors).raw, 1e-12)

	// The week before the last 104 weeks does not count.
	long := steady("a", "", 105, 7)
	long.Units[0] = 1e6
	require.InDelta(t, 1, newRate(long, flat.weeks(monday)).raw, 1e-12)

	// More units were returned than sold.
	require.Zero(t, newRate(Article{Units: []float64{-3}, InStock: []int{7}}, flat.weeks(monday)).raw)
}

func TestPrior(t *testing.T) {
	t.Parallel()
	family := []Article{steady("a", "f", 8, 7), steady("b", "f", 8, 14), steady("c", "f", 8, 42)}
	newcomer, unseen := steady("n", "f", 1, 35), Article{ID: "u", Family: "f"}
	never := Article{ID: "v", Family: "f", Units: []float64{0}, InStock: []int{0}}
	result := Estimate(Sales{End: monday, Articles: append(family, newcomer, unseen, never)}, nil)
	require.InDelta(t, 2, *result.Families[0].Prior, 1e-12, "the median of 1, 2 and 6; the new ones do not count")
	// h = 7/(7+3), so 0.7*5 + 0.3*2.
	require.InDelta(t, 4.1, result.Articles[3].Velocity, 1e-12)
	// h = 56/59: 56/59*6 + 3/59*2.
	require.InDelta(t, 342.0/59, result.Articles[2].Velocity, 1e-12)
	for _, d := range result.Articles[4:] {
		require.InDelta(t, 2, d.Raw, 1e-12, "without exposure the prior stands in")
		require.InDelta(t, 2, d.Velocity, 1e-12)
		require.InDelta(t, 2, d.SigmaDay2, 1e-12, "and the variance is that of single units at random")
		require.Equal(t, New, d.Class)
		require.Equal(t, Low, d.Confidence)
	}

	two := Estimate(Sales{End: monday, Articles: append(family[:2:2], newcomer, unseen)}, nil)
	require.Nil(t, two.Families[0].Prior)
	require.InDelta(t, 5, two.Articles[2].Velocity, 1e-12, "without a prior the rate stands alone")
	require.Zero(t, two.Articles[3].Velocity)

	var alone []Article
	for i := range 4 {
		alone = append(alone, steady(strconv.Itoa(i), "", 8, 7*float64(1+i)))
	}
	none := Estimate(Sales{End: monday, Articles: append(alone, Article{ID: "u"})}, nil)
	require.Empty(t, none.Families)
	require.Zero(t, none.Articles[4].Velocity, "articles without a family share no prior")
	require.InDelta(t, 1, none.Articles[0].Velocity, 1e-12)
}

func TestVariance(t *testing.T) {
	t.Parallel()
	ones := flat.weeks(monday)
	// At 2 a day the weeks miss by 24-14 = 10 and 10-14 = -4: (100 + 0.9*16)/1.9/7.
	a := Article{Units: []float64{10, 24}, InStock: []int{7, 7}}
	require.InDelta(t, 114.4/13.3, variance(a, 2, ones), 1e-12)
	// A week with 3 in-stock days does not count.
	a = Article{Units: []float64{10, 500, 24}, InStock: []int{7, 3, 7}}
	require.InDelta(t, (100+0.81*16)/1.81/7, variance(a, 2, ones), 1e-12)
	require.InDelta(t, 2, variance(steady("a", "", 9, 14), 2, ones), 1e-12, "at least the velocity")
	require.InDelta(t, 2, variance(Article{Units: []float64{9}, InStock: []int{3}}, 2, ones), 1e-12)
	// The last 52 weeks only, and uncapped.
	old := steady("a", "", 53, 14)
	old.Units[0] = 1e6
	require.InDelta(t, 2, variance(old, 2, ones), 1e-12)
	old.Units[52] = 1014
	require.Greater(t, variance(old, 2, ones), 1000.0)
}

func TestClass(t *testing.T) {
	t.Parallel()
	weeks := func(n int, pattern ...float64) Article {
		a := steady("a", "", n, 0)
		for w := range a.Units {
			a.Units[w] = pattern[w%len(pattern)]
		}
		return a
	}
	empty := weeks(26, 5, 0)
	for w := 1; w < 26; w += 2 {
		empty.InStock[w] = 0
	}
	lately := weeks(104, 0)
	for w := 78; w < 104; w++ {
		lately.Units[w] = 5
	}
	revived := weeks(40, 0)
	revived.Units[0], revived.Running = 3, 1
	for name, tt := range map[string]struct {
		article Article
		want    Class
	}{
		"every week alike":                   {weeks(26, 5), Smooth},
		"every week, 1 or 9":                 {weeks(26, 1, 9), Erratic}, // mean 5, CV² = 16/25 = 0.64
		"every week, 2 or 8":                 {weeks(26, 2, 8), Smooth},  // CV² = 9/25 = 0.36
		"every second week":                  {weeks(26, 0, 5), Intermittent},
		"every second week, 1 or 9":          {weeks(26, 0, 1, 0, 9), Lumpy},
		"3 of 4 weeks: an interval of 1.33":  {weeks(24, 5, 5, 5, 0), Intermittent},
		"4 of 5 weeks: an interval of 1.25":  {weeks(25, 5, 5, 5, 5, 0), Smooth},
		"empty in between: no interval":      {empty, Smooth},
		"27 in-stock days":                   {Article{Units: []float64{5, 5, 5, 5}, InStock: []int{7, 7, 7, 6}}, New},
		"28 in-stock days":                   {weeks(4, 5), Smooth},
		"nothing at all":                     {Article{}, New},
		"no sale in 25 weeks: 175 days":      {weeks(26, append([]float64{5}, make([]float64, 25)...)...), Intermittent},
		"no sale in 26 weeks: 182 days":      {weeks(27, append([]float64{5}, make([]float64, 26)...)...), Dead},
		"sold again in the running week":     {revived, Intermittent},
		"the last 26 weeks decide, not more": {lately, Smooth},
	} {
		require.Equal(t, tt.want, classify(tt.article), name)
	}
	unstocked := weeks(60, 0)
	unstocked.Units[0] = 5
	for w := 20; w < 60; w++ {
		unstocked.InStock[w] = 0 // 19*7 = 133 days in stock without a sale
	}
	require.Equal(t, Intermittent, classify(unstocked), "days out of stock do not make an article dead")
}

func TestTrend(t *testing.T) {
	t.Parallel()
	// 4 weeks of 6 after 4 weeks of 4: +50 %.
	require.InDelta(t, 50, *Trend([]float64{99, 4, 4, 4, 4, 6, 6, 6, 6}), 1e-12)
	require.Nil(t, Trend([]float64{0, 0, 0, 0, 6, 6, 6, 6}), "nothing to compare with")
	require.Nil(t, Trend([]float64{6}))
	require.Nil(t, Trend(nil))
}

func TestConfidence(t *testing.T) {
	t.Parallel()
	require.Equal(t, High, confidence(182, 30))
	require.Equal(t, Medium, confidence(181, 30))
	require.Equal(t, Medium, confidence(182, 29))
	require.Equal(t, Low, confidence(55, 500))
	require.Equal(t, Low, confidence(56, 9))
}
