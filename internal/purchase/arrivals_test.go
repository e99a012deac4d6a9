package purchase_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/purchase"
)

// TestDeliveries checks the value of what is still to come, the pages of what has no day, and how
// its suppliers are reached.
func TestDeliveries(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx, viewer := t.Context(), o.who[auth.Viewer]
	o.exec("UPDATE workspace.suppliers SET email = 'tea@example.com', phone = '+49 30 1234' WHERE tenant_id = $1", o.tenant.ID)
	yesterday := time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)
	late := o.in(purchase.PartiallyReceived) // 6 of 10 are to come
	_, err := o.lines.Reschedule(ctx, o.maker, refs(late), yesterday, "")
	require.NoError(t, err)
	dollars := purchase.Line{ExternalID: "x1", OrderNo: late.OrderNo, SKU: "CUP", QuantityOrdered: wantedQuantity}
	require.NoError(t, o.send(dollars, `"status": "ordered", "currency": "USD", "price_per_unit": 3, "expected_arrival_date": "`+yesterday+`"`))
	unpriced := purchase.Line{ExternalID: "x2", OrderNo: "N-1", SKU: "CUP", QuantityOrdered: wantedQuantity}
	require.NoError(t, o.send(unpriced, `"status": "ordered"`))
	first, second := o.in(purchase.Ordered), o.in(purchase.Ordered)

	got, err := o.lines.Deliveries(ctx, viewer)
	require.NoError(t, err)
	sum := func(part purchase.Part) map[string]string {
		sums := map[string]string{}
		for _, open := range part.Open {
			sums[open.Currency] = open.Amount.String()
		}
		return sums
	}
	require.Equal(t, [2]int64{1, 2}, [2]int64{got.Late.Orders, got.Late.Lines})
	require.Equal(t, map[string]string{"EUR": decimal.NewFromInt(15).String(), "USD": "30"}, sum(got.Late))
	require.Equal(t, [2]int64{3, 3}, [2]int64{got.Undated.Orders, got.Undated.Lines})
	require.Equal(t, map[string]string{"": "0", "EUR": "50"}, sum(got.Undated))
	require.Zero(t, got.Today.Lines+got.Soon.Lines+got.Later.Lines)

	undated, more, err := o.lines.Undated(ctx, viewer, page.Request{Most: 2})
	require.NoError(t, err)
	require.True(t, more)
	rest, more, err := o.lines.Undated(ctx, viewer, page.Request{Most: 2, After: uuid.MustParse(undated[1].ID)})
	require.NoError(t, err)
	require.False(t, more)
	undated = append(undated, rest...)
	require.Len(t, undated, 3)
	require.Equal(t, []string{"N-1", first.OrderNo, second.OrderNo},
		[]string{undated[0].OrderNo, undated[1].OrderNo, undated[2].OrderNo})

	contacts, err := o.lines.Contacts(ctx, viewer, undated)
	require.NoError(t, err)
	require.Equal(t, []purchase.Contact{{ID: "sup-1", Name: "Tea House", Email: "tea@example.com", Phone: "+49 30 1234"}},
		contacts)
}
