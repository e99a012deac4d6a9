package procure

import (
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/demand"
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

// TestHorizonIncludesItsLastDay counts what arrives on the last day that an order is to last.
func TestHorizonIncludesItsLastDay(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 41-5-20, example(5, expected(20, 41)).Plan().Raw, 1e-9)
	require.InDelta(t, 41-5, example(5, expected(20, 42)).Plan().Raw, 1e-9)
}
