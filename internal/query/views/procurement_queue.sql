-- What to order, from stored rows, whatever the parameter $3 says: it is today.
SELECT r.recommendation_key, r.product_id, r.variant_external_id, r.sku, r.name, r.family, r.supplier_id, r.supplier_name, r.action, r.urgency,
    r.rank, r.margin_at_risk, r.blocked_reason, r.available, r.open_purchase_order_quantity, r.draft_quantity, r.overdue_quantity,
    r.next_arrival_date, r.last_arrival_date, r.demand_per_day, r.days_of_cover, r.days_of_cover_incl_open, r.lead_time_days,
    r.lead_time_source, r.safety_stock, r.reorder_point, r.target_stock, r.projected_stockout_date, r.order_by_date,
    r.earliest_arrival_date, r.late_by_days, r.raw_quantity, r.suggested_quantity, r.overbuy_quantity, r.unit_price, r.currency,
    r.line_cost, r.locked_by_line_id, r.suppressed_until, r.confidence,
    nullif(concat_ws(', ', r.data_gaps ->> 'failed_imports' || ' failed imports', r.data_gaps ->> 'unmatched_lines' || ' unmatched lines'), '') AS data_gaps,
    r.as_of, r.reason_text
FROM workspace.queue_rows r
WHERE r.tenant_id = $1::uuid AND r.workspace_id = $2::uuid AND ($4::text IN ('', 'all') OR r.product_id = $4)
  AND $3::date IS NOT NULL -- every parameter needs a use
