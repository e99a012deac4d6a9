package purchase_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/purchase"
)

// TestConfirm: what the rules allow is taken over, and what they do not stays, with its reason.
func TestConfirm(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx := t.Context()
	four := make([]purchase.NewLine, 4)
	for i, sku := range []string{"A", "B", "C", "D"} {
		four[i] = wanted()
		four[i].OrderNo, four[i].ProductID, four[i].SKU = set("PO-1"), nil, &sku
		four[i].QuantityOrdered, four[i].PricePerUnit, four[i].ExpectedArrivalDate = set("20"), set("2"), set("2026-12-01")
	}
	lines, err := o.lines.Draft(ctx, o.maker, four)
	require.NoError(t, err)
	_, err = o.lines.Confirm(ctx, o.maker, "PO-1", "", []purchase.Confirmed{{Ref: refs(lines[0])[0]}})
	require.True(t, fault.HasCode(err, "line_status"), "a draft is not confirmed: %v", err)
	lines, err = o.lines.Submit(ctx, o.maker, refs(lines...))
	require.NoError(t, err)
	lines, err = o.lines.Approve(ctx, o.who[auth.Approver], refs(lines...))
	require.NoError(t, err)

	said := make([]purchase.Confirmed, len(lines))
	for i, ref := range refs(lines...) {
		said[i] = purchase.Confirmed{Ref: ref, Quantity: "20", Price: "2.00", Expected: "2026-12-01"}
	}
	said[1].Quantity, said[1].Expected = "12", "2026-12-04"
	said[2].Price = "3"                          // beyond the rules
	said[3].Quantity, said[3].Price = "0", "1.9" // not delivered at all; the price alone is fine
	told, err := o.lines.Confirm(ctx, o.maker, "PO-1", " AB-4711 ", said)
	require.NoError(t, err)
	ordered := purchase.Terms{Quantity: "20", Price: "2", Expected: "2026-12-01"}
	require.Equal(t, purchase.Confirmation{Reference: "AB-4711", Lines: 4, Differences: []purchase.Deviation{
		{ID: lines[1].ID, SKU: "B", Currency: "EUR", Ordered: ordered,
			Confirmed: purchase.Terms{Quantity: "12", Price: "2", Expected: "2026-12-04"}},
		{ID: lines[2].ID, SKU: "C", Currency: "EUR", Ordered: ordered,
			Confirmed: purchase.Terms{Quantity: "20", Price: "3", Expected: "2026-12-01"}, Kept: []string{"price"},
			Why: "the rise needs an approval"},
		{ID: lines[3].ID, SKU: "D", Currency: "EUR", Ordered: ordered,
			Confirmed: purchase.Terms{Quantity: "0", Price: "1.9", Expected: "2026-12-01"}, Kept: []string{"quantity"},
			Why: "order more than zero, or cancel the line"},
	}}, told)
	var now []string
	for _, line := range lines {
		got, err := o.lines.Line(ctx, o.maker, line.ID)
		require.NoError(t, err)
		require.Equal(t, purchase.Ordered, got.Status, "no line leaves its status")
		now = append(now, got.QuantityOrdered.String()+" "+got.Price.String()+" "+got.ExpectedArrival.Format("01-02"))
	}
	require.Equal(t, []string{"20 2 12-01", "12 2 12-04", "20 2 12-01", "20 1.9 12-01"}, now)

	moments, _, err := o.lines.OrderTimeline(ctx, o.maker, "PO-1", page.All)
	require.NoError(t, err)
	require.Equal(t, "confirmation", moments[0].What)
	require.Contains(t, string(moments[0].Data), "AB-4711")
	require.Equal(t, lines[0].Version, must(o.lines.Line(ctx, o.maker, lines[0].ID)).Version, "what was confirmed as ordered is not written")

	_, err = o.lines.Confirm(ctx, o.maker, "PO-1", "", said)
	require.True(t, fault.Is(err, fault.Stale), "%v", err)
	_, err = o.lines.Confirm(ctx, o.maker, "PO-2", "", said[:1])
	require.True(t, fault.HasCode(err, "line_status"), "%v", err)
	_, err = o.lines.Confirm(ctx, o.who[auth.Viewer], "PO-1", "", said[:1])
	require.True(t, fault.Is(err, fault.Forbidden), "%v", err)
}

func must(line purchase.Line, err error) purchase.Line {
	if err != nil {
		panic(err)
	}
	return line
}
