package main

import (
	"slices"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/procure"
)

// policy decides what to order.
type policy interface {
	// week is called at the start of every week, before its first orders.
	week(r *run, day int)
	// order returns how much of an article to order today, after the deliveries of the day and before
	// its sales.
	order(r *run, i, day int) int
}

// run is a world under a policy.
type run struct {
	*world
	policy policy
	now    []state // by item
	// supplied are the deliveries by supplier, and leads the lead times known this week by item.
	supplied [][]demand.Delivery
	leads    []procure.Lead
	result   result
}

// state is what happens to an item under the policy.
type state struct {
	sales      demand.Article
	running    float64 // units of the running week
	inStock    int     // in-stock days of the running week
	stock      int
	open       []line
	deliveries []demand.Delivery
	empty      bool // yesterday
	ranOut     bool // somebody has wanted more than there was since the last delivery
}

// result is what a year under a policy gave.
type result struct {
	Demanded, Sold float64
	Empty, Days    int     // article days without stock, and all
	Stock          float64 // mean value at cost, in euros
	Orders         int
	// Deliveries are those of the policy's orders, and Held those before which nobody had asked for
	// more than there was since the delivery before.
	Deliveries, Held int
	// Points are the queue's reorder points, by week, and Covered those that were at least the demand
	// until an order of the next day would have arrived.
	Points, Covered int
	// Stockouts are how often an article ran empty, Preventable how often that could have been
	// prevented, and Missing how often the queue did not ask for it.
	Stockouts, Preventable, Missing int
}

func (r result) fill() float64       { return r.Sold / r.Demanded }
func (r result) emptyShare() float64 { return float64(r.Empty) / float64(r.Days) }
func (r result) held() float64       { return float64(r.Held) / float64(r.Deliveries) }
func (r result) covered() float64    { return float64(r.Covered) / float64(r.Points) }

// simulate runs the warm-up and the year.
func simulate(w *world, p policy) result {
	r := &run{world: w, policy: p, now: make([]state, len(w.items)), leads: make([]procure.Lead, len(w.items))}
	for _, d := range w.deliveries {
		r.supplied = append(r.supplied, slices.Clone(d))
	}
	for i, it := range w.items {
		sales := it.sales
		sales.Units, sales.InStock = slices.Clone(sales.Units), slices.Clone(sales.InStock)
		r.now[i] = state{sales: sales, stock: it.stock, open: slices.Clone(it.open), deliveries: slices.Clone(it.deliveries)}
	}
	for day := w.start; day < w.end(); day++ {
		if (day-w.start)%7 == 0 {
			r.startWeek(day)
		}
		for i := range r.now {
			r.pass(i, day)
		}
	}
	r.result.Stock /= yearDays
	return r.result
}

// startWeek ends the week before, and learns lead times.
func (r *run) startWeek(day int) {
	if day > r.start {
		for i := range r.now {
			s := &r.now[i]
			s.sales.Units, s.sales.InStock = append(s.sales.Units, s.running), append(s.sales.InStock, s.inStock)
			s.running, s.inStock = 0, 0
		}
	}
	suppliers := make([]procure.Lead, len(r.shop.Suppliers))
	for i, from := range r.shop.Suppliers {
		promised := float64(from.Lead)
		suppliers[i] = procure.Lead{Days: from.Lead, Sigma: 0.2 * promised, Source: procure.LeadOfSupplier}
		if learnt, known := demand.LearnLeadTime(r.supplied[i], r.day(day)); known {
			suppliers[i] = leadOf(learnt, procure.LeadLearnt)
		}
	}
	for i, it := range r.items {
		r.leads[i] = suppliers[it.Supplier]
		if learnt, known := demand.LearnLeadTime(r.now[i].deliveries, r.day(day)); known {
			r.leads[i] = leadOf(learnt, procure.LeadOfArticle)
		}
	}
	r.policy.week(r, day)
}

// pass lets a day pass for an item: deliveries, an order, sales.
func (r *run) pass(i, day int) {
	it, s := &r.items[i], &r.now[i]
	r.receive(it, s, day)
	there := s.stock
	if n := r.policy.order(r, i, day); n > 0 {
		s.open = append(s.open, line{ordered: day, arrives: day + r.shop.LeadTime(it.Supplier, day), quantity: n})
		if r.judged(day) {
			r.result.Orders++
		}
	}
	wanted := int(it.history.Demanded[day])
	sold := min(wanted, s.stock)
	s.stock -= sold
	s.running += float64(sold)
	if there > 0 {
		s.inStock++
	}
	s.ranOut = s.ranOut || wanted > sold
	s.empty = there == 0
	if !r.judged(day) {
		return
	}
	r.result.Demanded += float64(wanted)
	r.result.Sold += float64(sold)
	r.result.Stock += float64(s.stock) * float64(it.Cost) / euro
	if day < it.End {
		r.result.Days++
		if there == 0 {
			r.result.Empty++
		}
	}
}

// receive books the day's deliveries.
func (r *run) receive(it *item, s *state, day int) {
	arrived, own := false, false
	s.open = slices.DeleteFunc(s.open, func(l line) bool {
		if l.arrives > day {
			return false
		}
		s.stock += l.quantity
		d := r.delivery(l.ordered, l.arrives)
		s.deliveries = append(s.deliveries, d)
		r.supplied[it.Supplier] = append(r.supplied[it.Supplier], d)
		arrived, own = true, own || l.due == nil
		return true
	})
	if own && r.judged(day) {
		r.result.Deliveries++
		if !s.ranOut {
			r.result.Held++
		}
	}
	if arrived {
		s.ranOut = false
	}
}

// onOrder returns the open quantity.
func (s *state) onOrder() (quantity int) {
	for _, l := range s.open {
		quantity += l.quantity
	}
	return quantity
}
