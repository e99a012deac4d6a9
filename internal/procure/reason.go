package procure

import (
	"math"
	"strconv"
	"strings"

	"github.com/quayside/quayside/internal/demand"
)

// Part is a piece of a reason. Of is what a click on it shows; "" is plain text.
type Part struct {
	Text string `json:"text"`
	Of   Topic  `json:"of,omitempty"`
}

// Topic is what a number of a reason was computed from.
type Topic string

// The topics.
const (
	TopicDemand     Topic = "demand"
	TopicStock      Topic = "stock"
	TopicOpenOrders Topic = "open_orders"
	TopicLeadTime   Topic = "lead_time"
	TopicArrival    Topic = "arrival"
	TopicTarget     Topic = "target"
	TopicRounding   Topic = "rounding"
	TopicAccuracy   Topic = "accuracy"
	TopicStockout   Topic = "stockout"
)

// Text returns the reason as one text.
func Text(parts []Part) string {
	var text strings.Builder
	for _, part := range parts {
		text.WriteString(part.Text)
	}
	return text.String()
}

// Reason says the arithmetic of the article's plan in one breath. Every number is a part with a
// topic. supplier is the supplier's name, "" if there is none.
func (a Article) Reason(p Plan, supplier string) []Part {
	var r sentence
	r.demand(a, p)
	r.stock(a, p)
	r.lead(a, supplier)
	r.outlook(a, p)
	r.target(a, p)
	if a.WAPE != nil {
		r.say(" Forecast error ").of(TopicAccuracy, strconv.Itoa(int(math.Round(100**a.WAPE)))+" %").say(".")
	}
	return r.parts
}

// sentence collects parts.
type sentence struct{ parts []Part }

// say adds plain text.
func (r *sentence) say(text string) *sentence {
	if n := len(r.parts); n > 0 && r.parts[n-1].Of == "" {
		r.parts[n-1].Text += text
		return r
	}
	return r.of("", text)
}

// of adds text that can be clicked.
func (r *sentence) of(topic Topic, text string) *sentence {
	r.parts = append(r.parts, Part{Text: text, Of: topic})
	return r
}

// demand says how much sells. A rate that would be shown as 0.0 is said for 30 days.
func (r *sentence) demand(a Article, p Plan) {
	month := p.PerDay * rateDays
	switch {
	case p.PerDay <= 0:
		r.of(TopicDemand, "Sells nothing")
	case p.PerDay >= 0.1:
		r.say("Sells ").of(TopicDemand, showEstimate(p.PerDay)).say(" a day")
	case month >= 0.1:
		r.say("Sells ").of(TopicDemand, showEstimate(month)).say(" in a month")
	default:
		r.of(TopicDemand, "Sells next to nothing")
	}
	if a.EmptyDays > 0 {
		r.say(" (").of(TopicDemand, showCount(a.EmptyDays, "empty day")).say(" left out)")
	}
	r.say(".")
}

// stock says what is there, what is on order, and how long both last.
func (r *sentence) stock(a Article, p Plan) {
	if a.Available == nil {
		r.say(" ").of(TopicStock, "Stock is unknown")
	} else {
		r.say(" ").of(TopicStock, showQuantity(*a.Available)+" available")
	}
	r.say(", ").of(TopicOpenOrders, showQuantity(p.OnOrder)+" on order")
	late := p.Overdue - p.Ignored
	if p.Overdue > 0 {
		r.say(" (")
		if late > 0 {
			r.of(TopicOpenOrders, showQuantity(tidy(late))+" overdue")
		}
		if late > 0 && p.Ignored > 0 {
			r.say(", ")
		}
		if p.Ignored > 0 {
			r.of(TopicOpenOrders, showQuantity(p.Ignored)+" overdue for too long to count on")
		}
		r.say(")")
	}
	if p.DaysOfCover != nil {
		r.say(": ").of(TopicStock, showDays(*p.DaysOfCover))
		if p.OnOrder > p.Ignored {
			r.say(", ").of(TopicOpenOrders, showEstimate(*p.DaysOfCoverInclOpen)).say(" with what is on order")
		}
	}
	r.say(".")
}

// lead says how long a delivery takes, and how that is known.
func (r *sentence) lead(a Article, supplier string) {
	if supplier == "" {
		r.say(" No supplier is set. A delivery takes ")
	} else {
		r.say(" " + supplier + " needs ")
	}
	r.of(TopicLeadTime, showCount(a.leadDays(), "day"))
	switch a.Lead.Source {
	case LeadOfArticle, LeadLearnt:
		r.say(" (").of(TopicLeadTime, showCount(a.Lead.Deliveries, "receipt"))
		if a.Lead.Slow > 0 {
			r.say(", slow case ").of(TopicLeadTime, showEstimate(a.Lead.Slow))
		}
		r.say(")")
	case LeadOfProduct:
		r.say(" (set for the article)")
	case LeadOfSupplier:
		r.say(" (as agreed)")
	case LeadOfConfig:
		r.say(" (assumed)")
	}
	r.say(".")
}

// outlook says until when the stock lasts, and what can be done.
func (r *sentence) outlook(a Article, p Plan) {
	if a.Available == nil {
		return
	}
	switch empty := p.StockoutDate; {
	case empty == nil && p.Action == ActionExpedite && p.PerDay > 0:
		r.expedite(a, p, a.AsOf)
	case empty == nil && p.PerDay > 0:
		r.say(" ").of(TopicStockout, "Enough for more than a year").say(".")
	case empty == nil && *a.Available < -epsilon:
		r.say(" ").of(TopicStockout, "Customers wait").say("; a new order lands on ")
		r.of(TopicArrival, a.date(*p.EarliestArrival)).say(".")
	case empty == nil:
	case p.Action == ActionExpedite:
		r.expedite(a, p, *empty)
	case p.Action == ActionOrder || p.LateByDays > 0:
		r.say(" Empty ").of(TopicStockout, a.on(*empty)).say("; a new order lands on ")
		r.of(TopicArrival, a.date(*p.EarliestArrival)).say(".")
	default:
		r.say(" Enough until ").of(TopicStockout, a.date(*empty))
		if p.OrderBy != nil && p.Suggested > 0 {
			r.say("; order by ").of(TopicArrival, a.date(*p.OrderBy))
		}
		r.say(".")
	}
}

// expedite says when the stock is gone before supply lands. What is expected today has not landed
// yet if nothing is left, even though the projection counts on it.
func (r *sentence) expedite(a Article, p Plan, empty demand.Day) {
	if a.nothingLeft(p.PerDay > 0) {
		empty = a.AsOf
	}
	r.say(" Empty ").of(TopicStockout, a.on(empty)).say(", before the supply on order lands")
	if p.NextArrival != nil && *p.NextArrival >= empty {
		r.say(" ").of(TopicArrival, a.on(*p.NextArrival))
	}
	r.say(": ask for it sooner.")
}

// target says what is missing, and how that was rounded.
func (r *sentence) target(a Article, p Plan) {
	r.say(" Target ").of(TopicTarget, showEstimate(p.TargetStock))
	if a.Available == nil {
		r.say(".")
		return
	}
	if p.Suggested == 0 {
		r.say(", nothing to order.")
		return
	}
	short, rounded := showEstimate(p.Raw), showQuantity(p.Suggested)
	r.say(", short by ").of(TopicTarget, short)
	if short != rounded {
		r.say(", rounded to ").of(TopicRounding, rounded)
		separator := " ("
		if a.MOQ > 0 {
			r.say(separator).of(TopicRounding, "minimum "+showQuantity(a.MOQ))
			separator = ", "
		}
		if a.Multiple > 0 && a.Multiple != 1 {
			r.say(separator).of(TopicRounding, "case "+showQuantity(a.Multiple))
			separator = ", "
		}
		if separator == ", " {
			r.say(")")
		}
	}
	r.say(".")
}

// showEstimate formats an estimate: one decimal below 10, none above, where it would only pretend to be
// exact.
func showEstimate(x float64) string {
	decimals := 1.0
	if math.Abs(x) < 9.95 {
		decimals = 10
	}
	return strconv.FormatFloat(math.Round(x*decimals)/decimals+0, 'f', -1, 64)
}

// showQuantity formats what was counted or can be ordered. It is exact, because 0.25 kg are not 0.3 kg.
func showQuantity(x float64) string {
	return strconv.FormatFloat(math.Round(x*1000)/1000+0, 'f', -1, 64)
}

// showCount says how many: "1 day", "2 days".
func showCount(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

func showDays(x float64) string {
	if n := showEstimate(x); n != "1" {
		return n + " days"
	}
	return "1 day"
}

// on says on which day something happens.
func (a Article) on(day demand.Day) string {
	if day == a.AsOf {
		return "today"
	}
	return "on " + a.date(day)
}

// date formats a day, with its year if that is not the year of AsOf.
func (a Article) date(day demand.Day) string {
	date := dateOf(day)
	if date.Year() != dateOf(a.AsOf).Year() {
		return date.Format("2 Jan 2006")
	}
	return date.Format("2 Jan")
}
