-- How the demand of families varies over the year, from stored forecasts: $1 tenant, $2 workspace,
-- $3 as of which day (a day before the stored figures were known has none), $4 one article, whose
-- family is meant, or null for all families and for all articles together (ALL).
SELECT CASE f.family WHEN '' THEN 'ALL' ELSE f.family END AS scope, m.month::integer AS month, m.raw_index, m.index,
    m.years, m.units, f.strength, f.strength_reason,
    CASE WHEN m.years >= 2 AND m.units >= 240 THEN 'high' WHEN m.units >= 60 THEN 'medium' ELSE 'low' END AS confidence
FROM workspace.forecast_families f
JOIN workspace.forecast_state s ON s.tenant_id = f.tenant_id AND s.workspace_id = f.workspace_id
CROSS JOIN LATERAL unnest(f.raw_index, f.index, f.years, f.units) WITH ORDINALITY AS m(raw_index, index, years, units, month)
WHERE f.tenant_id = $1 AND f.workspace_id = $2 AND ($3::date IS NULL OR s.as_of <= $3)
  AND ($4::text IS NULL OR f.family <> '' AND f.family = (SELECT p.family FROM workspace.products p WHERE p.tenant_id = $1 AND p.id = $4))
