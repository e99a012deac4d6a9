package connection

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quayside/quayside/test/property"
)

// TestTurn makes calls and pauses at random times, and counts the calls of every minute.
func TestTurn(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		budget := rapid.Int64Range(1, 600).Draw(t, "budget")
		begin := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
		now, used, held := begin, begin, begin
		var calls []time.Time
		for range rapid.IntRange(1, 300).Draw(t, "calls") {
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(20*time.Second)).Draw(t, "later")) *
				time.Duration(rapid.IntRange(0, 1).Draw(t, "at once")))
			if rapid.IntRange(0, 20).Draw(t, "held") == 0 {
				held = latest(held, now.Add(90*time.Second))
			}
			var at time.Time
			at, used = turn(now, used, held, budget)
			require.False(t, at.Before(now))
			require.False(t, at.Before(held), "nobody calls while it is held")
			calls = append(calls, at)
		}
		for i := range calls { // in the order of their times
			if next := i + int(budget); next < len(calls) {
				require.GreaterOrEqual(t, calls[next].Sub(calls[i]), time.Minute, "more calls in a minute than the budget")
			}
		}
	})
}

// TestBudgetIsUsed checks that waiting for turns uses the budget, and that an idle connection has a fifth
// of it at once.
func TestBudgetIsUsed(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	used := begin.Add(-time.Hour)
	var atOnce, inAnHour int
	for {
		var at time.Time
		if at, used = turn(begin, used, begin, 60); at.Sub(begin) >= time.Hour {
			break
		}
		if inAnHour++; at.Equal(begin) {
			atOnce++
		}
	}
	require.Equal(t, 12, atOnce)
	require.InDelta(t, 48*60, inAnHour, 12)
}
