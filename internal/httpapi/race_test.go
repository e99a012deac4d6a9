package httpapi_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// together runs the functions at once and waits for all.
func together(functions ...func()) {
	var wait sync.WaitGroup
	start := make(chan struct{})
	for _, fn := range functions {
		wait.Go(func() {
			<-start
			fn()
		})
	}
	close(start)
	wait.Wait()
}

func TestEightClientsOneKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for round := range 10 {
		var (
			clients []func()
			results [8]string
		)
		for i := range results {
			clients = append(clients, func() {
				// Half of them send the same value, half a value of their own.
				got := w.post("suppliers", fmt.Sprintf(`{"external_id":"R%d","name":"Racer %d"}`, round, i%2*i))
				if got.status == http.StatusOK {
					results[i] = got.header.Get("Ingest-Result")
				}
			})
		}
		together(clients...)
		created := 0
		for _, result := range results {
			require.NotEmpty(t, result, "every client is answered 200")
			if result == "created" {
				created++
			}
		}
		require.Equal(t, 1, created)
	}
	require.Equal(t, []string{"10"}, w.read("workspace.suppliers", "count(*)", "1"))
	require.Equal(t, []string{"80 | 10"}, w.read("workspace.events", "count(*), count(DISTINCT subject)", "1"))
	require.Equal(t, []string{"0"}, w.read(`(SELECT s.id FROM workspace.suppliers s
		WHERE s.version <> (SELECT max(e.version) FROM workspace.events e WHERE e.subject = s.id)) lost`, "count(*)", "1"), "every row has its latest event")
}

// TestSimultaneousParents sends children and parents at the same moment: the second one links
// the two before both are answered.
func TestSimultaneousParents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const rounds = 40
	for i := range rounds {
		together(
			func() {
				w.post("order_line_items",
					fmt.Sprintf(`{"external_id":"I%d","order_id":"O%d","name":"x","quantity":1,"unit_price":1}`, i, i))
			},
			func() {
				w.post("orders", fmt.Sprintf(`{"external_id":"O%d","ordered_at":"2026-01-01","status":"open","currency":"EUR","total":1}`, i))
			},
			func() {
				w.post("purchase_order_lines",
					fmt.Sprintf(`{"external_id":"L%d","order_no":"1","sku":"SKU%d","quantity_ordered":1}`, i, i))
			},
			func() { w.post("products", fmt.Sprintf(`{"external_id":"P%d","sku":"SKU%d","name":"x"}`, i, i)) },
		)
		require.Equal(t, []string{fmt.Sprint(i + 1)},
			w.read("workspace.order_line_items WHERE order_id IS NOT NULL AND order_external_id IS NULL", "count(*)", "1"))
		require.Equal(t, []string{fmt.Sprint(i + 1)},
			w.read("workspace.purchase_order_lines WHERE product_name = 'x'", "count(*)", "1"))
	}
}
