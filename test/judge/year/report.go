package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
)

// summary is the last line of the output, for programs. Shares of empty days are the queue's at its
// default, divided by those of a rival with the same mean stock, in the worse of the two shops.
type summary struct {
	VsMinMax          float64 `json:"empty_days_vs_min_max"`
	VsMinMaxQuarterly float64 `json:"empty_days_vs_min_max_quarterly"`
	VsSpread          float64 `json:"empty_days_vs_min_max_spread"`
	VsSpreadQuarterly float64 `json:"empty_days_vs_min_max_spread_quarterly"`
	VsNormal          float64 `json:"empty_days_vs_normal"`
	VsTruth           float64 `json:"empty_days_vs_truth"`
	// The mean distance between the chance that was promised and the share of deliveries before
	// which the stock lasted, and the largest.
	HeldGap      float64 `json:"held_gap_points"`
	HeldGapWorst float64 `json:"held_gap_points_worst"`
	// The same for reorder points, as in the other tables of the page.
	PointGap    float64 `json:"reorder_point_gap_points"`
	Stockouts   int     `json:"stockouts"` // at the default, in both shops
	Preventable int     `json:"preventable"`
	Missing     int     `json:"missing"`
}

func summarise(all []*year) (s summary) {
	for into, name := range map[*float64]string{&s.VsMinMax: minMaxOnce, &s.VsMinMaxQuarterly: minMaxQuarterly,
		&s.VsSpread: spreadOnce, &s.VsSpreadQuarterly: spreadQuarterly, &s.VsNormal: normalFormula, &s.VsTruth: truthKnown} {
		for _, y := range all {
			*into = max(*into, round4(y.against(name)))
		}
	}
	for _, y := range all {
		for i, level := range levels {
			off := 100 * math.Abs(y.queue[i].held()-level)
			s.HeldGap += off / float64(len(all)*len(levels))
			s.HeldGapWorst = max(s.HeldGapWorst, round4(off))
			s.PointGap += 100 * math.Abs(y.queue[i].covered()-level) / float64(len(all)*len(levels))
		}
		ours := y.queue[byDefault]
		s.Stockouts += ours.Stockouts
		s.Preventable += ours.Preventable
		s.Missing += ours.Missing
	}
	s.HeldGap, s.PointGap = round4(s.HeldGap), round4(s.PointGap)
	return s
}

// against returns the queue's empty days as a share of a rival's with the same stock. It is infinite
// if the rival never had that stock, so that it cannot pass for a success.
func (y *year) against(name string) float64 {
	if len(y.rivals[name]) == 0 { // not simulated
		return 0
	}
	ours := y.queue[byDefault]
	theirs, ok := interpolate(y.rivals[name], ours.Stock)
	if !ok {
		return math.MaxFloat64
	}
	return ours.emptyShare() / theirs.emptyShare()
}

// interpolate returns the result that a policy would have had with this stock, between the two of its
// results that are next to it. ok is false if the stock is not between two.
func interpolate(all []result, stock float64) (between result, ok bool) {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b result) int { return cmp.Compare(a.Stock, b.Stock) })
	for i := 1; i < len(sorted); i++ {
		low, high := sorted[i-1], sorted[i]
		if stock < low.Stock || stock > high.Stock {
			continue
		}
		share := (stock - low.Stock) / (high.Stock - low.Stock)
		mix := func(a, b float64) float64 { return a + share*(b-a) }
		between = low
		between.Stock = stock
		between.Sold = mix(low.Sold, high.Sold)
		between.Empty = int(math.Round(mix(float64(low.Empty), float64(high.Empty))))
		between.Orders = int(math.Round(mix(float64(low.Orders), float64(high.Orders))))
		return between, true
	}
	return result{}, false
}

func round4(x float64) float64 { return math.Round(1e4*x) / 1e4 }

// tables writes the tables of docs/accuracy.md.
func tables(out io.Writer, all []*year) {
	for _, y := range all {
		ours := y.queue[byDefault]
		fmt.Fprintf(out, "### %s, %d articles\n\n", "A year of "+y.world.name, len(y.world.items))
		fmt.Fprint(out, "| Way to order | Empty days | the queue's, as a share | Fill rate | Mean stock | Orders |\n")
		fmt.Fprint(out, "|---|---:|---:|---:|---:|---:|\n")
		row := func(name string, r result, share string) {
			fmt.Fprintf(out, "| %s | %.2f %% | %s | %.1f %% | %.0f | %d |\n", name, 100*r.emptyShare(), share, 100*r.fill(),
				r.Stock, r.Orders)
		}
		row("**the queue**", ours, "1")
		for _, r := range rivals {
			if theirs, ok := interpolate(y.rivals[r.name], ours.Stock); ok {
				row(r.name, theirs, fmt.Sprintf("%.2f", y.against(r.name)))
			}
		}
		fmt.Fprintln(out)
	}
	fmt.Fprint(out, "### Promised and held in that year\n\n| Promised |")
	for _, y := range all {
		fmt.Fprintf(out, " %s | its reorder points | with the normal formula |", y.world.name)
	}
	fmt.Fprint(out, "\n|---|---:|---:|---:|---:|---:|---:|\n")
	for i, level := range levels {
		fmt.Fprintf(out, "| %.2f |", level)
		for _, y := range all {
			fmt.Fprintf(out, " %.3f | %.3f |", y.queue[i].held(), y.queue[i].covered())
			if normal := y.rivals[normalFormula]; len(normal) > 0 {
				fmt.Fprintf(out, " %.3f |", normal[slices.Index(normals, level)].held())
			} else {
				fmt.Fprint(out, " – |")
			}
		}
		fmt.Fprintln(out)
	}
	fmt.Fprint(out, "\n| At the default of 0.95 | Times an article ran empty | Preventable | Missing from the queue |\n")
	fmt.Fprint(out, "|---|---:|---:|---:|\n")
	for _, y := range all {
		ours := y.queue[byDefault]
		fmt.Fprintf(out, "| %s | %d | %d | %d |\n", y.world.name, ours.Stockouts, ours.Preventable, ours.Missing)
	}
}

func writeSummary(out io.Writer, s summary) error { return json.NewEncoder(out).Encode(s) }
