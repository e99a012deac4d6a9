-- The orders of a customer are those that count as sales: no cancelled ones, drafts or tests.

-- name: GetCustomer :one
SELECT c.id, c.external_id, coalesce(nullif(c.name, ''), nullif(c.company, ''), c.email, c.external_id)::text AS called,
    c.name, c.company, c.email, c.phone, c.country, c.city, c.tags, c.note, c.source_created_at, c.accepts_marketing, g.base_currency
FROM workspace.customers c
LEFT JOIN workspace.sales_settings g ON g.tenant_id = c.tenant_id AND g.workspace_id = c.workspace_id
WHERE c.tenant_id = @tenant_id AND c.workspace_id = @workspace_id AND c.id = @customer_id;

-- What was sold by month. An order whose currency has no rate is in no amount.
-- name: ListCustomerMonths :many
SELECT date_trunc('month', o.day)::date AS month, count(*) AS orders, coalesce(sum(o.net), 0)::numeric AS net,
    count(*) FILTER (WHERE o.net IS NULL) AS unconverted
FROM workspace.sales_orders o
WHERE o.tenant_id = @tenant_id AND o.workspace_id = @workspace_id AND o.customer_id = @customer_id::text AND o.day >= @since::date
GROUP BY 1 ORDER BY 1;

-- The customer's lines that are in no figure, because they cannot be true.
-- name: CountCustomerLeftOut :one
SELECT count(*) FROM workspace.sales_lines l
WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.customer_id = @customer_id::text AND l.left_out IS NOT NULL;

-- What the latest orders were of, the most usual article first. The totals are those of all articles.
-- A line that matches no article is in the totals only.
-- name: ListUsualArticles :many
SELECT b.product_id, coalesce(p.name, '')::text AS name, p.variant_name, p.sku, b.orders, b.units, b.last_day::date AS last_day,
    b.all_orders, b.all_units, b.all_returned
FROM (
    SELECT l.product_id, count(DISTINCT l.order_id) AS orders, sum(l.units - l.returned)::numeric AS units, max(o.day) AS last_day,
        max(o.of)::bigint AS all_orders, (sum(sum(l.units)) OVER ())::numeric AS all_units, (sum(sum(l.returned)) OVER ())::numeric AS all_returned
    FROM (
        SELECT s.order_id, s.day, count(*) OVER () AS of FROM (
            SELECT t.order_id, t.day FROM workspace.sales_orders t
            WHERE t.tenant_id = @tenant_id AND t.workspace_id = @workspace_id AND t.customer_id = @customer_id::text
            ORDER BY t.day DESC, t.order_id DESC LIMIT @searched
        ) s
    ) o
    CROSS JOIN LATERAL (SELECT i.order_id, i.product_id, i.units, i.returned FROM workspace.sales_lines i
        WHERE i.tenant_id = @tenant_id AND i.order_id = o.order_id AND i.counts OFFSET 0) l
    GROUP BY l.product_id
) b
LEFT JOIN workspace.products p ON p.tenant_id = @tenant_id AND p.id = b.product_id
ORDER BY b.product_id = '', b.orders DESC, b.last_day DESC, b.product_id LIMIT @most;

-- name: ListCustomerOrders :many
SELECT s.order_id, s.day, s.net, o.order_number, o.external_id, o.ordered_at, o.status, o.financial_status, o.fulfillment_status, o.currency, o.total
FROM (
    SELECT t.tenant_id, t.order_id, t.day, t.net FROM workspace.sales_orders t
    WHERE t.tenant_id = @tenant_id AND t.workspace_id = @workspace_id AND t.customer_id = @customer_id::text
      AND (@after::text = '' OR (t.day, t.order_id) < (SELECT b.day, b.order_id FROM workspace.sales_orders b
        WHERE b.tenant_id = @tenant_id AND b.order_id = @after))
    ORDER BY t.day DESC, t.order_id DESC LIMIT @most
) s
JOIN workspace.orders o ON o.tenant_id = s.tenant_id AND o.id = s.order_id
ORDER BY s.day DESC, s.order_id DESC;

-- Some lines of each order.
-- name: ListSoldLines :many
SELECT o.id::text AS order_id, l.line_id, l.product_id, i.sku, i.name, i.quantity, l.returned, i.unit_price
FROM unnest(@orders::text[]) o (id)
CROSS JOIN LATERAL (
    SELECT s.line_id, s.product_id, s.returned FROM workspace.sales_lines s
    WHERE s.tenant_id = @tenant_id AND s.order_id = o.id ORDER BY s.line_id LIMIT @most
) l
JOIN workspace.order_line_items i ON i.tenant_id = @tenant_id AND i.id = l.line_id
ORDER BY o.id, l.line_id;
