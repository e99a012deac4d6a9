-- The track record of the queue.

-- Keeps that these articles' rows ask for an order. It writes once a day: rows that asked today
-- already are left alone.
-- name: KeepAsked :exec
INSERT INTO workspace.suggestions AS s (tenant_id, recommendation_key, first_on, workspace_id, product_id, supplier_id, urgency,
    suggested_quantity, safety_stock, unit_price, currency, lead_time_days, projected_stockout_date, until, last_on, judged_on)
SELECT r.tenant_id, r.recommendation_key, r.as_of, r.workspace_id, r.product_id, r.supplier_id, r.urgency,
    r.suggested_quantity, r.safety_stock, r.unit_price, r.currency, r.lead_time_days, r.projected_stockout_date, a.until, r.as_of, r.as_of
FROM (SELECT unnest(@products::text[]) AS product_id, unnest(@untils::date[]) AS until) a
JOIN workspace.queue_rows r ON r.tenant_id = @tenant_id AND r.workspace_id = @workspace_id AND r.product_id = a.product_id
WHERE NOT EXISTS (SELECT FROM workspace.suggestions o
    WHERE o.tenant_id = r.tenant_id AND o.recommendation_key = r.recommendation_key AND NOT o.closed AND o.last_on >= r.as_of)
ON CONFLICT (tenant_id, recommendation_key) WHERE NOT closed DO UPDATE SET last_on = excluded.last_on;

-- Workspaces with suggestions that were not judged since the day of their queue began.
-- name: FindUnjudged :many
SELECT q.tenant_id, q.workspace_id FROM workspace.queue_state q
WHERE EXISTS (SELECT FROM workspace.suggestions s
    WHERE s.tenant_id = q.tenant_id AND s.workspace_id = q.workspace_id AND NOT s.closed AND s.judged_on < q.as_of)
ORDER BY q.tenant_id, q.workspace_id;

-- Takes suggestions to judge until the transaction ends. What others have taken is left out.
-- name: TakeUnjudged :many
SELECT s.recommendation_key, s.first_on, s.product_id, s.supplier_id, s.suggested_quantity, s.safety_stock, s.lead_time_days, s.until,
    s.last_on, coalesce(p.sku, '')::text AS sku
FROM workspace.suggestions s
LEFT JOIN workspace.products p ON p.tenant_id = s.tenant_id AND p.id = s.product_id
WHERE s.tenant_id = @tenant_id AND s.workspace_id = @workspace_id AND NOT s.closed AND s.judged_on < @today::date
ORDER BY s.judged_on, s.recommendation_key LIMIT @most
FOR UPDATE OF s SKIP LOCKED;

-- The lines that were drafted for keys, with what was suggested then.
-- name: ReadAnswers :many
SELECT l.recommendation_key::text AS recommendation_key, l.id, l.status, l.quantity_ordered, l.price_per_unit, l.currency, l.supplier_id,
    timezone(@time_zone::text, coalesce(l.ordered_at, l.created_at))::date AS ordered_on, l.created_by_user_id, l.created_by_agent_id,
    k.suggested_quantity
FROM workspace.purchase_order_lines l
LEFT JOIN workspace.line_suggestions k ON k.tenant_id = l.tenant_id AND k.line_id = l.id
WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.recommendation_key = ANY (@keys::text[])
ORDER BY l.recommendation_key, l.id;

-- Decisions not to order what keys name, which nobody took back, oldest first.
-- name: ReadRefusals :many
SELECT s.recommendation_key, s.kind, s.since, s.actor
FROM workspace.suppressions s
WHERE s.tenant_id = @tenant_id AND s.workspace_id = @workspace_id AND s.product_id = ANY (@products::text[])
  AND s.recommendation_key = ANY (@keys::text[]) AND s.lifted_at IS NULL AND s.kind <> 'short'
ORDER BY s.recommendation_key, s.created_at, s.id;

-- The counts of articles' stock between two days, and the last one before.
-- name: ReadCounts :many
SELECT a.key::text AS key, d.day, d.available, d.closing, d.closed_at
FROM (SELECT unnest(@keys::text[]) AS key, unnest(@products::text[]) AS product_id, unnest(@froms::date[]) AS from_day,
    unnest(@tos::date[]) AS to_day) a
CROSS JOIN LATERAL (
    SELECT c.day, c.available, c.closing, c.closed_at FROM workspace.stock_days c
    WHERE c.tenant_id = @tenant_id AND c.workspace_id = @workspace_id AND c.product_id = a.product_id
      AND c.day >= a.from_day AND c.day <= a.to_day
  UNION ALL
    (SELECT c.day, c.available, c.closing, c.closed_at FROM workspace.stock_days c
    WHERE c.tenant_id = @tenant_id AND c.workspace_id = @workspace_id AND c.product_id = a.product_id AND c.day < a.from_day
    ORDER BY c.day DESC LIMIT 1)
) d
ORDER BY a.key, d.day;

-- The days between two days on which articles sold.
-- name: ReadSoldDays :many
SELECT a.key::text AS key, d.day
FROM (SELECT unnest(@keys::text[]) AS key, unnest(@products::text[]) AS product_id, unnest(@froms::date[]) AS from_day,
    unnest(@tos::date[]) AS to_day) a
JOIN workspace.sales_days d ON d.tenant_id = @tenant_id AND d.workspace_id = @workspace_id AND d.product_id = a.product_id
  AND d.day >= a.from_day AND d.day <= a.to_day
ORDER BY a.key, d.day;

-- What was received of articles' lines since a time.
-- name: ReadReceipts :many
SELECT a.key::text AS key, r.line_id, r.received_at, timezone(@time_zone::text, r.received_at)::date AS day, r.quantity
FROM (SELECT unnest(@keys::text[]) AS key, unnest(@products::text[]) AS product_id, unnest(@skus::text[]) AS sku,
    unnest(@since::timestamptz[]) AS since) a
CROSS JOIN LATERAL (
    SELECT o.id FROM workspace.purchase_order_lines o
    WHERE o.tenant_id = @tenant_id AND o.workspace_id = @workspace_id AND o.product_id = a.product_id AND o.quantity_received > 0
  UNION ALL
    SELECT o.id FROM workspace.purchase_order_lines o
    WHERE o.tenant_id = @tenant_id AND o.workspace_id = @workspace_id AND o.product_id IS NULL AND o.sku = a.sku AND o.quantity_received > 0
) l
JOIN workspace.receipts r ON r.tenant_id = @tenant_id AND r.line_id = l.id AND r.received_at > a.since
ORDER BY a.key, r.received_at, r.id;

-- name: SaveVerdicts :exec
WITH given AS MATERIALIZED (SELECT json_populate_recordset(NULL::workspace.suggestions, @rows::json) AS r)
UPDATE workspace.suggestions s SET supplier_id = (g.r).supplier_id, decision = (g.r).decision, decided_on = (g.r).decided_on,
    decided_by = (g.r).decided_by, line_id = (g.r).line_id, line_price = (g.r).line_price, line_currency = (g.r).line_currency,
    ordered_quantity = (g.r).ordered_quantity, known = (g.r).known, prevented_on = (g.r).prevented_on, empty_from = (g.r).empty_from,
    empty_too_late = (g.r).empty_too_late, empty_waiting = (g.r).empty_waiting, empty_supplier = (g.r).empty_supplier,
    empty_too_few = (g.r).empty_too_few, overbuy_quantity = (g.r).overbuy_quantity, overbuy_beyond = (g.r).overbuy_beyond,
    judged_on = (g.r).judged_on, closed = (g.r).closed
FROM given g
WHERE s.tenant_id = @tenant_id AND s.recommendation_key = (g.r).recommendation_key AND s.first_on = (g.r).first_on;

-- The figures of suggestions that were first made between two days, by group: buyer, supplier or
-- month; or all in one.
-- name: SumRecord :many
SELECT g.in_group::text AS in_group, coalesce(max(p.name), '')::text AS supplier_name, count(*) AS suggested,
    count(*) FILTER (WHERE s.decision = 'as_suggested') AS as_suggested, count(*) FILTER (WHERE s.decision = 'less') AS less,
    count(*) FILTER (WHERE s.decision = 'more') AS more, count(*) FILTER (WHERE s.decision = 'turned_down') AS turned_down,
    count(*) FILTER (WHERE s.decision = 'put_off') AS put_off, count(*) FILTER (WHERE s.decision = 'undecided') AS undecided,
    count(*) FILTER (WHERE s.decision = 'taken_back') AS taken_back, count(s.decided_on) AS decided,
    coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY s.decided_on - s.first_on), 0)::double precision AS median_days,
    count(*) FILTER (WHERE s.known) AS judged, count(*) FILTER (WHERE NOT s.known) AS not_known, count(s.prevented_on) AS prevented,
    count(s.empty_from) AS ran_out, sum(s.empty_too_late)::bigint AS too_late, sum(s.empty_waiting)::bigint AS waiting,
    sum(s.empty_supplier)::bigint AS supplier, sum(s.empty_too_few)::bigint AS too_few,
    count(*) FILTER (WHERE s.overbuy_quantity > 0) AS overbought
FROM workspace.suggestions s
CROSS JOIN LATERAL (SELECT CASE @by_group::text
    WHEN 'buyer' THEN coalesce(concat_ws(':', s.decided_by ->> 'type', s.decided_by ->> 'id'), '')
    WHEN 'supplier' THEN coalesce(s.supplier_id, '')
    WHEN 'month' THEN to_char(s.first_on, 'YYYY-MM')
    ELSE '' END AS in_group) g
LEFT JOIN workspace.suppliers p ON @by_group = 'supplier' AND p.tenant_id = s.tenant_id AND p.id = s.supplier_id
WHERE s.tenant_id = @tenant_id AND s.workspace_id = @workspace_id AND s.first_on >= @from_day::date AND s.first_on <= @to_day::date
GROUP BY g.in_group;

-- What was bought beyond what was needed, by group and currency. Currencies are never added up. Amounts that cannot be
-- true are left out, and counted.
-- name: SumOverbuy :many
SELECT g.in_group::text AS in_group, s.line_currency::text AS currency,
    coalesce(sum(s.overbuy_quantity::numeric * s.line_price) FILTER (WHERE workspace.plausible_cost(s.overbuy_quantity::numeric, s.line_price)), 0)::numeric AS value,
    coalesce(sum(s.overbuy_beyond::numeric * s.line_price) FILTER (WHERE workspace.plausible_cost(s.overbuy_quantity::numeric, s.line_price)), 0)::numeric AS beyond,
    count(*) FILTER (WHERE NOT workspace.plausible_cost(s.overbuy_quantity::numeric, s.line_price)) AS left_out
FROM workspace.suggestions s
CROSS JOIN LATERAL (SELECT CASE @by_group::text
    WHEN 'buyer' THEN coalesce(concat_ws(':', s.decided_by ->> 'type', s.decided_by ->> 'id'), '')
    WHEN 'supplier' THEN coalesce(s.supplier_id, '')
    WHEN 'month' THEN to_char(s.first_on, 'YYYY-MM')
    ELSE '' END AS in_group) g
WHERE s.tenant_id = @tenant_id AND s.workspace_id = @workspace_id AND s.first_on >= @from_day::date AND s.first_on <= @to_day::date
  AND s.overbuy_quantity > 0 AND s.line_price IS NOT NULL AND s.line_currency IS NOT NULL
GROUP BY g.in_group, s.line_currency ORDER BY g.in_group, s.line_currency;

-- Suggestions that were first made between two days, the newest first.
-- name: ListSuggestions :many
SELECT s.recommendation_key, s.first_on, s.product_id, coalesce(p.sku, '')::text AS sku, coalesce(p.name, '')::text AS name,
    s.supplier_id, coalesce(v.name, '')::text AS supplier_name, s.urgency, s.suggested_quantity, s.until, s.decision, s.decided_on,
    s.decided_by, s.line_id, coalesce(l.order_no, '')::text AS order_no, s.line_price, s.line_currency, s.ordered_quantity, s.known,
    s.prevented_on, s.empty_from, s.empty_too_late, s.empty_waiting, s.empty_supplier, s.empty_too_few, s.overbuy_quantity,
    s.overbuy_beyond, s.judged_on, s.closed
FROM workspace.suggestions s
LEFT JOIN workspace.products p ON p.tenant_id = s.tenant_id AND p.id = s.product_id
LEFT JOIN workspace.suppliers v ON v.tenant_id = s.tenant_id AND v.id = s.supplier_id
LEFT JOIN workspace.purchase_order_lines l ON l.tenant_id = s.tenant_id AND l.id = s.line_id
WHERE s.tenant_id = @tenant_id AND s.workspace_id = @workspace_id AND s.first_on >= @from_day::date AND s.first_on <= @to_day::date
  AND (sqlc.narg('after_day')::date IS NULL OR s.first_on < sqlc.narg('after_day')
    OR s.first_on = sqlc.narg('after_day') AND s.recommendation_key > @after_key::text)
  AND (sqlc.narg('buyer')::text IS NULL OR coalesce(concat_ws(':', s.decided_by ->> 'type', s.decided_by ->> 'id'), '') = sqlc.narg('buyer'))
  AND (sqlc.narg('supplier')::text IS NULL OR coalesce(s.supplier_id, '') = sqlc.narg('supplier'))
  AND CASE @outcome::text
    WHEN '' THEN true
    WHEN 'prevented' THEN s.prevented_on IS NOT NULL
    WHEN 'empty' THEN s.empty_from IS NOT NULL
    WHEN 'overbuy' THEN s.overbuy_quantity > 0
    WHEN 'not_known' THEN NOT s.known
    ELSE s.decision = @outcome END
ORDER BY s.first_on DESC, s.recommendation_key LIMIT @most;
