package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/purchase"
)

// orderCase is a query of a screen of purchase orders, and the indexed statement that somebody
// would write for it.
type orderCase struct {
	name string
	ask  func(context.Context) (rows int, err error)
	sql  string // returns what the screen shows; OWN is filled in
}

// linesOfAnOrder is how many lines most orders have; the longest has many more.
const (
	linesOfAnOrder = 10
	longestOrder   = 20_000
	longest        = "PO-LONGEST"
)

// runOrders loads orders and measures the queries of their screens.
func runOrders(ctx context.Context, opt options, c *cluster) error {
	r := &reads{options: opt, cluster: c}
	if err := r.loadOrders(ctx); err != nil {
		return err
	}
	cells, err := pg.Open(ctx, pg.Config{URL: c.url("QUAYSIDE_DATABASE_URL")})
	if err != nil {
		return err
	}
	defer cells.Close()
	if err := r.connect(ctx); err != nil {
		return err
	}
	defer func() { _ = r.bare.Close(context.WithoutCancel(ctx)) }()
	return r.measureOrders(ctx, purchase.New(cells), os.Stdout)
}

// loadOrders creates one company with many orders: nine in ten are received, the others have
// any status. Triggers would take an hour; their own function makes the totals at once, and
// they are recounted at the end.
func (r *reads) loadOrders(ctx context.Context) error {
	if err := r.cluster.load(ctx, 1, 1, 1); err != nil {
		return err
	}
	r.by = firstCompany()
	fill := strings.NewReplacer("TENANT", "'"+r.by.Tenant.String()+"'::uuid", "WORKSPACE",
		"'"+r.by.Workspace.String()+"'::uuid",
		"SHARES", "l.tenant_id, l.workspace_id, l.id, l.order_no, l.status, l.quantity_ordered, l.quantity_received, l.expected_arrival_date, l.price_per_unit, l.currency, l.supplier_id, l.supplier_name, l.product_name, l.updated_at, 1, 0")
	run := func(sql string, args ...any) error { return r.cluster.exec(ctx, fill.Replace(sql), args...) }
	if err := run("ALTER TABLE workspace.purchase_order_lines DISABLE TRIGGER USER"); err != nil {
		return err
	}
	if err := run("TRUNCATE workspace.purchase_orders, workspace.purchase_order_lines CASCADE"); err != nil {
		return err
	}
	const slice = 50_000
	for first := 0; first < r.orders; first += slice {
		fmt.Fprintf(os.Stderr, "\r%d orders", first)
		if err := run(ordersSQL, first, min(slice, r.orders-first), linesOfAnOrder); err != nil {
			return err
		}
		if err := run(headersSQL, fmt.Sprintf("PO-%08d", first), fmt.Sprintf("PO-%08d", first+slice)); err != nil {
			return err
		}
	}
	fmt.Fprintln(os.Stderr)
	return errors.Join(
		run(`INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, external_id, order_no, sku, status, quantity_ordered, price_per_unit, currency, product_name, supplier_name)
			SELECT TENANT, WORKSPACE, 'LONG-' || n, $1, 'SKU-' || n, 'ordered', 10, 4.2, 'EUR', 'Product', 'Long & Co' FROM generate_series(1, $2::int) n`, longest, longestOrder),
		run(headersSQL, longest, longest+"~"),
		run("ALTER TABLE workspace.purchase_order_lines ENABLE TRIGGER USER"),
		run("VACUUM ANALYZE workspace.purchase_order_lines, workspace.purchase_orders, workspace.purchase_order_sums"))
}

const (
	ordersSQL = `INSERT INTO workspace.purchase_order_lines (id, tenant_id, workspace_id, external_id, order_no, sku, status, quantity_ordered, quantity_received,
			expected_arrival_date, price_per_unit, currency, product_name, supplier_name)
		SELECT lpad(to_hex(o * 64 + l), 12, '0') || '-0000-7000-8000-000000000000', TENANT, WORKSPACE, 'L-' || o || '-' || l, 'PO-' || lpad(o::text, 8, '0'), 'SKU-' || o * 7919 % 90000, s.status, 10,
			CASE s.status WHEN 'received' THEN 10 WHEN 'partially_received' THEN 4 ELSE 0 END,
			current_date - 400 + (o * 37 % 460)::int, 4.2 + o % 100, CASE WHEN o % 10 = 0 THEN 'USD' ELSE 'EUR' END, 'Product', 'Supplier ' || lpad((o * 104729 % 4000)::text, 4, '0')
		FROM generate_series($1::bigint, $1::bigint + $2::bigint - 1) o, generate_series(1, $3::int) l,
			LATERAL (SELECT CASE WHEN o % 10 > 0 THEN 'received' ELSE (ARRAY['draft', 'pending_approval', 'ordered', 'ordered', 'partially_received', 'cancelled'])[1 + o / 10 % 6] END AS status) s`
	headersSQL = `SELECT workspace.add_to_orders(array_agg(s)) FROM (
		SELECT s FROM workspace.purchase_order_lines l CROSS JOIN LATERAL workspace.share_of(SHARES) s
		WHERE l.tenant_id = TENANT AND l.workspace_id = WORKSPACE AND l.order_no >= $1 AND l.order_no < $2) shares`
)

const (
	header = "SELECT order_no, newest_id, version, lines, draft, pending_approval, ordered, partially_received, received, closed_short, cancelled, flags, next_arrival, suppliers, updated_at FROM workspace.purchase_orders"
	line   = "SELECT * FROM workspace.purchase_order_lines"
)

// orderCases returns all queries of the screens, each with its bare statement.
func (r *reads) orderCases(orders *purchase.Service) []orderCase {
	const (
		header = header + " WHERE OWN AND lines > 0"
		line   = line + " WHERE OWN"
		open   = " AND status IN ('ordered', 'partially_received')"
	)
	list := func(filter purchase.OrderFilter, sort purchase.OrderSort) func(context.Context) (int, error) {
		return func(ctx context.Context) (int, error) {
			found, _, err := orders.Orders(ctx, r.by, filter, sort, page.Request{Most: 50})
			return len(found), err
		}
	}
	lines := func(after uuid.UUID) func(context.Context) (int, error) {
		return func(ctx context.Context) (int, error) {
			found, _, err := orders.Lines(ctx, r.by, longest, page.Request{Most: 200, After: after})
			return len(found), err
		}
	}
	every := purchase.OrderFilter{}
	cases := []orderCase{
		{"all, the newest first", list(every, purchase.ByNewest), header + " ORDER BY newest_id DESC LIMIT 51"},
		{"all, by number", list(every, purchase.ByNumber), header + " ORDER BY sort_no, order_no LIMIT 51"},
		{"all, by supplier", list(every, purchase.BySupplier), header + " ORDER BY supplier, order_no LIMIT 51"},
		{"all, by next arrival", list(every, purchase.ByArrival), header + " ORDER BY next_arrival, order_no LIMIT 51"},
		{"overdue, by next arrival", list(purchase.OrderFilter{Overdue: true}, purchase.ByArrival),
			header + " AND next_arrival < current_date ORDER BY next_arrival, order_no LIMIT 51"},
		{"overdue, the newest first", list(purchase.OrderFilter{Overdue: true}, purchase.ByNewest),
			header + " AND next_arrival < current_date ORDER BY newest_id DESC LIMIT 51"},
		{"counts of the tabs", func(ctx context.Context) (int, error) {
			counts, err := orders.Counts(ctx, r.by)
			return int(counts.Orders), err
		}, countsSQL},
		{"arrivals, overdue", func(ctx context.Context) (int, error) {
			found, _, err := orders.Arrivals(ctx, r.by, time.Time{}, time.Now().AddDate(0, 0, -1), page.Request{Most: 200})
			return len(found), err
		}, line + open + " AND expected_arrival_date < current_date ORDER BY expected_arrival_date, order_no, id LIMIT 201"},
		{"arrivals, the next month", func(ctx context.Context) (int, error) {
			found, _, err := orders.Arrivals(ctx, r.by, time.Now(), time.Now().AddDate(0, 1, 0), page.Request{Most: 200})
			return len(found), err
		}, line + open + " AND expected_arrival_date >= current_date AND expected_arrival_date <= current_date + 31 ORDER BY expected_arrival_date, order_no, id LIMIT 201"},
		{"20,000 lines, the first 200", lines(uuid.Nil), line + " AND order_no = '" + longest + "' ORDER BY id LIMIT 201"},
	}
	for _, status := range purchase.Statuses() {
		for _, sort := range []struct {
			by  purchase.OrderSort
			sql string
		}{{purchase.ByNewest, "newest_id DESC"}, {purchase.ByNumber, "sort_no, order_no"},
			{purchase.BySupplier, "supplier, order_no"}, {purchase.ByArrival, "next_arrival, order_no"}} {
			cases = append(cases, orderCase{
				fmt.Sprintf("%s, by %s", strings.ReplaceAll(string(status), "_", " "), sort.by),
				list(purchase.OrderFilter{Status: status}, sort.by),
				header + " AND " + string(status) + " > 0 ORDER BY " + sort.sql + " LIMIT 51",
			})
		}
	}
	return cases
}

const countsSQL = `SELECT (SELECT count(*) FROM (SELECT FROM workspace.purchase_orders WHERE OWN AND lines > 0 LIMIT 10000) c), (SELECT count(*) FROM (SELECT FROM workspace.purchase_orders WHERE OWN AND draft > 0 LIMIT 10000) c),
	(SELECT count(*) FROM (SELECT FROM workspace.purchase_orders WHERE OWN AND pending_approval > 0 LIMIT 10000) c), (SELECT count(*) FROM (SELECT FROM workspace.purchase_orders WHERE OWN AND ordered > 0 LIMIT 10000) c),
	(SELECT count(*) FROM (SELECT FROM workspace.purchase_orders WHERE OWN AND partially_received > 0 LIMIT 10000) c), (SELECT count(*) FROM (SELECT FROM workspace.purchase_orders WHERE OWN AND received > 0 LIMIT 10000) c),
	(SELECT count(*) FROM (SELECT FROM workspace.purchase_orders WHERE OWN AND cancelled > 0 LIMIT 10000) c), (SELECT count(*) FROM (SELECT FROM workspace.purchase_orders WHERE OWN AND closed_short > 0 LIMIT 10000) c),
	(SELECT count(*) FROM (SELECT FROM workspace.purchase_orders WHERE OWN AND lines > 0 AND next_arrival < current_date LIMIT 10000) c),
	(SELECT count(*) FROM (SELECT FROM workspace.purchase_orders WHERE OWN AND lines > 0 AND next_arrival BETWEEN current_date AND current_date + 7 LIMIT 10000) c)`

// measureOrders prints a line for each case, and fails if one costs too much or an order's
// stored totals are wrong.
func (r *reads) measureOrders(ctx context.Context, orders *purchase.Service, w io.Writer) error {
	var wrong int
	if err := r.cluster.admin.QueryRow(ctx, "SELECT count(*) FROM workspace.wrong_orders($1)",
		r.by.Tenant).Scan(&wrong); err != nil || wrong > 0 {
		return errors.Join(err, fmt.Errorf("%d orders are not what their lines say", wrong))
	}
	t := newTable(w, fmt.Sprintf("%d orders of %d lines, all as their lines say", r.orders, linesOfAnOrder))
	for _, c := range r.orderCases(orders) {
		sql := strings.ReplaceAll(c.sql, "OWN", "tenant_id = $1 AND workspace_id = $2")
		switch {
		case strings.HasPrefix(sql, header):
			sql = "SELECT * FROM (" + sql + ") o LEFT JOIN workspace.purchase_order_sums s ON s.tenant_id = $1 AND s.workspace_id = $2 AND s.order_no = o.order_no AND s.lines > 0"
		case strings.HasPrefix(sql, line):
			sql = "SELECT * FROM (" + sql + ") l LEFT JOIN workspace.line_approvals a ON a.tenant_id = $1 AND a.line_id = l.id LEFT JOIN workspace.line_flags f ON f.tenant_id = $1 AND f.line_id = l.id AND f.seen_at IS NULL"
		}
		bare, engine, ratios, err := r.turns(func() error { return r.byHand(ctx, sql, nil) }, func() error {
			rows, err := c.ask(ctx)
			if err == nil && rows == 0 {
				return errors.New("nothing was found")
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		t.row(c.name, bare, engine, ratios)
	}
	return t.verdict()
}
