package procure_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/forecast"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/playbook"
	"github.com/quayside/quayside/internal/procure"
	"github.com/quayside/quayside/internal/purchase"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/sales"
	"github.com/quayside/quayside/internal/telemetry"
)

// today is the day of the tests, so that decisions of today count today.
var today = time.Now().UTC().Truncate(24 * time.Hour)

// stage is a company whose records are written as external systems do.
type stage struct {
	t         *testing.T
	db        *pgtest.DB
	admin     *pgx.Conn
	queue     *procure.Service
	lines     *purchase.Service
	playbook  *playbook.Service
	records   *ingest.Service
	sales     *sales.Service
	forecasts *forecast.Service
	tenant    pgtest.Tenant
}

func newStage(t *testing.T) *stage {
	t.Helper()
	db := pgtest.New(t)
	log := slog.New(slog.DiscardHandler)
	st := &stage{t: t, db: db, admin: db.Admin(t), tenant: pgtest.NewTenant(t, db), forecasts: forecast.New(db.Cells, log),
		lines: purchase.New(db.Cells), playbook: playbook.New(db.Cells)}
	st.queue = procure.New(db.Cells, st.lines, log)
	st.sales = sales.New(db.Cells, st.forecasts)
	st.records = ingest.New(db.Cells, registry.New(db.Cells), log, telemetry.NewMetrics(), ingest.Config{Lanes: 2, Queued: 1000, Wait: time.Minute})
	t.Cleanup(st.records.Close)
	return st
}

// by returns a person of the company.
func (st *stage) by(role auth.Role) auth.Principal {
	person := uuid.New()
	return auth.Principal{Tenant: st.tenant.ID, Workspace: st.tenant.Workspace, Zone: time.UTC, Role: role, Person: person,
		Actor: auth.Actor{Type: auth.ByPerson, ID: person.String()}}
}

// agent returns a procurement agent of the company.
func (st *stage) agent() auth.Principal {
	return auth.Principal{Tenant: st.tenant.ID, Workspace: st.tenant.Workspace, Zone: time.UTC, Role: auth.Agent,
		Actor: auth.Actor{Type: auth.ByAgent, ID: uuid.NewString()}}
}

// send stores a record, as a key does.
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

// product sends an article of the supplier s1 with stock of today. Further values replace these.
func (st *stage) product(sku string, stock int, values map[string]any) {
	st.t.Helper()
	record := map[string]any{"external_id": sku, "sku": sku, "name": "The " + sku, "status": "active", "supplier_id": "s1", "price": "10.00",
		"currency": "EUR", "unit_cost": "4.00", "cost_currency": "EUR", "stock_available": stock,
		"stock_updated_at": today.Format(time.RFC3339)}
	for name, value := range values {
		record[name] = value
	}
	st.send("products", record)
}

// sell sends an order of 14 units for each of the last weeks.
func (st *stage) sell(sku string, weeks int) { st.sellSince(sku, 1, weeks) }

// sellSince does so for the weeks from the first to the last one, which are counted back from today.
func (st *stage) sellSince(sku string, first, last int) {
	st.t.Helper()
	for week := first; week <= last; week++ {
		id := fmt.Sprintf("%s-%d", sku, week)
		day := today.AddDate(0, 0, -7*week)
		st.send("orders", map[string]any{"external_id": id, "ordered_at": day.Format(time.RFC3339), "status": "completed",
			"currency": "EUR", "total": 140})
		st.send("order_line_items", map[string]any{"external_id": "l" + id, "order_id": id, "sku": sku, "name": sku,
			"variant_external_id": sku, "quantity": 14, "unit_price": 10})
	}
}

// line sends a purchase order line of the supplier s1.
func (st *stage) line(id, sku, status string, quantity int, values map[string]any) {
	st.t.Helper()
	record := map[string]any{"external_id": id, "order_no": "PO-" + id, "sku": sku, "status": status, "quantity_ordered": quantity,
		"supplier_id": "s1", "price_per_unit": "4.00", "currency": "EUR"}
	for name, value := range values {
		record[name] = value
	}
	st.send("purchase_order_lines", record)
}

// open makes a company with one supplier and two articles that sell 14 a week, and computes all.
func (st *stage) open() {
	st.t.Helper()
	st.send("suppliers", map[string]any{"external_id": "s1", "name": "Harbour Teas", "lead_time_days": 10})
	st.product("TEA", 5, map[string]any{"order_multiple": 12})
	st.product("CUP", 500, nil)
	st.sell("TEA", 12)
	st.sell("CUP", 12)
	st.compute()
}

// compute computes sales, demand and the queue as of today.
func (st *stage) compute() {
	st.t.Helper()
	ctx := st.t.Context()
	require.NoError(st.t, st.sales.CatchUp(ctx, st.tenant.ID, st.tenant.Workspace))
	require.NoError(st.t, st.forecasts.Compute(ctx, st.tenant.ID, st.tenant.Workspace, demand.DayOf(today)))
	require.NoError(st.t, st.queue.Daily(ctx, today.Add(12*time.Hour)))
	st.follow()
}

// follow lets the queue read all that was stored.
func (st *stage) follow() {
	st.t.Helper()
	ctx := st.t.Context()
	require.NoError(st.t, st.sales.CatchUp(ctx, st.tenant.ID, st.tenant.Workspace))
	require.NoError(st.t, st.queue.CatchUp(ctx))
}

// row returns the recommendation of an article.
func (st *stage) row(sku string) procure.Recommendation {
	st.t.Helper()
	var id string
	require.NoError(st.t, st.admin.QueryRow(st.t.Context(),
		"SELECT id FROM workspace.products WHERE tenant_id = $1 AND sku = $2", st.tenant.ID, sku).Scan(&id))
	e, err := st.queue.Explain(st.t.Context(), st.by(auth.Viewer), id, procure.WhatIf{})
	require.NoError(st.t, err)
	require.Equal(st.t, e.Is, e.WhatIf)
	require.Equal(st.t, procure.Text(e.Recommendation.Reason), procure.Text(e.Is.Reason), "the stored row is current")
	return e.Recommendation
}

// dump returns all rows of the queue, by article, without the time of their computation.
func (st *stage) dump() map[string]string {
	st.t.Helper()
	rows, err := st.admin.Query(st.t.Context(),
		"SELECT product_id, (to_jsonb(q) - 'computed_at')::text FROM workspace.queue_rows q WHERE tenant_id = $1", st.tenant.ID)
	require.NoError(st.t, err)
	all := map[string]string{}
	for rows.Next() {
		var id, row string
		require.NoError(st.t, rows.Scan(&id, &row))
		all[id] = row
	}
	require.NoError(st.t, rows.Err())
	return all
}

func (st *stage) exec(sql string, args ...any) {
	st.t.Helper()
	_, err := st.admin.Exec(st.t.Context(), sql, args...)
	require.NoError(st.t, err)
}
