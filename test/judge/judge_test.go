package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/demand"
)

// TestHoldsTheLine judges the real sets as 'make judge' does, and smaller made shops. The
// limits are the criteria by which the method was chosen, so a change that forecasts worse
// fails here.
func TestHoldsTheLine(t *testing.T) {
	t.Parallel()
	verdicts, err := verdictsOf(made{seed: 1, weeks: 156, articles: 300})
	require.NoError(t, err)
	s := summarise(verdicts)
	require.InDelta(t, 0.526, s.RealWebShopWAPE, 0.01)
	require.InDelta(t, 0.178, s.RealWeeklyWAPE, 0.01)
	require.Less(t, s.MadeVsSeasonalNaive, 0.75)
	require.Less(t, s.MadeAVsTruth, 1.5)
	require.Less(t, s.MadeBVsTruth, 2.0)
	require.Greater(t, s.MadeAVsTruth, 1.0, "nothing forecasts better than the truth: look-ahead?")
	require.Greater(t, s.MadeBVsTruth, 1.0)
	require.Less(t, s.HeldGapPoints, 3.0)
	require.Less(t, s.HeldGapLimited, 3.0)
	require.Less(t, s.LeadVsPromised, 0.6, "deliveries teach more than promises")
	require.Less(t, s.SeasonVsNone, 0.6)
	for _, v := range verdicts[2:] {
		require.Equal(t, v.learnt.suppliers, v.learnt.known)
		require.InDelta(t, map[string]float64{"made shop A": 0.88, "made shop B": 0.95}[v.set.name],
			v.learnt.spread/v.learnt.trueSpread, 0.02, v.set.name)
		require.Greater(t, v.learnt.found, v.learnt.imagined)
	}
	for _, v := range verdicts {
		for _, name := range v.set.methods() {
			if name != ours && name != truth {
				require.Less(t, v.wape(ours), v.wape(name), "%s on %s", name, v.set.name)
			}
		}
	}

	page := filepath.Join(t.TempDir(), "page.md")
	require.NoError(t, os.WriteFile(page, []byte("before\n"+begin+"old\n"+end+"after\n"), 0o600))
	require.NoError(t, writePage(page, verdicts))
	written, err := os.ReadFile(page)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(written), "before\n"+begin))
	require.True(t, strings.HasSuffix(string(written), end+"after\n"))
	require.NotContains(t, string(written), "old\n")
	require.Contains(t, string(written), "| **this method** | **0.526** | **0.178** |")
}

func TestPageWithoutMarks(t *testing.T) {
	t.Parallel()
	page := filepath.Join(t.TempDir(), "page.md")
	require.NoError(t, os.WriteFile(page, []byte("no marks"), 0o600))
	require.Error(t, writePage(page, nil))
}

// TestMethods forecasts series whose results can be computed by hand.
func TestMethods(t *testing.T) {
	t.Parallel()
	units := make([]float64, 60)
	for w := range units {
		units[w] = float64(w)
	}
	want := map[string]float64{
		lastFour:          56 + 57 + 58 + 59,
		seasonalNaive:     8 + 9 + 10 + 11, // 52 weeks before 60 to 63
		"12-week average": 4 * 53.5,        // the mean of 48 to 59
	}
	for _, m := range rivals {
		if figure, ok := want[m.name]; ok {
			require.InDelta(t, figure, m.forecast(units), 1e-9, m.name)
		}
		require.InDelta(t, 20, m.forecast([]float64{5, 5, 5, 5, 5}), 1e-9, "%s of a constant", m.name)
	}
	require.Zero(t, tsb([]float64{0, 0}))
	// The largest factor follows a jump best: 0.7 of the way from 0 to 10, then 0.7 of the
	// rest.
	require.InDelta(t, 4*9.1, smoothing([]float64{0, 0, 0, 0, 10, 10}), 1e-9)
}

func TestFigures(t *testing.T) {
	t.Parallel()
	all := []judged{
		{"a", demand.Smooth, 10, map[string]float64{ours: 12, lastFour: 14}},
		{"a", demand.Lumpy, 10, map[string]float64{ours: 9, lastFour: 10}},
		{"b", demand.Smooth, 20, map[string]float64{ours: 20, lastFour: 19}},
	}
	f := figuresOf(all, ours, "")
	require.Equal(t, 3, f.forecasts)
	require.InDelta(t, 3/40., *f.wape, 1e-12)
	require.InDelta(t, 1/40., *f.bias, 1e-12)
	f = figuresOf(all, ours, demand.Smooth)
	require.InDelta(t, 2/30., *f.wape, 1e-12)
	require.InDelta(t, 0.5, *f.rmsse, 1e-12, "2/4 for a and 0/1 for b: the upper of two")
	require.Nil(t, figuresOf(all, truth, "").wape, "nobody forecast with it")
	require.InDelta(t, 2, gap([]float64{0.92, 0.93, 0.97}), 1e-9)
}
