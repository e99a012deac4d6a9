// Package procure says what to order, and why.
//
// The arithmetic is in plan.go: a pure function of what is known about one article on one day. It
// asks no clock and no database, so the same article always gets the same suggestion.
package procure

import "github.com/quayside/quayside/internal/demand"

// Article is what is known about an article on a day, and all that its plan depends on.
type Article struct {
	AsOf      demand.Day
	Available *float64 // with what was received since the stock was reported; nil: unknown
	Demand    demand.Demand
	Tau2      float64  // squared relative error of the forecasts of its class
	Z         float64  // how many standard deviations cover the demand with the promised chance
	EmptyDays int      // without stock, of the last 12 complete weeks
	WAPE      *float64 // the error of past forecasts; nil: too little was sold to say
	Lead      Lead
	Rule      Rule
	Own       Own
	MOQ       float64 // the least that can be ordered; 0: anything
	Multiple  float64 // orders are multiples of it; 0: of 1
	Supply    []Supply
}

// Rule are the settings that apply to the article.
type Rule struct {
	Service       float64 // the chance of not running out before the next delivery
	CoverDays     int     // how long an order lasts after it has arrived
	ReviewDays    int     // how often the queue is looked at
	MaxSafetyDays float64 // the most days of demand that are kept for safety
	LookaheadDays int     // an order that is due within these days is upcoming
	OverduePush   int     // in how many days an overdue line is expected
	StaleDays     int     // after how many days overdue a line is not expected any more
}

// Own are the article's own values, which replace the computed ones. Nil: computed.
type Own struct {
	SafetyStock, ReorderPoint *float64
	CoverDays                 *int
}

// Lead is how long a new order takes to arrive.
type Lead struct {
	Days       int // rounded up
	Sigma      float64
	Source     LeadSource
	Deliveries int     // that it was learnt from
	Slow       float64 // in one of seven cases it takes longer than this; 0: not learnt
}

// LeadSource says where a lead time is known from.
type LeadSource string

// The sources, the first that is known counts.
const (
	LeadOfProduct  LeadSource = "product"
	LeadOfArticle  LeadSource = "article"         // learnt from the article's own deliveries
	LeadLearnt     LeadSource = "supplier_learnt" // learnt from the supplier's deliveries
	LeadOfSupplier LeadSource = "supplier"
	LeadOfConfig   LeadSource = "default"
)

// Supply is the open quantity of a line that was ordered. Drafts are none.
type Supply struct {
	Line, OrderNo     string
	Quantity          float64
	Ordered, Expected *demand.Day // nil: not known
}
