package procure_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/procure"
)

// TestStory says what became of suggestions.
func TestStory(t *testing.T) {
	t.Parallel()
	day := func(month time.Month, day int) *time.Time {
		return new(time.Date(2027, month, day, 0, 0, 0, 0, time.UTC))
	}
	for want, c := range map[string]procure.Case{
		"Suggested 40 on 3 March 2027, ordered 40 on 4 March by Anna; without it the stock would have been used up on 21 March.": {
			Decision: procure.AsSuggested, DecidedOn: day(3, 4), Ordered: new(40.0), Known: new(true), PreventedOn: day(3, 21)},
		"Suggested 40 on 3 March 2027, turned down on 3 March by Anna; empty for 6 days from 14 March, because it was not ordered in time.": {
			Decision: procure.TurnedDown, DecidedOn: day(3, 3), Known: new(true), EmptyFrom: day(3, 14), Empty: procure.EmptyDays{Waiting: 6}},
		"Suggested 40 on 3 March 2027, ordered 24.5 on 9 March by Anna; empty for 4 days from 10 March (1 before an order could have come, 1 because it came late, 2 after it was used up).": {
			Decision: procure.OrderedLess, DecidedOn: day(3, 9), Ordered: new(24.5), Known: new(true), EmptyFrom: day(3, 10),
			Empty: procure.EmptyDays{TooLate: 1, Supplier: 1, TooFew: 2}},
		"Suggested 40 on 3 March 2027, ordered 60 on 4 March by Anna; the stock lasted; 25 more than needed were left on 30 April, 20 of them ordered beyond the suggestion.": {
			Decision: procure.OrderedMore, DecidedOn: day(3, 4), Ordered: new(60.0), Known: new(true), JudgedOn: *day(5, 3),
			Overbuy: new(25.0), Beyond: new(20.0)},
		"Suggested 40 on 3 March 2027, put off on 4 March by Anna; the stock has lasted so far.": {
			Decision: procure.PutOff, DecidedOn: day(3, 4), Known: new(true), JudgedOn: *day(4, 1), Overbuy: new(0.0)},
		"Suggested 40 on 3 March 2027, not decided; the stock is not known.":        {Decision: procure.Undecided, Known: new(false)},
		"Suggested 40 on 3 March 2027, not decided; no day has passed yet.":         {Decision: procure.Undecided},
		"Suggested 40 on 3 March 2027, drafted and taken back, and suggested anew.": {Decision: procure.TakenBack},
		"Suggested 40 on 3 March 2027, ordered 40 on 4 January 2028 by Anna; empty for 1 day from 14 March, before an order could have come.": {
			Decision: procure.AsSuggested, DecidedOn: new(time.Date(2028, 1, 4, 0, 0, 0, 0, time.UTC)), Ordered: new(40.0), Known: new(true),
			EmptyFrom: day(3, 14), Empty: procure.EmptyDays{TooLate: 1}},
	} {
		c.Suggested, c.FirstOn, c.Until = 40, *day(3, 3), *day(4, 30)
		require.Equal(t, want, c.Story("Anna"))
	}
	c := procure.Case{Suggested: 1, FirstOn: *day(3, 3), Decision: procure.TurnedDown, DecidedOn: day(3, 3), Known: new(false)}
	require.Equal(t, "Suggested 1 on 3 March 2027, turned down on 3 March; the stock is not known.", c.Story(""), "somebody who has left")
}
