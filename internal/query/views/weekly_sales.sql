-- Sales by week: of everything together ($4 is empty), of one article, or of every article. The
-- first two have a row for every week from the first sale to the running one; the last only has
-- weeks with a sale, so that a page reads a range of an index. For that its weeks are a plain
-- SELECT from one table: behind a WITH query, a join or a UNION the planner would not see the
-- index's order.
SELECT CASE WHEN w.product_id = '*' THEN w.week::text ELSE w.week || '.' || w.product_id END COLLATE "C" AS key,
    w.week AS week_start,
    CASE WHEN w.week_start = 1 THEN to_char(w.week, 'IYYY"-W"IW') ELSE w.week::text END AS week_label,
    nullif(w.product_id, '*') AS product_id,
    p.family,
    f.orders, f.customers,
    f.units AS units_gross, f.returned AS units_returned, f.units - f.returned AS units_net,
    f.gross AS gross_sales, f.discount AS discounts, f.net AS net_sales, w.base_currency, f.unconverted,
    -- Lines without a rate are in the units but not in the money.
    CASE WHEN f.unconverted = 0 THEN round(f.net / nullif(f.units - f.returned, 0), 4) END AS avg_price,
    (
        -- Looked up for the rows of a page only.
        SELECT CASE
            WHEN w.week = w.running THEN (
                -- In stock: a sale that day, or something available at some time of it. Without a
                -- count the last one goes on; before the first, stock is unknown.
                SELECT count(*)
                FROM generate_series(greatest(s.first_sale, w.week)::timestamp, $3::date - interval '1 day', '1 day') d (at)
                LEFT JOIN workspace.stock_days c ON c.tenant_id = $1::uuid AND c.workspace_id = $2::uuid
                    AND c.product_id = w.product_id AND c.day = d.at::date
                LEFT JOIN LATERAL (
                    SELECT coalesce(b.closing > 0, true) AS open
                    FROM workspace.stock_days b
                    WHERE b.tenant_id = $1::uuid AND b.workspace_id = $2::uuid AND b.product_id = w.product_id AND b.day < d.at::date
                    ORDER BY b.day DESC LIMIT 1
                ) b ON true
                WHERE coalesce(c.available, b.open IS NULL) OR coalesce(b.open, false) OR EXISTS (
                    SELECT FROM workspace.sales_days l
                    WHERE l.tenant_id = $1::uuid AND l.workspace_id = $2::uuid AND l.product_id = w.product_id AND l.day = d.at::date)
            )
            -- Days before the first sale do not count.
            ELSE greatest(0, 7 - greatest(0, s.first_sale - w.week)
                - workspace.empty_days_of(w.week, s.first_week, s.empty_days, s.ends_empty, s.ends_on))
        END
        FROM workspace.sales_series s
        WHERE s.tenant_id = $1::uuid AND s.workspace_id = $2::uuid AND s.product_id = w.product_id AND w.product_id <> '*'
    ) AS in_stock_days,
    least(7, $3::date - w.week) AS days_elapsed,
    w.week < w.running AS is_complete,
    f.unmatched AS unmatched_lines
FROM (
{{- if .Every}}
    SELECT w.product_id, w.week, NULL::bigint AS unmatched,
        (SELECT g.week_start FROM workspace.sales_settings g
            WHERE g.tenant_id = $1::uuid AND g.workspace_id = $2::uuid) AS week_start,
        (SELECT g.base_currency FROM workspace.sales_settings g
            WHERE g.tenant_id = $1::uuid AND g.workspace_id = $2::uuid) AS base_currency,
        (SELECT workspace.week_of($3::date, g.week_start) FROM workspace.sales_settings g
            WHERE g.tenant_id = $1::uuid AND g.workspace_id = $2::uuid) AS running,
        w.orders, w.customers, w.units, w.returned, w.gross, w.discount, w.net, w.unconverted
    FROM workspace.sales_weeks w
    WHERE $4::text = 'all' AND w.tenant_id = $1::uuid AND w.workspace_id = $2::uuid
        AND w.product_id > '*' -- the lines without an article are '', the total is '*'
        AND w.week <= $3::date
{{- else}}
    SELECT coalesce(nullif($4::text, ''), '*') AS product_id, d.week::date AS week,
        CASE WHEN $4::text = '' THEN coalesce(n.lines, 0) END AS unmatched,
        g.week_start, g.base_currency, g.running,
        coalesce(w.orders, 0) AS orders, coalesce(w.customers, 0) AS customers, coalesce(w.units, 0) AS units,
        coalesce(w.returned, 0) AS returned, coalesce(w.gross, 0) AS gross, coalesce(w.discount, 0) AS discount,
        coalesce(w.net, 0) AS net, coalesce(w.unconverted, 0) AS unconverted
    FROM (
        SELECT g.week_start, g.base_currency, workspace.week_of($3::date, g.week_start) AS running
        FROM workspace.sales_settings g
        WHERE g.tenant_id = $1::uuid AND g.workspace_id = $2::uuid
    ) g
    CROSS JOIN LATERAL (
        SELECT min(a.week) AS week
        FROM workspace.sales_weeks a
        WHERE a.tenant_id = $1::uuid AND a.workspace_id = $2::uuid AND a.product_id = coalesce(nullif($4::text, ''), '*')
    ) a
    CROSS JOIN LATERAL generate_series(a.week::timestamp, g.running::timestamp, '7 days') d (week)
    LEFT JOIN workspace.sales_weeks w ON w.tenant_id = $1::uuid AND w.workspace_id = $2::uuid
        AND w.product_id = coalesce(nullif($4::text, ''), '*') AND w.week = d.week::date
    LEFT JOIN workspace.sales_weeks n ON n.tenant_id = $1::uuid AND n.workspace_id = $2::uuid
        AND n.product_id = '' AND n.week = d.week::date
{{- end}}
) w
CROSS JOIN LATERAL (
    SELECT w.orders, w.customers, w.units, w.returned, w.gross, w.discount, w.net, w.unconverted, w.unmatched
    WHERE w.week < w.running
    UNION ALL
    -- The running week has the sales up to the day before.
    SELECT count(DISTINCT l.order_id), count(DISTINCT l.customer_id), coalesce(sum(l.units), 0),
        coalesce(sum(l.returned), 0), coalesce(sum(l.gross), 0), coalesce(sum(l.discount), 0), coalesce(sum(l.net), 0),
        count(*) FILTER (WHERE l.net IS NULL),
        CASE WHEN $4::text = '' THEN count(*) FILTER (WHERE l.product_id = '') END
    FROM (
        SELECT l.order_id, l.customer_id, l.product_id, l.units, l.returned, l.gross, l.discount, l.net
        FROM workspace.sales_lines l
        WHERE $4::text <> '' AND l.tenant_id = $1::uuid AND l.workspace_id = $2::uuid AND l.product_id = w.product_id
            AND l.counts AND l.day >= w.week AND l.day < $3::date AND w.week = w.running
{{- if .Every}}
    ) l
    GROUP BY l.product_id -- so that a week without lines has no row, and costs nothing
{{- else}}
        UNION ALL
        SELECT l.order_id, l.customer_id, l.product_id, l.units, l.returned, l.gross, l.discount, l.net
        FROM workspace.sales_orders o
        -- OFFSET keeps the planner from reading all lines that there ever were instead of a week's.
        CROSS JOIN LATERAL (SELECT l.* FROM workspace.sales_lines l
            WHERE l.tenant_id = o.tenant_id AND l.order_id = o.order_id OFFSET 0) l
        WHERE $4::text = '' AND o.tenant_id = $1::uuid AND o.workspace_id = $2::uuid AND o.week = w.week AND o.day < $3::date
            AND l.counts AND l.day < $3::date AND w.week = w.running
    ) l
    -- A week in which nothing was sold is left out before the first sale.
    HAVING w.week = w.running AND (count(*) > 0 OR EXISTS (
        SELECT FROM workspace.sales_weeks a
        WHERE a.tenant_id = $1::uuid AND a.workspace_id = $2::uuid AND a.product_id = w.product_id AND a.week < w.week))
{{- end}}
) f
LEFT JOIN workspace.products p ON p.tenant_id = $1::uuid AND p.id = w.product_id AND p.workspace_id = $2::uuid
