package procure

import "github.com/quayside/quayside/internal/demand"

// Action is what should be done about an article.
type Action string

// The actions.
const (
	ActionOrder    Action = "order"    // an order is due today
	ActionExpedite Action = "expedite" // what is on order should come sooner: a new order would not help
	ActionUpcoming Action = "upcoming" // an order is due soon
	ActionNone     Action = "none"
)

// Urgency is how soon something should be done.
type Urgency string

// The urgencies.
const (
	UrgencyCritical Urgency = "critical" // nothing is left, or will be before a new order can land
	UrgencyHigh     Urgency = "high"     // today
	UrgencyMedium   Urgency = "medium"   // within a week
	UrgencyLow      Urgency = "low"
)

const (
	// searchedDays is how far ahead the stock is projected.
	searchedDays = 400
	// soonDays are the days within which an order is of medium urgency.
	soonDays = 7
	// rateDays are the days over which a plain daily rate is shown.
	rateDays = 30
)

// Plan is what to do about an article, and the numbers that say why.
type Plan struct {
	Action  Action
	Urgency Urgency

	PerDay float64 // mean demand of the next 30 days
	// DaysOfCover are the days that the stock lasts at that rate, without and with what is on order
	// and counted on. They are nil if nothing sells or the stock is unknown.
	DaysOfCover, DaysOfCoverInclOpen *float64

	// Mean is the demand until an order of the next review has arrived.
	Mean, SafetyStock, ReorderPoint, TargetStock float64

	// OnOrder is the open quantity. Overdue is the part that should have arrived, and Ignored the
	// part of Overdue that is too old to count on.
	OnOrder, Overdue, Ignored float64
	NextArrival, LastArrival  *demand.Day // of what is counted on

	// StockoutDate is the first day without stock. It is nil if nothing sells, if the stock lasts for
	// more than 400 days, or if it is unknown. OrderBy is the last day on which an order keeps the
	// safety stock whole, or nil if none is needed within 400 days.
	StockoutDate, OrderBy *demand.Day
	EarliestArrival       *demand.Day // of an order placed today
	LateByDays            int         // days without stock until a new order lands, 0: none

	// Raw is what is missing up to the target; below 0, what is there beyond it. It is 0 if the stock
	// is unknown. Suggested is what to order for it, and Overbuy what rounding and the minimum add.
	// Both are set whatever the action is: they are what an order of today would be.
	Raw, Suggested, Overbuy float64
}

// Plan computes what to do about the article. Unknown stock asks for nothing: nobody can say what is
// missing.
func (a Article) Plan() Plan {
	in, span, horizon := a.incoming(), a.span(), a.horizon()
	p := Plan{
		Action: ActionNone, Urgency: UrgencyLow,
		PerDay: a.Demand.Over(a.AsOf, rateDays) / rateDays,
		Mean:   a.Demand.Over(a.AsOf, span), EarliestArrival: a.after(a.leadDays()),
		OnOrder: in.onOrder, Overdue: in.overdue, Ignored: in.ignored,
	}
	if n := len(in.arrivals); n > 0 {
		p.NextArrival, p.LastArrival = a.after(in.arrivals[0].in), a.after(in.arrivals[n-1].in)
	}
	least := a.levels(&p)
	p.TargetStock = a.Demand.Over(a.AsOf, horizon) + max(p.SafetyStock, least)
	if a.Available == nil {
		return p
	}
	p.Raw = p.TargetStock - *a.Available - in.within(horizon)
	if p.Suggested = a.orderable(p.Raw); p.Suggested > 0 {
		p.Overbuy = max(0, tidy(p.Suggested-p.Raw))
	}
	if p.PerDay > 0 {
		cover := max(0, *a.Available) / p.PerDay
		open := max(0, *a.Available+in.onOrder-in.ignored) / p.PerDay
		p.DaysOfCover, p.DaysOfCoverInclOpen = &cover, &open
	}
	o := a.look(in, least, p.PerDay > 0)
	p.StockoutDate, p.LateByDays = a.after(o.empty), o.late
	if o.due >= 0 {
		p.OrderBy = a.after(o.due - span)
	}
	p.Action = a.action(p, o)
	p.Urgency = a.urgency(p)
	return p
}

// levels sets the safety stock and the reorder point, and returns the least stock that must be left
// when a new order arrives.
//
// That is the safety stock. An own reorder point replaces the computed one, so then it is what the
// reorder point leaves after the mean demand; without an own safety stock this is shown as the safety
// stock too. The target covers both, or the day after an order would ask for another.
func (a Article) levels(p *Plan) (least float64) {
	span := a.span()
	variance := demand.Variance(p.Mean, span, a.Demand.SigmaDay2, a.Tau2, a.Lead.Sigma)
	p.SafetyStock = demand.Safety(p.Mean, variance, a.Z, a.Rule.MaxSafetyDays*p.PerDay)
	if own := a.Own.SafetyStock; own != nil {
		p.SafetyStock = max(0, *own)
	}
	p.ReorderPoint = roundUp(p.Mean + p.SafetyStock)
	own := a.Own.ReorderPoint
	if own == nil {
		return p.SafetyStock
	}
	p.ReorderPoint = max(0, *own)
	least = max(0, *own-p.Mean)
	if a.Own.SafetyStock == nil {
		p.SafetyStock = least
	}
	return least
}

// outlook is what the projected stock shows. Days are counted from AsOf; -1 means never.
type outlook struct {
	empty int // the first day without stock, of an article that sells
	due   int // the first day, from the arrival of an order of the next review on, with too little stock
	gap   int // the first day that is empty before supply lands, within the horizon
	late  int // the number of empty days before a new order can land
}

// look searches the projected stock. An article that does not sell is empty only while customers wait
// for it, which is when less than nothing is left. A lead time beyond 400 days is searched to its end.
func (a Article) look(in incoming, least float64, sells bool) outlook {
	o := outlook{empty: -1, due: -1, gap: -1}
	span, horizon := a.span(), a.horizon()
	lands := in.lastWithin(horizon)
	if lands >= 0 && a.nothingLeft(sells) { // what is expected today has not landed yet
		o.gap = 0
	}
	for t, left := range a.project(in, max(searchedDays, span)) {
		if below(left, 0) || sells && !below(0, left) {
			if o.empty < 0 && sells {
				o.empty = t
			}
			if o.gap < 0 && t < lands {
				o.gap = t
			}
			if t < a.leadDays() {
				o.late++
			}
		}
		if o.due < 0 && t >= span && below(left, least) {
			o.due = t
		}
		if t >= horizon && o.due >= 0 && (o.empty >= 0 || !sells) {
			break
		}
	}
	return o
}

// action decides what to do. An order comes first. Expediting is for supply that would be enough but
// lands after the stock is gone. That is so if nothing is missing up to the target; and also if
// something is missing, but no order is due yet and the gap opens before a new order could land.
func (a Article) action(p Plan, o outlook) Action {
	short := p.Suggested > 0
	switch {
	case short && p.OrderBy != nil && *p.OrderBy == a.AsOf:
		return ActionOrder
	case o.gap >= 0 && (!short || o.gap < a.leadDays()):
		return ActionExpedite
	case p.OrderBy != nil && int(*p.OrderBy-a.AsOf) <= a.Rule.LookaheadDays:
		return ActionUpcoming
	}
	return ActionNone
}

// urgency decides how soon.
func (a Article) urgency(p Plan) Urgency {
	today := p.OrderBy != nil && *p.OrderBy == a.AsOf
	switch {
	case a.nothingLeft(p.PerDay > 0), p.LateByDays > 0:
		return UrgencyCritical
	case p.Action == ActionOrder, p.Action == ActionExpedite && today:
		return UrgencyHigh
	case p.OrderBy != nil && *p.OrderBy-a.AsOf <= soonDays:
		return UrgencyMedium
	}
	return UrgencyLow
}

// nothingLeft reports whether the article is empty now. One that does not sell is so only while
// customers wait for it.
func (a Article) nothingLeft(sells bool) bool {
	return below(*a.Available, 0) || sells && !below(0, *a.Available)
}

func (a Article) leadDays() int { return max(0, a.Lead.Days) }

// span returns the days until an order of the next review has arrived. Even without a lead time it
// covers a day.
func (a Article) span() int { return max(1, a.leadDays()+max(0, a.Rule.ReviewDays)) }

// horizon returns the days until an order of today is used up.
func (a Article) horizon() int { return a.span() + a.coverDays() }

func (a Article) coverDays() int {
	if own := a.Own.CoverDays; own != nil {
		return max(0, *own)
	}
	return max(0, a.Rule.CoverDays)
}

// after returns the day that many days from AsOf, or nil for -1.
func (a Article) after(days int) *demand.Day {
	if days < 0 {
		return nil
	}
	day := a.AsOf + demand.Day(days)
	return &day
}
