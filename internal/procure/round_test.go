package procure

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOrderable(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ raw, moq, multiple, want float64 }{
		{0, 24, 12, 0},
		{-5, 24, 12, 0},
		{1e-9, 0, 0, 0}, // a rounding error
		{0.001, 0, 0, 1},
		{5, 0, 0, 5},
		{5.2, 0, 0, 6},
		{5, 24, 0, 24},
		{5, 24, 12, 24},
		{25, 24, 12, 36},
		{5, 20, 12, 24}, // the minimum is no multiple
		{0.1 + 0.2, 0, 0.3, 0.3},
		{0.1 + 0.2, 0, 0.1, 0.3},
		{3 * (0.1 + 0.2 - 0.3 + 1), 0, 1, 3},
		{70 * 1.1, 0, 7, 77},     // 77.00000000000001
		{0.00001, 0, 0.25, 0.25}, // never nothing while something is missing
		{1.3, 0, 0.25, 1.5},
		{1e7 + 0.5, 0, 0, 1e7 + 1},
	} {
		a := Article{MOQ: tt.moq, Multiple: tt.multiple}
		require.InDelta(t, tt.want, a.orderable(tt.raw), 0, "%+v", tt)
	}
}

// Demand of 0.1 and 0.2 a day must not cost a unit more than demand of 0.3.
func TestNoNoiseInPlans(t *testing.T) {
	t.Parallel()
	a := example(0)
	a.Demand.Velocity = 0.1 + 0.2 // 0.30000000000000004
	a.Lead.Days, a.Rule.CoverDays = 9, 10
	p := a.Plan()
	require.InDelta(t, 3, p.ReorderPoint, 0, "10 days of 0.3")
	require.InDelta(t, 6, p.Suggested, 0, "20 days of 0.3")

	a.Available = &p.ReorderPoint
	require.NotEqual(t, ActionOrder, a.Plan().Action, "3 is not below 3")
}
