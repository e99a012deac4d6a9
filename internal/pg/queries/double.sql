-- Articles that are stored twice: without an external_id, because a record named only their SKU, and with one.

-- name: ListDoubles :many
SELECT p.id, p.sku::text AS sku, p.name, p.status, p.updated_at, o.id AS other_id, o.external_id::text AS other_external_id, o.name AS other_name,
    o.status AS other_status
FROM (
    SELECT a.id, a.tenant_id, a.workspace_id, a.sku, a.name, a.status, a.updated_at FROM workspace.products a
    WHERE a.tenant_id = @tenant_id AND a.workspace_id = @workspace_id AND a.external_id IS NULL AND a.id > @after::text
      AND (sqlc.narg('sku')::text IS NULL OR a.sku = sqlc.narg('sku')::text)
      AND EXISTS (SELECT FROM workspace.products b WHERE b.tenant_id = a.tenant_id AND b.workspace_id = a.workspace_id AND b.sku = a.sku
        AND b.external_id IS NOT NULL)
    ORDER BY a.id LIMIT @most
) p
CROSS JOIN LATERAL (
    SELECT b.id, b.external_id, b.name, b.status FROM workspace.products b
    WHERE b.tenant_id = p.tenant_id AND b.workspace_id = p.workspace_id AND b.sku = p.sku AND b.external_id IS NOT NULL
    ORDER BY b.id LIMIT 10
) o
ORDER BY p.id, o.id;

-- Merged articles are seen until the transaction ends, and the snapshots of lines stay.
-- name: BeginMerging :exec
SELECT set_config('app.merging', 'on', true);

-- Writers of lines that name one of them wait until the transaction ends.
-- name: LockArticle :one
SELECT id, coalesce(identity_key, '')::text AS identity, external_id, sku, name, merged_into FROM workspace.products
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = @id FOR UPDATE;

-- When the stock of an article was last counted: when its last report says so, or came.
-- name: LastCounted :one
SELECT coalesce((
    SELECT CASE WHEN jsonb_exists(e.data -> 'record', 'stock_updated_at') THEN least(p.stock_updated_at, e.created_at) ELSE e.created_at END
    FROM workspace.events e
    WHERE e.tenant_id = p.tenant_id AND e.subject = p.id AND e.slug = 'products' AND e.data ->> 'result' IS DISTINCT FROM 'stale'
      AND (jsonb_exists(e.data -> 'record', 'stock_available') OR jsonb_exists(e.data -> 'record', 'stock_on_hand'))
    ORDER BY e.id DESC LIMIT 1), p.stock_updated_at,
    (SELECT h.observed_at FROM workspace.stock_history h WHERE h.tenant_id = p.tenant_id AND h.product_id = p.id ORDER BY h.version DESC LIMIT 1),
    'epoch')::timestamptz AS counted_at -- the epoch: never
FROM workspace.products p WHERE p.tenant_id = @tenant_id AND p.id = @id;

-- What is empty in the one is taken from the other, money with its currency. Stock is taken as a whole, with the day on which it
-- was counted, if none was ever counted of the one. The version is above those of both, because counts are kept by it. Returns
-- the fields that were filled in.
-- name: FillArticle :one
UPDATE workspace.products p SET
    version = greatest(p.version, d.version) + 1, updated_at = now(),
    product_external_id = coalesce(p.product_external_id, d.product_external_id), barcode = coalesce(p.barcode, d.barcode),
    variant_name = coalesce(p.variant_name, d.variant_name), family = coalesce(p.family, d.family),
    category = coalesce(p.category, d.category), vendor = coalesce(p.vendor, d.vendor), status = coalesce(p.status, d.status),
    price = coalesce(p.price, d.price), currency = CASE WHEN p.price IS NULL AND d.price IS NOT NULL THEN d.currency ELSE p.currency END,
    unit_cost = coalesce(p.unit_cost, d.unit_cost),
    cost_currency = CASE WHEN p.unit_cost IS NULL AND d.unit_cost IS NOT NULL THEN d.cost_currency ELSE p.cost_currency END,
    stock_on_hand = CASE WHEN c.counted THEN p.stock_on_hand ELSE d.stock_on_hand END,
    stock_committed = CASE WHEN c.counted THEN p.stock_committed ELSE d.stock_committed END,
    stock_available = CASE WHEN c.counted THEN p.stock_available ELSE d.stock_available END,
    stock_updated_at = CASE WHEN c.counted THEN p.stock_updated_at ELSE nullif(@counted_at::timestamptz, 'epoch') END,
    track_inventory = coalesce(p.track_inventory, d.track_inventory), allow_backorder = coalesce(p.allow_backorder, d.allow_backorder),
    supplier_id = coalesce(p.supplier_id, d.supplier_id),
    supplier_sku = CASE WHEN p.supplier_id IS NULL OR p.supplier_id = d.supplier_id THEN coalesce(p.supplier_sku, d.supplier_sku) ELSE p.supplier_sku END,
    lead_time_days = coalesce(p.lead_time_days, d.lead_time_days), moq = coalesce(p.moq, d.moq),
    order_multiple = coalesce(p.order_multiple, d.order_multiple), safety_stock = coalesce(p.safety_stock, d.safety_stock),
    reorder_point = coalesce(p.reorder_point, d.reorder_point), cover_days = coalesce(p.cover_days, d.cover_days),
    do_not_reorder = coalesce(p.do_not_reorder, d.do_not_reorder), launched_at = coalesce(p.launched_at, d.launched_at),
    image_url = coalesce(p.image_url, d.image_url), tags = coalesce(p.tags, d.tags), custom = d.custom || jsonb_strip_nulls(p.custom)
FROM workspace.products d, workspace.products was
CROSS JOIN LATERAL (SELECT num_nonnulls(was.stock_on_hand, was.stock_committed, was.stock_available) > 0
    OR EXISTS (SELECT FROM workspace.stock_history h WHERE h.tenant_id = was.tenant_id AND h.product_id = was.id) AS counted) c
WHERE p.tenant_id = @tenant_id AND p.id = @id AND was.tenant_id = p.tenant_id AND was.id = p.id
  AND d.tenant_id = p.tenant_id AND d.id = @double_id
RETURNING p.version, (SELECT coalesce(jsonb_object_agg(n.key, n.value), '{}')
    FROM jsonb_each((to_jsonb(p) - ARRAY['version', 'updated_at', 'custom']) || p.custom) n
    WHERE n.value IS DISTINCT FROM coalesce((to_jsonb(was) || was.custom) -> n.key, 'null'))::jsonb AS filled;

-- The row of an article that was merged: it has no key, and nothing finds it.
-- name: HideArticle :one
UPDATE workspace.products SET merged_into = @into_id::text, sku = NULL, status = 'archived',
    version = version + 1, updated_at = now()
WHERE tenant_id = @tenant_id AND id = @id RETURNING version;

-- name: AddAliases :exec
INSERT INTO workspace.article_aliases (tenant_id, workspace_id, name, product_id)
SELECT @tenant_id, @workspace_id, n, @product_id FROM unnest(@names::text[]) n;

-- Under which names records bring a company's articles, and what identifies these.
-- name: ListAliases :many
SELECT a.name, p.external_id::text AS external_id FROM workspace.article_aliases a
JOIN workspace.products p ON p.tenant_id = a.tenant_id AND p.id = a.product_id
WHERE a.tenant_id = @tenant_id AND a.slug = @slug;

-- The counts of the other one's stock, if there are none of its own but that of the version that took the stock.
-- name: TakeStockHistory :exec
INSERT INTO workspace.stock_history (tenant_id, product_id, version, workspace_id, observed_at, reported_at, stock_on_hand, stock_available)
SELECT h.tenant_id, @product_id, h.version, h.workspace_id, h.observed_at, h.reported_at, h.stock_on_hand, h.stock_available
FROM workspace.stock_history h
WHERE h.tenant_id = @tenant_id AND h.product_id = @double_id
  AND NOT EXISTS (SELECT FROM workspace.stock_history o WHERE o.tenant_id = @tenant_id AND o.product_id = @product_id AND o.version <> @version);

-- A delivery that is older than the last one of either stays without effect.
-- name: TakeSequence :exec
INSERT INTO workspace.record_sequences AS s (tenant_id, record_id, sequence, version)
SELECT o.tenant_id, @product_id, o.sequence, 1 FROM workspace.record_sequences o WHERE o.tenant_id = @tenant_id AND o.record_id = @double_id
ON CONFLICT (tenant_id, record_id) DO UPDATE
SET sequence = CASE WHEN length(s.sequence) = length(excluded.sequence) THEN greatest(s.sequence, excluded.sequence) ELSE s.sequence END,
    version = s.version + 1;

-- name: TakeDecisions :exec
UPDATE workspace.suppressions SET product_id = @product_id WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND product_id = @double_id;

-- What inventory systems call it: what the other one is called there goes first.
-- name: TakeExchangeIDs :exec
WITH other AS (
    SELECT connection_id FROM workspace.exchange_ids WHERE tenant_id = @tenant_id AND kind = 'article' AND ours = @product_id
), dropped AS (
    DELETE FROM workspace.exchange_ids d WHERE d.tenant_id = @tenant_id AND d.kind = 'article' AND d.ours = @double_id
      AND d.connection_id IN (SELECT connection_id FROM other)
)
UPDATE workspace.exchange_ids m SET ours = @product_id
WHERE m.tenant_id = @tenant_id AND m.kind = 'article' AND m.ours = @double_id AND m.connection_id NOT IN (SELECT connection_id FROM other);

-- name: TakeFailedImports :exec
UPDATE workspace.failed_imports SET record_key = @external_id::text
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND slug = 'products' AND record_key = @sku::text AND status = 'open';

-- A merged article is not computed any more.
-- name: DropUncomputed :exec
DELETE FROM workspace.uncomputed_articles WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND product_id = @product_id;
