package service_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/test/rig"
)

// sale returns the records of an order with one line, one time the order first and one time the
// line.
func sale(id string, day int) [][2]string {
	at := time.Date(2026, 3, 1+day, 12, 0, 0, 0, time.UTC).Format(time.RFC3339)
	records := [][2]string{
		{"orders", fmt.Sprintf(`{"external_id":%q,"ordered_at":%q,"status":"open","currency":"EUR","total":20}`, id, at)},
		{"order_line_items", fmt.Sprintf(
			`{"external_id":%q,"order_id":%[1]q,"product_id":"P","name":"x","quantity":2,"unit_price":10}`, id)},
	}
	if day%2 == 0 {
		records[0], records[1] = records[1], records[0]
	}
	return records
}

// TestSalesOfTwoProcesses sends orders and lines through two processes, half of the lines before
// their order, and kills one process in the middle. Every sale is in the figures once.
func TestSalesOfTwoProcesses(t *testing.T) {
	t.Parallel()
	const senders, orders = 8, 25
	s := newSite(t)
	first, second := rig.Serve(t, s.server.Env), rig.Serve(t, s.server.Env)
	key := s.key("*").Key
	s.unlimited()
	status, body := post(first.URL, "products", key, `{"external_id":"P","name":"x"}`)
	require.Equal(t, http.StatusOK, status, body)
	send := func(from, to int, processes ...*rig.Process) {
		var sending sync.WaitGroup
		for sender := range senders {
			sending.Go(func() {
				c := newCaller(time.Minute)
				for i := from; i < to; i++ {
					for n, record := range sale(fmt.Sprintf("%d-%d", sender, i), i) {
						status, _ := c.post(processes[(sender+n)%len(processes)].URL, record[0], key, record[1])
						if status != http.StatusOK {
							t.Errorf("%s: %d", record[1], status)
						}
					}
				}
			})
		}
		sending.Wait()
	}
	send(0, orders/2, first, second)
	second.Kill()
	send(orders/2, orders, first)
	waitFor(t, "every sale in the figures", func() bool {
		return s.count("SELECT coalesce(sum(lines), 0) FROM workspace.sales_weeks WHERE product_id = '*'") == senders*orders &&
			s.count("SELECT count(*) FROM workspace.sales_settings WHERE rebuilding IS NOT NULL") == 0 // series come last
	})
	require.EqualValues(t, senders*orders, s.count("SELECT sum(orders) FROM workspace.sales_weeks WHERE product_id <> '*'"))
	require.EqualValues(t, 2*senders*orders, s.count("SELECT sum(units) FROM workspace.sales_days"))
	require.EqualValues(t, 2*senders*orders, s.count("SELECT (SELECT sum(u) FROM unnest(units) u) FROM workspace.sales_series"))
	require.EqualValues(t, 20*senders*orders, s.count("SELECT sum(net)::bigint FROM workspace.sales_orders"))
}
