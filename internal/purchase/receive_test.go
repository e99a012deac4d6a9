package purchase_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/purchase"
)

// TestOwnReceiptSinceAnother checks that a buyer takes back only what they booked after the last receipt of somebody
// else: with more, it is not clear whose goods they take back.
func TestOwnReceiptSinceAnother(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx, buyer, other := t.Context(), o.who[auth.Buyer], o.maker
	line := o.in(purchase.Ordered)
	for _, receipt := range []struct {
		by       auth.Principal
		quantity string
	}{{buyer, "2"}, {other, "3"}, {buyer, "1"}} {
		lines, err := o.lines.Receive(ctx, receipt.by, delivery(line, receipt.quantity))
		require.NoError(t, err)
		line = lines[0]
	}
	_, err := o.lines.Correct(ctx, buyer, refs(line)[0], "4", "miscounted")
	require.True(t, fault.HasCode(err, "not_your_receipt"), "%v", err)
	require.ErrorContains(t, err, "you can take back 1:")
	_, err = o.lines.Correct(ctx, buyer, refs(line)[0], "5", "miscounted")
	require.NoError(t, err)
}

// TestReceiptsBeyondTheBound refuses a receipt whose sum with the others is beyond what a line can have received. The line
// stays as it is, and can still be changed.
func TestReceiptsBeyondTheBound(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx, buyer := t.Context(), o.who[auth.Buyer]
	most := wanted()
	most.QuantityOrdered = set("1000000000000")
	drafted, err := o.lines.DraftConfirmed(ctx, o.maker, []purchase.NewLine{most})
	require.NoError(t, err)
	line := o.bring(drafted[0], purchase.Ordered)
	of := func(quantity string) purchase.Delivery {
		booked := delivery(line, quantity)
		booked.Over = true
		return booked
	}
	_, err = o.lines.Receive(ctx, buyer, of("1000000000001"))
	require.ErrorContains(t, err, "1000000000001 is too much; give at most 1000000000000")
	lines, err := o.lines.Receive(ctx, buyer, of("600000000000"))
	require.NoError(t, err)
	line = lines[0]
	_, err = o.lines.Receive(ctx, buyer, of("600000000000"))
	require.ErrorContains(t, err, "1200000000000 is too much; give at most 1000000000000")
	require.Equal(t, "600000000000", o.stored(line).QuantityReceived.String())
	o.consistent()

	// A line from before there was a bound can be closed.
	line = o.in(purchase.Draft)
	o.exec("UPDATE workspace.purchase_order_lines SET quantity_ordered = 1e308 WHERE id = $1", line.ID)
	_, err = o.lines.Edit(ctx, o.maker, refs(o.now(line))[0], purchase.Changes{QuantityOrdered: set("1000000000001")})
	require.True(t, fault.HasCode(err, "range"), "%v", err)
	_, err = o.lines.Cancel(ctx, o.maker, refs(o.now(line)), "a mistake")
	require.NoError(t, err)
}
