package procure

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/test/property"
)

// anyFacts draws a suggestion of day 100 with what followed.
func anyFacts(t *rapid.T) Facts {
	days := func(least, most int) demand.Day { return demand.Day(rapid.IntRange(least, most).Draw(t, "day")) }
	f := Facts{FirstOn: 100, Until: 100 + days(1, 40), Today: 100 + days(0, 50), LeadDays: rapid.IntRange(0, 15).Draw(t, "lead"),
		SafetyStock: float64(rapid.IntRange(0, 5).Draw(t, "safety"))}
	for day := demand.Day(95); day < 150; day++ {
		if rapid.Bool().Draw(t, "counted") {
			f.Counts = append(f.Counts, counted(day, float64(rapid.IntRange(-2, 12).Draw(t, "closing")))...)
		}
		if rapid.IntRange(0, 9).Draw(t, "sells") == 0 {
			f.Sold = append(f.Sold, day)
		}
	}
	receipts := func(most int) (all []Receipt) {
		for range rapid.IntRange(0, most).Draw(t, "receipts") {
			all = append(all, received(days(100, 145), float64(rapid.IntRange(1, 20).Draw(t, "quantity"))))
		}
		slices.SortFunc(all, func(a, b Receipt) int { return a.At.Compare(b.At) })
		return all
	}
	f.Others = receipts(2)
	if rapid.Bool().Draw(t, "ordered") {
		f.Ordered = &Ordered{On: days(100, 130), Quantity: float64(rapid.IntRange(1, 40).Draw(t, "ordered quantity")), Asked: 20}
		f.Received = receipts(3)
	}
	return f
}

// emptyDays counts the empty days of the window one by one, without a walk.
func emptyDays(f Facts) (n int) {
	for day := f.FirstOn; day <= f.Until && day < f.Today; day++ {
		var last *Count
		stocked := slices.Contains(f.Sold, day)
		for i, c := range f.Counts {
			if c.Day < day {
				last = &f.Counts[i]
			}
			stocked = stocked || c.Day == day && c.Available
		}
		if last == nil || last.Closing == nil {
			continue
		}
		left := *last.Closing
		for _, r := range slices.Concat(f.Received, f.Others) {
			if r.At.After(last.At) && r.Day < day {
				left += r.Quantity
			}
			stocked = stocked || r.Day == day
		}
		if left <= 0 && !stocked {
			n++
		}
	}
	return n
}

// TestEmptyDaysAddUp puts every empty day into exactly one of the four.
func TestEmptyDaysAddUp(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		f := anyFacts(t)
		v := f.Judge()
		require.Equal(t, emptyDays(f), v.Empty.Sum())
		require.Equal(t, v.Empty.Sum() > 0, v.EmptyFrom != nil)
		if f.Ordered == nil {
			require.Zero(t, v.Empty.Supplier+v.Empty.TooFew, "nothing was ordered")
			require.Nil(t, v.PreventedOn)
		}
		if v.PreventedOn != nil {
			require.True(t, *v.PreventedOn >= f.FirstOn && *v.PreventedOn <= f.Until && *v.PreventedOn < f.Today)
		}
	})
}

// TestMoreIsNotWorse compares verdicts: a line of which more came prevented at least as much, and an
// order of an earlier day waited no longer.
func TestMoreIsNotWorse(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		f := anyFacts(t)
		was := f.Judge()
		more := f
		more.Received = slices.Clone(f.Received)
		for i := range more.Received {
			more.Received[i].Quantity *= 2
		}
		if was.PreventedOn != nil {
			now := more.Judge()
			require.NotNil(t, now.PreventedOn)
			require.LessOrEqual(t, *now.PreventedOn, *was.PreventedOn)
		}
		if f.Ordered != nil {
			earlier := f
			earlier.Ordered = &Ordered{On: f.FirstOn, Quantity: f.Ordered.Quantity, Asked: f.Ordered.Asked}
			require.LessOrEqual(t, earlier.Judge().Empty.Waiting, was.Empty.Waiting)
		}
	})
}

// TestOverbuyIsOfTheLine keeps what is left within what came, and what was ordered beyond the suggestion
// within what is left.
func TestOverbuyIsOfTheLine(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		f := anyFacts(t)
		v := f.Judge()
		if v.Overbuy == nil {
			require.Nil(t, v.Beyond)
			return
		}
		came := 0.0
		for _, r := range f.Received {
			came += r.Quantity
		}
		require.GreaterOrEqual(t, *v.Overbuy, 0.0)
		require.LessOrEqual(t, *v.Overbuy, came)
		require.GreaterOrEqual(t, *v.Beyond, 0.0)
		require.LessOrEqual(t, *v.Beyond, *v.Overbuy)
		bare := f
		bare.SafetyStock += 3
		require.LessOrEqual(t, *bare.Judge().Overbuy, *v.Overbuy, "what is kept for safety is not left over")
	})
}
