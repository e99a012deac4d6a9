package sales

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRandomTraffic sends orders, lines, products and stock in any order from several senders,
// while two instances keep the figures. Afterwards they are what a rebuild computes from nothing,
// to the last digit, and a company without traffic has none.
func TestRandomTraffic(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	still := st.beside()
	still.order("o", "2026-03-02T10:00:00Z", nil)
	still.line("o", "o", 1, nil)
	still.keep()
	quiet := still.all()

	for i := range 2 {
		st.send("customers", map[string]any{"external_id": fmt.Sprintf("c%d", i)})
	}
	keeping, stop := context.WithCancel(t.Context())
	var keepers sync.WaitGroup
	for range 2 {
		instance := New(st.db.Cells, st.s.forecasts)
		keepers.Go(func() {
			for keeping.Err() == nil {
				if err := instance.Keep(keeping); err != nil && keeping.Err() == nil {
					t.Error(err)
				}
			}
		})
	}
	var senders sync.WaitGroup
	for seed := range uint64(4) {
		senders.Go(func() { st.traffic(rand.New(rand.NewPCG(20, seed)), 250) })
	}
	senders.Wait()
	require.NoError(t, st.records.PassNow(t.Context()))
	stop()
	keepers.Wait()
	st.keep()
	kept := st.all()

	for _, table := range append(figures, "sales_settings") {
		st.exec("DELETE FROM workspace."+table+" WHERE tenant_id = $1", st.tenant.ID)
	}
	st.keep()
	require.Equal(t, st.all(), kept)
	require.NoError(t, st.s.Rebuild(t.Context(), st.tenant.ID, st.tenant.Workspace))
	st.keep()
	require.Equal(t, kept, st.all(), "a rebuild in place")
	require.Equal(t, quiet, still.all(), "another company")
}

// traffic sends n random records about a few articles, orders and lines, so that most of them
// change what is there.
func (st *stage) traffic(random *rand.Rand, n int) {
	pick := func(values ...any) any { return values[random.IntN(len(values))] }
	moment := func() string {
		return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(random.IntN(60*24)) * time.Hour).Format(time.RFC3339)
	}
	id := func(of string, n int) string { return fmt.Sprintf("%s%d", of, random.IntN(n)) }
	for range n {
		switch random.IntN(5) {
		case 0:
			st.product(id("p", 8), map[string]any{
				"family": pick("Tea", "Coffee", nil), "category": pick("Drinks", nil),
				"sku": pick("S1", "S2", "S3", nil), "status": pick("active", "archived"),
				"stock_available": pick(0, 0, 3, 1.5, -1, nil), "stock_updated_at": moment(),
			})
		case 1, 2:
			st.order(id("o", 30), moment(), map[string]any{
				"customer_id": pick("c0", "c0", "c1", nil),
				"status":      pick("completed", "open", "cancelled", "draft"), "is_test": pick(nil, nil, true),
				"currency": pick("EUR", "USD"), "total": pick(7, 300), "base_total": pick(nil, 100),
			})
		default:
			st.line(id("l", 60), id("o", 30), pick(1, 2, 2.5, 0, 10), map[string]any{
				"variant_external_id": pick("p1", "p2", "p9", nil), "sku": pick("S1", "S2", "S9", nil),
				"returned_quantity": pick(nil, 1), "current_quantity": pick(nil, nil, 0, 1),
				"discount_amount": pick(nil, 0.35), "is_gift_card": pick(nil, nil, nil, true),
			})
		}
	}
}
