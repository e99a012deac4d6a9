package procure

import (
	"cmp"
	"slices"
	"time"

	"github.com/quayside/quayside/internal/demand"
)

// Facts is what is known of a suggestion after the fact, and all that its verdict depends on. The verdict
// is a pure function of it, as a plan is of an article. Counts and receipts are in the order of time.
type Facts struct {
	FirstOn, Until demand.Day // the day of the suggestion, and the one up to which its order was to last
	Today          demand.Day // only days before it have passed
	LeadDays       int
	SafetyStock    float64
	Ordered        *Ordered // nil: nothing was
	Counts         []Count  // of the stock, from the last one before FirstOn on
	Sold           []demand.Day
	Received       []Receipt // of the line
	Others         []Receipt // of other lines of the article
}

// Ordered is what was ordered for a suggestion.
type Ordered struct {
	On              demand.Day
	Quantity, Asked float64 // Asked is what was suggested when the line was drafted
}

// Count is the last count of an article's stock on a day.
type Count struct {
	Day       demand.Day
	At        time.Time
	Available bool     // at some time of the day
	Closing   *float64 // nil: unknown
}

// Receipt is what arrived. A correction is negative.
type Receipt struct {
	Day      demand.Day
	At       time.Time
	Quantity float64
}

// Verdict is what happened from the day of a suggestion until its order was to be used up, or until
// yesterday.
type Verdict struct {
	Passed bool // a day has; else all else is empty
	Known  bool // whether the stock was
	// PreventedOn is the first day that ended with stock, and would not have without what had been
	// received of the line. It is nil if the article was empty when the line arrived: then the line
	// ended a stock-out, and did not prevent it.
	PreventedOn *demand.Day
	EmptyFrom   *demand.Day // the first of the empty days
	Empty       EmptyDays
	// Overbuy is what is left of the line when it was to be used up, and Beyond the part of it that was
	// ordered beyond the suggestion. They are nil until then, or if the stock is not known.
	Overbuy, Beyond *float64
}

// EmptyDays are the days without stock. Each is in exactly one of the four.
type EmptyDays struct {
	TooLate  int // before an order of the day of the suggestion could have come
	Waiting  int // after that, and before what was ordered could have come
	Supplier int // after that, and before the line came
	TooFew   int // after the line came
}

// Sum returns the number of all empty days.
func (e EmptyDays) Sum() int { return e.TooLate + e.Waiting + e.Supplier + e.TooFew }

// Judge returns the verdict.
//
// The stock of a day is what was counted last and what was received since, as in the queue. A day is
// empty if it began without stock, none was counted, none came, and nothing was sold. Days before the
// first count are not known, and not empty.
func (f Facts) Judge() (v Verdict) {
	walk := f.walk()
	walk.to(f.FirstOn - 1)
	for day := f.FirstOn; day <= min(f.Until, f.Today-1); day++ {
		v.Passed = true
		began := walk.left
		stocked := walk.to(day)
		v.Known = v.Known || began != nil || walk.left != nil
		if began != nil && !below(0, *began) && !stocked && !slices.Contains(f.Sold, day) {
			if v.EmptyFrom == nil {
				v.EmptyFrom = &day
			}
			*v.Empty.of(f, day, walk)++
		}
		if v.PreventedOn == nil && walk.came && day >= walk.first.Day && !walk.cameEmpty && walk.left != nil &&
			below(0, *walk.left) && !below(0, *walk.left-walk.received) {
			v.PreventedOn = &day
		}
	}
	if f.Today > f.Until && walk.left != nil {
		over := max(0, min(tidy(*walk.left-f.SafetyStock-walk.others), walk.received))
		beyond := 0.0
		if f.Ordered != nil {
			beyond = max(0, min(over, f.Ordered.Quantity-f.Ordered.Asked))
		}
		v.Overbuy, v.Beyond = &over, &beyond
	}
	return v
}

// of returns the count that an empty day belongs to.
func (e *EmptyDays) of(f Facts, day demand.Day, w *walk) *int {
	lead := demand.Day(max(0, f.LeadDays))
	switch {
	case w.came && day >= w.first.Day:
		return &e.TooFew
	case day < f.FirstOn+lead:
		return &e.TooLate
	case f.Ordered == nil || day < f.Ordered.On+lead:
		return &e.Waiting
	}
	return &e.Supplier
}

// firstReceipt returns the receipt with which something of the line was there. One that was taken back
// as a whole is none.
func (f Facts) firstReceipt() (first Receipt, came bool) {
	sum := 0.0
	for _, r := range f.Received {
		if !below(0, sum) {
			first = r
		}
		sum += r.Quantity
		came = below(0, sum)
	}
	return first, came
}

// walk goes through counts and receipts day by day.
type walk struct {
	steps     []step
	first     Receipt  // of the line
	came      bool     // whether there is one
	left      *float64 // the stock at the end of the day; nil: unknown
	received  float64  // of the line
	others    float64  // of other lines, since the line came
	cameEmpty bool     // nothing was left when the line came
}

// step is a count, or a receipt of the line or of another.
type step struct {
	day   demand.Day
	at    time.Time
	count *Count
	came  float64
	own   bool
}

// walk begins before the first count. A receipt at the very time of a count is in it, so it comes
// before the count.
func (f Facts) walk() *walk {
	w := &walk{}
	w.first, w.came = f.firstReceipt()
	for _, r := range f.Received {
		w.steps = append(w.steps, step{day: r.Day, at: r.At, came: r.Quantity, own: true})
	}
	for _, r := range f.Others {
		w.steps = append(w.steps, step{day: r.Day, at: r.At, came: r.Quantity})
	}
	for i := range f.Counts {
		w.steps = append(w.steps, step{day: f.Counts[i].Day, at: f.Counts[i].At, count: &f.Counts[i]})
	}
	slices.SortStableFunc(w.steps, func(a, b step) int { return cmp.Or(cmp.Compare(a.day, b.day), a.at.Compare(b.at)) })
	return w
}

// to goes on to the end of a day, and reports whether there was stock on the way: some was counted, or
// came.
func (w *walk) to(day demand.Day) (stocked bool) {
	for len(w.steps) > 0 && w.steps[0].day <= day {
		s := w.steps[0]
		w.steps = w.steps[1:]
		if s.count != nil {
			w.left = s.count.Closing
			stocked = stocked || s.count.Available
			continue
		}
		stocked = stocked || s.came > 0
		if s.own {
			if w.came && s.at.Equal(w.first.At) {
				w.cameEmpty = w.left != nil && !below(0, *w.left)
			}
			w.received += s.came
		} else if w.came && s.at.After(w.first.At) {
			w.others += s.came
		}
		if w.left != nil {
			left := *w.left + s.came
			w.left = &left
		}
	}
	return stocked
}
