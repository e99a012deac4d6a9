package ingest

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/pg/pgtest"
)

// TestSearchCost measures how much the search tokens slow down ingest. In QUAYSIDE_SEARCH_COST
// rounds, it sends the same records with and without the search triggers, and logs the ratio
// of the throughputs.
func TestSearchCost(t *testing.T) {
	rounds, _ := strconv.Atoi(os.Getenv("QUAYSIDE_SEARCH_COST"))
	if rounds == 0 {
		t.Skip("set QUAYSIDE_SEARCH_COST to a number of rounds, such as 9")
	}
	t.Parallel() // nothing runs beside it
	const writers, each = 64, 50
	s, db := newService(t)
	admin := db.Admin(t)
	st := stand{t, s, db, pgtest.NewTenant(t, db)}
	product := func(n int, more string) string {
		return fmt.Sprintf(`{"external_id":"%d","sku":"SKU-%07d-M","barcode":"%d","name":"Organic cotton shirt %d"%s}`,
			8_000_000_000+n, n, 4_006_381_000_000+n, n, more)
	}
	for _, part := range []struct {
		name, slug string
		body       func(record, round int) string
	}{
		{"new products", "products", func(n, round int) string { return product(n+1_000_000*(round+1), "") }},
		{"stock of known products", "products",
			func(n, round int) string { return product(n, fmt.Sprintf(`,"stock_on_hand":%d`, round)) }},
		{"new orders", "orders", func(n, round int) string {
			return fmt.Sprintf(`{"external_id":"%d-%d","order_number":"#%d","ordered_at":"2026-01-01T00:00:00Z","status":"open","currency":"EUR","total":1}`, round, n, n)
		}},
	} {
		turn := func(round int) float64 {
			var wait sync.WaitGroup
			start := time.Now()
			for writer := range writers {
				wait.Go(func() {
					for i := range each {
						_, err := s.Write(t.Context(),
							Record{By: st.by(), Slug: part.slug, Body: []byte(part.body(writer*each+i, round)), RequestID: "test"})
						if err != nil {
							t.Error(err)
						}
					}
				})
			}
			wait.Wait()
			return writers * each / time.Since(start).Seconds()
		}
		var ratios []float64
		for round := range rounds + 1 {
			var rate [2]float64
			for i := range 2 {
				on := (i + round) % 2 // the rounds alternate which one goes first
				_, err := admin.Exec(t.Context(),
					fmt.Sprintf("ALTER TABLE workspace.%s %s TRIGGER search_new, %[2]s TRIGGER search_changed", part.slug,
						[]string{"DISABLE", "ENABLE"}[on]))
				require.NoError(t, err)
				rate[on] = turn(2*round + i)
			}
			if round > 0 { // the first round creates the products and the cached plans
				ratios = append(ratios, rate[1]/rate[0])
			}
		}
		slices.Sort(ratios)
		t.Logf("%-24s median %.2f, from %.2f to %.2f", part.name, ratios[len(ratios)/2], ratios[0], ratios[len(ratios)-1])
	}
	// Records written without the triggers have no tokens, which the check after the test
	// would report.
	_, err := admin.Exec(t.Context(), `DELETE FROM workspace.search_tokens; INSERT INTO workspace.search_tokens
		SELECT tenant_id, workspace_id, 3, unnest(workspace.products_tokens(r)), id FROM workspace.products r UNION
		SELECT tenant_id, workspace_id, 5, unnest(workspace.orders_tokens(r)), id FROM workspace.orders r`)
	require.NoError(t, err)
}
