-- The last four complete weeks (a) of every family against the four before (b) and the same
-- four a year ago (y). Lines that match no article belong to no family. The spans are summed one by
-- one, each from a range of the index by week, which has all columns that are summed.
WITH setting AS (
    SELECT g.base_currency, workspace.week_of($3::date, g.week_start) AS running
    FROM workspace.sales_settings g
    WHERE g.tenant_id = $1::uuid AND g.workspace_id = $2::uuid
), recent AS (
    SELECT w.product_id, sum(w.lines) AS lines, sum(w.units - w.returned) AS units, sum(w.net) AS net
    FROM workspace.sales_weeks w
    WHERE w.tenant_id = $1::uuid AND w.workspace_id = $2::uuid AND w.product_id <> '*'
        AND w.week >= (SELECT g.running - 28 FROM setting g) AND w.week < (SELECT g.running FROM setting g)
    GROUP BY w.product_id
), before AS (
    SELECT w.product_id, sum(w.lines) AS lines, sum(w.units - w.returned) AS units, sum(w.net) AS net
    FROM workspace.sales_weeks w
    WHERE w.tenant_id = $1::uuid AND w.workspace_id = $2::uuid AND w.product_id <> '*'
        AND w.week >= (SELECT g.running - 56 FROM setting g) AND w.week < (SELECT g.running - 28 FROM setting g)
    GROUP BY w.product_id
), year_ago AS (
    SELECT w.product_id, sum(w.units - w.returned) AS units
    FROM workspace.sales_weeks w
    WHERE w.tenant_id = $1::uuid AND w.workspace_id = $2::uuid AND w.product_id <> '*'
        AND w.week >= (SELECT g.running - 28 - 364 FROM setting g) AND w.week < (SELECT g.running - 364 FROM setting g)
    GROUP BY w.product_id
), article AS (
    SELECT coalesce(nullif(p.family, ''), nullif(p.category, ''), 'Unassigned') AS family,
        coalesce(p.sku, p.external_id) AS code,
        p.id IS NOT NULL AND p.status IS DISTINCT FROM 'archived' AS kept,
        coalesce(p.id, s.product_id) AS product_id,
        coalesce(s.n_a, 0) AS n_a, coalesce(s.n_b, 0) AS n_b,
        coalesce(s.units_a, 0) AS units_a, coalesce(s.units_b, 0) AS units_b, coalesce(s.units_y, 0) AS units_y,
        coalesce(s.sales_a, 0) AS sales_a, coalesce(s.sales_b, 0) AS sales_b,
        e.days, e.empty
    FROM (
        SELECT p.id, p.family, p.category, p.sku, p.external_id, p.status
        FROM workspace.products p
        WHERE p.tenant_id = $1::uuid AND p.workspace_id = $2::uuid
    ) p
    FULL JOIN (
        SELECT product_id, a.lines AS n_a, b.lines AS n_b, a.units AS units_a, b.units AS units_b, y.units AS units_y,
            a.net AS sales_a, b.net AS sales_b
        FROM recent a FULL JOIN before b USING (product_id) FULL JOIN year_ago y USING (product_id)
    ) s ON s.product_id = p.id
    -- What explains a fall is missing stock of articles that sell.
    LEFT JOIN (
        SELECT r.product_id, sum(7 - greatest(0, r.first_sale - d.week)) AS days,
            sum(least(7 - greatest(0, r.first_sale - d.week),
                workspace.empty_days_of(d.week, r.first_week, r.empty_days, r.ends_empty, r.ends_on))) AS empty
        FROM workspace.sales_series r
        CROSS JOIN (SELECT g.running - 7 * n.ago AS week FROM setting g CROSS JOIN (VALUES (1), (2), (3), (4)) n (ago)) d
        WHERE r.tenant_id = $1::uuid AND r.workspace_id = $2::uuid AND r.first_week <= d.week
        GROUP BY r.product_id
    ) e ON e.product_id = s.product_id AND (s.n_a IS NOT NULL OR s.n_b IS NOT NULL)
), moved AS (
    SELECT family, string_agg(code || ' ' || to_char(change, 'SG') || trim_scale(abs(change)), ', ' ORDER BY place) AS words
    FROM (
        SELECT family, code, units_a - units_b AS change,
            row_number() OVER (PARTITION BY family ORDER BY abs(units_a - units_b) DESC, product_id) AS place
        FROM article
        WHERE units_a <> units_b AND code IS NOT NULL
    ) m
    WHERE place <= 3
    GROUP BY family
), total AS (
    SELECT family, count(*) FILTER (WHERE kept) AS products, count(*) FILTER (WHERE n_a > 0 AND product_id <> '') AS active,
        sum(n_a) AS n_a, sum(n_b) AS n_b, sum(units_a) AS units_a, sum(units_b) AS units_b, sum(units_y) AS units_y,
        sum(sales_a) AS sales_a, sum(sales_b) AS sales_b,
        round(100.0 * (sum(units_a) - sum(units_b)) / nullif(greatest(sum(units_b), 0), 0), 1) AS growth,
        (sum(n_a) - sum(n_b)) / sqrt(nullif(sum(n_a) + sum(n_b), 0)) AS z,
        sum(empty) / nullif(sum(days), 0) AS stockout
    FROM article
    GROUP BY family
    HAVING bool_or(kept) OR sum(n_a) + sum(n_b) > 0
), labelled AS (
    SELECT t.*, CASE
        WHEN n_a + n_b < 20 THEN 'insufficient'
        WHEN z >= 1.64 AND (growth >= 10 OR units_b <= 0 AND units_a > 0) THEN 'rising'
        WHEN z <= -1.64 AND growth <= -10 THEN 'falling'
        ELSE 'steady'
    END AS label
    FROM total t
)
SELECT CASE WHEN length(t.family) <= 300 THEN t.family ELSE left(t.family, 260) || md5(t.family) END COLLATE "C" AS key,
    t.family, t.products, t.active AS active_products,
    t.units_a AS units_4w, t.units_b AS units_prev_4w,
    CASE WHEN y.known THEN t.units_y END AS units_4w_ly,
    t.sales_a AS sales_4w, t.sales_b AS sales_prev_4w,
    t.growth AS growth_pct,
    CASE WHEN y.known THEN round(100.0 * (t.units_a - t.units_y) / nullif(greatest(t.units_y, 0), 0), 1) END AS yoy_pct,
    round(100.0 * t.sales_a / nullif(sum(t.sales_a) OVER (), 0), 1) AS share_pct,
    round(t.z, 2) AS z, t.label, round(t.stockout, 3) AS stockout_share,
    t.label = 'falling' AND coalesce(t.stockout > 0.2, false) AS warn,
    m.words AS top_movers, g.running - 7 AS as_of_week, g.base_currency
FROM labelled t
CROSS JOIN setting g
CROSS JOIN LATERAL (
    SELECT coalesce(min(w.week) <= g.running - 28 - 364, false) AS known
    FROM workspace.sales_weeks w
    WHERE w.tenant_id = $1::uuid AND w.workspace_id = $2::uuid AND w.product_id = '*'
) y
LEFT JOIN moved m ON m.family = t.family
