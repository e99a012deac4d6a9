-- Purchase orders that are exchanged with an inventory system.

-- Orders that are due, of connections that may call now: as many as their budget lets be compared, most urgent
-- first. An order stays among them until a worker claims it, so that no more wait for workers. What is claimed
-- does not count: the claims of a process that died would stop the others for as long as they last.
-- Read across tenants.
-- name: FindDueExchanges :many
SELECT o.tenant_id, o.workspace_id, o.connection_id, o.order_no, o.wanted, o.asked
FROM workspace.connections c
JOIN workspace.connection_pace p ON p.tenant_id = c.tenant_id AND p.connection_id = c.id
CROSS JOIN LATERAL (
    SELECT greatest(1, c.calls_per_minute / 5) AS burst, @most::bigint AS most, @calls::bigint AS needed
) b
CROSS JOIN LATERAL (
    SELECT b.burst - greatest(0, extract(epoch FROM p.used_until - clock_timestamp()))
        * greatest(1, c.calls_per_minute - b.burst) / 60 AS calls
) left_over
CROSS JOIN LATERAL (
    SELECT e.tenant_id, e.workspace_id, e.connection_id, e.order_no, e.wanted, e.asked FROM workspace.exchange_orders e
    WHERE e.tenant_id = c.tenant_id AND e.connection_id = c.id AND e.state = 'waiting' AND e.due_at <= now()
      AND (e.claimed_until IS NULL OR e.claimed_until < clock_timestamp())
    ORDER BY e.due_at, e.order_no
    LIMIT least(b.most, greatest(1, floor(left_over.calls / b.needed)::bigint))
) o
WHERE c.state = 'active' AND c.deleted_at IS NULL AND NOT c.suspended AND p.held_until <= clock_timestamp()
  AND left_over.calls >= least(b.needed, b.burst)
ORDER BY o.tenant_id, o.connection_id, o.order_no;

-- Connections in use whose open orders were not marked since they were last changed, or only within the minute
-- after: what was written at the same time may not have been seen. Read across tenants.
-- name: FindUnseededConnections :many
SELECT tenant_id, id, workspace_id FROM workspace.connections
WHERE state = 'active' AND may_export AND deleted_at IS NULL
  AND (seeded_at IS NULL OR seeded_at < updated_at
       OR seeded_at < updated_at + interval '1 minute' AND now() > updated_at + interval '1 minute')
ORDER BY tenant_id, id;

-- Marks open orders for their first export, some at a time.
-- name: SeedExchange :execrows
INSERT INTO workspace.exchange_orders (tenant_id, connection_id, order_no, workspace_id, wanted)
SELECT o.tenant_id, @connection_id, o.order_no, o.workspace_id, o.version
FROM workspace.purchase_orders o
WHERE o.tenant_id = @tenant_id AND o.workspace_id = @workspace_id
  AND (o.draft > 0 OR o.pending_approval > 0 OR o.ordered > 0 OR o.partially_received > 0)
  AND NOT EXISTS (SELECT FROM workspace.exchange_orders e
      WHERE e.tenant_id = o.tenant_id AND e.connection_id = @connection_id AND e.order_no = o.order_no)
ORDER BY o.order_no LIMIT @most
ON CONFLICT DO NOTHING;

-- name: NoteSeeded :exec
UPDATE workspace.connections SET seeded_at = now() WHERE tenant_id = @tenant_id AND id = @id;

-- Claims an order for a comparison, unless another one is under way or a person paused it.
-- name: ClaimExchange :one
UPDATE workspace.exchange_orders
SET claim = @claim, claimed_until = clock_timestamp() + @lease::interval
WHERE tenant_id = @tenant_id AND connection_id = @connection_id AND order_no = @order_no AND state <> 'paused'
  AND (claimed_until IS NULL OR claimed_until < clock_timestamp())
RETURNING coalesce(external_id, '')::text AS external_id, state, wanted, asked, failures, code;

-- name: GetExchange :one
SELECT state, (state = 'waiting' AND due_at <= now())::boolean AS due FROM workspace.exchange_orders
WHERE tenant_id = @tenant_id AND connection_id = @connection_id AND order_no = @order_no;

-- An order's lines, those that were moved away from it, and what is known about each: what both sides agreed on,
-- the article by its product or its SKU, the supplier by the line or the article, and their ids there.
-- name: ListExchangeLines :many
SELECT l.id, l.version, l.order_no, l.sku, l.status, l.quantity_ordered, l.quantity_received, l.expected_arrival_date,
    l.price_per_unit, l.currency, l.location_id, coalesce(l.external_system, '')::text AS external_system,
    coalesce(l.external_po_id, '')::text AS external_po_id, coalesce(l.external_line_id, '')::text AS external_line_id,
    b.base, coalesce(p.id, '')::text AS product_id, coalesce(s.id, '')::text AS supplier_id,
    coalesce(s.name, l.supplier_name, '')::text AS supplier_name,
    coalesce(va.theirs, '')::text AS variant_there, coalesce(sa.theirs, '')::text AS supplier_there,
    coalesce(r.received_at, l.updated_at)::timestamptz AS last_receipt
FROM (
    SELECT ours.id FROM workspace.purchase_order_lines ours
    WHERE ours.tenant_id = @tenant_id AND ours.workspace_id = @workspace_id AND ours.order_no = @order_no
  UNION
    SELECT known.line_id FROM workspace.exchange_lines known
    WHERE known.tenant_id = @tenant_id AND known.connection_id = @connection_id AND known.order_no = @order_no
) wanted
JOIN workspace.purchase_order_lines l ON l.tenant_id = @tenant_id AND l.id = wanted.id
LEFT JOIN workspace.exchange_lines b ON b.tenant_id = @tenant_id AND b.connection_id = @connection_id AND b.order_no = @order_no
    AND b.line_id = l.id
LEFT JOIN LATERAL (
    SELECT p.id, p.supplier_id FROM workspace.products p
    WHERE p.tenant_id = @tenant_id AND p.workspace_id = @workspace_id
      AND p.id = CASE WHEN l.product_id IS NOT NULL THEN l.product_id ELSE (
        SELECT CASE WHEN count(c.external_id) < 2 THEN (array_agg(c.id ORDER BY c.external_id NULLS LAST))[1] END
        FROM workspace.products c
        WHERE c.tenant_id = @tenant_id AND c.workspace_id = @workspace_id AND c.sku = l.sku) END
) p ON true
LEFT JOIN workspace.suppliers s ON s.tenant_id = @tenant_id
    AND s.id = CASE WHEN l.supplier_id IS NOT NULL THEN l.supplier_id ELSE p.supplier_id END
LEFT JOIN workspace.exchange_ids va ON va.tenant_id = @tenant_id AND va.connection_id = @connection_id AND va.kind = 'article'
    AND va.ours = p.id
LEFT JOIN workspace.exchange_ids sa ON sa.tenant_id = @tenant_id AND sa.connection_id = @connection_id AND sa.kind = 'supplier'
    AND sa.ours = s.id
LEFT JOIN LATERAL (
    SELECT r.received_at FROM workspace.receipts r
    WHERE r.tenant_id = @tenant_id AND r.line_id = l.id AND r.quantity > 0 ORDER BY r.id DESC LIMIT 1
) r ON true
ORDER BY l.id;

-- What ids there mean here, or ids here there.
-- name: ListExchangeIDs :many
SELECT ours, theirs FROM workspace.exchange_ids
WHERE tenant_id = @tenant_id AND connection_id = @connection_id AND kind = @kind
  AND (theirs = ANY (@theirs::text[]) OR ours = ANY (@ours::text[]));

-- A sync maps articles only where nobody has chosen.
-- name: KeepExchangeID :execrows
INSERT INTO workspace.exchange_ids (tenant_id, connection_id, kind, ours, theirs, name, chosen_by)
VALUES (@tenant_id, @connection_id, @kind, @ours, @theirs, @name, @actor)
ON CONFLICT DO NOTHING;

-- The articles with these SKUs.
-- name: ListProductsBySKU :many
SELECT id, sku FROM workspace.products
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND sku = ANY (@skus::text[]) ORDER BY id;

-- name: ListProductSKUs :many
SELECT id, sku FROM workspace.products
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = ANY (@ids::text[]) ORDER BY id;

-- name: ListOpenConflicts :many
SELECT id, line_id, field, reason, base, ours, theirs, choices, coalesce(take, '')::text AS take
FROM workspace.exchange_conflicts
WHERE tenant_id = @tenant_id AND connection_id = @connection_id AND order_no = @order_no AND closed_at IS NULL
ORDER BY id;

-- name: CloseConflicts :exec
UPDATE workspace.exchange_conflicts SET closed_at = now()
WHERE tenant_id = @tenant_id AND id = ANY (@ids::uuid[]) AND closed_at IS NULL;

-- name: InsertConflict :exec
INSERT INTO workspace.exchange_conflicts (tenant_id, id, connection_id, workspace_id, order_no, line_id, field, reason, base, ours, theirs,
    choices)
VALUES (@tenant_id, @id, @connection_id, @workspace_id, @order_no, @line_id, @field, @reason, @base, @ours, @theirs, @choices);

-- name: PutExchangeLine :exec
INSERT INTO workspace.exchange_lines (tenant_id, connection_id, order_no, line_id, base)
VALUES (@tenant_id, @connection_id, @order_no, @line_id, @base)
ON CONFLICT (tenant_id, connection_id, order_no, line_id) DO UPDATE SET base = excluded.base;

-- name: DropExchangeLine :exec
DELETE FROM workspace.exchange_lines
WHERE tenant_id = @tenant_id AND connection_id = @connection_id AND order_no = @order_no AND line_id = @line_id;

-- Keeps what a comparison found about the order, if the comparison still holds its claim. Only after the lines.
-- name: KeepExchange :execrows
UPDATE workspace.exchange_orders
SET external_id = nullif(@external_id::text, ''), notices = @notices::text[],
    changed_there = coalesce(sqlc.narg('changed_there'), changed_there)
WHERE tenant_id = @tenant_id AND connection_id = @connection_id AND order_no = @order_no AND claim = @claim;

-- Ends a comparison. What was wanted or asked for since it began is compared next, and a pause by a person stays.
-- name: EndExchange :execrows
UPDATE workspace.exchange_orders
SET claim = NULL, claimed_until = NULL, done = CASE WHEN @compared::boolean THEN greatest(done, @wanted) ELSE done END,
    answered = CASE WHEN @compared THEN greatest(answered, @asked) ELSE answered END,
    state = CASE WHEN state = 'paused' THEN state WHEN wanted > @wanted OR asked > @asked THEN 'waiting' ELSE @state::text END,
    due_at = CASE WHEN wanted > @wanted OR asked > @asked THEN least(due_at, now()) ELSE now() + @pause::interval END,
    failures = CASE WHEN wanted > @wanted OR asked > @asked THEN 0 ELSE @failures::bigint END, code = @code, message = @message,
    -- An order there that has our number by chance may get another one: the next comparison looks for it by its number.
    external_id = CASE WHEN @code = 'inventory_number_taken' THEN NULL ELSE external_id END,
    synced_at = CASE WHEN @state = 'synced' THEN now() ELSE synced_at END
WHERE tenant_id = @tenant_id AND connection_id = @connection_id AND order_no = @order_no AND claim = @claim;

-- name: InsertAttempt :exec
INSERT INTO workspace.exchange_attempts (tenant_id, id, connection_id, order_no, version, outcome, code, message, here, there, took)
VALUES (@tenant_id, @id, @connection_id, @order_no, @version, @outcome, @code, @message, @here::text[], @there::text[],
    @took::interval);

-- Keeps an order's newest attempts.
-- name: DropOldAttempts :exec
DELETE FROM workspace.exchange_attempts a
WHERE a.tenant_id = @tenant_id AND a.connection_id = @connection_id AND a.order_no = @order_no AND a.id <= (
    SELECT b.id FROM workspace.exchange_attempts b
    WHERE b.tenant_id = @tenant_id AND b.connection_id = @connection_id AND b.order_no = @order_no
    ORDER BY b.id DESC OFFSET @kept LIMIT 1);

-- What a sync writes is compared already.
-- name: NameExchange :exec
SELECT set_config('app.exchange', @connection::text, true);
