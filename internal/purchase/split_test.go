package purchase_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"
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

// TestSplitRaisesNothing tries to order more than was approved: a line is raised as far as the rules tolerate, all but the rise is
// split off, the part is raised again, and so on. Forty times that made 305 pieces in 41 lines out of 100 that were approved.
func TestSplitRaisesNothing(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx := t.Context()
	want := wanted()
	want.QuantityOrdered = set("100")
	drafted, err := o.lines.Draft(ctx, o.maker, []purchase.NewLine{want})
	require.NoError(t, err)
	line, boss := o.bring(drafted[0], purchase.Ordered), o.person(auth.CompanyAdmin)
	for range 40 {
		lines, err := o.lines.Edit(ctx, boss, refs(line)[0], purchase.Changes{QuantityOrdered: set("105")})
		require.NoError(t, err)
		if lines[0].Status != purchase.Ordered {
			break
		}
		lines, err = o.lines.Split(ctx, boss, refs(lines[0])[0], "100", "")
		require.NoError(t, err)
		if line = lines[1]; line.Status != purchase.Ordered {
			break
		}
	}
	require.Equal(t, []string{"5 ordered 5 approved by somebody", "100 pending_approval 0 approved by nobody"}, o.approvals(line.OrderNo),
		"100 and the tolerated 5 are the most that the approval covers")

	_, err = o.lines.Approve(ctx, boss, refs(line))
	require.True(t, fault.HasCode(err, "four_eyes"), "who split it does not approve it: %v", err)
	approved, err := o.lines.Approve(ctx, o.person(auth.Approver), refs(line))
	require.NoError(t, err)
	require.Equal(t, purchase.Ordered, approved[0].Status)
	o.consistent()
}

// approvals returns the lines of an order, and what was approved of each.
func (o *office) approvals(orderNo string) (found []string) {
	o.t.Helper()
	rows, err := o.admin.Query(o.t.Context(), `SELECT trim_scale(l.quantity_ordered)::text || ' ' || l.status || ' ' ||
		trim_scale(coalesce(a.approved_quantity, 0))::text || ' approved by ' || CASE WHEN l.approved_by IS NULL THEN 'nobody' ELSE 'somebody' END
		FROM workspace.purchase_order_lines l LEFT JOIN workspace.line_approvals a ON a.tenant_id = l.tenant_id AND a.line_id = l.id
		WHERE l.tenant_id = $1 AND l.order_no = $2 ORDER BY l.id`, o.tenant.ID, orderNo)
	require.NoError(o.t, err)
	found, err = pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(o.t, err)
	return found
}

// TestSplitIsJudged splits lines that were raised within the tolerance, or beyond it by an external system.
func TestSplitIsJudged(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx := t.Context()
	o.exec("UPDATE workspace.products SET order_multiple = 4 WHERE tenant_id = $1 AND id = 'prod-1'", o.tenant.ID)
	ordered := func(received, raisedTo string) purchase.Line {
		t.Helper()
		want := wanted()
		want.QuantityOrdered = set("100")
		drafted, err := o.lines.DraftConfirmed(ctx, o.maker, []purchase.NewLine{want})
		require.NoError(t, err)
		line := o.bring(drafted[0], purchase.Ordered)
		if received != "" {
			lines, err := o.lines.Receive(ctx, o.maker, delivery(line, received))
			require.NoError(t, err)
			line = lines[0]
		}
		if raisedTo != "" {
			lines, err := o.lines.Edit(ctx, o.maker, refs(line)[0], purchase.Changes{QuantityOrdered: &raisedTo})
			require.NoError(t, err)
			line = lines[0]
		}
		return line
	}
	for _, tt := range []struct{ name, received, raisedTo, part, first, second string }{
		{"as approved", "", "", "40", "60 ordered 60 approved by somebody", "40 ordered 40 approved by somebody"},
		{"as approved, no whole cartons", "", "", "37", "63 ordered 63 approved by somebody", "37 ordered 37 approved by somebody"},
		{"raised a little", "", "102", "50", "52 ordered 51 approved by somebody", "50 ordered 49 approved by somebody"},
		{"raised, in cartons", "", "105", "48", "57 ordered 56 approved by somebody", "48 pending_approval 0 approved by nobody"},
		{"lowered", "", "50", "20", "30 ordered 60 approved by somebody", "20 ordered 40 approved by somebody"},
		{"a part has arrived", "30", "105", "50", "55 partially_received 53 approved by somebody",
			"50 pending_approval 0 approved by nobody"},
	} {
		line := ordered(tt.received, tt.raisedTo)
		lines, err := o.lines.Split(ctx, o.maker, refs(line)[0], tt.part, "")
		require.NoError(t, err, tt.name)
		require.Equal(t, []string{tt.first, tt.second}, o.approvals(line.OrderNo), tt.name)
		require.Equal(t, "0", lines[1].QuantityReceived.String(), tt.name)
	}

	outside := ordered("", "")
	outside.QuantityOrdered = decimal.NewFromInt(200)
	require.NoError(t, o.send(outside, `"note": "more"`))
	_, err := o.lines.Split(ctx, o.maker, refs(o.now(outside))[0], "100", "")
	require.NoError(t, err)
	require.Equal(t, []string{"100 pending_approval 0 approved by nobody", "100 pending_approval 0 approved by nobody"},
		o.approvals(outside.OrderNo), "an external system raised the line, and a person's split does not pass that on as approved")
	partly := ordered("30", "")
	partly.QuantityOrdered = decimal.NewFromInt(200)
	require.NoError(t, o.send(partly, `"note": "more"`))
	_, err = o.lines.Split(ctx, o.maker, refs(o.now(partly))[0], "100", "")
	require.True(t, fault.HasCode(err, "partly_received"), "it cannot go back for approval: %v", err)
	o.consistent()
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

// TestAWaitingPartHoldsTheNeed splits an ordered line that answers a recommendation and was raised. Its part waits for approval
// again, and nobody drafts the need a second time meanwhile.
func TestAWaitingPartHoldsTheNeed(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx := t.Context()
	key := func(n int) string { return purchase.RecommendationKey(o.tenant.ID, "P1", purchase.Everywhere, n) }
	want := wanted()
	want.QuantityOrdered, want.RecommendationKey = set("100"), key(1)
	drafted, err := o.lines.Draft(ctx, o.maker, []purchase.NewLine{want})
	require.NoError(t, err)
	line := o.bring(drafted[0], purchase.Ordered)
	lines, err := o.lines.Edit(ctx, o.maker, refs(line)[0], purchase.Changes{QuantityOrdered: set("105")})
	require.NoError(t, err)
	lines, err = o.lines.Split(ctx, o.maker, refs(lines[0])[0], "50", "")
	require.NoError(t, err)
	require.Equal(t, []purchase.Status{purchase.Ordered, purchase.PendingApproval}, []purchase.Status{lines[0].Status, lines[1].Status})
	require.Equal(t, []string{key(1), key(2)}, []string{*lines[0].RecommendationKey, *lines[1].RecommendationKey})
	for n := 1; n <= 3; n++ {
		want.RecommendationKey = key(n)
		_, err = o.lines.DraftConfirmed(ctx, o.who[auth.Buyer], []purchase.NewLine{want})
		require.True(t, fault.HasCode(err, "recommendation_locked") || fault.HasCode(err, "recommendation_answered"), "number %d: %v", n, err)
	}
	o.consistent()
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
