package procure

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/demand"
)

// flat is a season that changes nothing.
var flat = demand.Index{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}

// asOf is a Sunday.
var asOf = day("2026-03-01")

func day(text string) demand.Day {
	date, err := time.Parse(time.DateOnly, text)
	if err != nil {
		panic(err)
	}
	return demand.DayOf(date)
}

func ptr[T any](x T) *T { return &x }

// example returns an article that sells 1 a day without any uncertainty: no variance, so no safety
// stock. It takes 10 days to arrive, and orders last for 30 days after that.
//
//	span = 10 + 1 = 11, horizon = 11 + 30 = 41, mean = 11, target = 41
func example(available float64, supply ...Supply) Article {
	return Article{
		AsOf: asOf, Available: &available,
		Demand: demand.Demand{Velocity: 1, Index: flat},
		Z:      1.645,
		Lead:   Lead{Days: 10, Source: LeadOfSupplier},
		Rule: Rule{Service: 0.95, CoverDays: 30, ReviewDays: 1, MaxSafetyDays: 90, LookaheadDays: 14,
			OverduePush: 7, StaleDays: 60},
		Supply: supply,
	}
}

// expected is supply that is expected in some days.
func expected(quantity float64, in int) Supply {
	return Supply{Quantity: quantity, Expected: ptr(asOf + demand.Day(in))}
}

// views is the example of the documentation: 2.4 a day, 21 days to arrive, 31 available.
//
//	span = 21 + 1 = 22, mean = 52.8, horizon = 22 + 30 = 52, safety stock 15
//	target = 52 * 2.4 + 15 = 139.8, raw = 139.8 - 31 = 108.8
//	108.8 / 12 = 9.07, so 10 cases: 120; overbuy 11.2
//	P(12) = 31 - 28.8 = 2.2, P(13) = -0.2: empty on day 13, 14 March
//	a new order lands on day 21, 22 March: 8 days too late
func views() Article {
	a := example(31)
	a.Demand.Velocity = 2.4
	a.Own.SafetyStock = ptr(15.0)
	a.Lead = Lead{Days: 21, Source: LeadOfArticle, Deliveries: 6, Slow: 27}
	a.MOQ, a.Multiple, a.EmptyDays, a.WAPE = 24, 12, 5, ptr(0.28)
	return a
}

func TestPlanByHand(t *testing.T) {
	t.Parallel()
	p := views().Plan()
	require.InDelta(t, 31/2.4, *p.DaysOfCover, 1e-9)
	require.InDelta(t, 31/2.4, *p.DaysOfCoverInclOpen, 1e-9)
	require.InDelta(t, 139.8, p.TargetStock, 1e-9)
	require.InDelta(t, 108.8, p.Raw, 1e-9)
	require.InDelta(t, 11.2, p.Overbuy, 1e-9)
	p.DaysOfCover, p.DaysOfCoverInclOpen, p.TargetStock, p.Raw, p.Overbuy = nil, nil, 0, 0, 0
	require.Equal(t, Plan{
		Action: ActionOrder, Urgency: UrgencyCritical, PerDay: 2.4, Mean: 52.8,
		SafetyStock: 15, ReorderPoint: 68, // 52.8 + 15, rounded up
		StockoutDate: ptr(day("2026-03-14")), OrderBy: &asOf, EarliestArrival: ptr(day("2026-03-22")),
		LateByDays: 8, Suggested: 120,
	}, p)
}

// The working of a safety stock: mean 11, variance 11 * 4 + 0.04 * 121 + 1 * 9 = 57.84.
//
//	k = 121 / 57.84 = 2.09198, sqrt(k) = 1.44637
//	root = 1 - 1/18.8278 + 1.645/4.33910 = 1 - 0.053113 + 0.379111 = 1.325998
//	Q = 11 * 1.325998³ = 11 * 2.331463 = 25.6461, Q - mean = 14.646: 15
func TestSafetyStock(t *testing.T) {
	t.Parallel()
	a := example(100)
	a.Demand.SigmaDay2, a.Tau2, a.Lead.Sigma = 4, 0.04, 3
	p := a.Plan()
	require.InDelta(t, 15, p.SafetyStock, 0)
	require.InDelta(t, 26, p.ReorderPoint, 0)
	require.InDelta(t, 41+15, p.TargetStock, 1e-9)

	a.Rule.MaxSafetyDays = 12.5
	require.InDelta(t, 12.5, a.Plan().SafetyStock, 1e-9, "at most 12.5 days at 1 a day")
	a.Rule.MaxSafetyDays = 0
	require.InDelta(t, 1, a.Plan().SafetyStock, 0, "one unit is always allowed")
}

func TestActions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		article Article
		action  Action
		urgency Urgency
		raw     float64
		late    int
		empty   int // days from asOf; -1: never
		orderBy int
	}{
		// P(t) = available - t. Due when P(11) < 0: with less than 11.
		{"the last day that needs no order", example(11), ActionUpcoming, UrgencyMedium, 30, 0, 11, 1},
		{"one less: due today, and it lands in time", example(10.5), ActionOrder, UrgencyHigh, 30.5, 0, 11, 0},
		{"it lands on the day the stock ends", example(10), ActionOrder, UrgencyHigh, 31, 0, 10, 0},
		{"it lands a day late", example(9), ActionOrder, UrgencyCritical, 32, 1, 9, 0},
		{"nothing left", example(0), ActionOrder, UrgencyCritical, 41, 10, 0, 0},
		{"customers wait", example(-5), ActionOrder, UrgencyCritical, 46, 10, 0, 0},
		{"due in 7 days", example(17), ActionUpcoming, UrgencyMedium, 24, 0, 17, 7},
		{"due in 8 days", example(18), ActionUpcoming, UrgencyLow, 23, 0, 18, 8},
		{"due in 14 days", example(24), ActionUpcoming, UrgencyLow, 17, 0, 24, 14},
		{"due in 15 days", example(25), ActionNone, UrgencyLow, 16, 0, 25, 15},
		{"exactly the target", example(41), ActionNone, UrgencyLow, 0, 0, 41, 31},
		{"too much", example(100), ActionNone, UrgencyLow, -59, 0, 100, 90},
		{"more than 400 days", example(1000), ActionNone, UrgencyLow, -959, 0, -1, -1},

		// 5 days of stock, then nothing until day 8: ordering changes nothing about that.
		{"enough comes, but late", example(5, expected(40, 8)), ActionExpedite, UrgencyCritical, -4, 3, 5, 34 + 1},
		// The order of 20 lands on day 8, so P(11) = 14: no order is due, but there is a gap.
		{"some comes late, and no order is due yet", example(5, expected(20, 8)), ActionExpedite, UrgencyCritical, 16, 3, 5, 15},
		{"nothing is left, and it should come today", example(0, expected(60, 0)), ActionExpedite, UrgencyCritical, -19, 0, 60, 50},
		{"the last one, and it should come today", example(1, expected(60, 0)), ActionNone, UrgencyLow, -20, 0, 61, 51},
		{"it comes on the day the stock ends", example(8, expected(40, 8)), ActionNone, UrgencyLow, -7, 0, 48, 38},
		// P(12) = 0 and supply on day 20: a gap that a new order could close, but enough is on order.
		{"a gap after the lead time", example(12, expected(60, 20)), ActionExpedite, UrgencyMedium, -31, 0, 12, 2},
		{"that is due today", example(10, expected(60, 20)), ActionExpedite, UrgencyHigh, -29, 0, 10, 0},
		// What comes after the horizon of 41 days hides nothing.
		{"supply in the far future", example(5, expected(1000, 42)), ActionOrder, UrgencyCritical, 36, 5, 5, 0},
		{"a new order was just placed", example(9, Supply{Quantity: 32, Ordered: &asOf}), ActionExpedite, UrgencyCritical, 0, 1, 9, 31},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := tt.article.Plan()
			require.Equal(t, tt.action, p.Action)
			require.Equal(t, tt.urgency, p.Urgency)
			require.InDelta(t, tt.raw, p.Raw, 1e-9)
			require.Equal(t, tt.late, p.LateByDays)
			require.Equal(t, tt.article.after(tt.empty), p.StockoutDate)
			require.Equal(t, tt.article.after(tt.orderBy), p.OrderBy)
		})
	}
}

func TestUnknownStock(t *testing.T) {
	t.Parallel()
	a := example(0, expected(5, 3))
	a.Available = nil
	p := a.Plan()
	require.Equal(t, Plan{
		Action: ActionNone, Urgency: UrgencyLow, PerDay: 1, Mean: 11, ReorderPoint: 11, TargetStock: 41, OnOrder: 5,
		NextArrival: a.after(3), LastArrival: a.after(3), EarliestArrival: a.after(10),
	}, p)
	require.Nil(t, a.Projection(10))
}

func TestNothingSells(t *testing.T) {
	t.Parallel()
	a := example(0)
	a.Demand.Velocity, a.Demand.SigmaDay2 = 0, 3
	p := a.Plan()
	require.Equal(t, Plan{Action: ActionNone, Urgency: UrgencyLow, EarliestArrival: a.after(10)}, p)

	a.Available = ptr(-3.0) // customers wait for 3
	p = a.Plan()
	require.Equal(t, ActionOrder, p.Action)
	require.Equal(t, UrgencyCritical, p.Urgency)
	require.InDelta(t, 3, p.Suggested, 0)
	require.Nil(t, p.StockoutDate)
	a.Supply = []Supply{expected(3, 4)}
	require.Equal(t, ActionExpedite, a.Plan().Action)

	a = example(2) // somebody wants 5 to be there all the same
	a.Demand.Velocity, a.Own.SafetyStock = 0, ptr(5.0)
	p = a.Plan()
	require.Equal(t, ActionOrder, p.Action)
	require.Equal(t, UrgencyHigh, p.Urgency)
	require.InDelta(t, 3, p.Suggested, 0)
}

func TestOwnValues(t *testing.T) {
	t.Parallel()
	a := example(14)
	require.Equal(t, ActionUpcoming, a.Plan().Action)

	// P(11) = 3 is below 4. Target 41 + 4.
	a.Own.SafetyStock = ptr(4.0)
	p := a.Plan()
	require.Equal(t, ActionOrder, p.Action)
	require.InDelta(t, 15, p.ReorderPoint, 0)
	require.InDelta(t, 31, p.Raw, 1e-9)

	// 14 is not below 14. The reorder point leaves 3 after a mean demand of 11.
	a.Own = Own{ReorderPoint: ptr(14.0)}
	p = a.Plan()
	require.Equal(t, ActionUpcoming, p.Action)
	require.Equal(t, a.AsOf+1, *p.OrderBy)
	require.InDelta(t, 14, p.ReorderPoint, 0)
	require.InDelta(t, 3, p.SafetyStock, 1e-9)
	require.InDelta(t, 44, p.TargetStock, 1e-9)
	a.Own.ReorderPoint = ptr(14.5)
	require.Equal(t, ActionOrder, a.Plan().Action)

	// A reorder point below the mean demand still orders before the stock is gone.
	a = example(10)
	a.Own.ReorderPoint = ptr(2.0)
	p = a.Plan()
	require.Equal(t, ActionOrder, p.Action)
	require.Zero(t, p.SafetyStock)

	// With both, the target covers both.
	a.Own = Own{SafetyStock: ptr(2.0), ReorderPoint: ptr(100.0)}
	p = a.Plan()
	require.InDelta(t, 2, p.SafetyStock, 0)
	require.InDelta(t, 41+89, p.TargetStock, 1e-9)

	a.Own = Own{CoverDays: ptr(5)}
	require.InDelta(t, 16, a.Plan().TargetStock, 1e-9)
}

func TestSupply(t *testing.T) {
	t.Parallel()
	ordered := func(ago int) *demand.Day { return ptr(asOf - demand.Day(ago)) }
	a := example(20,
		expected(1, 30),
		Supply{Quantity: 2, Ordered: ordered(4)},    // no day: lands on day 10 - 4 = 6
		Supply{Quantity: 4},                         // nothing known: day 10
		expected(8, 0),                              // today is not overdue
		expected(16, -1),                            // overdue: day 7
		expected(32, -60),                           // overdue by 60 days: day 7
		expected(64, -61),                           // by 61: ignored
		Supply{Quantity: 128, Ordered: ordered(71)}, // overdue by 61, too
		Supply{Quantity: 256, Ordered: ordered(11)}, // overdue by a day
		expected(-5, 3), expected(0, 3),             // nothing is open
	)
	in := a.incoming()
	require.Equal(t, []arrival{{0, 8}, {6, 2}, {7, 16}, {7, 32}, {7, 256}, {10, 4}, {30, 1}}, in.arrivals)
	p := a.Plan()
	require.InDelta(t, 511, p.OnOrder, 0)
	require.InDelta(t, 16+32+64+128+256, p.Overdue, 0)
	require.InDelta(t, 64+128, p.Ignored, 0)
	require.Equal(t, a.after(0), p.NextArrival)
	require.Equal(t, a.after(30), p.LastArrival)
	require.InDelta(t, 20+511-192, *p.DaysOfCoverInclOpen, 1e-9)
	require.InDelta(t, 41-20-319, p.Raw, 1e-9)
}

func TestZeroLeadTimeCoversADay(t *testing.T) {
	t.Parallel()
	a := example(0.5)
	a.Lead.Days, a.Rule.ReviewDays = 0, 0
	p := a.Plan()
	require.InDelta(t, 1, p.Mean, 0)
	require.Equal(t, ActionOrder, p.Action)
	require.Equal(t, UrgencyHigh, p.Urgency)
	require.Equal(t, asOf, *p.EarliestArrival)
}

// A lead time beyond the days that are searched must not hide that an order is due.
func TestLongLeadTime(t *testing.T) {
	t.Parallel()
	a := example(450)
	a.Lead.Days = 500
	p := a.Plan()
	require.Equal(t, ActionOrder, p.Action)
	require.Equal(t, UrgencyCritical, p.Urgency)
	require.Equal(t, 50, p.LateByDays)
}

// BenchmarkPlan plans articles with a season and supply.
func BenchmarkPlan(b *testing.B) {
	a := example(300, expected(20, 5), expected(20, 40))
	a.Demand.Index = demand.Index{0.5, 0.6, 0.8, 1, 1.2, 1.4, 1.5, 1.3, 1.1, 0.9, 0.9, 0.8}
	a.Demand.SigmaDay2, a.Tau2, a.Lead.Sigma = 2, 0.04, 2
	for b.Loop() {
		a.Plan()
	}
}

// BenchmarkReason says why.
func BenchmarkReason(b *testing.B) {
	a := views()
	p := a.Plan()
	for b.Loop() {
		a.Reason(p, "Acme")
	}
}
