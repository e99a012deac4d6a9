package purchase_test

import (
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/purchase"
)

func money(text string) decimal.Decimal { return decimal.RequireFromString(text) }

func TestAmounts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                                 string
		status                               purchase.Status
		quantity, came                       string
		ordered, received, givenUp, expected string
		short                                bool
	}{
		{"a draft is not ordered yet", purchase.Draft, "10", "0", "0", "0", "0", "0", false},
		{"nor is what waits for approval, even when some of it has come", purchase.PendingApproval, "10", "4", "0", "0", "0",
			"0", false},
		{"ordered", purchase.Ordered, "10", "0", "25", "0", "0", "25", false},
		{"a part has come", purchase.PartiallyReceived, "10", "4", "25", "10", "0", "15", false},
		{"all of it has come", purchase.Received, "10", "10", "25", "25", "0", "0", false},
		{"closed short", purchase.Received, "10", "4", "25", "10", "15", "0", true},
		{"closed short, and nothing came", purchase.Received, "10", "0", "25", "0", "25", "0", true},
		{"more came than was ordered", purchase.Received, "10", "12", "25", "30", "0", "0", false},
		{"more came, and an external system leaves it open", purchase.PartiallyReceived, "10", "12", "25", "30", "0", "0",
			false},
		{"cancelled, and some of it came", purchase.Cancelled, "10", "4", "0", "0", "0", "0", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			price := money("2.5")
			line := purchase.Line{Status: tt.status, QuantityOrdered: money(tt.quantity), QuantityReceived: money(tt.came),
				Price: &price}
			a := line.Amounts()
			require.Equal(t, []string{tt.ordered, tt.received, tt.givenUp, tt.expected},
				[]string{a.Ordered.String(), a.Received.String(), a.GivenUp.String(), a.Expected.String()})
			require.Equal(t, tt.short, line.ClosedShort())
			over := decimal.Max(a.Received.Sub(a.Ordered), decimal.Zero)
			require.True(t, a.Ordered.Add(over).Equal(a.Received.Add(a.GivenUp).Add(a.Expected)),
				"nothing is lost, and nothing counts twice")
			line.Price = nil
			require.Equal(t, purchase.Amounts{}, line.Amounts(), "without a price there is no amount")
		})
	}
}

// TestTotals checks that the totals that PostgreSQL keeps of an order are the sums of its
// lines' amounts.
func TestTotals(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for i, status := range purchase.Statuses() {
		for j, came := range []int{0, 4, 10, 12} {
			o.exec(`INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, external_id, order_no, sku, status, quantity_ordered, quantity_received, price_per_unit, currency)
				VALUES ($1, $2, gen_random_uuid(), 'ALL', 'TEA', $3, 10, $4, $5, $6)`,
				o.tenant.ID, o.tenant.Workspace, status, came, []any{"2.5", nil, "0.01"}[(i+j)%3], []any{"EUR", "USD", nil}[j%3])
		}
	}
	order, err := o.lines.Order(t.Context(), o.who[auth.Viewer], "ALL")
	require.NoError(t, err)
	lines, _, err := o.lines.Lines(t.Context(), o.who[auth.Viewer], "ALL", page.All)
	require.NoError(t, err)
	require.Len(t, order.Totals, 3)
	for _, total := range order.Totals {
		var (
			want   purchase.Amounts
			amount decimal.Decimal
		)
		for _, line := range lines {
			if currency := line.Currency; currency == nil && total.Currency == "" || currency != nil &&
				*currency == total.Currency {
				one := line.Amounts()
				want = purchase.Amounts{Ordered: want.Ordered.Add(one.Ordered), Received: want.Received.Add(one.Received),
					GivenUp: want.GivenUp.Add(one.GivenUp), Expected: want.Expected.Add(one.Expected)}
				if line.Status != purchase.Cancelled && line.Price != nil {
					amount = amount.Add(line.Price.Mul(line.QuantityOrdered))
				}
			}
		}
		require.Equal(t, texts(want), texts(total.Amounts), total.Currency)
		require.Equal(t, amount.StringFixed(4), total.Amount.StringFixed(4), "%s: all lines but the cancelled ones", total.Currency)
	}
}

func texts(a purchase.Amounts) []string {
	return []string{a.Ordered.StringFixed(4), a.Received.StringFixed(4), a.GivenUp.StringFixed(4),
		a.Expected.StringFixed(4)}
}

func TestOrdersCountWhatWasClosedShort(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, line := range []struct{ order, sku, came string }{{"A", "X1", "1"}, {"A", "X2", "2"}, {"B", "X1", "2"}} {
		o.line(line.order, line.sku, "received", "sup-1", "Tea House", "1")
		o.exec("UPDATE workspace.purchase_order_lines SET quantity_received = $2 WHERE tenant_id = $1 AND order_no = $3 AND sku = $4", o.tenant.ID, money(line.came), line.order, line.sku)
		o.exec("UPDATE workspace.purchase_order_lines SET status = 'received' WHERE tenant_id = $1", o.tenant.ID)
	}
	viewer := o.who[auth.Viewer]
	orders, _, err := o.lines.Orders(t.Context(), viewer, purchase.OrderFilter{ClosedShort: true}, purchase.ByNewest,
		page.All)
	require.NoError(t, err)
	require.Len(t, orders, 1)
	require.Equal(t, "A", orders[0].OrderNo)
	require.Equal(t, int64(1), orders[0].ClosedShort)
	require.Equal(t, int64(2), orders[0].ByStatus[purchase.Received], "the stored status is received")
	counts, err := o.lines.Counts(t.Context(), viewer)
	require.NoError(t, err)
	require.Equal(t, int64(1), counts.ClosedShort)
}
