-- When customers are due to order again, from the days between their orders: one stored row per
-- customer, that of the last day with an order before $3. There is no WITH query around it, so
-- that what is only shown is computed for the rows of a page. Names are looked up for these rows
-- too, unless all of them are needed for a filter or the order.
--
-- A cadence is the fraction p.twice / p.parts of whole numbers: numeric would compute the same days,
-- but it is slow for all customers.
SELECT b.customer_id AS key, b.customer_id,
{{- if .Joined}}
    coalesce(nullif(c.name, ''), nullif(c.company, ''), c.email, c.external_id) AS name,
{{- else}}
    (SELECT coalesce(nullif(c.name, ''), nullif(c.company, ''), c.email, c.external_id) FROM workspace.customers c
        WHERE c.tenant_id = $1::uuid AND c.workspace_id = $2::uuid AND c.id = b.customer_id) AS name,
{{- end}}
    b.orders, b.first_day AS first_order_date, b.day AS last_order_date,
    trim_scale(b.median_gap) AS median_gap_days, round(p.twice::numeric / p.parts, 1) AS cadence_days,
    CASE WHEN p.parts IS NULL THEN NULL WHEN b.gaps = 0 THEN l.scope WHEN l.scope IS NULL THEN 'own' ELSE 'own and ' || l.scope END
        AS cadence_source,
    round(l.repeat_rate, 3) AS repeat_rate,
    d.next_day AS expected_next_date, $3::date - d.next_day AS days_overdue,
    CASE
        WHEN p.parts IS NULL THEN NULL
        WHEN (d.days + d.slack) * p.parts < p.twice THEN 'not_due'
        WHEN (d.days - d.slack) * p.parts <= p.twice THEN 'due'
        WHEN 2 * d.days * p.parts <= 5 * p.twice THEN 'overdue'
        ELSE 'lapsed'
    END AS status,
    CASE WHEN b.gaps >= 4 THEN 'high' WHEN b.gaps >= 2 THEN 'medium' ELSE 'low' END AS confidence,
    b.usual AS usual_products, b.expected AS expected_value, b.lifetime AS lifetime_value,
    (SELECT g.base_currency FROM workspace.sales_settings g WHERE g.tenant_id = $1::uuid AND g.workspace_id = $2::uuid) AS base_currency,
    CASE
        WHEN p.parts IS NULL THEN 'Too few orders to say when the next one comes.'
        ELSE CASE
            WHEN b.gaps = 0 THEN 'One day with orders'
            ELSE format('Orders every %s days (median of the last %s)', trim_scale(b.median_gap), b.gaps)
        END || CASE l.scope
            WHEN 'family' THEN format('; customers of the same family come back after %s days', trim_scale(l.twice_prior / 2.0))
            WHEN 'all' THEN format('; customers come back after %s days', trim_scale(l.twice_prior / 2.0))
            ELSE ''
        END || format('. Last on %s, next expected on %s, give or take %s days.', b.day, d.next_day, d.slack)
    END AS reason
FROM workspace.sales_customers b
JOIN (
    -- The median first span of each family, or of everybody if fewer than 20 of its customers came
    -- back. Customers are counted by their span first, so that medians need no sorting of customers.
    WITH spans AS (
        SELECT coalesce(c.family, '') AS family, c.first_gap AS days, count(*) AS customers
        FROM workspace.sales_customers c
        WHERE c.tenant_id = $1::uuid AND c.workspace_id = $2::uuid AND c.until >= $3::date AND c.day < $3::date
        GROUP BY 1, 2
    ), placed AS (
        SELECT s.everyone, s.family, s.days, sum(s.customers) OVER whole AS customers,
            coalesce(sum(s.customers) FILTER (WHERE s.days IS NOT NULL) OVER whole, 0) AS repeats,
            sum(s.customers) FILTER (WHERE s.days IS NOT NULL) OVER (whole ORDER BY s.days) AS reached
        FROM (
            SELECT grouping(s.family) = 1 AS everyone, s.family, s.days, sum(s.customers) AS customers
            FROM spans s
            GROUP BY GROUPING SETS ((s.family, s.days), (s.days))
        ) s
        WINDOW whole AS (PARTITION BY s.everyone, s.family)
    ), scope AS (
        -- The two spans in the middle; they are the same one if the number is odd.
        SELECT p.everyone, p.family, p.repeats, p.repeats / p.customers AS repeat_rate,
            min(p.days) FILTER (WHERE 2 * p.reached >= p.repeats)::bigint
                + min(p.days) FILTER (WHERE 2 * p.reached > p.repeats) AS twice_median
        FROM placed p
        GROUP BY p.everyone, p.family, p.repeats, p.customers
    )
    SELECT f.family, CASE WHEN m.own THEN 'family' WHEN a.repeats >= 20 THEN 'all' END AS scope,
        CASE WHEN m.own THEN f.repeat_rate ELSE a.repeat_rate END AS repeat_rate,
        CASE WHEN m.own THEN f.twice_median WHEN a.repeats >= 20 THEN a.twice_median END AS twice_prior
    FROM scope f
    CROSS JOIN (SELECT s.repeats, s.repeat_rate, s.twice_median FROM scope s WHERE s.everyone LIMIT 1) a
    CROSS JOIN LATERAL (SELECT f.family <> '' AND f.repeats >= 20 AS own) m
    WHERE NOT f.everyone
) l ON l.family = coalesce(b.family, '')
CROSS JOIN LATERAL (
    SELECT CASE WHEN l.twice_prior IS NOT NULL THEN b.twice_gaps + 2 * l.twice_prior WHEN b.gaps >= 2 THEN b.twice_gaps END AS twice,
        CASE WHEN l.twice_prior IS NOT NULL THEN 2 * b.gaps + 4 WHEN b.gaps >= 2 THEN 2 * b.gaps END AS parts
) p
CROSS JOIN LATERAL (
    SELECT ($3::date - b.day)::bigint AS days, greatest(3, (p.twice + 2 * p.parts) / (4 * p.parts)) AS slack,
        b.day + ((2 * p.twice + p.parts) / (2 * p.parts))::integer AS next_day
) d
{{- if .Joined}}
LEFT JOIN workspace.customers c ON c.tenant_id = $1::uuid AND c.workspace_id = $2::uuid AND c.id = b.customer_id
{{- end}}
WHERE b.tenant_id = $1::uuid AND b.workspace_id = $2::uuid AND b.until >= $3::date AND b.day < $3::date
