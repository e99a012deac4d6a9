package purchase_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/plausible"
	"github.com/quayside/quayside/internal/purchase"
)

// outlier stores a price as it was stored before such prices were refused.
func (o *office) outlier(line purchase.Line) {
	o.t.Helper()
	o.exec("UPDATE workspace.purchase_order_lines SET price_per_unit = 98765431211434745.89 WHERE id = $1", line.ID)
}

// TestOutlier gives one of several lines a price that cannot be true. It is in no sum that people are shown, and they
// are told; it counts in full against limits and the budget.
func TestOutlier(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx, boss, approver := t.Context(), o.person(auth.CompanyAdmin), o.who[auth.Approver]
	lines, err := o.lines.DraftConfirmed(ctx, o.maker, []purchase.NewLine{wanted(), wanted()})
	require.NoError(t, err)
	lines, err = o.lines.Submit(ctx, o.maker, refs(lines...))
	require.NoError(t, err)
	o.outlier(lines[0])

	of := func() purchase.Order {
		t.Helper()
		order, err := o.lines.Order(ctx, approver, lines[0].OrderNo)
		require.NoError(t, err)
		listed, _, err := o.lines.Orders(ctx, approver, purchase.OrderFilter{}, purchase.ByNewest, page.All)
		require.NoError(t, err)
		require.Equal(t, []purchase.Order{order}, listed)
		numbered, err := o.lines.Numbered(ctx, approver, []string{order.OrderNo})
		require.NoError(t, err)
		require.Equal(t, listed, numbered)
		return order
	}
	order := of()
	require.EqualValues(t, 2, order.Lines)
	require.EqualValues(t, 1, order.LeftOut)
	require.Len(t, order.Totals, 1)
	require.Equal(t, "EUR 25", fmt.Sprint(order.Totals[0].Currency, " ", order.Totals[0].Amount))
	day, err := o.lines.Day(ctx, approver)
	require.NoError(t, err)
	require.EqualValues(t, 2, day.Pending.Lines)
	require.EqualValues(t, 1, day.Pending.LeftOut)
	require.Equal(t, "[{EUR 25}]", fmt.Sprint(day.Pending.Totals))

	require.NoError(t, o.lines.SetLimit(ctx, boss, approver.Person, "1000000", "EUR"))
	_, err = o.lines.Approve(ctx, approver, refs(o.now(lines[1])))
	require.True(t, fault.HasCode(err, "approval_limit"), "the whole order counts against the limit: %v", err)
	o.exec("UPDATE workspace.purchase_order_lines SET status = 'ordered', ordered_at = now()")
	deliveries, err := o.lines.Deliveries(ctx, approver)
	require.NoError(t, err)
	require.EqualValues(t, 2, deliveries.Undated.Lines)
	require.EqualValues(t, 1, deliveries.Undated.LeftOut)
	require.Equal(t, "[{EUR 25}]", fmt.Sprint(deliveries.Undated.Open))
	o.exec("UPDATE workspace.purchase_order_lines SET expected_arrival_date = current_date - 1")
	deliveries, err = o.lines.Deliveries(ctx, approver)
	require.NoError(t, err)
	require.EqualValues(t, 1, deliveries.Late.LeftOut)
	require.Equal(t, "[{EUR 25}]", fmt.Sprint(deliveries.Late.Open))
	order = of()
	require.Equal(t, "25", order.Totals[0].Expected.String())

	o.budget("100")
	var month purchase.Month
	require.NoError(t, o.db.InTenant(ctx, o.tenant.ID, func(tx pgx.Tx) error {
		month, err = purchase.ThisMonth(ctx, q.New(tx), o.tenant.ID, o.tenant.Workspace, time.Now())
		return err
	}))
	left, limited := month.Left()
	require.True(t, limited)
	require.True(t, left.IsZero(), "the line counts against the budget")
	require.EqualValues(t, 1, month.LeftOut.Lines)
	require.Equal(t, "25", month.Ordered.Sub(month.LeftOut.Ordered).String())
	_, err = o.lines.DraftConfirmed(ctx, o.who[auth.Agent], []purchase.NewLine{wanted()})
	require.True(t, fault.HasCode(err, "over_budget"), "%v", err)
}

// TestBelievedSums compares the sums of random orders, some lines of which cannot be true, with those of the lines.
func TestBelievedSums(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	random := rand.New(rand.NewPCG(38, 3))
	statuses := []purchase.Status{purchase.Draft, purchase.PendingApproval, purchase.Ordered, purchase.PartiallyReceived, purchase.Received,
		purchase.Cancelled}
	for n := range 60 {
		quantity, price := "7", "2.50"
		switch random.IntN(5) {
		case 0:
			quantity = "1e308"
		case 1:
			price = "98765431211434745.89"
		case 2:
			quantity, price = "2000000", "2000000"
		}
		o.exec(`INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, external_id, order_no, sku, status, quantity_ordered, quantity_received,
			price_per_unit, currency, supplier_id) VALUES ($1, $2, $3, $4, 'X', $5, $6::text::numeric, $7, $8::text::numeric, $9, $10)`, o.tenant.ID, o.tenant.Workspace,
			fmt.Sprint("x", n), fmt.Sprint("PO-", random.IntN(6)), statuses[random.IntN(len(statuses))], quantity, random.IntN(3), price,
			[]string{"EUR", "USD"}[random.IntN(2)], []any{nil, "sup-1"}[random.IntN(2)])
	}
	orders, _, err := o.lines.Orders(t.Context(), o.who[auth.Viewer], purchase.OrderFilter{}, purchase.ByNumber, page.All)
	require.NoError(t, err)
	require.Len(t, orders, 6)
	for _, order := range orders {
		lines, _, err := o.lines.Lines(t.Context(), o.who[auth.Viewer], order.OrderNo, page.All)
		require.NoError(t, err)
		want := map[string]purchase.Total{}
		leftOut := int64(0)
		for _, line := range lines {
			sum := want[*line.Currency]
			sum.Currency = *line.Currency
			if !plausible.Cost(line.QuantityOrdered, line.Price) {
				if line.Status != purchase.Cancelled {
					leftOut++
				}
			} else {
				if line.Status != purchase.Cancelled {
					sum.Amount = sum.Amount.Add(line.QuantityOrdered.Mul(*line.Price))
				}
				amounts := line.Amounts()
				for _, add := range []struct {
					to   *decimal.Decimal
					what decimal.Decimal
				}{{&sum.Ordered, amounts.Ordered}, {&sum.Received, amounts.Received}, {&sum.GivenUp, amounts.GivenUp}, {&sum.Expected, amounts.Expected}} {
					*add.to = add.to.Add(add.what)
				}
			}
			want[*line.Currency] = sum
		}
		require.Equal(t, leftOut, order.LeftOut, order.OrderNo)
		require.Len(t, order.Totals, len(want))
		for _, got := range order.Totals {
			sum := want[got.Currency]
			require.Equal(t, fmt.Sprint(sum.Amount, sum.Amounts), fmt.Sprint(got.Amount, got.Amounts), "%s %s", order.OrderNo, got.Currency)
		}
	}
}
