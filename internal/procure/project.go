package procure

import (
	"iter"
	"slices"
	"time"

	"github.com/quayside/quayside/internal/demand"
)

// arrival is open supply on the day on which it is counted on.
type arrival struct {
	in       int // days from AsOf, at least 0
	quantity float64
}

// incoming is the open supply of an article.
type incoming struct {
	// Overdue supply should have arrived before AsOf. Ignored supply is that part of it which is
	// overdue for so long that it is not counted on any more.
	onOrder, overdue, ignored float64
	arrivals                  []arrival // the soonest first, without ignored supply
}

// incoming plans the arrivals. A line is counted on for its expected day; without one, for the day of
// its order plus the lead time; without that either, as if it were ordered today. A line that is
// overdue by one of these days is counted on in a few days, and after too long not at all. So a line
// without an expected day can be overdue too: it takes longer than orders usually take.
func (a Article) incoming() (in incoming) {
	for _, s := range a.Supply {
		if s.Quantity <= 0 {
			continue
		}
		day := a.AsOf + demand.Day(a.leadDays())
		switch {
		case s.Expected != nil:
			day = *s.Expected
		case s.Ordered != nil:
			day = *s.Ordered + demand.Day(a.leadDays())
		}
		in.onOrder += s.Quantity
		if day < a.AsOf {
			in.overdue += s.Quantity
			if int(a.AsOf-day) > a.Rule.StaleDays {
				in.ignored += s.Quantity
				continue
			}
			day = a.AsOf + demand.Day(max(0, a.Rule.OverduePush))
		}
		in.arrivals = append(in.arrivals, arrival{int(day - a.AsOf), s.Quantity})
	}
	slices.SortStableFunc(in.arrivals, func(x, y arrival) int { return x.in - y.in })
	return in
}

// within returns how much arrives in the next days.
func (in incoming) within(days int) (quantity float64) {
	for _, next := range in.arrivals {
		if next.in <= days {
			quantity += next.quantity
		}
	}
	return quantity
}

// lastWithin returns in how many days the last arrival of the next days is, or -1 without one.
func (in incoming) lastWithin(days int) int {
	last := -1
	for _, next := range in.arrivals {
		if next.in <= days {
			last = next.in
		}
	}
	return last
}

// Projection returns the stock at the end of each of the next days, the first is today. What is
// available is what today leaves: the demand of the first day is missing from tomorrow on. So entry t
// is P(t), from which the plan is made. It may be negative: what could not be sold. It is nil if the
// stock is unknown.
func (a Article) Projection(days int) []float64 {
	if a.Available == nil || days <= 0 {
		return nil
	}
	stock := make([]float64, 0, days)
	for _, left := range a.project(a.incoming(), days-1) {
		stock = append(stock, left)
	}
	return stock
}

// project yields P(t) for t = 0 … last: what is available, and what arrives until then, less the
// expected demand of t days. The demand of a day depends on its month only, so that a year costs a few
// hundred additions. The stock must be known.
func (a Article) project(in incoming, last int) iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		left, next := *a.Available, 0
		var perDay float64
		month := 0 // its days that are left
		for t := 0; t <= last; t++ {
			if t > 0 {
				if month == 0 {
					perDay, month = a.month(a.AsOf + demand.Day(t-1))
				}
				left -= perDay
				month--
			}
			for ; next < len(in.arrivals) && in.arrivals[next].in <= t; next++ {
				left += in.arrivals[next].quantity
			}
			if !yield(t, left) {
				return
			}
		}
	}
}

// month returns the demand of a day, and for how many days it stays the same.
func (a Article) month(day demand.Day) (perDay float64, days int) {
	year, month, of := dateOf(day).Date()
	length := time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
	return a.Demand.Velocity * a.Demand.Index[month-1], length - of + 1
}

// dateOf returns midnight of the day, in UTC.
func dateOf(day demand.Day) time.Time { return time.Unix(int64(day)*24*60*60, 0).UTC() }
