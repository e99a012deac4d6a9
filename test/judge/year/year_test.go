package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/procure"
	"github.com/quayside/quayside/internal/shop"
)

// small is a world that takes about a second.
var small = size{seed: 1, articles: 300, weeks: 169}

// TestYear simulates a year of smaller shops, so that a change that orders worse fails here. Shops this
// small vary by seed, so empty days may be a little more than the half of min/max's that 'make
// judge-queue' is about.
func TestYear(t *testing.T) {
	t.Parallel()
	all := years(small, []rival{rivals[0], rivals[1], rivals[5]})
	s := summarise(all)
	require.Less(t, s.VsMinMax, 0.55)
	require.Less(t, s.VsMinMaxQuarterly, 0.6)
	require.Greater(t, s.VsTruth, 1.0, "nobody orders better than the truth: look-ahead?")
	require.Less(t, s.HeldGap, 3.0)
	require.Less(t, s.PointGap, 3.0)
	require.Zero(t, s.Missing)
	require.Positive(t, s.Stockouts, "nothing was put to the test")
	for _, y := range all {
		require.Greater(t, y.queue[0].Empty, y.queue[1].Empty)
		require.Greater(t, y.queue[1].Empty, y.queue[2].Empty)
		require.Less(t, y.queue[0].Stock, y.queue[2].Stock)
	}

	page := filepath.Join(t.TempDir(), "page.md")
	require.NoError(t, os.WriteFile(page, []byte("before\n"+begin+"old\n"+end+"after\n"), 0o600))
	require.NoError(t, report(page, all))
	written, err := os.ReadFile(page)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(written), "before\n"+begin))
	require.True(t, strings.HasSuffix(string(written), end+"after\n"))
	require.NotContains(t, string(written), "old\n")
	require.NoError(t, os.WriteFile(page, []byte("no marks"), 0o600))
	require.Error(t, report(page, all))
}

// deaf is a queue that does not name every tenth article in the year.
type deaf struct{ queue }

func (d *deaf) order(r *run, i, day int) int {
	if i%10 == 0 && r.judged(day) {
		d.watch.see(r, i, day, procure.Plan{Action: procure.ActionNone})
		return 0
	}
	return d.queue.order(r, i, day)
}

// What the queue does not name must be found, or that nothing is missing would mean nothing.
func TestWatch(t *testing.T) {
	t.Parallel()
	w := newWorld("a", shop.LawA, size{seed: 1, articles: 60, weeks: 120})
	require.Zero(t, simulate(w, &queue{service: 0.95}).Missing)
	r := simulate(w, &deaf{queue{service: 0.95}})
	require.Positive(t, r.Preventable)
	require.Greater(t, r.Missing, r.Preventable)
}

// A year must be the same twice, and leave the world as it was.
func TestTheSameYearTwice(t *testing.T) {
	t.Parallel()
	of := size{seed: 1, articles: 60, weeks: 120}
	w := newWorld("b", shop.LawB, of)
	once := simulate(w, &queue{service: 0.95})
	require.Equal(t, once, simulate(w, &queue{service: 0.95}))
	require.Equal(t, newWorld("b", shop.LawB, of).items, w.items)
}

// Goods are neither made nor lost: with endless stock, all that is asked for is sold.
func TestEndlessStock(t *testing.T) {
	t.Parallel()
	w := newWorld("a", shop.LawA, size{seed: 1, articles: 60, weeks: 120})
	for i := range w.items {
		w.items[i].stock = 1e6
	}
	r := simulate(w, &minMax{safety: 1})
	require.InDelta(t, 1, r.fill(), 0)
	require.Zero(t, r.Empty)
	require.Zero(t, r.Orders)

	for i := range w.items { // and with none, and nobody who orders, nothing is
		w.items[i].stock, w.items[i].open = 0, nil
	}
	r = simulate(w, &minMax{safety: math.Inf(-1)})
	require.Zero(t, r.Sold)
	require.Equal(t, r.Days, r.Empty)
}

// 52 weeks of 7 units are 1 a day. With a lead time of 9 days and a day of review, 10 are sold until
// an order lands.
func TestMinMax(t *testing.T) {
	t.Parallel()
	w := &world{items: []item{{}, {}}}
	w.items[0].Lot, w.items[1].Lot = 12, 1
	r := &run{world: w, now: make([]state, 2), leads: []procure.Lead{{Days: 9}, {Days: 9}}}
	for range 60 {
		r.now[0].sales.Units = append(r.now[0].sales.Units, 7)
	}
	for week := range 52 { // the same mean, and a standard deviation of 7
		r.now[1].sales.Units = append(r.now[1].sales.Units, float64(14*(week%2)))
	}
	m := &minMax{safety: 1.5}
	m.week(r, 0)
	require.Equal(t, []float64{15, 15}, m.min)
	require.Equal(t, []float64{45, 45}, m.max)
	r.now[0].stock, r.now[0].open = 10, []line{{quantity: 6}}
	require.Zero(t, m.order(r, 0, 0))
	r.now[0].stock = 9
	require.Equal(t, 36, m.order(r, 0, 0), "30 are missing")

	m = &minMax{safety: 2, spread: true}
	m.week(r, 0)
	require.Equal(t, []float64{10, 27}, m.min, "10 + 2 * 7 * sqrt(10 / 7) = 26.7")
}

func TestInterpolate(t *testing.T) {
	t.Parallel()
	all := []result{
		{Stock: 300, Empty: 10, Days: 100, Demanded: 10, Sold: 9},
		{Stock: 100, Empty: 30, Days: 100, Demanded: 10, Sold: 5},
	}
	between, ok := interpolate(all, 150)
	require.True(t, ok)
	require.InDelta(t, 0.25, between.emptyShare(), 1e-12)
	require.InDelta(t, 0.6, between.fill(), 1e-12)
	_, ok = interpolate(all, 301)
	require.False(t, ok)
	y := &year{queue: make([]result, 3), rivals: map[string][]result{minMaxOnce: all}}
	y.queue[byDefault] = result{Stock: 99, Empty: 1, Days: 100}
	require.Greater(t, y.against(minMaxOnce), 1e9, "no comparison is no success")
}
