package demand

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// summer returns an article that sells 15 a week, and 30 in June, July and August. Its first
// week is the first of 2024. The Thursdays of 2024 and 2025 give each month 4 or 5 weeks.
func summer(weeks int) ([]Article, Day) {
	start := day("2024-01-01")
	a := steady("a", "f", weeks, 15)
	for w := range a.Units {
		if month := monthOfWeek(start+Day(7*w))%12 + 1; month >= 6 && month <= 8 {
			a.Units[w] = 30
		}
	}
	return []Article{a}, start + Day(7*weeks)
}

func TestSeasonOfOneYear(t *testing.T) {
	t.Parallel()
	s := NewSeason(summer(52)) // the next week starts on 30 December and belongs to 2025
	require.True(t, s.Known)
	// 15/7 a day in nine months and 30/7 in three: the mean is 1.25 times the lower.
	require.InDelta(t, 0.8, s.Months[0].Raw, 1e-12)
	require.InDelta(t, 1.6, s.Months[6].Raw, 1e-12)
	require.Equal(t, 1, s.Months[6].Years)

	// Shrunk with trust 0.65. February 2024 has 5 Thursdays, as have May, August and October;
	// the others have 4.
	//   4 weeks of 15:  60 units, 1 + 60/120*0.65*-0.2   = 0.935       Jan Mar Apr Sep Nov Dec
	//   5 weeks of 15:  75 units, 1 + 75/135*0.65*-0.2   = 0.92777778  Feb May Oct
	//   4 weeks of 30: 120 units, 1 + 120/180*0.65*0.6   = 1.26        Jun Jul
	//   5 weeks of 30: 150 units, 1 + 150/210*0.65*0.6   = 1.27857143  Aug
	// Their sum is 12.19190476, so each is divided by 1.01599206.
	require.InDelta(t, 60, s.Months[0].Units, 1e-12)
	require.InDelta(t, 75, s.Months[1].Units, 1e-12)
	mean := 12.19190476 / 12
	for month, want := range map[int]float64{0: 0.935, 1: 0.92777778, 6: 1.26, 7: 1.27857143} {
		require.InDelta(t, want/mean, s.Months[month].Index, 1e-8)
	}
	require.InDelta(t, 12, sum(indexSlice(s.Index())), 1e-9)
}

func indexSlice(x Index) []float64 { return x[:] }

func TestSeasonOfTwoYears(t *testing.T) {
	t.Parallel()
	s := NewSeason(summer(104)) // to 28 December 2025; the next week belongs to 2026
	require.InDelta(t, 1.6, s.Months[6].Raw, 1e-12)
	require.Equal(t, 2, s.Months[6].Years)
	// July: 4 weeks in 2024 and 5 in 2025, 270 units: 1 + 270/330*0.9*0.6 before it is normalised.
	// January: 4 and 5 weeks, 135 units: 1 + 135/195*0.9*-0.2.
	require.InDelta(t, 270, s.Months[6].Units, 1e-12)
	require.InDelta(t, (1+270/330.*0.9*0.6)/(1+135/195.*0.9*-0.2), s.Months[6].Index/s.Months[0].Index, 1e-12)
}

// Growth within the years distorts the ratios, since each month is compared with months that
// sold less or more. They are scaled to a mean of 1 before shrinking.
func TestSeasonOfAGrowingFamily(t *testing.T) {
	t.Parallel()
	articles, end := summer(104)
	for w := range articles[0].Units {
		articles[0].Units[w] *= 1 + float64(w*w)/1000
	}
	raw := NewSeason(articles, end).raw()
	require.InDelta(t, 12, sum(raw[:]), 1e-9)
}

func TestSeasonNeedsHistory(t *testing.T) {
	t.Parallel()
	require.False(t, NewSeason(summer(51)).Known, "December is not complete")
	require.False(t, NewSeason(nil, monday).Known)
	require.Equal(t, flat, NewSeason(nil, monday).Index())

	articles, end := summer(52)
	for w := range articles[0].Units {
		articles[0].Units[w] /= 5 // 195 units in all: 39 weeks of 3 and 13 of 6
	}
	require.False(t, NewSeason(articles, end).Known, "195 units")
	articles[0].Units[0] += 5
	require.True(t, NewSeason(articles, end).Known, "200 units")
	articles[0].InStock[0], articles[0].InStock[1], articles[0].InStock[2], articles[0].InStock[3] = 0, 0, 0, 0
	require.False(t, NewSeason(articles, end).Known, "January without an in-stock day")
}

// The season of all articles is shown, but applied to none.
func TestSeasonOfAll(t *testing.T) {
	t.Parallel()
	articles, end := summer(104)
	articles[0].Family = ""
	result := Estimate(Sales{End: end, Articles: articles}, nil)
	require.Equal(t, NewSeason(articles, end), result.All)
	require.True(t, result.All.Known)
	require.Equal(t, flat, result.Articles[0].Index)
	require.Zero(t, result.Articles[0].Strength)

	articles[0].Family = "f"
	d := Estimate(Sales{End: end, Articles: articles}, nil).Articles[0]
	require.InDelta(t, 0.5, d.Strength, 0)
	require.InDelta(t, 1+0.5*(result.All.Months[6].Index-1), d.Index[6], 1e-12)
}

func TestSeasonMonthNeverInStock(t *testing.T) {
	t.Parallel()
	articles, end := summer(104)
	start := end - 7*104
	for w := range articles[0].Units {
		if monthOfWeek(start+Day(7*w))%12 == 1 {
			articles[0].Units[w], articles[0].InStock[w] = 0, 0
		}
	}
	s := NewSeason(articles, end)
	require.True(t, s.Known)
	require.Equal(t, SeasonMonth{Raw: 1, Index: 1}, s.Months[1])
	require.InDelta(t, 12, sum(indexSlice(s.Index())), 1e-9, "the other eleven have a mean of 1")
}

func TestSeasonIsMeasuredPerInStockDay(t *testing.T) {
	t.Parallel()
	articles, end := summer(52)
	full := NewSeason(articles, end)
	a := articles[0]
	a.Units[0], a.InStock[0] = 0, 0 // a week of January without stock
	require.InDelta(t, full.Months[0].Raw, NewSeason(articles, end).Months[0].Raw, 1e-12)
}

func TestSeasonIsClamped(t *testing.T) {
	t.Parallel()
	articles, end := summer(52)
	for w, u := range articles[0].Units {
		articles[0].Units[w] = 0
		if u == 30 && w < 26 { // June alone
			articles[0].Units[w] = 1e6
		}
	}
	s := NewSeason(articles, end)
	require.InDelta(t, 12, s.Months[5].Raw, 1e-9)
	// 1 + 0.65*11 = 8.15 is clamped to 4. The others sold nothing, so their index stays at 1.
	// The mean is 15/12.
	require.InDelta(t, 4/(15/12.), s.Months[5].Index, 1e-4)
	require.InDelta(t, 1/(15/12.), s.Months[0].Index, 1e-4)
}

func TestCentredMean(t *testing.T) {
	t.Parallel()
	// 24 months that sell 1, 2, … 24 a day. Around month 12 lie the months 6 to 17, which sell 7 to 18.
	months := make([]monthTotal, 24)
	for i := range months {
		months[i] = monthTotal{units: float64(10 * (i + 1)), days: 10}
	}
	require.InDelta(t, 12.5, centredMean(months, 12), 1e-12)
	require.InDelta(t, 6.5, centredMean(months, 0), 1e-12, "the first twelve")
	require.InDelta(t, 18.5, centredMean(months, 23), 1e-12, "the last twelve")
	months[12].days = 0
	require.InDelta(t, (12.5*12-13)/11, centredMean(months, 12), 1e-12, "a month out of stock is left out")
	require.Zero(t, centredMean(make([]monthTotal, 12), 3))
}

func TestIndexOverAHorizon(t *testing.T) {
	t.Parallel()
	x := flat
	x[0], x[1] = 2, 0.5
	// 30 and 31 January, 1 and 2 February.
	require.InDelta(t, (2+2+0.5+0.5)/4, x.Mean(day("2026-01-30"), 4), 1e-12)
	// 1 January to 31 March: 31*2 + 28*0.5 + 31.
	require.InDelta(t, 107/90., x.Mean(day("2026-01-01"), 90), 1e-12)
	require.InDelta(t, 1.5, x.At(0.5)[0], 1e-12)
	require.InDelta(t, 0.75, x.At(0.5)[1], 1e-12)
	require.Equal(t, flat, x.At(0))

	// The last week before 2 February starts on 26 January, and its fourth day is the 29th.
	weeks := x.weeks(day("2026-02-02"))
	require.InDelta(t, 2, weeks[0], 0)
	require.InDelta(t, 1, weeks[5], 0, "22 to 28 December")
	require.InDelta(t, 2, weeks[4], 0, "29 December to 4 January: its fourth day is the 1st")

	d := Demand{Velocity: 3, Index: x}
	require.InDelta(t, 3*107, d.Over(day("2026-01-01"), 90), 1e-9)
	require.Zero(t, d.Over(day("2026-01-01"), 0))
}

// In 2028 February has a day more: 28 and 29 February, and 1 March.
func TestHorizonOverALeapDay(t *testing.T) {
	t.Parallel()
	x := flat
	x[1], x[2] = 0.5, 2
	require.InDelta(t, (0.5+0.5+2)/3, x.Mean(day("2028-02-28"), 3), 1e-12)
	require.InDelta(t, (0.5+2+2)/3, x.Mean(day("2027-02-28"), 3), 1e-12)
}

func TestAutocorrelation(t *testing.T) {
	t.Parallel()
	// Half a year at 1.5 and half at 0.5: ten neighbours alike and two not, so (10 - 2)/12.
	half := Index{1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}
	require.InDelta(t, 8/12., autocorrelation(half), 1e-12)
	require.InDelta(t, -1, autocorrelation(Index{2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0}), 1e-12)
	require.Zero(t, autocorrelation(flat))
}

func TestStrength(t *testing.T) {
	t.Parallel()
	season := NewSeason(summer(52))
	three := map[Day]bool{0: true, 28: true, 56: true}
	two := map[Day]bool{0: true, 28: true}
	for name, tt := range map[string]struct {
		season Season
		seen   misses
		want   Strength
	}{
		"no index":              {NewSeason(nil, monday), misses{three, [3]float64{9, 1, 1}}, Strength{0, NoIndex}},
		"two origins: regular":  {season, misses{two, [3]float64{1, 9, 9}}, Strength{0.5, Regular}},
		"three origins: full":   {season, misses{three, [3]float64{100, 90, 80}}, Strength{1, Measured}},
		"three origins: half":   {season, misses{three, [3]float64{100, 90, 95}}, Strength{0.5, Measured}},
		"three origins: none":   {season, misses{three, [3]float64{100, 101, 102}}, Strength{0, Measured}},
		"better by 1 %":         {season, misses{three, [3]float64{100, 99, 99.5}}, Strength{0.5, Measured}},
		"better by less":        {season, misses{three, [3]float64{100, 99.5, 99.1}}, Strength{0, Measured}},
		"a tie takes the lower": {season, misses{three, [3]float64{100, 80, 80}}, Strength{0.5, Measured}},
		"no error at all":       {season, misses{three, [3]float64{}}, Strength{0, Measured}},
	} {
		require.Equal(t, tt.want, chooseStrength(tt.season, tt.seen), name)
	}
	for m := range season.Months {
		season.Months[m].Raw = 1
	}
	require.Equal(t, Strength{0, Irregular}, chooseStrength(season, misses{}), "a constant index")
}

// TestOneWeekBendsNoSeason: a quantity that somebody typed, or bought, once in one article leaves the season of its family as it is.
// A month that is strong in all of its weeks stays strong.
func TestOneWeekBendsNoSeason(t *testing.T) {
	t.Parallel()
	family := func(odd float64) Season {
		members, end := summer(104)
		for _, id := range []string{"b", "c"} {
			other, _ := summer(104)
			other[0].ID = id
			members = append(members, other...)
		}
		if odd > 0 {
			members[1].Units[9] = odd // in March 2024
		}
		return NewSeason(members, end)
	}
	want := family(0)
	for _, odd := range []float64{60, 10_000, 1e6, 1e12} {
		got := family(odd)
		for m := range got.Months {
			require.InDelta(t, want.Months[m].Raw, got.Months[m].Raw, 0.12, "%g, month %d", odd, m+1)
		}
	}
	same := family(60) // four times the usual is counted
	capped := family(61)
	require.Greater(t, same.Months[2].Raw, want.Months[2].Raw)
	require.Equal(t, same, capped)
}

// TestPartsOfMonths: a month of which the history has only a part, at its beginning or at its end, is in no season.
func TestPartsOfMonths(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		from        string
		weeks       int
		first, last string
	}{
		"whole months":             {"2024-01-01", 9, "2024-01", "2024-02"},
		"it begins within January": {"2024-01-08", 8, "2024-02", "2024-02"},
		"it ends within March":     {"2024-01-01", 10, "2024-01", "2024-02"},
	} {
		start := day(tt.from)
		first, months := monthTotals([]Article{steady("a", "f", tt.weeks, 1)}, start+Day(7*tt.weeks))
		require.Equal(t, tt.first, monthName(first), name)
		require.Equal(t, tt.last, monthName(first+len(months)-1), name)
	}
}

func monthName(serial int) string { return fmt.Sprintf("%04d-%02d", serial/12, serial%12+1) }
