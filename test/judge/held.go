package main

import (
	"cmp"
	"math"
	"slices"

	"github.com/quayside/quayside/internal/demand"
)

// levels are the probabilities with which reorder points must cover demand.
var levels = []float64{0.90, 0.95, 0.99}

// spans are days until a new order arrives. Articles get them in turn.
var spans = []int{7, 14, 28, 49}

// maxSafetyDays is the default of the setting that limits the safety stock.
const maxSafetyDays = 90

// held is how often reorder points covered the demand until a new order would have arrived, for
// each of the levels: by the formula, and with the safety stock limited as by default.
type held struct{ formula, limited []float64 }

// holding judges the reorder points at the set's weeks. Lead times are certain here.
func holding(s *set, log []demand.Entry) held {
	span := map[string]int{}
	articles := slices.Clone(s.sales.Articles)
	slices.SortFunc(articles, func(a, b demand.Article) int { return cmp.Compare(a.ID, b.ID) })
	for i, a := range articles {
		span[a.ID] = spans[i%len(spans)]
	}
	h := held{make([]float64, len(levels)), make([]float64, len(levels))}
	count := 0.0
	for _, week := range s.held {
		origin := s.day(week)
		calibrations := demand.Calibrate(log, origin)
		for _, d := range demand.Estimate(s.sales.Before(origin), log).Articles {
			days := span[d.ID]
			if week+days/7 > s.weeks {
				continue
			}
			wanted := s.wanted[d.ID]
			from := len(wanted) - (s.weeks - week)
			asked := total(wanted[from : from+days/7])
			count++
			calibration := calibrations[d.Class]
			mean := d.Over(origin, days)
			variance := demand.Variance(mean, days, d.SigmaDay2, calibration.Tau2, 0)
			limit := maxSafetyDays * d.Over(origin, 30) / 30
			for i, level := range levels {
				z := calibration.Z(level)
				if asked <= demand.ReorderPoint(mean, demand.Safety(mean, variance, z, math.Inf(1))) {
					h.formula[i]++
				}
				if asked <= demand.ReorderPoint(mean, demand.Safety(mean, variance, z, limit)) {
					h.limited[i]++
				}
			}
		}
	}
	for i := range levels {
		h.formula[i] /= count
		h.limited[i] /= count
	}
	return h
}

// gap returns the mean distance between the measured and the promised coverage, in percentage
// points.
func gap(shares ...[]float64) float64 {
	var distance float64
	for _, share := range shares {
		for i, level := range levels {
			distance += 100 * math.Abs(share[i]-level)
		}
	}
	return distance / float64(len(shares)*len(levels))
}
