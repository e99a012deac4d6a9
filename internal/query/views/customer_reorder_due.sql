-- When customers are due to order again, from the days between their orders.
WITH bought AS (
    SELECT o.customer_id, o.order_id, o.day, o.net,
        row_number() OVER (PARTITION BY o.customer_id ORDER BY o.day DESC, o.order_id DESC) AS nth
    FROM workspace.sales_orders o
    WHERE o.tenant_id = $1::uuid AND o.workspace_id = $2::uuid AND o.customer_id IS NOT NULL AND o.day < $3::date
), buyer AS (
    SELECT customer_id, count(*) AS orders, min(day) AS first_day, max(day) AS last_day, sum(net) AS lifetime,
        round(avg(net) FILTER (WHERE nth <= 8), 2) AS expected
    FROM bought
    GROUP BY customer_id
), gap AS (
    SELECT customer_id, day - lag(day) OVER in_order AS days,
        row_number() OVER (PARTITION BY customer_id ORDER BY day DESC) AS newest,
        row_number() OVER in_order AS nth
    FROM (SELECT DISTINCT customer_id, day FROM bought) d
    WINDOW in_order AS (PARTITION BY customer_id ORDER BY day)
), habit AS (
    SELECT customer_id, min(days) FILTER (WHERE nth = 2) AS first_gap,
        count(days) FILTER (WHERE newest <= 8) AS k,
        (percentile_cont(0.5) WITHIN GROUP (ORDER BY days) FILTER (WHERE newest <= 8))::numeric AS median
    FROM gap
    GROUP BY customer_id
), basket AS (
    SELECT l.customer_id, l.product_id, l.lines, coalesce(p.sku, p.external_id) AS code,
        coalesce(nullif(p.family, ''), nullif(p.category, '')) AS family
    FROM (
        SELECT l.customer_id, l.product_id, count(*) AS lines
        FROM workspace.sales_lines l
        WHERE l.tenant_id = $1::uuid AND l.workspace_id = $2::uuid AND l.counts AND l.customer_id IS NOT NULL
            AND l.product_id <> '' AND l.day < $3::date
        GROUP BY l.customer_id, l.product_id
    ) l
    JOIN workspace.products p ON p.tenant_id = $1::uuid AND p.workspace_id = $2::uuid AND p.id = l.product_id
), main AS (
    SELECT DISTINCT ON (customer_id) customer_id, family
    FROM (SELECT customer_id, family, sum(lines) AS lines FROM basket WHERE family IS NOT NULL GROUP BY 1, 2) f
    ORDER BY customer_id, lines DESC, family COLLATE "C"
), usual AS (
    SELECT customer_id, string_agg(code, ', ' ORDER BY place) AS words
    FROM (
        SELECT customer_id, code, row_number() OVER (PARTITION BY customer_id ORDER BY lines DESC, product_id) AS place
        FROM basket
    ) b
    WHERE place <= 3
    GROUP BY customer_id
), scope AS ( -- the families, and all of them
    SELECT m.family, grouping(m.family) = 1 AS everybody, count(h.first_gap) AS repeats,
        percentile_cont(0.5) WITHIN GROUP (ORDER BY h.first_gap)::numeric AS prior,
        count(h.first_gap)::numeric / nullif(count(*), 0) AS repeat_rate
    FROM habit h
    LEFT JOIN main m USING (customer_id)
    GROUP BY GROUPING SETS ((m.family), ())
), judged AS (
    SELECT b.*, h.k, h.median, u.words,
        coalesce(f.repeat_rate, a.repeat_rate) AS repeat_rate,
        CASE WHEN f.family IS NOT NULL THEN 'family' WHEN a.repeats >= 20 THEN 'all' END AS scope,
        CASE WHEN f.family IS NOT NULL THEN f.prior WHEN a.repeats >= 20 THEN a.prior END AS prior
    FROM buyer b
    JOIN habit h USING (customer_id)
    JOIN scope a ON a.everybody
    LEFT JOIN main m USING (customer_id)
    LEFT JOIN scope f ON NOT f.everybody AND f.family = m.family AND f.repeats >= 20
    LEFT JOIN usual u USING (customer_id)
), paced AS (
    SELECT j.*, CASE
        WHEN prior IS NOT NULL THEN (k * coalesce(median, 0) + 2 * prior) / (k + 2)
        WHEN k >= 2 THEN median
    END AS cadence
    FROM judged j
), due AS (
    SELECT p.*, ($3::date - last_day) - cadence AS late, greatest(3, round(cadence / 4)) AS slack,
        last_day + round(cadence)::integer AS next_day
    FROM paced p
)
SELECT d.customer_id AS key, d.customer_id, coalesce(nullif(c.name, ''), nullif(c.company, ''), c.email, c.external_id) AS name,
    d.orders, d.first_day AS first_order_date, d.last_day AS last_order_date,
    trim_scale(d.median) AS median_gap_days, round(d.cadence, 1) AS cadence_days,
    CASE WHEN d.cadence IS NULL THEN NULL WHEN d.k = 0 THEN d.scope WHEN d.scope IS NULL THEN 'own' ELSE 'own and ' || d.scope END
        AS cadence_source,
    round(d.repeat_rate, 3) AS repeat_rate,
    d.next_day AS expected_next_date, $3::date - d.next_day AS days_overdue,
    CASE
        WHEN d.cadence IS NULL THEN NULL
        WHEN d.late < -d.slack THEN 'not_due'
        WHEN d.late <= d.slack THEN 'due'
        WHEN d.late <= 1.5 * d.cadence THEN 'overdue'
        ELSE 'lapsed'
    END AS status,
    CASE WHEN d.k >= 4 THEN 'high' WHEN d.k >= 2 THEN 'medium' ELSE 'low' END AS confidence,
    d.words AS usual_products, d.expected AS expected_value, d.lifetime AS lifetime_value, g.base_currency,
    CASE
        WHEN d.cadence IS NULL THEN 'Too few orders to say when the next one comes.'
        ELSE CASE
            WHEN d.k = 0 THEN 'One day with orders'
            ELSE format('Orders every %s days (median of the last %s)', trim_scale(d.median), d.k)
        END || CASE d.scope
            WHEN 'family' THEN format('; customers of the same family come back after %s days', trim_scale(d.prior))
            WHEN 'all' THEN format('; customers come back after %s days', trim_scale(d.prior))
            ELSE ''
        END || format('. Last on %s, next expected on %s, give or take %s days.', d.last_day, d.next_day, d.slack)
    END AS reason
FROM due d
LEFT JOIN workspace.customers c ON c.tenant_id = $1::uuid AND c.workspace_id = $2::uuid AND c.id = d.customer_id
LEFT JOIN workspace.sales_settings g ON g.tenant_id = $1::uuid AND g.workspace_id = $2::uuid
