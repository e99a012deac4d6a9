-- What to order, from stored rows, whatever the parameter $3 says: it is today. The budget is not in
-- them: $5 is what is left of it. The rule is that of purchase.BudgetLeft.Covers, for a row that no
-- line answers yet.
SELECT r.recommendation_key, r.product_id, r.variant_external_id, r.sku, r.name, r.family, r.supplier_id, r.supplier_name, r.action, r.urgency,
    r.rank, r.margin_at_risk,
    CASE WHEN coalesce(r.blocked_reason, 'suppressed') = 'suppressed' AND r.locked_by_line_id IS NULL AND b.sum IS NOT NULL
        AND (r.line_cost IS NULL OR coalesce(r.currency, '') NOT IN ('', b.currency) OR r.line_cost > b.sum)
        THEN 'over_budget' ELSE r.blocked_reason END AS blocked_reason,
    r.available, r.open_purchase_order_quantity, r.draft_quantity, r.overdue_quantity,
    r.next_arrival_date, r.last_arrival_date, r.demand_per_day, r.days_of_cover, r.days_of_cover_incl_open, r.lead_time_days,
    r.lead_time_source, r.safety_stock, r.reorder_point, r.target_stock, r.projected_stockout_date, r.order_by_date,
    r.earliest_arrival_date, r.late_by_days, r.raw_quantity, r.suggested_quantity, r.overbuy_quantity, r.unit_price, r.currency,
    r.line_cost, r.locked_by_line_id, r.suppressed_until, r.confidence,
    nullif(concat_ws(', ', r.data_gaps ->> 'failed_imports' || ' failed imports', r.data_gaps ->> 'unmatched_lines' || ' unmatched lines'), '') AS data_gaps,
    r.as_of, r.reason_text
FROM workspace.queue_rows r
CROSS JOIN (SELECT ($5::jsonb ->> 'left')::numeric AS sum, $5::jsonb ->> 'currency' AS currency) b
WHERE r.tenant_id = $1::uuid AND r.workspace_id = $2::uuid AND ($4::text IN ('', 'all') OR r.product_id = $4)
  AND $3::date IS NOT NULL -- every parameter needs a use
