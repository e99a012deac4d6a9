package today_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/failed"
	"github.com/quayside/quayside/internal/forecast"
	"github.com/quayside/quayside/internal/freshness"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/procure"
	"github.com/quayside/quayside/internal/purchase"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/sales"
	"github.com/quayside/quayside/internal/telemetry"
	"github.com/quayside/quayside/internal/today"
)

// now is the first moment of the tests' day.
var now = time.Now().UTC().Truncate(24 * time.Hour)

// stage is a company whose records are written as external systems do.
type stage struct {
	t         *testing.T
	admin     *pgx.Conn
	tenant    pgtest.Tenant
	records   *ingest.Service
	lines     *purchase.Service
	queue     *procure.Service
	failures  *failed.Service
	sales     *sales.Service
	forecasts *forecast.Service
	days      *today.Service
}

func newStage(t *testing.T) *stage {
	t.Helper()
	db, log := pgtest.New(t), slog.New(slog.DiscardHandler)
	st := &stage{t: t, admin: db.Admin(t), tenant: pgtest.NewTenant(t, db), lines: purchase.New(db.Cells),
		forecasts: forecast.New(db.Cells, log)}
	st.queue = procure.New(db.Cells, st.lines, log)
	st.sales = sales.New(db.Cells, st.forecasts)
	st.records = ingest.New(db.Cells, registry.New(db.Cells), log, telemetry.NewMetrics(),
		ingest.Config{Lanes: 2, Queued: 1000, Wait: time.Minute})
	t.Cleanup(st.records.Close)
	st.failures = failed.New(db.Cells, st.records)
	st.days = today.New(db.Cells, st.lines, st.queue)
	return st
}

func (st *stage) by(role auth.Role) auth.Principal {
	person := uuid.New()
	return auth.Principal{Tenant: st.tenant.ID, Workspace: st.tenant.Workspace, Zone: time.UTC, Role: role, Person: person,
		Actor: auth.Actor{Type: auth.ByPerson, ID: person.String()}}
}

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

func (st *stage) exec(sql string, args ...any) {
	st.t.Helper()
	_, err := st.admin.Exec(st.t.Context(), sql, args...)
	require.NoError(st.t, err)
}

func (st *stage) read(by auth.Principal) today.Today {
	st.t.Helper()
	day, err := st.days.Read(st.t.Context(), by)
	require.NoError(st.t, err)
	return day
}

// order sends an ordered line that is expected in some days, or on no day.
func (st *stage) order(id, orderNo string, days *int) {
	st.t.Helper()
	record := map[string]any{"external_id": id, "order_no": orderNo, "sku": id, "status": "ordered", "quantity_ordered": 3}
	if days != nil {
		record["expected_arrival_date"] = now.AddDate(0, 0, *days).Format(time.DateOnly)
	}
	st.send("purchase_order_lines", record)
}

// draft drafts a line of its own order.
func (st *stage) draft(by auth.Principal, sku, currency string) []purchase.Line {
	st.t.Helper()
	lines, err := st.lines.DraftConfirmed(st.t.Context(), by, []purchase.NewLine{{Changes: purchase.Changes{SKU: new(sku),
		SupplierID: new(st.supplier()), QuantityOrdered: new("10"), PricePerUnit: new("2.50"), Currency: new(currency)}}})
	require.NoError(st.t, err)
	return lines
}

func (st *stage) supplier() (id string) {
	st.t.Helper()
	require.NoError(st.t, st.admin.QueryRow(st.t.Context(), "SELECT id FROM workspace.suppliers WHERE tenant_id = $1",
		st.tenant.ID).Scan(&id))
	return id
}

func refs(lines []purchase.Line) []purchase.Ref {
	return []purchase.Ref{{ID: lines[0].ID, Version: lines[0].Version}}
}

// listed sums up what the list of orders shows.
func (st *stage) listed(by auth.Principal, filter purchase.OrderFilter) []purchase.Order {
	st.t.Helper()
	orders, more, err := st.lines.Orders(st.t.Context(), by, filter, purchase.ByNewest, page.All)
	require.NoError(st.t, err)
	require.False(st.t, more)
	return orders
}

// expected returns the part of the arrivals between two days.
func (st *stage) expected(by auth.Principal, since, until time.Time) (part purchase.Part) {
	st.t.Helper()
	lines, _, err := st.lines.Arrivals(st.t.Context(), by, since, until, page.All)
	require.NoError(st.t, err)
	orders := map[string]bool{}
	for _, line := range lines {
		orders[line.OrderNo] = true
	}
	return purchase.Part{Orders: int64(len(orders)), Lines: int64(len(lines))}
}

// same compares two parts by their numbers.
func (st *stage) same(orders, lines int, part purchase.Part, what string) {
	st.t.Helper()
	require.Equal(st.t, [2]int64{int64(orders), int64(lines)}, [2]int64{part.Orders, part.Lines}, what)
}

// TestLinesAgreeWithTheirLists compares every count with the list that it leads to.
func TestLinesAgreeWithTheirLists(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	ctx := t.Context()
	st.send("suppliers", map[string]any{"external_id": "s1", "name": "Harbour Teas"})
	buyer, other, approver, viewer := st.by(auth.Buyer), st.by(auth.Buyer), st.by(auth.Approver), st.by(auth.Viewer)

	st.draft(buyer, "A", "EUR")
	st.draft(other, "B", "EUR")
	submit := func(by, maker auth.Principal, sku, currency string) []purchase.Line {
		lines, err := st.lines.Submit(ctx, by, refs(st.draft(maker, sku, currency)))
		require.NoError(t, err)
		return lines
	}
	back := func(by auth.Principal, lines []purchase.Line) []purchase.Line {
		lines, err := st.lines.SendBack(ctx, by, refs(lines), "too many")
		require.NoError(t, err)
		return lines
	}
	submit(other, other, "C", "EUR")
	submit(other, other, "D", "USD")
	back(approver, submit(buyer, buyer, "E", "EUR"))
	back(approver, submit(buyer, other, "F", "EUR")) // submitted for somebody else
	back(buyer, submit(buyer, buyer, "G", "EUR"))    // taken back
	again, err := st.lines.Submit(ctx, buyer, refs(back(approver, submit(buyer, buyer, "H", "EUR"))))
	require.NoError(t, err)
	require.Equal(t, purchase.PendingApproval, again[0].Status)

	st.order("late-1", "PO-1", new(-3))
	st.order("late-2", "PO-1", new(-1))
	st.order("today-1", "PO-1", new(0))
	st.order("soon-1", "PO-2", new(1))
	st.order("soon-2", "PO-3", new(7))
	st.order("later", "PO-4", new(8))
	st.order("undated", "PO-5", nil)

	day := st.read(buyer).Lines
	counts, err := st.lines.Counts(ctx, buyer)
	require.NoError(t, err)
	st.same(3, 3, *day.Mine, "A, E and G, and not F")
	require.Len(t, st.listed(buyer, purchase.OrderFilter{Mine: true}), int(day.Mine.Orders))
	require.Equal(t, counts.Mine, day.Mine.Orders)
	st.same(2, 2, *day.SentBack, "E and F, and not what was taken back or submitted again")
	require.Len(t, st.listed(buyer, purchase.OrderFilter{SentBack: true}), int(day.SentBack.Orders))
	require.Equal(t, counts.SentBack, day.SentBack.Orders)
	require.Nil(t, day.Pending, "a buyer approves nothing")

	st.same(1, 2, day.Late, "late")
	require.Len(t, st.listed(buyer, purchase.OrderFilter{Overdue: true}), int(day.Late.Orders))
	for _, span := range []struct {
		part         purchase.Part
		since, until int
	}{{day.Late, -1000, -1}, {day.Today, 0, 0}, {day.Soon, 1, 7}, {day.Later, 8, 1000}} {
		list := st.expected(buyer, now.AddDate(0, 0, span.since), now.AddDate(0, 0, span.until))
		st.same(int(list.Orders), int(list.Lines), span.part, "the arrivals")
		require.Positive(t, list.Lines)
	}
	st.same(1, 1, day.Undated, "undated")
	require.Len(t, st.listed(buyer, purchase.OrderFilter{Undated: true}), int(day.Undated.Orders))
	require.Equal(t, counts.Undated, day.Undated.Orders)
	undated, _, err := st.lines.Undated(ctx, buyer, page.All)
	require.NoError(t, err)
	require.Len(t, undated, int(day.Undated.Lines))
	arrivals, err := st.lines.Deliveries(ctx, viewer)
	require.NoError(t, err)
	require.Equal(t, arrivals, day.Deliveries, "the page of arrivals has the same numbers")

	pending := st.read(approver).Lines.Pending
	waiting := st.listed(approver, purchase.OrderFilter{ToApprove: true})
	lines := 0
	for _, order := range waiting {
		lines += int(order.ByStatus[purchase.PendingApproval])
	}
	st.same(len(waiting), lines, pending.Part, "what waits for approval")
	require.Len(t, pending.Totals, 2)
	require.Equal(t, "50 25", pending.Totals[0].Amount.String()+" "+pending.Totals[1].Amount.String())
	require.WithinDuration(t, time.Now(), pending.Since, time.Minute)
	require.Len(t, st.listed(approver, purchase.OrderFilter{Status: purchase.PendingApproval}), len(waiting))
	counts, err = st.lines.Counts(ctx, approver)
	require.NoError(t, err)
	require.Equal(t, counts.ToApprove, pending.Orders)

	seen := st.read(viewer).Lines
	require.Nil(t, seen.Pending)
	require.Nil(t, seen.Mine)
	require.Nil(t, seen.SentBack)
	require.Equal(t, day.Late, seen.Late, "everybody sees deliveries")
	require.Empty(t, st.listed(viewer, purchase.OrderFilter{Mine: true}))
}

// TestQueueAndSales compares with the queue, and with the days before.
func TestQueueAndSales(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	buyer := st.by(auth.Buyer)
	before := st.read(buyer)
	require.Nil(t, before.ToOrder, "nothing was computed")
	require.Nil(t, before.Yesterday)
	require.False(t, before.Flows)

	st.send("suppliers", map[string]any{"external_id": "s1", "name": "Harbour Teas", "lead_time_days": 10})
	for i := range 6 {
		sku := fmt.Sprintf("T%d", i)
		st.send("products", map[string]any{"external_id": sku, "sku": sku, "name": "Tea " + sku, "status": "active",
			"supplier_id": "s1", "unit_cost": "4.00", "cost_currency": "EUR", "stock_available": 0,
			"stock_updated_at": now.Format(time.RFC3339)})
		for week := range 12 {
			id := fmt.Sprintf("%s-%d", sku, week)
			// Yesterday and the same weekday before: six orders of 140 a day; yesterday the first of them is 280.
			units := 14
			if week == 0 && i == 0 {
				units = 28
			}
			st.send("orders", map[string]any{"external_id": id, "status": "completed", "currency": "EUR", "total": 10 * units,
				"ordered_at": now.AddDate(0, 0, -7*week-1).Add(9 * time.Hour).Format(time.RFC3339)})
			st.send("order_line_items", map[string]any{"external_id": "l" + id, "order_id": id, "sku": sku, "name": sku,
				"variant_external_id": sku, "quantity": units, "unit_price": 10})
		}
	}
	ctx := t.Context()
	require.NoError(t, st.sales.CatchUp(ctx, st.tenant.ID, st.tenant.Workspace))
	require.NoError(t, st.forecasts.Compute(ctx, st.tenant.ID, st.tenant.Workspace, demand.DayOf(now)))
	require.NoError(t, st.queue.Daily(ctx, now.Add(12*time.Hour)))
	require.NoError(t, st.queue.CatchUp(ctx))

	day := st.read(buyer)
	list, _, err := st.queue.List(ctx, buyer, procure.Filter{Group: procure.GroupOrder})
	require.NoError(t, err)
	critical, cost := 0, decimal.Zero
	for _, row := range list {
		if row.Urgency == procure.UrgencyCritical {
			critical++
		}
		cost = cost.Add(*row.Cost)
	}
	require.Positive(t, critical)
	require.Equal(t, [2]int64{int64(len(list)), int64(critical)}, [2]int64{day.ToOrder.Articles, day.ToOrder.Critical})
	require.Len(t, day.ToOrder.Cost, 1)
	require.Equal(t, "EUR "+cost.String(), day.ToOrder.Cost[0].Currency+" "+day.ToOrder.Cost[0].Amount.String())
	require.Equal(t, list[:5], day.ToOrder.Top)

	require.Nil(t, day.Lag)
	since := time.Now().Add(-time.Hour).Truncate(time.Second)
	st.exec("INSERT INTO workspace.queue_marks (tenant_id, workspace_id, product_id, marked_at) VALUES ($1, $2, 'p', $3)", st.tenant.ID,
		st.tenant.Workspace, since)
	lag := st.read(buyer).Lag
	require.Equal(t, freshness.Queue, lag.Part)
	require.True(t, since.Equal(lag.Since))
	st.exec("DELETE FROM workspace.queue_marks WHERE tenant_id = $1", st.tenant.ID)

	y := day.Yesterday
	require.Equal(t, "6 980, usually 6 840", fmt.Sprintf("%s %s, usually %s %s", y.Sold.Orders, y.Sold.Net, y.Usual.Orders, y.Usual.Net))
	require.Equal(t, 8, y.Days)
	orders, net := y.Sold.Change(y.Usual)
	require.Equal(t, "0 17", orders.String()+" "+net.String())
	require.Zero(t, y.Unconverted)
	require.Zero(t, y.LeftOut)
	st.exec("UPDATE workspace.sales_lines SET left_out = 'amount' WHERE tenant_id = $1 AND day IN ($2, $3)", st.tenant.ID,
		now.AddDate(0, 0, -1), now.AddDate(0, 0, -8))
	require.EqualValues(t, 12, st.read(buyer).Yesterday.LeftOut, "six lines of each day")

	// With sales of four weeks there are three weekdays to compare with.
	st.exec("DELETE FROM workspace.sales_orders WHERE tenant_id = $1 AND day < $2", st.tenant.ID, now.AddDate(0, 0, -23))
	require.Nil(t, st.read(buyer).Yesterday)
}

// TestDataAndAgents counts refused records and runs.
func TestDataAndAgents(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	buyer := st.by(auth.Buyer)
	st.send("orders", map[string]any{"external_id": "stored", "status": "completed", "currency": "EUR", "total": 5,
		"ordered_at": now.Format(time.RFC3339)})
	seen := time.Now().Add(-time.Hour)
	refuse := func(slug, key, payload string) {
		seen = seen.Add(time.Minute)
		hash := sha256.Sum256([]byte(payload))
		st.exec(`INSERT INTO workspace.failed_imports (tenant_id, id, workspace_id, slug, http_status, code, message, payload, payload_hash,
			record_key, key_id, request_id, first_seen_at, last_seen_at)
			VALUES ($1, gen_random_uuid(), $2, $3, 422, 'type', 'wrong', $4, $5, nullif($6, ''), gen_random_uuid(), 'r', $7, $7)`,
			st.tenant.ID, st.tenant.Workspace, slug, []byte(payload), hash[:], key, seen)
	}
	require.Zero(t, st.read(buyer).Data.Refused)
	refuse("orders", "o1", `{"total": 7, "currency": "EUR"}`)
	refuse("orders", "o1", `{"total": "9.50", "currency": "eur"}`) // the same order, sent again
	refuse("orders", "o2", `{"total": 0.50, "currency": "EUR"}`)
	refuse("orders", "o3", `{"total": 4}`)
	refuse("orders", "", `{"total": 1, "currency": "USD"}`)
	refuse("orders", "", `{"total": 2, "currency": "USD"}`)
	refuse("orders", "stored", `{"total": 100, "currency": "EUR"}`) // an older version is in the figures
	for i, unreadable := range []string{`{"total": "€ 12,90"}`, `{"total": 1e99999}`, `{"total": null}`, `{}`, `[1]`, `no JSON`} {
		refuse("orders", fmt.Sprintf("u%d", i), unreadable)
	}
	refuse("products", "p", `{"total": 100, "currency": "EUR"}`)

	data := st.read(buyer).Data
	groups, err := st.failures.Groups(t.Context(), buyer, failed.Open, failed.Filter{})
	require.NoError(t, err)
	listed := int64(0)
	for _, group := range groups {
		listed += group.Failures
	}
	require.Equal(t, listed, data.Refused)
	require.False(t, data.RefusedCut || data.OrdersCut)
	require.Equal(t, int64(5), data.Orders)
	require.Equal(t, "[{ 4} {EUR 10} {USD 3}]", fmt.Sprint(data.Worth))
	require.Zero(t, data.LeftOut)
	refuse("orders", "huge", `{"total": 98765431211434745.89, "currency": "EUR"}`)
	data = st.read(buyer).Data
	require.Equal(t, [2]int64{6, 1}, [2]int64{data.Orders, data.LeftOut}, "one total cannot be true")
	require.Equal(t, "[{ 4} {EUR 10} {USD 3}]", fmt.Sprint(data.Worth))

	st.exec(`INSERT INTO workspace.source_figures (tenant_id, workspace_id, slug, rows, last_record_at) VALUES ($1, $2, 'products', 1, $3)
		ON CONFLICT (tenant_id, workspace_id, slug) DO UPDATE SET rows = 1, last_record_at = excluded.last_record_at`,
		st.tenant.ID, st.tenant.Workspace, now.AddDate(0, 0, -1))
	day := st.read(buyer)
	require.True(t, day.Flows)
	require.Nil(t, day.Data.StockAt, "a day is not old")
	st.exec("UPDATE workspace.source_figures SET last_record_at = $2 WHERE tenant_id = $1 AND slug = 'products'", st.tenant.ID,
		now.AddDate(0, 0, -5))
	require.Equal(t, now.AddDate(0, 0, -5), st.read(buyer).Data.StockAt.UTC())

	for _, run := range []struct {
		ago      time.Duration
		outcomes []string
	}{{30 * 24 * time.Hour, []string{"drafted"}}, {0, []string{"drafted", "drafted", "submitted", "refused"}}, {0, nil}} {
		id := uuid.Must(uuid.NewV7())
		st.exec(`INSERT INTO workspace.agent_runs (tenant_id, id, workspace_id, dry, status, started_by, created_at, ended_at)
			VALUES ($1, $2, $3, false, 'done', '{"type": "user"}', $4, $4)`, st.tenant.ID, id, st.tenant.Workspace, time.Now().Add(-run.ago))
		for n, outcome := range run.outcomes {
			st.exec(`INSERT INTO workspace.agent_decisions (tenant_id, run_id, n, product_id, recommendation_key, sku, name, supplier_id,
				supplier_name, quantity, currency, rule, sentence, outcome)
				VALUES ($1, $2, $3, 'p', 'k', 's', 'n', '', '', 1, '', 'draft', '', $4)`, st.tenant.ID, id, n+1, outcome)
		}
	}
	agents := st.read(buyer).Agents
	require.Equal(t, [4]int64{2, 2, 1, 1}, [4]int64{agents.Runs, agents.Drafted, agents.Submitted, agents.Refused})
	require.Equal(t, now.AddDate(0, 0, -1), agents.Since.UTC())
}
