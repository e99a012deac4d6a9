package procure

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/demand"
)

// noon returns noon of a day.
func noon(day demand.Day) time.Time { return dateOf(day).Add(12 * time.Hour) }

// counted returns a count at 18:00 of each of the days from one on. Less than -100 is not counted.
func counted(from demand.Day, closings ...float64) (counts []Count) {
	for i, closing := range closings {
		day := from + demand.Day(i)
		if closing > -100 {
			counts = append(counts, Count{Day: day, At: noon(day).Add(6 * time.Hour), Available: closing > 0, Closing: &closing})
		}
	}
	return counts
}

// gap is a day without a count.
const gap = -1000.0

func received(day demand.Day, quantity float64) Receipt {
	return Receipt{Day: day, At: noon(day), Quantity: quantity}
}

// TestJudge works verdicts out by hand. The suggestion is of day 100, its lead time is 5 days and its
// order lasts until day 112, with a safety stock of 4.
func TestJudge(t *testing.T) {
	t.Parallel()
	type want struct {
		known         bool
		prevented     demand.Day // 0: not
		from          demand.Day // of the empty days
		empty         EmptyDays
		over, beyond  float64
		overIsUnknown bool
	}
	ordered := func(on demand.Day, quantity float64) *Ordered { return &Ordered{On: on, Quantity: quantity, Asked: 40} }
	for name, one := range map[string]struct {
		facts Facts
		want  want
	}{
		// 10 are left. 40 come on day 105, when 4 are left and 2 of them are sold: 42 are counted. On day
		// 107 38 are counted, so without the 40 nothing would be left: -2. On day 112 6 are left: 2 more
		// than the safety stock.
		"prevented, with 2 too many": {
			Facts{Ordered: ordered(100, 40), Received: []Receipt{received(105, 40)},
				Counts: counted(99, 10, 10, 10, 8, 6, 4, 42, 41, 38, 30, 22, 16, 11, 6)},
			want{known: true, prevented: 107, over: 2},
		},
		// The same, but 43 were ordered and came: all that is left beyond the safety stock was ordered
		// beyond the suggestion.
		"ordered beyond the suggestion": {
			Facts{Ordered: ordered(100, 43), Received: []Receipt{received(105, 43)},
				Counts: counted(99, 10, 10, 10, 8, 6, 4, 45, 44, 41, 33, 25, 19, 14, 9)},
			want{known: true, prevented: 107, over: 5, beyond: 3},
		},
		// Others came after the line: what is left is theirs first.
		"what is left is of another line": {
			Facts{Ordered: ordered(100, 40), Received: []Receipt{received(105, 40)}, Others: []Receipt{received(110, 20)},
				Counts: counted(99, 10, 10, 10, 8, 6, 4, 42, 41, 38, 30, 22, 36, 31, 26)},
			want{known: true, prevented: 107, over: 2},
		},
		// Nobody sold anything: the line is not needed at all, and nothing was prevented.
		"all of it is left": {
			Facts{Ordered: ordered(100, 40), Received: []Receipt{received(105, 40)},
				Counts: counted(99, 60, gap, gap, gap, gap, gap, 100)},
			want{known: true, over: 40},
		},
		// Nothing is left from the end of day 101 on. Days 102 to 104 are too late; ordered on day 103, it
		// could have come on day 108: days 105 to 107 are waiting; it came on day 110: 108 and 109 are the
		// supplier's. It ended the stock-out, and prevented none. It is used up on day 111.
		"all four": {
			Facts{Ordered: ordered(103, 10), Received: []Receipt{received(110, 10)},
				Counts: counted(99, 5, 2, 0, gap, gap, gap, gap, gap, gap, gap, gap, 6, 0)},
			want{known: true, from: 102, empty: EmptyDays{TooLate: 3, Waiting: 3, Supplier: 2, TooFew: 1}},
		},
		"turned down": {
			Facts{Counts: counted(99, 5, 2, 0)},
			want{known: true, from: 102, empty: EmptyDays{TooLate: 3, Waiting: 8}},
		},
		"never came": {
			Facts{Ordered: ordered(100, 40), Counts: counted(99, 5, 2, 0)},
			want{known: true, from: 102, empty: EmptyDays{TooLate: 3, Supplier: 8}},
		},
		// It came on day 102, before an order was expected, and was used up on day 103.
		"came early and was too few": {
			Facts{Ordered: ordered(100, 2), Received: []Receipt{received(102, 2)}, Counts: counted(99, 5, 2, 1, 2, 0)},
			want{known: true, prevented: 102, from: 104, empty: EmptyDays{TooFew: 9}},
		},
		// A day with a sale or a count of stock was not empty, and neither is one on which goods came.
		"not all day": {
			Facts{Sold: []demand.Day{103}, Others: []Receipt{received(106, 1)}, Counts: append(counted(99, 5, 2, 0),
				Count{Day: 105, At: noon(105), Available: true, Closing: new(0.0)},
				Count{Day: 106, At: noon(106).Add(time.Hour), Closing: new(0.0)})},
			want{known: true, from: 102, empty: EmptyDays{TooLate: 2, Waiting: 6}},
		},
		// Received and not counted yet: 3 and 40 are there, so nothing was prevented.
		"a receipt that no count knows": {
			Facts{Ordered: ordered(100, 40), Received: []Receipt{received(103, 40)}, Counts: counted(99, 3)},
			want{known: true, over: 39},
		},
		// A receipt that was taken back did not come. While it was booked, the days were not empty: neither
		// day 103 nor day 104.
		"a correction": {
			Facts{Ordered: ordered(100, 40), Received: []Receipt{received(103, 40), received(104, -40)}, Counts: counted(99, 0)},
			want{known: true, from: 100, empty: EmptyDays{TooLate: 3, Supplier: 8}},
		},
		"never counted": {Facts{Ordered: ordered(100, 40), Received: []Receipt{received(105, 40)}}, want{overIsUnknown: true}},
		// The first count is on day 108: before it, nothing is known.
		"counted late": {Facts{Counts: counted(108, 0)}, want{known: true, from: 109, empty: EmptyDays{Waiting: 4}}},
		"a source that stops knowing": {
			Facts{Counts: append(counted(99, 0), Count{Day: 102, At: noon(102), Available: true})},
			want{known: true, from: 100, empty: EmptyDays{TooLate: 2}, overIsUnknown: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			facts := one.facts
			facts.FirstOn, facts.Until, facts.Today, facts.LeadDays, facts.SafetyStock = 100, 112, 116, 5, 4
			v := facts.Judge()
			require.True(t, v.Passed)
			require.Equal(t, one.want.known, v.Known)
			require.Equal(t, one.want.empty, v.Empty)
			require.Equal(t, one.want.from, orZero(v.EmptyFrom))
			require.Equal(t, one.want.prevented, orZero(v.PreventedOn))
			require.Equal(t, one.want.overIsUnknown, v.Overbuy == nil)
			if v.Overbuy != nil {
				require.InDelta(t, one.want.over, *v.Overbuy, 1e-6)
				require.InDelta(t, one.want.beyond, *v.Beyond, 1e-6)
			}
		})
	}
}

// TestJudgeSoFar judges the days that have passed, and says nothing of those to come.
func TestJudgeSoFar(t *testing.T) {
	t.Parallel()
	facts := Facts{FirstOn: 100, Until: 112, LeadDays: 5, Counts: counted(99, 5, 2, 0)}
	facts.Today = 100
	require.Equal(t, Verdict{}, facts.Judge(), "no day has passed")
	facts.Today = 104
	v := facts.Judge()
	require.Equal(t, EmptyDays{TooLate: 2}, v.Empty)
	require.Nil(t, v.Overbuy)
	facts.Today = 112
	require.Nil(t, facts.Judge().Overbuy, "the last day has not passed")
	facts.Today = 113
	require.NotNil(t, facts.Judge().Overbuy)
}

func orZero(day *demand.Day) demand.Day {
	if day == nil {
		return 0
	}
	return *day
}
