package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/quayside/quayside/internal/sales"
)

// shopSQL makes two years of a company's sales; $1 is the number of lines. An order has three lines,
// a customer six or seven orders, and a family a hundred articles. Few articles sell most: the
// density at the share u of the list is 1/√u. Ids are functions of numbers. The kept figures are
// filled at once; computing them from records would take many times as long.
var shopSQL = []string{
	`INSERT INTO workspace.products (id, tenant_id, workspace_id, external_id, sku, name, family)
		SELECT pg_temp.id('1', n), TENANT, WORKSPACE, 'p' || n, 'SKU-' || n, 'Article ' || n, 'Family ' || n % (1 + ARTICLES / 100)
		FROM generate_series(1, ARTICLES) n WHERE $1 > 0`,
	`INSERT INTO workspace.customers (id, tenant_id, workspace_id, external_id, name)
		SELECT pg_temp.id('2', n), TENANT, WORKSPACE, 'c' || n, 'Customer ' || n FROM generate_series(1, $1::bigint / 20) n`,
	`INSERT INTO workspace.sales_orders (tenant_id, workspace_id, order_id, customer_id, day, week, net)
		SELECT TENANT, WORKSPACE, pg_temp.id('3', n), pg_temp.id('2', 1 + n * 104729 % 1000003 * ($1::bigint / 20) / 1000003), d.day, workspace.week_of(d.day, 1), 60
		FROM generate_series(1, $1::bigint / 3) n CROSS JOIN LATERAL (SELECT current_date - 728 + (728 * (n - 1) / ($1::bigint / 3))::int AS day) d`,
	`INSERT INTO workspace.sales_lines (tenant_id, workspace_id, line_id, order_id, product_id, customer_id, day, week, counts, units, returned, gross, discount, net)
		SELECT o.tenant_id, o.workspace_id, o.order_id || '.' || k, o.order_id, pg_temp.id('1', 1 + floor(ARTICLES * power((right(o.order_id, 12)::bigint * 3 + k) * 7919 % 1000003 / 1000003.0, 2))::bigint),
			o.customer_id, o.day, o.week, true, 1 + k % 2, 0, 20, 0, 20
		FROM workspace.sales_orders o, generate_series(1, 3) k WHERE $1 > 0`,
	`INSERT INTO workspace.sales_days (tenant_id, workspace_id, product_id, day, lines, units, returned, net)
		SELECT TENANT, WORKSPACE, product_id, day, count(*), sum(units), 0, sum(net) FROM workspace.sales_lines WHERE $1 > 0 GROUP BY product_id, day`,
	`INSERT INTO workspace.sales_weeks (tenant_id, workspace_id, product_id, week, lines, orders, customers, units, returned, gross, discount, net, unconverted)
		SELECT TENANT, WORKSPACE, coalesce(product_id, '*'), w.week, sum(lines), sum(lines), sum(lines), sum(units), 0, sum(net), 0, sum(net), 0
		FROM workspace.sales_days d CROSS JOIN LATERAL (SELECT workspace.week_of(d.day, 1) AS week) w WHERE $1 > 0
		GROUP BY GROUPING SETS ((product_id, w.week), (w.week))`,
	`INSERT INTO workspace.sales_series (tenant_id, workspace_id, product_id, external_id, sku, family, first_sale, last_sale, first_week, units, empty_days, ends_on)
		SELECT TENANT, WORKSPACE, p.id, p.external_id, p.sku, p.family, s.first_sale, s.last_sale, s.first_week, s.units, array_fill(0, ARRAY[cardinality(s.units)]), s.last_sale
		FROM workspace.products p JOIN (
			SELECT f.product_id, min(f.first_week) AS first_week, min(f.first_sale) AS first_sale, min(f.last_sale) AS last_sale, array_agg(coalesce(w.units, 0) ORDER BY g.week) AS units
			FROM (SELECT product_id, min(day) AS first_sale, max(day) AS last_sale, workspace.week_of(min(day), 1) AS first_week FROM workspace.sales_days GROUP BY product_id) f
			CROSS JOIN LATERAL generate_series(f.first_week::timestamp, f.last_sale::timestamp, '7 days') g (week)
			LEFT JOIN workspace.sales_weeks w ON w.product_id = f.product_id AND w.week = g.week::date AND w.tenant_id = TENANT AND w.workspace_id = WORKSPACE
			GROUP BY f.product_id) s ON s.product_id = p.id WHERE $1 > 0`,
	`INSERT INTO workspace.sales_customers (tenant_id, workspace_id, customer_id, day, until, orders, first_day, first_gap, gaps, median_gap, expected, lifetime, family, usual)
		SELECT TENANT, WORKSPACE, c.customer_id, c.day, coalesce(lead(c.day) OVER w, 'infinity'), sum(c.orders) OVER w, first_value(c.day) OVER w,
			nth_value(c.day, 2) OVER w - first_value(c.day) OVER w, least(8, row_number() OVER w - 1), c.day - lag(c.day) OVER w, 60, 60 * sum(c.orders) OVER w,
			'Family ' || right(c.customer_id, 9)::bigint * 7919 % (1 + ARTICLES / 100), 'SKU-1, SKU-20, SKU-300'
		FROM (SELECT customer_id, day, count(*) AS orders FROM workspace.sales_orders GROUP BY customer_id, day) c WHERE $1 > 0 WINDOW w AS (PARTITION BY c.customer_id ORDER BY c.day)`,
}

// slowIndexes are made after the rows.
var slowIndexes = []string{"sales_lines_order", "sales_lines_product", "sales_orders_customer", "sales_orders_week", "sales_weeks_week", "sales_customers_until"}

// words fills in the names of the shop in a statement.
func (v *views) words() *strings.Replacer {
	return strings.NewReplacer("TENANT", "'"+v.by.Tenant.String()+"'::uuid", "WORKSPACE", "'"+v.by.Workspace.String()+"'::uuid",
		"ARTICLES", strconv.Itoa(v.articles))
}

// loadShop fills a company's figures, and has its demand computed.
func (v *views) loadShop(ctx context.Context) error {
	v.by = firstCompany()
	var loaded bool
	err := v.cluster.admin.QueryRow(ctx, "SELECT EXISTS (SELECT FROM workspace.sales_customers)").Scan(&loaded)
	if err != nil || loaded {
		return err
	}
	if err := v.cluster.load(ctx, 1, 1, 1); err != nil {
		return err
	}
	// The reader of the outbox begins here; what is filled in counts as read.
	if err := sales.New(v.cells, v.forecasts).CatchUp(ctx, v.by.Tenant, v.by.Workspace); err != nil {
		return err
	}
	words := v.words()
	run := func(sql string, args ...any) error {
		took, err := timed(func() error { return v.cluster.exec(ctx, words.Replace(sql), args...) })
		if err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
		if took > 5000 {
			fmt.Fprintf(os.Stderr, "%.0f s  %.60s…\n", took/1000, sql)
		}
		return nil
	}
	steps := []string{
		`CREATE FUNCTION pg_temp.id(kind text, n bigint) RETURNS text IMMUTABLE LANGUAGE sql AS
			$$SELECT kind || '0000000-0000-7000-8000-' || lpad(n::text, 12, '0')$$`,
		"SET session_replication_role = replica", "SET work_mem = '256MB'", "SET maintenance_work_mem = '512MB'", "SET jit = off",
		"DELETE FROM workspace.sales_series", "DELETE FROM workspace.products",
	}
	for _, sql := range steps {
		if err := run(sql); err != nil {
			return err
		}
	}
	var again []string
	for _, name := range slowIndexes {
		var definition string
		if err := v.cluster.admin.QueryRow(ctx, "SELECT pg_get_indexdef($1::regclass)", "workspace."+name).Scan(&definition); err != nil {
			return err
		}
		again = append(again, definition)
		if err := run("DROP INDEX workspace." + name); err != nil {
			return err
		}
	}
	for _, sql := range shopSQL {
		if err := run(sql, v.views); err != nil {
			return err
		}
	}
	for _, sql := range append(again, "SET session_replication_role = origin", "VACUUM ANALYZE") {
		if err := run(sql); err != nil {
			return err
		}
	}
	took, err := timed(func() error { return v.forecasts.Daily(ctx, time.Now()) })
	v.figures["compute_demand_s"] = took / 1000
	return err
}
