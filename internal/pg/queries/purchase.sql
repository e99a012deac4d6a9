-- name: LockLines :many
SELECT * FROM workspace.purchase_order_lines
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = ANY (@ids::text[])
ORDER BY id FOR UPDATE;

-- By the key that its sender gave it, in whichever workspace it is.
-- name: LockLineByKey :one
SELECT * FROM workspace.purchase_order_lines WHERE tenant_id = @tenant_id AND external_id = @external_id FOR UPDATE;

-- name: ListApprovals :many
SELECT * FROM workspace.line_approvals WHERE tenant_id = @tenant_id AND line_id = ANY (@ids::text[]);

-- name: InsertLine :one
INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, id, external_id, order_no, sku, quantity_ordered, expected_arrival_date,
    price_per_unit, currency, note, supplier_id, product_id, recommendation_key,
    created_by_type, created_by_user_id, created_by_agent_id, created_by_run_id)
VALUES (@tenant_id, @workspace_id, @id, @external_id, @order_no, @sku, @quantity_ordered, @expected_arrival_date,
    @price_per_unit, @currency, @note, @supplier_id, @product_id, @recommendation_key,
    @created_by_type, @created_by_user_id, @created_by_agent_id, @created_by_run_id)
RETURNING *;

-- Only ever under the lock of LockLines, so that no column overwrites what somebody
-- else wrote.
-- name: UpdateLine :one
UPDATE workspace.purchase_order_lines
SET order_no = @order_no, sku = @sku, status = @status, quantity_ordered = @quantity_ordered, quantity_received = @quantity_received,
    expected_arrival_date = @expected_arrival_date, price_per_unit = @price_per_unit, currency = @currency, note = @note,
    supplier_id = @supplier_id, product_id = @product_id, ordered_at = @ordered_at, received_at = @received_at,
    recommendation_key = @recommendation_key, approved_by = @approved_by, approved_at = @approved_at
WHERE tenant_id = @tenant_id AND id = @id
RETURNING *;

-- name: PutApproval :exec
INSERT INTO workspace.line_approvals (tenant_id, line_id, workspace_id, money_by, imported_by, money_hash, submitted_by, submitted_at, self_approved,
    approved_quantity, approved_price, approved_sku, approved_product_id, approved_supplier_id, approved_currency, approved_order_no,
    approved_total, approver_limit)
VALUES (@tenant_id, @line_id, @workspace_id, @money_by, @imported_by, @money_hash, @submitted_by, @submitted_at, @self_approved,
    @approved_quantity, @approved_price, @approved_sku, @approved_product_id, @approved_supplier_id, @approved_currency, @approved_order_no,
    @approved_total, @approver_limit)
ON CONFLICT (tenant_id, line_id) DO UPDATE
SET (money_by, imported_by, money_hash, submitted_by, submitted_at, self_approved,
    approved_quantity, approved_price, approved_sku, approved_product_id, approved_supplier_id, approved_currency, approved_order_no,
    approved_total, approver_limit) = (
    excluded.money_by, excluded.imported_by, excluded.money_hash, excluded.submitted_by, excluded.submitted_at, excluded.self_approved,
    excluded.approved_quantity, excluded.approved_price, excluded.approved_sku, excluded.approved_product_id, excluded.approved_supplier_id,
    excluded.approved_currency, excluded.approved_order_no, excluded.approved_total, excluded.approver_limit);

-- Whether a person has made a token of one of these agents.
-- name: MadeTokenOf :one
SELECT EXISTS (SELECT FROM workspace.tokens
    WHERE tenant_id = @tenant_id AND agent_id = ANY (@agents::uuid[]) AND created_by ->> 'type' = 'user' AND created_by ->> 'id' = @person::text)::boolean;

-- name: LockHolder :one
SELECT id, workspace_id, order_no, status FROM workspace.purchase_order_lines
WHERE tenant_id = @tenant_id AND recommendation_key = @recommendation_key AND status NOT IN ('received', 'cancelled');

-- The order as a whole, drafts and what was cancelled left out.
-- name: OrderTotals :many
SELECT coalesce(currency, '')::text AS currency, sum(quantity_ordered * coalesce(price_per_unit, 0))::numeric AS total
FROM workspace.purchase_order_lines
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND order_no = @order_no AND status NOT IN ('draft', 'cancelled')
GROUP BY 1 ORDER BY 1;

-- name: GetApprovalLimit :one
SELECT amount, currency FROM workspace.approval_limits
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND user_id = @user_id;

-- name: LockApprovalLimit :exec
SELECT pg_advisory_xact_lock(hashtextextended('approval limit ' || @whose::text, 0));

-- name: ListApprovalLimits :many
SELECT user_id, amount, currency FROM workspace.approval_limits
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id ORDER BY user_id;

-- name: PutApprovalLimit :exec
INSERT INTO workspace.approval_limits (tenant_id, workspace_id, user_id, amount, currency)
VALUES (@tenant_id, @workspace_id, @user_id, @amount, @currency)
ON CONFLICT (tenant_id, workspace_id, user_id) DO UPDATE SET amount = excluded.amount, currency = excluded.currency;

-- name: DropApprovalLimit :exec
DELETE FROM workspace.approval_limits WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND user_id = @user_id;

-- name: GetPurchasingRules :one
SELECT four_eyes, agents_submit, over_receipt_percent, reapproval_percent, version FROM workspace.purchasing_rules
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id;

-- Version 0 is a workspace that has the defaults.
-- name: PutPurchasingRules :execrows
INSERT INTO workspace.purchasing_rules AS r (tenant_id, workspace_id, four_eyes, agents_submit, over_receipt_percent, reapproval_percent)
VALUES (@tenant_id, @workspace_id, @four_eyes, @agents_submit, @over_receipt_percent, @reapproval_percent)
ON CONFLICT (tenant_id, workspace_id) DO UPDATE
SET four_eyes = excluded.four_eyes, agents_submit = excluded.agents_submit, over_receipt_percent = excluded.over_receipt_percent,
    reapproval_percent = excluded.reapproval_percent, version = r.version + 1
WHERE r.version = @version;

-- name: NextOrderNumber :one
INSERT INTO workspace.purchasing_rules AS r (tenant_id, workspace_id, next_order, version) VALUES (@tenant_id, @workspace_id, 1002, 0)
ON CONFLICT (tenant_id, workspace_id) DO UPDATE SET next_order = r.next_order + 1
RETURNING (next_order - 1)::bigint AS number;

-- name: HasOrder :one
SELECT EXISTS (SELECT FROM workspace.purchase_order_lines
    WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND order_no = @order_no)::boolean;

-- name: InsertEvent :exec
INSERT INTO workspace.events (tenant_id, subject, id, workspace_id, kind, slug, version, actor, request_id, data)
VALUES (@tenant_id, @subject, @id, @workspace_id, @kind, @slug, @version, @actor, @request_id, @data);

-- name: ListReceipts :many
SELECT r.id, r.version, r.quantity, r.received_at, r.note, r.created_at,
    coalesce(r.actor, (SELECT e.actor FROM workspace.events e
        WHERE e.tenant_id = r.tenant_id AND e.subject = r.line_id AND e.version = r.version ORDER BY e.id LIMIT 1), '{}')::jsonb AS actor
FROM workspace.receipts r
WHERE r.tenant_id = @tenant_id AND r.line_id = @line_id ORDER BY r.id;

-- name: ListUnseenFlags :many
SELECT line_id, from_status, to_status, created_at FROM workspace.line_flags
WHERE tenant_id = @tenant_id AND line_id = ANY (@ids::text[]) AND seen_at IS NULL ORDER BY id;

-- name: SeeFlags :execrows
UPDATE workspace.line_flags SET seen_at = now(), seen_by = @actor
WHERE tenant_id = @tenant_id AND line_id = @line_id AND seen_at IS NULL;

-- name: KeepPurchaseRules :exec
SELECT set_config('app.purchase', 'on', true);

-- name: DescribeReceipt :exec
SELECT set_config('app.receipt', @receipt::text, true);

-- name: FindArticle :one
SELECT sku, coalesce(supplier_id, '')::text AS supplier_id FROM workspace.products
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = @id;

-- name: FindSupplier :one
SELECT id FROM workspace.suppliers WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = @id;

-- References as ingest reads them: an id, or the key of the table that is referred to.
-- name: LookUpSupplier :one
SELECT id FROM workspace.suppliers
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND (id = @reference OR external_id = @reference)
ORDER BY id = @reference DESC LIMIT 1;

-- name: LookUpProduct :one
SELECT id FROM workspace.products
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND (id = @reference OR identity_key = @reference)
ORDER BY id = @reference DESC LIMIT 1;

-- name: ListOrderLines :many
SELECT * FROM workspace.purchase_order_lines
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND order_no = @order_no ORDER BY id;

-- name: ListLines :many
SELECT * FROM workspace.purchase_order_lines
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = ANY (@ids::text[]) ORDER BY id;

-- name: ListOrders :many
SELECT order_no, max(id)::text AS last_id, count(*) AS lines,
    count(*) FILTER (WHERE status = 'draft') AS draft, count(*) FILTER (WHERE status = 'pending_approval') AS pending_approval,
    count(*) FILTER (WHERE status = 'ordered') AS ordered, count(*) FILTER (WHERE status = 'partially_received') AS partially_received,
    count(*) FILTER (WHERE status = 'received') AS received, count(*) FILTER (WHERE status = 'cancelled') AS cancelled,
    (array_agg(DISTINCT supplier_name) FILTER (WHERE supplier_name IS NOT NULL))[1:3]::text[] AS suppliers,
    count(DISTINCT supplier_name) AS supplier_count,
    (min(expected_arrival_date) FILTER (WHERE status IN ('ordered', 'partially_received')))::date AS next_arrival,
    max(updated_at)::timestamptz AS updated_at
FROM workspace.purchase_order_lines
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id
GROUP BY order_no
HAVING max(id) < @before::text
   AND (@status::text = '' OR count(*) FILTER (WHERE status = @status) > 0)
   AND (@overdue_on::date IS NULL OR min(expected_arrival_date) FILTER (WHERE status IN ('ordered', 'partially_received')) < @overdue_on::date)
   AND (@words::text = '' OR bool_or(position(lower(@words) IN lower(order_no || ' ' || sku || ' ' || coalesce(product_name, '') || ' ' || coalesce(supplier_name, ''))) > 0))
ORDER BY max(id) DESC LIMIT @most;

-- name: ListOrderTotals :many
SELECT order_no, coalesce(currency, '')::text AS currency, sum(quantity_ordered * coalesce(price_per_unit, 0))::numeric AS total
FROM workspace.purchase_order_lines
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND order_no = ANY (@order_nos::text[]) AND status <> 'cancelled'
GROUP BY 1, 2 ORDER BY 1, 2;

-- name: CountOrders :one
SELECT count(DISTINCT order_no) AS orders,
    count(DISTINCT order_no) FILTER (WHERE status = 'draft') AS draft,
    count(DISTINCT order_no) FILTER (WHERE status = 'pending_approval') AS pending_approval,
    count(DISTINCT order_no) FILTER (WHERE status = 'ordered') AS ordered,
    count(DISTINCT order_no) FILTER (WHERE status = 'partially_received') AS partially_received,
    count(DISTINCT order_no) FILTER (WHERE status = 'received') AS received,
    count(DISTINCT order_no) FILTER (WHERE status = 'cancelled') AS cancelled,
    count(DISTINCT order_no) FILTER (WHERE status IN ('ordered', 'partially_received') AND expected_arrival_date < @today::date) AS overdue,
    count(DISTINCT order_no) FILTER (WHERE status IN ('ordered', 'partially_received')
        AND expected_arrival_date >= @today::date AND expected_arrival_date <= @soon::date) AS arriving_soon
FROM workspace.purchase_order_lines WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id;

-- Open supply by the day it should arrive; what is overdue comes first.
-- name: ListArrivals :many
SELECT * FROM workspace.purchase_order_lines
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND status IN ('ordered', 'partially_received')
  AND expected_arrival_date >= @since::date AND expected_arrival_date <= @until::date
ORDER BY expected_arrival_date, order_no, id LIMIT @most;

-- What people and agents did is in the audit, for good; what external systems wrote, in the
-- events, for as long as they are kept.
-- name: ListLineHistory :many
SELECT at, actor, request_id, action, data FROM (
    SELECT a.at, a.actor, a.request_id, a.action, a.data, a.id FROM workspace.audit a
    WHERE a.tenant_id = @tenant_id AND a.subject = @line_id::text
  UNION ALL
    SELECT e.created_at, e.actor, e.request_id, e.kind, e.data, e.id FROM workspace.events e
    WHERE e.tenant_id = @tenant_id AND e.subject = @line_id::text AND e.kind LIKE 'ingest.%' AND e.data ->> 'result' <> 'unchanged'
      AND NOT EXISTS ( -- a person's file: the audit has it
        SELECT FROM workspace.audit a WHERE a.tenant_id = e.tenant_id AND a.subject = e.subject AND a.data ->> 'version' = e.version::text)
) history
ORDER BY at DESC, id DESC LIMIT @most;

-- Articles whose SKU begins with the words come first. A tenant's articles are read at most:
-- tenant_id leads every index.
-- name: SearchProducts :many
SELECT p.id, coalesce(p.sku, '')::text AS sku, p.name, p.unit_cost, coalesce(p.cost_currency, '')::text AS currency,
    coalesce(s.id, '')::text AS supplier_id, coalesce(s.name, '')::text AS supplier_name
FROM workspace.products p
LEFT JOIN workspace.suppliers s ON s.tenant_id = p.tenant_id AND s.id = p.supplier_id
WHERE p.tenant_id = @tenant_id AND p.workspace_id = @workspace_id AND p.sku IS NOT NULL AND p.status IS DISTINCT FROM 'archived'
  AND (@words::text = '' OR position(lower(@words) IN lower(p.sku || ' ' || p.name)) > 0)
ORDER BY starts_with(lower(p.sku), lower(@words)) DESC, p.sku, p.id LIMIT @most;

-- name: SearchSuppliers :many
SELECT id, name, coalesce(currency, '')::text AS currency FROM workspace.suppliers
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND active IS DISTINCT FROM false
  AND (@words::text = '' OR position(lower(@words) IN lower(name)) > 0)
ORDER BY starts_with(lower(name), lower(@words)) DESC, lower(name), id LIMIT @most;

-- How many lines of each order somebody should look at: no article has their SKU, or an
-- external system moved them as people may not.
-- name: CountOrderFlags :many
SELECT l.order_no, count(*) AS lines FROM workspace.purchase_order_lines l
WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.order_no = ANY (@order_nos::text[])
  AND (l.product_name IS NULL OR EXISTS (
      SELECT FROM workspace.line_flags f WHERE f.tenant_id = l.tenant_id AND f.line_id = l.id AND f.seen_at IS NULL))
GROUP BY 1;

-- name: GetLetterhead :one
SELECT t.name AS company, w.name AS workspace FROM control.workspaces w
JOIN control.tenants t ON t.id = w.tenant_id
WHERE w.tenant_id = @tenant_id AND w.id = @workspace_id;
