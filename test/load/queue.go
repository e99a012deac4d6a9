package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/quayside/quayside/internal/procure"
	"github.com/quayside/quayside/internal/purchase"
)

// Limits of the procurement queue at 100,000 articles.
const (
	queueLimit     = 60.0 // seconds that computing all rows may take
	queuePageLimit = 50.0 // milliseconds
	touchedLimit   = 5000.0
)

// queueSQL gives the shop's articles what the queue needs: suppliers with lead times, costs, and stock
// for up to eight weeks, so that about half of the articles ask for an order.
var queueSQL = []string{
	`INSERT INTO workspace.suppliers (id, tenant_id, workspace_id, external_id, name, lead_time_days)
		SELECT pg_temp.id('4', n), TENANT, WORKSPACE, 's' || n, 'Supplier ' || n, 5 + n % 40 FROM generate_series(1, 1 + ARTICLES / 100) n`,
	`UPDATE workspace.products p SET supplier_id = pg_temp.id('4', 1 + n % (1 + ARTICLES / 100)), unit_cost = 1 + n % 50, cost_currency = 'EUR', price = 2 * (1 + n % 50),
			currency = 'EUR', stock_available = floor(coalesce(f.velocity, 0) * (n % 57)), stock_updated_at = now(), moq = 1 + n % 12, order_multiple = 1 + n % 6
		FROM (SELECT id, right(id, 12)::bigint AS n FROM workspace.products) i LEFT JOIN workspace.forecasts f ON f.product_id = i.id WHERE p.id = i.id`,
	"VACUUM ANALYZE workspace.products, workspace.suppliers",
}

// queue measures the procurement queue of a shop: how long all rows take, pages, and how soon a
// changed article is in it.
func (v *views) queue(ctx context.Context) error {
	if err := v.fillQueue(ctx); err != nil {
		return err
	}
	log := slog.New(slog.DiscardHandler)
	queue := procure.New(v.cells, purchase.New(v.cells), log)
	for _, figure := range []string{"compute_queue_first_s", "compute_queue_s"} { // written, and then only compared
		took, err := timed(func() error { return queue.Daily(ctx, time.Now()) })
		if err != nil {
			return err
		}
		v.figures[figure] = took / 1000
		if err := v.cluster.exec(ctx, "UPDATE workspace.queue_state SET playbook_revision = -1"); err != nil {
			return err
		}
	}
	v.within(os.Stdout, "all rows, s", v.figures["compute_queue_first_s"], queueLimit)
	if err := queue.CatchUp(ctx); err != nil { // the reader of the outbox begins here
		return err
	}
	if err := v.queuePages(ctx, os.Stdout, queue); err != nil {
		return err
	}
	touches := 20
	if v.quick {
		touches = 3
	}
	return v.touched(ctx, os.Stdout, touches)
}

func (v *views) fillQueue(ctx context.Context) error {
	words := v.words()
	for _, sql := range append([]string{"SET session_replication_role = replica"}, append(queueSQL, "SET session_replication_role = origin")...) {
		if err := v.cluster.exec(ctx, words.Replace(sql)); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// within notes and prints a figure, and whether it is within its limit.
func (v *views) within(w io.Writer, name string, figure, limit float64) {
	verdict := reached
	if figure > limit {
		verdict = missed
		v.failures = append(v.failures, fmt.Sprintf("%s: %.1f of %.0f", name, figure, limit))
	}
	fmt.Fprintf(w, "%-52s %9.1f of %6.0f  %s\n", name, figure, limit, verdict)
}

// queuePages measures pages of the queue against a bare statement that reads the same rows.
func (v *views) queuePages(ctx context.Context, w io.Writer, queue *procure.Service) error {
	const bare = `SELECT * FROM workspace.queue_rows r WHERE r.tenant_id = $1 AND r.workspace_id = $2 AND r.action <> 'none'
		ORDER BY r.rank, r.margin_at_risk DESC, r.product_id LIMIT 51`
	supplier := "40000000-0000-7000-8000-000000000007"
	late := procure.Filter{Most: procure.MostListed}
	for range 5 {
		_, next, err := queue.List(ctx, v.by, late)
		if err != nil {
			return err
		}
		if next == "" { // a small shop has fewer rows
			break
		}
		late.After = next
	}
	late.Most = 50
	for _, page := range []struct {
		name   string
		filter procure.Filter
	}{
		{"first page", procure.Filter{Most: 50}}, {"page of what to order", procure.Filter{Group: procure.GroupOrder, Most: 50}},
		{"page of a supplier", procure.Filter{Group: procure.GroupOrder, Supplier: &supplier, Most: 50}}, {"late page", late},
	} {
		bares, engines, err := v.inTurns(func() error { return v.byHand(ctx, bare, nil) },
			func() error { _, _, err := queue.List(ctx, v.by, page.filter); return err })
		if err != nil {
			return fmt.Errorf("%s: %w", page.name, err)
		}
		key := "queue_" + strings.ReplaceAll(page.name, " ", "_") + "_ms"
		v.figures[key], v.figures[key+"_bare"] = engines.median(), bares.median()
		v.within(w, page.name+", ms", engines.median(), queuePageLimit)
	}
	return nil
}

// touched measures how soon a row follows a record that a service has stored.
func (v *views) touched(ctx context.Context, w io.Writer, touches int) error {
	s, err := v.cluster.serve(ctx)
	if err != nil {
		return err
	}
	c, err := dial(s.addr)
	if err != nil {
		return err
	}
	defer func() { _ = c.conn.Close() }()
	var took series
	for n := range touches {
		sku, stock := 1+n*(v.articles/touches), 1_000_000+n
		record := fmt.Sprintf(`{"external_id":"p%d","name":"Article","stock_available":%d,"stock_updated_at":%q}`, sku, stock,
			time.Now().UTC().Format(time.RFC3339))
		start := time.Now()
		if status, err := c.do(once{"products", record}); err != nil || status != http.StatusOK {
			return fmt.Errorf("%s: %d %w", record, status, err)
		}
		for available := 0.0; int(available) != stock; time.Sleep(20 * time.Millisecond) {
			err := v.cluster.admin.QueryRow(ctx, "SELECT coalesce(available, 0) FROM workspace.queue_rows WHERE variant_external_id = $1",
				fmt.Sprintf("p%d", sku)).Scan(&available)
			if err != nil {
				return fmt.Errorf("the row of article %d: %w", sku, err)
			}
		}
		took = append(took, ms(time.Since(start)))
	}
	v.figures["queue_touched_ms"], v.figures["queue_touched_p95_ms"] = took.median(), took.p95()
	v.within(w, "a touched row, p95, ms", took.p95(), touchedLimit)
	return s.stop()
}
