package demand

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNormalZ(t *testing.T) {
	t.Parallel()
	for level, want := range map[float64]float64{0.90: 1.282, 0.95: 1.645, 0.975: 1.960, 0.99: 2.326} {
		require.InDelta(t, want, NormalZ(level), 1e-9)
	}
}

func TestGammaQuantile(t *testing.T) {
	t.Parallel()
	// k = 100/25 = 4: 10 * (1 - 1/36 + 1.645/6)³ = 10 * 1.24638889³. The exact quantile is 19.38.
	require.InDelta(t, 19.3625, Quantile(10, 25, 1.645), 1e-4)
	// The shape's floor: k = 0.15, so 1 - 1/1.35 + 2.326/(3*0.38729833) = 2.26116.
	require.InDelta(t, 11.5608, Quantile(1, 1000, 2.326), 1e-3)
	require.Zero(t, Quantile(1, 1000, -1.282), "never below zero")
	require.Zero(t, Quantile(0, 5, 1.645))
	require.InDelta(t, 7, Quantile(7, 0, 1.645), 1e-12)
}

func TestReorderPoint(t *testing.T) {
	t.Parallel()
	// ceil(19.36 - 10) = 10, so order at 20.
	require.InDelta(t, 10, Safety(10, 25, 1.645, 1e9), 0)
	require.InDelta(t, 20, ReorderPoint(10, 10), 0)
	require.InDelta(t, 15, ReorderPoint(10.2, 4), 0)
	require.InDelta(t, 3, Safety(10, 25, 1.645, 3), 0, "limited")
	require.InDelta(t, 1, Safety(10, 25, 1.645, 0.2), 0, "one unit is always allowed")
	require.Zero(t, Safety(0, 25, 1.645, 1e9))
	require.Zero(t, Safety(10, 25, -1, 1e9))
}

func TestVarianceUntilDelivery(t *testing.T) {
	t.Parallel()
	// 15 days of 4, an error of 20 % of 30, and 2 a day times a lead time that varies by 3 days.
	require.InDelta(t, 15*4+36+36, Variance(30, 15, 4, 0.04, 3), 1e-9)
	require.Zero(t, Variance(0, 0, 4, 0.04, 3))
}

func TestRange(t *testing.T) {
	t.Parallel()
	d := Demand{Velocity: 1. / 3, SigmaDay2: 0.7, Index: flat}
	// 10 in 30 days, variance 30*0.7 + 0.04*100 = 25, k = 4: 10*(0.97222222 ± 1.282/6)³.
	low, high := d.Range(monday, 30, 0.04)
	require.InDelta(t, 10*0.75855556*0.75855556*0.75855556, low, 1e-6)
	require.InDelta(t, 10*1.18588889*1.18588889*1.18588889, high, 1e-6)
}

// finished returns n finished forecasts of 10 for 28 in-stock days, each with these units sold.
func finished(n int, units float64) (log []Entry) {
	for i := range n {
		log = append(log, Entry{Article: strconv.Itoa(i), Origin: 0, Forecast: [3]float64{10, 10, 10}, SigmaDay2: 0.5,
			Class: Smooth, Finished: true, InStock: 28, Units: units})
	}
	return log
}

func TestCalibrate(t *testing.T) {
	t.Parallel()
	// (15-10)² - 28*0.5 = 11, as a share of 10²: 0.11.
	c := Calibrate(finished(50, 15), 28)[Smooth]
	require.InDelta(t, 0.11, c.Tau2, 1e-12)
	// k = 100/(14 + 11) = 4, z = 6*(∛1.5 - 1 + 1/36) = 1.0349525.
	require.InDelta(t, 1.0349525, c.Scores[0], 1e-6)
	// Weight 50*0.05/(50*0.05 + 10) = 0.2: 0.2*1.0349525 + 0.8*1.645.
	require.InDelta(t, 1.5229905, c.Z(0.95), 1e-6)

	few := Calibrate(finished(49, 15), 28)
	require.InDelta(t, 0.04, few[Smooth].Tau2, 1e-12)
	require.InDelta(t, 1.645, few[Smooth].Z(0.95), 1e-9)
	require.InDelta(t, 0.04, Calibrate(finished(50, 15), 28)[Lumpy].Tau2, 1e-12, "of each class by itself")

	require.InDelta(t, 0.0025, Calibrate(finished(50, 10), 28)[Smooth].Tau2, 1e-12)
	require.InDelta(t, 0.16, Calibrate(finished(50, 99), 28)[Smooth].Tau2, 1e-12)
	require.InDelta(t, 0.7*1.645, Calibrate(finished(5000, 0), 28)[Smooth].Z(0.95), 1e-9)
	require.InDelta(t, 1.8*1.645+0.5, Calibrate(finished(5000, 99), 28)[Smooth].Z(0.95), 1e-9)
}

func TestWhichEntriesCount(t *testing.T) {
	t.Parallel()
	good := finished(1, 15)[0]
	require.True(t, good.counts(28))
	require.False(t, good.counts(27), "the 28 days are not over")
	require.True(t, good.counts(364))
	require.False(t, good.counts(365), "older than 52 weeks")
	for name, spoil := range map[string]func(*Entry){
		"unfinished":           func(e *Entry) { e.Finished = false },
		"20 in-stock days":     func(e *Entry) { e.InStock = 20 },
		"a forecast of 0":      func(e *Entry) { e.Forecast = [3]float64{} },
		"0 at the used season": func(e *Entry) { e.Strength, e.Forecast[1] = 0.5, 0 },
	} {
		bad := good
		spoil(&bad)
		require.False(t, bad.counts(28), name)
	}
	good.InStock = 21
	require.True(t, good.counts(28))
	require.InDelta(t, 7.5, good.Expected(), 1e-12, "10 in 28 days are 7.5 in 21")
}
