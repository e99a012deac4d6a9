package supplier

import (
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
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/query"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/subject"
)

var today = time.Date(2026, 3, 16, 0, 0, 0, 0, time.UTC)

// stage is a company with the supplier s1.
type stage struct {
	t      *testing.T
	db     *pgtest.DB
	s      *Service
	tenant pgtest.Tenant
	id     string // of the supplier
}

func newStage(t *testing.T) *stage {
	t.Helper()
	db := pgtest.New(t)
	st := &stage{t: t, db: db, tenant: pgtest.NewTenant(t, db)}
	st.s = New(db.Cells, query.New(db.Cells, registry.New(db.Cells), forecast.New(db.Cells, slog.New(slog.DiscardHandler)), nil))
	st.s.now = func() time.Time { return today.Add(12 * time.Hour) }
	st.id = st.insert("suppliers", `external_id, name, email, currency, lead_time_days, min_order_value`,
		`'s1', 'Harbour Teas', 'hello@harbour.example', 'EUR', 30, 500`)
	return st
}

// insert stores a record, and returns its id.
func (st *stage) insert(table, columns, values string) (id string) {
	st.t.Helper()
	require.NoError(st.t, st.db.Admin(st.t).QueryRow(st.t.Context(), fmt.Sprintf(
		"INSERT INTO workspace.%s (tenant_id, workspace_id, %s) VALUES ($1, $2, %s) RETURNING id", table, columns, values),
		st.tenant.ID, st.tenant.Workspace).Scan(&id), values)
	return id
}

func (st *stage) exec(sql string, args ...any) {
	st.t.Helper()
	_, err := st.db.Admin(st.t).Exec(st.t.Context(), sql, args...)
	require.NoError(st.t, err)
}

func (st *stage) by(role auth.Role) auth.Principal {
	return auth.Principal{Tenant: st.tenant.ID, Workspace: st.tenant.Workspace, Zone: time.UTC, Role: role,
		Actor: auth.Actor{Type: auth.ByPerson, ID: uuid.NewString()}}
}

// line stores a line of the supplier. Empty days are none; days are at 9 o'clock.
func (st *stage) line(order, sku, status string, ordered, received int, price, currency, expected, orderedOn, receivedOn string) {
	st.t.Helper()
	text := func(value, form string) string {
		if value == "" {
			return "NULL"
		}
		return fmt.Sprintf("'"+form+"'", value)
	}
	st.insert("purchase_order_lines",
		"external_id, order_no, sku, status, quantity_ordered, quantity_received, price_per_unit, currency, supplier_id, expected_arrival_date, ordered_at, received_at",
		fmt.Sprintf("'%s', '%s', '%s', '%s', %d, %d, %s, '%s', '%s', %s, %s, %s", uuid.NewString(), order, sku, status, ordered, received,
			text(price, "%s"), currency, st.id, text(expected, "%s"), text(orderedOn, "%sT09:00:00Z"), text(receivedOn, "%sT09:00:00Z")))
}

// fill stores lines of all kinds.
func (st *stage) fill() {
	st.t.Helper()
	st.line("PO-1", "TEA", "received", 10, 10, "4", "EUR", "2026-01-20", "2026-01-10", "2026-01-20") // on time, after 10 days
	st.line("PO-2", "TEA", "received", 10, 10, "5", "EUR", "2026-02-10", "2026-02-01", "2026-02-15") // 5 days late, after 14
	st.line("PO-2", "CUP", "received", 20, 8, "3", "USD", "", "2026-02-01", "2026-02-21")            // closed short, after 20 days
	st.line("PO-2", "POT", "cancelled", 50, 0, "100", "EUR", "2026-02-10", "2026-02-01", "")
	st.line("PO-0", "TEA", "received", 10, 10, "3", "EUR", "", "2024-12-01", "2024-12-10") // too long ago
	st.line("PO-3", "TEA", "partially_received", 50, 30, "5.50", "EUR", "2026-03-10", "2026-03-01", "")
	st.line("PO-3", "CUP", "ordered", 10, 0, "2.70", "USD", "2026-03-20", "2026-03-01", "")
	st.line("PO-4", "TEA", "ordered", 7, 0, "", "EUR", "", "2026-03-15", "")
	st.line("PO-5", "TEA", "draft", 5, 0, "6", "EUR", "", "", "")
}

func said(amounts []subject.Money) (all string) {
	for _, one := range amounts {
		all += one.Amount.String() + " " + one.Currency + " "
	}
	return all
}

func TestGet(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.fill()
	st.insert("purchase_order_lines", "external_id, order_no, sku, status, quantity_ordered, price_per_unit, currency",
		"'other', 'PO-9', 'TEA', 'ordered', 1000, 1000, 'EUR'") // of no supplier
	o, err := st.s.Get(t.Context(), st.by(auth.Viewer), st.id)
	require.NoError(t, err)
	require.Equal(t, "Harbour Teas hello@harbour.example EUR 30 500", fmt.Sprintf("%s %s %s %s %s", o.Name, o.Email, o.Currency, o.LeadDays, o.MinOrderValue))
	require.Nil(t, o.Active)

	// 20 of 50 at 5.50 and 10 at 2.70 are still to come; 7 have no price. The first is six days late.
	require.Equal(t, "2 orders, 3 lines, 1 late in 1, 1 drafted", fmt.Sprintf("%d orders, %d lines, %d late in %d, %d drafted",
		o.Open.Orders, o.Open.Lines, o.Open.Late, o.Open.LateOrders, o.Open.Drafted))
	require.Equal(t, "110 EUR 27 USD ", said(o.Open.Value))
	require.Equal(t, "2026-03-20", o.Open.Next.Format(time.DateOnly))
	var orders []string
	for _, one := range o.Open.List {
		orders = append(orders, fmt.Sprintf("%s %d %d %d", one.OrderNo, one.Lines, one.Late, one.Drafted))
	}
	require.Equal(t, []string{"PO-3 2 1 0", "PO-4 1 0 0", "PO-5 0 0 1"}, orders)
	require.Equal(t, "2026-03-10", o.Open.List[0].Next.Format(time.DateOnly), "overdue")
	require.Equal(t, "20 true", fmt.Sprint(o.Open.List[0].List[0].Quantity, o.Open.List[0].List[0].Late))
	require.False(t, o.Open.Cut)

	// 10 at 4, 10 at 5 and 50 at 5.50; of the cups 8 came at 3, and 10 at 2.70 were ordered.
	require.Equal(t, "365 EUR 51 USD ", said(o.Bought.Amounts))
	require.Equal(t, "6 lines, 1 unpriced", fmt.Sprintf("%d lines, %d unpriced", o.Bought.Lines, o.Bought.Unpriced))

	// Two of the three lines of the last year had a day, of which one was kept.
	require.Equal(t, Punctuality{Scope: "supplier", Lines: 2, OnTime: 1, DaysLate: 5, Leads: 3, LeadDays: 14}, *o.Punctuality)
	require.Equal(t, "14 days from 3", fmt.Sprintf("%g days from %d", o.Learnt.Days, o.Learnt.Deliveries))
	require.InDelta(t, (14+0.7*6-14)/1.036, o.Learnt.Sigma, 1e-9, "at 85 of 100, between 14 and 20 days")
	require.Nil(t, o.ToOrder, "there is no queue")
}

// TestImplausibleDays judges no delivery by a day that cannot be true.
func TestImplausibleDays(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.fill()
	read := func() Punctuality {
		o, err := st.s.Get(t.Context(), st.by(auth.Viewer), st.id)
		require.NoError(t, err)
		return *o.Punctuality
	}
	before := read()
	for i, days := range []string{"'1900-01-01', '2026-03-01'", "'9999-12-31', '2026-03-01'", "'2026-03-01', '9999-12-31'"} {
		st.insert("purchase_order_lines", "external_id, order_no, sku, status, quantity_ordered, quantity_received, supplier_id, expected_arrival_date, received_at",
			fmt.Sprintf("'when %d', 'PO-9', 'TEA', 'received', 5, 5, '%s', %s", i, st.id, days))
	}
	require.Equal(t, before, read())
}

func TestToOrder(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	tea := st.insert("products", "sku, name, supplier_id, supplier_sku", fmt.Sprintf("'TEA', 'Tea', '%s', 'HT-7'", st.id))
	cup := st.insert("products", "sku, name, supplier_id, stock_available, unit_cost, cost_currency",
		fmt.Sprintf("'CUP', 'Cup', '%s', 12, 2.5, 'USD'", st.id))
	pot := st.insert("products", "sku, name, supplier_id", fmt.Sprintf("'POT', 'Pot', '%s'", st.id))
	st.insert("products", "sku, name, status, supplier_id", fmt.Sprintf("'OLD', 'Old tea', 'archived', '%s'", st.id))
	st.exec("INSERT INTO workspace.queue_state VALUES ($1, $2, $3, now(), 1, now())", st.tenant.ID, st.tenant.Workspace, today)
	row := func(product, action, urgency, cost string, drafted bool) {
		locked := "NULL"
		if drafted {
			locked = "'somewhere'"
		}
		st.exec(`INSERT INTO workspace.queue_rows SELECT (json_populate_record(NULL::workspace.queue_rows, json_build_object(
			'tenant_id', $1::text, 'workspace_id', $2::text, 'product_id', $3::text, 'as_of', '2026-03-16', 'recommendation_key', $3::text, 'name', 'x',
			'supplier_id', $4::text, 'action', $5::text, 'urgency', $6::text, 'rank', 1, 'margin_at_risk', 0, 'available', 3, 'open_purchase_order_quantity', 4,
			'draft_quantity', 0, 'overdue_quantity', 0, 'demand_per_day', 1, 'days_of_cover', 3, 'lead_time_days', 1, 'lead_time_source', 'default',
			'safety_stock', 0, 'reorder_point', 0, 'target_stock', 0, 'late_by_days', 0, 'raw_quantity', 9, 'suggested_quantity', 9, 'overbuy_quantity', 0,
			'unit_price', 4, 'currency', 'EUR', 'line_cost', $7::numeric, 'locked_by_line_id', `+locked+`::text, 'confidence', 'high',
			'data_gaps', '{}'::json, 'reason', '[]'::json, 'reason_text', '', 'computed_at', now(), 'digest', '\x00'))).*`,
			st.tenant.ID.String(), st.tenant.Workspace.String(), product, st.id, action, urgency, cost)
	}
	row(tea, "order", "critical", "36", false)
	row(pot, "order", "high", "99", true)
	o, err := st.s.Get(t.Context(), st.by(auth.Viewer), st.id)
	require.NoError(t, err)
	require.Equal(t, "1 articles, 1 critical, 36 EUR ", fmt.Sprintf("%d articles, %d critical, %s", o.ToOrder.Articles, o.ToOrder.Critical, said(o.ToOrder.Cost)))

	var all []string
	want := page.Request{Most: 2}
	for more := true; more; {
		var some []Article
		some, more, err = st.s.Articles(t.Context(), st.by(auth.Viewer), st.id, want)
		require.NoError(t, err)
		for _, one := range some {
			all = append(all, fmt.Sprintf("%s %s %g +%g suggested %g at %s %s", one.Name, one.SupplierSKU, *one.Available, one.Incoming, one.Suggested,
				one.Price.Amount, one.Price.Currency))
		}
		want.After = uuid.MustParse(some[len(some)-1].ID)
	}
	require.Equal(t, []string{"Cup  12 +0 suggested 0 at 2.5 USD", "Pot  3 +4 suggested 0 at 4 EUR", "Tea HT-7 3 +4 suggested 9 at 4 EUR"}, all,
		"%s is not in the queue", cup)
}

func TestActivity(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.fill()
	st.insert("meeting_notes", "external_id, title, started_at, summary, supplier_id", fmt.Sprintf("'n1', 'Prices of spring', now(), 'They rise.', '%s'", st.id))
	st.insert("meeting_notes", "external_id, title, started_at", "'n2', 'About Harbour Teas, by name only', now()")
	failed := func(slug, payload string) {
		st.exec(`INSERT INTO workspace.failed_imports (tenant_id, id, workspace_id, slug, http_status, code, message, payload, payload_hash, key_id, request_id)
			VALUES ($1, $2, $3, $4, 422, 'type', $5, convert_to($5, 'UTF8'), sha256(convert_to($5, 'UTF8')), $2, 'test')`,
			st.tenant.ID, uuid.Must(uuid.NewV7()), st.tenant.Workspace, slug, payload)
	}
	failed("products", `{"supplier_id": "s1"}`)
	failed("orders", `{"external_id": "s1"}`) // an order that is called like the supplier
	a, err := st.s.Activity(t.Context(), st.by(auth.CompanyAdmin), st.id)
	require.NoError(t, err)

	var prices []string
	for _, p := range a.Prices {
		prices = append(prices, fmt.Sprintf("%s %s (%s) %s → %s (%s)", p.SKU, p.Before.Price, p.Before.OrderNo, p.Currency, p.Last.Price, p.Last.OrderNo))
	}
	require.Equal(t, []string{"TEA 5 (PO-2) EUR → 5.5 (PO-3)", "CUP 3 (PO-2) USD → 2.7 (PO-3)"}, prices, "the largest rise first; a draft is no price")
	var deliveries []string
	for _, d := range a.Deliveries {
		late := "no day"
		if days := d.DaysLate(); days != nil {
			late = fmt.Sprint(*days)
		}
		deliveries = append(deliveries, fmt.Sprintf("%s %s %s %s", d.OrderNo, d.SKU, d.Came.Format(time.DateOnly), late))
	}
	require.Equal(t, []string{"PO-2 CUP 2026-02-21 no day", "PO-2 TEA 2026-02-15 5", "PO-1 TEA 2026-01-20 0", "PO-0 TEA 2024-12-10 no day"}, deliveries)
	require.Len(t, a.Notes, 1)
	require.Equal(t, "Prices of spring: They rise.", a.Notes[0].Title+": "+a.Notes[0].Summary)
	require.Len(t, a.Failures, 1)
	require.Equal(t, "products", a.Failures[0].Table)
	a, err = st.s.Activity(t.Context(), st.by(auth.Viewer), st.id)
	require.NoError(t, err)
	require.Equal(t, st.by(auth.Viewer).Require(auth.ReadFailures) == nil, a.Failures != nil)
}

// TestOrders checks that past orders come once each, in pages, without those that are open.
func TestOrders(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.fill()
	var all []string
	want := page.Request{Most: 1}
	for more := true; more; {
		var some []Order
		var err error
		some, more, err = st.s.Orders(t.Context(), st.by(auth.Viewer), st.id, want)
		require.NoError(t, err)
		for _, one := range some {
			all = append(all, fmt.Sprintf("%s: %d of %d lines, %s/ %s", one.OrderNo, one.Live, one.Lines, said(one.Total), said(one.Arrived)))
			want.After = one.ID
		}
	}
	require.Equal(t, []string{"PO-0: 1 of 1 lines, 30 EUR / 30 EUR ", "PO-2: 2 of 3 lines, 50 EUR 60 USD / 50 EUR 24 USD ",
		"PO-1: 1 of 1 lines, 40 EUR / 40 EUR "}, all)
}

func TestUnknown(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.fill()
	stranger, elsewhere := st.by(auth.CompanyAdmin), st.by(auth.CompanyAdmin)
	other := pgtest.NewTenant(t, st.db)
	stranger.Tenant, stranger.Workspace = other.ID, other.Workspace
	elsewhere.Workspace = uuid.New()
	for name, by := range map[string]auth.Principal{"company": stranger, "workspace": elsewhere} {
		_, err := st.s.Get(t.Context(), by, st.id)
		require.True(t, fault.Is(err, fault.NotFound), "%s: %v", name, err)
		_, _, err = st.s.Orders(t.Context(), by, st.id, page.Request{Most: 1})
		require.True(t, fault.Is(err, fault.NotFound), "%s: %v", name, err)
	}
	_, err := st.s.Get(t.Context(), st.by(""), st.id)
	require.True(t, fault.Is(err, fault.Forbidden), "%v", err)
}

// TestNew checks a supplier of whom little is known.
func TestNew(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	o, err := st.s.Get(t.Context(), st.by(auth.Viewer), st.id)
	require.NoError(t, err)
	require.Nil(t, o.Punctuality)
	require.Equal(t, (*demand.LeadTime)(nil), o.Learnt)
	require.Empty(t, o.Open.List)
	require.Empty(t, o.Bought.Amounts)
}
