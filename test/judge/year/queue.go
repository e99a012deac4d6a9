package main

import (
	"math"
	"slices"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/procure"
)

// rule are the settings as they are by default.
func rule(service float64) procure.Rule {
	return procure.Rule{Service: service, CoverDays: 30, ReviewDays: 1, MaxSafetyDays: 90, LookaheadDays: 14,
		OverduePush: 7, StaleDays: 60}
}

// leadOf rounds a learnt lead time up to days.
func leadOf(learnt demand.LeadTime, source procure.LeadSource) procure.Lead {
	return procure.Lead{Days: int(math.Ceil(learnt.Days)), Sigma: learnt.Sigma, Source: source,
		Deliveries: learnt.Deliveries}
}

// queue orders what the procurement queue asks for: an agent drafts every line with the action
// order, and it is approved on the same day. Articles that count as dead are not drafted.
type queue struct {
	service float64
	// normal replaces the safety stock by z standard deviations of a normal distribution, without
	// the error of the forecast.
	normal bool

	families map[string]demand.Family
	demands  []demand.Demand // by item
	learnt   map[demand.Class]demand.Calibration
	z        map[demand.Class]float64
	log      []demand.Entry
	watch    *watch
}

func (q *queue) week(r *run, day int) {
	sales := demand.Sales{End: r.day(day)}
	at := make(map[string]int, len(r.now))
	for i := range r.now {
		sales.Articles = append(sales.Articles, r.now[i].sales)
		at[r.now[i].sales.ID] = i
	}
	if q.log == nil {
		q.log = slices.Clone(r.log)
		q.watch = newWatch(r)
	}
	demand.Finish(q.log, sales)
	if demand.IsOrigin(sales.End) {
		q.log = slices.DeleteFunc(q.log, func(e demand.Entry) bool { return e.Origin < sales.End-logDays })
		q.log = append(q.log, demand.Forecasts(sales, q.log)...)
	}
	estimates := demand.Estimate(sales, q.log)
	q.demands = make([]demand.Demand, len(r.now))
	for _, d := range estimates.Articles {
		q.demands[at[d.ID]] = d
	}
	q.families = map[string]demand.Family{}
	for _, f := range estimates.Families {
		q.families[f.Name] = f
	}
	q.learnt = demand.Calibrate(q.log, sales.End)
	q.z = map[demand.Class]float64{}
	for class, c := range q.learnt {
		q.z[class] = c.Z(q.service)
	}
}

func (q *queue) order(r *run, i, day int) int {
	a := q.article(r, i, day)
	plan := a.Plan()
	q.watch.see(r, i, day, plan)
	if plan.Action != procure.ActionOrder || a.Demand.Class == demand.Dead {
		return 0
	}
	return int(math.Round(plan.Suggested))
}

// article returns what the product knows about an item on a day.
func (q *queue) article(r *run, i, day int) procure.Article {
	it, s := &r.items[i], &r.now[i]
	d := q.demands[i]
	if d.Class == demand.Dead && s.running > 0 { // it sells again
		sales := s.sales
		sales.Running = s.running
		d = q.families[sales.Family].Estimate(sales, r.day(day-(day-r.start)%7))
	}
	available := float64(s.stock)
	a := procure.Article{
		AsOf: r.day(day), Available: &available, Demand: d, Tau2: q.learnt[d.Class].Tau2, Z: q.z[d.Class],
		Lead: r.leads[i], Rule: rule(q.service), Multiple: float64(it.Lot),
	}
	for _, l := range s.open {
		ordered := r.day(l.ordered)
		supply := procure.Supply{Quantity: float64(l.quantity), Ordered: &ordered}
		if l.due != nil {
			due := r.day(*l.due)
			supply.Expected = &due
		}
		a.Supply = append(a.Supply, supply)
	}
	if q.normal {
		span := a.Lead.Days + a.Rule.ReviewDays
		mean := d.Over(a.AsOf, span)
		sigma := math.Sqrt(demand.Variance(mean, span, d.SigmaDay2, 0, a.Lead.Sigma))
		most := max(1, a.Rule.MaxSafetyDays*d.Over(a.AsOf, 30)/30)
		safety := min(math.Ceil(max(0, demand.NormalZ(q.service)*sigma)), most)
		a.Own.SafetyStock = &safety
	}
	return a
}
