package purchase_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/purchase"
)

// TestFloorOfReceipts has an external system say less than people have booked.
func TestFloorOfReceipts(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx, boss := t.Context(), o.who[auth.CompanyAdmin]
	for _, by := range []auth.Principal{o.plain, o.trusted} {
		line := o.in(purchase.PartiallyReceived) // 4 of 10, which a person booked
		say := func(fields string, want string, dropped ...string) purchase.Line {
			t.Helper()
			outcome, err := o.tell(by, line, fields)
			require.NoError(t, err)
			require.Equal(t, dropped, outcome.Dropped, fields)
			now := o.now(line)
			require.Equal(t, want, now.QuantityReceived.String(), fields)
			return now
		}
		say(`"quantity_received": 7`, "7")
		now := say(`"quantity_received": 2`, "4", "quantity_received")
		require.Equal(t, purchase.PartiallyReceived, now.Status)
		require.Equal(t, []purchase.FlagKind{purchase.BelowFloor}, kinds(now))
		require.Equal(t, "2", now.Flags[0].Claimed.String())
		again := say(`"quantity_received": 2`, "4", "quantity_received")
		require.Len(t, again.Flags, 1, "a repeated claim is one flag")
		require.Equal(t, now.Version, again.Version)
		order, err := o.lines.Order(ctx, boss, line.OrderNo)
		require.NoError(t, err)
		require.EqualValues(t, 1, order.Flags)

		require.NoError(t, o.lines.SeeFlags(ctx, o.maker, line.ID))
		require.Empty(t, say(`"quantity_received": 2, "note": "again"`, "4", "quantity_received").Flags, "somebody has seen it")
		require.Len(t, say(`"quantity_received": 1`, "4", "quantity_received").Flags, 1, "another claim")
		more, err := o.lines.Receive(ctx, o.maker, delivery(o.now(line), "3"))
		require.NoError(t, err)
		require.NoError(t, o.lines.SeeFlags(ctx, o.maker, line.ID))
		require.Len(t, say(`"quantity_received": 1`, "7", "quantity_received").Flags, 1, "the same claim of what has arrived since")
		require.Equal(t, purchase.Received, say(`"quantity_received": 0, "status": "received"`, "7", "quantity_received").Status,
			"the status is the system's to say")

		_, err = o.lines.Correct(ctx, boss, refs(o.now(more[0]))[0], "2", "miscounted")
		require.NoError(t, err)
		say(`"quantity_received": 2`, "2")
		say(`"quantity_received": 1`, "2", "quantity_received")
		_, err = o.lines.Correct(ctx, boss, refs(o.now(line))[0], "0", "none came")
		require.NoError(t, err)
		say(`"quantity_received": 1`, "1")
		say(`"quantity_received": 0`, "0")
	}
	o.consistent()
}

// TestFloorIsOfPeople: what external systems and syncs booked is no floor, and what people take back of it lowers none.
func TestFloorIsOfPeople(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx, boss := t.Context(), o.who[auth.CompanyAdmin]
	say := func(line purchase.Line, quantity, want string) {
		t.Helper()
		_, err := o.tell(o.plain, line, `"quantity_received": `+quantity)
		require.NoError(t, err)
		require.Equal(t, want, o.now(line).QuantityReceived.String())
	}
	line := o.arrive(`"status": "ordered", "quantity_received": 6, ` + priced)
	_, err := o.lines.Correct(ctx, boss, refs(line)[0], "2", "miscounted")
	require.NoError(t, err)
	_, err = o.lines.Receive(ctx, o.maker, delivery(o.now(line), "3"))
	require.NoError(t, err)
	say(line, "5", "5")
	say(line, "0", "3")

	sync := auth.Connection(o.tenant.ID, o.tenant.Workspace, uuid.New(), time.UTC)
	synced, err := o.lines.Receive(ctx, sync, delivery(o.in(purchase.Ordered), "4"))
	require.NoError(t, err)
	say(synced[0], "1", "1")

	booked := o.in(purchase.PartiallyReceived) // 4, which a person booked
	_, err = o.records.Write(ctx, ingest.Record{By: sync, Slug: slug, RequestID: "test",
		Body: []byte(`{"external_id": "` + booked.ExternalID + `", "quantity_received": 3}`)})
	require.NoError(t, err)
	require.Equal(t, "3", o.now(booked).QuantityReceived.String(), "a sync keeps rules of its own")
	say(booked, "2", "3")
	say(booked, "9", "9")
	say(booked, "2", "4")
	o.consistent()
}

// TestFloorOfASplit: what was split off has no receipts, and so no floor.
func TestFloorOfASplit(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	lines, err := o.lines.Split(t.Context(), o.maker, refs(o.in(purchase.PartiallyReceived))[0], "2", "2027-01-31")
	require.NoError(t, err)
	for i, want := range []string{"4", "0"} {
		_, err := o.tell(o.plain, lines[i], `"quantity_received": 0, "note": "x"`)
		require.NoError(t, err)
		require.Equal(t, want, o.now(lines[i]).QuantityReceived.String())
	}
}

// TestFloorOfASimultaneousReceipt lets a person book a receipt while a system's record waits for the line, at another instance. The
// record was on its way when the line had no receipts of people.
func TestFloorOfASimultaneousReceipt(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	elsewhere := o.newRecords()
	for range 3 {
		line := o.arrive(`"status": "ordered", "quantity_received": 1, ` + priced)
		answered := make(chan ingest.Outcome, 1)
		require.NoError(t, o.db.InTenant(t.Context(), o.tenant.ID, func(tx pgx.Tx) error {
			// A person's receipt that is not committed yet: as Receive writes it.
			receipt := fmt.Sprintf(`{"actor": %s, "at": "2026-11-18T12:00:00Z", "note": ""}`, o.maker.Actor.JSON())
			for _, sql := range []string{
				"SELECT set_config('app.purchase', 'on', true)", "SELECT set_config('app.receipt', '" + receipt + "', true)",
				"UPDATE workspace.purchase_order_lines SET quantity_received = 6 WHERE id = '" + line.ID + "'",
			} {
				_, err := tx.Exec(t.Context(), sql)
				require.NoError(t, err)
			}
			go func() {
				for {
					outcome, err := elsewhere.Write(t.Context(), ingest.Record{By: o.plain, Slug: slug, RequestID: "test",
						Body: fmt.Appendf(nil, `{"external_id": %q, "quantity_received": 2}`, line.ExternalID)})
					if !notStored(err) {
						answered <- outcome
						return
					}
				}
			}()
			pgtest.AwaitWaiting(t, o.admin, 1)
			return nil
		}))
		outcome := <-answered
		require.Equal(t, []string{"quantity_received"}, outcome.Dropped)
		require.Equal(t, "5", o.now(line).QuantityReceived.String(), "1 was the system's own")
	}
	o.consistent()
}
