package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/quayside/quayside/internal/demand"
)

// verdict holds the results for one set.
type verdict struct {
	set    *set
	judged []judged
	held   held
	learnt learnt // of a made shop
}

// pass replays the set's log and judges forecasts and reorder points by it.
func pass(s *set) verdict {
	var origins []demand.Day
	for _, week := range every(4, s.logFrom, s.weeks) {
		origins = append(origins, s.day(week))
	}
	log := demand.Replay(s.sales, origins)
	return verdict{s, judge(s, log), holding(s, log), learn(s, log)}
}

// wape returns a method's WAPE over all articles.
func (v verdict) wape(method string) float64 {
	w := figuresOf(v.judged, method, "").wape
	if w == nil {
		return math.NaN()
	}
	return *w
}

// summary is the last line of the output, for programs.
type summary struct {
	MadeVsSeasonalNaive float64 `json:"made_vs_seasonal_naive"` // the worse of the two shops
	MadeAVsTruth        float64 `json:"made_a_vs_truth"`
	MadeBVsTruth        float64 `json:"made_b_vs_truth"`
	RealWebShopWAPE     float64 `json:"real_web_shop_wape"`
	RealWeeklyWAPE      float64 `json:"real_weekly_wape"`
	HeldGapPoints       float64 `json:"held_gap_points"`
	HeldGapLimited      float64 `json:"held_gap_points_with_limit"`
	LeadVsPromised      float64 `json:"lead_time_error_vs_promised"` // of late suppliers, in the worse shop
	SeasonVsNone        float64 `json:"season_error_vs_none"`        // in the worse shop
}

// summarise expects the verdicts in the order of verdictsOf.
func summarise(verdicts []verdict) summary {
	web, weekly, a, b := verdicts[0], verdicts[1], verdicts[2], verdicts[3]
	var formula, limited [][]float64
	for _, v := range verdicts {
		formula, limited = append(formula, v.held.formula), append(limited, v.held.limited)
	}
	against := func(v verdict, method string) float64 { return v.wape(ours) / v.wape(method) }
	return summary{
		MadeVsSeasonalNaive: rounded(max(against(a, seasonalNaive), against(b, seasonalNaive))),
		MadeAVsTruth:        rounded(against(a, truth)),
		MadeBVsTruth:        rounded(against(b, truth)),
		RealWebShopWAPE:     rounded(web.wape(ours)),
		RealWeeklyWAPE:      rounded(weekly.wape(ours)),
		HeldGapPoints:       rounded(gap(formula...)),
		HeldGapLimited:      rounded(gap(limited...)),
		LeadVsPromised: rounded(max(a.learnt.lateMiss/a.learnt.promisedMiss,
			b.learnt.lateMiss/b.learnt.promisedMiss)),
		SeasonVsNone: rounded(max(a.learnt.seasonMiss/a.learnt.withoutSeasonMiss,
			b.learnt.seasonMiss/b.learnt.withoutSeasonMiss)),
	}
}

func rounded(x float64) float64 { return math.Round(1e4*x) / 1e4 }

// tables writes the tables of docs/accuracy.md.
func tables(out io.Writer, verdicts []verdict) {
	fmt.Fprint(out, "### All methods\n\nThe WAPE of each method. Lower is better.\n\n| Method |")
	for _, v := range verdicts {
		fmt.Fprintf(out, " %s |", v.set.name)
	}
	fmt.Fprint(out, "\n|---|"+strings.Repeat("---:|", len(verdicts))+"\n")
	for _, name := range verdicts[len(verdicts)-1].set.methods() {
		cells := make([]string, len(verdicts))
		for i, v := range verdicts {
			cells[i] = "–"
			if w := v.wape(name); w > 0 {
				cells[i] = fmt.Sprintf("%.3f", w)
			}
		}
		line := fmt.Sprintf("| %s | %s |\n", name, strings.Join(cells, " | "))
		if name == ours {
			line = fmt.Sprintf("| **%s** | **%s** |\n", name, strings.Join(cells, "** | **"))
		}
		fmt.Fprint(out, line)
	}
	for _, v := range verdicts {
		fmt.Fprintf(out, "\n### %s\n\n| Class | Forecasts | WAPE | last 4 weeks | RMSSE | Bias | last 4 weeks |\n",
			strings.ToUpper(v.set.name[:1])+v.set.name[1:])
		fmt.Fprint(out, "|---|---:|---:|---:|---:|---:|---:|\n")
		for _, class := range append([]demand.Class{""}, demand.Classes...) {
			own, naive := figuresOf(v.judged, ours, class), figuresOf(v.judged, lastFour, class)
			if own.forecasts == 0 {
				continue
			}
			fmt.Fprintf(out, "| %s | %d | %s | %s | %s | %s | %s |\n", title(class), own.forecasts, shown(own.wape),
				shown(naive.wape),
				shown(own.rmsse), shown(own.bias), shown(naive.bias))
		}
	}
	fmt.Fprint(out, "\n### Chance of not running out\n\n| Promised |")
	for _, v := range verdicts {
		fmt.Fprintf(out, " %s |", v.set.name)
	}
	fmt.Fprint(out, "\n|---|"+strings.Repeat("---:|", len(verdicts))+"\n")
	for i, level := range levels {
		formula, limited := make([]string, len(verdicts)), make([]string, len(verdicts))
		for j, v := range verdicts {
			formula[j], limited[j] = fmt.Sprintf("%.3f", v.held.formula[i]), fmt.Sprintf("%.3f", v.held.limited[i])
		}
		fmt.Fprintf(out, "| %.2f | %s |\n", level, strings.Join(formula, " | "))
		fmt.Fprintf(out, "| %.2f, at most %d days' safety stock | %s |\n", level, maxSafetyDays, strings.Join(limited, " | "))
	}
	learntTable(out, verdicts)
}

// classTables writes every method's figures by class.
func classTables(out io.Writer, verdicts []verdict) {
	for _, v := range verdicts {
		for _, class := range append([]demand.Class{""}, demand.Classes...) {
			if figuresOf(v.judged, ours, class).forecasts == 0 {
				continue
			}
			fmt.Fprintf(out, "\n%-32s %7s %7s %7s\n", v.set.name+", "+title(class), "WAPE", "RMSSE", "bias")
			for _, name := range v.set.methods() {
				f := figuresOf(v.judged, name, class)
				fmt.Fprintf(out, "  %-30s %7s %7s %7s\n", name, shown(f.wape), shown(f.rmsse), shown(f.bias))
			}
		}
	}
	fmt.Fprintln(out)
}

// title names a class. An empty class means all articles.
func title(class demand.Class) string {
	if class == "" {
		return "all"
	}
	return string(class)
}

// shown formats a figure with three digits.
func shown(x *float64) string {
	if x == nil {
		return "–"
	}
	return fmt.Sprintf("%.3f", *x)
}

func writeSummary(out io.Writer, s summary) error { return json.NewEncoder(out).Encode(s) }
