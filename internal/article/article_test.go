package article

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/forecast"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/query"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/sales"
	"github.com/quayside/quayside/internal/supplier"
	"github.com/quayside/quayside/internal/telemetry"
)

// today is a Monday.
var today = time.Date(2026, 3, 16, 0, 0, 0, 0, time.UTC)

// stage is a company whose records are written as external systems do.
type stage struct {
	t         *testing.T
	db        *pgtest.DB
	s         *Service
	records   *ingest.Service
	sales     *sales.Service
	forecasts *forecast.Service
	tenant    pgtest.Tenant
	key       uuid.UUID
}

func newStage(t *testing.T) *stage {
	t.Helper()
	db := pgtest.New(t)
	log := slog.New(slog.DiscardHandler)
	tables := registry.New(db.Cells)
	st := &stage{t: t, db: db, tenant: pgtest.NewTenant(t, db), forecasts: forecast.New(db.Cells, log), key: uuid.New()}
	st.s = New(db.Cells, query.New(db.Cells, tables, st.forecasts, nil))
	st.s.now = func() time.Time { return today.Add(12 * time.Hour) }
	st.sales = sales.New(db.Cells, st.forecasts)
	st.records = ingest.New(db.Cells, tables, log, telemetry.NewMetrics(), ingest.Config{Lanes: 2, Queued: 1000, Wait: time.Minute})
	t.Cleanup(st.records.Close)
	return st
}

func (st *stage) exec(sql string, args ...any) {
	st.t.Helper()
	_, err := st.db.Admin(st.t).Exec(st.t.Context(), sql, args...)
	require.NoError(st.t, err)
}

// by returns somebody of the company who may read.
func (st *stage) by(role auth.Role) auth.Principal {
	return auth.Principal{Tenant: st.tenant.ID, Workspace: st.tenant.Workspace, Zone: time.UTC, Role: role,
		Actor: auth.Actor{Type: auth.ByPerson, ID: uuid.NewString()}}
}

// send stores a record, as the key does.
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

// line sends a purchase order line from the supplier s1. Times without a date are at 9 o'clock.
func (st *stage) line(id, status string, ordered, received int, values map[string]any) {
	st.t.Helper()
	record := map[string]any{"external_id": id, "order_no": "PO-" + id, "sku": "TEA", "status": status,
		"quantity_ordered": ordered, "quantity_received": received, "supplier_id": "s1", "price_per_unit": "4.50", "currency": "EUR"}
	for name, value := range values {
		record[name] = value
	}
	st.send("purchase_order_lines", record)
}

// tea returns the id of the article of the tests.
func (st *stage) tea() (id string) {
	st.t.Helper()
	require.NoError(st.t, st.db.Admin(st.t).QueryRow(st.t.Context(),
		"SELECT id FROM workspace.products WHERE tenant_id = $1 AND sku = 'TEA'", st.tenant.ID).Scan(&id))
	return id
}

// sell sends an order of an article on a day.
func (st *stage) sell(id, day, customer string, units int) {
	st.t.Helper()
	st.send("orders", map[string]any{"external_id": id, "ordered_at": day + "T10:00:00Z", "status": "completed",
		"currency": "EUR", "total": units * 10, "customer_id": customer})
	st.send("order_line_items", map[string]any{"external_id": "l" + id, "order_id": id, "sku": "TEA", "name": "Tea",
		"quantity": units, "unit_price": 10})
}

// fill makes the article of the tests: 14 a week for eight weeks, so 2 a day.
func (st *stage) fill() {
	st.t.Helper()
	st.send("suppliers", map[string]any{"external_id": "s1", "name": "Harbour Teas", "lead_time_days": 30})
	st.send("products", map[string]any{"sku": "TEA", "name": "Tea", "variant_name": "100 g", "status": "active",
		"supplier_id": "s1", "price": "10.00", "currency": "EUR", "unit_cost": "4.00", "cost_currency": "EUR",
		"stock_available": 31, "stock_updated_at": "2026-03-16T10:00:00Z"})
	st.send("products", map[string]any{"sku": "CUP", "name": "Cup", "supplier_id": "s1"})
	for _, customer := range []string{"c1", "c2"} {
		st.send("customers", map[string]any{"external_id": customer, "name": "Customer " + customer})
	}
	for week := range 8 {
		customer := "c1"
		if week >= 6 {
			customer = "c2"
		}
		st.sell(fmt.Sprint("o", week), today.AddDate(0, 0, -7*(8-week)).Format(time.DateOnly), customer, 14)
	}
	tea := st.tea()
	st.line("r1", "received", 10, 10, map[string]any{"product_id": tea, "expected_arrival_date": "2026-02-10",
		"ordered_at": "2026-02-01T09:00:00Z", "received_at": "2026-02-10T09:00:00Z"})
	st.line("r2", "received", 10, 10, map[string]any{"expected_arrival_date": "2026-02-10",
		"ordered_at": "2026-02-01T09:00:00Z", "received_at": "2026-02-13T09:00:00Z"})
	st.line("r3", "received", 10, 10, map[string]any{"sku": "CUP", "expected_arrival_date": "2026-02-10",
		"ordered_at": "2026-02-01T09:00:00Z", "received_at": "2026-02-15T09:00:00Z"})
	st.exec("UPDATE workspace.receipts r SET received_at = l.received_at FROM workspace.purchase_order_lines l WHERE l.id = r.line_id")
	st.line("p1", "partially_received", 50, 27, map[string]any{"product_id": tea, "expected_arrival_date": "2026-03-20",
		"ordered_at": "2026-03-01T09:00:00Z"})
	st.line("p2", "ordered", 12, 0, map[string]any{"expected_arrival_date": "2026-03-10", "ordered_at": "2026-03-01T09:00:00Z"})
	st.line("p3", "ordered", 10, 0, map[string]any{"expected_arrival_date": "2026-01-01", "ordered_at": "2025-12-01T09:00:00Z"})
	st.line("p4", "draft", 5, 0, nil)
	st.line("p5", "cancelled", 99, 0, nil)
	require.NoError(st.t, st.sales.CatchUp(st.t.Context(), st.tenant.ID, st.tenant.Workspace))
	require.NoError(st.t, st.forecasts.Compute(st.t.Context(), st.tenant.ID, st.tenant.Workspace, demand.DayOf(today)))
}

// fail keeps a failed import, and returns its id.
func (st *stage) fail(slug, payload string) uuid.UUID {
	id := uuid.Must(uuid.NewV7())
	st.exec(`INSERT INTO workspace.failed_imports (tenant_id, id, workspace_id, slug, http_status, code, message, payload, payload_hash, key_id, request_id)
		VALUES ($1, $2, $3, $4, 422, 'type', 'not a number', $5, sha256($5), $6, 'test')`,
		st.tenant.ID, id, st.tenant.Workspace, slug, []byte(payload), st.key)
	return id
}

func TestGet(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.fill()
	o, err := st.s.Get(t.Context(), st.by(auth.Viewer), st.tea())
	require.NoError(t, err)

	require.Equal(t, "Tea 100 g TEA active", o.Name+" "+o.Variant+" "+o.SKU+" "+o.Status)
	require.Equal(t, "Harbour Teas", o.Supplier.Name)
	require.Equal(t, "6 EUR 60", fmt.Sprintf("%s %s %g", o.Margin.Amount, o.Margin.Currency, o.Margin.Percent))
	require.Equal(t, today, o.Today)

	// 31 were reported, and 27 of p1 were received since.
	require.Equal(t, "58 = 31 + 27", fmt.Sprintf("%s = %s + %s", o.Stock.Available, o.Stock.Reported, o.Stock.ReceivedSince))
	require.Equal(t, "2026-03-16T10:00:00Z", o.Stock.CountedAt.UTC().Format(time.RFC3339))
	require.Equal(t, auth.ByOperator, o.Stock.By.Type)

	// 23 of p1, 12 of p2 and 10 of p3; p3 is 74 days late, so nobody counts on it.
	require.Equal(t, "45 incoming, 22 overdue, 5 drafted", fmt.Sprintf("%s incoming, %s overdue, %s drafted",
		o.Incoming.Quantity, o.Incoming.Overdue, o.Incoming.Drafted))
	require.Equal(t, "2026-03-20", o.Incoming.Next.Format(time.DateOnly))
	var arrivals []string
	for _, a := range o.Incoming.Arrivals {
		day := "never"
		if a.Day != nil {
			day = a.Day.Format(time.DateOnly)
		}
		arrivals = append(arrivals, fmt.Sprintf("%s %s %s", a.OrderNo, a.Quantity, day))
	}
	require.Equal(t, []string{"PO-p1 23 2026-03-20", "PO-p2 12 2026-03-23", "PO-p3 10 never"}, arrivals)

	// 58 last 29 days. With 23 and 12 more, 93 last until the 47th day.
	require.InDelta(t, 2, o.Demand.PerDay, 1e-9)
	require.InDelta(t, 29, *o.DaysOfCover, 1e-9)
	require.Equal(t, "2026-05-02", o.RunsOut.Format(time.DateOnly))
	require.Len(t, o.Projection, projected+1)
	require.InDelta(t, 58, o.Projection[0].Left, 1e-9)
	require.InDelta(t, 58-8+23, o.Projection[4].Left, 1e-9)
	require.Len(t, o.Demand.Weeks, nextWeeks)
	require.Equal(t, today, o.Demand.Weeks[0].Week)
	require.InDelta(t, 14, o.Demand.Weeks[0].Units, 1e-9)
	require.Less(t, o.Demand.Weeks[0].Low, 14.0)
	require.Greater(t, o.Demand.Weeks[0].High, 14.0)

	// Of the article r1 was on time and r2 three days late; r3 of another one was five days late.
	require.ElementsMatch(t, []supplier.Punctuality{
		{Scope: "article", Lines: 2, OnTime: 1, DaysLate: 3, Leads: 2, LeadDays: 10.5},
		{Scope: "supplier", Lines: 3, OnTime: 1, DaysLate: 4, Leads: 3, LeadDays: 12},
	}, o.Punctuality)
	require.Equal(t, LeadTime{12, "supplier_learnt"}, o.LeadTime, "two deliveries of the article are too few")
}

func TestActivity(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.fill()
	st.send("products", map[string]any{"sku": "TEA", "unit_cost": "4.20"})
	st.send("products", map[string]any{"sku": "TEA", "unit_cost": "4.20", "tags": "green"})
	wanted := st.fail("order_line_items", `{"external_id": "x", "sku": "TEA", "quantity": "many"}`)
	st.fail("order_line_items", `{"external_id": "y", "sku": "TEAPOT", "quantity": "many"}`)
	tea := st.tea()
	a, err := st.s.Activity(t.Context(), st.by(auth.CompanyAdmin), tea)
	require.NoError(t, err)

	var orders []string
	for _, line := range a.Lines {
		orders = append(orders, line.OrderNo+" "+line.Status)
	}
	require.Equal(t, []string{"PO-p5 cancelled", "PO-p4 draft", "PO-p3 ordered", "PO-p2 ordered",
		"PO-p1 partially_received", "PO-r2 received", "PO-r1 received"}, orders)
	var receipts []string
	for _, receipt := range a.Receipts {
		receipts = append(receipts, receipt.OrderNo+" "+receipt.Quantity.String())
	}
	require.Equal(t, []string{"PO-p1 27", "PO-r2 10", "PO-r1 10"}, receipts)
	var costs []string
	for _, cost := range a.Costs {
		costs = append(costs, cost.Amount)
	}
	require.Equal(t, []string{"4.20", "4.00"}, costs, "a cost that is sent again is no change")

	require.Equal(t, "112 units, 8 orders, 2 customers, 1120 EUR", fmt.Sprintf("%s units, %d orders, %d customers, %s %s",
		a.Buyers.Units, a.Buyers.Orders, a.Buyers.Customers, a.Buyers.Net, a.Buyers.Currency))
	var buyers []string
	for _, buyer := range a.Buyers.Top {
		buyers = append(buyers, fmt.Sprintf("%s %s %d %s", buyer.Name, buyer.Units, buyer.Orders, buyer.Last.Format(time.DateOnly)))
	}
	require.Equal(t, []string{"Customer c1 84 6 2026-02-23", "Customer c2 28 2 2026-03-09"}, buyers)

	require.Len(t, a.Failures, 1)
	require.Equal(t, wanted, a.Failures[0].ID)
	require.Equal(t, "ingest.products.received", a.Moments[0].What)
	require.Contains(t, a.Moments[0].Fields, "tags")
	require.Equal(t, "PO-p5", a.Moments[2].OrderNo)

	a, err = st.s.Activity(t.Context(), st.by(auth.Viewer), tea)
	require.NoError(t, err)
	require.Equal(t, st.by(auth.Viewer).Require(auth.ReadFailures) == nil, a.Failures != nil)
}

// TestOthers checks that nobody reads an article of another company or workspace.
func TestOthers(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.fill()
	tea := st.tea()
	other := pgtest.NewTenant(t, st.db)
	stranger, elsewhere, nobody := st.by(auth.CompanyAdmin), st.by(auth.CompanyAdmin), st.by("")
	stranger.Tenant, stranger.Workspace = other.ID, other.Workspace
	elsewhere.Workspace = uuid.New()
	for name, by := range map[string]auth.Principal{"company": stranger, "workspace": elsewhere} {
		_, err := st.s.Get(t.Context(), by, tea)
		require.True(t, fault.Is(err, fault.NotFound), "%s: %v", name, err)
		_, err = st.s.Activity(t.Context(), by, tea)
		require.True(t, fault.Is(err, fault.NotFound), "%s: %v", name, err)
	}
	_, err := st.s.Get(t.Context(), nobody, tea)
	require.True(t, fault.Is(err, fault.Forbidden), "%v", err)
}

// TestWithoutStock checks an article of which little is known.
func TestWithoutStock(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.send("products", map[string]any{"external_id": "v1", "name": "Cup", "price": "10", "currency": "EUR", "unit_cost": "4",
		"cost_currency": "USD"})
	var id string
	require.NoError(t, st.db.Admin(t).QueryRow(t.Context(), "SELECT id FROM workspace.products").Scan(&id))
	o, err := st.s.Get(t.Context(), st.by(auth.Viewer), id)
	require.NoError(t, err)
	require.Nil(t, o.Stock.Available)
	require.Nil(t, o.Stock.CountedAt)
	require.Nil(t, o.Margin, "the currencies differ")
	require.Nil(t, o.DaysOfCover)
	require.Nil(t, o.RunsOut)
	require.Empty(t, o.Projection)
	require.Equal(t, LeadTime{14, "default"}, o.LeadTime)
	a, err := st.s.Activity(t.Context(), st.by(auth.Viewer), id)
	require.NoError(t, err)
	require.Empty(t, a.Lines)
	require.Empty(t, a.Buyers.Top)
}
