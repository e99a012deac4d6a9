-- What every article will sell, from stored forecasts, which were not known before the day of
-- their computation; or from rows that were computed for an earlier day.
SELECT f.product_id, p.external_id AS variant_external_id, p.sku, p.name, p.family, f.first_sale_date, f.last_sale_date,
    f.exposure_days, f.stockout_days_84, f.units_28, f.units_84, f.units_365, f.velocity_raw, f.velocity, f.sigma_day,
    f.season_factor, f.season_strength, f.demand_per_day, f.trend_pct, f.demand_class, f.forecast_30, f.forecast_90,
    f.low_30, f.high_30, f.wape, f.wape_naive, f.wape_seasonal_naive, f.rmsse, f.bias, f.confidence, array_to_string(f.flags, ', ') AS flags
{{- if .Past}}
FROM json_populate_recordset(NULL::workspace.forecasts, $5::json) f
JOIN workspace.products p ON p.tenant_id = $1::uuid AND p.id = f.product_id
WHERE p.workspace_id = $2::uuid AND $3::date IS NOT NULL -- every parameter needs a use
{{- else}}
FROM workspace.forecasts f
JOIN workspace.forecast_state s ON s.tenant_id = f.tenant_id AND s.workspace_id = f.workspace_id
JOIN workspace.products p ON p.tenant_id = f.tenant_id AND p.id = f.product_id
WHERE f.tenant_id = $1::uuid AND f.workspace_id = $2::uuid AND ($3::date IS NULL OR s.as_of <= $3)
{{- end}}
  AND ($4::text IN ('', 'all') OR f.product_id = $4)
