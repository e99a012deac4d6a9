-- Sales by day and week. Every statement computes what it writes from the rows below it, so it
-- may run again at any time. All but the first three run while SalesLock is held.

-- Workspaces with something to compute.
-- name: SalesWork :many
SELECT w.tenant_id, w.id AS workspace_id, coalesce(c.oldest, now())::timestamptz AS oldest
FROM control.workspaces w LEFT JOIN workspace.sales_settings s ON s.tenant_id = w.tenant_id AND s.workspace_id = w.id
CROSS JOIN LATERAL (SELECT min(c.changed_at) AS oldest FROM workspace.sales_changed c
    WHERE c.tenant_id = w.tenant_id AND c.workspace_id = w.id) c
WHERE s.workspace_id IS NULL OR s.rebuilding IS NOT NULL OR s.rebuild_began_at < @reader_began_at::timestamptz
   OR s.time_zone <> w.time_zone OR s.week_start <> w.week_start OR s.base_currency <> w.base_currency
   OR c.oldest IS NOT NULL
ORDER BY w.tenant_id, w.id;

-- name: AnalyzeSales :one
SELECT workspace.analyze_sales()::integer AS tables;

-- name: MarkSalesChanged :exec
INSERT INTO workspace.sales_changed (tenant_id, workspace_id, slug, record_id, changed_at)
SELECT DISTINCT ON (c.tenant_id, c.workspace_id, c.slug, c.record_id) c.tenant_id, c.workspace_id, c.slug, c.record_id, c.changed_at
FROM (SELECT unnest(@tenants::uuid[]) AS tenant_id, unnest(@workspaces::uuid[]) AS workspace_id, unnest(@slugs::text[]) AS slug,
    unnest(@records::text[]) AS record_id, unnest(@changed::timestamptz[]) AS changed_at) c
ORDER BY c.tenant_id, c.workspace_id, c.slug, c.record_id, c.changed_at
ON CONFLICT DO NOTHING;

-- name: PostponeLines :exec
INSERT INTO workspace.sales_changed (tenant_id, workspace_id, slug, record_id, changed_at)
SELECT @tenant_id::uuid, @workspace_id::uuid, 'order_line_items', unnest(@lines::text[]), @changed_at::timestamptz ON CONFLICT DO NOTHING;

-- name: SalesState :one
SELECT least(r.read_to, min(c.changed_at))::timestamptz AS read_to,
    coalesce((SELECT s.rebuilding IS NOT NULL FROM workspace.sales_settings s
        WHERE s.tenant_id = @tenant_id AND s.workspace_id = @workspace_id), true)::boolean AS rebuilding,
    clock_timestamp()::timestamptz AS now
FROM control.readers r
LEFT JOIN workspace.sales_changed c ON c.tenant_id = @tenant_id AND c.workspace_id = @workspace_id
WHERE r.name = 'sales' GROUP BY r.read_to;

-- What is missing in the figures, from the totals of weeks: there are few of these, however many lines there are.
-- name: SalesGaps :one
SELECT coalesce((SELECT sum(w.lines) FROM workspace.sales_weeks w
        WHERE w.tenant_id = @tenant_id AND w.workspace_id = @workspace_id AND w.product_id = ''), 0)::bigint AS unmatched,
    coalesce((SELECT sum(w.unconverted) FROM workspace.sales_weeks w
        WHERE w.tenant_id = @tenant_id AND w.workspace_id = @workspace_id AND w.product_id = '*'), 0)::bigint AS unconverted,
    (SELECT count(*) FROM (SELECT FROM workspace.sales_lines l WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id
        AND l.left_out IS NOT NULL LIMIT 10000) o)::bigint AS left_out, -- it stops there
    f.as_of AS demand_as_of, f.computed_at AS demand_computed_at
FROM (SELECT 1) one
LEFT JOIN workspace.forecast_state f ON f.tenant_id = @tenant_id AND f.workspace_id = @workspace_id;

-- How many sales of articles are left out because they cannot be true.
-- name: CountLeftOut :many
SELECT l.product_id, count(*) AS lines FROM workspace.sales_lines l
WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.product_id = ANY (@products::text[]) AND l.left_out IS NOT NULL
GROUP BY l.product_id ORDER BY l.product_id;

-- The currencies of lines without a rate, of the newest weeks that have some. It reads a bounded number of lines.
-- name: UnconvertedCurrencies :many
SELECT DISTINCT coalesce(i.currency, o.currency)::text AS currency
FROM (SELECT a.week FROM workspace.sales_weeks a
      WHERE a.tenant_id = @tenant_id AND a.workspace_id = @workspace_id AND a.product_id = '*' AND a.unconverted > 0
      ORDER BY a.week DESC LIMIT 4) w
CROSS JOIN LATERAL (SELECT p.product_id FROM workspace.sales_weeks p
    WHERE p.tenant_id = @tenant_id AND p.workspace_id = @workspace_id AND p.week = w.week AND p.product_id <> '*'
      AND p.unconverted > 0 LIMIT 50) p
CROSS JOIN LATERAL (SELECT l.line_id, l.order_id FROM workspace.sales_lines l
    WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.product_id = p.product_id
      AND l.day >= w.week AND l.day < w.week + 7 AND l.counts AND l.net IS NULL LIMIT 10) l
JOIN workspace.order_line_items i ON i.tenant_id = @tenant_id AND i.id = l.line_id
JOIN workspace.orders o ON o.tenant_id = @tenant_id AND o.id = l.order_id
ORDER BY 1;

-- name: SalesLock :one
SELECT pg_try_advisory_xact_lock(hashtextextended((@workspace_id::uuid)::text, 33))::boolean AS got;

-- The statements below are lookups for a batch, whatever the planner knows about the tables: in a
-- new database it takes them for empty and would read them whole for each key. So the joins that
-- it may not turn round are lateral or scalar, and rows are deleted by their places.
-- name: SalesPlans :exec
SELECT set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
    set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true);

-- name: GetSalesSettings :one
SELECT w.time_zone, w.week_start, w.base_currency, coalesce(s.rebuilding, '')::text AS rebuilding,
    coalesce(s.rebuilt_to, '')::text AS rebuilt_to,
    (s.workspace_id IS NULL OR s.rebuild_began_at < @reader_began_at::timestamptz OR s.time_zone <> w.time_zone
        OR s.week_start <> w.week_start OR s.base_currency <> w.base_currency)::boolean AS outdated
FROM control.workspaces w LEFT JOIN workspace.sales_settings s ON s.tenant_id = w.tenant_id AND s.workspace_id = w.id
WHERE w.tenant_id = @tenant_id AND w.id = @workspace_id;

-- name: StartSalesRebuild :exec
INSERT INTO workspace.sales_settings AS s
    (tenant_id, workspace_id, time_zone, week_start, base_currency, rebuild_began_at, rebuilding, rebuilt_to)
SELECT w.tenant_id, w.id, w.time_zone, w.week_start, w.base_currency, clock_timestamp(), 'lines', ''
FROM control.workspaces w WHERE w.tenant_id = @tenant_id AND w.id = @workspace_id
ON CONFLICT (tenant_id, workspace_id) DO UPDATE
SET time_zone = excluded.time_zone, week_start = excluded.week_start, base_currency = excluded.base_currency,
    rebuild_began_at = excluded.rebuild_began_at, rebuilding = excluded.rebuilding, rebuilt_to = excluded.rebuilt_to;

-- name: MoveSalesRebuild :exec
UPDATE workspace.sales_settings SET rebuilding = nullif(@rebuilding::text, ''), rebuilt_to = @rebuilt_to
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id;

-- name: LinesAfter :many
SELECT id FROM workspace.order_line_items
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id > @after ORDER BY id LIMIT @most;

-- name: ProductsAfter :many
SELECT id FROM workspace.products
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id > @after ORDER BY id LIMIT @most;

-- name: CustomersAfter :many
SELECT DISTINCT o.customer_id::text AS id FROM workspace.sales_orders o
WHERE o.tenant_id = @tenant_id AND o.workspace_id = @workspace_id AND o.customer_id > @after::text ORDER BY id LIMIT @most;

-- Whoever marks a record again waits until these are gone, so the change is seen by the
-- statements below.
-- name: TakeSalesChanges :many
DELETE FROM workspace.sales_changed d WHERE d.ctid = ANY (ARRAY(
    SELECT c.ctid FROM workspace.sales_changed c
    WHERE c.tenant_id = @tenant_id AND c.workspace_id = @workspace_id ORDER BY c.changed_at LIMIT @most))
RETURNING d.slug, d.record_id, d.changed_at;

-- What lines were matched with these articles by.
-- name: ArticleKeys :many
SELECT product_id, external_id, sku, family FROM workspace.sales_series
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND product_id = ANY (@products::text[]);

-- Returns the articles that are matched by something else now, or belong to another family.
-- name: RefreshArticleKeys :many
INSERT INTO workspace.sales_series AS s (tenant_id, workspace_id, product_id, external_id, sku, family, archived)
SELECT p.tenant_id, p.workspace_id, p.id, p.external_id, p.sku, coalesce(nullif(p.family, ''), nullif(p.category, '')),
    p.status IS NOT DISTINCT FROM 'archived'
FROM workspace.products p
WHERE p.tenant_id = @tenant_id AND p.workspace_id = @workspace_id AND p.id = ANY (@products::text[])
ON CONFLICT (tenant_id, workspace_id, product_id) DO UPDATE
SET external_id = excluded.external_id, sku = excluded.sku, family = excluded.family, archived = excluded.archived
WHERE (s.external_id, s.sku, s.family, s.archived) IS DISTINCT FROM (excluded.external_id, excluded.sku, excluded.family, excluded.archived)
RETURNING s.product_id, s.external_id, s.sku, s.family;

-- Forgets those of these articles that were merged into others, and returns what lines were matched with them by.
-- name: ForgetArticles :many
WITH gone AS (
    SELECT k.id FROM (SELECT unnest(@products::text[]) AS id) k
    WHERE (SELECT 1 FROM workspace.products p WHERE p.tenant_id = @tenant_id AND p.id = k.id LIMIT 1) IS NULL
), counts AS (
    DELETE FROM workspace.stock_days d USING gone g WHERE d.tenant_id = @tenant_id AND d.workspace_id = @workspace_id AND d.product_id = g.id
), demand AS (
    DELETE FROM workspace.forecasts f USING gone g WHERE f.tenant_id = @tenant_id AND f.workspace_id = @workspace_id AND f.product_id = g.id
), series AS (
    DELETE FROM workspace.sales_series s USING gone g
    WHERE s.tenant_id = @tenant_id AND s.workspace_id = @workspace_id AND s.product_id = g.id
    RETURNING s.product_id, s.sku
)
SELECT g.id::text AS product_id, s.sku FROM gone g LEFT JOIN series s ON s.product_id = g.id;

-- Who bought articles. Their figures are as old as the change of the article.
-- name: MarkCustomers :exec
INSERT INTO workspace.sales_changed (tenant_id, workspace_id, slug, record_id, changed_at)
SELECT DISTINCT @tenant_id::uuid, @workspace_id::uuid, 'customers', l.customer_id, @changed_at::timestamptz
FROM (SELECT unnest(@products::text[]) AS product_id) k
CROSS JOIN LATERAL (SELECT l.customer_id FROM workspace.sales_lines l WHERE l.tenant_id = @tenant_id
    AND l.workspace_id = @workspace_id AND l.product_id = k.product_id AND l.counts AND l.customer_id IS NOT NULL OFFSET 0) l
ON CONFLICT DO NOTHING;

-- name: LinesOrdered :many
SELECT line_id FROM workspace.sales_lines WHERE tenant_id = @tenant_id AND order_id = ANY (@orders::text[]);

-- Lines that name one of these variants or SKUs instead of a product, and lines of articles that were merged.
-- name: LinesTouched :many
SELECT v.line_id FROM workspace.sales_lines v
WHERE v.tenant_id = @tenant_id AND v.workspace_id = @workspace_id AND v.variant_external_id = ANY (@variants::text[])
UNION
SELECT k.line_id FROM workspace.sales_lines k
WHERE k.tenant_id = @tenant_id AND k.workspace_id = @workspace_id AND k.sku = ANY (@skus::text[])
UNION
SELECT c.line_id FROM workspace.sales_lines c
WHERE c.tenant_id = @tenant_id AND c.workspace_id = @workspace_id AND c.product_id = ANY (@merged::text[]) AND c.counts
UNION
SELECT d.line_id FROM workspace.sales_lines d
WHERE d.tenant_id = @tenant_id AND d.workspace_id = @workspace_id AND d.product_id = ANY (@merged::text[]) AND d.left_out IS NOT NULL;

-- name: LineKeys :many
SELECT line_id, order_id, product_id, customer_id, day, week FROM workspace.sales_lines
WHERE tenant_id = @tenant_id AND line_id = ANY (@lines::text[]);

-- Returns the lines that changed. A line whose order has not arrived is left out; it is linked,
-- and so changed, when the order arrives. A sale whose day, quantity or amount cannot be true does not count, and
-- says why. An order is known since it was last written, and a day of cancelling that cannot be true cancels none. What was sold of an article that was merged is of the other one.
-- Lines are matched by the keys of articles that are noted in sales_series, not by those of this moment: what RefreshArticleKeys
-- and ForgetArticles return is then all that lines were ever matched by.
-- name: RefreshLines :many
INSERT INTO workspace.sales_lines AS s (tenant_id, workspace_id, line_id, order_id, product_id, customer_id, day, week, counts,
    left_out, units, returned, gross, discount, net, variant_external_id, sku)
SELECT l.tenant_id, l.workspace_id, l.id, o.id, coalesce(merged.product_id, l.product_id, v.id, k.id, ''), o.customer_id, d.day,
    workspace.week_of(d.day, @week_start::integer), c.sold AND c.doubt IS NULL, CASE WHEN c.sold THEN c.doubt END,
    trim_scale(l.quantity), trim_scale(l.quantity - n.units), trim_scale(m.gross), trim_scale(m.discount), trim_scale(m.net),
    CASE WHEN l.product_id IS NULL THEN l.variant_external_id END, CASE WHEN l.product_id IS NULL THEN l.sku END
FROM workspace.order_line_items l
CROSS JOIN LATERAL (
    SELECT h.id, h.customer_id, h.ordered_at, h.status, h.cancelled_at, h.is_test, h.currency, h.total, h.base_total, h.base_currency, h.updated_at
    FROM workspace.orders h WHERE h.tenant_id = l.tenant_id AND h.id = l.order_id LIMIT 1) o
CROSS JOIN LATERAL (SELECT (o.ordered_at AT TIME ZONE @time_zone::text)::date AS day, (o.updated_at AT TIME ZONE @time_zone::text)::date AS known) d
CROSS JOIN LATERAL (SELECT workspace.plausible_day((o.cancelled_at AT TIME ZONE @time_zone::text)::date, d.known) AS cancelled) x
CROSS JOIN LATERAL (SELECT coalesce(l.current_quantity, l.quantity - coalesce(l.returned_quantity, 0)) AS units) n
CROSS JOIN LATERAL (SELECT CASE
    WHEN coalesce(l.currency, o.currency) = o.currency AND o.base_total * o.total > 0
        AND coalesce(o.base_currency, @base_currency::text) = @base_currency::text THEN o.base_total / o.total
    WHEN coalesce(l.currency, o.currency) = @base_currency::text THEN 1 END AS rate) r
CROSS JOIN LATERAL (SELECT round(l.unit_price * l.quantity * r.rate, 6) AS gross, round(coalesce(l.discount_amount, 0) * r.rate, 6) AS discount,
    round((l.unit_price * l.quantity - coalesce(l.discount_amount, 0)) * r.rate
        * CASE WHEN l.quantity = 0 THEN 0 ELSE n.units / l.quantity END, 6) AS net) m
CROSS JOIN LATERAL (SELECT
    o.status NOT IN ('cancelled', 'draft', 'failed') AND x.cancelled IS NOT TRUE AND o.is_test IS NOT TRUE AND l.is_gift_card IS NOT TRUE AS sold,
    CASE WHEN NOT workspace.plausible_day(d.day, d.known) THEN 'day'
        WHEN NOT (workspace.plausible(l.quantity) AND workspace.plausible(n.units)) THEN 'quantity'
        WHEN NOT (workspace.plausible(m.gross) AND workspace.plausible(m.discount) AND workspace.plausible(m.net)) THEN 'amount' END AS doubt) c
LEFT JOIN LATERAL (SELECT a.product_id FROM workspace.article_aliases a
    WHERE a.tenant_id = l.tenant_id AND a.name = l.product_id LIMIT 1) merged ON true
LEFT JOIN LATERAL (SELECT p.product_id AS id FROM workspace.sales_series p
    WHERE l.product_id IS NULL AND p.tenant_id = l.tenant_id AND p.workspace_id = l.workspace_id
      AND p.external_id = l.variant_external_id LIMIT 1) v ON true
LEFT JOIN LATERAL (SELECT min(p.product_id) AS id FROM workspace.sales_series p
    WHERE l.product_id IS NULL AND v.id IS NULL AND p.tenant_id = l.tenant_id AND p.workspace_id = l.workspace_id
      AND p.sku = l.sku AND NOT p.archived HAVING count(*) = 1) k ON true
WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.id = ANY (@lines::text[])
ON CONFLICT (tenant_id, line_id) DO UPDATE
SET order_id = excluded.order_id, product_id = excluded.product_id, customer_id = excluded.customer_id, day = excluded.day,
    week = excluded.week, counts = excluded.counts, left_out = excluded.left_out, units = excluded.units, returned = excluded.returned,
    gross = excluded.gross, discount = excluded.discount, net = excluded.net,
    variant_external_id = excluded.variant_external_id, sku = excluded.sku
WHERE (s.order_id, s.product_id, s.customer_id, s.day, s.week, s.counts, s.left_out, s.units, s.returned, s.gross, s.discount, s.net,
        s.variant_external_id, s.sku)
    IS DISTINCT FROM (excluded.order_id, excluded.product_id, excluded.customer_id, excluded.day, excluded.week, excluded.counts,
        excluded.left_out, excluded.units, excluded.returned, excluded.gross, excluded.discount, excluded.net,
        excluded.variant_external_id, excluded.sku)
RETURNING s.line_id, s.order_id, s.product_id, s.customer_id, s.day, s.week;

-- name: RefreshOrders :exec
INSERT INTO workspace.sales_orders AS s (tenant_id, workspace_id, order_id, customer_id, day, week, net)
SELECT @tenant_id, @workspace_id, k.order_id, f.customer_id, f.day, f.week, f.net
FROM (SELECT unnest(@orders::text[]) AS order_id) k
CROSS JOIN LATERAL (
    SELECT max(l.customer_id) AS customer_id, max(l.day) AS day, max(l.week) AS week, sum(l.net) AS net
    FROM workspace.sales_lines l WHERE l.tenant_id = @tenant_id AND l.order_id = k.order_id AND l.counts
) f
WHERE f.day IS NOT NULL
ON CONFLICT (tenant_id, order_id) DO UPDATE
SET customer_id = excluded.customer_id, day = excluded.day, week = excluded.week, net = excluded.net
WHERE (s.customer_id, s.day, s.week, s.net) IS DISTINCT FROM (excluded.customer_id, excluded.day, excluded.week, excluded.net);

-- name: DropOrders :exec
DELETE FROM workspace.sales_orders s
WHERE s.tenant_id = @tenant_id AND s.order_id = ANY (@orders::text[])
  AND (SELECT 1 FROM workspace.sales_lines l WHERE l.tenant_id = @tenant_id AND l.order_id = s.order_id AND l.counts LIMIT 1) IS NULL;

-- name: RefreshDays :exec
INSERT INTO workspace.sales_days AS s (tenant_id, workspace_id, product_id, day, lines, units, returned, net)
SELECT @tenant_id, @workspace_id, k.product_id, k.day, f.lines, f.units, f.returned, f.net
FROM (SELECT unnest(@products::text[]) AS product_id, unnest(@days::date[]) AS day) k
CROSS JOIN LATERAL (
    SELECT count(*) AS lines, sum(l.units) AS units, sum(l.returned) AS returned, coalesce(sum(l.net), 0) AS net
    FROM workspace.sales_lines l
    WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.product_id = k.product_id AND l.day = k.day AND l.counts
) f
WHERE f.lines > 0
ON CONFLICT (tenant_id, workspace_id, product_id, day) DO UPDATE
SET lines = excluded.lines, units = excluded.units, returned = excluded.returned, net = excluded.net
WHERE (s.lines, s.units, s.returned, s.net) IS DISTINCT FROM (excluded.lines, excluded.units, excluded.returned, excluded.net);

-- name: DropDays :exec
DELETE FROM workspace.sales_days WHERE ctid = ANY (ARRAY(
    SELECT s.ctid FROM (SELECT unnest(@products::text[]) AS product_id, unnest(@days::date[]) AS day) k
    CROSS JOIN LATERAL (SELECT d.ctid FROM workspace.sales_days d WHERE d.tenant_id = @tenant_id AND d.workspace_id = @workspace_id
        AND d.product_id = k.product_id AND d.day = k.day LIMIT 1) s
    WHERE (SELECT 1 FROM workspace.sales_lines l WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id
        AND l.product_id = k.product_id AND l.day = k.day AND l.counts LIMIT 1) IS NULL));

-- name: RefreshWeeks :exec
INSERT INTO workspace.sales_weeks AS s (tenant_id, workspace_id, product_id, week, lines, orders, customers, units, returned,
    gross, discount, net, unconverted)
SELECT @tenant_id, @workspace_id, k.product_id, k.week, f.lines, f.orders, f.customers, f.units, f.returned,
    f.gross, f.discount, f.net, f.unconverted
FROM (SELECT unnest(@products::text[]) AS product_id, unnest(@weeks::date[]) AS week) k
CROSS JOIN LATERAL (
    SELECT count(*) AS lines, count(DISTINCT l.order_id) AS orders, count(DISTINCT l.customer_id) AS customers,
        sum(l.units) AS units, sum(l.returned) AS returned, coalesce(sum(l.gross), 0) AS gross,
        coalesce(sum(l.discount), 0) AS discount, coalesce(sum(l.net), 0) AS net, count(*) FILTER (WHERE l.net IS NULL) AS unconverted
    FROM workspace.sales_lines l
    WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.product_id = k.product_id
      AND l.day >= k.week AND l.day < k.week + 7 AND l.counts
) f
WHERE f.lines > 0 AND k.week = workspace.week_of(k.week, @week_start::integer)
ON CONFLICT (tenant_id, workspace_id, product_id, week) DO UPDATE
SET lines = excluded.lines, orders = excluded.orders, customers = excluded.customers, units = excluded.units,
    returned = excluded.returned, gross = excluded.gross, discount = excluded.discount, net = excluded.net,
    unconverted = excluded.unconverted
WHERE (s.lines, s.orders, s.customers, s.units, s.returned, s.gross, s.discount, s.net, s.unconverted)
    IS DISTINCT FROM (excluded.lines, excluded.orders, excluded.customers, excluded.units, excluded.returned, excluded.gross,
        excluded.discount, excluded.net, excluded.unconverted);

-- If weeks start on another day now, the old weeks go although they have lines.
-- name: DropWeeks :exec
DELETE FROM workspace.sales_weeks WHERE ctid = ANY (ARRAY(
    SELECT s.ctid FROM (SELECT unnest(@products::text[]) AS product_id, unnest(@weeks::date[]) AS week) k
    CROSS JOIN LATERAL (SELECT w.ctid FROM workspace.sales_weeks w WHERE w.tenant_id = @tenant_id AND w.workspace_id = @workspace_id
        AND w.product_id = k.product_id AND w.week = k.week LIMIT 1) s
    WHERE k.week <> workspace.week_of(k.week, @week_start::integer)
       OR (SELECT 1 FROM workspace.sales_lines l WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id
           AND l.product_id = k.product_id AND l.day >= k.week AND l.day < k.week + 7 AND l.counts LIMIT 1) IS NULL));

-- name: RefreshTotals :exec
INSERT INTO workspace.sales_weeks AS s (tenant_id, workspace_id, product_id, week, lines, orders, customers, units, returned,
    gross, discount, net, unconverted)
SELECT @tenant_id, @workspace_id, '*', k.week, f.lines, o.orders, o.customers, f.units, f.returned,
    f.gross, f.discount, f.net, f.unconverted
FROM (SELECT unnest(@weeks::date[]) AS week) k
CROSS JOIN LATERAL (
    SELECT sum(w.lines) AS lines, sum(w.units) AS units, sum(w.returned) AS returned, sum(w.gross) AS gross,
        sum(w.discount) AS discount, sum(w.net) AS net, sum(w.unconverted) AS unconverted
    FROM workspace.sales_weeks w
    WHERE w.tenant_id = @tenant_id AND w.workspace_id = @workspace_id AND w.week = k.week AND w.product_id <> '*'
) f
CROSS JOIN LATERAL (
    SELECT count(*) AS orders, count(DISTINCT o.customer_id) AS customers FROM workspace.sales_orders o
    WHERE o.tenant_id = @tenant_id AND o.workspace_id = @workspace_id AND o.week = k.week
) o
WHERE f.lines > 0
ON CONFLICT (tenant_id, workspace_id, product_id, week) DO UPDATE
SET lines = excluded.lines, orders = excluded.orders, customers = excluded.customers, units = excluded.units,
    returned = excluded.returned, gross = excluded.gross, discount = excluded.discount, net = excluded.net,
    unconverted = excluded.unconverted
WHERE (s.lines, s.orders, s.customers, s.units, s.returned, s.gross, s.discount, s.net, s.unconverted)
    IS DISTINCT FROM (excluded.lines, excluded.orders, excluded.customers, excluded.units, excluded.returned, excluded.gross,
        excluded.discount, excluded.net, excluded.unconverted);

-- name: DropTotals :exec
DELETE FROM workspace.sales_weeks s
WHERE s.tenant_id = @tenant_id AND s.workspace_id = @workspace_id AND s.product_id = '*' AND s.week = ANY (@weeks::date[])
  AND (SELECT 1 FROM workspace.sales_weeks w WHERE w.tenant_id = @tenant_id AND w.workspace_id = @workspace_id
      AND w.week = s.week AND w.product_id <> '*' LIMIT 1) IS NULL;

-- A row depends on the orders up to its day, so of a customer's rows those since a given day are
-- computed. What is usual comes from the last 50 orders: it follows the customer, and costs no more
-- however often one bought.
-- name: RefreshCustomers :exec
INSERT INTO workspace.sales_customers AS s (tenant_id, workspace_id, customer_id, day, until, orders, first_day, first_gap, gaps,
    median_gap, expected, lifetime, family, usual)
SELECT @tenant_id, @workspace_id, k.customer_id, h.day, h.until, h.orders, h.first_day, h.first_gap, coalesce(cardinality(h.gaps), 0),
    (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY g.days) FROM unnest(h.gaps) g (days))::numeric, round(h.expected, 2), h.lifetime,
    b.family, b.usual
FROM (SELECT unnest(@customers::text[]) AS customer_id, unnest(@days::date[]) AS since) k
CROSS JOIN LATERAL (
    SELECT d.day, d.expected, coalesce(lead(d.day) OVER so_far, 'infinity') AS until, sum(d.orders) OVER so_far AS orders,
        sum(d.net) OVER so_far AS lifetime, first_value(d.day) OVER so_far AS first_day,
        nth_value(d.day, 2) OVER so_far - first_value(d.day) OVER so_far AS first_gap,
        array_agg(d.gap) FILTER (WHERE d.gap IS NOT NULL) OVER (ORDER BY d.day ROWS 7 PRECEDING) AS gaps
    FROM (
        SELECT o.day, count(*) AS orders, sum(o.net) AS net, o.day - lag(o.day) OVER (ORDER BY o.day) AS gap,
            (array_agg(o.expected ORDER BY o.order_id DESC))[1] AS expected
        FROM (SELECT o.day, o.order_id, o.net, avg(o.net) OVER (ORDER BY o.day, o.order_id ROWS 7 PRECEDING) AS expected
            FROM workspace.sales_orders o
            WHERE o.tenant_id = @tenant_id AND o.workspace_id = @workspace_id AND o.customer_id = k.customer_id) o
        GROUP BY o.day
    ) d
    WINDOW so_far AS (ORDER BY d.day)
) h
CROSS JOIN LATERAL (
    SELECT (array_agg(x.family ORDER BY x.family_lines DESC, x.family COLLATE "C") FILTER (WHERE x.family IS NOT NULL))[1] AS family,
        string_agg(x.code, ', ' ORDER BY x.place) FILTER (WHERE x.place <= 3) AS usual
    FROM (
        SELECT p.code, p.family, sum(l.lines) OVER (PARTITION BY p.family) AS family_lines,
            row_number() OVER (ORDER BY l.lines DESC, l.product_id) AS place
        FROM (
            SELECT l.product_id, count(*) AS lines
            FROM (SELECT o.order_id FROM workspace.sales_orders o
                WHERE o.tenant_id = @tenant_id AND o.workspace_id = @workspace_id AND o.customer_id = k.customer_id AND o.day <= h.day
                ORDER BY o.day DESC, o.order_id DESC LIMIT 50) o
            CROSS JOIN LATERAL (SELECT l.product_id FROM workspace.sales_lines l
                WHERE l.tenant_id = @tenant_id AND l.order_id = o.order_id AND l.counts AND l.product_id <> '' OFFSET 0) l
            GROUP BY l.product_id
        ) l
        CROSS JOIN LATERAL (SELECT coalesce(p.sku, p.external_id) AS code, coalesce(nullif(p.family, ''), nullif(p.category, '')) AS family
            FROM workspace.products p WHERE p.tenant_id = @tenant_id AND p.workspace_id = @workspace_id AND p.id = l.product_id LIMIT 1) p
    ) x
) b
WHERE h.day >= k.since
ON CONFLICT (tenant_id, workspace_id, customer_id, day) DO UPDATE
SET until = excluded.until, orders = excluded.orders, first_day = excluded.first_day, first_gap = excluded.first_gap,
    gaps = excluded.gaps, median_gap = excluded.median_gap, expected = excluded.expected, lifetime = excluded.lifetime,
    family = excluded.family, usual = excluded.usual
WHERE (s.until, s.orders, s.first_day, s.first_gap, s.gaps, s.median_gap, s.expected, s.lifetime, s.family, s.usual)
    IS DISTINCT FROM (excluded.until, excluded.orders, excluded.first_day, excluded.first_gap, excluded.gaps, excluded.median_gap,
        excluded.expected, excluded.lifetime, excluded.family, excluded.usual);

-- Of the row before these days only the end may have moved.
-- name: EndCustomers :exec
UPDATE workspace.sales_customers s SET until = e.until
FROM (
    SELECT k.customer_id, b.day, coalesce(n.day, 'infinity') AS until
    FROM (SELECT unnest(@customers::text[]) AS customer_id, unnest(@days::date[]) AS since) k
    CROSS JOIN LATERAL (SELECT c.day, c.until FROM workspace.sales_customers c WHERE c.tenant_id = @tenant_id
        AND c.workspace_id = @workspace_id AND c.customer_id = k.customer_id AND c.day < k.since ORDER BY c.day DESC LIMIT 1) b
    CROSS JOIN LATERAL (SELECT min(o.day) AS day FROM workspace.sales_orders o WHERE o.tenant_id = @tenant_id
        AND o.workspace_id = @workspace_id AND o.customer_id = k.customer_id AND o.day >= k.since) n
    WHERE b.until <> coalesce(n.day, 'infinity')
) e
WHERE s.tenant_id = @tenant_id AND s.workspace_id = @workspace_id AND s.customer_id = e.customer_id AND s.day = e.day;

-- name: DropCustomers :exec
DELETE FROM workspace.sales_customers WHERE ctid = ANY (ARRAY(
    SELECT c.ctid FROM (SELECT unnest(@customers::text[]) AS customer_id, unnest(@days::date[]) AS since) k
    CROSS JOIN LATERAL (SELECT c.ctid, c.day FROM workspace.sales_customers c WHERE c.tenant_id = @tenant_id
        AND c.workspace_id = @workspace_id AND c.customer_id = k.customer_id AND c.day >= k.since OFFSET 0) c
    WHERE (SELECT 1 FROM workspace.sales_orders o WHERE o.tenant_id = @tenant_id AND o.workspace_id = @workspace_id
        AND o.customer_id = k.customer_id AND o.day = c.day LIMIT 1) IS NULL));

-- A rebuild counts stock again as far back as the stock history goes, and keeps what is older. A count of a day
-- that cannot be true does not say how far that is.
-- name: ForgetStock :exec
DELETE FROM workspace.stock_days d
WHERE d.tenant_id = @tenant_id AND d.workspace_id = @workspace_id AND d.product_id = ANY (@products::text[])
  AND d.closed_at >= (SELECT min(h.observed_at) FROM workspace.stock_history h
      WHERE h.tenant_id = @tenant_id AND h.product_id = d.product_id AND workspace.plausible_day(h.observed_at::date, now()::date));

-- name: ForgetStockVersions :exec
UPDATE workspace.sales_series SET stock_version = 0
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND product_id = ANY (@products::text[]) AND stock_version > 0;

-- Counts are merged in any order: a day is available if one of its counts is, and closes with
-- its last. Counts of a day that cannot be true are passed over.
-- name: MergeStock :exec
WITH news AS (
    SELECT h.product_id, h.version, h.observed_at, (h.observed_at AT TIME ZONE @time_zone::text)::date AS day,
        coalesce(h.stock_available, h.stock_on_hand) AS stock
    FROM (SELECT unnest(@products::text[]) AS product_id) k
    CROSS JOIN LATERAL (SELECT s.stock_version FROM workspace.sales_series s WHERE s.tenant_id = @tenant_id
        AND s.workspace_id = @workspace_id AND s.product_id = k.product_id LIMIT 1) s
    CROSS JOIN LATERAL (SELECT h.product_id, h.version, h.observed_at, h.stock_available, h.stock_on_hand
        FROM workspace.stock_history h WHERE h.tenant_id = @tenant_id AND h.product_id = k.product_id
        AND h.version > s.stock_version OFFSET 0) h
), merged AS (
    INSERT INTO workspace.stock_days AS d (tenant_id, workspace_id, product_id, day, available, closing, closed_at, version)
    SELECT @tenant_id, @workspace_id, n.product_id, n.day, bool_or(n.stock > 0 OR n.stock IS NULL),
        trim_scale((array_agg(n.stock ORDER BY n.observed_at DESC, n.version DESC))[1]),
        max(n.observed_at), (array_agg(n.version ORDER BY n.observed_at DESC, n.version DESC))[1]
    FROM news n WHERE workspace.plausible_day(n.day, (now() AT TIME ZONE @time_zone::text)::date)
    GROUP BY n.product_id, n.day
    ON CONFLICT (tenant_id, workspace_id, product_id, day) DO UPDATE
    SET available = d.available OR excluded.available,
        closing = CASE WHEN (excluded.closed_at, excluded.version) > (d.closed_at, d.version) THEN excluded.closing ELSE d.closing END,
        version = CASE WHEN (excluded.closed_at, excluded.version) > (d.closed_at, d.version) THEN excluded.version ELSE d.version END,
        closed_at = greatest(excluded.closed_at, d.closed_at)
)
INSERT INTO workspace.sales_series (tenant_id, workspace_id, product_id, stock_version)
SELECT @tenant_id, @workspace_id, n.product_id, max(n.version) FROM news n GROUP BY n.product_id
ON CONFLICT (tenant_id, workspace_id, product_id) DO UPDATE SET stock_version = excluded.stock_version;

-- A day is empty if it began without stock, none was counted, and nothing was sold. Days before
-- the first count are not empty.
-- name: RefreshSeries :exec
INSERT INTO workspace.sales_series AS s (tenant_id, workspace_id, product_id, first_sale, last_sale, first_week, units, empty_days,
    counted_from, ends_empty, ends_on)
SELECT @tenant_id, @workspace_id, k.product_id, sold.first_sale, sold.last_sale, sold.first_week, f.units, f.empty_days,
    counted.counted_from, counted.ends_empty, ends.ends_on
FROM (SELECT unnest(@products::text[]) AS product_id) k
CROSS JOIN LATERAL (
    SELECT min(d.day) AS first_sale, max(d.day) AS last_sale, workspace.week_of(min(d.day), @week_start::integer) AS first_week
    FROM workspace.sales_days d
    WHERE d.tenant_id = @tenant_id AND d.workspace_id = @workspace_id AND d.product_id = k.product_id
) sold
CROSS JOIN LATERAL (
    SELECT min(d.day) AS counted_from, max(d.day) AS counted_to,
        coalesce((array_agg(d.closing ORDER BY d.day DESC))[1] <= 0, false) AS ends_empty
    FROM workspace.stock_days d
    WHERE d.tenant_id = @tenant_id AND d.workspace_id = @workspace_id AND d.product_id = k.product_id
) counted
CROSS JOIN LATERAL (SELECT greatest(sold.last_sale, counted.counted_to) AS ends_on) ends
CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(y.units ORDER BY y.week), '{}')::numeric[] AS units,
        coalesce(array_agg(y.empty ORDER BY y.week), '{}')::integer[] AS empty_days
    FROM (
        SELECT x.week, sum(x.units) AS units, sum(x.empty) AS empty
        FROM (
            SELECT generate_series(sold.first_week, ends.ends_on, interval '7 days')::date AS week, 0::numeric AS units, 0 AS empty
            UNION ALL
            SELECT w.week, w.units - w.returned, 0 FROM workspace.sales_weeks w
            WHERE w.tenant_id = @tenant_id AND w.workspace_id = @workspace_id AND w.product_id = k.product_id
            UNION ALL
            SELECT workspace.week_of(e.day, @week_start::integer), 0, 1
            FROM (
                SELECT generate_series(greatest(c.day + 1, sold.first_sale), CASE WHEN c.next_day IS NULL THEN ends.ends_on
                    WHEN c.next_available THEN c.next_day - 1 ELSE c.next_day END, interval '1 day')::date AS day
                FROM (
                    SELECT d.day, d.closing, lead(d.day) OVER (ORDER BY d.day) AS next_day,
                        lead(d.available) OVER (ORDER BY d.day) AS next_available
                    FROM workspace.stock_days d
                    WHERE d.tenant_id = @tenant_id AND d.workspace_id = @workspace_id AND d.product_id = k.product_id
                ) c
                WHERE c.closing <= 0
            ) e
            WHERE sold.first_sale IS NOT NULL
              AND (SELECT 1 FROM workspace.sales_days d WHERE d.tenant_id = @tenant_id AND d.workspace_id = @workspace_id
                  AND d.product_id = k.product_id AND d.day = e.day LIMIT 1) IS NULL
        ) x
        GROUP BY x.week
    ) y
) f
WHERE (SELECT 1 FROM workspace.products p WHERE p.tenant_id = @tenant_id AND p.id = k.product_id LIMIT 1) IS NOT NULL
ON CONFLICT (tenant_id, workspace_id, product_id) DO UPDATE
SET first_sale = excluded.first_sale, last_sale = excluded.last_sale, first_week = excluded.first_week, units = excluded.units,
    empty_days = excluded.empty_days, counted_from = excluded.counted_from, ends_empty = excluded.ends_empty, ends_on = excluded.ends_on
WHERE (s.first_sale, s.last_sale, s.first_week, s.units, s.empty_days, s.counted_from, s.ends_empty, s.ends_on)
    IS DISTINCT FROM (excluded.first_sale, excluded.last_sale, excluded.first_week, excluded.units, excluded.empty_days,
        excluded.counted_from, excluded.ends_empty, excluded.ends_on);

-- What no line stands behind, after a rebuild.
-- name: DropStrayDays :exec
DELETE FROM workspace.sales_days s WHERE s.tenant_id = @tenant_id AND s.workspace_id = @workspace_id
  AND (SELECT 1 FROM workspace.sales_lines l WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id
      AND l.product_id = s.product_id AND l.day = s.day AND l.counts LIMIT 1) IS NULL;

-- name: DropStrayWeeks :exec
DELETE FROM workspace.sales_weeks s WHERE s.tenant_id = @tenant_id AND s.workspace_id = @workspace_id AND s.product_id <> '*'
  AND (s.week <> workspace.week_of(s.week, @week_start::integer)
       OR (SELECT 1 FROM workspace.sales_lines l WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id
           AND l.product_id = s.product_id AND l.day >= s.week AND l.day < s.week + 7 AND l.counts LIMIT 1) IS NULL);

-- name: DropStrayCustomers :exec
DELETE FROM workspace.sales_customers s WHERE s.tenant_id = @tenant_id AND s.workspace_id = @workspace_id
  AND (SELECT 1 FROM workspace.sales_orders o WHERE o.tenant_id = @tenant_id AND o.workspace_id = @workspace_id
      AND o.customer_id = s.customer_id AND o.day = s.day LIMIT 1) IS NULL;

-- name: SalesWeeks :many
SELECT DISTINCT week FROM workspace.sales_weeks WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id;
