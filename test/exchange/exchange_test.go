// Package exchange_test lets people buy, change and receive on both sides of a connection at once, while connections are cut and
// a process of the service dies, and compares both sides at the end.
package exchange_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/test/rig"
)

// defaultOrders take about one and a half minutes on two cores.
const defaultOrders = 500

// size returns how many orders are exchanged.
func size(t *testing.T) int {
	t.Helper()
	text := os.Getenv("QUAYSIDE_EXCHANGE_ORDERS")
	if text == "" {
		return defaultOrders
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

// patience bounds each phase. A busy machine takes much longer than an idle one.
const patience = 15 * time.Minute

// TestBothSidesAtOnce has orders of three lines exported, changed and received in parts on both sides at once, with cut
// connections, 429s, lost webhooks and a process that is killed in the middle. At the end no order is there twice, every
// question to a person can be answered, and then every line is the same on both sides, and its receipts sum up to what arrived.
func TestBothSidesAtOnce(t *testing.T) {
	t.Parallel()
	orders := size(t)
	c := newCompany(t, orders)
	began := time.Now()
	background, stop := context.WithCancel(t.Context())
	var delivering, working sync.WaitGroup
	delivering.Go(func() { c.there.deliver(background) })

	working.Go(func() { c.buy(orders) })
	for worker := range uint64(4) {
		working.Go(func() { c.work(rand.New(rand.NewPCG(1, worker)), orders, c.workHere) })
		working.Go(func() { c.work(rand.New(rand.NewPCG(2, worker)), orders, c.workThere) })
	}
	c.waitFor("half of the orders there", func() bool { return len(c.there.All()) >= orders/2 })
	c.two.Kill()
	t.Logf("%s: killed one of two processes, with %s", time.Since(began).Round(time.Second), c.there)
	c.waitFor("more orders there", func() bool { return len(c.there.All()) >= orders*6/10 })
	c.two = rig.Serve(t, c.env)
	working.Wait()
	t.Logf("%s: nobody changes anything any more", time.Since(began).Round(time.Second))
	c.approveAll()
	c.settle(orders)
	c.requireOnce(orders)
	asked := 0
	for range 20 {
		open := c.decide(rand.New(rand.NewPCG(2, 2)))
		if open == 0 {
			break
		}
		asked += open
		c.approveAll()
		c.settle(orders)
	}
	t.Logf("%s: settled; a person was asked %d questions; %s", time.Since(began).Round(time.Second), asked, c.there)
	c.requireOnce(orders)
	c.requireEqual(orders)
	c.requireReconciled(orders)
	require.Equal(t, cutsInTotal, c.there.cuttings(), "%s", c.there)
	require.Positive(t, c.there.limited)
	require.Positive(t, asked, "both sides changed the same price somewhere")
	stop()
	delivering.Wait()
	t.Logf("%s in all; people made %d calls here, of which %d were refused, such as because a line had changed",
		time.Since(began).Round(time.Second), c.calls, c.refused)
}

// stored is a line as it is stored here.
type stored struct {
	ID       string
	Version  int64
	Order    string
	SKU      string
	Status   string
	Quantity decimal.Decimal
	Received decimal.Decimal
	Price    decimal.Decimal
	Day      string
	Booked   decimal.Decimal // the sum of its receipts
}

// lines returns lines by a condition.
func (c *company) lines(where string, args ...any) ([]stored, error) {
	rows, err := c.db.Query(context.WithoutCancel(c.t.Context()), `SELECT id, version, order_no, sku, status, quantity_ordered::text,
		quantity_received::text, price_per_unit::text, coalesce(expected_arrival_date::text, ''),
		(SELECT coalesce(sum(r.quantity), 0)::text FROM workspace.receipts r WHERE r.tenant_id = l.tenant_id AND r.line_id = l.id)
		FROM workspace.purchase_order_lines l WHERE `+where+" ORDER BY id", args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (l stored, err error) {
		var quantity, received, price, booked string
		err = row.Scan(&l.ID, &l.Version, &l.Order, &l.SKU, &l.Status, &quantity, &received, &price, &l.Day, &booked)
		l.Quantity, l.Received = decimal.RequireFromString(quantity), decimal.RequireFromString(received)
		l.Price, l.Booked = decimal.RequireFromString(price), decimal.RequireFromString(booked)
		return l, err
	})
}

// act calls the app API as a person who may be too late: what somebody else changed meanwhile is refused, and that is fine.
func (c *company) act(p *person, method, path string, body any, headers ...string) bool {
	status, text, err := p.do(method, path, body, headers...)
	switch {
	case err != nil:
		c.t.Errorf("%s: %v", path, err)
	case status >= 500, status == http.StatusBadRequest, status == http.StatusUnauthorized, status == http.StatusForbidden:
		c.t.Errorf("%s: %d %s", path, status, text)
	}
	c.there.mu.Lock()
	defer c.there.mu.Unlock()
	c.calls++
	if status >= 300 {
		c.refused++
	}
	return status < 300
}

func refs(lines []stored) map[string]any {
	list := []map[string]any{}
	for _, l := range lines {
		list = append(list, map[string]any{"id": l.ID, "version": l.Version})
	}
	return map[string]any{"lines": list}
}

// buy drafts all orders and has them approved, some at a time.
func (c *company) buy(orders int) {
	const atOnce = 20
	for from := 0; from < orders; from += atOnce {
		lines := []map[string]any{}
		for n := from; n < min(from+atOnce, orders); n++ {
			for _, sku := range skus {
				lines = append(lines, map[string]any{"order_no": number(n), "product_id": c.articles[sku], "supplier_id": c.supplier,
					"quantity_ordered": "10", "price_per_unit": "2.5", "currency": "EUR", "expected_arrival_date": "2027-01-15"})
			}
		}
		status, text, err := c.ben.do(http.MethodPost, "purchase-order-lines", map[string]any{"lines": lines, "confirm_on_its_way": true})
		if err != nil || status != http.StatusCreated {
			c.t.Errorf("drafting: %d %s %v", status, text, err)
			return
		}
		c.approve("order_no BETWEEN $1 AND $2", number(from), number(min(from+atOnce, orders)-1))
	}
}

// approve submits and approves the lines of a condition that are drafts or wait.
func (c *company) approve(where string, args ...any) {
	for _, step := range []struct {
		by         *person
		status, do string
	}{{c.ben, "draft", "submit"}, {c.ann, "pending_approval", "approve"}} {
		lines, err := c.lines("status = '"+step.status+"' AND "+where, args...)
		if err != nil {
			c.t.Error(err)
		}
		if len(lines) > 0 {
			c.act(step.by, http.MethodPost, "purchase-order-lines/"+step.do, refs(lines))
		}
	}
}

// approveAll approves what was sent back for approval by an edit.
func (c *company) approveAll() {
	c.t.Helper()
	c.waitFor("approved lines", func() bool {
		c.approve("true")
		return c.count("SELECT count(*) FROM workspace.purchase_order_lines WHERE status IN ('draft', 'pending_approval')") == 0
	})
}

// work does something with orders again and again, so that each has about two changes by all four who do so. Whoever finds
// nothing to do looks for something else after a while.
func (c *company) work(chance *rand.Rand, orders int, do func(chance *rand.Rand, orders int) bool) {
	for range orders / 2 {
		for range 20 {
			if do(chance, orders) || c.t.Failed() {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}

// workHere is what somebody does with a line here. It reports whether there was something to do.
func (c *company) workHere(chance *rand.Rand, orders int) bool {
	order, sku := number(chance.IntN(orders)), skus[chance.IntN(len(skus))]
	lines, err := c.lines("order_no = $1 AND sku = $2 AND status IN ('ordered', 'partially_received')", order, sku)
	if err != nil {
		c.t.Error(err)
	}
	if len(lines) != 1 {
		return false
	}
	line := lines[0]
	switch what := chance.IntN(10); {
	case what < 5:
		return c.act(c.ben, http.MethodPost, "purchase-order-lines/receive", map[string]any{"lines": []any{map[string]any{
			"id": line.ID, "version": line.Version, "quantity": strconv.Itoa(1 + chance.IntN(3))}}})
	case what < 8:
		body := refs(lines)
		body["expected_arrival_date"] = fmt.Sprintf("2027-02-%02d", 1+chance.IntN(28))
		return c.act(c.ben, http.MethodPost, "purchase-order-lines/reschedule", body)
	default:
		change := map[string]any{"price_per_unit": fmt.Sprintf("2.%02d", 10+chance.IntN(80))}
		if chance.IntN(2) == 0 {
			change = map[string]any{"quantity_ordered": strconv.Itoa(11 + chance.IntN(9))}
		}
		if c.act(c.ben, http.MethodPatch, "purchase-order-lines/"+line.ID, change, fmt.Sprintf(`If-Match: "%d"`, line.Version)) {
			c.approve("id = $1", line.ID)
			return true
		}
		return false
	}
}

// workThere is what somebody does with a row there. It reports whether it could be done.
func (c *company) workThere(chance *rand.Rand, orders int) bool {
	order, sku := number(chance.IntN(orders)), skus[chance.IntN(len(skus))]
	some := decimal.NewFromInt(int64(1 + chance.IntN(3)))
	switch what := chance.IntN(10); {
	case what < 5:
		return c.there.Receive(order, sku, some, time.Now()) == nil
	case what < 8:
		return c.there.SetArrival(order, sku, time.Date(2027, 3, 1+chance.IntN(28), 0, 0, 0, 0, time.UTC)) == nil
	}
	return c.there.SetPrice(order, sku, decimal.RequireFromString(fmt.Sprintf("3.%02d", 10+chance.IntN(80)))) == nil
}

// settle waits until every order was compared since the last change, and nothing is left to do but to answer questions.
func (c *company) settle(orders int) {
	c.t.Helper()
	quiet := func() bool {
		c.requireNoneTwice()
		require.Zero(c.t, c.count("SELECT count(*) FROM workspace.exchange_orders WHERE state IN ('held', 'failed')"), "an order was given up")
		return c.count("SELECT count(*) FROM workspace.exchange_orders WHERE state IN ('synced', 'conflict')") == orders
	}
	for range 3 { // a poll may ask for more
		c.waitFor("quiet orders", quiet)
		var now time.Time
		require.NoError(c.t, c.db.QueryRow(c.t.Context(), "SELECT now()").Scan(&now))
		c.waitFor("poll", func() bool {
			return c.count("SELECT count(*) FROM workspace.exchange_cursors WHERE polled_at > $1::timestamptz + interval '2 s' AND busy_until IS NULL AND page = 0", now) == 1
		})
		if quiet() {
			return
		}
	}
	c.waitFor("quiet orders", quiet)
}

// decide answers every open question, as a person does who looks at both values, and returns how many there were.
func (c *company) decide(chance *rand.Rand) (answered int) {
	c.t.Helper()
	type value struct{ Value string }
	var list struct {
		Open  int
		Items []struct {
			ID           string
			Order        string `json:"order_no"`
			Ours, Theirs value
			Choices      []struct{ Take string }
		}
	}
	c.ben.must(http.MethodGet, "conflicts?limit=200", nil, &list)
	require.LessOrEqual(c.t, list.Open, 200, "more than a page")
	for _, one := range list.Items {
		status, text, err := c.ben.do(http.MethodPost, "purchase-orders/"+one.Order+"/exchange/decisions",
			map[string]any{"decisions": []any{map[string]any{"conflict": one.ID, "ours": one.Ours.Value, "theirs": one.Theirs.Value,
				"take": one.Choices[chance.IntN(len(one.Choices))].Take}}})
		require.NoError(c.t, err)
		if status != http.StatusConflict && status != http.StatusNotFound { // the answer to the order's first question may settle the second
			require.Less(c.t, status, 300, text)
		}
	}
	return len(list.Items)
}

// requireOnce requires that every order is there exactly once.
func (c *company) requireOnce(orders int) {
	c.t.Helper()
	c.requireNoneTwice()
	require.Len(c.t, c.there.live(), orders)
	require.Len(c.t, c.there.All(), orders, "none was made and deleted again")
}

// requireNoneTwice requires that no order is there twice.
func (c *company) requireNoneTwice() {
	c.t.Helper()
	for number, found := range c.there.live() {
		if len(found) > 1 {
			c.report()
			require.Fail(c.t, fmt.Sprintf("the order %s is there %d times", number, len(found)))
		}
	}
}

// requireEqual compares every line on both sides, and its receipts.
func (c *company) requireEqual(orders int) {
	c.t.Helper()
	lines, err := c.lines("true")
	require.NoError(c.t, err)
	require.Len(c.t, lines, orders*len(skus))
	live, arrived := c.there.live(), decimal.Zero
	for _, line := range lines {
		quantity, received, price, day := decimal.Zero, decimal.Zero, decimal.Zero, ""
		for _, row := range live[line.Order][0].Rows {
			if row.Variant != c.there.variants[line.SKU] {
				continue
			}
			quantity = quantity.Add(row.Quantity.Decimal)
			if row.ReceivedAt != nil {
				received = received.Add(row.Quantity.Decimal)
			}
			if row.ReceivedAt == nil || price.IsZero() {
				price, day = row.Price.Decimal, row.Arrival.Format(time.DateOnly)
			}
		}
		where := line.Order + " " + line.SKU
		require.Equal(c.t, line.Received.String(), received.String(), "%s: what arrived", where)
		require.Equal(c.t, line.Received.String(), line.Booked.String(), "%s: the sum of its receipts", where)
		if received.LessThan(quantity) {
			require.Equal(c.t, line.Quantity.String(), quantity.String(), "%s: quantity", where)
			require.Equal(c.t, line.Price.String(), price.String(), "%s: price", where)
			require.Equal(c.t, line.Day, day, "%s: day", where)
		} else {
			require.Equal(c.t, "received", line.Status, where)
		}
		arrived = arrived.Add(received)
	}
	require.True(c.t, arrived.IsPositive())
	c.t.Logf("%d lines are equal on both sides; %s pieces arrived", len(lines), arrived)
}

// requireReconciled has the service compare everything, which must come to the same.
func (c *company) requireReconciled(orders int) {
	c.t.Helper()
	this := "connections/" + c.connection
	c.ada.must(http.MethodPost, this+"/reconcile", nil, nil)
	var reading struct {
		Last *struct {
			Orders, Equal int
			List          json.RawMessage
		}
	}
	c.waitFor("reconcile", func() bool {
		c.ada.must(http.MethodGet, this+"/reading", nil, &reading)
		return reading.Last != nil
	})
	require.Equal(c.t, []int{orders, orders}, []int{reading.Last.Orders, reading.Last.Equal}, "%s", reading.Last.List)
}
