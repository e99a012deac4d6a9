package procure

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/plausible"
)

// TestImplausible names the number that cannot be true.
func TestImplausible(t *testing.T) {
	t.Parallel()
	require.Empty(t, views().implausible())
	for want, change := range map[string]func(*Article){
		"the stock, 1e+308, is not plausible":                         func(a *Article) { a.Available = ptr(1e308) },
		"the stock, -Inf, is not plausible":                           func(a *Article) { a.Available = ptr(math.Inf(-1)) },
		"the minimum order quantity, 2000000000000, is not plausible": func(a *Article) { a.MOQ = 2e12 },
		"the order multiple, NaN, is not plausible":                   func(a *Article) { a.Multiple = math.NaN() },
		"the safety stock, 1e+200, is not plausible":                  func(a *Article) { a.Own.SafetyStock = ptr(1e200) },
		"the reorder point, 1e+200, is not plausible":                 func(a *Article) { a.Own.ReorderPoint = ptr(1e200) },
		"the demand of a day, 1e+99, is not plausible":                func(a *Article) { a.Demand.Velocity = 1e99 },
		"the spread of the demand, +Inf, is not plausible":            func(a *Article) { a.Demand.SigmaDay2 = math.Inf(1) },
		"the spread of the lead time, NaN, is not plausible":          func(a *Article) { a.Lead.Sigma = math.NaN() },
		"the open quantity of order PO-7, 1e+308, is not plausible": func(a *Article) {
			a.Supply = append(a.Supply, Supply{OrderNo: "PO-7", Quantity: 1e308})
		},
		"a cover of more than 3650 days is not plausible": func(a *Article) { a.Own.CoverDays = ptr(plausible.LongestDays + 1) },
	} {
		a := views()
		change(&a)
		require.Equal(t, want, a.implausible())
	}
	a := views()
	a.Demand.SigmaDay2 = 1e20 // of quantities that can be true
	require.Empty(t, a.implausible())
}

// TestPlausibleIsFinite plans with the largest numbers that can be true: all figures are numbers, within a second.
func TestPlausibleIsFinite(t *testing.T) {
	t.Parallel()
	const most = plausible.Most
	a := example(-most, Supply{Quantity: most, Expected: ptr(day("9999-12-31"))}, Supply{Quantity: most, Ordered: ptr(day("0001-01-01"))})
	a.Demand = demand.Demand{Velocity: most, SigmaDay2: most * most, Index: demand.Index{4, 4, 4, 4, 4, 4, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2}}
	a.Tau2, a.Z, a.MOQ, a.Multiple = 0.16, 3, most, 0.001
	a.Own.CoverDays = ptr(plausible.LongestDays)
	require.Empty(t, a.implausible())
	began := time.Now()
	p := a.Plan()
	require.Less(t, time.Since(began), time.Second)
	r := row{DemandPerDay: p.PerDay, SafetyStock: p.SafetyStock, ReorderPoint: p.ReorderPoint, TargetStock: p.TargetStock, Raw: p.Raw,
		Suggested: p.Suggested, Overbuy: p.Overbuy, DaysOfCover: p.DaysOfCover, DaysOfCoverInclOpen: p.DaysOfCoverInclOpen}
	require.True(t, r.finite())
	require.NotEmpty(t, a.Reason(p, "Acme"))
}

// TestRowFinite refuses a row with a figure that is no number.
func TestRowFinite(t *testing.T) {
	t.Parallel()
	require.True(t, new(row{}).finite())
	require.False(t, new(row{MarginAtRisk: math.Inf(1)}).finite())
	require.False(t, new(row{DaysOfCover: ptr(math.NaN())}).finite())
}

// TestCountedAt believes no count of stock in the far past or the future.
func TestCountedAt(t *testing.T) {
	t.Parallel()
	at := func(text string) time.Time {
		moment, err := time.Parse(time.RFC3339, text)
		require.NoError(t, err)
		return moment
	}
	unknown := time.Unix(0, 0)
	for _, c := range []struct {
		reported, changed, want string
	}{
		{"", "", ""},
		{"2026-02-27T10:00:00Z", "", "2026-02-27T10:00:00Z"},
		{"2026-02-27T10:00:00Z", "2026-02-28T10:00:00Z", "2026-02-28T10:00:00Z"},
		{"2026-02-28T10:00:00Z", "2026-02-27T10:00:00Z", "2026-02-28T10:00:00Z"},
		{"9999-01-01T00:00:00Z", "2026-02-27T10:00:00Z", "2026-02-27T10:00:00Z"},
		{"0001-01-01T00:00:00Z", "9999-01-01T00:00:00Z", ""},
		{"2026-03-02T23:00:00Z", "", "2026-03-02T23:00:00Z"}, // tomorrow
		{"2026-03-04T23:00:00Z", "", ""},
		{"2026-03-02T23:00:00Z", "2026-03-01T09:00:00Z noted", "2026-03-01T09:00:00Z"}, // it came at nine
	} {
		k := known{Article: example(5), ReadQueueArticlesRow: q.ReadQueueArticlesRow{StockChangedAt: unknown,
			UpdatedAt: at("2026-03-01T09:00:00Z")}}
		if c.reported != "" {
			k.StockUpdatedAt = ptr(at(c.reported))
		}
		if changed, noted := strings.CutSuffix(c.changed, " noted"); changed != "" {
			k.StockChangedAt, k.StockReportNoted = at(changed), noted
		}
		got := ""
		if counted := k.countedAt(); counted != nil {
			got = counted.Format(time.RFC3339)
		}
		require.Equal(t, c.want, got)
	}
}
