package procure

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/test/property"
)

func TestReason(t *testing.T) {
	t.Parallel()
	change := func(a Article, f func(*Article)) Article {
		f(&a)
		return a
	}
	for _, tt := range []struct {
		name, supplier string
		article        Article
		want           string
	}{
		{"the whole arithmetic", "Acme", views(),
			"Sells 2.4 a day (5 empty days left out). 31 available, 0 on order: 13 days. " +
				"Acme needs 21 days (6 receipts, slow case 27). Empty on 14 Mar; a new order lands on 22 Mar. " +
				"Target 140, short by 109, rounded to 120 (minimum 24, case 12). Forecast error 28 %."},
		{"nothing is left", "Acme", example(0),
			"Sells 1 a day. 0 available, 0 on order: 0 days. Acme needs 10 days (as agreed). " +
				"Empty today; a new order lands on 11 Mar. Target 41, short by 41."},
		{"unknown stock", "Acme", change(example(0, expected(5, 3)), func(a *Article) { a.Available = nil }),
			"Sells 1 a day. Stock is unknown, 5 on order. Acme needs 10 days (as agreed). Target 41."},
		{"nothing sells", "Acme", change(example(3), func(a *Article) { a.Demand.Velocity = 0 }),
			"Sells nothing. 3 available, 0 on order. Acme needs 10 days (as agreed). Target 0, nothing to order."},
		{"customers wait", "Acme", change(example(-3), func(a *Article) { a.Demand.Velocity = 0 }),
			"Sells nothing. -3 available, 0 on order. Acme needs 10 days (as agreed). " +
				"Customers wait; a new order lands on 11 Mar. Target 0, short by 3."},
		{"seldom", "Acme", change(example(3), func(a *Article) { a.Demand.Velocity, a.EmptyDays = 0.02, 1 }),
			"Sells 0.6 in a month (1 empty day left out). 3 available, 0 on order: 150 days. " +
				"Acme needs 10 days (as agreed). Enough until 29 Jul. Target 0.8, nothing to order."},
		{"no supplier", "", change(example(300), func(a *Article) { a.Lead.Source = LeadOfConfig }),
			"Sells 1 a day. 300 available, 0 on order: 300 days. No supplier is set. A delivery takes 10 days (assumed). " +
				"Enough until 26 Dec. Target 41, nothing to order."},
		{"next year", "Acme", change(example(310), func(a *Article) { a.Lead.Source = LeadOfProduct }),
			"Sells 1 a day. 310 available, 0 on order: 310 days. Acme needs 10 days (set for the article). " +
				"Enough until 5 Jan 2027. Target 41, nothing to order."},
		{"for years", "Acme", example(5000),
			"Sells 1 a day. 5000 available, 0 on order: 5000 days. Acme needs 10 days (as agreed). " +
				"Enough for more than a year. Target 41, nothing to order."},
		{"due soon", "Acme", example(17),
			"Sells 1 a day. 17 available, 0 on order: 17 days. Acme needs 10 days (as agreed). " +
				"Enough until 18 Mar; order by 8 Mar. Target 41, short by 24."},
		{"overdue", "Acme", example(2, expected(3, -5), expected(4, -90), expected(1, 1)),
			"Sells 1 a day. 2 available, 8 on order (3 overdue, 4 overdue for too long to count on): 2 days, " +
				"6 with what is on order. Acme needs 10 days (as agreed). " +
				"Empty on 4 Mar; a new order lands on 11 Mar. Target 41, short by 35."},
		{"too old", "Acme", example(1, expected(4, -90)),
			"Sells 1 a day. 1 available, 4 on order (4 overdue for too long to count on): 1 day. " +
				"Acme needs 10 days (as agreed). Empty on 2 Mar; a new order lands on 11 Mar. Target 41, short by 40."},
		{"late", "Acme", example(5, expected(40, 8)),
			"Sells 1 a day. 5 available, 40 on order: 5 days, 45 with what is on order. Acme needs 10 days (as agreed). " +
				"Empty on 6 Mar, before the supply on order lands on 9 Mar: ask for it sooner. " +
				"Target 41, nothing to order."},
		{"due today", "Acme", example(0, expected(60, 0)),
			"Sells 1 a day. 0 available, 60 on order: 0 days, 60 with what is on order. Acme needs 10 days (as agreed). " +
				"Empty today, before the supply on order lands today: ask for it sooner. Target 41, nothing to order."},
		{"by weight", "Acme", change(example(0.25), func(a *Article) { a.Multiple, a.Demand.Velocity = 0.25, 0.11 }),
			"Sells 0.1 a day. 0.25 available, 0 on order: 2.3 days. Acme needs 10 days (as agreed). " +
				"Empty on 4 Mar; a new order lands on 11 Mar. Target 4.5, short by 4.3, rounded to 4.5 (case 0.25)."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			parts := tt.article.Reason(tt.article.Plan(), tt.supplier)
			require.Equal(t, tt.want, Text(parts))
		})
	}
}

func TestReasonParts(t *testing.T) {
	t.Parallel()
	a := views()
	text, err := json.Marshal(a.Reason(a.Plan(), "Acme")[:4])
	require.NoError(t, err)
	require.JSONEq(t, `[{"text":"Sells "},{"text":"2.4","of":"demand"},{"text":" a day ("},
		{"text":"5 empty days","of":"demand"}]`, string(text))
}

var number = regexp.MustCompile(`-?\d+(\.\d+)?`)

// Every number of a reason can be clicked, and is a number of the plan or of the article.
func TestNumbersOfTheReason(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		a := drawArticle(t)
		if rapid.Bool().Draw(t, "unknown") {
			a.Available = nil
		}
		a.EmptyDays = rapid.IntRange(0, 84).Draw(t, "empty days")
		a.Lead.Source = rapid.SampledFrom([]LeadSource{LeadOfArticle, LeadLearnt, LeadOfProduct, LeadOfConfig}).Draw(t, "source")
		a.Lead.Deliveries, a.Lead.Slow = 5, 12.34
		a.WAPE = ptr(0.333)
		p := a.Plan()
		known := knownNumbers(a, p)
		for _, part := range a.Reason(p, "Supplier No") {
			if part.Of == "" {
				require.NotRegexp(t, number, part.Text, "a number that cannot be clicked")
				require.NotContains(t, part.Text, "  ")
				continue
			}
			require.Equal(t, strings.TrimSpace(part.Text), part.Text)
			for _, n := range number.FindAllString(part.Text, -1) {
				require.True(t, slices.Contains(known[part.Of], n), "%s of %s is in no field: %v", n, part.Of, known[part.Of])
			}
		}
	})
}

// knownNumbers returns the numbers of the fields, by topic, as they are written.
func knownNumbers(a Article, p Plan) map[Topic][]string {
	known := map[Topic][]string{}
	estimate := func(of Topic, x float64) { known[of] = append(known[of], showEstimate(x)) }
	quantity := func(of Topic, x float64) { known[of] = append(known[of], showQuantity(x)) }
	date := func(of Topic, day *demand.Day) {
		if day != nil {
			known[of] = append(known[of], number.FindAllString(dateOf(*day).Format("2 Jan 2006"), -1)...)
		}
	}
	estimate(TopicDemand, p.PerDay)
	estimate(TopicDemand, 30*p.PerDay)
	quantity(TopicDemand, float64(a.EmptyDays))
	if a.Available != nil {
		quantity(TopicStock, *a.Available)
	}
	if p.DaysOfCover != nil {
		estimate(TopicStock, *p.DaysOfCover)
		estimate(TopicOpenOrders, *p.DaysOfCoverInclOpen)
	}
	quantity(TopicOpenOrders, p.OnOrder)
	quantity(TopicOpenOrders, p.Overdue-p.Ignored)
	quantity(TopicOpenOrders, p.Ignored)
	quantity(TopicLeadTime, float64(a.Lead.Days))
	quantity(TopicLeadTime, float64(a.Lead.Deliveries))
	estimate(TopicLeadTime, a.Lead.Slow)
	date(TopicStockout, p.StockoutDate)
	date(TopicArrival, p.EarliestArrival)
	date(TopicArrival, p.NextArrival)
	date(TopicArrival, p.OrderBy)
	estimate(TopicTarget, p.TargetStock)
	estimate(TopicTarget, p.Raw)
	quantity(TopicRounding, p.Suggested)
	quantity(TopicRounding, a.MOQ)
	quantity(TopicRounding, a.Multiple)
	quantity(TopicAccuracy, 33)
	return known
}
