package customer

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
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/forecast"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/query"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/sales"
	"github.com/quayside/quayside/internal/telemetry"
)

// today is the day of the tests. The view that says who is due has a clock of its own, so it is the
// real one.
var today = time.Now().UTC().Truncate(24 * time.Hour)

// stage is a company whose records are written as external systems do.
type stage struct {
	t       *testing.T
	db      *pgtest.DB
	s       *Service
	records *ingest.Service
	sales   *sales.Service
	tenant  pgtest.Tenant
}

func newStage(t *testing.T) *stage {
	t.Helper()
	db := pgtest.New(t)
	log := slog.New(slog.DiscardHandler)
	tables, forecasts := registry.New(db.Cells), forecast.New(db.Cells, log)
	st := &stage{t: t, db: db, tenant: pgtest.NewTenant(t, db), sales: sales.New(db.Cells, forecasts)}
	st.s = New(db.Cells, query.New(db.Cells, tables, forecasts, nil))
	st.s.now = func() time.Time { return today.Add(12 * time.Hour) }
	st.records = ingest.New(db.Cells, tables, log, telemetry.NewMetrics(), ingest.Config{Lanes: 2, Queued: 1000, Wait: time.Minute})
	t.Cleanup(st.records.Close)
	return st
}

func (st *stage) by(role auth.Role) auth.Principal {
	return auth.Principal{Tenant: st.tenant.ID, Workspace: st.tenant.Workspace, Zone: time.UTC, Role: role, Scope: auth.AllTables,
		Actor: auth.Actor{Type: auth.ByPerson, ID: uuid.NewString()}}
}

// send stores a record, as an external system does.
func (st *stage) send(slug string, record map[string]any) {
	st.t.Helper()
	body, err := json.Marshal(record)
	require.NoError(st.t, err)
	by := st.by("")
	by.Actor = auth.Actor{Type: auth.ByOperator}
	_, err = st.records.Write(context.WithoutCancel(st.t.Context()),
		ingest.Record{By: by, Slug: slug, Body: body, RequestID: "test"})
	require.NoError(st.t, err, "%s %s", slug, body)
}

// order sends an order that was made some days ago, with one line for each SKU.
func (st *stage) order(id string, daysAgo int, status, currency string, units map[string]int) {
	st.t.Helper()
	st.send("orders", map[string]any{"external_id": id, "order_number": "#" + id, "status": status, "currency": currency, "total": 99,
		"ordered_at": today.AddDate(0, 0, -daysAgo).Format(time.DateOnly) + "T10:00:00Z", "customer_id": "c1"})
	for sku, quantity := range units {
		line := map[string]any{"external_id": id + sku, "order_id": id, "sku": sku, "name": "Line of " + sku, "quantity": quantity, "unit_price": 10}
		if sku == "CUP" {
			line["returned_quantity"] = 1
		}
		st.send("order_line_items", line)
	}
}

// fill makes a customer who orders every 20 days, and did so 25 days ago.
func (st *stage) fill() {
	st.t.Helper()
	st.send("products", map[string]any{"sku": "TEA", "name": "Tea"})
	st.send("products", map[string]any{"sku": "CUP", "name": "Cup"})
	st.send("customers", map[string]any{"external_id": "c1", "name": "", "company": "Corner Café", "email": "cafe@example.com", "country": "DE"})
	st.send("customers", map[string]any{"external_id": "c2", "name": "Somebody else"})
	st.order("o1", 85, "completed", "EUR", map[string]int{"TEA": 2})
	st.order("o2", 65, "completed", "EUR", map[string]int{"TEA": 3, "CUP": 4})
	st.order("o3", 45, "completed", "EUR", map[string]int{"TEA": 1, "GONE": 5})
	st.order("o4", 25, "completed", "EUR", map[string]int{"TEA": 4})
	st.order("o5", 10, "cancelled", "EUR", map[string]int{"TEA": 100})
	require.NoError(st.t, st.sales.CatchUp(st.t.Context(), st.tenant.ID, st.tenant.Workspace))
}

func (st *stage) id(external string) (id string) {
	st.t.Helper()
	require.NoError(st.t, st.db.Admin(st.t).QueryRow(st.t.Context(),
		"SELECT id FROM workspace.customers WHERE tenant_id = $1 AND external_id = $2", st.tenant.ID, external).Scan(&id))
	return id
}

func TestGet(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.fill()
	o, err := st.s.Get(t.Context(), st.by(auth.Viewer), st.id("c1"))
	require.NoError(t, err)
	require.Equal(t, "Corner Café cafe@example.com DE EUR", fmt.Sprintf("%s %s %s %s", o.Called, o.Email, o.Country, o.Currency))

	// 2, 7 less 1, 6 and 4 units at 10; the cancelled order does not count. Gaps are of 20 days.
	day := func(daysAgo int) string { return today.AddDate(0, 0, -daysAgo).Format(time.DateOnly) }
	require.Equal(t, fmt.Sprintf("4 orders, 180, from %s to %s, every 20", day(85), day(25)),
		fmt.Sprintf("%d orders, %s, from %s to %s, every %s", o.Due.Orders, o.Due.Lifetime, o.Due.First, o.Due.Last, o.Due.MedianGap))
	require.Equal(t, fmt.Sprintf("%s, 5 days overdue, due", day(5)), fmt.Sprintf("%s, %d days overdue, %s", *o.Due.Next, *o.Due.DaysOverdue, *o.Due.Status))
	require.Contains(t, o.Due.Reason, "Orders every 20 days")

	require.Equal(t, "4 orders, 19 units, 1 returned, false", fmt.Sprintf("%d orders, %s units, %s returned, %t",
		o.Usual.Orders, o.Usual.Units, o.Usual.Returned, o.Usual.Cut))
	var usual []string
	for _, one := range o.Usual.Articles {
		usual = append(usual, fmt.Sprintf("%s in %d, %s units, last %s", one.Name, one.Orders, one.Units, one.Last.Format(time.DateOnly)))
	}
	require.Equal(t, []string{"Tea in 4, 10 units, last " + day(25), "Cup in 1, 3 units, last " + day(65)}, usual)

	var orders int64
	net := o.Months[0].Net.Sub(o.Months[0].Net)
	for i, m := range o.Months {
		orders, net = orders+m.Orders, net.Add(m.Net)
		require.Equal(t, 1, m.First.Day())
		require.True(t, i == 0 || m.First.Equal(o.Months[i-1].First.AddDate(0, 1, 0)), "no month is left out")
	}
	require.Equal(t, "4 180", fmt.Sprint(orders, net))

	other, err := st.s.Get(t.Context(), st.by(auth.Viewer), st.id("c2"))
	require.NoError(t, err)
	require.Nil(t, other.Due)
	require.Empty(t, other.Months)
	require.Empty(t, other.Usual.Articles)
}

func TestOrders(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.fill()
	st.order("o6", 5, "completed", "USD", map[string]int{"TEA": 1})
	require.NoError(t, st.sales.CatchUp(t.Context(), st.tenant.ID, st.tenant.Workspace))
	var all []string
	want := page.Request{Most: 2}
	for more := true; more; {
		var some []Order
		var err error
		some, more, err = st.s.Orders(t.Context(), st.by(auth.Viewer), st.id("c1"), want)
		require.NoError(t, err)
		for _, one := range some {
			all = append(all, fmt.Sprintf("%s %s %s, %d lines", one.Number, one.Total.Amount, one.Total.Currency, len(one.Lines)))
			want.After = one.ID
		}
	}
	require.Equal(t, []string{"#o6 99 USD, 1 lines", "#o4 99 EUR, 1 lines", "#o3 99 EUR, 2 lines", "#o2 99 EUR, 2 lines", "#o1 99 EUR, 1 lines"}, all)

	o, err := st.s.Get(t.Context(), st.by(auth.Viewer), st.id("c1"))
	require.NoError(t, err)
	require.Equal(t, "5 orders, 180", fmt.Sprintf("%d orders, %s", o.Due.Orders, o.Due.Lifetime), "dollars have no rate")
	var unconverted int64
	for _, m := range o.Months {
		unconverted += m.Unconverted
	}
	require.Equal(t, int64(1), unconverted)
}

func TestActivity(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.fill()
	st.send("customers", map[string]any{"external_id": "c1", "city": "Kiel"})
	st.send("meeting_notes", map[string]any{"external_id": "n1", "title": "Their new menu", "started_at": "2026-03-01T10:00:00Z", "customer_id": "c1"})
	a, err := st.s.Activity(t.Context(), st.by(auth.CompanyAdmin), st.id("c1"))
	require.NoError(t, err)
	require.Len(t, a.Moments, 2)
	require.Equal(t, "ingest.customers.received", a.Moments[0].What)
	require.Contains(t, a.Moments[0].Fields, "city")
	require.Len(t, a.Notes, 1)
	require.Equal(t, "Their new menu", a.Notes[0].Title)
	require.NotNil(t, a.Failures)
}

func TestUnknown(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.send("customers", map[string]any{"external_id": "c1", "name": "One"})
	elsewhere := st.by(auth.CompanyAdmin)
	elsewhere.Workspace = uuid.New()
	_, err := st.s.Get(t.Context(), elsewhere, st.id("c1"))
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	_, err = st.s.Get(t.Context(), st.by(""), st.id("c1"))
	require.True(t, fault.Is(err, fault.Forbidden), "%v", err)
}
