package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/purchase"
)

// queue is an answer of procurement_queue_list.
type queue struct {
	Items      []queued
	Truncated  bool
	NextCursor string `json:"next_cursor"`
}

type queued struct {
	Key       string `json:"recommendation_key"`
	ProductID string `json:"product_id"`
	Article   string
	SKU       string
	Supplier  string
	Group     string
	Action    string
	Urgency   string
	Suggested float64 `json:"suggested_quantity"`
	OnOrder   float64 `json:"open_purchase_order_quantity"`
	Blocked   string  `json:"blocked_reason"`
	Lock      *struct {
		LineID   string `json:"line_id"`
		OrderNo  string `json:"order_no"`
		Status   string
		Quantity string
	}
	Reason string
}

// draftedLine is what procurement_draft_create made.
type draftedLine struct {
	ID      string
	Version int64
}

// state marks the demand and the queue of a workspace as computed today.
func (w *world) state(tenant, workspace uuid.UUID) {
	w.t.Helper()
	w.exec(`INSERT INTO workspace.forecast_state (tenant_id, workspace_id, as_of, time_zone, week_start, computed_at, stale)
		VALUES ($1, $2, timezone('UTC', now())::date, 'UTC', 1, now(), false) ON CONFLICT DO NOTHING`, tenant, workspace)
	w.exec(`INSERT INTO workspace.queue_state (tenant_id, workspace_id, as_of, forecasts_at, playbook_revision, computed_at)
		VALUES ($1, $2, timezone('UTC', now())::date, now(), 0, now()) ON CONFLICT DO NOTHING`, tenant, workspace)
}

const addQueueRow = `INSERT INTO workspace.queue_rows (tenant_id, workspace_id, product_id, as_of, recommendation_key, sku, name,
		supplier_id, supplier_name, action, urgency, rank, margin_at_risk, available, open_purchase_order_quantity, draft_quantity,
		overdue_quantity, demand_per_day, lead_time_days, lead_time_source, safety_stock, reorder_point, target_stock, late_by_days,
		raw_quantity, suggested_quantity, overbuy_quantity, confidence, data_gaps, reason, reason_text, computed_at, digest)
	VALUES ($1, $2, $3, timezone('UTC', now())::date, $4, $5, $6, $7, $6, 'order', 'high', 1, 5, 1, 0, 0, 0, 2, 14, 'default', 3, 9, 60, 0,
		50, 50, 0, 'high', '{}', jsonb_build_array(jsonb_build_object('text', $6::text)), $6, now(), '')
	ON CONFLICT (tenant_id, workspace_id, product_id) DO NOTHING`

// recommend makes an article of a company's supplier that is to be ordered.
func (w *world) recommend(tenant, workspace uuid.UUID, made *things) {
	w.t.Helper()
	w.state(tenant, workspace)
	made.product = uuid.NewString()
	w.exec(`INSERT INTO workspace.products (tenant_id, workspace_id, id, external_id, sku, name, supplier_id)
		VALUES ($1, $2, $3, $3, $3, $4, $5)`, tenant, workspace, made.product, made.canary, made.supplier)
	made.key = purchase.RecommendationKey(tenant, made.product, purchase.Everywhere, 1)
	w.exec(addQueueRow, tenant, workspace, made.product, made.key, made.product, made.canary, made.supplier)
}

// recommendAll has all articles of the company ordered.
func (w *world) recommendAll() {
	w.t.Helper()
	w.state(w.tenant.ID, w.tenant.Workspace)
	for _, id := range w.read("SELECT id FROM workspace.products WHERE tenant_id = $1", w.tenant.ID) {
		one := w.read("SELECT coalesce(identity_key, id) FROM workspace.products WHERE id = $1", id)[0]
		name := w.read("SELECT name FROM workspace.products WHERE id = $1", id)[0]
		w.exec(addQueueRow, w.tenant.ID, w.tenant.Workspace, id,
			purchase.RecommendationKey(w.tenant.ID, one, purchase.Everywhere, 1), nil, name, nil)
	}
}

// shop sends a supplier and an article that sells 14 a week and has 5 left, and computes the queue.
func (w *world) shop(sku string) {
	w.t.Helper()
	today := time.Now().UTC().Truncate(24 * time.Hour)
	send := func(slug string, record arguments) {
		require.Equal(w.t, http.StatusOK, w.send(slug, record), slug)
	}
	send("suppliers", arguments{"external_id": "s1", "name": "Harbour Teas", "lead_time_days": 10})
	send("products", arguments{"external_id": sku, "sku": sku, "name": "The " + sku, "status": "active", "supplier_id": "s1",
		"price": 10, "currency": "EUR", "unit_cost": 4, "cost_currency": "EUR", "stock_available": 5,
		"stock_updated_at": today.Format(time.RFC3339)})
	for week := 1; week <= 12; week++ {
		id := fmt.Sprint(sku, week)
		send("orders", arguments{"external_id": id, "ordered_at": today.AddDate(0, 0, -7*week).Format(time.RFC3339),
			"status": "completed", "currency": "EUR", "total": 140})
		send("order_line_items", arguments{"external_id": id, "order_id": id, "sku": sku, "name": sku, "variant_external_id": sku,
			"quantity": 14, "unit_price": 10})
	}
	ctx := w.t.Context()
	require.NoError(w.t, w.app.Sales.CatchUp(ctx, w.tenant.ID, w.tenant.Workspace))
	require.NoError(w.t, w.app.Forecasts.Daily(ctx, time.Now()))
	require.NoError(w.t, w.app.Procure.CatchUp(ctx))
}

// TestQueue has an agent work off the queue by tools alone: it reads what to order and why, drafts
// it, and submits it. A person approves in the app, and what is on order changes in the queue.
func TestQueue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.shop("TEA")
	agent, second := w.connect(w.agent("one", auth.ScopeRead, auth.ScopeWrite)), w.connect(w.agent("two", all...))

	listed := ask[queue](agent, "procurement_queue_list", arguments{"group": "order"})
	require.Len(t, listed.Items, 1)
	row := listed.Items[0]
	require.Equal(t, [4]string{"TEA", "Harbour Teas", "order", ""}, [4]string{row.SKU, row.Supplier, row.Action, row.Blocked})
	require.Positive(t, row.Suggested)
	require.Contains(t, row.Reason, "5 available")

	explained := ask[struct {
		Recommendation queued
		Is             struct{ Reason string }
		WhatIf         *struct {
			Suggested float64 `json:"suggested_quantity"`
		} `json:"what_if"`
		Rules []struct{ Key, Value, Source string }
	}](agent, "procurement_recommendation_explain", arguments{"recommendation_key": row.Key, "cover_days": 60})
	require.Equal(t, row.Key, explained.Recommendation.Key)
	require.Equal(t, row.Reason, explained.Is.Reason)
	require.Greater(t, explained.WhatIf.Suggested, row.Suggested)
	require.NotEmpty(t, explained.Rules)

	drafted := ask[struct{ Line draftedLine }](agent, "procurement_draft_create",
		arguments{"recommendation_key": row.Key, "quantity": 12, "note": "as the queue says"}).Line
	held := ask[queue](second, "procurement_queue_list", arguments{"group": "drafted"}).Items[0]
	require.NotNil(t, held.Lock)
	require.Equal(t, [3]string{drafted.ID, "draft", "12"}, [3]string{held.Lock.LineID, held.Lock.Status, held.Lock.Quantity})
	require.Contains(t, second.refusalOf("recommendation_locked", "procurement_draft_create",
		arguments{"recommendation_key": row.Key}), drafted.ID, "the second is told which line holds it")

	submitted := ask[lines](agent, "purchase_order_line_submit",
		arguments{"lines": []any{arguments{"id": drafted.ID, "version": drafted.Version}}}).Lines[0]
	w.approve(submitted.ID, submitted.Version)
	require.NoError(t, w.app.Procure.CatchUp(t.Context()))
	after := ask[queue](second, "procurement_queue_list", arguments{"text": "tea"}).Items[0]
	require.InDelta(t, 12, after.OnOrder, 0)
	require.Nil(t, after.Lock)
	require.NotEqual(t, row.Key, after.Key, "the article's next recommendation")
	require.Less(t, after.Suggested, row.Suggested)
	second.refusalOf("recommendation_locked", "procurement_draft_create", arguments{"recommendation_key": row.Key})
}

// approve has a person approve a line by the app's API.
func (w *world) approve(line string, version int64) {
	w.t.Helper()
	email := uuid.NewString() + "@example.com"
	pgtest.NewUser(w.t, w.admin, email)
	_, _, err := w.app.Accounts.CreateUser(w.t.Context(), auth.Operator(w.tenant.ID), email, "", "", auth.CompanyAdmin)
	require.NoError(w.t, err)
	post := func(path string, body any, header http.Header) http.Header {
		text, err := json.Marshal(body)
		require.NoError(w.t, err)
		status, answered, answer := w.post(w.t.Context(), "/api/app/"+path, text, header)
		require.Equal(w.t, http.StatusOK, status, answer)
		return answered
	}
	in := post("session", arguments{"email": email, "password": pgtest.Password}, http.Header{})
	cookie, _, _ := strings.Cut(in.Get("Set-Cookie"), ";")
	post("workspaces/"+w.tenant.Workspace.String()+"/purchase-order-lines/approve",
		arguments{"lines": []any{arguments{"id": line, "version": version}}}, http.Header{"Cookie": {cookie}})
}

// TestQueueRefusals checks what an agent may not draft, and that refusals say what helps.
func TestQueueRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	made := w.fill(w.tenant.ID, w.tenant.Workspace, "x")
	agent := w.connect(w.agent("one", all...))
	w.exec("UPDATE workspace.queue_rows SET blocked_reason = 'stale_stock'")
	words := agent.refusalOf("recommendation_blocked", "procurement_draft_create", arguments{"recommendation_key": made.key})
	require.Contains(t, words, "stale_stock")
	require.Contains(t, words, "in the app")
	person := w.connect(w.token(w.join(auth.Buyer), all...))
	person.refusalOf("recommendation_blocked", "procurement_draft_create", arguments{"recommendation_key": made.key})
	require.Empty(t, w.read("SELECT id FROM workspace.purchase_order_lines WHERE recommendation_key IS NOT NULL"))

	for _, key := range []string{"", "rq1:", "rq1:0000000000000000:1", strings.Repeat(":", 300), made.key + ":", "x"} {
		agent.refusalOf("unknown_recommendation", "procurement_draft_create", arguments{"recommendation_key": key})
		if key != "" {
			agent.refusalOf("unknown_recommendation", "procurement_recommendation_explain", arguments{"recommendation_key": key})
		}
	}
	agent.refusalOf("argument", "procurement_recommendation_explain", arguments{})
	agent.refusalOf("argument", "procurement_recommendation_explain",
		arguments{"recommendation_key": made.key, "product_id": made.product})
	agent.refusalOf("unknown_article", "procurement_recommendation_explain", arguments{"product_id": "nobody"})
	agent.refusalOf("range", "procurement_recommendation_explain", arguments{"product_id": made.product, "service_level": 1})
	agent.refusalOf("cursor", "procurement_queue_list", arguments{"cursor": "MSAxIGEAYg"}) // with a NUL inside
	agent.refusalOf("argument", "procurement_queue_list", arguments{"limit": 101})
	agent.refusalOf("argument", "procurement_queue_list", arguments{"group": "none"})
}

// TestQueuePages reads a queue of long names in pages that fit, each row once.
func TestQueuePages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 45 {
		w.fill(w.tenant.ID, w.tenant.Workspace, strings.Repeat("\u0001", 2000))
	}
	c := w.connect(w.agent("one", auth.ScopeRead))
	seen, args := map[string]bool{}, arguments{"limit": 100}
	for pages := 1; ; pages++ {
		page := ask[queue](c, "procurement_queue_list", args)
		for _, item := range page.Items {
			require.False(t, seen[item.Key])
			seen[item.Key] = true
		}
		if !page.Truncated {
			require.Greater(t, pages, 1)
			break
		}
		args["cursor"] = page.NextCursor
	}
	require.Len(t, seen, 45)
}

// ranAgent is what procurement_run says of a run.
type ranAgent struct {
	ID                 uuid.UUID
	Status             string
	Dry                bool
	Submitted, Refused int64
	Decisions          []struct{ Article, Sentence, Outcome string }
}

// TestAgentByTool has an agent try a run, start one, and read what came of it.
func TestAgentByTool(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fill(w.tenant.ID, w.tenant.Workspace, "Tea of the harbour")
	c := w.connect(w.agent("one", auth.ScopeWrite))
	for _, confirmed := range []bool{false, true} {
		started := ask[ranAgent](c, "procurement_run", arguments{"confirm": confirmed})
		require.Equal(t, "queued", started.Status)
		require.Equal(t, !confirmed, started.Dry)
		c.refusalOf("agent_at_work", "procurement_run", arguments{})
		// What the agent decides is tested where it decides.
		w.exec("UPDATE workspace.agent_runs SET status = 'done' WHERE id = $1", started.ID)
		w.exec(`INSERT INTO workspace.agent_decisions (tenant_id, run_id, n, product_id, recommendation_key, sku, name, supplier_id, supplier_name,
				quantity, currency, rule, sentence)
			VALUES ($1, $2, 1, 'p', 'rq1:0:1', '', 'Tea', '', '', 1, '', 'blocked', 'Left to people: it has no price.')`, w.tenant.ID, started.ID)
		shown := ask[ranAgent](c, "procurement_run", arguments{"id": started.ID})
		require.Equal(t, "done", shown.Status)
		require.Equal(t, "Left to people: it has no price.", shown.Decisions[0].Sentence)
	}
	c.refusalOf("unknown_run", "procurement_run", arguments{"id": uuid.New()})
	w.connect(w.agent("two", auth.ScopeRead)).refusalOf("missing_scope", "procurement_run", arguments{})
}
