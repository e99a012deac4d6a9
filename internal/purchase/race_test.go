package purchase_test

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/purchase"
)

// rounds is how many races are run, over all kinds: QUAYSIDE_RACES=10000 for a long run.
func rounds(t *testing.T) int {
	t.Helper()
	if text := os.Getenv("QUAYSIDE_RACES"); text != "" {
		n, err := strconv.Atoi(text)
		require.NoError(t, err)
		return n
	}
	return 200
}

const racers = 8

// race has all racers act at once and counts who succeeded. The others must have been refused;
// any other error fails the test.
func race(t *testing.T, do func(racer int) error) (won int) {
	t.Helper()
	var (
		racing sync.WaitGroup
		mu     sync.Mutex
		start  = make(chan struct{})
	)
	for racer := range racers {
		racing.Go(func() {
			<-start
			err := do(racer)
			for notStored(err) {
				err = do(racer)
			}
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won++
				return
			}
			if !fault.Is(err, fault.Stale) && !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.Forbidden) &&
				!fault.Is(err, fault.Invalid) {
				t.Errorf("neither done nor refused: %v", err)
			}
		})
	}
	close(start)
	racing.Wait()
	return won
}

// notStored reports whether an external system was told that nothing was stored, and to try again,
// because the machine is busy. People are never told so.
func notStored(err error) bool {
	return fault.HasCode(err, "row_locked") || fault.HasCode(err, "waited_too_long")
}

// TestRaces has eight clients at a time act on one line. Nothing is ordered twice, approved by
// its maker, or received without a receipt.
func TestRaces(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx := t.Context()
	kinds := []func(int){
		func(int) { // approve and approve
			line := o.in(purchase.PendingApproval)
			require.Equal(t, 1, race(t, func(int) error {
				_, err := o.lines.Approve(ctx, o.person(auth.Approver), refs(line))
				return err
			}))
		},
		func(int) { // approve and edit: the approved values are the ones that were seen
			line := o.in(purchase.PendingApproval)
			race(t, func(racer int) error {
				if racer%2 == 0 {
					_, err := o.lines.Approve(ctx, o.person(auth.Approver), refs(line))
					return err
				}
				_, err := o.lines.Edit(ctx, o.person(auth.Buyer), refs(line)[0], purchase.Changes{PricePerUnit: set("1000")})
				return err
			})
			now, err := o.lines.Line(ctx, o.maker, line.ID)
			require.NoError(t, err)
			require.Equal(t, now.Status == purchase.Ordered, now.Price.String() == "2.5", "%s at %s", now.Status, now.Price)
		},
		func(round int) { // two drafts for one recommendation
			article := fmt.Sprintf("raced-%d", round)
			o.exec("INSERT INTO workspace.products (tenant_id, workspace_id, id, external_id, sku, name) VALUES ($1, $2, $3, $3, $3, 'Raced')", o.tenant.ID, o.tenant.Workspace, article)
			wanted := wanted()
			wanted.ProductID, wanted.RecommendationKey = &article,
				purchase.RecommendationKey(o.tenant.ID, article, purchase.Everywhere, 1)
			require.Equal(t, 1, race(t, func(racer int) error {
				by := o.maker
				if racer%2 == 0 {
					by = o.who[auth.Agent]
				}
				_, err := o.lines.DraftConfirmed(ctx, by, []purchase.NewLine{wanted})
				if err != nil {
					require.ErrorContains(t, err, "on its way already", "it names the line that holds the lock")
				}
				return err
			}))
		},
		func(int) { // receive and receive
			line := o.in(purchase.Ordered)
			require.Equal(t, 1, race(t, func(int) error {
				_, err := o.lines.Receive(ctx, o.person(auth.Buyer), delivery(line, "3"))
				return err
			}))
		},
		func(int) { // receive in the app and by an external system, which counts from the start
			line := o.in(purchase.Ordered)
			race(t, func(racer int) error {
				if racer%2 == 0 {
					_, err := o.lines.Receive(ctx, o.person(auth.Buyer), delivery(line, "3"))
					return err
				}
				return o.send(line, fmt.Sprintf(`"quantity_received": %d`, racer))
			})
		},
		func(int) { // an external system's statuses during a person's edits: neither is lost
			line := o.in(purchase.Draft)
			edited := make(chan bool, racers)
			race(t, func(racer int) error {
				if racer > 1 {
					return o.send(line, fmt.Sprintf(`"status": %q`, purchase.Statuses()[racer-2]))
				}
				_, err := o.lines.Edit(ctx, o.person(auth.Buyer), refs(line)[0], purchase.Changes{Note: set("kept")})
				edited <- err == nil
				return err
			})
			if one, two := <-edited, <-edited; one || two {
				now, err := o.lines.Line(ctx, o.maker, line.ID)
				require.NoError(t, err)
				require.NotNil(t, now.Note)
				require.Equal(t, "kept", *now.Note)
			}
		},
		func(int) { // every way of writing one pending line: what is ordered is what was approved
			line := o.in(purchase.PendingApproval)
			buyer, approver := o.person(auth.Buyer), o.person(auth.Approver)
			race(t, func(racer int) (err error) {
				switch racer {
				case 0:
					return o.file(buyer, line, `"status": "ordered"`)
				case 1:
					return o.file(buyer, line, `"price_per_unit": 1000`)
				case 2:
					return o.correct(buyer, line, `"price_per_unit": 2000, "quantity_received": 0`)
				case 3:
					return o.correct(buyer, line, `"quantity_received": 5`)
				case 4:
					return o.cell(buyer, line, `"note": "by boat"`)
				case 5:
					_, err = o.lines.Edit(ctx, buyer, refs(line)[0], purchase.Changes{PricePerUnit: set("3000")})
				default:
					_, err = o.lines.Approve(ctx, approver, refs(line))
				}
				return err
			})
			now := o.now(line)
			require.Contains(t, []purchase.Status{purchase.Draft, purchase.PendingApproval, purchase.Ordered}, now.Status)
			require.Empty(t, now.Flags)
			if now.Status == purchase.Ordered {
				require.Equal(t, "2.5", now.Price.String())
			}
			require.Equal(t, now.Status == purchase.Ordered, now.ApprovedBy != nil)
		},
		func(int) { // one new line in several files at once becomes one draft
			line := fresh()
			race(t, func(racer int) error {
				return o.file(o.person(auth.Buyer), line,
					fmt.Sprintf(`"price_per_unit": %d, "status": %q`, racer, purchase.Statuses()[racer%2]))
			})
			require.Equal(t, purchase.Draft, o.stored(line).Status)
		},
		func(round int) { // split and split, split and receive, in two services: no piece is lost or made
			line := o.in([]purchase.Status{purchase.Ordered, purchase.PartiallyReceived}[round%2])
			services := []*purchase.Service{o.lines, purchase.New(o.db.Cells)}
			require.Equal(t, 1, race(t, func(racer int) error {
				service := services[racer%2]
				if racer < 2 {
					_, err := service.Receive(ctx, o.person(auth.Buyer), delivery(line, "5"))
					return err
				}
				_, err := service.Split(ctx, o.person(auth.Buyer), refs(line)[0], fmt.Sprint(racer-1, ".5"), "2027-01-31")
				return err
			}))
			ordered, received := o.sumOf(line.OrderNo)
			require.Equal(t, "10", ordered.String())
			require.Equal(t, o.now(line).QuantityReceived.String(), received.String())
		},
	}
	for round := range rounds(t) {
		kinds[round%len(kinds)](round)
	}
	o.consistent()
}

// sumOf returns how many pieces an order's lines have, and how many of them have arrived.
func (o *office) sumOf(orderNo string) (ordered, received decimal.Decimal) {
	o.t.Helper()
	require.NoError(o.t, o.admin.QueryRow(o.t.Context(), `SELECT sum(quantity_ordered), sum(quantity_received)
		FROM workspace.purchase_order_lines WHERE tenant_id = $1 AND order_no = $2`, o.tenant.ID, orderNo).Scan(&ordered, &received))
	return ordered, received
}
