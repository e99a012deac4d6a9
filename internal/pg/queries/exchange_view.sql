-- What people see of the exchange of orders, and what they decide about it.

-- How a connection's orders stand. 1970 stands for never.
-- name: SumExchange :many
SELECT state, count(*) AS orders, min(due_at)::timestamptz AS first_due,
    max(coalesce(synced_at, 'epoch'))::timestamptz AS last_synced
FROM workspace.exchange_orders
WHERE tenant_id = @tenant_id AND connection_id = @connection_id
GROUP BY state;

-- name: GetExchangeCursor :one
SELECT poll_at, polled_at, message, reconcile_at, reconciled_at, reconcile FROM workspace.exchange_cursors
WHERE tenant_id = @tenant_id AND connection_id = @connection_id;

-- A connection's orders, in the order of their numbers, the highest first.
-- name: ListExchangeOrders :many
SELECT e.order_no, e.connection_id, e.external_id, e.state, e.code, e.message, e.notices, e.synced_at, e.changed_there,
    e.due_at, e.failures, e.paused_by
FROM workspace.exchange_orders e
WHERE e.tenant_id = @tenant_id AND e.workspace_id = @workspace_id AND e.connection_id = @connection_id
  AND (@state::text = '' OR e.state = @state) AND (@before::text = '' OR e.order_no < @before)
  AND (@order_no::text = '' OR e.order_no = @order_no)
ORDER BY e.order_no DESC LIMIT @most;

-- One order, as every connection that is not deleted has it.
-- name: ListOrderExchanges :many
SELECT e.order_no, e.connection_id, e.external_id, e.state, e.code, e.message, e.notices, e.synced_at, e.changed_there,
    e.due_at, e.failures, e.paused_by, c.name, c.system, c.state AS connection_state
FROM workspace.exchange_orders e
JOIN workspace.connections c ON c.tenant_id = e.tenant_id AND c.id = e.connection_id AND c.deleted_at IS NULL
WHERE e.tenant_id = @tenant_id AND e.workspace_id = @workspace_id AND e.order_no = @order_no
  AND c.workspace_id = @workspace_id
ORDER BY e.connection_id;

-- The comparisons of an order that did something or failed, the newest first.
-- name: ListExchangeAttempts :many
SELECT id, version, outcome, code, message, here, there, at, took FROM workspace.exchange_attempts
WHERE tenant_id = @tenant_id AND connection_id = @connection_id AND order_no = @order_no AND id < @before
ORDER BY id DESC LIMIT @most;

-- Locks an order's exchange. Conflicts are locked after it.
-- name: LockExchangeOrder :one
SELECT state FROM workspace.exchange_orders
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND connection_id = @connection_id AND order_no = @order_no
FOR UPDATE;

-- name: PauseExchangeOrder :exec
UPDATE workspace.exchange_orders SET state = 'paused', paused_by = @actor
WHERE tenant_id = @tenant_id AND connection_id = @connection_id AND order_no = @order_no;

-- Makes an order due at once.
-- name: AskExchangeOrder :exec
UPDATE workspace.exchange_orders
SET state = 'waiting', due_at = now(), failures = 0, asked = asked + 1, paused_by = NULL
WHERE tenant_id = @tenant_id AND connection_id = @connection_id AND order_no = @order_no;

-- Makes all orders in these states due at once. Like every writer of several orders it locks them in the order
-- of their numbers.
-- name: AskExchangeOrders :execrows
WITH chosen AS MATERIALIZED (
    SELECT e.order_no FROM workspace.exchange_orders e
    WHERE e.tenant_id = @tenant_id AND e.workspace_id = @workspace_id AND e.connection_id = @connection_id
      AND e.state = ANY (@states::text[])
    ORDER BY e.order_no FOR UPDATE
)
UPDATE workspace.exchange_orders e
SET state = 'waiting', due_at = now(), failures = 0, asked = asked + 1
FROM chosen
WHERE e.tenant_id = @tenant_id AND e.connection_id = @connection_id AND e.order_no = chosen.order_no;

-- Conflicts that wait for a person, the oldest first. Prices have no currency while the line's currency is in question.
-- name: ListExchangeConflicts :many
SELECT k.id, k.connection_id, c.name AS connection_name, k.order_no, k.line_id, k.field, k.reason, k.base, k.ours,
    k.theirs, k.choices, k.opened_at, coalesce(l.sku, '') AS sku, coalesce(l.product_name, '') AS product_name,
    (CASE WHEN unsure.id IS NULL THEN coalesce(l.currency, '') ELSE '' END)::text AS currency
FROM workspace.exchange_conflicts k
JOIN workspace.connections c ON c.tenant_id = k.tenant_id AND c.id = k.connection_id AND c.deleted_at IS NULL
LEFT JOIN workspace.purchase_order_lines l ON l.tenant_id = k.tenant_id AND l.id = k.line_id
    AND l.workspace_id = @workspace_id
LEFT JOIN workspace.exchange_conflicts unsure ON unsure.tenant_id = k.tenant_id
    AND unsure.connection_id = k.connection_id AND unsure.line_id = k.line_id AND unsure.field = 'currency'
    AND unsure.closed_at IS NULL
WHERE k.tenant_id = @tenant_id AND k.workspace_id = @workspace_id AND c.workspace_id = @workspace_id
  AND k.closed_at IS NULL AND k.take IS NULL AND k.id > @after
  AND (sqlc.narg('connection_id')::uuid IS NULL OR k.connection_id = sqlc.narg('connection_id'))
  AND (@order_no::text = '' OR k.order_no = @order_no)
  AND (sqlc.narg('ids')::uuid[] IS NULL OR k.id = ANY (sqlc.narg('ids')::uuid[]))
ORDER BY k.id LIMIT @most;

-- name: CountExchangeConflicts :one
SELECT count(*) FROM workspace.exchange_conflicts k
JOIN workspace.connections c ON c.tenant_id = k.tenant_id AND c.id = k.connection_id AND c.deleted_at IS NULL
WHERE k.tenant_id = @tenant_id AND k.workspace_id = @workspace_id AND c.workspace_id = @workspace_id
  AND k.closed_at IS NULL AND k.take IS NULL
  AND (sqlc.narg('connection_id')::uuid IS NULL OR k.connection_id = sqlc.narg('connection_id'))
  AND (@order_no::text = '' OR k.order_no = @order_no);

-- What ids there are called: as the supplier or article here that has the id, else as the other system calls it.
-- name: NameExchangeIDs :many
SELECT i.connection_id, i.kind, i.theirs,
    coalesce(nullif(s.name, ''), nullif(concat_ws(' ', p.sku, p.name), ''), i.name)::text AS name
FROM workspace.exchange_ids i
LEFT JOIN workspace.suppliers s ON i.kind = 'supplier' AND s.tenant_id = i.tenant_id AND s.id = i.ours
    AND s.workspace_id = @workspace_id
LEFT JOIN workspace.products p ON i.kind = 'article' AND p.tenant_id = i.tenant_id AND p.id = i.ours
    AND p.workspace_id = @workspace_id
WHERE i.tenant_id = @tenant_id AND i.connection_id = ANY (@connections::uuid[]) AND i.kind IN ('supplier', 'article')
  AND i.theirs = ANY (@theirs::text[]);

-- The connections that conflicts of an order belong to.
-- name: ListConflictConnections :many
SELECT DISTINCT k.connection_id FROM workspace.exchange_conflicts k
WHERE k.tenant_id = @tenant_id AND k.workspace_id = @workspace_id AND k.order_no = @order_no AND k.id = ANY (@ids::uuid[])
ORDER BY k.connection_id;

-- Locks conflicts of an order whose exchange is locked.
-- name: LockExchangeConflicts :many
SELECT id, connection_id, ours, theirs, choices, take, closed_at FROM workspace.exchange_conflicts
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND order_no = @order_no AND id = ANY (@ids::uuid[])
ORDER BY id FOR UPDATE;

-- name: DecideExchangeConflict :exec
UPDATE workspace.exchange_conflicts SET take = @take::text, decided_by = @actor, decided_at = now()
WHERE tenant_id = @tenant_id AND id = @id;
