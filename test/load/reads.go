package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/forecast"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/purchase"
	"github.com/quayside/quayside/internal/query"
	"github.com/quayside/quayside/internal/registry"
)

// mostOverBare is how many times longer a page may take than a handwritten statement.
const mostOverBare = 3

// reads measures pages of a large table through the engine against bare statements, in
// one process, one after the other, under the same row security.
type reads struct {
	options
	cluster *cluster
	engine  *query.Service
	bare    *pgx.Conn
	by      auth.Principal
}

// readCase is one page, asked for in both ways.
type readCase struct {
	name    string
	request query.Request
	depth   float64 // share of rows before the page
	count   bool
	sql     string // handwritten; TABLE and OWN are filled in
	args    []any
}

const (
	orderColumns = `id, external_id, order_number, ordered_at, status, financial_status, fulfillment_status, customer_id, customer_email, currency, total, subtotal,
		discount_total, tax_total, shipping_total, base_currency, base_total, cancelled_at, is_test, channel, country, tags, note, version, created_at, updated_at, workspace_id`
	fewColumns = "id, version, ordered_at, customer_email, total"
)

var fewFields = []string{"ordered_at", "customer_email", "total"}

// readCases returns pages that people look at. The later ones have no index in their order:
// both ways read the whole table and keep the best rows.
func readCases() []readCase {
	orders := func(r query.Request) query.Request { r.ViewSlug = "orders"; return r }
	return []readCase{
		{name: "first page, by id", request: orders(query.Request{}),
			sql: "SELECT " + orderColumns + " FROM workspace.orders WHERE OWN ORDER BY id LIMIT 51"},
		{name: "late page, by id", depth: 0.9, request: orders(query.Request{SelectFields: fewFields}),
			sql: "SELECT " + fewColumns + " FROM workspace.orders WHERE OWN AND id > PLACE ORDER BY id LIMIT 51"},
		{name: "first page, by external_id", request: orders(query.Request{SortBy: "external_id", SelectFields: fewFields}),
			sql: "SELECT " + fewColumns + " FROM workspace.orders WHERE OWN ORDER BY external_id, id LIMIT 51"},
		{name: "late page, by external_id", depth: 0.9, request: orders(query.Request{SortBy: "external_id",
			SelectFields: fewFields}),
			sql: "SELECT " + fewColumns + " FROM workspace.orders WHERE OWN AND external_id > (SELECT external_id FROM workspace.orders WHERE OWN AND id = PLACE) ORDER BY external_id, id LIMIT 51"},
		{name: "1,000 rows, all columns", request: orders(query.Request{Limit: 1000}),
			sql: "SELECT " + orderColumns + " FROM workspace.orders WHERE OWN ORDER BY id LIMIT 1001"},
		{
			name:    "one status, newest first",
			request: orders(query.Request{Filters: []byte(`{"status":"cancelled"}`), SortDesc: true}),
			sql:     "SELECT " + orderColumns + " FROM workspace.orders WHERE OWN AND status = $3 ORDER BY id DESC LIMIT 51",
			args:    []any{"cancelled"},
		},
		{
			name:    "an address, by part of it",
			request: orders(query.Request{Filters: []byte(`{"customer_email":{"contains":"Buyer77@"}}`)}),
			sql:     "SELECT " + orderColumns + " FROM workspace.orders WHERE OWN AND customer_email ILIKE '%' || $3 || '%' ORDER BY id LIMIT 51", args: []any{"Buyer77@"},
		},
		{
			name: "status and total, by ordered_at",
			request: orders(query.Request{Filters: []byte(`{"status":["open","completed"],"total":{"gte":"250.50"}}`),
				SortBy: "ordered_at", SortDesc: true}),
			sql: "SELECT " + orderColumns + " FROM workspace.orders WHERE OWN AND status = ANY ($3) AND total >= 250.50 ORDER BY ordered_at DESC, id DESC LIMIT 51", args: []any{[]string{"open", "completed"}},
		},
		{name: "by total, largest first", request: orders(query.Request{SortBy: "total", SortDesc: true,
			SelectFields: fewFields}),
			sql: "SELECT " + fewColumns + " FROM workspace.orders WHERE OWN ORDER BY total DESC, id DESC LIMIT 51"},
		{name: "by a column with holes", request: orders(query.Request{SortBy: "cancelled_at", SortDesc: true}),
			sql: "SELECT " + orderColumns + " FROM workspace.orders WHERE OWN ORDER BY cancelled_at DESC NULLS LAST, id DESC LIMIT 51"},
		{
			name: "count to 10,000", count: true, request: orders(query.Request{Filters: []byte(`{"status":"open"}`)}),
			sql:  "SELECT count(*) FROM (SELECT FROM workspace.orders WHERE OWN AND status = $3 LIMIT 10001) t",
			args: []any{"open"},
		},
		{name: "added table, first page", request: query.Request{ViewSlug: "decisions"},
			sql: "SELECT id, version, created_at, updated_at, external_id, data FROM workspace.records WHERE OWN AND slug = 'decisions' ORDER BY id LIMIT 51"},
		{
			name: "added table, by a number", request: query.Request{ViewSlug: "decisions", SortBy: "weight", SortDesc: true,
				Filters: []byte(`{"weight":{"lt":500}}`)},
			sql: "SELECT id, version, created_at, updated_at, external_id, data FROM workspace.records WHERE OWN AND slug = 'decisions' AND (data->>'weight')::numeric < 500 ORDER BY (data->>'weight')::numeric DESC, id DESC LIMIT 51",
		},
	}
}

// runReads loads the table and measures every case.
func runReads(ctx context.Context, opt options, c *cluster) error {
	r := &reads{options: opt, cluster: c}
	if err := r.load(ctx); err != nil {
		return err
	}
	cells, err := pg.Open(ctx, pg.Config{URL: c.url("QUAYSIDE_DATABASE_URL")})
	if err != nil {
		return err
	}
	defer cells.Close()
	r.engine = query.New(cells, registry.New(cells), forecast.New(cells, slog.Default()), purchase.LeftAsJSON)
	if err := r.connect(ctx); err != nil {
		return err
	}
	defer func() { _ = r.bare.Close(context.WithoutCancel(ctx)) }()
	if opt.reads < filterRows {
		return r.measureAll(ctx, os.Stdout)
	}
	return errors.Join(r.measureAll(ctx, os.Stdout), measureFilters(ctx, r, cells, os.Stdout),
		measureIndexWrites(ctx, c, cells, os.Stdout))
}

// connect opens the connection for bare statements, as the service's role.
func (r *reads) connect(ctx context.Context) error {
	config, err := pgx.ParseConfig(r.cluster.url("QUAYSIDE_DATABASE_URL"))
	if err != nil {
		return err
	}
	config.RuntimeParams["role"] = pg.AppRole
	r.bare, err = pgx.ConnectConfig(ctx, config)
	return err
}

// firstCompany is a reader of the first company that a cluster loads.
func firstCompany() auth.Principal {
	return auth.Principal{
		Tenant:    uuid.MustParse("00000000-0000-7000-8000-000000000001"),
		Workspace: uuid.MustParse("00000000-0000-7000-9000-000000000001"),
		Role:      auth.Viewer, Zone: time.UTC,
	}
}

// load creates one company with many orders, beside a smaller one, and a table that the
// company has added, as large.
func (r *reads) load(ctx context.Context) error {
	if err := r.cluster.load(ctx, 2, 1, 1); err != nil {
		return err
	}
	fill := strings.NewReplacer("TENANT", fmt.Sprintf(tenantSQL, "c"), "WORKSPACE", fmt.Sprintf(workspaceSQL, "c"))
	for _, step := range []struct {
		sql  string
		args []any
	}{
		{`INSERT INTO workspace.orders (id, tenant_id, workspace_id, external_id, order_number, ordered_at, status, customer_email, currency, total, subtotal, tax_total, cancelled_at, is_test, channel, country, note, custom)
			SELECT lpad(to_hex(n * 2 + c), 12, '0'), TENANT, WORKSPACE, 'gid/Order/' || md5(n::text), '#' || n, timestamptz '2024-01-01Z' + n * 7 % 90000 * interval '10 minutes',
				(ARRAY['open','completed','completed','completed','cancelled'])[1 + n % 5], 'buyer' || n % 50000 || '@example.com', 'EUR', (n % 50000 * 7919 % 50000) / 100.0, (n % 50000 * 7919 % 50000) / 119.0, 1.5,
				CASE WHEN n % 5 = 4 THEN timestamptz '2024-01-01Z' + n * interval '1 minute' END, n % 1000 = 0, 'web', 'DE', CASE WHEN n % 10 = 0 THEN 'Leave at the door' END,
				jsonb_build_object('hazard', 'H' || n % 40, 'score', n % 10007 / 10.0)
			FROM generate_series(1, $1::int) n, generate_series(1, 2) c WHERE c = 1 OR n % 20 = 0`, []any{r.reads}},
		{`INSERT INTO workspace.registry_tables (tenant_id, slug, title) SELECT TENANT, 'decisions', 'Decisions' FROM generate_series(1, 1) c`, nil},
		{`INSERT INTO workspace.registry_tables (tenant_id, slug, title, storage) SELECT TENANT, 'orders', 'Orders', 'extension' FROM generate_series(1, 1) c`, nil},
		{`INSERT INTO workspace.registry_columns (tenant_id, slug, name, position, type) SELECT TENANT, k.slug, k.name, 1, k.type
			FROM generate_series(1, 1) c, (VALUES ('decisions', 'title', 'text'), ('decisions', 'weight', 'number'), ('decisions', 'decided_on', 'date'), ('decisions', 'approved', 'boolean'),
				('decisions', 'decided_at', 'datetime'), ('decisions', 'reference', 'uuid'), ('orders', 'hazard', 'text'), ('orders', 'score', 'number')) k (slug, name, type)`, nil},
		{`INSERT INTO workspace.records (tenant_id, workspace_id, slug, external_id, data)
			SELECT TENANT, WORKSPACE, 'decisions', 'D' || n, jsonb_build_object('title', 'Decision ' || n, 'weight', n % 1000 * 7919 % 1000, 'decided_on', date '2024-01-01' + n % 700, 'approved', CASE n % 3 WHEN 0 THEN n % 2 = 0 END,
				'decided_at', timestamptz '2024-01-01Z' + n * 13 % 600000 * interval '1 minute', 'reference', md5(n::text)::uuid)
			FROM generate_series(1, $1::int) n, generate_series(1, 1) c`, []any{r.reads}},
		{`VACUUM ANALYZE workspace.orders, workspace.records`, nil},
	} {
		if err := r.cluster.exec(ctx, fill.Replace(step.sql), step.args...); err != nil {
			return fmt.Errorf("%s: %w", step.sql, err)
		}
	}
	r.by = firstCompany()
	return nil
}

// measureAll prints a line for each case, and fails when one costs too much.
func (r *reads) measureAll(ctx context.Context, w io.Writer) error {
	t := newTable(w, fmt.Sprintf("%d rows", r.reads))
	for _, c := range readCases() {
		bare, engine, ratios, err := r.measure(ctx, c)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		t.row(c.name, bare, engine, ratios)
	}
	fmt.Fprintf(w, "\na late page costs %.2f of the first one\n",
		t.engine["late page, by external_id"]/t.engine["first page, by external_id"])
	return t.verdict()
}

// table prints the measurements.
type table struct {
	w       io.Writer
	engine  map[string]float64
	tooSlow []string
}

func newTable(w io.Writer, of string) *table {
	fmt.Fprintf(w, "\n%s; medians of interleaved rounds, in ms\n\n%-34s %10s %10s %8s %8s\n", of, "page", "bare", "engine",
		"ratio", "spread")
	return &table{w: w, engine: map[string]float64{}}
}

func (t *table) row(name string, bare, engine float64, ratios series) {
	t.engine[name] = engine
	v, why := judge(ratios, mostOverBare, true, "")
	if v == missed {
		t.tooSlow = append(t.tooSlow, fmt.Sprintf("%s: %.2f", name, ratios.median()))
	}
	if v != reached {
		why = "  " + string(v) + " " + why
	}
	fmt.Fprintf(t.w, "%-34s %10.2f %10.2f %8.2f %6.0f %%%s\n", name, bare, engine, ratios.median(), 100*ratios.spread(),
		why)
}

func (t *table) verdict() error {
	if t.tooSlow == nil {
		return nil
	}
	return fmt.Errorf("more than %d times the bare statement: %s", mostOverBare, strings.Join(t.tooSlow, "; "))
}

// measure measures one page.
func (r *reads) measure(ctx context.Context, c readCase) (bare, engine float64, ratios series, err error) {
	place := ""
	if c.depth > 0 {
		if c.request.Cursor, place, err = r.goTo(ctx, c); err != nil {
			return 0, 0, nil, err
		}
	}
	sql := strings.NewReplacer("OWN", "tenant_id = $1 AND workspace_id = $2", "PLACE", "'"+place+"'").Replace(c.sql)
	return r.turns(func() error { return r.byHand(ctx, sql, c.args) }, func() error { return r.byEngine(ctx, c) })
}

// turns runs two ways of the same work, one after the other, until the time is up.
func (r *reads) turns(byHand, byEngine func() error) (bare, engine float64, ratios series, err error) {
	var bares, engines series
	for round, end := 0, time.Now().Add(r.slice); round < 6 || round < 60 && time.Now().Before(end); round++ {
		b, err := timed(byHand)
		if err != nil {
			return 0, 0, nil, err
		}
		e, err := timed(byEngine)
		if err != nil {
			return 0, 0, nil, err
		}
		if round == 0 {
			continue // fills the caches
		}
		bares, engines, ratios = append(bares, b), append(engines, e), append(ratios, e/b)
	}
	return bares.median(), engines.median(), ratios, nil
}

// goTo pages to a depth and returns the cursor there, with the id of the last row before.
func (r *reads) goTo(ctx context.Context, c readCase) (cursor, last string, err error) {
	request := c.request
	request.Limit, request.SelectFields = query.MaxLimit, []string{"id"}
	for seen := 0; seen < int(c.depth*float64(r.reads)); {
		page, err := r.engine.Rows(ctx, r.by, request)
		if err != nil {
			return "", "", err
		}
		seen += len(page.Rows)
		request.Cursor, last = page.NextCursor, page.Rows[len(page.Rows)-1].ID
	}
	return request.Cursor, last, nil
}

func (r *reads) byEngine(ctx context.Context, c readCase) error {
	if c.count {
		_, err := r.engine.Count(ctx, r.by, c.request)
		return err
	}
	page, err := r.engine.Rows(ctx, r.by, c.request)
	if err == nil && len(page.Rows) == 0 {
		return fmt.Errorf("the page is empty")
	}
	return err
}

// byHand runs a statement in a transaction bound to the tenant, and reads every value.
func (r *reads) byHand(ctx context.Context, sql string, args []any) error {
	return pgx.BeginFunc(ctx, r.bare, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT set_config('app.tenants', $1, true)", r.by.Tenant.String()); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, sql, slices.Concat([]any{r.by.Tenant, r.by.Workspace}, args)...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			if _, err := rows.Values(); err != nil {
				return err
			}
		}
		return rows.Err()
	})
}

func timed(do func() error) (float64, error) {
	start := time.Now()
	err := do()
	return ms(time.Since(start)), err
}
