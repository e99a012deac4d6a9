package purchase_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/purchase"
)

// TestSync checks what the sync of a connection may do to lines, and how it is named.
func TestSync(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx, sync := t.Context(), auth.Connection(o.tenant.ID, o.tenant.Workspace, uuid.New(), time.UTC)

	t.Run("its actions are its own, and its lines have no maker here", func(t *testing.T) {
		lines, err := o.lines.DraftConfirmed(ctx, sync, []purchase.NewLine{wanted()})
		require.NoError(t, err)
		require.Empty(t, lines[0].CreatedBy.Type)
		moments, _, err := o.lines.Timeline(ctx, sync, lines[0].ID)
		require.NoError(t, err)
		require.Equal(t, sync.Actor, moments[0].By)
		_, err = o.lines.Submit(ctx, sync, refs(lines...))
		require.True(t, fault.Is(err, fault.Forbidden), "%v", err)
		ready, err := o.lines.Submit(ctx, o.maker, refs(lines...))
		require.NoError(t, err)
		_, err = o.lines.Approve(ctx, sync, refs(ready...))
		require.True(t, fault.Is(err, fault.Forbidden), "%v", err)
		_, err = o.lines.Approve(ctx, o.person(auth.Approver), refs(ready...))
		require.NoError(t, err)
	})
	t.Run("it books what has arrived", func(t *testing.T) {
		lines, err := o.lines.Receive(ctx, sync, delivery(o.in(purchase.Ordered), "4"))
		require.NoError(t, err)
		require.Equal(t, purchase.PartiallyReceived, lines[0].Status)
	})
	t.Run("records that it loads are stored as sent, and flagged", func(t *testing.T) {
		_, err := o.records.Write(ctx, ingest.Record{By: sync, Slug: "purchase_order_lines", RequestID: "test",
			Body: []byte(`{"external_id": "k-1", "order_no": "K-1", "sku": "TEA", "quantity_ordered": 10, "status": "draft"}`)})
		require.NoError(t, err)
		_, err = o.records.Write(ctx, ingest.Record{By: sync, Slug: "purchase_order_lines", RequestID: "test",
			Body: []byte(`{"external_id": "k-1", "order_no": "K-1", "sku": "TEA", "quantity_ordered": 10, "status": "ordered"}`)})
		require.NoError(t, err)
		line := o.stored(purchase.Line{ExternalID: "k-1"})
		require.Equal(t, purchase.Ordered, line.Status)
		require.Equal(t, &sync.Actor, line.OrderedOutside, "the sync ordered it, and nobody here")
		require.Equal(t, purchase.StatusJump, line.Flags[0].Kind)
		require.Nil(t, line.ApprovedBy)
	})
}
