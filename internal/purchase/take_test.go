package purchase_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/purchase"
)

// TestTake checks what another system says about lines: it is written as said, and nothing else is touched.
func TestTake(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx, sync := t.Context(), auth.Connection(o.tenant.ID, o.tenant.Workspace, uuid.New(), time.UTC)
	take := func(seen purchase.Line, taken ...purchase.Taken) (ids []string, err error) {
		err = o.db.InTenant(ctx, o.tenant.ID, func(tx pgx.Tx) error {
			ids, err = purchase.Take(ctx, tx, sync, seen.OrderNo, refs(seen), taken)
			return err
		})
		return ids, err
	}
	status := func(s purchase.Status) *purchase.Status { return &s }
	amount := func(text string) *decimal.Decimal {
		d := decimal.RequireFromString(text)
		return &d
	}
	day := func(n int) time.Time { return time.Date(2026, 11, n, 9, 0, 0, 0, time.UTC) }
	booked := func(quantity string, n int) purchase.Booking {
		return purchase.Booking{Quantity: *amount(quantity), At: day(n)}
	}
	ledger := func(id string) (rows []string) {
		found, err := o.admin.Query(ctx, `SELECT concat_ws(' ', trim_scale(quantity), received_at::date, actor ->> 'type')
			FROM workspace.receipts WHERE line_id = $1 ORDER BY version`, id)
		require.NoError(t, err)
		rows, err = pgx.CollectRows(found, pgx.RowTo[string])
		require.NoError(t, err)
		return rows
	}

	t.Run("nothing beyond the bound", func(t *testing.T) {
		line := o.in(purchase.Ordered)
		for _, one := range []purchase.Taken{
			{ID: line.ID, Quantity: amount("1e30")}, {ID: line.ID, Price: amount("1000000000001")},
			{ID: line.ID, Bookings: []purchase.Booking{booked("1e13", 2)}},
			{External: purchase.External{System: "katana", Line: "9"}, SKU: set("TEA"), Status: status(purchase.Ordered), Quantity: amount("1e13")},
		} {
			_, err := take(line, one)
			require.True(t, fault.HasCode(err, "range"), "%v", err)
			require.Equal(t, line.Version, o.stored(line).Version)
		}
	})
	t.Run("receipts with their dates, one row each, also negative ones", func(t *testing.T) {
		line := o.in(purchase.Ordered)
		_, err := take(line, purchase.Taken{ID: line.ID, Status: status(purchase.PartiallyReceived),
			Bookings: []purchase.Booking{booked("4", 2), booked("3", 5), booked("-2", 5)}})
		require.NoError(t, err)
		after := o.stored(line)
		require.Equal(t, purchase.PartiallyReceived, after.Status)
		require.Equal(t, "5", after.QuantityReceived.String())
		require.Equal(t, []string{"4 2026-11-02 sync", "3 2026-11-05 sync", "-2 2026-11-05 sync"}, ledger(line.ID))
		require.Equal(t, line.ApprovedBy, after.ApprovedBy)
		require.Equal(t, line.CreatedBy, after.CreatedBy)
		moments, _, err := o.lines.Timeline(ctx, sync, line.ID)
		require.NoError(t, err)
		require.Equal(t, sync.Actor, moments[0].By)

		_, err = take(after, purchase.Taken{ID: line.ID, Status: status(purchase.Received)})
		require.NoError(t, err)
		require.Equal(t, purchase.Received, o.stored(line).Status, "closed short")
		require.Equal(t, "5", o.stored(line).QuantityReceived.String())
	})
	t.Run("what was ordered elsewhere is flagged, and has no approval", func(t *testing.T) {
		line := o.in(purchase.PendingApproval)
		_, err := take(line, purchase.Taken{ID: line.ID, Status: status(purchase.Received), Bookings: []purchase.Booking{booked("10", 4)}})
		require.NoError(t, err)
		after := o.stored(line)
		require.Equal(t, purchase.Received, after.Status)
		require.Equal(t, day(4), after.ReceivedAt.UTC())
		require.Nil(t, after.ApprovedBy)
		require.Equal(t, &sync.Actor, after.OrderedOutside)
		require.Equal(t, purchase.Flag{ID: after.Flags[0].ID, Kind: purchase.StatusJump, From: purchase.PendingApproval,
			To: purchase.Ordered, At: after.Flags[0].At}, after.Flags[0])
	})
	t.Run("cancelled with what had arrived taken back, and reopened", func(t *testing.T) {
		line := o.in(purchase.PartiallyReceived)
		_, err := take(line, purchase.Taken{ID: line.ID, Status: status(purchase.Cancelled), Bookings: []purchase.Booking{booked("-4", 6)}})
		require.NoError(t, err)
		require.Equal(t, purchase.Cancelled, o.stored(line).Status)
		_, err = take(o.stored(line), purchase.Taken{ID: line.ID, Status: status(purchase.Ordered), Price: amount("9")})
		require.NoError(t, err)
		require.Equal(t, purchase.Ordered, o.stored(line).Status)
		require.Equal(t, "9", o.stored(line).Price.String())
	})
	t.Run("a new line beside it, whose key may be taken", func(t *testing.T) {
		line := o.in(purchase.Draft)
		fresh := purchase.Taken{External: purchase.External{System: "katana", Order: "8", Line: "11"}, Status: status(purchase.PartiallyReceived),
			SKU: set("TEA"), Product: set("prod-1"), Supplier: set("sup-1"), Quantity: amount("6"), Bookings: []purchase.Booking{booked("1", 3)}}
		for _, key := range []string{"katana:11", ""} {
			ids, err := take(line, fresh)
			require.NoError(t, err)
			if key == "" {
				key = fmt.Sprintf("katana:11:%s", ids[0])
			}
			require.Equal(t, purchase.PartiallyReceived, o.stored(purchase.Line{ExternalID: key}).Status)
			o.exec(`UPDATE workspace.purchase_order_lines SET order_no = 'elsewhere' WHERE id = $1`, ids[0])
		}
	})
	t.Run("nothing, if a person was faster", func(t *testing.T) {
		line := o.in(purchase.Ordered)
		_, err := o.lines.Edit(ctx, o.maker, refs(line)[0], purchase.Changes{Note: set("call first")})
		require.NoError(t, err)
		_, err = take(line, purchase.Taken{ID: line.ID, Price: amount("1")})
		require.True(t, fault.HasCode(err, purchase.CodeStale), "%v", err)
		_, err = take(purchase.Line{OrderNo: line.OrderNo}, purchase.Taken{ID: line.ID, Price: amount("1")})
		require.True(t, fault.HasCode(err, purchase.CodeStale), "a line that was not seen: %v", err)
		require.Equal(t, "2.5", o.stored(line).Price.String())
	})
}
