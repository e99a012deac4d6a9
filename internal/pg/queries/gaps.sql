-- Articles that cannot be computed.

-- Of these articles, or of all, the ones that did not fail have no gap any more.
-- name: CloseGaps :execrows
DELETE FROM workspace.uncomputed_articles g
WHERE g.tenant_id = @tenant_id AND g.workspace_id = @workspace_id AND g.part = @part
  AND (sqlc.narg('products')::text[] IS NULL OR g.product_id = ANY (sqlc.narg('products'))) AND g.product_id <> ALL (@failed::text[]);

-- A gap keeps the time since when it has been there.
-- name: KeepGaps :exec
INSERT INTO workspace.uncomputed_articles AS g (tenant_id, workspace_id, product_id, part, reason)
SELECT @tenant_id, @workspace_id, k.product_id, @part, k.reason
FROM (SELECT unnest(@products::text[]) AS product_id, unnest(@reasons::text[]) AS reason) k
ORDER BY k.product_id
ON CONFLICT (tenant_id, workspace_id, product_id, part) DO UPDATE SET reason = excluded.reason WHERE g.reason <> excluded.reason;

-- Each article once, whatever is missing of it: without a demand it has no row of the queue either.
-- name: ListGaps :many
SELECT DISTINCT ON (g.product_id) g.product_id, coalesce(p.sku, '')::text AS sku, coalesce(p.name, '')::text AS name, g.part, g.reason, g.since
FROM workspace.uncomputed_articles g
JOIN workspace.products p ON p.tenant_id = g.tenant_id AND p.id = g.product_id AND p.workspace_id = g.workspace_id
WHERE g.tenant_id = @tenant_id AND g.workspace_id = @workspace_id AND p.status IS DISTINCT FROM 'archived'
  AND (sqlc.narg('product_id')::text IS NULL OR g.product_id = sqlc.narg('product_id'))
ORDER BY g.product_id, g.part LIMIT @most;
