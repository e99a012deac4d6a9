-- name: InsertOrderEntry :one
INSERT INTO workspace.order_entries (tenant_id, id, workspace_id, order_no, kind, actor, text, mentions, data)
VALUES (@tenant_id, @id, @workspace_id, @order_no, @kind, @actor, @text, @mentions, @data)
RETURNING created_at;

-- The newest first.
-- name: ListOrderEntries :many
SELECT id, order_no, kind, actor, text, mentions, created_at FROM workspace.order_entries
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND order_no = @order_no AND id < @before ORDER BY id DESC LIMIT @most;

-- The newest entry of each of these orders.
-- name: ListLatestEntries :many
SELECT e.id, e.order_no, e.kind, e.actor, e.text, e.mentions, e.created_at
FROM (SELECT DISTINCT unnest(@order_nos::text[])::text COLLATE "C" AS order_no) wanted
CROSS JOIN LATERAL (
    SELECT n.id, n.order_no, n.kind, n.actor, n.text, n.mentions, n.created_at FROM workspace.order_entries n
    WHERE n.tenant_id = @tenant_id AND n.workspace_id = @workspace_id AND n.order_no = wanted.order_no ORDER BY n.id DESC LIMIT 1
) e;

-- name: OrderExists :one
SELECT EXISTS (SELECT FROM workspace.purchase_orders
    WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND order_no = @order_no AND lines > 0)::boolean;

-- How many of these people are members.
-- name: CountMembersOf :one
SELECT count(*) FROM control.memberships WHERE tenant_id = @tenant_id AND user_id = ANY (@people::uuid[]);
