package forecast

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/demand"
)

// TestExtend makes the forecasts of an origin in its running week.
func TestExtend(t *testing.T) {
	t.Parallel()
	origin := demand.Origins(dayOf(on("01-05")), dayOf(on("02-02")))[0]
	steady := func(id string, weeks int, units float64) demand.Article {
		return demand.Article{ID: id, Units: slices.Repeat([]float64{units}, weeks), InStock: slices.Repeat([]int{week}, weeks)}
	}
	revived, coming := steady("dead", 40, 0), demand.Article{ID: "first sold in the running week", Running: 3}
	revived.Units[0], revived.Running = 5, 2
	sales := demand.Sales{End: origin, Articles: []demand.Article{steady("a", 60, 7), revived, coming}}
	require.Equal(t, demand.Intermittent, demand.Estimate(sales, nil).Articles[1].Class, "it sells again")

	log := extend(sales, nil, nil, true)
	require.Equal(t, origin, log.newest)
	require.Equal(t, log.entries, log.added)
	require.Empty(t, log.finished)
	last := slices.DeleteFunc(slices.Clone(log.entries), func(e demand.Entry) bool { return e.Origin < origin })
	require.Len(t, last, 2, "who was sold before")
	require.Equal(t, demand.Dead, last[1].Class, "what the running week sells was not known")
	require.False(t, last[0].Replayed)
	require.InDelta(t, 28, last[0].Forecast[0], 1e-9)
	require.Len(t, log.entries, 2+14-1+10-1, "a lived at 14 origins, the other one at 10")
	require.True(t, log.entries[0].Replayed)

	// The next week adds nothing. Four weeks later the outcome is known, and late sales are
	// replayed.
	sales = grown(sales, 1)
	again := extend(sales, slices.Clone(log.entries), &log.newest, true)
	require.Empty(t, again.added)
	require.Empty(t, again.finished)
	require.Equal(t, log.newest, again.newest)

	// Weeks that start a day earlier have their origin a day earlier, and it has passed.
	earlier := sales
	earlier.End -= 8
	moved := extend(earlier, slices.Clone(log.entries), &log.newest, false)
	require.Empty(t, moved.added)
	require.Equal(t, log.newest, moved.newest)

	sales = grown(sales, 3)
	sales.Articles = append(sales.Articles, steady("late", 9, 7))
	later := extend(sales, slices.Clone(log.entries), &log.newest, true)
	require.Equal(t, origin+28, later.newest)
	require.Len(t, later.finished, 2)
	require.Equal(t, 28, later.finished[0].InStock)
	require.InDelta(t, 28, later.finished[0].Units, 0)
	var replayed []demand.Day
	for _, e := range later.added {
		if e.Article == "late" {
			require.Equal(t, e.Origin <= origin, e.Replayed)
			replayed = append(replayed, e.Origin-origin)
		}
	}
	slices.Sort(replayed)
	require.Equal(t, []demand.Day{-28, 0, 28}, replayed)
	require.True(t, slices.IsSortedFunc(later.entries, func(a, b demand.Entry) int { return int(a.Origin - b.Origin) }))

	patient := extend(sales, slices.Clone(log.entries), &log.newest, false)
	require.Len(t, patient.added, len(later.added)-2, "only the new origin")
}

// grown returns sales some weeks later, in which each article sold as in its last week.
func grown(sales demand.Sales, weeks int) demand.Sales {
	sales.End += demand.Day(week * weeks)
	sales.Articles = slices.Clone(sales.Articles)
	for i, a := range sales.Articles {
		for range weeks {
			last := 0.0
			if n := len(a.Units); n > 0 {
				last = a.Units[n-1]
			}
			a.Units, a.InStock = append(slices.Clip(a.Units), last), append(slices.Clip(a.InStock), week)
		}
		a.Running = 0
		sales.Articles[i] = a
	}
	return sales
}
