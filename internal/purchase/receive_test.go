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
