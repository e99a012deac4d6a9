package procure

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/playbook"
)

// TestSuppressedUntil checks until when a decision not to order holds a need back on day 100. The need was one of
// 20 when it was turned down; a refusal counts for 14 days, and the rest of a smaller order for 7.
func TestSuppressedUntil(t *testing.T) {
	t.Parallel()
	config := playbook.Config{RejectionCooldownDays: 14, ShortOrderCooldownDays: 7}
	high := Plan{Raw: 20, Urgency: UrgencyHigh}
	for name, tt := range map[string]struct {
		kind         string
		since, until demand.Day // until 0: no day was given
		critical     bool       // when it was decided
		now          Plan
		want         demand.Day // 0: it is not held back
	}{
		"dismissed today":                   {Dismissed, 100, 0, false, high, 114},
		"its last day":                      {Rejected, 87, 0, false, high, 101},
		"over today":                        {Rejected, 86, 0, false, high, 0},
		"snoozed until tomorrow":            {Snoozed, 90, 101, false, high, 101},
		"snoozed until today":               {Snoozed, 90, 100, false, high, 0},
		"the rest, as the rules say":        {Short, 95, 0, false, high, 102},
		"the rest, on its day":              {Short, 20, 130, false, high, 130},
		"grown by less than half":           {Dismissed, 100, 0, false, Plan{Raw: 29.9, Urgency: UrgencyHigh}, 114},
		"grown by half":                     {Dismissed, 100, 0, false, Plan{Raw: 30, Urgency: UrgencyHigh}, 0},
		"critical since":                    {Snoozed, 90, 101, false, Plan{Raw: 20, Urgency: UrgencyCritical}, 0},
		"critical when it was turned down":  {Snoozed, 90, 101, true, Plan{Raw: 20, Urgency: UrgencyCritical}, 101},
		"critical then, and grown by half":  {Snoozed, 90, 101, true, Plan{Raw: 30, Urgency: UrgencyCritical}, 0},
		"nothing is missing, as on the day": {Dismissed, 100, 0, false, Plan{Raw: -3, Urgency: UrgencyLow}, 114},
	} {
		k := known{Article: Article{AsOf: 100}, config: config, suppression: &q.ReadSuppressionsRow{Kind: tt.kind, Since: date(tt.since),
			RawQuantity: 20, Critical: tt.critical}}
		if tt.until > 0 {
			k.suppression.Until = date(tt.until)
		}
		if tt.now.Raw < 0 {
			k.suppression.RawQuantity = -3
		}
		until := k.suppressedUntil(tt.now)
		if tt.want == 0 {
			require.Nil(t, until, name)
			continue
		}
		require.NotNil(t, until, name)
		require.Equal(t, tt.want, *until, name)
	}
	none := &known{Article: Article{AsOf: 100}, config: config}
	require.Nil(t, none.suppressedUntil(high), "nobody decided anything")
	none.suppression = &q.ReadSuppressionsRow{Kind: Rejected, Since: date(100)}
	require.Nil(t, none.suppressedUntil(Plan{Raw: 0.1}), "nothing was missing, and something is")
}

// TestLineOfAPick checks what a line takes from the suggestion and what from the person who picks it. What another
// supplier asks for the article is not known.
func TestLineOfAPick(t *testing.T) {
	t.Parallel()
	arrives := time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC)
	row := Recommendation{Product: "p1", Supplier: "s1", Suggested: 37.5, Price: money("2.40"), Currency: "EUR", EarliestArrival: &arrives}
	text := func(value *string) string {
		if value == nil {
			return "-"
		}
		return *value
	}
	for name, tt := range map[string]struct {
		pick Pick
		want [5]string // quantity, supplier, price, currency, day
	}{
		"as suggested":          {Pick{}, [5]string{"37.5", "s1", "2.4", "EUR", "2026-03-09"}},
		"a smaller quantity":    {Pick{Quantity: new("12")}, [5]string{"12", "s1", "2.4", "EUR", "2026-03-09"}},
		"the same supplier":     {Pick{Supplier: new("s1")}, [5]string{"37.5", "s1", "2.4", "EUR", "2026-03-09"}},
		"another supplier":      {Pick{Supplier: new("s2")}, [5]string{"37.5", "s2", "-", "-", "2026-03-09"}},
		"another, at its price": {Pick{Supplier: new("s2"), Price: new("3"), Currency: new("USD")}, [5]string{"37.5", "s2", "3", "USD", "2026-03-09"}},
		"another price and day": {Pick{Price: new("2"), ArrivesOn: new("2026-04-01")}, [5]string{"37.5", "s1", "2", "-", "2026-04-01"}},
	} {
		line := tt.pick.line(row)
		require.Equal(t, "p1", *line.ProductID, name)
		require.Equal(t, tt.want, [5]string{text(line.QuantityOrdered), text(line.SupplierID), text(line.PricePerUnit),
			text(line.Currency), text(line.ExpectedArrivalDate)}, name)
	}
}
