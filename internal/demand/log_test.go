package demand

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOrigins(t *testing.T) {
	t.Parallel()
	for _, start := range []string{"2026-01-05", "2026-01-04", "2026-01-03"} { // Monday, Sunday, Saturday
		first := day(start)
		origins := Origins(first, first+7*51)
		require.Len(t, origins, 13, start)
		for i := range origins[1:] {
			require.Equal(t, Day(28), origins[i+1]-origins[i])
		}
	}
}

func TestLog(t *testing.T) {
	t.Parallel()
	a := steady("a", "", 12, 7)
	a.Units[8], a.InStock[8] = 0, 0
	a.Units[9] = -1
	sales := Sales{End: monday, Articles: []Article{a}}
	log := Replay(sales, []Day{monday - 28, monday})
	require.Len(t, log, 2)
	first := log[0]
	require.True(t, first.Finished)
	require.True(t, first.Replayed)
	require.InDelta(t, 28, first.Forecast[0], 1e-12)
	require.Equal(t, 21, first.InStock)
	require.InDelta(t, 13, first.Units, 1e-12, "nothing, one came back, 7 and 7")
	require.InDelta(t, 21, first.Expected(), 1e-12)
	require.False(t, log[1].Finished)
}

func TestBefore(t *testing.T) {
	t.Parallel()
	sales := Sales{End: monday, Articles: []Article{steady("a", "", 4, 1), steady("b", "", 2, 1)}}
	past := sales.Before(monday - 14)
	require.Equal(t, monday-14, past.End)
	require.Len(t, past.Articles, 1, "b was not sold yet")
	require.Len(t, past.Articles[0].Units, 2)
	require.Equal(t, monday-14, sales.Before(monday-8).End, "the week that was running then is not known")
	require.Equal(t, sales, sales.Before(monday+7))
}

// An article that was forecast from its family before its first sale has only the weeks since.
func TestFinishTheUnborn(t *testing.T) {
	t.Parallel()
	log := []Entry{{Article: "a", Origin: monday - 28, Forecast: [3]float64{8, 8, 8}}, {Article: "gone", Origin: 0}}
	Finish(log, Sales{End: monday, Articles: []Article{steady("a", "f", 3, 2)}})
	require.True(t, log[0].Finished)
	require.Equal(t, 21, log[0].InStock)
	require.InDelta(t, 6, log[0].Units, 1e-12)
	require.False(t, log[1].Finished)
}

// A family sells three times as much in summer as in winter. The log shows that the season
// helps, and later forecasts use it.
func TestReplayLearnsTheStrength(t *testing.T) {
	t.Parallel()
	start := day("2023-01-02")
	weeks := 140
	articles := make([]Article, 5)
	for i := range articles {
		articles[i] = steady(string(rune('a'+i)), "f", weeks, 20)
		for w := range weeks {
			if month := monthOfWeek(start+Day(7*w))%12 + 1; month >= 4 && month <= 9 {
				articles[i].Units[w] = 60
			}
		}
	}
	end := start + Day(7*weeks)
	sales := Sales{End: end, Articles: articles}
	log := Replay(sales, Origins(start+7*12, end))
	used := map[float64]bool{}
	indexed := false
	for _, e := range log {
		used[e.Strength] = true
		indexed = indexed || e.Indexed
		if !e.Indexed {
			require.Equal(t, e.Forecast[0], e.Forecast[2])
		}
	}
	require.Equal(t, map[float64]bool{0: true, 0.5: true, 1: true}, used, "none, then half, then measured")
	family := Estimate(sales, log).Families[0]
	require.Equal(t, Strength{1, Measured}, family.Strength)
	require.Equal(t, Strength{0.5, Regular}, Estimate(sales, nil).Families[0].Strength)
}

func TestAccuracy(t *testing.T) {
	t.Parallel()
	// Errors 2 and -4 of 16 sold.
	outcomes := []Outcome{{8, 6}, {6, 10}}
	require.InDelta(t, 6/16., *WAPE(outcomes), 1e-12)
	require.InDelta(t, -2/16., *Bias(outcomes), 1e-12)
	// Squares 4 + 16 against 36 + 44.
	naive := []Outcome{{12, 6}, {10 + 6.6332495807108, 10}}
	require.InDelta(t, 0.5, *RMSSE(outcomes, naive), 1e-12)
	nothing := []Outcome{{3, 0}}
	require.Nil(t, WAPE(nothing))
	require.Nil(t, Bias(nothing))
	require.Nil(t, RMSSE(nothing, []Outcome{{0, 0}}))
}

func TestJudge(t *testing.T) {
	t.Parallel()
	// 7 a week for 60 weeks, then 14 a week for 12. The first of three origins is before the
	// rise.
	a := steady("a", "", 72, 7)
	for w := 60; w < 72; w++ {
		a.Units[w] = 14
	}
	sales := Sales{End: monday, Articles: []Article{a}}
	log := Replay(sales, []Day{monday - 84, monday - 56, monday - 28})
	got := Judge(a, monday, Smooth, log)
	require.InDelta(t, 28/168., *got.WAPENaive, 1e-12, "28 for 56, then right twice")
	require.InDelta(t, 84/168., *got.WAPESeasonalNaive, 1e-12, "28 for 56, three times")
	// The weeks of 14 count with 7, as outliers of an article that sold 7 in almost every week. So we forecast 28 for
	// 56 three times, and the squares of that are three times those of the naive forecasts.
	require.InDelta(t, -84/168., *got.Bias, 1e-12)
	require.InDelta(t, 84/168., *got.WAPE, 1e-12)
	require.InDelta(t, math.Sqrt(3), *got.RMSSE, 1e-12)

	seldom := Judge(a, monday, Lumpy, log)
	require.Nil(t, seldom.WAPE)
	require.Nil(t, seldom.WAPENaive)
	require.Equal(t, got.RMSSE, seldom.RMSSE)

	require.Equal(t, Accuracy{}, Judge(a, monday, Smooth, log[:2]), "two forecasts say too little")
	for i := range log {
		log[i].Units = 3
	}
	require.Equal(t, Accuracy{}, Judge(a, monday, Smooth, log), "9 units say too little")
	young := steady("y", "", 20, 14)
	log = Replay(Sales{End: monday, Articles: []Article{young}}, []Day{monday - 84, monday - 56, monday - 28})
	require.Nil(t, Judge(young, monday, Smooth, log).WAPESeasonalNaive, "there was no last year")
}
