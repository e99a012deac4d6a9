-- When customers are due to order again, from the days between their orders: one stored row per
-- customer, that of the last day with an order before $3. There is no WITH query around it, so
-- that what is only shown is computed for the rows of a page.
SELECT b.customer_id AS key, b.customer_id,
    (SELECT coalesce(nullif(c.name, ''), nullif(c.company, ''), c.email, c.external_id) FROM workspace.customers c
        WHERE c.tenant_id = $1::uuid AND c.workspace_id = $2::uuid AND c.id = b.customer_id) AS name,
    b.orders, b.first_day AS first_order_date, b.day AS last_order_date,
    trim_scale(b.median_gap) AS median_gap_days, round(p.cadence, 1) AS cadence_days,
    CASE WHEN p.cadence IS NULL THEN NULL WHEN b.gaps = 0 THEN l.scope WHEN l.scope IS NULL THEN 'own' ELSE 'own and ' || l.scope END
        AS cadence_source,
    round(l.repeat_rate, 3) AS repeat_rate,
    d.next_day AS expected_next_date, $3::date - d.next_day AS days_overdue,
    CASE
        WHEN p.cadence IS NULL THEN NULL
        WHEN d.late < -d.slack THEN 'not_due'
        WHEN d.late <= d.slack THEN 'due'
        WHEN d.late <= 1.5 * p.cadence THEN 'overdue'
        ELSE 'lapsed'
    END AS status,
    CASE WHEN b.gaps >= 4 THEN 'high' WHEN b.gaps >= 2 THEN 'medium' ELSE 'low' END AS confidence,
    b.usual AS usual_products, b.expected AS expected_value, b.lifetime AS lifetime_value,
    (SELECT g.base_currency FROM workspace.sales_settings g WHERE g.tenant_id = $1::uuid AND g.workspace_id = $2::uuid) AS base_currency,
    CASE
        WHEN p.cadence IS NULL THEN 'Too few orders to say when the next one comes.'
        ELSE CASE
            WHEN b.gaps = 0 THEN 'One day with orders'
            ELSE format('Orders every %s days (median of the last %s)', trim_scale(b.median_gap), b.gaps)
        END || CASE l.scope
            WHEN 'family' THEN format('; customers of the same family come back after %s days', trim_scale(l.prior))
            WHEN 'all' THEN format('; customers come back after %s days', trim_scale(l.prior))
            ELSE ''
        END || format('. Last on %s, next expected on %s, give or take %s days.', b.day, d.next_day, d.slack)
    END AS reason
FROM workspace.sales_customers b
CROSS JOIN (
    SELECT count(c.first_gap) AS repeats, percentile_cont(0.5) WITHIN GROUP (ORDER BY c.first_gap)::numeric AS prior,
        count(c.first_gap)::numeric / nullif(count(*), 0) AS repeat_rate
    FROM workspace.sales_customers c
    WHERE c.tenant_id = $1::uuid AND c.workspace_id = $2::uuid AND c.until >= $3::date AND c.day < $3::date
) a
LEFT JOIN (
    SELECT c.family, percentile_cont(0.5) WITHIN GROUP (ORDER BY c.first_gap)::numeric AS prior,
        count(c.first_gap)::numeric / count(*) AS repeat_rate
    FROM workspace.sales_customers c
    WHERE c.tenant_id = $1::uuid AND c.workspace_id = $2::uuid AND c.until >= $3::date AND c.day < $3::date
    GROUP BY c.family
    HAVING count(c.first_gap) >= 20
) f ON f.family = b.family
CROSS JOIN LATERAL (
    SELECT coalesce(f.repeat_rate, a.repeat_rate) AS repeat_rate,
        CASE WHEN f.family IS NOT NULL THEN 'family' WHEN a.repeats >= 20 THEN 'all' END AS scope,
        CASE WHEN f.family IS NOT NULL THEN f.prior WHEN a.repeats >= 20 THEN a.prior END AS prior
) l
CROSS JOIN LATERAL (
    SELECT CASE
        WHEN l.prior IS NOT NULL THEN (b.gaps * coalesce(b.median_gap, 0) + 2 * l.prior) / (b.gaps + 2)
        WHEN b.gaps >= 2 THEN b.median_gap
    END AS cadence
) p
CROSS JOIN LATERAL (
    SELECT ($3::date - b.day) - p.cadence AS late, greatest(3, round(p.cadence / 4)) AS slack,
        b.day + round(p.cadence)::integer AS next_day
) d
WHERE b.tenant_id = $1::uuid AND b.workspace_id = $2::uuid AND b.until >= $3::date AND b.day < $3::date
