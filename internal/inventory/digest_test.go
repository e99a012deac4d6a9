package inventory_test

import (
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/inventory"
	"github.com/quayside/quayside/internal/purchase"
)

func price(text string) *decimal.Decimal { p := dec(text); return &p }

func day(text string) *time.Time {
	d, err := time.Parse(time.DateOnly, text)
	if err != nil {
		panic(err)
	}
	return &d
}

// TestDigest compares an order with itself after one thing was changed.
func TestDigest(t *testing.T) {
	t.Parallel()
	lines := func() []inventory.Line {
		return []inventory.Line{
			{Status: purchase.PartiallyReceived, Variant: "7", Supplier: "2", Currency: "EUR", Quantity: dec("10"), Price: price("4"),
				Expected: day("2026-12-01"), Received: dec("3")},
			{Status: purchase.Ordered, Variant: "8", Supplier: "2", Currency: "EUR", Quantity: dec("5"), Price: price("1.50")},
		}
	}
	for _, tt := range []struct {
		name   string
		change func(theirs []inventory.Line) []inventory.Line
		want   []inventory.Difference
	}{
		{"nothing", func(l []inventory.Line) []inventory.Line { return l }, nil},
		{"the order of lines", func(l []inventory.Line) []inventory.Line { slices.Reverse(l); return l }, nil},
		{"how a number is written", func(l []inventory.Line) []inventory.Line { l[1].Price = price("1.500"); return l }, nil},
		{"a cancelled line", func(l []inventory.Line) []inventory.Line {
			return append(l, inventory.Line{Status: purchase.Cancelled, Variant: "9", Quantity: dec("1")})
		}, nil},
		{"a price", func(l []inventory.Line) []inventory.Line { l[1].Price = price("2"); return l },
			[]inventory.Difference{{"8", inventory.FieldPrice, "1.5", "2"}}},
		{"what arrived", func(l []inventory.Line) []inventory.Line { l[0].Received = dec("4"); return l },
			[]inventory.Difference{{"7", inventory.FieldReceipts, "3", "4"}}},
		{"a day", func(l []inventory.Line) []inventory.Line { l[1].Expected = day("2026-12-24"); return l },
			[]inventory.Difference{{"8", inventory.FieldExpected, "", "2026-12-24"}}},
		{"set back", func(l []inventory.Line) []inventory.Line { l[1].Status = purchase.Draft; return l },
			[]inventory.Difference{{"8", inventory.FieldStatus, "NOT_RECEIVED", "DRAFT"}}},
		{"a line less", func(l []inventory.Line) []inventory.Line { return l[:1] },
			[]inventory.Difference{{"8", inventory.FieldStatus, "NOT_RECEIVED", ""}}},
		{"a line more", func(l []inventory.Line) []inventory.Line {
			return append(l, inventory.Line{Status: purchase.Ordered, Variant: "9", Quantity: dec("1")})
		}, []inventory.Difference{{"9", inventory.FieldStatus, "", "NOT_RECEIVED"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ours, theirs := lines(), tt.change(lines())
			require.Equal(t, tt.want, inventory.Differences(ours, theirs))
			require.Equal(t, tt.want == nil, inventory.Digest(ours) == inventory.Digest(theirs))
		})
	}
	require.Empty(t, inventory.Digest(nil))
	closed := inventory.Line{Status: purchase.Received, Variant: "7", Quantity: dec("10"), Received: dec("8")}
	there := inventory.Fold(inventory.Order{State: inventory.Received, Rows: []inventory.Row{
		{ID: "1", Variant: "7", Group: "1", Quantity: dec("8"), Received: &time.Time{}}}})
	require.Equal(t, inventory.Digest([]inventory.Line{closed}), inventory.Digest([]inventory.Line{there[0].Line}),
		"closed short here, and given up there")
	pending, draft := inventory.Line{Status: purchase.PendingApproval}, inventory.Line{Status: purchase.Draft}
	require.Equal(t, inventory.Digest([]inventory.Line{pending}), inventory.Digest([]inventory.Line{draft}))
}
