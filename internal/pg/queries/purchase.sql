-- name: LockLines :many
SELECT * FROM workspace.purchase_order_lines
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = ANY (@ids::text[])
ORDER BY id FOR UPDATE;

-- By external id, in any workspace.
-- name: LockLineByKey :one
SELECT * FROM workspace.purchase_order_lines WHERE tenant_id = @tenant_id AND external_id = @external_id FOR UPDATE;

-- name: ListApprovals :many
SELECT * FROM workspace.line_approvals WHERE tenant_id = @tenant_id AND line_id = ANY (@ids::text[]);

-- Ordered lines that are not what was approved here: another deal, or more of it.
-- name: ListRaisedLines :many
SELECT sqlc.embed(l), sqlc.embed(a)
FROM workspace.purchase_order_lines l
JOIN workspace.line_approvals a ON a.tenant_id = l.tenant_id AND a.line_id = l.id
WHERE l.tenant_id = ANY (@tenants::uuid[]) AND l.status IN ('ordered', 'partially_received')
  AND a.approved_quantity IS NOT NULL AND a.ordered_version IS NULL
  AND (l.quantity_ordered > a.approved_quantity OR (l.sku, l.product_id, l.supplier_id, l.price_per_unit, l.currency, l.order_no)
      IS DISTINCT FROM (a.approved_sku, a.approved_product_id, a.approved_supplier_id, a.approved_price, a.approved_currency, a.approved_order_no))
ORDER BY l.tenant_id, l.workspace_id, l.order_no, l.id;

-- Which external systems ordered these lines, as far back as events are kept.
-- name: ListOrderedOutside :many
SELECT a.line_id, coalesce((SELECT e.actor FROM workspace.events e
    WHERE e.tenant_id = a.tenant_id AND e.subject = a.line_id AND e.version = a.ordered_version
      AND e.data ->> 'result' IS DISTINCT FROM 'stale' ORDER BY e.id LIMIT 1), '{}')::jsonb AS actor
FROM workspace.line_approvals a
WHERE a.tenant_id = @tenant_id AND a.line_id = ANY (@ids::text[]) AND a.ordered_version IS NOT NULL;

-- name: InsertLine :one
INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, id, external_id, order_no, sku, quantity_ordered, expected_arrival_date,
    price_per_unit, currency, note, supplier_id, product_id, recommendation_key,
    created_by_type, created_by_user_id, created_by_agent_id, created_by_run_id)
VALUES (@tenant_id, @workspace_id, @id, @external_id, @order_no, @sku, @quantity_ordered, @expected_arrival_date,
    @price_per_unit, @currency, @note, @supplier_id, @product_id, @recommendation_key,
    @created_by_type, @created_by_user_id, @created_by_agent_id, @created_by_run_id)
RETURNING *;

-- What an article is ordered in whole numbers of.
-- name: GetOrderMultiple :one
SELECT order_multiple FROM workspace.products WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = @id;

-- A line that is split off another: nothing of it has arrived, and no external system knows it. It is as old as the other, so
-- that it counts for the same month.
-- name: InsertPart :one
INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, id, external_id, order_no, sku, status, quantity_ordered,
    expected_arrival_date, price_per_unit, currency, note, supplier_id, product_id, ordered_at, location_id, product_name, supplier_name,
    variant_external_id, product_external_id, recommendation_key, created_by_type, created_by_user_id, created_by_agent_id,
    created_by_run_id, approved_by, approved_at, external_system, external_po_id, custom, created_at)
SELECT l.tenant_id, l.workspace_id, @id, @external_id, l.order_no, l.sku, @status, @quantity_ordered, @expected_arrival_date,
    l.price_per_unit, l.currency, l.note, l.supplier_id, l.product_id, l.ordered_at, l.location_id, l.product_name, l.supplier_name,
    l.variant_external_id, l.product_external_id, sqlc.narg('recommendation_key'), l.created_by_type, l.created_by_user_id,
    l.created_by_agent_id, l.created_by_run_id, sqlc.narg('approved_by'), sqlc.narg('approved_at'), l.external_system, l.external_po_id, l.custom, l.created_at
FROM workspace.purchase_order_lines l WHERE l.tenant_id = @tenant_id AND l.id = @of_id
RETURNING *;

-- Only under the lock of LockLines, so that no column overwrites a concurrent change.
-- name: UpdateLine :one
UPDATE workspace.purchase_order_lines
SET order_no = @order_no, sku = @sku, status = @status, quantity_ordered = @quantity_ordered, quantity_received = @quantity_received,
    expected_arrival_date = @expected_arrival_date, price_per_unit = @price_per_unit, currency = @currency, note = @note,
    supplier_id = @supplier_id, product_id = @product_id, ordered_at = @ordered_at, received_at = @received_at,
    recommendation_key = @recommendation_key, approved_by = @approved_by, approved_at = @approved_at
WHERE tenant_id = @tenant_id AND id = @id
RETURNING *;

-- All lines of an order, in the order in which they are locked.
-- name: LockOrderLines :many
SELECT * FROM workspace.purchase_order_lines
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND order_no = @order_no
ORDER BY id FOR UPDATE;

-- A line that an external system has. Its key may be taken, by another account's row or by a line that was moved:
-- then it gets one of its own.
-- name: InsertTakenLine :one
INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, id, external_id, order_no, sku, status, quantity_ordered,
    expected_arrival_date, price_per_unit, currency, supplier_id, product_id, ordered_at, external_system, external_po_id, external_line_id)
VALUES (@tenant_id, @workspace_id, @id::text, CASE WHEN EXISTS (SELECT FROM workspace.purchase_order_lines l
        WHERE l.tenant_id = @tenant_id AND l.external_id = @external_id::text) THEN concat(@external_id::text, ':', @id::text) ELSE @external_id::text END,
    @order_no, @sku, @status, @quantity_ordered, @expected_arrival_date, @price_per_unit, @currency, @supplier_id,
    @product_id, @ordered_at, @external_system, @external_po_id, @external_line_id)
RETURNING *;

-- What an external system says about a line. Only under the lock of LockOrderLines.
-- name: UpdateTakenLine :one
UPDATE workspace.purchase_order_lines
SET sku = @sku, status = @status, quantity_ordered = @quantity_ordered, quantity_received = @quantity_received,
    expected_arrival_date = @expected_arrival_date, price_per_unit = @price_per_unit, currency = @currency,
    supplier_id = @supplier_id, product_id = @product_id, ordered_at = @ordered_at, received_at = @received_at,
    external_system = @external_system, external_po_id = @external_po_id, external_line_id = @external_line_id
WHERE tenant_id = @tenant_id AND id = @id
RETURNING *;

-- name: PutApproval :exec
INSERT INTO workspace.line_approvals (tenant_id, line_id, workspace_id, money_by, imported_by, money_hash, submitted_by, submitted_at, self_approved,
    approved_quantity, approved_price, approved_sku, approved_product_id, approved_supplier_id, approved_currency, approved_order_no,
    approved_total, approver_limit, ordered_version)
VALUES (@tenant_id, @line_id, @workspace_id, @money_by, @imported_by, @money_hash, @submitted_by, @submitted_at, @self_approved,
    @approved_quantity, @approved_price, @approved_sku, @approved_product_id, @approved_supplier_id, @approved_currency, @approved_order_no,
    @approved_total, @approver_limit, @ordered_version)
ON CONFLICT (tenant_id, line_id) DO UPDATE
SET (money_by, imported_by, money_hash, submitted_by, submitted_at, self_approved,
    approved_quantity, approved_price, approved_sku, approved_product_id, approved_supplier_id, approved_currency, approved_order_no,
    approved_total, approver_limit, ordered_version) = (
    excluded.money_by, excluded.imported_by, excluded.money_hash, excluded.submitted_by, excluded.submitted_at, excluded.self_approved,
    excluded.approved_quantity, excluded.approved_price, excluded.approved_sku, excluded.approved_product_id, excluded.approved_supplier_id,
    excluded.approved_currency, excluded.approved_order_no, excluded.approved_total, excluded.approver_limit, excluded.ordered_version);

-- The agents of which a person has made a token.
-- name: ListAgentsMadeBy :many
SELECT DISTINCT agent_id::uuid AS agent_id FROM workspace.tokens
WHERE tenant_id = @tenant_id AND agent_id IS NOT NULL AND created_by ->> 'type' = 'user' AND created_by ->> 'id' = @person::text;

-- Drafts of the same articles wait here until the other transaction ends. SKUs are sorted, so
-- that two calls cannot deadlock.
-- name: LockArticles :exec
SELECT pg_advisory_xact_lock(hashtextextended('purchase article ' || @workspace::text || ' ' || sku, 0))
FROM unnest(@skus::text[]) AS sku;

-- Open lines of articles, for each article by expected arrival: the same product or, if the
-- article or the line names none (empty), the same SKU.
-- name: ListOnItsWay :many
SELECT wanted.sku AS wanted_sku, wanted.product AS wanted_product,
    way.id, way.order_no, way.status, way.quantity_ordered, way.quantity_received, way.expected_arrival_date, way.open
FROM (SELECT unnest(@skus::text[])::text AS sku, unnest(@products::text[])::text AS product) wanted
CROSS JOIN LATERAL (
    SELECT l.id, l.order_no, l.status, l.quantity_ordered, l.quantity_received, l.expected_arrival_date,
        (sum(greatest(l.quantity_ordered - l.quantity_received, 0)) OVER ())::numeric AS open -- of all, also of those that are not listed
    FROM workspace.purchase_order_lines l
    WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.status NOT IN ('received', 'cancelled')
      AND (l.product_id = wanted.product OR l.sku = wanted.sku AND (l.product_id IS NULL OR wanted.product = ''))
    ORDER BY l.expected_arrival_date, l.id LIMIT @most
) way
ORDER BY wanted.sku, wanted.product, way.expected_arrival_date, way.id;

-- name: LockHolder :one
SELECT id, workspace_id, order_no, status FROM workspace.purchase_order_lines
WHERE tenant_id = @tenant_id AND recommendation_key = @recommendation_key AND status NOT IN ('received', 'cancelled');

-- The totals of orders that count against an approval limit: lines pending approval or ordered.
-- name: BoundTotals :many
SELECT order_no, currency, sum(bound)::numeric AS total FROM workspace.purchase_order_sums
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND order_no = ANY (@order_nos::text[]) AND binding > 0
GROUP BY order_no, currency ORDER BY order_no, currency;

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

-- The latest order first.
-- name: ListRecentOrders :many
SELECT order_no FROM workspace.purchase_orders
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND lines > 0 ORDER BY newest_id DESC LIMIT @most;

-- The first caller gets the number.
-- name: ClaimOrder :execrows
INSERT INTO workspace.purchase_orders (tenant_id, workspace_id, order_no, sort_no)
VALUES (@tenant_id, @workspace_id, @order_no::text, workspace.sort_number(@order_no::text))
ON CONFLICT DO NOTHING;

-- The key of a line's article. No row if the line names no article, or its SKU is ambiguous.
-- name: ArticleOf :one
SELECT coalesce(p.identity_key, p.id)::text AS article FROM workspace.products p
WHERE p.tenant_id = @tenant_id AND p.workspace_id = @workspace_id AND p.id = CASE WHEN @product_id::text <> '' THEN @product_id::text ELSE (
    SELECT CASE WHEN count(c.external_id) < 2 THEN (array_agg(c.id ORDER BY c.external_id NULLS LAST))[1] END FROM workspace.products c
    WHERE c.tenant_id = @tenant_id AND c.workspace_id = @workspace_id AND c.sku = @sku::text) END;

-- The lines that answered an article's recommendations, whether they are not ordered yet, and whether they hold their locks.
-- name: ListRecommendations :many
SELECT recommendation_key::text AS recommendation_key, (status IN ('draft', 'pending_approval'))::boolean AS open,
    (status NOT IN ('received', 'cancelled'))::boolean AS holds
FROM workspace.purchase_order_lines
WHERE tenant_id = @tenant_id AND recommendation_key >= @from_key::text AND recommendation_key < @until_key::text;

-- name: SupplierNameOf :one
SELECT coalesce(supplier_name, '')::text AS supplier_name
FROM workspace.line_snapshot(@tenant_id::uuid, @workspace_id::uuid, @sku::text, nullif(@product_id::text, ''), nullif(@supplier_id::text, ''));

-- What orders come to without the lines that cannot be true, for each supplier and currency in them, and how many
-- lines these are. The amounts are those of purchase_order_sums, which have all lines.
-- name: SumBelievedLines :many
SELECT l.order_no, coalesce(l.supplier_id, '')::text AS supplier_id, coalesce(left(l.supplier_name, 120), '')::text AS supplier_name,
    coalesce(l.currency, '')::text AS currency, count(*) FILTER (WHERE NOT b.believed AND l.status <> 'cancelled') AS left_out,
    coalesce(sum(l.price_per_unit * l.quantity_ordered) FILTER (WHERE b.believed AND l.status <> 'cancelled'), 0)::numeric AS total,
    coalesce(sum(l.price_per_unit * l.quantity_ordered) FILTER (WHERE b.believed AND b.supply), 0)::numeric AS ordered,
    coalesce(sum(l.price_per_unit * l.quantity_received) FILTER (WHERE b.believed AND b.supply), 0)::numeric AS received,
    coalesce(sum(l.price_per_unit * b.rest) FILTER (WHERE b.believed AND l.status = 'received'), 0)::numeric AS given_up,
    coalesce(sum(l.price_per_unit * b.rest) FILTER (WHERE b.believed AND b.supply AND l.status <> 'received'), 0)::numeric AS expected
FROM workspace.purchase_order_lines l
CROSS JOIN LATERAL (SELECT greatest(l.quantity_ordered - l.quantity_received, 0) AS rest,
    l.status IN ('ordered', 'partially_received', 'received') AS supply,
    workspace.plausible_cost(l.quantity_ordered, l.price_per_unit) AND workspace.plausible_cost(l.quantity_received, l.price_per_unit) AS believed) b
WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.order_no = ANY (@order_nos::text[])
GROUP BY 1, 2, 3, 4 ORDER BY 1, 3, 4, 2;

-- The suppliers of an order's lines, except cancelled ones.
-- name: SupplierSums :many
SELECT supplier_id, supplier_name, sum(live)::bigint AS lines FROM workspace.purchase_order_sums
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND order_no = @order_no AND live > 0
GROUP BY supplier_id, supplier_name ORDER BY supplier_name, supplier_id;

-- name: InsertEvent :exec
INSERT INTO workspace.events (tenant_id, subject, id, workspace_id, kind, slug, version, actor, request_id, data)
VALUES (@tenant_id, @subject, @id, @workspace_id, @kind, @slug, @version, @actor, @request_id, @data);

-- name: ListReceipts :many
SELECT r.id, r.version, r.quantity, r.received_at, r.note, r.created_at,
    coalesce(r.actor, (SELECT e.actor FROM workspace.events e
        WHERE e.tenant_id = r.tenant_id AND e.subject = r.line_id AND e.version = r.version
          AND e.data ->> 'result' IS DISTINCT FROM 'stale' ORDER BY e.id LIMIT 1), '{}')::jsonb AS actor
FROM workspace.receipts r
WHERE r.tenant_id = @tenant_id AND r.line_id = @line_id ORDER BY r.version, r.received_at DESC, r.id;

-- When something of a line arrived last that was not taken back. No row if nothing stands.
-- name: LastReceipt :one
SELECT received_at FROM workspace.receipts
WHERE tenant_id = @tenant_id AND line_id = @line_id
GROUP BY received_at HAVING sum(quantity) > 0 ORDER BY received_at DESC LIMIT 1;

-- name: ListLastReceipts :many
SELECT quantity, actor FROM workspace.receipts
WHERE tenant_id = @tenant_id AND line_id = @line_id AND created_at > @since::timestamptz ORDER BY version DESC;

-- name: ListUnseenFlags :many
SELECT id, line_id, from_status, to_status, claimed, above, created_at FROM workspace.line_flags
WHERE tenant_id = @tenant_id AND line_id = ANY (@ids::text[]) AND seen_at IS NULL ORDER BY id;

-- Some flags of a line, or all without ids.
-- name: SeeFlags :execrows
UPDATE workspace.line_flags SET seen_at = now(), seen_by = @actor
WHERE tenant_id = @tenant_id AND line_id = @line_id AND seen_at IS NULL AND (@ids::text[] = '{}' OR id = ANY (@ids::text[]));

-- Says that a line is above its approval, once until somebody has seen it.
-- name: FlagAbove :exec
INSERT INTO workspace.line_flags (tenant_id, workspace_id, line_id, from_status, to_status, version, above)
SELECT l.tenant_id, l.workspace_id, l.id, l.status, l.status, l.version, true
FROM workspace.purchase_order_lines l
WHERE l.tenant_id = @tenant_id AND l.id = @line_id AND NOT EXISTS (
    SELECT FROM workspace.line_flags f WHERE f.tenant_id = l.tenant_id AND f.line_id = l.id AND f.above AND f.seen_at IS NULL);

-- Keeps the quantity received that an external system claims below the receipts that people have booked. A claim that is
-- repeated is kept once, until something else arrives.
-- name: FlagClaim :exec
INSERT INTO workspace.line_flags (tenant_id, workspace_id, line_id, from_status, to_status, version, claimed)
SELECT l.tenant_id, l.workspace_id, l.id, l.status, l.status, l.version, @claimed::numeric
FROM workspace.purchase_order_lines l
WHERE l.tenant_id = @tenant_id AND l.id = @line_id AND NOT EXISTS (
    SELECT FROM workspace.line_flags f
    WHERE f.tenant_id = l.tenant_id AND f.line_id = l.id AND f.claimed = @claimed AND NOT EXISTS (
        SELECT FROM workspace.receipts r WHERE r.tenant_id = l.tenant_id AND r.line_id = l.id AND r.version > f.version));

-- Whether an external system may order what was drafted here: its key may, or the one that replaced it.
-- name: MayOrderDrafted :one
WITH RECURSIVE heirs AS (
    SELECT k.id, k.replaced_by, k.order_drafted_here, k.revoked_at, k.expires_at
    FROM workspace.api_keys k WHERE k.tenant_id = @tenant_id AND k.id = @key_id
  UNION
    SELECT k.id, k.replaced_by, k.order_drafted_here, k.revoked_at, k.expires_at
    FROM heirs h JOIN workspace.api_keys k ON k.tenant_id = @tenant_id AND k.id = h.replaced_by
)
SELECT EXISTS (SELECT FROM heirs WHERE order_drafted_here AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()))::boolean
    AS may;

-- name: KeepPurchaseRules :exec
SELECT set_config('app.purchase', 'on', true);

-- name: DescribeReceipt :exec
SELECT set_config('app.receipt', @receipt::text, true);

-- By its id, or that of an article that was merged into it.
-- name: FindArticle :one
SELECT p.id, p.sku, coalesce(p.supplier_id, '')::text AS supplier_id FROM workspace.products p
WHERE p.tenant_id = @tenant_id AND p.workspace_id = @workspace_id AND p.id = coalesce((SELECT a.product_id FROM workspace.article_aliases a
    WHERE a.tenant_id = @tenant_id AND a.workspace_id = @workspace_id AND a.name = @id::text), @id::text);

-- name: FindSupplier :one
SELECT id FROM workspace.suppliers WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = @id;

-- References as ingest reads them: an id, or the key of the referenced table, or else a name of an article that was merged.
-- name: LookUpSupplier :one
SELECT id FROM workspace.suppliers
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND (id = @reference OR external_id = @reference)
ORDER BY id = @reference DESC LIMIT 1;

-- name: LookUpProduct :one
SELECT f.id::text AS id FROM (
    SELECT p.id, CASE WHEN p.id = @reference THEN 1 ELSE 2 END AS place FROM workspace.products p
    WHERE p.tenant_id = @tenant_id AND p.workspace_id = @workspace_id AND (p.id = @reference OR p.identity_key = @reference)
  UNION ALL
    SELECT a.product_id, 3 FROM workspace.article_aliases a
    WHERE a.tenant_id = @tenant_id AND a.workspace_id = @workspace_id AND a.name = @reference
) f ORDER BY f.place LIMIT 1;

-- name: ListOrderLines :many
SELECT * FROM workspace.purchase_order_lines
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND order_no = @order_no AND id > @after ORDER BY id LIMIT @most;

-- name: ListPendingLines :many
SELECT * FROM workspace.purchase_order_lines
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND order_no = @order_no AND status = 'pending_approval'
ORDER BY id LIMIT @most;

-- The suppliers of an order's lines: by id, by name only, or none. The sum of the versions
-- changes whenever one of these lines changes.
-- name: ListOrderSuppliers :many
SELECT coalesce(supplier_id, '')::text AS supplier_id, coalesce(supplier_name, '')::text AS supplier_name,
    count(*) FILTER (WHERE status <> 'cancelled') AS lines,
    count(*) FILTER (WHERE status IN ('draft', 'pending_approval')) AS unapproved,
    count(*) FILTER (WHERE status <> 'cancelled' AND created_by_type IS NOT NULL) AS drafted,
    count(*) FILTER (WHERE status NOT IN ('draft', 'pending_approval', 'cancelled') AND created_by_type IS NULL) AS outside,
    coalesce(min(ordered_at) FILTER (WHERE status <> 'cancelled'), @now)::timestamptz AS first_ordered_at,
    coalesce(sum(version) FILTER (WHERE status <> 'cancelled'), 0)::bigint AS versions
FROM workspace.purchase_order_lines
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND order_no = @order_no
GROUP BY 1, 2 ORDER BY 1, 2;

-- name: ListLines :many
SELECT * FROM workspace.purchase_order_lines
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = ANY (@ids::text[]) ORDER BY id;

-- The position in a list of orders of the order that a line belongs to.
-- name: FindOrderOfLine :one
SELECT o.order_no, o.sort_no, o.supplier, o.next_arrival FROM workspace.purchase_order_lines l
JOIN workspace.purchase_orders o ON o.tenant_id = l.tenant_id AND o.workspace_id = l.workspace_id AND o.order_no = l.order_no
WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.id = @id;

-- Locks the rows of orders, so that their totals do not change. They are locked after the
-- lines, as the triggers do.
-- name: LockOrders :exec
SELECT FROM workspace.purchase_orders
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND order_no = ANY (@order_nos::text[])
ORDER BY order_no FOR UPDATE;

-- Each count stops at the given maximum.
-- name: CountOrders :one
WITH o AS NOT MATERIALIZED (
    SELECT * FROM workspace.purchase_orders WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id
)
SELECT (SELECT count(*) FROM (SELECT FROM o WHERE lines > 0 LIMIT @most::int) c) AS orders,
    (SELECT count(*) FROM (SELECT FROM o WHERE draft > 0 LIMIT @most) c) AS draft,
    (SELECT count(*) FROM (SELECT FROM o WHERE pending_approval > 0 LIMIT @most) c) AS pending_approval,
    (SELECT count(*) FROM (SELECT FROM o WHERE ordered > 0 LIMIT @most) c) AS ordered,
    (SELECT count(*) FROM (SELECT FROM o WHERE partially_received > 0 LIMIT @most) c) AS partially_received,
    (SELECT count(*) FROM (SELECT FROM o WHERE received > 0 LIMIT @most) c) AS received,
    (SELECT count(*) FROM (SELECT FROM o WHERE cancelled > 0 LIMIT @most) c) AS cancelled,
    (SELECT count(*) FROM (SELECT FROM o WHERE closed_short > 0 LIMIT @most) c) AS closed_short,
    (SELECT count(*) FROM (SELECT FROM o WHERE lines > 0 AND next_arrival < @today::date LIMIT @most) c) AS overdue,
    (SELECT count(*) FROM (SELECT FROM o WHERE lines > 0 AND next_arrival >= @today AND next_arrival <= @soon::date LIMIT @most) c) AS arriving_soon;

-- The order of each draft line that a person made. The newest orders with drafts are searched.
-- name: ListOwnDrafts :many
SELECT l.order_no
FROM (
    SELECT d.order_no FROM workspace.purchase_orders d
    WHERE d.tenant_id = @tenant_id AND d.workspace_id = @workspace_id AND d.draft > 0 ORDER BY d.newest_id DESC LIMIT @most
) o
JOIN workspace.purchase_order_lines l ON l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.order_no = o.order_no
WHERE l.status = 'draft' AND l.created_by_user_id = @person::uuid;

-- The order of each draft line that a person made or submitted, and that somebody else sent back since;
-- the latest first. The newest lines that were sent back are searched.
-- name: ListSentBack :many
SELECT l.order_no, m.last_at::timestamptz AS at, m.last_by::jsonb AS actor, coalesce(m.last_reason, '')::text AS reason
FROM (
    SELECT DISTINCT b.subject FROM (
        SELECT s.subject FROM workspace.audit s
        WHERE s.tenant_id = @tenant_id AND s.action = 'purchase_order_line.sent_back' ORDER BY s.id DESC LIMIT @most
    ) b
) sent
CROSS JOIN LATERAL (
    -- Each line is looked up: if drafts are few, the planner may read all lines to find them.
    SELECT d.id, d.order_no, d.created_by_user_id FROM workspace.purchase_order_lines d
    WHERE d.tenant_id = @tenant_id AND d.id = sent.subject AND d.workspace_id = @workspace_id AND d.status = 'draft' OFFSET 0
) l
CROSS JOIN LATERAL (
    -- One look at all moves of a line: for the newest alone, the planner may read those of all lines.
    SELECT (array_agg(a.action ORDER BY a.id DESC))[1] AS last_action, (array_agg(a.actor ->> 'id' ORDER BY a.id DESC))[1] AS last_actor,
        (array_agg(a.actor ->> 'id' ORDER BY a.id DESC) FILTER (WHERE a.action = 'purchase_order_line.submitted'))[1] AS submitter,
        max(a.at) AS last_at, (array_agg(a.actor ORDER BY a.id DESC))[1] AS last_by, (array_agg(a.data ->> 'reason' ORDER BY a.id DESC))[1] AS last_reason
    FROM workspace.audit a
    WHERE a.tenant_id = @tenant_id AND a.subject = l.id
      AND a.action IN ('purchase_order_line.submitted', 'purchase_order_line.sent_back', 'purchase_order_line.reopened')
) m
WHERE m.last_action = 'purchase_order_line.sent_back' AND m.last_actor IS DISTINCT FROM @actor::text
  AND (l.created_by_user_id = @person::uuid OR m.submitter = @actor)
ORDER BY m.last_at DESC;

-- The order of each ordered line without an expected day.
-- name: ListUndated :many
SELECT l.order_no FROM workspace.purchase_order_lines l
WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.status IN ('ordered', 'partially_received')
  AND l.expected_arrival_date IS NULL LIMIT @most;

-- Ordered lines that are expected between two days, both included: how many, and by currency what is
-- still to come of them. Every row has the same counts. Lines that cannot be true are in no amount, and counted.
-- name: SumExpected :many
WITH e AS MATERIALIZED (
    SELECT l.order_no, coalesce(l.currency, '') AS currency, greatest(l.quantity_ordered - l.quantity_received, 0) * l.price_per_unit AS open,
        workspace.plausible_cost(l.quantity_ordered, l.price_per_unit) AS believed
    FROM workspace.purchase_order_lines l
    WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.status IN ('ordered', 'partially_received')
      AND l.expected_arrival_date >= @since::date AND l.expected_arrival_date <= @until::date ORDER BY l.expected_arrival_date LIMIT @most
)
SELECT (SELECT count(DISTINCT o.order_no) FROM e o) AS orders, (SELECT count(*) FROM e n) AS lines,
    e.currency::text AS currency, coalesce(sum(e.open) FILTER (WHERE e.believed), 0)::numeric AS open,
    count(*) FILTER (WHERE NOT e.believed) AS left_out
FROM e GROUP BY e.currency ORDER BY e.currency;

-- SumExpected for lines without an expected day.
-- name: SumUndated :many
WITH e AS MATERIALIZED (
    SELECT l.order_no, coalesce(l.currency, '') AS currency, greatest(l.quantity_ordered - l.quantity_received, 0) * l.price_per_unit AS open,
        workspace.plausible_cost(l.quantity_ordered, l.price_per_unit) AS believed
    FROM workspace.purchase_order_lines l
    WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.status IN ('ordered', 'partially_received')
      AND l.expected_arrival_date IS NULL LIMIT @most
)
SELECT (SELECT count(DISTINCT o.order_no) FROM e o) AS orders, (SELECT count(*) FROM e n) AS lines,
    e.currency::text AS currency, coalesce(sum(e.open) FILTER (WHERE e.believed), 0)::numeric AS open,
    count(*) FILTER (WHERE NOT e.believed) AS left_out
FROM e GROUP BY e.currency ORDER BY e.currency;

-- Whose hands the lines that wait for approval went through: one row for all lines of an order with the
-- same ones, by order. The newest orders are read.
-- name: ListPendingHands :many
SELECT l.order_no, l.created_by_user_id, l.created_by_agent_id, l.created_by_run_id, a.money_by, a.imported_by, a.submitted_by,
    count(*) AS lines, min(coalesce(a.submitted_at, l.created_at))::timestamptz AS since,
    max(coalesce(a.submitted_at, l.updated_at))::timestamptz AS at, min(coalesce(l.price_per_unit, 0))::numeric AS cheapest
FROM (
    SELECT p.order_no FROM workspace.purchase_orders p
    WHERE p.tenant_id = @tenant_id AND p.workspace_id = @workspace_id AND p.pending_approval > 0 ORDER BY p.newest_id DESC LIMIT @most
) o
JOIN workspace.purchase_order_lines l ON l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.order_no = o.order_no
LEFT JOIN workspace.line_approvals a ON a.tenant_id = @tenant_id AND a.line_id = l.id
WHERE l.status = 'pending_approval'
GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1;

-- What the lines of orders that wait for approval cost, by currency. Those that cannot be true are in no amount, and
-- counted.
-- name: SumPending :many
SELECT coalesce(l.currency, '')::text AS currency,
    coalesce(sum(l.quantity_ordered * l.price_per_unit) FILTER (WHERE workspace.plausible_cost(l.quantity_ordered, l.price_per_unit)), 0)::numeric AS amount,
    count(*) FILTER (WHERE NOT workspace.plausible_cost(l.quantity_ordered, l.price_per_unit)) AS left_out
FROM workspace.purchase_order_lines l
WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.status = 'pending_approval' AND l.order_no = ANY (@order_nos::text[])
GROUP BY 1 ORDER BY 1;

-- Open lines by expected arrival; overdue ones come first.
-- name: ListArrivals :many
SELECT * FROM workspace.purchase_order_lines
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND status IN ('ordered', 'partially_received')
  AND expected_arrival_date <= @until::date
  AND (expected_arrival_date, order_no, id) > (@since::date, @after_order::text, @after_id::text)
ORDER BY expected_arrival_date, order_no, id LIMIT @most;

-- Lines that are still to come of the articles with this barcode, SKU or supplier's SKU, the earliest
-- first. The search's tokens find the articles (kind 3), because their codes have no index.
-- name: FindExpectedByCode :many
WITH articles AS MATERIALIZED (
    SELECT p.id, p.sku FROM workspace.search_tokens t
    JOIN workspace.products p ON p.tenant_id = t.tenant_id AND p.id = t.record_id
    WHERE t.tenant_id = @tenant_id AND t.workspace_id = @workspace_id AND t.kind = 3
      AND t.token = (workspace.tokens_of(ARRAY[@code::text], ''))[1]
      AND lower(@code) IN (lower(p.barcode), lower(p.sku), lower(p.supplier_sku))
)
SELECT l.* FROM workspace.purchase_order_lines l
WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.status IN ('ordered', 'partially_received') AND l.id IN (
    SELECT a.id FROM workspace.purchase_order_lines a
    WHERE a.tenant_id = @tenant_id AND a.workspace_id = @workspace_id AND a.status NOT IN ('received', 'cancelled')
      AND a.product_id IN (SELECT c.id FROM articles c)
  UNION ALL
    SELECT b.id FROM workspace.purchase_order_lines b
    WHERE b.tenant_id = @tenant_id AND b.workspace_id = @workspace_id AND b.status NOT IN ('received', 'cancelled')
      AND b.product_id IS NULL AND (b.sku = @code OR b.sku IN (SELECT c.sku FROM articles c))
)
ORDER BY l.expected_arrival_date, l.id LIMIT @most;
-- Open lines without an expected day.
-- name: ListUndatedLines :many
SELECT * FROM workspace.purchase_order_lines
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND status IN ('ordered', 'partially_received')
  AND expected_arrival_date IS NULL AND (order_no, id) > (@after_order::text, @after_id::text)
ORDER BY order_no, id LIMIT @most;

-- name: ListContacts :many
SELECT id, name, coalesce(contact_name, '')::text AS person, coalesce(email, '')::text AS email, coalesce(phone, '')::text AS phone
FROM workspace.suppliers WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = ANY (@ids::text[]) ORDER BY id;

-- Actions of people and agents are in the audit, which is kept for ever; writes of external
-- systems are in the events, which are kept for a while.
-- name: ListLineHistory :many
SELECT at, actor, request_id, action, data FROM (
    SELECT a.at, a.actor, a.request_id, a.action, a.data, a.id FROM workspace.audit a
    WHERE a.tenant_id = @tenant_id AND a.subject = @line_id::text
  UNION ALL
    SELECT e.created_at, e.actor, e.request_id, e.kind, e.data, e.id FROM workspace.events e
    WHERE e.tenant_id = @tenant_id AND e.subject = @line_id::text AND e.kind LIKE 'ingest.%' AND e.data ->> 'result' NOT IN ('unchanged', 'stale')
      AND NOT EXISTS ( -- records of a person's file are in the audit already
        SELECT FROM workspace.audit a WHERE a.tenant_id = e.tenant_id AND a.subject = e.subject AND a.data ->> 'version' = e.version::text)
) history
ORDER BY at DESC, id DESC LIMIT @most;

-- What happened to an order, the newest first: what people and agents did to its lines, what
-- external systems wrote, and the entries of its log. One row stands for all lines of one action of
-- one request, or of one external system in one hour, and shows the data of the first. Of external
-- writes, only those to the lines that changed last are read: each of these lines is looked up in
-- every day of events.
-- name: ListOrderHistory :many
WITH lines AS MATERIALIZED (
    SELECT l.id, l.sku, l.updated_at FROM workspace.purchase_order_lines l
    WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.order_no = @order_no::text
), happened AS (
    SELECT a.id, a.at, a.actor, a.action, a.data, l.sku, a.request_id, a.at AS together, coalesce(a.data ->> 'reason', '') AS reason,
        CASE WHEN a.action = 'purchase_order_line.edited' THEN a.data -> 'after' ->> 'expected_arrival_date' END AS day
    FROM lines l JOIN workspace.audit a ON a.tenant_id = @tenant_id AND a.subject = l.id
    WHERE a.action <> 'purchase_order_line.flags_seen'
  UNION ALL
    SELECT e.id, e.created_at, e.actor, e.kind, e.data, l.sku, '', date_trunc('hour', e.created_at), '', NULL
    FROM (SELECT lines.id, lines.sku FROM lines ORDER BY lines.updated_at DESC LIMIT @most_external::int) l
    JOIN workspace.events e ON e.tenant_id = @tenant_id AND e.subject = l.id
    WHERE e.kind LIKE 'ingest.%' AND e.data ->> 'result' NOT IN ('unchanged', 'stale')
      AND NOT EXISTS ( -- records of a person's file are in the audit already
        SELECT FROM workspace.audit a WHERE a.tenant_id = e.tenant_id AND a.subject = e.subject AND a.data ->> 'version' = e.version::text)
), folded AS (
    SELECT (array_agg(h.id ORDER BY h.id DESC))[1] AS id, max(h.at) AS at, h.actor, h.request_id, h.action, count(*) AS lines,
        (array_agg(h.sku ORDER BY h.id))[1] AS sku, (array_agg(h.data ORDER BY h.id))[1] AS data
    FROM happened h GROUP BY h.actor, h.action, h.request_id, h.together, h.reason, h.day
)
SELECT m.id::uuid AS id, m.at::timestamptz AS at, m.actor::jsonb AS actor, m.request_id::text AS request_id, m.action::text AS action,
    m.lines::bigint AS lines, m.sku::text AS sku, m.data::jsonb AS data, m.text::text AS text, m.mentions::uuid[] AS mentions
FROM (
    SELECT f.id, f.at, f.actor, f.request_id, f.action, f.lines, f.sku, f.data, '' AS text, '{}'::uuid[] AS mentions FROM folded f
  UNION ALL
    SELECT e.id, e.created_at, e.actor, '', e.kind, 0, '',
        e.data || CASE WHEN m.id IS NULL THEN '{}'::jsonb ELSE jsonb_build_object('state', m.state, 'reason', m.reason, 'to', m.receivers,
            'cc', m.copies, 'subject', m.subject) END, e.text, e.mentions
    FROM workspace.order_entries e LEFT JOIN workspace.order_mails m ON m.tenant_id = e.tenant_id AND m.id = e.id
    WHERE e.tenant_id = @tenant_id AND e.workspace_id = @workspace_id AND e.order_no = @order_no::text
) m
WHERE m.id < @before::uuid ORDER BY m.id DESC LIMIT @most;

-- Articles whose SKU begins with the words come first. At most all articles of the tenant are
-- read: tenant_id leads every index.
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

-- name: GetLetterhead :one
SELECT t.name AS company, w.name AS workspace, w.locale, w.address, w.delivery_address, w.order_contact, w.order_email, w.vat_id
FROM control.workspaces w
JOIN control.tenants t ON t.id = w.tenant_id
WHERE w.tenant_id = @tenant_id AND w.id = @workspace_id;

-- What an order on paper says of its supplier.
-- name: GetOrderParty :one
SELECT external_id, name, coalesce(contact_name, '')::text AS person, coalesce(email, '')::text AS email, coalesce(phone, '')::text AS phone,
    coalesce(address, '')::text AS address, coalesce(language, '')::text AS language, payment_terms_days
FROM workspace.suppliers WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = @id;

-- What suppliers call articles.
-- name: ListSupplierSKUs :many
SELECT id, supplier_sku::text AS supplier_sku, coalesce(supplier_id, '')::text AS supplier_id FROM workspace.products
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = ANY (@ids::text[]) AND supplier_sku <> '';

-- Who started the runs that wrote lines.
-- name: ListRunStarters :many
SELECT id, started_by FROM workspace.agent_runs WHERE tenant_id = @tenant_id AND id = ANY (@ids::uuid[]);

-- What counts against the budget of a month: what was ordered in it, and what is drafted or waits
-- for approval. Lines in other currencies, or without a price, are only counted. Lines that cannot be true count as
-- well, because the budget protects from them; their part is told apart, so that nobody has to read it. An order counts in the
-- month in which it was approved here, or else in that which an external system says, or else in that in which it came.
-- name: GetMonthSpent :one
SELECT coalesce(sum(l.quantity_ordered * l.price_per_unit) FILTER (WHERE l.ordered AND l.ours), 0)::numeric AS ordered,
    coalesce(sum(l.quantity_ordered * l.price_per_unit) FILTER (WHERE NOT l.ordered AND l.ours), 0)::numeric AS drafted,
    coalesce(sum(l.quantity_ordered * l.price_per_unit) FILTER (WHERE l.ordered AND l.ours AND NOT l.believed), 0)::numeric AS ordered_left_out,
    coalesce(sum(l.quantity_ordered * l.price_per_unit) FILTER (WHERE NOT l.ordered AND l.ours AND NOT l.believed), 0)::numeric AS drafted_left_out,
    count(*) FILTER (WHERE l.ours AND NOT l.believed) AS left_out, count(*) FILTER (WHERE NOT l.ours) AS elsewhere
FROM (
    SELECT o.quantity_ordered, o.price_per_unit, true AS ordered,
        o.price_per_unit IS NOT NULL AND coalesce(o.currency, @base_currency::text) = @base_currency AS ours,
        workspace.plausible_cost(o.quantity_ordered, o.price_per_unit) AS believed
    FROM workspace.purchase_order_lines o
    WHERE o.tenant_id = @tenant_id AND o.workspace_id = @workspace_id AND o.ordered_at >= @since::timestamptz AND o.ordered_at < @until::timestamptz
      AND o.status IN ('ordered', 'partially_received', 'received') AND coalesce(o.ordered_at = o.approved_at, true)
  UNION ALL
    SELECT o.quantity_ordered, o.price_per_unit, true,
        o.price_per_unit IS NOT NULL AND coalesce(o.currency, @base_currency) = @base_currency,
        workspace.plausible_cost(o.quantity_ordered, o.price_per_unit)
    FROM workspace.purchase_order_lines o
    WHERE o.tenant_id = @tenant_id AND o.workspace_id = @workspace_id
      AND coalesce(o.approved_at, o.created_at) >= @since AND coalesce(o.approved_at, o.created_at) < @until
      AND o.status IN ('ordered', 'partially_received', 'received') AND (o.ordered_at IS NULL OR o.ordered_at <> o.approved_at)
  UNION ALL
    SELECT o.quantity_ordered, o.price_per_unit, false,
        o.price_per_unit IS NOT NULL AND coalesce(o.currency, @base_currency) = @base_currency,
        workspace.plausible_cost(o.quantity_ordered, o.price_per_unit)
    FROM workspace.purchase_order_lines o
    WHERE o.tenant_id = @tenant_id AND o.workspace_id = @workspace_id AND o.status IN ('draft', 'pending_approval')
) l;

-- Makes agents that draft take turns until the transaction ends.
-- name: LockBudget :exec
SELECT pg_advisory_xact_lock(hashtextextended(concat('budget of ', @workspace_id::uuid), 0));

-- name: GetBaseCurrency :one
SELECT coalesce(base_currency, '')::text AS base_currency FROM workspace.sales_settings WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id;

-- The lines that name an article, or have one of its recommendations.
-- name: ListLinesOf :many
SELECT l.id FROM workspace.purchase_order_lines l
WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.product_id = @product_id::text
UNION
SELECT h.id FROM workspace.purchase_order_lines h
WHERE h.tenant_id = @tenant_id AND h.workspace_id = @workspace_id
  AND h.recommendation_key >= @from_key::text AND h.recommendation_key < @until_key::text;

-- How many of these articles are there.
-- name: CountArticles :one
SELECT count(*) FROM workspace.products WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = ANY (@ids::text[]);
