package main

import (
	"math"

	"github.com/quayside/quayside/internal/demand"
)

const (
	coverDays  = 30 // as by default
	reviewDays = 1
)

// minMax orders up to max when stock and open orders are down to min. Min is the mean sales of the
// last 52 weeks over the lead time, with something for safety; max is 30 days of sales more. Days
// without stock count as days without demand. Lead times are those that the queue knows.
//
// Both are set when the policy takes over and when the year starts, and then stay.
type minMax struct {
	// safety multiplies the sales over the lead time; with spread, it is the number of standard
	// deviations of the weekly sales that are added to them.
	safety   float64
	spread   bool
	every    int // also sets min and max every so many weeks; 0: never
	min, max []float64
}

func (m *minMax) week(r *run, day int) {
	weeks := (day - r.start) / 7
	if set := weeks == 0 || weeks == warmDays/7 || m.every > 0 && weeks%m.every == 0; !set {
		return
	}
	m.min, m.max = make([]float64, len(r.now)), make([]float64, len(r.now))
	for i := range r.now {
		units := r.now[i].sales.Units
		units = units[max(0, len(units)-52):]
		var sold float64
		for _, u := range units {
			sold += u
		}
		rate := sold / float64(7*len(units))
		span := float64(r.leads[i].Days + reviewDays)
		m.min[i] = math.Ceil(m.safety * rate * span)
		if m.spread {
			var squares float64
			for _, u := range units {
				squares += (u - 7*rate) * (u - 7*rate)
			}
			m.min[i] = math.Ceil(rate*span + m.safety*math.Sqrt(squares/float64(len(units))*span/7))
		}
		m.max[i] = m.min[i] + rate*coverDays
	}
}

func (m *minMax) order(r *run, i, _ int) int {
	position := float64(r.now[i].stock + r.now[i].onOrder())
	if m.max[i] == 0 || position > m.min[i] {
		return 0
	}
	return cases(m.max[i]-position, r.items[i].Lot)
}

// oracle knows the true mean demand of every day, how it varies, and the true distribution of lead
// times. It cannot see single purchases.
type oracle struct{ service float64 }

func (*oracle) week(*run, int) {}

func (o *oracle) order(r *run, i, day int) int {
	it := &r.items[i]
	from := r.shop.Suppliers[it.Supplier]
	span := int(math.Ceil(from.Median)) + reviewDays
	mean := it.expected(day, span)
	if mean == 0 {
		return 0
	}
	spread := from.Median * (math.Exp(slowCaseZ*from.Sigma) - 1) / slowCaseZ
	variance := it.dispersion*mean + math.Pow(mean/float64(span)*spread, 2)
	safety := demand.Safety(mean, variance, demand.NormalZ(o.service), math.Inf(1))
	position := float64(r.now[i].stock + r.now[i].onOrder())
	if position >= mean+safety {
		return 0
	}
	return cases(it.expected(day, span+coverDays)+safety-position, it.Lot)
}

// slowCaseZ is the normal quantile of the slow case, at which the spread of lead times is measured.
const slowCaseZ = 1.036

// expected returns the true mean demand of the days from day on. The last days of the shop stand for
// those after them.
func (it *item) expected(day, days int) (mean float64) {
	n := len(it.history.Mean)
	for d := day; d < day+days; d++ {
		if d < n {
			mean += float64(it.history.Mean[d])
		} else {
			mean += float64(it.history.Mean[n-1-(d-n)%7])
		}
	}
	return mean
}

// cases rounds a quantity up to whole cases.
func cases(quantity float64, lot int) int {
	return int(math.Ceil(max(0, quantity-1e-9)/float64(lot))) * lot
}
