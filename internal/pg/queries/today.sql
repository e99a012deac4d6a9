-- How many failed imports are open. The count stops at the given maximum.
-- name: CountOpenImports :one
SELECT count(*) FROM (
    SELECT FROM workspace.failed_imports
    WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND status = 'open' LIMIT @most
) f;

-- Refused orders of which nothing is stored. A bounded number of refused records is read, and only
-- those of a usual size: together they must fit into memory, for everybody who looks at once.
-- name: ListMissingOrders :many
SELECT f.id, coalesce(f.record_key, '')::text AS record_key, f.last_seen_at, f.payload
FROM (
    SELECT i.id, i.record_key, i.last_seen_at, i.payload FROM workspace.failed_imports i
    WHERE i.tenant_id = @tenant_id AND i.workspace_id = @workspace_id AND i.status = 'open' AND i.slug = 'orders'
      AND octet_length(i.payload) <= @most_bytes::bigint
    LIMIT @most
) f
WHERE f.record_key IS NULL OR NOT EXISTS (
    SELECT FROM workspace.orders o WHERE o.tenant_id = @tenant_id AND o.external_id = f.record_key);

-- The first sale of the kept sales, and the week of a day. No row while these are not complete.
-- name: GetSalesStart :one
SELECT s.base_currency, f.day::date AS first_day, workspace.week_of(@day::date, s.week_start::integer)::date AS week
FROM workspace.sales_settings s
CROSS JOIN LATERAL (
    SELECT min(o.day) AS day FROM workspace.sales_orders o
    WHERE o.tenant_id = @tenant_id AND o.workspace_id = @workspace_id AND o.week = (
        SELECT w.week FROM workspace.sales_orders w
        WHERE w.tenant_id = @tenant_id AND w.workspace_id = @workspace_id ORDER BY w.week LIMIT 1)
) f
WHERE s.tenant_id = @tenant_id AND s.workspace_id = @workspace_id AND s.rebuilding IS NULL AND f.day IS NOT NULL;

-- What was sold on each of some days, of which the weeks are given too: orders are found by these.
-- name: SumSalesOfDays :many
SELECT d.day::date AS day, o.orders, o.net
FROM (SELECT unnest(@days::date[]) AS day, unnest(@weeks::date[]) AS week) d
CROSS JOIN LATERAL (
    SELECT count(*) AS orders, coalesce(sum(s.net), 0)::numeric AS net FROM workspace.sales_orders s
    WHERE s.tenant_id = @tenant_id AND s.workspace_id = @workspace_id AND s.week = d.week AND s.day = d.day
) o
ORDER BY d.day DESC;

-- Sales of some days that are in no figure, because they cannot be true.
-- name: CountLeftOutOfDays :one
SELECT count(*) FROM workspace.sales_lines l
WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.day = ANY (@days::date[]) AND l.left_out IS NOT NULL;

-- Lines of a day that are in no amount, as their currency has no rate.
-- name: CountUnconvertedLines :one
SELECT count(*) FROM workspace.sales_orders s
JOIN workspace.sales_lines l ON l.tenant_id = @tenant_id AND l.order_id = s.order_id
WHERE s.tenant_id = @tenant_id AND s.workspace_id = @workspace_id AND s.week = @week AND s.day = @day AND l.counts AND l.net IS NULL;
