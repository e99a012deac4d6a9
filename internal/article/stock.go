package article

import (
	"context"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/forecast"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/plausible"
	"github.com/quayside/quayside/internal/playbook"
	"github.com/quayside/quayside/internal/subject"
	"github.com/quayside/quayside/internal/supplier"
)

const (
	// learntFrom is how many deliveries a learnt lead time needs.
	learntFrom = 3
	// projected is how many days of projected stock are returned, and searchedDays how many are
	// searched for the day on which it runs out.
	projected    = 91
	searchedDays = 400
)

// Stock is what is in stock, and where that is known from.
type Stock struct {
	OnHand, Committed, Reported *decimal.Decimal // as they were reported
	// Available is what was reported (else on hand less committed) and what was received since.
	// Nil: unknown.
	Available     *decimal.Decimal
	ReceivedSince decimal.Decimal
	CountedAt     *time.Time  // nil: nobody has reported any
	By            *auth.Actor // who reported it; nil if that is no longer known
	ByName        string
}

// stock reads the stock. It was counted when its report says so, else when the report came; and no later.
func (r *reading) stock(ctx context.Context) (s Stock, err error) {
	row := r.row
	s = Stock{OnHand: row.StockOnHand, Committed: row.StockCommitted, Reported: row.StockAvailable}
	if s.Available = row.StockAvailable; s.Available == nil && row.StockOnHand != nil {
		left := *row.StockOnHand
		if row.StockCommitted != nil {
			left = left.Sub(*row.StockCommitted)
		}
		s.Available = &left
	}
	if s.Available == nil {
		return s, nil
	}
	report, err := r.Queries.FindStockReport(ctx,
		q.FindStockReportParams{TenantID: r.By.Tenant, WorkspaceID: r.By.Workspace, ProductID: row.ID,
			OnShelves: row.StockAvailable == nil})
	switch missing := fault.Is(pg.Translate(err), fault.NotFound); {
	case err != nil && !missing:
		return s, err
	case missing:
		s.CountedAt, err = r.lastChange(ctx)
	default:
		by := subject.ActorOf(report.Actor)
		s.By, s.CountedAt = &by, &report.CreatedAt
		if report.Dated && row.StockUpdatedAt != nil && row.StockUpdatedAt.Before(report.CreatedAt) {
			s.CountedAt = row.StockUpdatedAt
		}
		err = nil
	}
	if err != nil || s.CountedAt == nil {
		return s, err
	}
	s.ReceivedSince, err = r.Queries.SumReceivedSince(ctx, q.SumReceivedSinceParams{
		TenantID: r.By.Tenant, WorkspaceID: r.By.Workspace, ProductID: row.ID, Sku: row.Sku, Since: *s.CountedAt,
	})
	available := s.Available.Add(s.ReceivedSince)
	s.Available = &available
	return s, err
}

// lastChange returns when the stock was last counted, for stock whose report is no longer kept.
func (r *reading) lastChange(ctx context.Context) (*time.Time, error) {
	last, err := r.Queries.FindStockChange(ctx,
		q.FindStockChangeParams{TenantID: r.By.Tenant, WorkspaceID: r.By.Workspace, ProductID: r.row.ID})
	reported := r.row.StockUpdatedAt
	switch {
	case fault.Is(pg.Translate(err), fault.NotFound):
		return reported, nil
	case err != nil:
		return nil, err
	case reported == nil || last.ReportedAt != nil && last.ReportedAt.Equal(*reported) || last.ObservedAt.After(*reported):
		return &last.ObservedAt, nil
	}
	return reported, nil
}

// LeadTime is how long the supplier needs.
type LeadTime struct {
	Days   float64
	Source string // product, article, supplier_learnt, supplier or default
}

// leadTime returns the product's own lead time; else what was learnt from deliveries of the
// article, then of the supplier; else the supplier's; else that of the playbook.
func leadTime(row q.GetArticleRow, judged []supplier.Punctuality, standard int) LeadTime {
	if row.LeadTimeDays != nil {
		return LeadTime{plannedDays(*row.LeadTimeDays), "product"}
	}
	for _, learnt := range []LeadTime{{Source: "article"}, {Source: "supplier_learnt"}} {
		for _, p := range judged {
			if p.Leads >= learntFrom && (p.Scope == "article") == (learnt.Source == "article") {
				learnt.Days = p.LeadDays
				return learnt
			}
		}
	}
	if row.SupplierLeadTimeDays != nil {
		return LeadTime{plannedDays(*row.SupplierLeadTimeDays), "supplier"}
	}
	return LeadTime{float64(standard), "default"}
}

// plannedDays returns a lead time that was told, or the longest one that can be planned with.
func plannedDays(told decimal.Decimal) float64 {
	days, _ := told.Float64()
	return min(max(days, 0), plausible.LongestDays)
}

// Incoming is what is on its way. Lines with a quantity that cannot be true are in no sum, and a day that cannot be true is
// not known.
type Incoming struct {
	LeftOut  int64           // lines with such a quantity
	Undated  int64           // ordered lines with such a day of order or arrival
	Quantity decimal.Decimal // of ordered lines
	Drafted  decimal.Decimal // not ordered yet: no supply
	Overdue  decimal.Decimal // of Quantity: the expected day has passed
	Next     *time.Time      // the next expected day that has not passed
	Arrivals []Arrival       // by the day for which they are planned
}

// Arrival is the open quantity of an ordered line.
type Arrival struct {
	LineID, OrderNo string
	Quantity        decimal.Decimal
	Expected        *time.Time // nil: no day was given
	// Day is when it is counted on: the expected day; without one, the day of the order and the
	// lead time; if that has passed, some days from today, as the playbook says. Nil if it has been
	// overdue for so long that the playbook does not count on it.
	Day *time.Time
}

// expectation is what decides when a line is counted on.
type expectation struct {
	today  time.Time
	zone   *time.Location
	lead   int // days
	config playbook.Config
}

func (e expectation) incoming(lines []q.ListArticleOpenRow) (in Incoming) {
	for _, line := range lines {
		if !plausible.Amount(line.Open) {
			in.LeftOut++
			continue
		}
		if line.Status != "ordered" && line.Status != "partially_received" {
			in.Drafted = in.Drafted.Add(line.Open)
			continue
		}
		if !line.Open.IsPositive() {
			continue
		}
		expected, certain := e.believed(subject.Date(line.ExpectedArrivalDate), plausible.Arrival)
		ordered, sure := e.believed(e.dayOf(line.OrderedAt), plausible.Day)
		if !certain || !sure {
			in.Undated++
		}
		a := Arrival{LineID: line.ID, OrderNo: line.OrderNo, Quantity: line.Open, Expected: expected, Day: e.day(expected, ordered)}
		in.Quantity = in.Quantity.Add(a.Quantity)
		switch {
		case a.Expected == nil:
		case a.Expected.Before(e.today):
			in.Overdue = in.Overdue.Add(a.Quantity)
		case in.Next == nil || a.Expected.Before(*in.Next):
			in.Next = a.Expected
		}
		in.Arrivals = append(in.Arrivals, a)
	}
	slices.SortStableFunc(in.Arrivals, func(a, b Arrival) int { return late(a).Compare(late(b)) })
	return in
}

// late sorts an arrival that nobody counts on to the end.
func late(a Arrival) time.Time {
	if a.Day == nil {
		return time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return *a.Day
}

// believed returns the day. If by a rule of package plausible it cannot be true today, it returns nil and false.
func (e expectation) believed(day *time.Time, rule func(day, today time.Time) bool) (*time.Time, bool) {
	if day != nil && !rule(*day, e.today) {
		return nil, false
	}
	return day, true
}

// dayOf returns the day of a time, or nil without one.
func (e expectation) dayOf(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	day := subject.DayOf(at.In(e.zone))
	return &day
}

// day returns the day on which an arrival is counted on.
func (e expectation) day(expected, ordered *time.Time) *time.Time {
	day := e.today.AddDate(0, 0, e.lead)
	switch {
	case expected != nil:
		day = *expected
	case ordered != nil:
		day = ordered.AddDate(0, 0, e.lead)
	}
	switch {
	case day.Before(e.today.AddDate(0, 0, -e.config.StalePODays)):
		return nil
	case day.Before(e.today):
		day = e.today.AddDate(0, 0, e.config.OverduePushDays)
	}
	return &day
}

// StockDay is the stock at the end of a day.
type StockDay struct {
	Day  time.Time
	Left float64 // negative: what could not be sold
}

// project computes how long the stock lasts: what is available, and what arrives until then, less
// the expected demand.
func project(o *Overview, stored *forecast.Stored) {
	if o.Stock.Available == nil || !plausible.Amount(*o.Stock.Available) {
		return
	}
	available, _ := o.Stock.Available.Float64()
	if perDay := o.Demand.PerDay; perDay > 0 {
		cover := max(0, available) / perDay
		o.DaysOfCover = &cover
	}
	arrived := map[time.Time]float64{}
	for _, a := range o.Incoming.Arrivals {
		if a.Day != nil {
			quantity, _ := a.Quantity.Float64()
			arrived[*a.Day] += quantity
		}
	}
	left := available
	for t := range searchedDays + 1 {
		day := o.Today.AddDate(0, 0, t)
		left += arrived[day]
		if t > 0 {
			left -= stored.Over(demand.DayOf(day)-1, 1)
		}
		if t <= projected {
			o.Projection = append(o.Projection, StockDay{day, left})
		}
		if left <= epsilon && o.RunsOut == nil && (t == 0 || o.Demand.PerDay > 0) {
			o.RunsOut = &day
		}
		if t >= projected && o.RunsOut != nil {
			return
		}
	}
}

// epsilon is what remains of nothing after adding up fractions.
const epsilon = 1e-9
