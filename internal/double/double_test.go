package double_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/double"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/forecast"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/purchase"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/sales"
	"github.com/quayside/quayside/internal/telemetry"
)

// shop is a company whose articles come from two systems: one knows only their SKUs.
type shop struct {
	t       *testing.T
	db      *pgtest.DB
	admin   *pgx.Conn
	tenant  pgtest.Tenant
	doubles *double.Service
	lines   *purchase.Service
	records *ingest.Service
	gated   *ingest.Service // with the rules of lines
	buyer   auth.Principal
	boss    auth.Principal
}

func newShop(t *testing.T) *shop {
	t.Helper()
	db := pgtest.New(t)
	s := &shop{t: t, db: db, admin: db.Admin(t), tenant: pgtest.NewTenant(t, db), doubles: double.New(db.Cells), lines: purchase.New(db.Cells)}
	s.records, s.gated = s.instance(nil), s.instance(map[string]ingest.Gates{"purchase_order_lines": {People: through(purchase.Gate),
		Keys: through(purchase.KeyGate), Guards: purchase.Guards, Judged: purchase.Judged}})
	s.buyer, s.boss = s.person(auth.Buyer), s.person(auth.CompanyAdmin)
	return s
}

// instance returns a write path, as each instance of the service has one.
func (s *shop) instance(gates map[string]ingest.Gates) *ingest.Service {
	records := ingest.New(s.db.Cells, registry.New(s.db.Cells), slog.New(slog.DiscardHandler), telemetry.NewMetrics(),
		ingest.Config{Lanes: 2, Queued: 1000, Wait: time.Minute, Gates: gates})
	s.t.Cleanup(records.Close)
	return records
}

func through(gate func(context.Context, pgx.Tx, purchase.Claim) (purchase.Ruling, error)) ingest.Gate {
	return func(ctx context.Context, tx pgx.Tx, claim ingest.Claim) (ingest.Ruling, error) {
		ruling, err := gate(ctx, tx, purchase.Claim(claim))
		return ingest.Ruling(ruling), err
	}
}

func (s *shop) person(role auth.Role) auth.Principal {
	id := uuid.New()
	return auth.Principal{Tenant: s.tenant.ID, Workspace: s.tenant.Workspace, Zone: time.UTC, Role: role, Person: id,
		Actor: auth.Actor{Type: auth.ByPerson, ID: id.String()}}
}

func (s *shop) try(records *ingest.Service, slug string, record map[string]any, terms ingest.Terms) (ingest.Outcome, error) {
	body, err := json.Marshal(record)
	require.NoError(s.t, err)
	by := auth.Principal{Tenant: s.tenant.ID, Workspace: s.tenant.Workspace, Zone: time.UTC, Scope: auth.AllTables,
		Actor: auth.Actor{Type: auth.ByOperator}}
	return records.Write(context.WithoutCancel(s.t.Context()),
		ingest.Record{By: by, Slug: slug, Body: body, RequestID: "test", Terms: terms})
}

func (s *shop) send(slug string, record map[string]any) ingest.Outcome {
	s.t.Helper()
	outcome, err := s.try(s.records, slug, record, ingest.Terms{})
	require.NoError(s.t, err)
	return outcome
}

func (s *shop) ask(sql string, args ...any) (text string) {
	s.t.Helper()
	require.NoError(s.t, s.admin.QueryRow(s.t.Context(), sql, args...).Scan(&text), sql)
	return text
}

// twice sends an article by its SKU and then with an id, and returns both.
func (s *shop) twice(sku string) (double, other string) {
	s.t.Helper()
	s.send("products", map[string]any{"sku": sku, "name": "Tea " + sku, "supplier_id": nil, "barcode": "400", "stock_on_hand": 7, "stock_available": 7})
	require.Equal(s.t, []string{"sku_twin"}, codes(s.send("products", map[string]any{"external_id": "P-" + sku, "sku": sku, "name": "Green tea"})))
	return s.ask("SELECT id FROM workspace.products WHERE tenant_id = $1 AND identity_key = $2", s.tenant.ID, sku),
		s.ask("SELECT id FROM workspace.products WHERE tenant_id = $1 AND identity_key = $2", s.tenant.ID, "P-"+sku)
}

func codes(outcome ingest.Outcome) (codes []string) {
	for _, w := range outcome.Warnings {
		codes = append(codes, w.Code)
	}
	return codes
}

func (s *shop) list() []double.Double {
	s.t.Helper()
	doubles, _, err := s.doubles.List(s.t.Context(), s.buyer, "", page.All)
	require.NoError(s.t, err)
	return doubles
}

func (s *shop) merge(id, into string) double.Merged {
	s.t.Helper()
	merged, err := s.doubles.Merge(s.t.Context(), s.boss, id, into)
	require.NoError(s.t, err)
	return merged
}

// visible returns the articles that the service sees.
func (s *shop) visible() (names []string) {
	s.t.Helper()
	require.NoError(s.t, s.db.InTenant(s.t.Context(), s.tenant.ID, func(tx pgx.Tx) error {
		rows, err := tx.Query(s.t.Context(), "SELECT concat_ws(' ', external_id, sku, name, stock_available, barcode) FROM workspace.products ORDER BY id")
		if err == nil {
			names, err = pgx.CollectRows(rows, pgx.RowTo[string])
		}
		return err
	}))
	return names
}

// TestMerge: two rows become one article, under both of its names.
func TestMerge(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	other := s.instance(nil)
	a, b := s.twice("T1")
	s.send("orders", map[string]any{"external_id": "O1", "ordered_at": "2026-03-02T10:00:00Z", "status": "open", "currency": "EUR", "total": 10})
	s.send("order_line_items", map[string]any{"external_id": "I1", "order_id": "O1", "product_id": "T1", "name": "Tea", "quantity": 3, "unit_price": 2})
	s.send("order_line_items", map[string]any{"external_id": "I2", "order_id": "O1", "sku": "T1", "name": "Tea", "quantity": 4, "unit_price": 2})
	s.send("purchase_order_lines", map[string]any{"external_id": "L1", "order_no": "PO-1", "sku": "T1", "product_id": a, "quantity_ordered": 5})
	listed := s.list()
	require.Len(t, listed, 1)
	require.Equal(t, []string{a, "T1", b}, []string{listed[0].ID, listed[0].SKU, listed[0].Others[0].ID})

	merged := s.merge(a, b)
	require.Equal(t, double.Merged{Into: b, Lines: 1, Filled: []string{"barcode", "stock_available", "stock_on_hand", "stock_updated_at"}}, merged)
	require.Equal(t, double.Merged{Into: b}, s.merge(a, b), "a repeated call does nothing")
	require.Empty(t, s.list())
	require.Equal(t, []string{"P-T1 T1 Green tea 7 400"}, s.visible())
	require.Equal(t, b+" Tea T1", s.ask("SELECT product_id || ' ' || product_name FROM workspace.purchase_order_lines WHERE external_id = 'L1'"),
		"the line is the other's, and says what was ordered")

	for name, records := range map[string]*ingest.Service{"this instance": s.records, "another": other} {
		outcome, err := s.try(records, "products", map[string]any{"sku": "T1", "name": "Tea", "barcode": name}, ingest.Terms{})
		require.NoError(t, err)
		require.Equal(t, ingest.Updated, outcome.Result)
		require.Empty(t, outcome.Warnings)
		require.Equal(t, []string{"P-T1 T1 Tea 7 " + name}, s.visible(), "records by the SKU are the other's")
	}
	for i, name := range []string{a, "T1", "P-T1", b} {
		id := string(rune('a' + i))
		s.send("purchase_order_lines", map[string]any{"external_id": id, "order_no": "PO-2", "sku": "T1", "product_id": name, "quantity_ordered": 5})
		require.Equal(t, b, s.ask("SELECT product_id FROM workspace.purchase_order_lines WHERE external_id = $1", id), name)
		s.send("order_line_items", map[string]any{"external_id": id, "order_id": "O1", "product_id": name, "name": "Tea", "quantity": 1, "unit_price": 2})
		require.Equal(t, b, s.ask("SELECT product_id FROM workspace.order_line_items WHERE external_id = $1", id), name)
	}
	require.Equal(t, "2", s.ask("SELECT count(*)::text FROM workspace.events WHERE kind = 'ingest.products.merged'"))
	require.Equal(t, "1", s.ask("SELECT count(*)::text FROM workspace.audit WHERE action = 'article.merged' AND subject = $1", b))
	require.Equal(t, "0", s.ask("SELECT count(*)::text FROM workspace.wrong_tokens($1)", s.tenant.ID))

	demand := forecast.New(s.db.Cells, slog.New(slog.DiscardHandler))
	require.NoError(t, sales.New(s.db.Cells, demand).CatchUp(t.Context(), s.tenant.ID, s.tenant.Workspace))
	require.Equal(t, b+" 11", s.ask("SELECT string_agg(product_id || ' ' || units, ', ') FROM workspace.sales_days WHERE product_id <> '*'"),
		"what was sold of both is of one")
}

// TestMergeAfterSales: what was counted and sold of the double before is the other's.
func TestMergeAfterSales(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	demand := forecast.New(s.db.Cells, slog.New(slog.DiscardHandler))
	figures := sales.New(s.db.Cells, demand)
	a, b := s.twice("T1")
	s.send("orders", map[string]any{"external_id": "O1", "ordered_at": "2026-03-02T10:00:00Z", "status": "open", "currency": "EUR", "total": 10})
	s.send("order_line_items", map[string]any{"external_id": "I1", "order_id": "O1", "product_id": "T1", "name": "Tea", "quantity": 3, "unit_price": 2})
	s.send("order_line_items", map[string]any{"external_id": "I2", "order_id": "O1", "sku": "T1", "name": "Tea", "quantity": 4, "unit_price": 2})
	// More than one transaction computes.
	s.ask(`WITH added AS (INSERT INTO workspace.order_line_items (tenant_id, workspace_id, external_id, order_id, product_id, name, quantity, unit_price)
		SELECT tenant_id, workspace_id, 'many-' || n, order_id, product_id, name, 1, 1 FROM workspace.order_line_items, generate_series(1, 3000) n
		WHERE external_id = 'I1' RETURNING id)
		, marked AS (INSERT INTO workspace.sales_changed (tenant_id, workspace_id, slug, record_id, changed_at) SELECT $1, $2, 'order_line_items', id, now() FROM added)
		SELECT count(*)::text FROM added`, s.tenant.ID, s.tenant.Workspace)
	require.NoError(t, figures.CatchUp(t.Context(), s.tenant.ID, s.tenant.Workspace))
	const days = "SELECT string_agg(product_id || ' ' || units, ', ' ORDER BY units) FROM workspace.sales_days WHERE product_id <> '*'"
	require.Equal(t, " 4, "+a+" 3003", s.ask(days), "the second line has an ambiguous SKU")
	s.merge(a, b)
	require.NoError(t, figures.CatchUp(t.Context(), s.tenant.ID, s.tenant.Workspace))
	require.Equal(t, b+" 3007", s.ask(days))
	require.Equal(t, b, s.ask("SELECT string_agg(product_id, ' ') FROM workspace.sales_series"))
	require.Equal(t, b, s.ask("SELECT string_agg(DISTINCT product_id, ' ') FROM workspace.stock_days"))
}

// backlog marks a line, and so many records beside it that news of articles have to wait for another round.
func (s *shop) backlog(line string) {
	s.t.Helper()
	s.ask(`WITH marked AS (INSERT INTO workspace.sales_changed (tenant_id, workspace_id, slug, record_id, changed_at)
		SELECT $1, $2, 'order_line_items', id, now() - interval '1 hour' FROM (
			SELECT id FROM workspace.order_line_items WHERE external_id = $3 UNION ALL SELECT 'none-' || n FROM generate_series(1, 1999) n) m
		RETURNING 1) SELECT count(*)::text FROM marked`, s.tenant.ID, s.tenant.Workspace, line)
}

// TestSalesOfPassingKeys: a SKU that was there only between two readings of its article leaves no sale where it does not belong.
func TestSalesOfPassingKeys(t *testing.T) {
	t.Parallel()
	const days = "SELECT coalesce(string_agg(product_id || ' ' || units, ', ' ORDER BY units), '') FROM workspace.sales_days WHERE product_id <> '*'"
	sold := func(s *shop) *sales.Service {
		s.send("orders", map[string]any{"external_id": "O1", "ordered_at": "2026-03-02T10:00:00Z", "status": "open", "currency": "EUR", "total": 10})
		s.send("order_line_items", map[string]any{"external_id": "I1", "order_id": "O1", "sku": "T1", "name": "Tea", "quantity": 4, "unit_price": 2})
		figures := sales.New(s.db.Cells, forecast.New(s.db.Cells, slog.New(slog.DiscardHandler)))
		require.NoError(s.t, figures.CatchUp(s.t.Context(), s.tenant.ID, s.tenant.Workspace))
		return figures
	}
	round := func(s *shop, figures *sales.Service) {
		_, err := figures.Round(s.t.Context())
		require.NoError(s.t, err)
	}
	keep := func(s *shop, figures *sales.Service) {
		require.NoError(s.t, figures.CatchUp(s.t.Context(), s.tenant.ID, s.tenant.Workspace))
	}
	t.Run("a double that was merged", func(t *testing.T) {
		t.Parallel()
		s := newShop(t)
		s.send("products", map[string]any{"external_id": "P-T1", "sku": "T1", "name": "Green tea"})
		figures := sold(s)
		of := s.ask("SELECT id FROM workspace.products")
		require.Equal(t, of+" 4", s.ask(days))
		s.send("products", map[string]any{"sku": "T1", "name": "Tea"})
		s.backlog("I1")
		round(s, figures)
		s.merge(s.ask("SELECT id FROM workspace.products WHERE external_id IS NULL"), of)
		keep(s, figures)
		require.Equal(t, of+" 4", s.ask(days))
	})
	t.Run("a SKU that was corrected", func(t *testing.T) {
		t.Parallel()
		s := newShop(t)
		figures := sold(s)
		require.Equal(t, " 4", s.ask(days))
		s.send("products", map[string]any{"external_id": "P-Q", "sku": "T1", "name": "Tea"})
		s.backlog("I1")
		round(s, figures)
		s.send("products", map[string]any{"external_id": "P-Q", "sku": "T9", "name": "Tea"})
		keep(s, figures)
		require.Equal(t, " 4", s.ask(days))
	})
}

// TestMergeKeepsCounts: stock that is taken over was counted when the double's was, though that was reported again since.
func TestMergeKeepsCounts(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, b := s.twice("T1")
	s.send("products", map[string]any{"sku": "T1", "name": "Tea", "stock_on_hand": 7, "stock_available": 7})
	s.ask("WITH moved AS (UPDATE workspace.stock_history SET observed_at = now() - interval '5 days' WHERE product_id = $1 RETURNING 1) SELECT count(*)::text FROM moved", a)
	s.ask(`WITH moved AS (UPDATE workspace.events SET created_at = created_at - interval '2 hours' WHERE subject = $1 RETURNING 1) SELECT count(*)::text FROM moved`, a)
	s.merge(a, b)
	require.Equal(t, "5 days, 02:00:00", s.ask(`SELECT string_agg(date_trunc('minute', now() - observed_at + interval '10 seconds')::text, ', ' ORDER BY version)
		FROM workspace.stock_history WHERE product_id = $1`, b))
	require.Equal(t, "02:00:00", s.ask("SELECT date_trunc('minute', now() - stock_updated_at + interval '10 seconds')::text FROM workspace.products WHERE id = $1", b))

	a, b = s.twice("T2")
	s.send("products", map[string]any{"external_id": "P-T2", "sku": "T2", "name": "Tea", "stock_available": 3})
	s.send("products", map[string]any{"external_id": "P-T2", "sku": "T2", "name": "Tea", "stock_available": nil})
	s.merge(a, b)
	require.Equal(t, "0 2", s.ask(`SELECT num_nonnulls(p.stock_available, p.stock_on_hand) || ' ' || (SELECT count(*) FROM workspace.stock_history h WHERE h.product_id = p.id)
		FROM workspace.products p WHERE p.id = $1`, b), "its own counts are the truth")
}

// ordered returns a line of an article that was approved here.
func (s *shop) ordered(article string) purchase.Line {
	s.t.Helper()
	ctx := s.t.Context()
	quantity, price, currency := "10", "2.5", "EUR"
	supplier := s.ask(`INSERT INTO workspace.suppliers (tenant_id, workspace_id, external_id, name)
		VALUES ($1, $2, gen_random_uuid()::text, 'Tea House') RETURNING id`, s.tenant.ID, s.tenant.Workspace)
	lines, err := s.lines.DraftConfirmed(ctx, s.buyer, []purchase.NewLine{{Changes: purchase.Changes{ProductID: &article, SupplierID: &supplier,
		QuantityOrdered: &quantity, PricePerUnit: &price, Currency: &currency}}})
	require.NoError(s.t, err)
	lines, err = s.lines.Submit(ctx, s.buyer, refs(lines))
	require.NoError(s.t, err)
	lines, err = s.lines.Approve(ctx, s.boss, refs(lines))
	require.NoError(s.t, err)
	return lines[0]
}

func refs(lines []purchase.Line) []purchase.Ref {
	return []purchase.Ref{{ID: lines[0].ID, Version: lines[0].Version}}
}

// TestNamesAreJudgedAlike: under whichever name a key or a person speaks of an ordered line's article, it is the article that was
// approved.
func TestNamesAreJudgedAlike(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	key := uuid.New()
	s.ask(`INSERT INTO workspace.api_keys (tenant_id, id, workspace_id, key_hash, prefix, label, scope)
		VALUES ($1, $2::uuid, $3, sha256($2::text::bytea), 'pk_00000000', 'a system', '*') RETURNING label`, s.tenant.ID, key, s.tenant.Workspace)
	system := auth.Principal{Tenant: s.tenant.ID, Workspace: s.tenant.Workspace, Zone: time.UTC, Key: key, Scope: auth.AllTables,
		Actor: auth.Actor{Type: auth.ByKey, ID: key.String()}}
	a, b := s.twice("T1")
	s.twice("T2")
	lines := map[string]purchase.Line{}
	for _, name := range []string{a, "T1", "P-T1", b, "P-T2"} {
		lines[name] = s.ordered(a)
	}
	s.merge(a, b)
	for name, line := range lines {
		for _, said := range []map[string]any{{"quantity_ordered": 9}, {"quantity_ordered": 9, "quantity_received": 2}} {
			said["external_id"], said["order_no"], said["sku"], said["product_id"] = line.ExternalID, line.OrderNo, line.SKU, name
			body, err := json.Marshal(said)
			require.NoError(t, err)
			_, err = s.gated.Write(t.Context(), ingest.Record{By: system, Slug: "purchase_order_lines", Body: body, RequestID: "test"})
			require.NoError(t, err, name)
			found, err := s.lines.Line(t.Context(), s.buyer, line.ID)
			require.NoError(t, err)
			if name == "P-T2" {
				require.Equal(t, purchase.PendingApproval, found.Status, "it is another article")
				break
			}
			require.NotEqual(t, purchase.PendingApproval, found.Status, name)
			require.Equal(t, b, *found.ProductID, name)
			require.Empty(t, found.Flags, name)
		}
	}
}

// TestMergeKeepsDecisions: whoever does not want what was drafted for the double does not want the other.
func TestMergeKeepsDecisions(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, b := s.twice("T1")
	quantity, wanted := "10", purchase.RecommendationKey(s.tenant.ID, "T1", purchase.Everywhere, 1)
	lines, err := s.lines.DraftConfirmed(t.Context(), s.buyer,
		[]purchase.NewLine{{Changes: purchase.Changes{ProductID: &a, QuantityOrdered: &quantity}, RecommendationKey: wanted}})
	require.NoError(t, err)
	id := s.ask(`INSERT INTO workspace.line_suggestions (tenant_id, line_id, workspace_id, product_id, recommendation_key, as_of, action, urgency,
			raw_quantity, suggested_quantity, reason_text)
		VALUES ($1, $2, $3, $4, $5, current_date, 'order', 'high', 5, 5, '') RETURNING line_id`, s.tenant.ID, lines[0].ID, s.tenant.Workspace, a, wanted)
	s.merge(a, b)
	found, err := s.lines.Line(t.Context(), s.buyer, id)
	require.NoError(t, err)
	_, err = s.lines.Cancel(t.Context(), s.buyer, refs([]purchase.Line{found}), "too many")
	require.NoError(t, err)
	require.Equal(t, b, s.ask("SELECT product_id FROM workspace.suppressions"))
}

// TestMergeAndClosedLines: a line that was closed before merging takes no need back when it is opened again.
func TestMergeAndClosedLines(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, b := s.twice("T1")
	quantity := "10"
	draft := func(article, identity string) []purchase.Line {
		t.Helper()
		lines, err := s.lines.DraftConfirmed(t.Context(), s.buyer, []purchase.NewLine{{Changes: purchase.Changes{ProductID: &article, QuantityOrdered: &quantity},
			RecommendationKey: purchase.RecommendationKey(s.tenant.ID, identity, purchase.Everywhere, 1)}})
		require.NoError(t, err)
		return lines
	}
	closed, err := s.lines.Cancel(t.Context(), s.buyer, refs(draft(a, "T1")), "not now")
	require.NoError(t, err)
	s.merge(a, b)
	draft(b, "P-T1")
	found, err := s.lines.Line(t.Context(), s.buyer, closed[0].ID)
	require.NoError(t, err)
	opened, err := s.lines.Reopen(t.Context(), s.boss, refs([]purchase.Line{found}))
	require.NoError(t, err)
	require.Nil(t, opened[0].RecommendationKey)
	old, err := s.lines.DraftConfirmed(t.Context(), s.buyer, []purchase.NewLine{{Changes: purchase.Changes{ProductID: &a, QuantityOrdered: &quantity}}})
	require.NoError(t, err, "an open page still has the old id")
	require.Equal(t, b, *old[0].ProductID)
}

// TestMergeKeepsExchangeIDs: an inventory system knows the other one by what it called the double.
func TestMergeKeepsExchangeIDs(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, b := s.twice("T1")
	for _, name := range []string{"one", "two"} {
		s.ask(`INSERT INTO workspace.connections 
			(tenant_id, id, workspace_id, system, name, address, may_export, may_load, location, calls_per_minute, state, created_by, updated_by, deleted_at)
			VALUES ($1, $2, $3, 'katana', $4, '', false, false, '', 60, 'draft', '{}', '{}', CASE WHEN $4 = 'two' THEN now() END) RETURNING name`, s.tenant.ID, uuid.New(), s.tenant.Workspace, name)
	}
	s.ask(`WITH added AS (INSERT INTO workspace.exchange_ids (tenant_id, connection_id, kind, ours, theirs, chosen_by)
		SELECT tenant_id, id, 'article', $1, 'V' || name, '{}'::jsonb FROM workspace.connections
		UNION ALL SELECT tenant_id, id, 'article', $2, 'own', '{}'::jsonb FROM workspace.connections WHERE name = 'two' RETURNING 1) SELECT count(*)::text FROM added`, a, b)
	s.merge(a, b)
	require.Equal(t, "Vone own", s.ask("SELECT string_agg(theirs, ' ' ORDER BY theirs) FROM workspace.exchange_ids WHERE ours = $1", b))
	require.Equal(t, "2", s.ask("SELECT count(*)::text FROM workspace.exchange_ids"))
}

// TestMergeKeepsApproval: an approved line stays approved, as nothing else is bought, and a later rise is still one.
func TestMergeKeepsApproval(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, b := s.twice("T1")
	ctx, line := t.Context(), s.ordered(a)
	require.Equal(t, 1, s.merge(a, b).Lines)
	found, err := s.lines.Line(ctx, s.buyer, line.ID)
	require.NoError(t, err)
	require.Equal(t, purchase.Ordered, found.Status)
	require.Equal(t, b, *found.ProductID)
	require.Empty(t, found.Flags, "its amount is the one that was approved")
	above, err := s.lines.ListAbove(ctx, []uuid.UUID{s.tenant.ID})
	require.NoError(t, err)
	require.Empty(t, above)
	more := "11"
	edited, err := s.lines.Edit(ctx, s.buyer, purchase.Ref{ID: found.ID, Version: found.Version}, purchase.Changes{QuantityOrdered: &more})
	require.NoError(t, err)
	require.Equal(t, purchase.PendingApproval, edited[0].Status)
}

// TestMergeRecommendations: an open line's recommendation becomes one of the other article; two of them are refused.
func TestMergeRecommendations(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	draft := func(article, key string) purchase.Line {
		t.Helper()
		quantity := "10"
		lines, err := s.lines.DraftConfirmed(t.Context(), s.buyer,
			[]purchase.NewLine{{Changes: purchase.Changes{ProductID: &article, QuantityOrdered: &quantity}, RecommendationKey: key}})
		require.NoError(t, err)
		return lines[0]
	}
	keys := func(sku string) (of, with string) {
		return purchase.RecommendationKey(s.tenant.ID, sku, purchase.Everywhere, 1), purchase.RecommendationKey(s.tenant.ID, "P-"+sku, purchase.Everywhere, 1)
	}
	a, b := s.twice("T1")
	of, with := keys("T1")
	line := draft(a, of)
	s.merge(a, b)
	require.Equal(t, with, s.ask("SELECT recommendation_key FROM workspace.purchase_order_lines WHERE id = $1", line.ID))

	a, b = s.twice("T2")
	of, with = keys("T2")
	draft(a, of)
	second := draft(b, with)
	_, err := s.doubles.Merge(t.Context(), s.boss, a, b)
	require.True(t, fault.HasCode(err, "both_recommended"), err)
	require.Len(t, s.list(), 1)
	_, err = s.lines.Cancel(t.Context(), s.buyer, []purchase.Ref{{ID: second.ID, Version: second.Version}}, "one is enough")
	require.NoError(t, err)
	s.merge(a, b)
	require.Equal(t, purchase.RecommendationKey(s.tenant.ID, "P-T2", purchase.Everywhere, 2),
		s.ask("SELECT recommendation_key FROM workspace.purchase_order_lines WHERE product_id = $1 AND status = 'draft'", b), "the first was answered")
}

// TestMergeRefusals: only an article without an id is merged, into one with its SKU, by somebody who may edit records.
func TestMergeRefusals(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, b := s.twice("T1")
	c, d := s.twice("T2")
	for name, refused := range map[string]struct{ id, into, code string }{
		"it has an id":        {b, a, "has_external_id"},
		"itself":              {a, a, "no_external_id"},
		"another without one": {a, c, "no_external_id"},
		"another SKU":         {a, d, "other_sku"},
		"no such article":     {"nothing", b, "unknown_article"},
		"no such other":       {a, "nothing", "unknown_article"},
	} {
		_, err := s.doubles.Merge(t.Context(), s.boss, refused.id, refused.into)
		require.True(t, fault.HasCode(err, refused.code), "%s: %v", name, err)
	}
	_, err := s.doubles.Merge(t.Context(), s.person(auth.Viewer), a, b)
	require.True(t, fault.Is(err, fault.Forbidden), err)
	stranger := pgtest.NewTenant(t, s.db)
	boss := s.boss
	boss.Tenant, boss.Workspace = stranger.ID, stranger.Workspace
	_, err = s.doubles.Merge(t.Context(), boss, a, b)
	require.True(t, fault.HasCode(err, "unknown_article"), err)
	require.Len(t, s.list(), 2)
}

// TestMergedSequence: a delivery that is older than the double's last one changes nothing.
func TestMergedSequence(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	_, err := s.try(s.records, "products", map[string]any{"sku": "T1", "name": "Tea"}, ingest.Terms{Sequence: "7"})
	require.NoError(t, err)
	a, b := s.twice("T1")
	s.merge(a, b)
	outcome, err := s.try(s.records, "products", map[string]any{"sku": "T1", "name": "Old tea"}, ingest.Terms{Sequence: "6"})
	require.NoError(t, err)
	require.Equal(t, ingest.Stale, outcome.Result)
	outcome, err = s.try(s.records, "products", map[string]any{"sku": "T1", "name": "New tea"}, ingest.Terms{Sequence: "8"})
	require.NoError(t, err)
	require.Equal(t, ingest.Updated, outcome.Result)
}

// TestAliasEnds: when the other gets another SKU, records by the old one are of an article of their own again.
func TestAliasEnds(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, b := s.twice("T1")
	s.merge(a, b)
	s.send("products", map[string]any{"external_id": "P-T1", "sku": "T9", "name": "Green tea"})
	require.Equal(t, ingest.Created, s.send("products", map[string]any{"sku": "T1", "name": "Another tea"}).Result)
	require.Equal(t, []string{"P-T1 T9 Green tea 7 400", "T1 Another tea"}, s.visible())
	s.send("purchase_order_lines", map[string]any{"external_id": "L", "order_no": "PO-2", "sku": "T9", "product_id": a, "quantity_ordered": 5})
	require.Equal(t, b, s.ask("SELECT product_id FROM workspace.purchase_order_lines WHERE external_id = 'L'"), "its old id still means it")
}

// halfMerged begins to merge as the service does, up to where the lines of the double are moved, and returns what ends it.
func (s *shop) halfMerged(a, b, sku string) (end func()) {
	s.t.Helper()
	tx, err := s.admin.Begin(s.t.Context())
	require.NoError(s.t, err)
	for _, sql := range []string{
		"SELECT set_config('app.merging', 'on', true)",
		"SELECT pg_advisory_xact_lock(hashtextextended('purchase article " + s.tenant.Workspace.String() + " " + sku + "', 0))",
		"SELECT id FROM workspace.products WHERE id IN ('" + a + "', '" + b + "') FOR UPDATE",
		"UPDATE workspace.products SET merged_into = '" + b + "', sku = NULL, version = version + 1 WHERE id = '" + a + "'",
		"INSERT INTO workspace.article_aliases (tenant_id, workspace_id, name, product_id) SELECT tenant_id, workspace_id, unnest(ARRAY['" + sku + "', '" + a +
			"']), id FROM workspace.products WHERE id = '" + b + "'",
		"INSERT INTO workspace.registry_tables (tenant_id, slug, title, storage) SELECT tenant_id, 'products', 'Products', 'extension' FROM workspace.products WHERE id = '" + b + "'",
	} {
		_, err := tx.Exec(s.t.Context(), sql)
		require.NoError(s.t, err, sql)
	}
	return func() { require.NoError(s.t, tx.Commit(s.t.Context())) }
}

// waits waits until a session of the service waits for a lock.
func (s *shop) waits() {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		return s.ask("SELECT count(*)::text FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()") != "0"
	}, 10*time.Second, 5*time.Millisecond)
}

// TestLineWaitsForMerging: a line that names the double while it is merged names the other.
func TestLineWaitsForMerging(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, b := s.twice("T1")
	end := s.halfMerged(a, b, "T1")
	written := make(chan error)
	go func() {
		_, err := s.try(s.records, "purchase_order_lines", map[string]any{"external_id": "L1", "order_no": "PO-1", "sku": "T1", "product_id": a, "quantity_ordered": 5}, ingest.Terms{})
		written <- err
	}()
	s.waits()
	end()
	require.NoError(t, <-written)
	require.Equal(t, b, s.ask("SELECT product_id FROM workspace.purchase_order_lines WHERE external_id = 'L1'"))
}

// TestDraftWaitsForMerging: a draft of the double that is begun while it is merged is refused, as somebody may have ordered the
// other one.
func TestDraftWaitsForMerging(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, b := s.twice("T1")
	end := s.halfMerged(a, b, "T1")
	written := make(chan error)
	go func() {
		quantity := "10"
		_, err := s.lines.DraftConfirmed(t.Context(), s.buyer, []purchase.NewLine{{Changes: purchase.Changes{ProductID: &a, QuantityOrdered: &quantity}}})
		written <- err
	}()
	s.waits()
	end()
	require.True(t, fault.HasCode(<-written, "article_merged"))
}

// TestRecordWaitsForMerging: a record by the SKU that comes while its article is merged is one of the other.
func TestRecordWaitsForMerging(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, b := s.twice("T1")
	end := s.halfMerged(a, b, "T1")
	written := make(chan error)
	go func() {
		_, err := s.try(s.records, "products", map[string]any{"sku": "T1", "name": "Black tea"}, ingest.Terms{})
		written <- err
	}()
	s.waits()
	end()
	require.NoError(t, <-written)
	require.Equal(t, []string{"P-T1 T1 Black tea"}, s.visible())
}

// TestMergeAgainstWriters: while records of both names and lines come through two instances, the articles become one and
// nothing of them is lost.
func TestMergeAgainstWriters(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	second := s.instance(nil)
	for round, sku := range []string{"R1", "R2", "R3", "R4", "R5"} {
		a, b := s.twice(sku)
		begin, writers := make(chan struct{}), sync.WaitGroup{}
		refused := make(chan error, 100)
		for n := range 24 {
			records := s.records
			if n%2 == 1 {
				records = second
			}
			slug, record := "products", map[string]any{"sku": sku, "name": "Tea", "barcode": string(rune('a' + n))}
			if n%3 == 1 {
				slug, record = "purchase_order_lines", map[string]any{"external_id": sku + string(rune('a'+n)), "order_no": "PO", "sku": sku,
					"product_id": []string{a, sku}[n%2], "quantity_ordered": 1}
			}
			writers.Go(func() {
				<-begin
				if _, err := s.try(records, slug, record, ingest.Terms{}); err != nil {
					refused <- err
				}
			})
		}
		writers.Go(func() {
			<-begin
			if _, err := s.doubles.Merge(t.Context(), s.boss, a, b); err != nil {
				refused <- err
			}
		})
		close(begin)
		writers.Wait()
		close(refused)
		for err := range refused {
			require.NoError(t, err)
		}
		require.Len(t, s.visible(), round+1)
		require.Equal(t, "8 8", s.ask(`SELECT count(*) || ' ' || count(*) FILTER (WHERE product_id = $2) FROM workspace.purchase_order_lines
			WHERE tenant_id = $1 AND sku = $3`, s.tenant.ID, b, sku), "no line is left behind")
	}
}
