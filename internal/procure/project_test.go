package procure

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/test/property"
)

// 10 available, 1 a day, 5 that arrive today and 4 in two days.
func TestProjection(t *testing.T) {
	t.Parallel()
	a := example(10, expected(4, 2), expected(5, 0))
	require.Equal(t, []float64{15, 14, 17, 16}, a.Projection(4))
	require.Empty(t, a.Projection(0))
	require.Empty(t, a.Projection(-1))

	// From 30 March, 1 a day until the end of the month, then 2: two days of March are left.
	a = example(10)
	a.AsOf = day("2026-03-30")
	a.Demand.Index[3] = 2
	require.Equal(t, []float64{10, 9, 8, 6, 4}, a.Projection(5))
}

// The walk from month to month gives what the demand of all days together gives.
func TestProjectionFollowsDemand(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		a := drawArticle(t)
		for m := range a.Demand.Index {
			a.Demand.Index[m] = rapid.Float64Range(0.2, 4).Draw(t, "season")
		}
		a.AsOf += demand.Day(rapid.IntRange(0, 2000).Draw(t, "later"))
		in := a.incoming()
		for d, left := range a.Projection(430) {
			require.InDelta(t, *a.Available+in.within(d)-a.Demand.Over(a.AsOf, d)*min(1, float64(d)), left, 1e-6)
		}
	})
}
