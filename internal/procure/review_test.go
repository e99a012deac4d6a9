package procure_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/procure"
	"github.com/quayside/quayside/internal/purchase"
)

// TestReview tells an approver what speaks for a line and against it, and what hinders them.
func TestReview(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.open()
	ctx, buyer, approver := t.Context(), st.by(auth.Buyer), st.by(auth.Approver)
	st.line("old-1", "TEA", "received", 10, map[string]any{"price_per_unit": "1.50", "currency": "EUR", "quantity_received": 10})
	st.line("old-2", "TEA", "received", 10, map[string]any{"price_per_unit": "1.60", "currency": "EUR", "quantity_received": 10})
	st.line("old-3", "TEA", "cancelled", 10, map[string]any{"price_per_unit": "9", "currency": "EUR"})
	st.line("old-4", "TEA", "received", 10, map[string]any{"price_per_unit": "9", "currency": "USD", "quantity_received": 10})
	st.follow()
	row := st.row("TEA")
	lines, err := st.queue.Draft(ctx, buyer, []procure.Pick{{Key: row.Key}}, true)
	require.NoError(t, err)
	order := lines[0].OrderNo
	review, err := st.queue.Review(ctx, approver, order)
	require.NoError(t, err)
	require.Empty(t, review.Lines, "it is a draft")
	submitted, err := st.lines.Submit(ctx, buyer, []purchase.Ref{{ID: lines[0].ID, Version: lines[0].Version}})
	require.NoError(t, err)

	review, err = st.queue.Review(ctx, approver, order)
	require.NoError(t, err)
	require.Len(t, review.Lines, 1)
	got := review.Lines[0]
	require.Equal(t, submitted[0].ID, got.ID)
	require.InDelta(t, row.Suggested, *got.Suggested, 0)
	require.NotEmpty(t, got.Reason)
	require.InDelta(t, *row.DaysOfCoverInclOpen, *got.CoverBefore, 1e-9)
	require.InDelta(t, max(0, *row.Available+row.OnOrder+row.Suggested)/row.PerDay, *got.CoverAfter, 1e-9)
	require.Equal(t, "1.6", got.Last.Price.String(), "neither the cancelled one nor dollars")
	require.Empty(t, review.Hindrance)

	own, err := st.queue.Review(ctx, buyer, order)
	require.NoError(t, err)
	require.Empty(t, own.Hindrance, "a buyer approves nothing anyway")
	admin := st.by(auth.CompanyAdmin)
	require.NoError(t, st.lines.SetLimit(ctx, admin, approver.Person, "1", "EUR"))
	review, err = st.queue.Review(ctx, approver, order)
	require.NoError(t, err)
	require.Contains(t, review.Hindrance, "your limit is EUR 1.00")
	promoted := buyer
	promoted.Role = auth.CompanyAdmin
	review, err = st.queue.Review(ctx, promoted, order)
	require.NoError(t, err)
	require.Equal(t, "you made this line; somebody else must approve it", review.Hindrance)

	_, err = st.queue.Review(ctx, approver, "PO-none")
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
}
