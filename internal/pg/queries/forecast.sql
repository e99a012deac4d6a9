-- Workspaces whose demand must be computed: never was, a day has passed there, the settings of
-- its sales are others, or articles changed and it is old enough. Sales that are being computed
-- again are waited for. Read across tenants, and once more as the tenant.
-- name: FindDueForecasts :many
SELECT s.tenant_id, s.workspace_id, d.today
FROM workspace.sales_settings s
CROSS JOIN LATERAL (SELECT timezone(s.time_zone, @now::timestamptz)::date AS today) d
LEFT JOIN workspace.forecast_state f ON f.tenant_id = s.tenant_id AND f.workspace_id = s.workspace_id
WHERE s.rebuilding IS NULL
  AND (sqlc.narg('workspace_id')::uuid IS NULL OR s.workspace_id = sqlc.narg('workspace_id'))
  AND (f.as_of IS NULL OR f.as_of < d.today OR f.time_zone <> s.time_zone OR f.week_start <> s.week_start
      OR f.stale AND f.computed_at <= @stale_before::timestamptz)
ORDER BY s.tenant_id, s.workspace_id;

-- Workspaces with articles whose sales changed.
-- name: FindMarkedForecasts :many
SELECT s.tenant_id, s.workspace_id
FROM workspace.forecast_state s
WHERE EXISTS (SELECT FROM workspace.forecast_marks m WHERE m.tenant_id = s.tenant_id AND m.workspace_id = s.workspace_id)
ORDER BY s.tenant_id, s.workspace_id;

-- Keeps others from computing the workspace until the transaction ends. Its session may be idle
-- for long, because all articles are written in transactions of their own.
-- name: LockForecasts :one
SELECT pg_try_advisory_xact_lock(hashtextextended(concat('forecasts of ', @workspace_id::uuid), 0))::boolean AS alone,
    set_config('idle_in_transaction_session_timeout', '900000', true)::text AS patience;

-- Plans of this transaction look rows up by their keys, whatever the statistics say: of tables
-- that were just filled there are none, and a chunk would read the whole table for every row.
-- name: PlanForecasts :exec
SELECT set_config('enable_seqscan', 'off', true), set_config('plan_cache_mode', 'force_custom_plan', true), set_config('jit', 'off', true);

-- Stored demand is outdated if the settings of the sales are others than it was computed with.
-- name: ReadForecastSettings :one
SELECT s.time_zone, s.week_start, f.as_of, f.newest_origin,
    coalesce(s.rebuilding IS NOT NULL OR f.time_zone <> s.time_zone OR f.week_start <> s.week_start, false)::boolean AS outdated
FROM workspace.sales_settings s
LEFT JOIN workspace.forecast_state f ON f.tenant_id = s.tenant_id AND f.workspace_id = s.workspace_id
WHERE s.tenant_id = @tenant_id AND s.workspace_id = @workspace_id;

-- Locks the marks that are there already, so that TakeForecastMarks leaves them until the sales
-- that were written beside them are committed.
-- name: MarkForecasts :exec
INSERT INTO workspace.forecast_marks (tenant_id, workspace_id, product_id)
SELECT @tenant_id, @workspace_id, unnest(@products::text[])
ON CONFLICT (tenant_id, workspace_id, product_id) DO UPDATE SET product_id = excluded.product_id;

-- name: TakeForecastMarks :many
DELETE FROM workspace.forecast_marks m
USING (SELECT o.product_id FROM workspace.forecast_marks o WHERE o.tenant_id = @tenant_id AND o.workspace_id = @workspace_id
    ORDER BY o.product_id LIMIT @most FOR UPDATE SKIP LOCKED) taken
WHERE m.tenant_id = @tenant_id AND m.workspace_id = @workspace_id AND m.product_id = taken.product_id
RETURNING m.product_id;

-- name: ListSeries :many
SELECT product_id FROM workspace.sales_series WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id ORDER BY product_id
LIMIT sqlc.narg('most')::bigint;

-- The articles of an article's family, and itself.
-- name: ListFamilySeries :many
SELECT s.product_id FROM workspace.sales_series s
JOIN workspace.products p ON p.tenant_id = s.tenant_id AND p.id = s.product_id
WHERE s.tenant_id = @tenant_id AND s.workspace_id = @workspace_id
  AND (s.product_id = @product_id OR p.family <> '' AND p.family = (
      SELECT o.family FROM workspace.products o WHERE o.tenant_id = @tenant_id AND o.id = @product_id))
ORDER BY s.product_id LIMIT @most;

-- What is known of articles' sales before the day as_of; running_week is the first day of its
-- week.
-- name: ReadSeries :many
SELECT s.product_id, coalesce(p.family, '') AS family, s.first_week, s.units::double precision[] AS units, s.empty_days,
    s.ends_empty, s.ends_on, s.counted_from,
    (CASE WHEN s.first_sale < a.day THEN s.first_sale END)::date AS first_sale,
    (CASE WHEN s.last_sale < a.day THEN s.last_sale
        ELSE (SELECT max(o.day) FROM workspace.sales_days o
            WHERE o.tenant_id = s.tenant_id AND o.workspace_id = s.workspace_id AND o.product_id = s.product_id AND o.day < a.day)
        END)::date AS last_sale,
    coalesce(d.units_28, 0)::double precision AS units_28, coalesce(d.units_84, 0)::double precision AS units_84,
    coalesce(d.units_365, 0)::double precision AS units_365, coalesce(d.running, 0)::double precision AS running
FROM workspace.sales_series s
CROSS JOIN (SELECT @as_of::date AS day, @running_week::date AS running_week) a
CROSS JOIN LATERAL (SELECT p.family FROM workspace.products p WHERE p.tenant_id = s.tenant_id AND p.id = s.product_id LIMIT 1) p
CROSS JOIN LATERAL (
    SELECT sum(y.units - y.returned) FILTER (WHERE y.day >= a.day - 28) AS units_28,
        sum(y.units - y.returned) FILTER (WHERE y.day >= a.day - 84) AS units_84, sum(y.units - y.returned) AS units_365,
        sum(y.units - y.returned) FILTER (WHERE y.day >= a.running_week) AS running
    FROM workspace.sales_days y
    WHERE y.tenant_id = s.tenant_id AND y.workspace_id = s.workspace_id AND y.product_id = s.product_id
      AND y.day >= a.day - 365 AND y.day < a.day) d
WHERE s.tenant_id = @tenant_id AND s.workspace_id = @workspace_id AND s.product_id = ANY (@products::text[])
ORDER BY s.product_id;

-- Entries since an origin, and those that are still open, of articles or of a class.
-- name: ReadForecastLog :many
SELECT product_id, origin, family, forecast_none, forecast_half, forecast_full, strength, indexed, sigma_day2, class, replayed,
    in_stock_days, units
FROM workspace.forecast_log
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id
  AND (sqlc.narg('products')::text[] IS NULL OR product_id = ANY (sqlc.narg('products')))
  AND (sqlc.narg('class')::text IS NULL OR class = sqlc.narg('class'))
  AND (origin >= @since OR in_stock_days IS NULL)
ORDER BY product_id, origin;

-- Entries that are there stay as they are. Without an outcome, in_stock_days is -1 and units NaN.
-- name: AddToForecastLog :exec
INSERT INTO workspace.forecast_log (tenant_id, workspace_id, origin, product_id, family, forecast_none, forecast_half, forecast_full,
    strength, indexed, sigma_day2, class, replayed, in_stock_days, units)
SELECT @tenant_id, @workspace_id, unnest(@origins::date[]), unnest(@products::text[]), unnest(@families::text[]),
    unnest(@forecasts_none::double precision[]), unnest(@forecasts_half::double precision[]), unnest(@forecasts_full::double precision[]),
    unnest(@strengths::double precision[]), unnest(@indexed::boolean[]), unnest(@sigmas2::double precision[]),
    unnest(@classes::text[]), unnest(@replayed::boolean[]), nullif(unnest(@in_stock_days::integer[]), -1),
    nullif(unnest(@units::double precision[]), 'NaN')
ON CONFLICT (tenant_id, workspace_id, product_id, origin) DO NOTHING;

-- name: FinishForecasts :exec
UPDATE workspace.forecast_log l SET in_stock_days = o.in_stock_days, units = o.units
FROM (SELECT unnest(@origins::date[]) AS origin, unnest(@products::text[]) AS product_id, unnest(@in_stock_days::integer[]) AS in_stock_days,
    unnest(@units::double precision[]) AS units) o
WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.origin = o.origin AND l.product_id = o.product_id
  AND l.in_stock_days IS NULL;

-- name: DropOldForecasts :execrows
DELETE FROM workspace.forecast_log l
USING (SELECT o.product_id, o.origin FROM workspace.forecast_log o
    WHERE o.tenant_id = @tenant_id AND o.workspace_id = @workspace_id AND o.origin < @before
    ORDER BY o.product_id, o.origin LIMIT @most) old
WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.product_id = old.product_id AND l.origin = old.origin;

-- Writes the rows that differ, and returns how many.
-- name: SaveForecasts :one
WITH given AS MATERIALIZED (SELECT json_populate_recordset(NULL::workspace.forecasts, @rows::json) AS f),
changed AS (
    UPDATE workspace.forecasts f SET as_of = @as_of::date,
        family = (g.f).family, first_sale_date = (g.f).first_sale_date, last_sale_date = (g.f).last_sale_date,
        exposure_days = (g.f).exposure_days, stockout_days_84 = (g.f).stockout_days_84, units_28 = (g.f).units_28,
        units_84 = (g.f).units_84, units_365 = (g.f).units_365, velocity_raw = (g.f).velocity_raw, velocity = (g.f).velocity,
        sigma_day = (g.f).sigma_day, season_factor = (g.f).season_factor, season_strength = (g.f).season_strength,
        demand_per_day = (g.f).demand_per_day, trend_pct = (g.f).trend_pct, demand_class = (g.f).demand_class,
        forecast_30 = (g.f).forecast_30, forecast_90 = (g.f).forecast_90, low_30 = (g.f).low_30, high_30 = (g.f).high_30,
        wape = (g.f).wape, wape_naive = (g.f).wape_naive, wape_seasonal_naive = (g.f).wape_seasonal_naive, rmsse = (g.f).rmsse,
        bias = (g.f).bias, confidence = (g.f).confidence, flags = (g.f).flags
    FROM given g
    WHERE f.tenant_id = @tenant_id AND f.workspace_id = @workspace_id AND f.product_id = (g.f).product_id
      AND (
        f.family, f.first_sale_date, f.last_sale_date, f.exposure_days, f.stockout_days_84, f.units_28, f.units_84,
        f.units_365, f.velocity_raw, f.velocity, f.sigma_day, f.season_factor, f.season_strength, f.demand_per_day,
        f.trend_pct, f.demand_class, f.forecast_30, f.forecast_90, f.low_30, f.high_30, f.wape, f.wape_naive,
        f.wape_seasonal_naive, f.rmsse, f.bias, f.confidence, f.flags)
      IS DISTINCT FROM (
        (g.f).family, (g.f).first_sale_date, (g.f).last_sale_date, (g.f).exposure_days, (g.f).stockout_days_84, (g.f).units_28, (g.f).units_84,
        (g.f).units_365, (g.f).velocity_raw, (g.f).velocity, (g.f).sigma_day, (g.f).season_factor, (g.f).season_strength, (g.f).demand_per_day,
        (g.f).trend_pct, (g.f).demand_class, (g.f).forecast_30, (g.f).forecast_90, (g.f).low_30, (g.f).high_30, (g.f).wape, (g.f).wape_naive,
        (g.f).wape_seasonal_naive, (g.f).rmsse, (g.f).bias, (g.f).confidence, (g.f).flags)
    RETURNING 1),
added AS (
    INSERT INTO workspace.forecasts (tenant_id, workspace_id, product_id, as_of,
        family, first_sale_date, last_sale_date, exposure_days, stockout_days_84, units_28, units_84, units_365,
        velocity_raw, velocity, sigma_day, season_factor, season_strength, demand_per_day, trend_pct, demand_class,
        forecast_30, forecast_90, low_30, high_30, wape, wape_naive, wape_seasonal_naive, rmsse, bias, confidence,
        flags)
    SELECT @tenant_id, @workspace_id, (g.f).product_id, @as_of,
        (g.f).family, (g.f).first_sale_date, (g.f).last_sale_date, (g.f).exposure_days, (g.f).stockout_days_84, (g.f).units_28, (g.f).units_84,
        (g.f).units_365, (g.f).velocity_raw, (g.f).velocity, (g.f).sigma_day, (g.f).season_factor, (g.f).season_strength, (g.f).demand_per_day,
        (g.f).trend_pct, (g.f).demand_class, (g.f).forecast_30, (g.f).forecast_90, (g.f).low_30, (g.f).high_30, (g.f).wape, (g.f).wape_naive,
        (g.f).wape_seasonal_naive, (g.f).rmsse, (g.f).bias, (g.f).confidence, (g.f).flags
    FROM given g
    WHERE NOT EXISTS (SELECT FROM workspace.forecasts f
        WHERE f.tenant_id = @tenant_id AND f.workspace_id = @workspace_id AND f.product_id = (g.f).product_id)
    RETURNING 1)
SELECT ((SELECT count(*) FROM changed) + (SELECT count(*) FROM added))::bigint AS written;

-- name: DropForecasts :exec
DELETE FROM workspace.forecasts f
WHERE f.tenant_id = @tenant_id AND f.workspace_id = @workspace_id
  AND NOT EXISTS (SELECT FROM workspace.sales_series s
      WHERE s.tenant_id = f.tenant_id AND s.workspace_id = f.workspace_id AND s.product_id = f.product_id);

-- name: DropForecastsOf :exec
DELETE FROM workspace.forecasts WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND product_id = ANY (@products::text[]);

-- name: ReadForecastFamilies :many
SELECT family, prior, indexed, strength, strength_reason, raw_index, index, years, units
FROM workspace.forecast_families WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id ORDER BY family;

-- name: SaveForecastFamily :exec
INSERT INTO workspace.forecast_families AS f (tenant_id, workspace_id, family, prior, indexed, strength, strength_reason, raw_index, index, years, units)
VALUES (@tenant_id, @workspace_id, @family, @prior, @indexed, @strength, @strength_reason, @raw_index, @index, @years, @units)
ON CONFLICT (tenant_id, workspace_id, family) DO UPDATE
SET prior = excluded.prior, indexed = excluded.indexed, strength = excluded.strength, strength_reason = excluded.strength_reason,
    raw_index = excluded.raw_index, index = excluded.index, years = excluded.years, units = excluded.units;

-- name: DropForecastFamilies :exec
DELETE FROM workspace.forecast_families
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND family <> ALL (@families::text[]);

-- name: ReadForecastClasses :many
SELECT class, tau2, z_90, z_95, z_975, z_99 FROM workspace.forecast_classes WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id;

-- name: SaveForecastClass :exec
INSERT INTO workspace.forecast_classes AS c (tenant_id, workspace_id, class, forecasts, tau2, z_90, z_95, z_975, z_99)
VALUES (@tenant_id, @workspace_id, @class, @forecasts, @tau2, @z_90, @z_95, @z_975, @z_99)
ON CONFLICT (tenant_id, workspace_id, class) DO UPDATE
SET forecasts = excluded.forecasts, tau2 = excluded.tau2, z_90 = excluded.z_90, z_95 = excluded.z_95, z_975 = excluded.z_975, z_99 = excluded.z_99;

-- The queue waits for a computation: since this demand, or since an earlier one that it was not computed from either.
-- name: SaveForecastState :exec
INSERT INTO workspace.forecast_state AS s (tenant_id, workspace_id, as_of, newest_origin, time_zone, week_start, computed_at, stale, queue_waits_since)
VALUES (@tenant_id, @workspace_id, @as_of, @newest_origin, @time_zone, @week_start, @computed_at, false, @computed_at)
ON CONFLICT (tenant_id, workspace_id) DO UPDATE
SET as_of = excluded.as_of, newest_origin = excluded.newest_origin, time_zone = excluded.time_zone, week_start = excluded.week_start,
    computed_at = excluded.computed_at, stale = false, stale_since = NULL,
    queue_waits_since = CASE WHEN EXISTS (SELECT FROM workspace.queue_state q
        WHERE q.tenant_id = s.tenant_id AND q.workspace_id = s.workspace_id AND q.forecasts_at = s.computed_at)
        THEN excluded.computed_at ELSE s.queue_waits_since END;

-- name: MarkForecastsStale :exec
UPDATE workspace.forecast_state SET stale = true, stale_since = now() WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND NOT stale;

-- The stored demand of one article, with the season of its family and the error of its class.
-- name: GetForecast :one
SELECT s.as_of, f.family, f.velocity, f.sigma_day, f.season_strength, f.demand_class, f.confidence, f.trend_pct, f.flags,
    coalesce(m.indexed, false)::boolean AS indexed, coalesce(m.index, '{}')::double precision[] AS index, c.tau2
FROM workspace.forecasts f
JOIN workspace.forecast_state s ON s.tenant_id = f.tenant_id AND s.workspace_id = f.workspace_id
JOIN workspace.forecast_classes c ON c.tenant_id = f.tenant_id AND c.workspace_id = f.workspace_id AND c.class = f.demand_class
LEFT JOIN workspace.forecast_families m ON m.tenant_id = f.tenant_id AND m.workspace_id = f.workspace_id
    AND m.family = f.family AND f.family <> ''
WHERE f.tenant_id = @tenant_id AND f.workspace_id = @workspace_id AND f.product_id = @product_id;
