-- How the demand of families varies over the year, from stored forecasts or from rows that were
-- computed for an earlier day; of the family of one article, or of all families and of all
-- articles together (ALL).
SELECT f.family || '.' || lpad(m.month::text, 2, '0') COLLATE "C" AS key,
    CASE f.family WHEN '' THEN 'ALL' ELSE f.family END AS scope, m.month::integer AS month, m.raw_index, m.index,
    m.years, m.units, f.strength, f.strength_reason,
    CASE WHEN m.years >= 2 AND m.units >= 240 THEN 'high' WHEN m.units >= 60 THEN 'medium' ELSE 'low' END AS confidence
{{- if .Past}}
FROM json_populate_recordset(NULL::workspace.forecast_families, $5::json) f
{{- else}}
FROM workspace.forecast_families f
JOIN workspace.forecast_state s ON s.tenant_id = f.tenant_id AND s.workspace_id = f.workspace_id
{{- end}}
CROSS JOIN LATERAL unnest(f.raw_index, f.index, f.years, f.units) WITH ORDINALITY AS m(raw_index, index, years, units, month)
WHERE {{if .Past}}$2::uuid IS NOT NULL AND $3::date IS NOT NULL -- every parameter needs a use
{{- else}}f.tenant_id = $1::uuid AND f.workspace_id = $2::uuid AND ($3::date IS NULL OR s.as_of <= $3)
{{- end}}
  AND ($4::text IN ('', 'all') OR f.family <> '' AND f.family = (
      SELECT p.family FROM workspace.products p WHERE p.tenant_id = $1::uuid AND p.id = $4))
