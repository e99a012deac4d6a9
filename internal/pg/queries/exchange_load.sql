-- Reading the orders of inventory systems: polls, webhooks and reconciles.

-- Connections of all tenants whose orders are to be read, and that no instance reads now.
-- name: FindDueReads :many
SELECT c.tenant_id, c.workspace_id, c.id
FROM workspace.connections c
LEFT JOIN workspace.exchange_cursors r ON r.tenant_id = c.tenant_id AND r.connection_id = c.id
WHERE c.state = 'active' AND c.deleted_at IS NULL AND NOT c.suspended
  AND (r.connection_id IS NULL
    OR (c.may_load AND r.poll_at <= now() OR r.reconcile_at <= now()) AND (r.busy_until IS NULL OR r.busy_until <= now()))
ORDER BY r.poll_at NULLS FIRST, c.id LIMIT @most;

-- The tenant and workspace of a connection. Read across tenants.
-- name: FindConnection :one
SELECT tenant_id, workspace_id, suspended FROM workspace.connections WHERE id = @id AND deleted_at IS NULL;

-- name: ReadZone :one
SELECT time_zone FROM control.workspaces WHERE tenant_id = @tenant_id AND id = @workspace_id;

-- name: OpenCursor :exec
INSERT INTO workspace.exchange_cursors (tenant_id, connection_id, workspace_id, since, reached, reconcile_at)
VALUES (@tenant_id, @connection_id, @workspace_id, '0001-01-01 00:00:00+00', '0001-01-01 00:00:00+00', @reconcile_at)
ON CONFLICT (tenant_id, connection_id) DO NOTHING;

-- A cursor that nobody holds. Other instances skip it meanwhile.
-- name: LockCursor :one
SELECT since, page, reached, failures, began_at, reconciling, now()::timestamptz AS now, (poll_at <= now())::boolean AS poll,
    (reconcile_at <= now())::boolean AS reconcile
FROM workspace.exchange_cursors
WHERE tenant_id = @tenant_id AND connection_id = @connection_id AND (busy_until IS NULL OR busy_until <= now())
FOR UPDATE SKIP LOCKED;

-- Holds a cursor, and sets the time of the next poll, which a webhook may bring forward meanwhile.
-- name: HoldCursor :one
UPDATE workspace.exchange_cursors
SET busy_until = now() + @hold::interval, poll_at = CASE WHEN poll_at <= now() THEN now() + @every::interval ELSE poll_at END
WHERE tenant_id = @tenant_id AND connection_id = @connection_id
RETURNING busy_until::timestamptz AS busy_until;

-- Keeps how far a poll came and holds the cursor longer, unless another instance has taken it over.
-- name: KeepPage :one
UPDATE workspace.exchange_cursors
SET since = @since, page = @page, reached = @reached, began_at = sqlc.narg('began_at'),
    polled_at = CASE WHEN @page::bigint = 0 THEN now() ELSE polled_at END,
    failures = 0, message = '', busy_until = now() + @hold::interval
WHERE tenant_id = @tenant_id AND connection_id = @connection_id AND busy_until = @held::timestamptz
RETURNING busy_until::timestamptz AS busy_until;

-- Keeps how far a reconcile came and holds the cursor longer, unless another instance has taken it over. A reconcile that has
-- ended has a summary.
-- name: KeepReconciling :one
UPDATE workspace.exchange_cursors
SET reconciling = sqlc.narg('reconciling'), busy_until = now() + @hold::interval, reconcile_at = @reconcile_at,
    reconcile = coalesce(sqlc.narg('summary'), reconcile),
    reconciled_at = CASE WHEN sqlc.narg('summary')::jsonb IS NULL THEN reconciled_at ELSE now() END
WHERE tenant_id = @tenant_id AND connection_id = @connection_id AND busy_until = @held::timestamptz
RETURNING busy_until::timestamptz AS busy_until;

-- Lets a cursor go. Times and message stay as they are if none are given.
-- name: LetCursorGo :exec
UPDATE workspace.exchange_cursors
SET busy_until = NULL, message = coalesce(sqlc.narg('message'), message), failures = failures + @failed::bigint,
    poll_at = coalesce(sqlc.narg('poll_at'), poll_at), reconcile_at = coalesce(sqlc.narg('reconcile_at'), reconcile_at)
WHERE tenant_id = @tenant_id AND connection_id = @connection_id AND busy_until = @held::timestamptz;

-- The exchanged orders that orders there are, by their ids there or by their numbers.
-- name: FindExchanged :many
SELECT order_no, external_id, state, changed_there, seen_there, synced_at FROM workspace.exchange_orders
WHERE tenant_id = @tenant_id AND connection_id = @connection_id
  AND (external_id = ANY (@ids::text[]) OR order_no = ANY (@numbers::text[]));

-- Numbers that orders of the workspace have.
-- name: FindOrderNumbers :many
SELECT order_no FROM workspace.purchase_orders
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND order_no = ANY (@numbers::text[]) AND lines > 0;

-- Asks for a comparison of an order. One that waits already keeps its time, and a paused one stays paused.
-- name: AskForOrder :exec
INSERT INTO workspace.exchange_orders AS e (tenant_id, connection_id, workspace_id, order_no, external_id, state, code, message,
    asked, seen_there)
VALUES (@tenant_id, @connection_id, @workspace_id, @order_no, sqlc.narg('external_id'), @state, @code, @message, 1, @seen_there)
ON CONFLICT (tenant_id, connection_id, order_no) DO UPDATE
SET asked = e.asked + 1, seen_there = greatest(e.seen_there, excluded.seen_there),
    state = CASE WHEN e.state IN ('synced', 'conflict', 'held', 'failed') THEN 'waiting' ELSE e.state END,
    failures = CASE WHEN e.state = 'waiting' THEN e.failures ELSE 0 END,
    due_at = CASE WHEN e.state = 'waiting' THEN e.due_at ELSE now() END;

-- Asks for a comparison of an order by its id there. What was just synced is most likely our own echo: if it is not, the next poll
-- sees that. Returns whether the order is known.
-- name: AskByHint :one
WITH asked AS (
    UPDATE workspace.exchange_orders e
    SET asked = e.asked + 1, state = CASE WHEN e.state IN ('synced', 'conflict', 'held', 'failed') THEN 'waiting' ELSE e.state END,
        failures = CASE WHEN e.state = 'waiting' THEN e.failures ELSE 0 END,
        due_at = CASE WHEN e.state = 'waiting' THEN e.due_at ELSE now() END
    WHERE e.tenant_id = @tenant_id AND e.connection_id = @connection_id AND e.external_id = @external_id::text
      AND (e.synced_at IS NULL OR e.synced_at < now() - @echo::interval))
SELECT EXISTS (SELECT FROM workspace.exchange_orders e
    WHERE e.tenant_id = @tenant_id AND e.connection_id = @connection_id AND e.external_id = @external_id::text) AS known;

-- Brings the next poll forward, but not closer to the last one than a pause.
-- name: PollSooner :exec
UPDATE workspace.exchange_cursors SET poll_at = least(poll_at, greatest(now(), polled_at + @pause::interval))
WHERE tenant_id = @tenant_id AND connection_id = @connection_id;

-- name: ReadReconcile :one
SELECT reconciling, reconcile, reconciled_at, reconcile_at, polled_at, poll_at, message FROM workspace.exchange_cursors
WHERE tenant_id = @tenant_id AND connection_id = @connection_id;

-- name: ReconcileSoon :exec
UPDATE workspace.exchange_cursors SET reconcile_at = least(reconcile_at, now())
WHERE tenant_id = @tenant_id AND connection_id = @connection_id;

-- Which of these orders the reconcile has met before.
-- name: FindListed :many
SELECT external_id FROM workspace.exchange_listed
WHERE tenant_id = @tenant_id AND connection_id = @connection_id AND external_id = ANY (@ids::text[]);

-- name: ListOrdersThere :exec
INSERT INTO workspace.exchange_listed (tenant_id, connection_id, external_id)
SELECT @tenant_id, @connection_id, unnest(@ids::text[]) ON CONFLICT DO NOTHING;

-- name: ForgetListed :exec
DELETE FROM workspace.exchange_listed WHERE tenant_id = @tenant_id AND connection_id = @connection_id;

-- Exchanged orders that were not met there, in the order of their numbers. Those that came or were compared since it began
-- are left out.
-- name: FindUnlisted :many
SELECT e.order_no, e.external_id, e.state, e.changed_there, e.seen_there, e.synced_at FROM workspace.exchange_orders e
WHERE e.tenant_id = @tenant_id AND e.connection_id = @connection_id AND e.order_no > @after
  AND e.created_at < @began AND (e.synced_at IS NULL OR e.synced_at < @began)
  AND NOT EXISTS (SELECT FROM workspace.exchange_listed l
    WHERE l.tenant_id = e.tenant_id AND l.connection_id = e.connection_id AND l.external_id = e.external_id)
ORDER BY e.order_no LIMIT @most;

-- The lines of orders, with the ids there of supplier and article, which are found as for a comparison of one order.
-- Cancelled ones are no part of an order there.
-- name: ListExchangedLines :many
SELECT l.order_no, l.status, l.sku, coalesce(va.theirs, '')::text AS variant, coalesce(sa.theirs, '')::text AS supplier,
    coalesce(l.currency, '')::text AS currency, l.quantity_ordered, l.quantity_received, l.price_per_unit,
    l.expected_arrival_date
FROM workspace.purchase_order_lines l
LEFT JOIN LATERAL (
    SELECT p.id, p.supplier_id FROM workspace.products p
    WHERE p.tenant_id = l.tenant_id AND p.workspace_id = l.workspace_id
      AND p.id = CASE WHEN l.product_id IS NOT NULL THEN l.product_id ELSE (
        SELECT CASE WHEN count(c.external_id) < 2 THEN (array_agg(c.id ORDER BY c.external_id NULLS LAST))[1] END
        FROM workspace.products c
        WHERE c.tenant_id = l.tenant_id AND c.workspace_id = l.workspace_id AND c.sku = l.sku) END
) p ON true
LEFT JOIN workspace.exchange_ids va ON va.tenant_id = l.tenant_id AND va.connection_id = @connection_id
    AND va.kind = 'article' AND va.ours = p.id
LEFT JOIN workspace.exchange_ids sa ON sa.tenant_id = l.tenant_id AND sa.connection_id = @connection_id
    AND sa.kind = 'supplier' AND sa.ours = coalesce(l.supplier_id, p.supplier_id)
WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.order_no = ANY (@numbers::text[])
  AND l.status <> 'cancelled'
ORDER BY l.order_no, l.id;
