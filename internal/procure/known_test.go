package procure

import (
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/playbook"
)

// TestLeadTimes takes the most particular lead time that is known, and plans with whole days of it.
func TestLeadTimes(t *testing.T) {
	t.Parallel()
	told := func(days string) *decimal.Decimal { return new(decimal.RequireFromString(days)) }
	article := learnt{demand.LeadTime{Days: 10.5, Sigma: 2, Deliveries: 3}, true}
	supplier := learnt{demand.LeadTime{Days: 20, Sigma: 5, Deliveries: 9}, true}
	unknown := learnt{demand.LeadTime{Days: 99}, false} // too few deliveries
	for _, tt := range []struct {
		name              string
		product           *decimal.Decimal
		article, supplier learnt
		told              *decimal.Decimal
		want              Lead
	}{
		{"the product's own", told("7"), article, supplier, told("30"), Lead{Days: 7, Sigma: 1.4, Source: LeadOfProduct}},
		{"zero is a lead time", told("0"), article, supplier, told("30"), Lead{Source: LeadOfProduct}},
		{"a part of a day is a day", told("7.01"), article, supplier, nil, Lead{Days: 8, Sigma: 0.2 * 7.01, Source: LeadOfProduct}},
		{"at most a year", told("1000"), article, supplier, nil, Lead{Days: 365, Sigma: 73, Source: LeadOfProduct}},
		{"learnt of the article, rounded up", nil, article, supplier, told("30"),
			Lead{Days: 11, Sigma: 2, Source: LeadOfArticle, Deliveries: 3, Slow: 10.5 + 2*1.036}},
		{"learnt of the supplier", nil, unknown, supplier, told("30"),
			Lead{Days: 20, Sigma: 5, Source: LeadLearnt, Deliveries: 9, Slow: 20 + 5*1.036}},
		{"what the supplier told", nil, unknown, unknown, told("30"), Lead{Days: 30, Sigma: 6, Source: LeadOfSupplier}},
		{"the default", nil, unknown, unknown, nil, Lead{Days: 14, Sigma: 2.8, Source: LeadOfConfig}},
	} {
		got := chooseLead(tt.product, tt.article, tt.supplier, tt.told, 14)
		require.InDelta(t, tt.want.Sigma, got.Sigma, 1e-9, tt.name)
		require.InDelta(t, tt.want.Slow, got.Slow, 1e-9, tt.name)
		got.Sigma, got.Slow = tt.want.Sigma, tt.want.Slow
		require.Equal(t, tt.want, got, tt.name)
	}
	require.Equal(t, 3, wholeDays(3+1e-12), "what adding up leaves is no day")
}

// TestSuppressedUntil says for how long a need that was turned down stays away: a rejection for 14 days here, and an order
// of less than suggested for 7.
func TestSuppressedUntil(t *testing.T) {
	t.Parallel()
	config := playbook.Config{RejectionCooldownDays: 14, ShortOrderCooldownDays: 7}
	calm := Plan{Raw: 10, Urgency: UrgencyHigh}
	for _, tt := range []struct {
		name  string
		kind  string
		ago   int // days since the decision
		until int // days from today to the day that was chosen; 0: none was
		asked float64
		plan  Plan
		want  int // days from today; 0: it is suggested now
	}{
		{"rejected today", Rejected, 0, 0, 10, calm, 14},
		{"dismissed 13 days ago", Dismissed, 13, 0, 10, calm, 1},
		{"dismissed 14 days ago", Dismissed, 14, 0, 10, calm, 0},
		{"ordered in part", Short, 0, 0, 10, calm, 7},
		{"ordered in part 6 days ago", Short, 6, 0, 10, calm, 1},
		{"ordered in part 7 days ago", Short, 7, 0, 10, calm, 0},
		{"the rest on a day", Short, 30, 5, 10, calm, 5},
		{"snoozed", Snoozed, 30, 1, 10, calm, 1},
		{"snoozed until yesterday", Snoozed, 3, -1, 10, calm, 0},
		{"grown by less than half", Rejected, 0, 0, 10, Plan{Raw: 14.9}, 14},
		{"grown by half", Rejected, 0, 0, 10, Plan{Raw: 15}, 0},
		{"nothing was missing, and nothing is", Rejected, 0, 0, 0, Plan{}, 14},
		{"nothing was missing, and something is", Rejected, 0, 0, 0, Plan{Raw: 0.1}, 0},
		{"critical now", Rejected, 0, 0, 10, Plan{Raw: 10, Urgency: UrgencyCritical}, 0},
	} {
		k := known{Article: Article{AsOf: asOf}, config: config, suppression: &q.ReadSuppressionsRow{Kind: tt.kind,
			Since: date(asOf - demand.Day(tt.ago)), RawQuantity: tt.asked}}
		if tt.until != 0 {
			k.suppression.Until = date(asOf + demand.Day(tt.until))
		}
		got := k.suppressedUntil(tt.plan)
		if tt.want == 0 {
			require.Nil(t, got, tt.name)
			continue
		}
		require.Equal(t, new(asOf+demand.Day(tt.want)), got, tt.name)
	}
	k := known{Article: Article{AsOf: asOf}, config: config, suppression: &q.ReadSuppressionsRow{Kind: Rejected, Since: date(asOf), Critical: true}}
	require.NotNil(t, k.suppressedUntil(Plan{Urgency: UrgencyCritical}), "it was critical already when it was rejected")
	k.suppression = nil
	require.Nil(t, k.suppressedUntil(calm))
}

// TestHorizonIncludesItsLastDay counts what arrives on the last day that an order is to last.
func TestHorizonIncludesItsLastDay(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 41-5-20, example(5, expected(20, 41)).Plan().Raw, 1e-9)
	require.InDelta(t, 41-5, example(5, expected(20, 42)).Plan().Raw, 1e-9)
}
