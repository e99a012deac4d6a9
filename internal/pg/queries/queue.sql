-- A purchase order line belongs to the article that it names. A line that names none belongs to the
-- article with its SKU.

-- Workspaces whose queue must be computed: never was, a day has passed there, or its demand or its
-- rules were changed since. Before there is demand, there is no queue. Read across tenants, and
-- once more as the tenant.
-- name: FindDueQueues :many
SELECT f.tenant_id, f.workspace_id, d.today, f.computed_at AS forecasts_at, f.time_zone
FROM workspace.forecast_state f
CROSS JOIN LATERAL (SELECT timezone(f.time_zone, @now::timestamptz)::date AS today) d
LEFT JOIN workspace.queue_state s ON s.tenant_id = f.tenant_id AND s.workspace_id = f.workspace_id
LEFT JOIN workspace.playbook_state b ON b.tenant_id = f.tenant_id AND b.workspace_id = f.workspace_id
WHERE (sqlc.narg('workspace_id')::uuid IS NULL OR f.workspace_id = sqlc.narg('workspace_id'))
  AND f.as_of = d.today
  AND (s.as_of IS NULL OR s.as_of <> d.today OR s.forecasts_at <> f.computed_at OR s.playbook_revision <> coalesce(b.revision, 0))
ORDER BY f.tenant_id, f.workspace_id;

-- Workspaces with articles that changed.
-- name: FindMarkedQueues :many
SELECT s.tenant_id, s.workspace_id FROM workspace.queue_state s
WHERE EXISTS (SELECT FROM workspace.queue_marks m WHERE m.tenant_id = s.tenant_id AND m.workspace_id = s.workspace_id)
ORDER BY s.tenant_id, s.workspace_id;

-- Keeps others from computing the queue until the transaction ends. Its session may be idle for
-- long, because all rows are written in transactions of their own.
-- name: LockQueue :one
SELECT pg_try_advisory_xact_lock(hashtextextended(concat('queue of ', @workspace_id::uuid), 0))::boolean AS alone,
    set_config('idle_in_transaction_session_timeout', '900000', true)::text AS patience;

-- Waits for others who compute the queue, but not for a computation of all articles.
-- name: WaitForQueue :exec
SELECT set_config('lock_timeout', '3s', true), pg_advisory_xact_lock(hashtextextended(concat('queue of ', @workspace_id::uuid), 0));

-- Without a row in the state of forecasts there is no demand, and so no queue.
-- name: ReadQueueSettings :one
SELECT f.time_zone, f.computed_at AS forecasts_at, coalesce(g.base_currency, '')::text AS base_currency, s.as_of
FROM workspace.forecast_state f
LEFT JOIN workspace.sales_settings g ON g.tenant_id = f.tenant_id AND g.workspace_id = f.workspace_id
LEFT JOIN workspace.queue_state s ON s.tenant_id = f.tenant_id AND s.workspace_id = f.workspace_id
WHERE f.tenant_id = @tenant_id AND f.workspace_id = @workspace_id;

-- name: SaveQueueState :exec
INSERT INTO workspace.queue_state (tenant_id, workspace_id, as_of, forecasts_at, playbook_revision, computed_at)
VALUES (@tenant_id, @workspace_id, @as_of, @forecasts_at, @playbook_revision, @computed_at)
ON CONFLICT (tenant_id, workspace_id) DO UPDATE SET as_of = excluded.as_of, forecasts_at = excluded.forecasts_at,
    playbook_revision = excluded.playbook_revision, computed_at = excluded.computed_at;

-- Locks the marks that are there already, so that TakeQueueMarks leaves them until what was
-- written beside them is committed.
-- name: MarkQueue :exec
INSERT INTO workspace.queue_marks (tenant_id, workspace_id, product_id)
SELECT @tenant_id, @workspace_id, p.id FROM (SELECT unnest(@products::text[]) AS id) p ORDER BY p.id
ON CONFLICT (tenant_id, workspace_id, product_id) DO UPDATE SET product_id = excluded.product_id;

-- Marks the articles that changed records are about: articles and others with their SKU, the
-- articles of suppliers, and those of purchase order lines. A delivery teaches how long its
-- supplier needs, so that it is about all articles of the supplier. What a record was about before
-- is marked by workspace.mark_left_articles.
-- name: MarkQueueChanged :exec
WITH changed AS (
    SELECT unnest(@tenants::uuid[]) AS tenant_id, unnest(@slugs::text[]) AS slug, unnest(@records::text[]) AS id
), lines AS (
    SELECT l.tenant_id, l.workspace_id, l.product_id, l.sku, l.supplier_id, l.received_at
    FROM changed c JOIN workspace.purchase_order_lines l ON l.tenant_id = c.tenant_id AND l.id = c.id
    WHERE c.slug = 'purchase_order_lines'
), skus AS (
    SELECT p.tenant_id, p.workspace_id, p.sku
    FROM changed c JOIN workspace.products p ON p.tenant_id = c.tenant_id AND p.id = c.id WHERE c.slug = 'products'
  UNION
    SELECT l.tenant_id, l.workspace_id, l.sku FROM lines l
), suppliers AS (
    SELECT c.tenant_id, c.id FROM changed c WHERE c.slug = 'suppliers'
  UNION
    SELECT l.tenant_id, l.supplier_id FROM lines l WHERE l.received_at IS NOT NULL
), touched AS (
    SELECT p.tenant_id, p.workspace_id, p.id FROM changed c JOIN workspace.products p ON p.tenant_id = c.tenant_id AND p.id = c.id
    WHERE c.slug = 'products'
  UNION
    SELECT l.tenant_id, l.workspace_id, l.product_id FROM lines l WHERE l.product_id IS NOT NULL
  UNION
    SELECT p.tenant_id, p.workspace_id, p.id
    FROM skus k JOIN workspace.products p ON p.tenant_id = k.tenant_id AND p.sku = k.sku AND p.workspace_id = k.workspace_id
  UNION
    SELECT p.tenant_id, p.workspace_id, p.id FROM suppliers s JOIN workspace.products p ON p.tenant_id = s.tenant_id AND p.supplier_id = s.id
)
INSERT INTO workspace.queue_marks (tenant_id, workspace_id, product_id)
SELECT t.tenant_id, t.workspace_id, t.id FROM touched t ORDER BY t.tenant_id, t.workspace_id, t.id
ON CONFLICT (tenant_id, workspace_id, product_id) DO UPDATE SET product_id = excluded.product_id;

-- name: TakeQueueMarks :many
DELETE FROM workspace.queue_marks m
USING (SELECT o.product_id FROM workspace.queue_marks o WHERE o.tenant_id = @tenant_id AND o.workspace_id = @workspace_id
    ORDER BY o.product_id LIMIT @most FOR UPDATE SKIP LOCKED) taken
WHERE m.tenant_id = @tenant_id AND m.workspace_id = @workspace_id AND m.product_id = taken.product_id
RETURNING m.product_id;

-- name: ListQueueArticles :many
SELECT p.id FROM workspace.products p WHERE p.tenant_id = @tenant_id AND p.workspace_id = @workspace_id ORDER BY p.id;

-- The articles that have a row, with what decides which rules apply to them.
-- name: ListOrderableArticles :many
SELECT p.id, coalesce(s.id, '')::text AS supplier_id, coalesce(p.family, '')::text AS family
FROM workspace.products p
LEFT JOIN workspace.suppliers s ON s.tenant_id = p.tenant_id AND s.id = p.supplier_id AND s.workspace_id = p.workspace_id
WHERE p.tenant_id = @tenant_id AND p.workspace_id = @workspace_id
  AND p.status IS DISTINCT FROM 'archived' AND p.do_not_reorder IS NOT TRUE AND p.track_inventory IS NOT FALSE
ORDER BY p.id;

-- Articles that can be ordered, with their demand. Others are left out, and their rows dropped.
-- name: ReadQueueArticles :many
SELECT p.id, coalesce(p.identity_key, p.id)::text AS identity, p.external_id, p.sku, p.name, p.family, p.price, p.currency,
    p.unit_cost, p.cost_currency, p.stock_on_hand, p.stock_committed, p.stock_available, p.stock_updated_at, p.lead_time_days, p.moq,
    p.order_multiple, p.safety_stock, p.reorder_point, p.cover_days, p.updated_at,
    s.id AS supplier_id, s.name AS supplier_name, s.lead_time_days AS supplier_lead_time_days, s.active AS supplier_active,
    f.velocity, f.sigma_day, f.demand_class, f.confidence, f.season_strength, f.stockout_days_84, f.wape,
    coalesce(m.indexed, false)::boolean AS indexed, coalesce(m.index, '{}')::double precision[] AS index,
    (p.sku IS NOT NULL AND EXISTS (SELECT FROM workspace.products o
        WHERE o.tenant_id = p.tenant_id AND o.workspace_id = p.workspace_id AND o.sku = p.sku AND o.id <> p.id
          AND o.status IS DISTINCT FROM 'archived'))::boolean AS ambiguous,
    coalesce(h.observed_at, 'epoch')::timestamptz AS stock_changed_at, -- the epoch: not known
    coalesce(h.reported_at = p.stock_updated_at, false)::boolean AS stock_report_noted, -- stock_changed_at is when it was made
    coalesce(u.reason, '')::text AS demand_gap -- why the demand is not computed; empty: it is
FROM workspace.products p
LEFT JOIN workspace.suppliers s ON s.tenant_id = p.tenant_id AND s.id = p.supplier_id AND s.workspace_id = p.workspace_id
LEFT JOIN workspace.forecasts f ON f.tenant_id = p.tenant_id AND f.workspace_id = p.workspace_id AND f.product_id = p.id
LEFT JOIN workspace.forecast_families m ON m.tenant_id = f.tenant_id AND m.workspace_id = f.workspace_id AND m.family = f.family AND f.family <> ''
LEFT JOIN LATERAL (SELECT c.observed_at, c.reported_at FROM workspace.stock_history c
    WHERE c.tenant_id = p.tenant_id AND c.product_id = p.id AND c.workspace_id = p.workspace_id
    ORDER BY c.version DESC LIMIT 1) h ON true
LEFT JOIN workspace.uncomputed_articles u ON u.tenant_id = p.tenant_id AND u.workspace_id = p.workspace_id AND u.product_id = p.id AND u.part = 'demand'
WHERE p.tenant_id = @tenant_id AND p.workspace_id = @workspace_id AND p.id = ANY (@products::text[])
  AND p.status IS DISTINCT FROM 'archived' AND p.do_not_reorder IS NOT TRUE AND p.track_inventory IS NOT FALSE
ORDER BY p.id;

-- Open lines of articles.
-- name: ReadQueueLines :many
SELECT a.product_id::text AS product_id, l.id, l.order_no, l.status, greatest(l.quantity_ordered - l.quantity_received, 0)::double precision AS open,
    l.expected_arrival_date, timezone(@time_zone::text, l.ordered_at)::date AS ordered_on
FROM (SELECT unnest(@products::text[]) AS product_id, unnest(@skus::text[]) AS sku) a
CROSS JOIN LATERAL (
    SELECT o.id, o.order_no, o.status, o.quantity_ordered, o.quantity_received, o.expected_arrival_date, o.ordered_at
    FROM workspace.purchase_order_lines o
    WHERE o.tenant_id = @tenant_id AND o.workspace_id = @workspace_id AND o.product_id = a.product_id
      AND o.status NOT IN ('received', 'cancelled')
  UNION ALL
    SELECT o.id, o.order_no, o.status, o.quantity_ordered, o.quantity_received, o.expected_arrival_date, o.ordered_at
    FROM workspace.purchase_order_lines o
    WHERE o.tenant_id = @tenant_id AND o.workspace_id = @workspace_id AND o.product_id IS NULL AND o.sku = a.sku
      AND o.status NOT IN ('received', 'cancelled')
) l
ORDER BY a.product_id, l.expected_arrival_date, l.id;

-- What arrived after the stock of articles was counted.
-- name: ReadQueueReceipts :many
SELECT a.product_id::text AS product_id, sum(r.quantity)::double precision AS received
FROM (SELECT unnest(@products::text[]) AS product_id, unnest(@skus::text[]) AS sku, unnest(@counted::timestamptz[]) AS counted) a
CROSS JOIN LATERAL (
    SELECT o.id FROM workspace.purchase_order_lines o
    WHERE o.tenant_id = @tenant_id AND o.workspace_id = @workspace_id AND o.product_id = a.product_id AND o.quantity_received > 0
  UNION ALL
    SELECT o.id FROM workspace.purchase_order_lines o
    WHERE o.tenant_id = @tenant_id AND o.workspace_id = @workspace_id AND o.product_id IS NULL AND o.sku = a.sku AND o.quantity_received > 0
) l
JOIN workspace.receipts r ON r.tenant_id = @tenant_id AND r.line_id = l.id AND r.received_at > a.counted
GROUP BY a.product_id;

-- The deliveries of articles by their suppliers since a day.
-- name: ReadQueueDeliveries :many
SELECT a.product_id::text AS product_id, timezone(@time_zone::text, l.ordered_at)::date AS ordered_on, timezone(@time_zone::text, l.received_at)::date AS arrived_on
FROM (SELECT unnest(@products::text[]) AS product_id, unnest(@skus::text[]) AS sku, unnest(@suppliers::text[]) AS supplier_id) a
CROSS JOIN LATERAL (
    SELECT o.ordered_at, o.received_at FROM workspace.purchase_order_lines o
    WHERE o.tenant_id = @tenant_id AND o.workspace_id = @workspace_id AND o.product_id = a.product_id AND o.supplier_id = a.supplier_id
      AND o.status = 'received' AND o.quantity_received > 0 AND o.received_at >= @since::timestamptz AND o.ordered_at IS NOT NULL
  UNION ALL
    SELECT o.ordered_at, o.received_at FROM workspace.purchase_order_lines o
    WHERE o.tenant_id = @tenant_id AND o.workspace_id = @workspace_id AND o.product_id IS NULL AND o.sku = a.sku AND o.supplier_id = a.supplier_id
      AND o.status = 'received' AND o.quantity_received > 0 AND o.received_at >= @since AND o.ordered_at IS NOT NULL
) l
ORDER BY a.product_id;

-- The latest deliveries of suppliers since a day.
-- name: ReadSupplierDeliveries :many
SELECT s.supplier_id::text AS supplier_id, timezone(@time_zone::text, l.ordered_at)::date AS ordered_on, timezone(@time_zone::text, l.received_at)::date AS arrived_on
FROM unnest(@suppliers::text[]) s (supplier_id)
CROSS JOIN LATERAL (
    SELECT o.ordered_at, o.received_at FROM workspace.purchase_order_lines o
    WHERE o.tenant_id = @tenant_id AND o.workspace_id = @workspace_id AND o.supplier_id = s.supplier_id
      AND o.status = 'received' AND o.quantity_received > 0 AND o.received_at >= @since::timestamptz AND o.ordered_at IS NOT NULL
    ORDER BY o.received_at DESC, o.id DESC LIMIT @most
) l
ORDER BY s.supplier_id;

-- The newest number of each article's recommendations, and that of the first one that is not ordered yet,
-- with its line. An article without keyed lines has no row.
-- name: ReadQueueKeys :many
SELECT k.prefix::text AS prefix, max(l.n)::bigint AS newest, coalesce(min(l.n) FILTER (WHERE l.open), 0)::bigint AS open,
    coalesce((array_agg(l.id ORDER BY l.n) FILTER (WHERE l.open))[1], '')::text AS line_id
FROM unnest(@prefixes::text[]) k (prefix)
CROSS JOIN LATERAL (
    SELECT o.id, split_part(o.recommendation_key, ':', 3)::bigint AS n, o.status IN ('draft', 'pending_approval') AS open
    FROM workspace.purchase_order_lines o
    WHERE o.tenant_id = @tenant_id AND o.recommendation_key >= k.prefix AND o.recommendation_key < k.prefix || ':'
) l
GROUP BY k.prefix;

-- The newest decision not to order each article that was not lifted, and can still count.
-- name: ReadSuppressions :many
SELECT DISTINCT ON (s.product_id) s.product_id, s.kind, s.since, s.until, s.raw_quantity, s.critical
FROM workspace.suppressions s
WHERE s.tenant_id = @tenant_id AND s.workspace_id = @workspace_id AND s.product_id = ANY (@products::text[])
  AND s.lifted_at IS NULL AND (s.since >= @since::date OR s.until >= @today::date)
ORDER BY s.product_id, s.created_at DESC, s.id DESC;

-- Drops the rows that differ from the given ones, so that these can be written.
-- name: DropChangedQueueRows :exec
DELETE FROM workspace.queue_rows q
USING (SELECT unnest(@products::text[]) AS product_id, unnest(@digests::bytea[]) AS digest) g
WHERE q.tenant_id = @tenant_id AND q.workspace_id = @workspace_id AND q.product_id = g.product_id AND q.digest <> g.digest;

-- Writes the rows that are not there.
-- name: AddQueueRows :execrows
WITH given AS MATERIALIZED (SELECT json_populate_recordset(NULL::workspace.queue_rows, @rows::json) AS r)
INSERT INTO workspace.queue_rows SELECT (g.r).* FROM given g
ON CONFLICT DO NOTHING;

-- Drops the rows of articles that are not to be ordered any more: of these articles, or of all.
-- name: DropQueueRows :execrows
DELETE FROM workspace.queue_rows q
WHERE q.tenant_id = @tenant_id AND q.workspace_id = @workspace_id
  AND (sqlc.narg('products')::text[] IS NULL OR q.product_id = ANY (sqlc.narg('products')))
  AND NOT EXISTS (SELECT FROM workspace.products p
    WHERE p.tenant_id = q.tenant_id AND p.id = q.product_id AND p.workspace_id = q.workspace_id
      AND p.status IS DISTINCT FROM 'archived' AND p.do_not_reorder IS NOT TRUE AND p.track_inventory IS NOT FALSE);

-- Drops the rows of articles that cannot be computed.
-- name: DropQueueRowsOf :exec
DELETE FROM workspace.queue_rows WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND product_id = ANY (@products::text[]);

-- Lines of articles' SKUs and variants that match no article: they are missing in the demand.
-- name: CountUnmatched :many
SELECT coalesce(l.variant_external_id, '')::text AS variant, coalesce(l.sku, '')::text AS sku, count(*) AS lines
FROM workspace.sales_lines l
WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.product_id = '' AND l.counts AND l.day >= @since::date
  AND (l.sku = ANY (@skus::text[]) OR l.variant_external_id = ANY (@variants::text[]))
GROUP BY 1, 2 ORDER BY 1, 2;

-- The beginnings of the latest records that were refused and may be missing in the figures of articles.
-- name: ListRefusedRecords :many
SELECT substring(f.payload FOR @longest)::bytea AS payload FROM workspace.failed_imports f
WHERE f.tenant_id = @tenant_id AND f.workspace_id = @workspace_id AND f.status = 'open'
  AND f.slug IN ('orders', 'order_line_items', 'products', 'purchase_order_lines')
ORDER BY f.id DESC LIMIT @most;

-- What names the articles of order lines whose orders have not come, whichever came first: they are in no figure. So many are
-- read, and not more, though they be too young to count: a first load may send all lines before their orders.
-- name: ListWaitingLines :many
SELECT coalesce((SELECT a.product_id FROM workspace.article_aliases a WHERE a.tenant_id = @tenant_id AND a.name = l.product_id), l.product_id, '')::text AS product_id,
    coalesce(l.variant_external_id, '')::text AS variant, coalesce(l.sku, '')::text AS sku
FROM (
    SELECT w.product_id, w.variant_external_id, w.sku, w.created_at FROM workspace.order_line_items w
    WHERE w.tenant_id = @tenant_id AND w.workspace_id = @workspace_id AND w.order_id IS NULL LIMIT @most
) l
WHERE l.created_at >= @since::timestamptz AND l.created_at < now() - interval '10 minutes';

-- Keeps what was suggested when a line was drafted for it.
-- name: KeepSuggestion :exec
INSERT INTO workspace.line_suggestions (tenant_id, line_id, workspace_id, product_id, recommendation_key, as_of, action, urgency,
    raw_quantity, suggested_quantity, reason_text, rest_on)
SELECT r.tenant_id, @line_id, r.workspace_id, r.product_id, r.recommendation_key, r.as_of, r.action, r.urgency, r.raw_quantity,
    r.suggested_quantity, r.reason_text, sqlc.narg('rest_on')::date
FROM workspace.queue_rows r
WHERE r.tenant_id = @tenant_id AND r.workspace_id = @workspace_id AND r.recommendation_key = @recommendation_key::text
ON CONFLICT DO NOTHING;

-- A part was split off a line: what was suggested for the line is divided as its quantity is.
-- name: DivideSuggestion :exec
WITH was AS (
    SELECT s.tenant_id, s.workspace_id, s.product_id, s.recommendation_key, s.as_of, s.action, s.urgency, s.raw_quantity,
        s.suggested_quantity, s.reason_text, s.rest_on
    FROM workspace.line_suggestions s WHERE s.tenant_id = @tenant_id AND s.line_id = @line_id
), rest AS (
    UPDATE workspace.line_suggestions r SET raw_quantity = greatest(r.raw_quantity - @quantity::double precision, 0),
        suggested_quantity = greatest(r.suggested_quantity - @quantity, 0)
    WHERE r.tenant_id = @tenant_id AND r.line_id = @line_id
)
INSERT INTO workspace.line_suggestions (tenant_id, line_id, workspace_id, product_id, recommendation_key, as_of, action, urgency,
    raw_quantity, suggested_quantity, reason_text, rest_on)
SELECT w.tenant_id, @part_id, w.workspace_id, w.product_id, w.recommendation_key, w.as_of, w.action, w.urgency,
    least(w.raw_quantity, @quantity) AS raw_quantity, least(w.suggested_quantity, @quantity) AS suggested_quantity, w.reason_text, w.rest_on
FROM was w;

-- A line that was not ordered yet was cancelled: its article, or what that was merged into, is not suggested again for now.
-- name: SuppressRejected :exec
INSERT INTO workspace.suppressions (tenant_id, id, workspace_id, product_id, recommendation_key, kind, since, raw_quantity, critical,
    line_id, reason, actor)
SELECT s.tenant_id, @id, s.workspace_id, n.product_id, s.recommendation_key, 'rejected', @today,
    coalesce(r.raw_quantity, s.raw_quantity), coalesce(r.urgency, s.urgency) = 'critical', s.line_id, @reason, @actor
FROM workspace.line_suggestions s
CROSS JOIN LATERAL (SELECT coalesce((SELECT a.product_id FROM workspace.article_aliases a
    WHERE a.tenant_id = s.tenant_id AND a.name = s.product_id), s.product_id) AS product_id) n
LEFT JOIN workspace.queue_rows r ON r.tenant_id = s.tenant_id AND r.workspace_id = s.workspace_id AND r.product_id = n.product_id
WHERE s.tenant_id = @tenant_id AND s.line_id = @line_id;

-- Less was ordered than suggested: the rest is not suggested again for now, or until the day on which
-- it is to be ordered.
-- name: SuppressShort :exec
INSERT INTO workspace.suppressions (tenant_id, id, workspace_id, product_id, recommendation_key, kind, since, until, raw_quantity, critical,
    line_id, reason, actor)
SELECT s.tenant_id, @id, s.workspace_id, n.product_id, s.recommendation_key, 'short', @today, s.rest_on,
    greatest(s.raw_quantity - @quantity::double precision, 0), s.urgency = 'critical', s.line_id, '', @actor
FROM workspace.line_suggestions s
CROSS JOIN LATERAL (SELECT coalesce((SELECT a.product_id FROM workspace.article_aliases a
    WHERE a.tenant_id = s.tenant_id AND a.name = s.product_id), s.product_id) AS product_id) n
WHERE s.tenant_id = @tenant_id AND s.line_id = @line_id AND s.suggested_quantity > @quantity;

-- A suggestion that an open line has answered becomes one of the article that its own was merged into, unless that has one by
-- this key.
-- name: MoveSuggestion :exec
UPDATE workspace.suggestions s SET recommendation_key = @becomes::text, product_id = @product_id
WHERE s.tenant_id = @tenant_id AND s.recommendation_key = @was::text AND NOT s.closed
  AND NOT EXISTS (SELECT FROM workspace.suggestions o WHERE o.tenant_id = @tenant_id AND o.recommendation_key = @becomes::text);

-- name: GetBlocked :one
SELECT coalesce(blocked_reason, '')::text AS blocked_reason FROM workspace.queue_rows
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND recommendation_key = @recommendation_key::text;

-- A list is planned for its filters each time: a plan for any filter could use no index of one.
-- name: PlanForFilters :exec
SELECT set_config('plan_cache_mode', 'force_custom_plan', true);

-- What asks for action, in the order in which it is worked off. A row is in one group: drafted while
-- a line answers it, put off while a decision holds it back, else its action.
-- name: ListQueue :many
SELECT r.product_id, r.as_of, r.recommendation_key, r.sku, r.name, r.family, r.supplier_id, r.supplier_name, r.action, r.urgency, r.rank,
    r.margin_at_risk, r.blocked_reason, r.available, r.open_purchase_order_quantity, r.draft_quantity, r.overdue_quantity,
    r.next_arrival_date, r.last_arrival_date, r.demand_per_day, r.days_of_cover, r.days_of_cover_incl_open, r.lead_time_days,
    r.lead_time_source, r.safety_stock, r.reorder_point, r.target_stock, r.projected_stockout_date, r.order_by_date, r.earliest_arrival_date,
    r.late_by_days, r.raw_quantity, r.suggested_quantity, r.overbuy_quantity, r.unit_price, r.currency, r.line_cost,
    r.locked_by_line_id, r.suppressed_until, r.confidence, r.data_gaps, r.reason, r.reason_text, r.computed_at,
    p.moq, p.order_multiple,
    coalesce(l.order_no, '')::text AS locked_order_no, coalesce(l.status, '')::text AS locked_status,
    coalesce(l.quantity_ordered, 0)::numeric AS locked_quantity
FROM (
    -- The rows are chosen first: the planner cannot know that few are left for the other tables.
    SELECT q.* FROM workspace.queue_rows q
    WHERE q.tenant_id = @tenant_id AND q.workspace_id = @workspace_id
      AND (sqlc.narg('products')::text[] IS NOT NULL OR q.action <> 'none')
      AND (sqlc.narg('products')::text[] IS NULL OR q.product_id = ANY (sqlc.narg('products')))
      AND (sqlc.narg('action')::text IS NULL OR q.action = sqlc.narg('action'))
      AND (sqlc.narg('in_group')::text IS NULL OR sqlc.narg('in_group') =
        CASE WHEN q.locked_by_line_id IS NOT NULL THEN 'drafted' WHEN q.suppressed_until IS NOT NULL THEN 'put_off' ELSE q.action END)
      -- Not coalesce: under row security, PostgreSQL uses no index for it.
      AND (sqlc.narg('supplier')::text IS NULL OR q.supplier_id = nullif(sqlc.narg('supplier'), '') OR sqlc.narg('supplier') = '' AND q.supplier_id IS NULL)
      AND (sqlc.narg('search')::text IS NULL OR q.name ILIKE sqlc.narg('search') OR q.sku ILIKE sqlc.narg('search'))
      AND (sqlc.narg('after_product')::text IS NULL OR q.rank > @after_rank::smallint OR q.rank = @after_rank
        AND (q.margin_at_risk < @after_margin::double precision
          OR q.margin_at_risk = @after_margin AND q.product_id > sqlc.narg('after_product')))
    ORDER BY q.rank, q.margin_at_risk DESC, q.product_id
    LIMIT @most
) r
JOIN workspace.products p ON p.tenant_id = r.tenant_id AND p.id = r.product_id
LEFT JOIN workspace.purchase_order_lines l ON l.tenant_id = r.tenant_id AND l.id = r.locked_by_line_id
ORDER BY r.rank, r.margin_at_risk DESC, r.product_id;

-- How many rows each group has, by supplier and currency, with what they cost: of a supplier, or of all. Costs that
-- cannot be true are left out, and counted.
-- name: SumQueue :many
SELECT (CASE WHEN r.locked_by_line_id IS NOT NULL THEN 'drafted' WHEN r.suppressed_until IS NOT NULL THEN 'put_off' ELSE r.action END)::text AS in_group,
    coalesce(r.supplier_id, '')::text AS supplier_id, coalesce(max(r.supplier_name), '')::text AS supplier_name,
    coalesce(r.currency, '')::text AS currency, count(*) AS lines, count(*) FILTER (WHERE r.urgency = 'critical') AS critical,
    coalesce(sum(r.line_cost) FILTER (WHERE workspace.plausible(r.line_cost)), 0)::numeric AS cost,
    count(*) FILTER (WHERE NOT workspace.plausible(r.line_cost)) AS left_out, coalesce(max(s.min_order_value), 0)::numeric AS min_order_value,
    coalesce(max(s.free_shipping_value), -1)::numeric AS free_shipping_value, -- -1: none
    coalesce(max(s.currency), '')::text AS supplier_currency
FROM workspace.queue_rows r
LEFT JOIN workspace.suppliers s ON s.tenant_id = r.tenant_id AND s.id = r.supplier_id
WHERE r.tenant_id = @tenant_id AND r.workspace_id = @workspace_id AND r.action <> 'none'
  AND (sqlc.narg('supplier')::text IS NULL OR r.supplier_id = sqlc.narg('supplier'))
GROUP BY 1, 2, 4 ORDER BY 1, min(r.rank), sum(r.margin_at_risk) DESC, 2, 4;

-- name: QueueComputedAt :one
SELECT as_of, computed_at FROM workspace.queue_state WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id;

-- A decision not to order what a key names. The row must still have the key.
-- name: Suppress :one
INSERT INTO workspace.suppressions (tenant_id, id, workspace_id, product_id, recommendation_key, kind, since, until, raw_quantity, critical,
    reason, actor)
SELECT r.tenant_id, @id, r.workspace_id, r.product_id, r.recommendation_key, @kind, r.as_of, sqlc.narg('until')::date, r.raw_quantity,
    r.urgency = 'critical', @reason, @actor
FROM workspace.queue_rows r
WHERE r.tenant_id = @tenant_id AND r.workspace_id = @workspace_id AND r.recommendation_key = @recommendation_key::text
RETURNING product_id;

-- name: LiftSuppressions :many
UPDATE workspace.suppressions s SET lifted_at = now(), lifted_by = @actor
FROM workspace.queue_rows r
WHERE r.tenant_id = @tenant_id AND r.workspace_id = @workspace_id AND r.recommendation_key = @recommendation_key::text
  AND s.tenant_id = r.tenant_id AND s.workspace_id = r.workspace_id AND s.product_id = r.product_id AND s.lifted_at IS NULL
RETURNING s.product_id, s.kind;

-- The article of a recommendation, whatever its present number is.
-- name: FindQueueProduct :one
SELECT product_id FROM workspace.queue_rows
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id
  AND recommendation_key > @from_key::text AND recommendation_key < @from_key || ':';

-- What an approver wants to know of the lines that wait for approval: the article's stock and demand
-- today, what was suggested when the line was drafted, and what the article cost when it was last
-- ordered in the same currency.
-- name: ReviewLines :many
SELECT l.id, l.quantity_ordered, r.available, coalesce(r.open_purchase_order_quantity, 0)::double precision AS on_order,
    coalesce(r.demand_per_day, 0)::double precision AS demand_per_day, r.days_of_cover_incl_open, r.projected_stockout_date,
    s.suggested_quantity AS drafted_for, r.suggested_quantity, coalesce(s.reason_text, '')::text AS reason, last.price_per_unit AS last_price,
    coalesce(last.order_no, '')::text AS last_order_no, last.ordered_at AS last_ordered_at
FROM workspace.purchase_order_lines l
LEFT JOIN LATERAL ( -- the article that the line names, or else the one with its SKU
    SELECT p.id, p.sku FROM workspace.products p WHERE p.tenant_id = l.tenant_id AND p.id = l.product_id
  UNION ALL
    SELECT p.id, p.sku FROM workspace.products p
    WHERE l.product_id IS NULL AND p.tenant_id = l.tenant_id AND p.workspace_id = l.workspace_id AND p.sku = l.sku
    LIMIT 1
) a ON true
LEFT JOIN workspace.queue_rows r ON r.tenant_id = l.tenant_id AND r.workspace_id = l.workspace_id AND r.product_id = a.id
LEFT JOIN workspace.line_suggestions s ON s.tenant_id = l.tenant_id AND s.line_id = l.id
LEFT JOIN LATERAL (
    SELECT b.id, b.price_per_unit, b.order_no, b.ordered_at FROM workspace.purchase_order_lines b
    WHERE b.tenant_id = l.tenant_id AND b.workspace_id = l.workspace_id AND b.product_id = a.id AND b.id <> l.id
      AND b.status IN ('ordered', 'partially_received', 'received') AND b.price_per_unit IS NOT NULL AND b.currency = l.currency
  UNION ALL
    SELECT b.id, b.price_per_unit, b.order_no, b.ordered_at FROM workspace.purchase_order_lines b
    WHERE b.tenant_id = l.tenant_id AND b.workspace_id = l.workspace_id AND b.product_id IS NULL AND b.sku = a.sku AND b.id <> l.id
      AND b.status IN ('ordered', 'partially_received', 'received') AND b.price_per_unit IS NOT NULL AND b.currency = l.currency
    ORDER BY id DESC LIMIT 1
) last ON true
WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.order_no = @order_no AND l.status = 'pending_approval'
ORDER BY l.id LIMIT @most;

-- The articles of a supplier that can be ordered: first those that the queue suggests, as it sorts them, then the others
-- as it sorts them, then those that it leaves out.
-- name: ListSupplierArticles :many
SELECT a.id, a.sku, a.name, a.variant_name, a.supplier_sku, a.moq, a.order_multiple, a.unit_cost, a.currency, a.place, a.margin_at_risk
FROM (
    SELECT p.id, coalesce(p.sku, '')::text AS sku, p.name, p.variant_name, p.supplier_sku, p.moq, p.order_multiple, p.unit_cost,
        coalesce(nullif(p.cost_currency, ''), g.base_currency, '')::text AS currency,
        (CASE WHEN r.action <> 'none' AND r.suggested_quantity > 0 THEN 0 ELSE 10 END + coalesce(r.rank, 5))::smallint AS place,
        coalesce(r.margin_at_risk, 0)::double precision AS margin_at_risk
    FROM workspace.products p
    LEFT JOIN workspace.queue_rows r ON r.tenant_id = p.tenant_id AND r.workspace_id = p.workspace_id AND r.product_id = p.id
    LEFT JOIN workspace.sales_settings g ON g.tenant_id = p.tenant_id AND g.workspace_id = p.workspace_id
    WHERE p.tenant_id = @tenant_id AND p.workspace_id = @workspace_id AND p.supplier_id = @supplier_id::text
      AND p.sku IS NOT NULL AND p.status IS DISTINCT FROM 'archived'
      AND (sqlc.narg('search')::text IS NULL OR p.name ILIKE sqlc.narg('search') OR p.variant_name ILIKE sqlc.narg('search')
        OR p.sku ILIKE sqlc.narg('search') OR p.supplier_sku ILIKE sqlc.narg('search'))
      AND (sqlc.narg('codes')::text[] IS NULL OR lower(p.sku) = ANY (sqlc.narg('codes')) OR lower(p.supplier_sku) = ANY (sqlc.narg('codes'))
        OR p.id = ANY (sqlc.narg('codes')))
) a
WHERE (sqlc.narg('after_product')::text IS NULL OR a.place > @after_place::smallint OR a.place = @after_place
    AND (a.margin_at_risk < @after_margin::double precision
      OR a.margin_at_risk = @after_margin AND a.id > sqlc.narg('after_product')))
ORDER BY a.place, a.margin_at_risk DESC, a.id
LIMIT @most;

-- A supplier as one orders from it. Its lead time is the one that the queue uses for its articles, unless they have their own.
-- name: GetOrderSupplier :one
SELECT s.id, s.name, s.contact_name, s.email, s.phone, s.currency, s.min_order_value, s.free_shipping_value, s.payment_terms_days, s.note,
    coalesce(l.lead_time_days, CASE WHEN s.lead_time_days > 365 THEN 365 ELSE ceil(s.lead_time_days) END, -1)::integer AS lead_time_days, -- -1: not known; the queue plans with a year at most
    coalesce(l.lead_time_source, CASE WHEN s.lead_time_days IS NOT NULL THEN 'supplier' END, '')::text AS lead_time_source
FROM workspace.suppliers s
LEFT JOIN LATERAL (
    SELECT r.lead_time_days, r.lead_time_source FROM workspace.products p
    JOIN workspace.queue_rows r ON r.tenant_id = p.tenant_id AND r.workspace_id = p.workspace_id AND r.product_id = p.id
    WHERE p.tenant_id = s.tenant_id AND p.supplier_id = s.id AND r.supplier_id = s.id
      AND r.lead_time_source IN ('supplier_learnt', 'supplier', 'default')
    LIMIT 1
) l ON true
WHERE s.tenant_id = @tenant_id AND s.workspace_id = @workspace_id AND s.id = @id;
