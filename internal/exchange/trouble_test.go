package exchange_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/connection"
	"github.com/quayside/quayside/internal/exchange"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/inventory"
	"github.com/quayside/quayside/internal/purchase"
	standin "github.com/quayside/quayside/test/inventory"
)

// TestCutConnections cuts the connection at every call of an export, before and after it was carried out. However
// often it is repeated, there is one order.
func TestCutConnections(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{})
	for i, fault := range []standin.Fault{standin.CutBefore, standin.CutAfter, standin.Broken, standin.BrokenAfter} {
		number := fmt.Sprintf("PO-%d", 20+i)
		lines := w.ordered(number, "TEA", "CUP")
		w.there.Fail("POST /v1/purchase_orders", fault)
		outcome := w.compare(number, exchange.Waiting)
		require.Contains(t, []string{inventory.CodeUncertain, inventory.CodeUnreachable}, outcome.Code)
		require.Positive(t, outcome.Wait)
		w.compare(number, exchange.Synced)
		require.Len(t, w.orderThere(number).Rows, 2)

		_, err := w.lines.Receive(t.Context(), w.buyer, purchase.Delivery{Arrivals: []purchase.Arrival{
			{Ref: refs(w.stored(lines[0].ID))[0], Quantity: "4"}}})
		require.NoError(t, err)
		w.there.Fail("POST /v1/purchase_order_receive", fault)
		w.compare(number, exchange.Waiting)
		w.compare(number, exchange.Synced)
		require.Len(t, w.receipts(lines[0].ID), 1, "our own receipt comes back and is not booked again")
		require.Equal(t, "PARTIALLY_RECEIVED", w.orderThere(number).Status)
		require.Equal(t, []row{{"CUP", "ordered", "10", "0", "2.5", "2026-12-01"},
			{"TEA", "partially_received", "10", "4", "2.5", "2026-12-01"}}, w.here(number))
	}
}

// TestStopped ends the process while it waits for an answer. The order is free at once, and made once.
func TestStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{})
	w.ordered(order, "TEA")
	ctx, stop := context.WithCancel(t.Context())
	meddler := w.meddling(func(request string) {
		if request == "POST /v1/purchase_orders" {
			stop()
		}
	})
	w.abundant()
	outcome, err := meddler.Sync(ctx, w.sync, w.connection.ID, order)
	require.NoError(t, err)
	require.Equal(t, exchange.CodeStopped, outcome.Code)
	w.compare(order, exchange.Synced)
	require.Len(t, w.orderThere(order).Rows, 1)
}

// TestClaim leaves an order alone that is compared elsewhere, until that is given up.
func TestClaim(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{})
	w.ordered(order, "TEA")
	w.exec(`UPDATE workspace.exchange_orders SET claim = gen_random_uuid(), claimed_until = now() + interval '1 minute'`)
	_, err := w.Sync(t.Context(), w.sync, w.connection.ID, order)
	require.True(t, fault.HasCode(err, exchange.CodeBusy), "%v", err)
	w.exec(`UPDATE workspace.exchange_orders SET claimed_until = now() - interval '1 second'`)
	// Another instance claims it while this one is at work: this one writes nothing any more.
	meddler := w.meddling(func(request string) {
		if request == "GET /v1/purchase_orders" {
			w.exec(`UPDATE workspace.exchange_orders SET claim = gen_random_uuid()`)
		}
	})
	w.abundant()
	_, err = meddler.Sync(t.Context(), w.sync, w.connection.ID, order)
	require.True(t, fault.HasCode(err, exchange.CodeBusy), "%v", err)
	require.Nil(t, w.orderThere(order))
}

// TestFailures says what each error means for the order.
func TestFailures(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	t.Run("the budget of the other system is obeyed", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, standin.Options{Limit: 1, Per: time.Hour})
		w.ordered(order, "TEA")
		outcome := w.compare(order, exchange.Waiting)
		require.Equal(t, inventory.CodeLimited, outcome.Code)
		require.Greater(t, outcome.Wait, 50*time.Second)
		var attempts int
		require.NoError(t, w.admin.QueryRow(ctx, `SELECT count(*) FROM workspace.exchange_attempts`).Scan(&attempts))
		require.Zero(t, attempts, "waiting for a turn is no attempt")
	})
	t.Run("a refused token pauses the connection", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, standin.Options{})
		w.ordered(order, "TEA")
		_, err := w.connections.ReplaceToken(ctx, w.boss, w.connection.ID, "another-token")
		require.NoError(t, err)
		_, err = w.connections.Test(ctx, w.boss, w.connection.ID)
		require.NoError(t, err)
		_, err = w.connections.Resume(ctx, w.boss, w.connection.ID)
		require.NoError(t, err)
		w.compare(order, exchange.Waiting)
		found, err := w.connections.Get(ctx, w.boss, w.connection.ID)
		require.NoError(t, err)
		require.Equal(t, connection.Paused, found.State)
		require.Contains(t, found.PausedBecause, "token")
		_, err = w.Sync(ctx, w.sync, w.connection.ID, order)
		require.True(t, fault.HasCode(err, "connection_inactive"), "%v", err)
	})
	t.Run("an order that is refused has failed, with the reason", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, standin.Options{}, func(s *connection.Settings) { s.Location = "999" })
		w.ordered(order, "TEA")
		outcome := w.compare(order, exchange.Failed)
		require.Equal(t, inventory.CodeRefused, outcome.Code)
		require.Contains(t, outcome.Message, "location")
	})
	t.Run("a number that another order has holds ours", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, standin.Options{})
		w.foreign(order, "CUP")
		w.ordered(order, "TEA")
		outcome := w.compare(order, exchange.Held)
		require.Equal(t, inventory.CodeTaken, outcome.Code)
		w.hint(order, "")
		w.exec(`UPDATE workspace.exchange_orders SET external_id = $1`, fmt.Sprint(w.orderThere(order).ID))
		w.compare(order, exchange.Held)
		require.Len(t, w.here(order), 1, "also when a poll has found it")
		var external *string
		require.NoError(t, w.admin.QueryRow(ctx, `SELECT external_id FROM workspace.exchange_orders`).Scan(&external))
		require.Nil(t, external, "so that it is looked for by its number once it has another")
	})
	t.Run("a draft waits where drafts are refused", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, standin.Options{RefuseDraft: true})
		lines := w.draft(order, "TEA")
		outcome := w.compare(order, exchange.Held)
		require.Equal(t, inventory.CodeDraftRefused, outcome.Code)
		w.approve(lines)
		w.compare(order, exchange.Synced)
		require.Equal(t, "NOT_RECEIVED", w.orderThere(order).Status)
	})
	t.Run("what has no counterpart or is not complete is named", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, standin.Options{})
		lines := w.draft(order, "TEA")
		w.exec(`DELETE FROM workspace.exchange_ids WHERE kind = 'supplier'`)
		outcome := w.compare(order, exchange.Held)
		require.Equal(t, exchange.CodeSupplier, outcome.Code)
		require.Contains(t, outcome.Message, "Harbour Teas")
		w.exec(`INSERT INTO workspace.exchange_ids (tenant_id, connection_id, kind, ours, theirs, chosen_by)
			VALUES ($1, $2, 'supplier', 'sup-1', '2', '{}')`, w.boss.Tenant, w.connection.ID)
		w.exec(`UPDATE workspace.purchase_order_lines SET price_per_unit = NULL WHERE id = $1`, lines[0].ID)
		outcome = w.compare(order, exchange.Held)
		require.Equal(t, exchange.CodeIncomplete, outcome.Code)
		w.exec(`UPDATE workspace.purchase_order_lines SET price_per_unit = 3, sku = 'NEW', product_id = NULL WHERE id = $1`, lines[0].ID)
		outcome = w.compare(order, exchange.Held)
		require.Equal(t, exchange.CodeArticle, outcome.Code)
		require.Contains(t, outcome.Message, "NEW")
		require.Nil(t, w.orderThere(order))
	})
	t.Run("being unreachable never fails", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, standin.Options{Faults: standin.Plan{CutBefore: 1}})
		w.ordered(order, "TEA")
		last := time.Duration(0)
		for range 12 {
			last = w.compare(order, exchange.Waiting).Wait
		}
		require.Greater(t, last, 10*time.Minute)
		require.LessOrEqual(t, last, 20*time.Minute)
	})
}

// TestPersonMeanwhile changes a line while it is compared: after it was read, and after what was found is stored but not
// yet sent. The person's change is never lost, and nobody is asked about it.
func TestPersonMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{})
	line := w.ordered(order, "TEA")[0]
	edit := func(changes purchase.Changes) func() {
		return sync.OnceFunc(func() {
			_, err := w.lines.Edit(t.Context(), w.buyer, refs(w.stored(line.ID))[0], changes)
			require.NoError(t, err)
		})
	}
	price, day, looks := edit(purchase.Changes{PricePerUnit: text("2.4")}), edit(purchase.Changes{ExpectedArrivalDate: text("2026-12-24")}), 0
	meddler := w.meddling(func(request string) {
		switch request {
		case "GET /v1/variants": // between reading our lines and writing into them
			price()
		case "GET /v1/purchase_orders":
			if looks++; looks == 2 { // the last look before the order is made there
				day()
			}
		}
	})
	w.abundant()
	outcome, err := meddler.Sync(t.Context(), w.sync, w.connection.ID, order)
	require.NoError(t, err)
	require.Equal(t, exchange.Synced, outcome.State)
	require.GreaterOrEqual(t, looks, 2)
	require.Equal(t, "waiting", w.state(order), "it changed after it was read, so it is compared again")
	w.compare(order, exchange.Synced)
	require.Equal(t, []row{{"TEA", "ordered", "10", "0", "2.4", "2026-12-24"}}, w.here(order))
	there := w.orderThere(order).Rows[0]
	require.Equal(t, "2.4 2026-12-24", there.Price.String()+" "+there.Arrival.Format("2006-01-02"))
}

// TestTwoInstances lets two instances compare the same orders at once, over connections that are cut, while
// people receive on both sides. No order is made twice, and in the end both sides are equal.
func TestTwoInstances(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{})
	another, _ := w.instance()
	numbers, lines := []string{}, map[string]purchase.Line{}
	for i := range 6 {
		number := fmt.Sprintf("PO-%d", 100+i)
		numbers = append(numbers, number)
		lines[number] = w.ordered(number, "TEA", "CUP")[0]
	}
	w.there.SetPlan(standin.Plan{Seed: 7, CutBefore: 0.05, CutAfter: 0.1, Broken: 0.05})
	var working sync.WaitGroup
	for _, service := range []*exchange.Service{w.Service, another} {
		working.Go(func() {
			for range 4 {
				for _, number := range numbers {
					_, err := service.Sync(t.Context(), w.sync, w.connection.ID, number)
					if err != nil && !fault.HasCode(err, exchange.CodeBusy) {
						t.Errorf("%s: %v", number, err)
					}
				}
			}
		})
	}
	working.Go(func() {
		for _, number := range numbers {
			_, err := w.lines.Receive(t.Context(), w.buyer, purchase.Delivery{Over: true, Arrivals: []purchase.Arrival{
				{Ref: refs(w.stored(lines[number].ID))[0], Quantity: "3"}}})
			if err != nil && !fault.Is(err, fault.Stale) {
				t.Errorf("%v", err)
			}
			_ = w.there.Receive(number, "CUP", dec("2"), time.Now())
		}
	})
	working.Wait()
	w.there.SetPlan(standin.Plan{})
	for _, number := range numbers {
		w.hint(number, "")
		w.compare(number, exchange.Synced)
		there := w.orderThere(number)
		received := map[string]string{}
		for _, line := range w.here(number) {
			received[line.SKU] = line.Received
		}
		for _, row := range there.Rows {
			if row.ReceivedAt != nil {
				sku := map[int64]string{3: "TEA", 4: "CUP"}[row.Variant]
				require.Equal(t, received[sku], row.Quantity.String(), "%s %s", number, sku)
				delete(received, sku)
			}
		}
		for sku, rest := range received {
			require.Equal(t, "0", rest, "%s %s", number, sku)
		}
	}
}
