package sales

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/forecast"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/telemetry"
)

// stage is a company whose records are written as external systems do.
type stage struct {
	t       *testing.T
	db      *pgtest.DB
	admin   *pgx.Conn
	s       *Service
	records *ingest.Service
	tenant  pgtest.Tenant
}

func newStage(t *testing.T) *stage {
	t.Helper()
	db := pgtest.New(t)
	st := &stage{t: t, db: db, admin: db.Admin(t), s: New(db.Cells, forecast.New(db.Cells, slog.New(slog.DiscardHandler))), tenant: pgtest.NewTenant(t, db)}
	st.records = ingest.New(db.Cells, registry.New(db.Cells), slog.New(slog.DiscardHandler), telemetry.NewMetrics(),
		ingest.Config{Lanes: 2, Queued: 1000, Wait: time.Minute})
	t.Cleanup(st.records.Close)
	st.keep() // from now on, figures follow from the outbox
	return st
}

// beside returns another company in the same database.
func (st *stage) beside() *stage {
	other := *st
	other.tenant = pgtest.NewTenant(st.t, st.db)
	return &other
}

// send stores a record.
func (st *stage) send(slug string, record map[string]any) {
	st.t.Helper()
	body, err := json.Marshal(record)
	require.NoError(st.t, err)
	by := auth.Principal{Tenant: st.tenant.ID, Workspace: st.tenant.Workspace, Zone: time.UTC, Scope: auth.AllTables,
		Actor: auth.Actor{Type: auth.ByOperator}}
	_, err = st.records.Write(context.WithoutCancel(st.t.Context()),
		ingest.Record{By: by, Slug: slug, Body: body, RequestID: "test"})
	require.NoError(st.t, err, "%s %s", slug, body)
}

// keep works until all that was sent is in the figures.
func (st *stage) keep() {
	st.t.Helper()
	require.NoError(st.t, st.s.CatchUp(st.t.Context(), st.tenant.ID, st.tenant.Workspace))
}

func (st *stage) exec(sql string, args ...any) {
	st.t.Helper()
	_, err := st.admin.Exec(st.t.Context(), sql, args...)
	require.NoError(st.t, err)
}

// rows returns the rows of a statement as texts. $1 is the tenant.
func (st *stage) rows(sql string, args ...any) []string {
	st.t.Helper()
	rows, err := st.admin.Query(st.t.Context(), sql, append([]any{st.tenant.ID}, args...)...)
	require.NoError(st.t, err)
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(st.t, err)
	return texts
}

// figures are all figures of the company: what a rebuild has to find again.
var figures = []string{"sales_lines", "sales_orders", "sales_days", "sales_weeks", "stock_days", "sales_series", "sales_customers"}

// all returns every figure of the company.
func (st *stage) all() string {
	st.t.Helper()
	var all strings.Builder
	for _, table := range figures {
		fmt.Fprintf(&all, "%s\n", table)
		for _, row := range st.rows("SELECT t::text FROM workspace." + table + " t WHERE tenant_id = $1 ORDER BY 1") {
			fmt.Fprintf(&all, "  %s\n", row)
		}
	}
	return all.String()
}

// product, order and line send records with what they need.
func (st *stage) product(id string, values map[string]any) {
	st.t.Helper()
	record := map[string]any{"external_id": id, "name": "Article " + id}
	for name, value := range values {
		record[name] = value
	}
	st.send("products", record)
}

func (st *stage) order(id, at string, values map[string]any) {
	st.t.Helper()
	record := map[string]any{"external_id": id, "ordered_at": at, "status": "completed", "currency": "EUR", "total": 100}
	for name, value := range values {
		record[name] = value
	}
	st.send("orders", record)
}

func (st *stage) line(id, order string, quantity any, values map[string]any) {
	st.t.Helper()
	record := map[string]any{"external_id": id, "order_id": order, "name": "x", "quantity": quantity, "unit_price": 10}
	for name, value := range values {
		record[name] = value
	}
	st.send("order_line_items", record)
}

// weeks describes the weeks of an article by its external id, or all weeks of "" or "*".
func (st *stage) weeks(article string) []string {
	st.t.Helper()
	return st.rows(`SELECT concat_ws(' ', week, 'lines', lines, 'orders', orders, 'customers', customers, 'units', units, '-', returned,
			'gross', gross, 'discount', discount, 'net', net, 'unconverted', unconverted)
		FROM workspace.sales_weeks w
		WHERE tenant_id = $1 AND product_id = coalesce((SELECT p.id FROM workspace.products p WHERE p.tenant_id = $1
			AND p.external_id = '` + article + `'), '` + article + `') ORDER BY week`)
}

// series describes the series of the article a.
func (st *stage) series() string {
	st.t.Helper()
	rows := st.rows(`SELECT concat_ws(' ', s.first_sale, s.last_sale, 'from', s.first_week, s.units::text, s.empty_days::text,
			'counted from', s.counted_from, 'ends', s.ends_on, CASE WHEN s.ends_empty THEN 'empty' END)
		FROM workspace.sales_series s JOIN workspace.products p ON p.tenant_id = s.tenant_id AND p.id = s.product_id
		WHERE s.tenant_id = $1 AND p.external_id = 'a'`)
	require.Len(st.t, rows, 1)
	return rows[0]
}
