-- What is what on both sides of a connection: suppliers, articles and locations. See exchange_ids.

-- Things of one kind that can have an id there: those with open lines first (rank 0), then those with lines of the
-- last half year (1), then the rest (2). A line's article is that of its product or its SKU, and its supplier is its own or its
-- article's, as in a sync. Articles are listed if they have open lines, or if their supplier or they
-- themselves have an id there.
-- name: ListMatches :many
WITH open AS (
    SELECT CASE @kind::text WHEN 'supplier' THEN coalesce(l.supplier_id, p.supplier_id) WHEN 'article' THEN p.id
        ELSE l.location_id::text END AS id, count(*) AS lines, min(l.order_no) AS order_no
    FROM workspace.purchase_order_lines l
    LEFT JOIN LATERAL (
        SELECT p.id, p.supplier_id FROM workspace.products p
        WHERE p.tenant_id = @tenant_id AND p.workspace_id = @workspace_id
          AND p.id = CASE WHEN l.product_id IS NOT NULL THEN l.product_id ELSE (
            SELECT CASE WHEN count(c.external_id) < 2 THEN (array_agg(c.id ORDER BY c.external_id NULLS LAST))[1] END
            FROM workspace.products c
            WHERE c.tenant_id = @tenant_id AND c.workspace_id = @workspace_id AND c.sku = l.sku) END
    ) p ON true
    WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.status NOT IN ('received', 'cancelled')
    GROUP BY 1
), mapped AS (
    SELECT m.kind, m.ours, m.theirs, m.name, m.chosen_by, m.chosen_at FROM workspace.exchange_ids m
    WHERE m.tenant_id = @tenant_id AND m.connection_id = @connection_id
), things AS (
    SELECT s.id::text AS id, s.name::text AS name, s.external_id::text AS code, (
            SELECT l.created_at > now() - interval '180 days' FROM workspace.purchase_order_lines l
            WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.supplier_id = s.id ORDER BY l.id DESC LIMIT 1
        ) AS recent
    FROM workspace.suppliers s
    WHERE @kind = 'supplier' AND s.tenant_id = @tenant_id AND s.workspace_id = @workspace_id
    UNION ALL
    SELECT p.id, p.name, coalesce(p.sku, p.external_id), false
    FROM workspace.products p
    WHERE @kind = 'article' AND p.tenant_id = @tenant_id AND p.workspace_id = @workspace_id
      AND (p.id IN (SELECT o.id FROM open o) OR p.supplier_id IN (SELECT m.ours FROM mapped m WHERE m.kind = 'supplier')
          OR p.id IN (SELECT m.ours FROM mapped m WHERE m.kind = 'article'))
    UNION ALL
    SELECT o.id, '', '', false FROM open o WHERE @kind = 'location' AND o.id IS NOT NULL
    UNION ALL
    SELECT m.ours, '', '', false FROM mapped m
    WHERE @kind = 'location' AND m.kind = 'location' AND m.ours NOT IN (SELECT o.id FROM open o WHERE o.id IS NOT NULL)
), ranked AS (
    SELECT t.id, t.name, lower(t.name) COLLATE "C" AS sorted, t.code, coalesce(o.lines, 0) AS lines, coalesce(o.order_no, '') AS order_no,
        CASE WHEN o.id IS NOT NULL THEN 0 WHEN t.recent THEN 1 ELSE 2 END AS rank
    FROM things t LEFT JOIN open o ON o.id = t.id
)
SELECT r.id, r.name, r.code, r.rank::int AS rank, r.lines::bigint AS open_lines, r.order_no::text AS order_no,
    coalesce(m.theirs, '')::text AS theirs, coalesce(m.name, '')::text AS theirs_name, m.chosen_by, m.chosen_at
FROM ranked r
LEFT JOIN mapped m ON m.kind = @kind AND m.ours = r.id
WHERE (NOT @unmapped::boolean OR m.theirs IS NULL)
  AND (sqlc.narg('text')::text IS NULL OR r.name ILIKE sqlc.narg('text') OR r.code ILIKE sqlc.narg('text') OR r.id ILIKE sqlc.narg('text'))
  AND (r.rank, r.sorted, r.id) > (@after_rank::int, lower(@after_name::text) COLLATE "C", @after_id::text)
ORDER BY r.rank, r.sorted, r.id
LIMIT @most;

-- For each kind: how many open lines need, how many of these have no id there, and how many have one in all.
-- name: CountMatches :many
WITH open AS (
    SELECT coalesce(l.supplier_id, p.supplier_id) AS supplier_id, p.id AS product_id, l.location_id::text AS location_id
    FROM workspace.purchase_order_lines l
    LEFT JOIN LATERAL (
        SELECT p.id, p.supplier_id FROM workspace.products p
        WHERE p.tenant_id = @tenant_id AND p.workspace_id = @workspace_id
          AND p.id = CASE WHEN l.product_id IS NOT NULL THEN l.product_id ELSE (
            SELECT CASE WHEN count(c.external_id) < 2 THEN (array_agg(c.id ORDER BY c.external_id NULLS LAST))[1] END
            FROM workspace.products c
            WHERE c.tenant_id = @tenant_id AND c.workspace_id = @workspace_id AND c.sku = l.sku) END
    ) p ON true
    WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.status NOT IN ('received', 'cancelled')
), things AS (
    SELECT 'supplier'::text AS kind, o.supplier_id AS ours, true AS needed FROM open o WHERE o.supplier_id IS NOT NULL
    UNION SELECT 'article', o.product_id, true FROM open o WHERE o.product_id IS NOT NULL
    UNION SELECT 'location', o.location_id, true FROM open o WHERE o.location_id IS NOT NULL
    UNION SELECT i.kind, i.ours, false FROM workspace.exchange_ids i
        WHERE i.tenant_id = @tenant_id AND i.connection_id = @connection_id
), told AS (
    SELECT t.kind, t.ours, bool_or(t.needed) AS needed, bool_or(NOT t.needed) AS mapped FROM things t GROUP BY t.kind, t.ours
)
SELECT t.kind::text AS kind, count(*) FILTER (WHERE t.needed) AS needed,
    count(*) FILTER (WHERE t.needed AND NOT t.mapped) AS missing, count(*) FILTER (WHERE t.mapped) AS mapped
FROM told t GROUP BY t.kind;

-- The ids that are given already.
-- name: ListMatchedIDs :many
SELECT kind, ours, theirs, name FROM workspace.exchange_ids WHERE tenant_id = @tenant_id AND connection_id = @connection_id;

-- Names of all suppliers, to tell which are told from each other.
-- name: ListSupplierNames :many
SELECT id, name FROM workspace.suppliers WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id;

-- SKUs that more than one article has.
-- name: ListSharedSKUs :many
SELECT p.sku::text AS sku FROM workspace.products p
WHERE p.tenant_id = @tenant_id AND p.workspace_id = @workspace_id AND p.sku = ANY (@skus::text[])
GROUP BY p.sku HAVING count(*) > 1;

-- What a thing is called here; no row if there is none.
-- name: NameOfThing :one
SELECT s.name FROM workspace.suppliers s
WHERE @kind::text = 'supplier' AND s.tenant_id = @tenant_id AND s.workspace_id = @workspace_id AND s.id = @id
UNION ALL
SELECT p.name FROM workspace.products p
WHERE @kind = 'article' AND p.tenant_id = @tenant_id AND p.workspace_id = @workspace_id AND p.id = @id;

-- name: ChooseExchangeID :exec
INSERT INTO workspace.exchange_ids (tenant_id, connection_id, kind, ours, theirs, name, chosen_by)
VALUES (@tenant_id, @connection_id, @kind, @ours, @theirs, @name, @actor)
ON CONFLICT (tenant_id, connection_id, kind, ours) DO UPDATE
SET theirs = excluded.theirs, name = excluded.name, chosen_by = excluded.chosen_by, chosen_at = now();

-- Keeps ids that nobody gave meanwhile, on either side.
-- name: AcceptExchangeIDs :execrows
INSERT INTO workspace.exchange_ids (tenant_id, connection_id, kind, ours, theirs, name, chosen_by)
SELECT @tenant_id, @connection_id, @kind, unnest(@ours::text[]), unnest(@theirs::text[]), unnest(@names::text[]), @actor
ON CONFLICT DO NOTHING;

-- name: ForgetExchangeID :one
DELETE FROM workspace.exchange_ids
WHERE tenant_id = @tenant_id AND connection_id = @connection_id AND kind = @kind AND ours = @ours
RETURNING theirs, name;

-- Orders that waited for an id are compared again.
-- name: ReleaseHeldOrders :execrows
UPDATE workspace.exchange_orders e SET state = 'waiting', due_at = now(), asked = e.asked + 1
FROM (
    SELECT h.order_no FROM workspace.exchange_orders h
    WHERE h.tenant_id = @tenant_id AND h.connection_id = @connection_id AND h.state = 'held'
    ORDER BY h.order_no FOR UPDATE
) held
WHERE e.tenant_id = @tenant_id AND e.connection_id = @connection_id AND e.order_no = held.order_no;

-- Open orders here, the newest first, and how many there are.
-- name: ListOpenOrders :many
SELECT o.order_no, coalesce(e.external_id, '')::text AS external_id, coalesce(e.state, '')::text AS state, count(*) OVER () AS total
FROM workspace.purchase_orders o
LEFT JOIN workspace.exchange_orders e ON e.tenant_id = o.tenant_id AND e.connection_id = @connection_id AND e.order_no = o.order_no
WHERE o.tenant_id = @tenant_id AND o.workspace_id = @workspace_id
  AND (o.draft > 0 OR o.pending_approval > 0 OR o.ordered > 0 OR o.partially_received > 0)
ORDER BY o.newest_id DESC LIMIT @most;

-- How the orders with these numbers are exchanged.
-- name: ListExchangedNumbers :many
SELECT order_no, coalesce(external_id, '')::text AS external_id, state FROM workspace.exchange_orders
WHERE tenant_id = @tenant_id AND connection_id = @connection_id
  AND (order_no = ANY (@numbers::text[]) OR external_id = ANY (@externals::text[]));
