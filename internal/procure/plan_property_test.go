package procure

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/test/property"
)

// drawArticle draws an article whose stock is known, without a season and without own values.
func drawArticle(t *rapid.T) Article {
	a := example(drawQuantity(t, -20, 300, "available"))
	a.Demand.Velocity = drawQuantity(t, 0, 20, "velocity")
	a.Demand.SigmaDay2 = a.Demand.Velocity * rapid.Float64Range(0, 8).Draw(t, "dispersion")
	a.Tau2 = rapid.Float64Range(0, 0.16).Draw(t, "tau2")
	a.Lead.Days = rapid.IntRange(0, 90).Draw(t, "lead")
	a.Lead.Sigma = rapid.Float64Range(0, 10).Draw(t, "lead sigma")
	a.Rule.CoverDays = rapid.IntRange(0, 60).Draw(t, "cover")
	a.Rule.ReviewDays = rapid.IntRange(0, 7).Draw(t, "review")
	a.MOQ = rapid.SampledFrom([]float64{0, 0, 1, 20, 100}).Draw(t, "minimum")
	a.Multiple = rapid.SampledFrom([]float64{0, 1, 1, 6, 12, 0.1}).Draw(t, "multiple")
	for range rapid.IntRange(0, 3).Draw(t, "lines") {
		a.Supply = append(a.Supply, expected(drawQuantity(t, 0, 100, "open"), rapid.IntRange(-90, 120).Draw(t, "in")))
	}
	return a
}

// drawQuantity draws whole units or thousandths of them, as the grams of a kilogram.
func drawQuantity(t *rapid.T, least, most int, label string) float64 {
	if rapid.Bool().Draw(t, "whole") {
		return float64(rapid.IntRange(least, most).Draw(t, label))
	}
	return float64(rapid.IntRange(1000*least, 1000*most).Draw(t, label)) / 1000
}

func TestSuggestedCanBeOrdered(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		a := drawArticle(t)
		p := a.Plan()
		if p.Suggested == 0 {
			require.LessOrEqual(t, p.Raw, epsilon)
			require.NotEqual(t, ActionOrder, p.Action)
			require.Zero(t, p.Overbuy)
			return
		}
		multiple := a.Multiple
		if multiple == 0 {
			multiple = 1
		}
		cases := p.Suggested / multiple
		require.InDelta(t, math.Round(cases), cases, 1e-6)
		require.GreaterOrEqual(t, p.Suggested, a.MOQ)
		require.GreaterOrEqual(t, p.Suggested, p.Raw-epsilon)
		require.Less(t, p.Suggested, max(p.Raw, a.MOQ)+multiple)
		require.InDelta(t, p.Suggested-p.Raw, p.Overbuy, epsilon)
	})
}

func TestMoreStockNeverRaisesTheOrder(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		a := drawArticle(t)
		more := a
		more.Available = ptr(*a.Available + drawQuantity(t, 0, 50, "more"))
		p, q := a.Plan(), more.Plan()
		require.LessOrEqual(t, q.Suggested, p.Suggested)
		require.LessOrEqual(t, q.LateByDays, p.LateByDays)
		require.GreaterOrEqual(t, later(q.StockoutDate), later(p.StockoutDate))
		require.GreaterOrEqual(t, later(q.OrderBy), later(p.OrderBy))
		require.False(t, q.Action == ActionOrder && p.Action != ActionOrder)
	})
}

func TestMoreSupplyNeverRaisesTheOrder(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		a := drawArticle(t)
		more := a
		in := rapid.IntRange(0, a.span()+a.coverDays()).Draw(t, "arrives")
		more.Supply = append(slices.Clone(a.Supply), expected(drawQuantity(t, 0, 50, "more"), in))
		p, q := a.Plan(), more.Plan()
		require.LessOrEqual(t, q.Suggested, p.Suggested)
		require.False(t, q.Action == ActionOrder && p.Action != ActionOrder)
	})
}

// later returns a day that sorts a day that never comes to the end.
func later(d *demand.Day) demand.Day {
	if d == nil {
		return math.MaxInt
	}
	return *d
}

// An order that follows the suggestion settles the matter. While sales follow the forecast, no second
// order is due before the days of cover are over. Supply that lands after a new order is left out: it
// counts towards the target of today, and so keeps the order small.
func TestOneOrderIsEnough(t *testing.T) {
	t.Parallel()
	orders := 0
	property.Check(t, func(t *rapid.T) {
		a := drawArticle(t)
		a.Supply = slices.DeleteFunc(a.Supply, func(s Supply) bool {
			in := int(*s.Expected - a.AsOf)
			return in < 0 || in > a.span()
		})
		p := a.Plan()
		if p.Action != ActionOrder {
			return
		}
		orders++
		today := a.AsOf
		a.Supply = append(a.Supply, Supply{Quantity: p.Suggested, Ordered: &today})
		for k := range max(1, a.coverDays()) {
			require.NotEqual(t, ActionOrder, a.Plan().Action, "after %d days", k)
			a = tomorrow(a)
		}
	})
	require.Positive(t, orders, "the property was never put to the test")
}

// tomorrow returns the article a day later: what was expected has arrived, and the forecast was sold.
func tomorrow(a Article) Article {
	left := *a.Available - a.Demand.Over(a.AsOf, 1)
	a.AsOf++
	var open []Supply
	for _, s := range a.Supply {
		day := s.Expected
		if day == nil {
			day = ptr(*s.Ordered + demand.Day(a.leadDays()))
		}
		if *day < a.AsOf {
			left += s.Quantity
		} else {
			open = append(open, s)
		}
	}
	a.Available, a.Supply = &left, open
	return a
}

// Four times the demand, with four times the stock, needs four times the order, on the same days. The
// safety stock is whole units and does not scale, so it is given.
func TestQuantitiesScale(t *testing.T) {
	t.Parallel()
	const factor = 4 // exact in binary
	property.Check(t, func(t *rapid.T) {
		a := drawArticle(t)
		a.Own.SafetyStock = ptr(drawQuantity(t, 0, 30, "safety"))
		a.Multiple = max(1, a.Multiple)
		more := a
		more.Available, more.Own.SafetyStock = ptr(factor**a.Available), ptr(factor**a.Own.SafetyStock)
		more.Demand.Velocity *= factor
		more.MOQ, more.Multiple = factor*a.MOQ, factor*a.Multiple
		more.Supply = slices.Clone(a.Supply)
		for i := range more.Supply {
			more.Supply[i].Quantity *= factor
		}
		p, q := a.Plan(), more.Plan()
		require.InDelta(t, factor*p.TargetStock, q.TargetStock, 1e-9)
		require.InDelta(t, factor*p.Raw, q.Raw, 1e-9)
		require.InDelta(t, factor*p.Suggested, q.Suggested, 1e-9)
		require.InDelta(t, factor*p.OnOrder, q.OnOrder, 1e-9)
		require.Equal(t, p.StockoutDate, q.StockoutDate)
		require.Equal(t, p.OrderBy, q.OrderBy)
		require.Equal(t, p.Action, q.Action)
		require.Equal(t, p.Urgency, q.Urgency)
	})
}

func TestPlanIsTheSameForEqualInputs(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		a := drawArticle(t)
		same := a
		same.Available = ptr(*a.Available)
		same.Supply = slices.Clone(a.Supply)
		p := a.Plan()
		require.True(t, reflect.DeepEqual(p, same.Plan()))
		slices.Reverse(same.Supply) // the order of lines says nothing
		q := same.Plan()
		require.Equal(t, p.Action, q.Action)
		require.InDelta(t, p.Suggested, q.Suggested, 1e-9)
	})
}

// What a plan says agrees with what it projects.
func TestPlanAgreesWithItself(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		a := drawArticle(t)
		p := a.Plan()
		stock := a.Projection(401)
		first := slices.IndexFunc(stock, func(left float64) bool { return left <= epsilon })
		if p.PerDay > 0 {
			require.Equal(t, a.after(first), p.StockoutDate)
		} else {
			require.Nil(t, p.StockoutDate)
		}
		require.Equal(t, p.Action == ActionOrder, p.Raw > epsilon && stock[a.span()] < p.SafetyStock-epsilon)
		require.LessOrEqual(t, p.Ignored, p.Overdue)
		require.LessOrEqual(t, p.Overdue, p.OnOrder)
		if p.Action == ActionOrder {
			require.Equal(t, a.AsOf, *p.OrderBy)
			require.Contains(t, []Urgency{UrgencyCritical, UrgencyHigh}, p.Urgency)
		}
		if p.StockoutDate != nil && *p.StockoutDate < *p.EarliestArrival {
			require.Equal(t, UrgencyCritical, p.Urgency)
			require.Contains(t, []Action{ActionOrder, ActionExpedite}, p.Action, "a stock-out that nobody is told of")
		}
	})
}
