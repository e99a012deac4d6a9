package purchase_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/purchase"
)

// TestSplit splits an ordered line, and compares what others count before and after.
func TestSplit(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx := t.Context()
	line := o.in(purchase.Ordered)
	costs := func() string {
		t.Helper()
		found, err := o.lines.Order(ctx, o.maker, line.OrderNo)
		require.NoError(t, err)
		return fmt.Sprint(found.Totals)
	}
	before := costs()

	for _, wrong := range []struct{ quantity, day, code string }{
		{"10", "2027-01-31", "quantity"}, {"0", "2027-01-31", "quantity"}, {"11", "", "quantity"}, {"some", "", "number"},
		{"4", "soon", "date"},
	} {
		_, err := o.lines.Split(ctx, o.maker, refs(line)[0], wrong.quantity, wrong.day)
		require.True(t, fault.HasCode(err, wrong.code), "%s on %s: %v", wrong.quantity, wrong.day, err)
	}

	lines, err := o.lines.Split(ctx, o.maker, refs(line)[0], "3.25", "2027-01-31")
	require.NoError(t, err)
	first, part := lines[0], lines[1]
	require.Equal(t, []string{"6.75", "3.25"}, []string{first.QuantityOrdered.String(), part.QuantityOrdered.String()})
	require.Equal(t, "2027-01-31", part.ExpectedArrival.Format(time.DateOnly))
	require.Nil(t, first.ExpectedArrival, "the first line keeps its day")
	require.Equal(t, []any{first.OrderNo, first.SKU, first.ProductID, first.SupplierID, first.Price, first.Currency, first.Status,
		first.ApprovedBy, first.ApprovedAt, first.OrderedAt, first.CreatedBy, first.ProductName},
		[]any{part.OrderNo, part.SKU, part.ProductID, part.SupplierID, part.Price, part.Currency, part.Status,
			part.ApprovedBy, part.ApprovedAt, part.OrderedAt, part.CreatedBy, part.ProductName})
	require.Empty(t, part.Flags)
	require.Equal(t, before, costs(), "an order costs the same")

	again, err := o.lines.Split(ctx, o.maker, refs(line)[0], "3.25", "2027-01-31")
	require.NoError(t, err, "the answer was lost, and the request is sent again")
	require.Equal(t, []string{first.ID, part.ID}, []string{again[0].ID, again[1].ID})
	_, err = o.lines.Split(ctx, o.maker, refs(line)[0], "3", "2027-01-31")
	require.True(t, fault.Is(err, fault.Stale), "another request on what was seen: %v", err)
	other := o.maker
	other.Workspace = other.Tenant
	_, err = o.lines.Split(ctx, other, refs(line)[0], "3.25", "2027-01-31")
	require.True(t, fault.Is(err, fault.NotFound), "another workspace: %v", err)

	_, err = o.lines.Edit(ctx, o.maker, refs(part)[0], purchase.Changes{QuantityOrdered: set("3.4")})
	require.NoError(t, err)
	_, err = o.lines.Split(ctx, o.maker, refs(line)[0], "3.25", "2027-01-31")
	require.True(t, fault.Is(err, fault.Stale), "somebody has changed the part: %v", err)
	more, err := o.lines.Edit(ctx, o.maker, refs(o.now(part))[0], purchase.Changes{QuantityOrdered: set("3.5")})
	require.NoError(t, err)
	require.Equal(t, purchase.PendingApproval, more[0].Status, "3.25 of it are approved")
}

// TestSplitDividesTheApproval checks that what was approved is divided with a line: neither of the two may grow to
// what was approved for both.
func TestSplitDividesTheApproval(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	lines, err := o.lines.Split(t.Context(), o.maker, refs(o.in(purchase.Ordered))[0], "4", "")
	require.NoError(t, err)
	for i, quantity := range []string{"6.31", "4.21"} { // 6 and 4, and a little more than five percent
		edited, err := o.lines.Edit(t.Context(), o.maker, refs(lines[i])[0], purchase.Changes{QuantityOrdered: &quantity})
		require.NoError(t, err)
		require.Equal(t, purchase.PendingApproval, edited[0].Status, quantity)
	}
}

// TestSplitHoldsTheNeed splits a draft that answers a recommendation. Whichever of the two is cancelled or
// ordered, nobody drafts the need again while the other waits; and what was suggested is divided.
func TestSplitHoldsTheNeed(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"the first is cancelled", "the part is cancelled", "the first is ordered"} {
		o := newOffice(t)
		ctx := t.Context()
		key := func(n int) string { return purchase.RecommendationKey(o.tenant.ID, "P1", purchase.Everywhere, n) }
		want := wanted()
		want.QuantityOrdered, want.RecommendationKey = set("80"), key(1)
		drafted, err := o.lines.Draft(ctx, o.maker, []purchase.NewLine{want})
		require.NoError(t, err)
		o.suggest(drafted[0], 100)
		lines, err := o.lines.Split(ctx, o.maker, refs(drafted...)[0], "30", "2027-01-31")
		require.NoError(t, err)
		require.Equal(t, []string{key(1), key(2)}, []string{*lines[0].RecommendationKey, *lines[1].RecommendationKey})
		require.Equal(t, []float64{70, 30}, []float64{o.suggested(lines[0]), o.suggested(lines[1])})

		switch end {
		case "the first is cancelled":
			_, err = o.lines.TakeBack(ctx, o.maker, refs(lines[0]), "not now")
		case "the part is cancelled":
			_, err = o.lines.TakeBack(ctx, o.maker, refs(lines[1]), "not now")
		case "the first is ordered":
			o.bring(lines[0], purchase.Ordered)
		}
		require.NoError(t, err, end)
		for n := 1; n <= 3; n++ {
			want.RecommendationKey = key(n)
			_, err = o.lines.DraftConfirmed(ctx, o.who[auth.Buyer], []purchase.NewLine{want})
			require.True(t, fault.HasCode(err, "recommendation_locked") || fault.HasCode(err, "recommendation_answered"),
				"%s, and number %d is drafted: %v", end, n, err)
		}
		o.consistent()
	}
}

// suggest keeps what was suggested when a line was drafted.
func (o *office) suggest(line purchase.Line, quantity int) {
	o.t.Helper()
	o.exec(`INSERT INTO workspace.line_suggestions (tenant_id, workspace_id, line_id, product_id, recommendation_key, as_of, action, urgency,
		raw_quantity, suggested_quantity, reason_text) VALUES ($1, $2, $3, 'prod-1', $4, current_date, 'order', 'soon', $5, $5, '')`,
		o.tenant.ID, o.tenant.Workspace, line.ID, line.RecommendationKey, quantity)
}

// suggested returns what was suggested when a line was drafted.
func (o *office) suggested(line purchase.Line) (quantity float64) {
	o.t.Helper()
	require.NoError(o.t, o.admin.QueryRow(o.t.Context(),
		"SELECT suggested_quantity FROM workspace.line_suggestions WHERE line_id = $1", line.ID).Scan(&quantity))
	return quantity
}
