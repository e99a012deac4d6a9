package main

import (
	"math"

	"github.com/quayside/quayside/internal/procure"
)

// watch looks for stock-outs that the queue did not name in time, and for reorder points that did not
// cover the demand. It judges by the truth, and not by the queue's own numbers.
//
// A stock-out is preventable if there was a day on which somebody who knows the true mean demand saw
// that stock and open orders would not last until an order of the next day lands, and an order of that
// day would have arrived before the stock was gone. The queue has missed it if it did not ask for an
// order or for expediting on any day from then on. It also misses an article on every empty day of its
// life on which it asks for neither.
type watch struct {
	named []int // the last day on which the queue asked for something, by item; -1: never
	alarm []int // the day from which on the stock-out can be foreseen, by item; -1: it cannot
}

func newWatch(r *run) *watch {
	w := &watch{named: make([]int, len(r.now)), alarm: make([]int, len(r.now))}
	for i := range w.alarm {
		w.named[i], w.alarm[i] = -1, -1
	}
	return w
}

// see looks at an item after the day's deliveries and before its sales.
func (w *watch) see(r *run, i, day int, plan procure.Plan) {
	it, s := &r.items[i], &r.now[i]
	if plan.Action == procure.ActionOrder || plan.Action == procure.ActionExpedite {
		w.named[i] = day
	}
	if r.judged(day) && (day-r.start)%7 == 0 && day < it.End {
		w.cover(r, it, day, plan)
	}
	if s.stock > 0 {
		span := int(math.Ceil(r.shop.Suppliers[it.Supplier].Median)) + reviewDays
		foreseen := float64(s.stock+s.onOrder()) <= it.expected(day, span)
		switch {
		case !foreseen:
			w.alarm[i] = -1
		case w.alarm[i] < 0:
			w.alarm[i] = day
		}
		return
	}
	if !r.judged(day) || day >= it.End {
		return
	}
	missing := w.named[i] < day
	if !s.empty { // a stock-out starts
		r.result.Stockouts++
		if alarm := w.alarm[i]; alarm >= 0 && alarm+r.shop.LeadTime(it.Supplier, alarm) <= day {
			r.result.Preventable++
			missing = missing || w.named[i] < alarm
		}
	}
	if missing {
		r.result.Missing++
	}
}

// cover judges the reorder point by the demand until an order of the next day would arrive.
func (w *watch) cover(r *run, it *item, day int, plan procure.Plan) {
	until := day + r.shop.LeadTime(it.Supplier, day) + reviewDays
	if until > r.end() || plan.Mean == 0 {
		return
	}
	var asked float64
	for d := day; d < until; d++ {
		asked += float64(it.history.Demanded[d])
	}
	r.result.Points++
	if asked <= plan.ReorderPoint {
		r.result.Covered++
	}
}
