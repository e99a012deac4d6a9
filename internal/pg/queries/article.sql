-- A purchase order line belongs to the article that it names. A line that names none belongs to the
-- article with its SKU. Lines are therefore read in two parts, each a range of an index.

-- An article that was merged is the other one.
-- name: GetArticle :one
SELECT p.id, p.sku, p.external_id, p.name, p.variant_name, p.family, p.category, p.status, p.image_url,
    p.price, p.currency, p.unit_cost, p.cost_currency,
    p.stock_on_hand, p.stock_committed, p.stock_available, p.stock_updated_at, p.reorder_point, p.lead_time_days,
    s.id AS supplier_id, s.name AS supplier_name, s.lead_time_days AS supplier_lead_time_days,
    g.week_start, g.base_currency
FROM workspace.products p
LEFT JOIN workspace.suppliers s ON s.tenant_id = p.tenant_id AND s.id = p.supplier_id AND s.workspace_id = p.workspace_id
LEFT JOIN workspace.sales_settings g ON g.tenant_id = p.tenant_id AND g.workspace_id = p.workspace_id
WHERE p.tenant_id = @tenant_id AND p.workspace_id = @workspace_id AND p.id = coalesce((SELECT a.product_id FROM workspace.article_aliases a
    WHERE a.tenant_id = @tenant_id AND a.workspace_id = @workspace_id AND a.name = @product_id::text), @product_id::text);

-- The last record that had the article's stock in it, whether or not it changed the stock: what is available, or
-- also what is on the shelves.
-- name: FindStockReport :one
SELECT created_at, actor, jsonb_exists(data -> 'record', 'stock_updated_at')::boolean AS dated FROM workspace.events
WHERE tenant_id = @tenant_id AND subject = @product_id AND workspace_id = @workspace_id AND slug = 'products'
  AND (jsonb_exists(data -> 'record', 'stock_available') OR @on_shelves::boolean AND jsonb_exists(data -> 'record', 'stock_on_hand')) AND data ->> 'result' IS DISTINCT FROM 'stale'
ORDER BY id DESC LIMIT 1;

-- When the stock last changed. It is kept for longer than events.
-- name: FindStockChange :one
SELECT observed_at, reported_at FROM workspace.stock_history
WHERE tenant_id = @tenant_id AND product_id = @product_id AND workspace_id = @workspace_id
ORDER BY version DESC LIMIT 1;

-- name: ListArticleLines :many
SELECT l.id, l.order_no, l.status, l.quantity_ordered, l.quantity_received, l.expected_arrival_date, l.price_per_unit,
    l.currency, l.supplier_name, l.ordered_at, l.received_at, l.created_at, l.version
FROM (
    (SELECT a.id, a.order_no, a.status, a.quantity_ordered, a.quantity_received, a.expected_arrival_date, a.price_per_unit,
        a.currency, a.supplier_name, a.ordered_at, a.received_at, a.created_at, a.version
    FROM workspace.purchase_order_lines a
    WHERE a.tenant_id = @tenant_id AND a.workspace_id = @workspace_id AND a.product_id = @product_id::text
    ORDER BY a.id DESC LIMIT @most)
  UNION ALL
    (SELECT b.id, b.order_no, b.status, b.quantity_ordered, b.quantity_received, b.expected_arrival_date, b.price_per_unit,
        b.currency, b.supplier_name, b.ordered_at, b.received_at, b.created_at, b.version
    FROM workspace.purchase_order_lines b
    WHERE b.tenant_id = @tenant_id AND b.workspace_id = @workspace_id AND b.product_id IS NULL AND b.sku = sqlc.narg('sku')::text
    ORDER BY b.id DESC LIMIT @most)
) l
ORDER BY l.id DESC LIMIT @most;

-- Lines that are neither received nor cancelled, by expected arrival.
-- name: ListArticleOpen :many
SELECT l.id, l.order_no, l.status, greatest(l.quantity_ordered - l.quantity_received, 0)::numeric AS open,
    l.expected_arrival_date, l.ordered_at
FROM workspace.purchase_order_lines l
WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.status NOT IN ('received', 'cancelled')
  AND (l.product_id = @product_id::text OR l.product_id IS NULL AND l.sku = sqlc.narg('sku')::text)
ORDER BY l.expected_arrival_date, l.id LIMIT @most;

-- The newest receipts. Those of lines beyond the latest ones are not looked for.
-- name: ListArticleReceipts :many
SELECT r.id, r.line_id, r.quantity, r.received_at, r.actor, r.note
FROM unnest(@lines::text[]) line (id)
JOIN workspace.receipts r ON r.tenant_id = @tenant_id AND r.line_id = line.id
ORDER BY r.received_at DESC, r.id DESC LIMIT @most;

-- What arrived after the stock was counted.
-- name: SumReceivedSince :one
SELECT coalesce(sum(r.quantity), 0)::numeric AS received
FROM (
    SELECT a.id FROM workspace.purchase_order_lines a
    WHERE a.tenant_id = @tenant_id AND a.workspace_id = @workspace_id AND a.product_id = @product_id::text
  UNION ALL
    SELECT b.id FROM workspace.purchase_order_lines b
    WHERE b.tenant_id = @tenant_id AND b.workspace_id = @workspace_id AND b.product_id IS NULL AND b.sku = sqlc.narg('sku')::text
) line
JOIN workspace.receipts r ON r.tenant_id = @tenant_id AND r.line_id = line.id
WHERE r.received_at > @since;

-- How a supplier delivered: the article's lines, and the latest lines of all articles. A lead time
-- is the time from order to full receipt; one of no day or above 365 days is an error of the data.
-- A line whose days cannot be true is neither late nor on time.
-- name: JudgeSupplier :many
WITH received AS (
    SELECT 'article' AS scope, a.expected_arrival_date, a.ordered_at, a.received_at FROM workspace.purchase_order_lines a
    WHERE a.tenant_id = @tenant_id AND a.workspace_id = @workspace_id AND a.product_id = @product_id::text
      AND a.supplier_id = @supplier_id::text AND a.status = 'received' AND a.quantity_received > 0 AND a.received_at >= @since::timestamptz
  UNION ALL
    SELECT 'article', b.expected_arrival_date, b.ordered_at, b.received_at FROM workspace.purchase_order_lines b
    WHERE b.tenant_id = @tenant_id AND b.workspace_id = @workspace_id AND b.product_id IS NULL AND b.sku = sqlc.narg('sku')::text
      AND b.supplier_id = @supplier_id AND b.status = 'received' AND b.quantity_received > 0 AND b.received_at >= @since
  UNION ALL
    (SELECT 'supplier', c.expected_arrival_date, c.ordered_at, c.received_at FROM workspace.purchase_order_lines c
    WHERE c.tenant_id = @tenant_id AND c.workspace_id = @workspace_id AND c.supplier_id = @supplier_id AND c.status = 'received' AND c.quantity_received > 0
      AND c.received_at >= @since
    ORDER BY c.received_at DESC LIMIT @most)
), judged AS (
    SELECT r.scope, CASE WHEN workspace.plausible_day(d.day, @today::date) AND workspace.plausible_arrival(r.expected_arrival_date, d.day)
            THEN d.day - r.expected_arrival_date END AS late,
        CASE WHEN d.day > (r.ordered_at AT TIME ZONE @time_zone::text)::date THEN extract(epoch FROM r.received_at - r.ordered_at) / 86400 END AS lead
    FROM received r
    CROSS JOIN LATERAL (SELECT (r.received_at AT TIME ZONE @time_zone::text)::date AS day) d
)
SELECT scope::text AS scope, count(late) AS lines, count(late) FILTER (WHERE late <= 0) AS on_time,
    coalesce(avg(late) FILTER (WHERE late > 0), 0)::double precision AS days_late,
    count(lead) FILTER (WHERE lead BETWEEN 0 AND 365) AS leads,
    coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY lead) FILTER (WHERE lead BETWEEN 0 AND 365), 0)::double precision AS lead_days
FROM judged GROUP BY scope;

-- The stock at the end of each week.
-- name: ListStockWeeks :many
SELECT w.week::date AS week, c.closing
FROM unnest(@weeks::date[]) w (week)
LEFT JOIN LATERAL (
    SELECT d.closing FROM workspace.stock_days d
    WHERE d.tenant_id = @tenant_id AND d.workspace_id = @workspace_id AND d.product_id = @product_id AND d.day < w.week + 7
    ORDER BY d.day DESC LIMIT 1
) c ON true
ORDER BY w.week;

-- Who bought the article, the largest buyers first. The totals are those of all buyers; sales
-- without a customer are in a row without an id, which comes last.
-- name: ListBuyers :many
SELECT b.customer_id, coalesce(c.name, c.company, c.email, c.external_id, '')::text AS name, b.units, b.orders, b.last_day::date AS last_day,
    b.net, sum(b.units) OVER ()::numeric AS all_units, sum(b.orders) OVER ()::bigint AS all_orders,
    (count(b.customer_id) OVER ())::bigint AS customers, coalesce(sum(b.net) OVER (), 0)::numeric AS all_net,
    sum(b.returned) OVER ()::numeric AS all_returned, sum(b.unconverted) OVER ()::bigint AS unconverted
FROM (
    SELECT l.customer_id, sum(l.units - l.returned)::numeric AS units, sum(l.returned)::numeric AS returned,
        count(DISTINCT l.order_id) AS orders, max(l.day) AS last_day, coalesce(sum(l.net), 0)::numeric AS net,
        count(*) FILTER (WHERE l.net IS NULL) AS unconverted
    FROM workspace.sales_lines l
    WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.product_id = @product_id AND l.counts
      AND l.day >= @since::date AND l.day < @until::date
    GROUP BY l.customer_id
) b
LEFT JOIN workspace.customers c ON c.tenant_id = @tenant_id AND c.id = b.customer_id
ORDER BY b.customer_id IS NULL, b.units DESC, b.customer_id LIMIT @most;

-- The costs that were reported for the article, the newest first, as far back as events are kept.
-- name: ListArticleCosts :many
SELECT e.created_at, coalesce(e.data -> 'record' ->> 'unit_cost', '')::text AS unit_cost,
    coalesce(e.data -> 'record' ->> 'cost_currency', '')::text AS currency
FROM workspace.events e
WHERE e.tenant_id = @tenant_id AND e.subject = @product_id AND e.workspace_id = @workspace_id AND e.slug = 'products'
  AND e.data ->> 'result' NOT IN ('unchanged', 'stale') AND jsonb_exists(e.data -> 'record', 'unit_cost')
ORDER BY e.id DESC LIMIT @most;
