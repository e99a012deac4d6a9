-- The lines that count and match no article now, ordered up to the day $3 itself: what is missing
-- today should be seen today.
-- A page reads a range of the index of an article's days.
SELECT l.line_id, l.order_id, l.day, i.name, l.sku, l.variant_external_id, l.units - l.returned AS units_net, l.net AS net_sales,
    (SELECT g.base_currency FROM workspace.sales_settings g
        WHERE g.tenant_id = $1::uuid AND g.workspace_id = $2::uuid) AS base_currency
FROM workspace.sales_lines l
LEFT JOIN workspace.order_line_items i ON i.tenant_id = l.tenant_id AND i.id = l.line_id
WHERE l.tenant_id = $1::uuid AND l.workspace_id = $2::uuid AND l.product_id = '' AND l.counts AND l.day <= $3::date
