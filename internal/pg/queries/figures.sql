-- Every writer updates the rows in the order of their keys, so that two instances that flush
-- at once wait for each other instead of deadlocking.

-- name: AddSourceFigures :exec
INSERT INTO workspace.source_figures AS f (tenant_id, workspace_id, slug, rows, last_record_at, last_seen_at)
SELECT u.tenant_id, u.workspace_id, u.slug, u.created, nullif(u.last_at, timestamptz '0001-01-01 00:00:00Z'), u.seen_at -- the zero time: none
FROM (SELECT unnest(@tenant_ids::uuid[]) AS tenant_id, unnest(@workspace_ids::uuid[]) AS workspace_id, unnest(@slugs::text[]) AS slug,
    unnest(@created::bigint[]) AS created, unnest(@last_at::timestamptz[]) AS last_at, unnest(@seen_at::timestamptz[]) AS seen_at) u
ORDER BY u.tenant_id, u.workspace_id, u.slug
ON CONFLICT (tenant_id, workspace_id, slug) DO UPDATE
SET rows = f.rows + excluded.rows, last_record_at = greatest(f.last_record_at, excluded.last_record_at),
    last_seen_at = greatest(f.last_seen_at, excluded.last_seen_at), touched_at = now();

-- Rows that people and agents made in the app.
-- name: AddSourceRows :exec
INSERT INTO workspace.source_figures AS f (tenant_id, workspace_id, slug, rows)
VALUES (@tenant_id, @workspace_id, @slug, @rows)
ON CONFLICT (tenant_id, workspace_id, slug) DO UPDATE SET rows = f.rows + excluded.rows, touched_at = now();

-- warned holds how many records were warned of, by code.
-- name: AddSourceHours :exec
INSERT INTO workspace.source_hours AS h (tenant_id, workspace_id, slug, hour, accepted, failed, stale, warned)
SELECT u.tenant_id, u.workspace_id, u.slug, u.hour, u.accepted, u.failed, u.stale, u.warned::jsonb
FROM (SELECT unnest(@tenant_ids::uuid[]) AS tenant_id, unnest(@workspace_ids::uuid[]) AS workspace_id, unnest(@slugs::text[]) AS slug,
    unnest(@hours::timestamptz[]) AS hour, unnest(@accepted::bigint[]) AS accepted, unnest(@failed::bigint[]) AS failed,
    unnest(@stale::bigint[]) AS stale, unnest(@warned::text[]) AS warned) u
ORDER BY u.tenant_id, u.workspace_id, u.slug, u.hour
ON CONFLICT (tenant_id, workspace_id, slug, hour) DO UPDATE
SET accepted = h.accepted + excluded.accepted, failed = h.failed + excluded.failed, stale = h.stale + excluded.stale,
    warned = CASE WHEN excluded.warned = '{}' THEN h.warned ELSE workspace.add_counts(h.warned, excluded.warned) END;

-- A minute replaces the one sixteen minutes before it.
-- name: AddSourceMinutes :exec
INSERT INTO workspace.source_minutes AS m (tenant_id, workspace_id, slug, place, minute, accepted, failed)
SELECT u.tenant_id, u.workspace_id, u.slug, extract(epoch FROM u.minute)::bigint / 60 % 16, u.minute, u.accepted, u.failed
FROM (SELECT unnest(@tenant_ids::uuid[]) AS tenant_id, unnest(@workspace_ids::uuid[]) AS workspace_id, unnest(@slugs::text[]) AS slug,
    unnest(@minutes::timestamptz[]) AS minute, unnest(@accepted::bigint[]) AS accepted, unnest(@failed::bigint[]) AS failed) u
ORDER BY u.tenant_id, u.workspace_id, u.slug, 4
ON CONFLICT (tenant_id, workspace_id, slug, place) DO UPDATE
SET minute = excluded.minute,
    accepted = excluded.accepted + CASE WHEN m.minute = excluded.minute THEN m.accepted ELSE 0 END,
    failed = excluded.failed + CASE WHEN m.minute = excluded.minute THEN m.failed ELSE 0 END
WHERE m.minute <= excluded.minute;

-- A record that comes too early to be a new visit belongs to the last one. A gap that is longer than a
-- source may be quiet is stored as that long: neither an outage nor a night counts as the rhythm.
-- name: AddSourceVisits :exec
INSERT INTO workspace.source_rhythms AS r (tenant_id, workspace_id, slug, visit_at)
SELECT u.tenant_id, u.workspace_id, u.slug, u.visit_at
FROM (SELECT unnest(@tenant_ids::uuid[]) AS tenant_id, unnest(@workspace_ids::uuid[]) AS workspace_id, unnest(@slugs::text[]) AS slug,
    unnest(@visits_at::timestamptz[]) AS visit_at) u
ORDER BY u.tenant_id, u.workspace_id, u.slug
ON CONFLICT (tenant_id, workspace_id, slug) DO UPDATE
SET visit_at = excluded.visit_at, visits = r.visits + 1,
    gaps = (array_prepend(least(extract(epoch FROM excluded.visit_at - r.visit_at)::bigint,
        CASE WHEN r.silent_after IS NOT NULL THEN r.usual_gap * @patience::bigint END), r.gaps))[1:50]
WHERE excluded.visit_at >= r.visit_at + @visit_lasts::interval;

-- name: SetSourceRhythms :exec
UPDATE workspace.source_rhythms r
SET usual_gap = workspace.usual_gap(r.gaps),
    silent_after = CASE WHEN r.visits >= @least_visits::bigint THEN r.visit_at + make_interval(secs => workspace.usual_gap(r.gaps) * @patience::bigint) END
FROM (SELECT unnest(@tenant_ids::uuid[]) AS tenant_id, unnest(@workspace_ids::uuid[]) AS workspace_id, unnest(@slugs::text[]) AS slug) u
WHERE r.tenant_id = u.tenant_id AND r.workspace_id = u.workspace_id AND r.slug = u.slug;

-- name: AddKeyFigures :exec
INSERT INTO workspace.key_figures AS f (tenant_id, key_id, last_used_at, last_used_from)
SELECT u.tenant_id, u.key_id, u.last_at, u.last_from
FROM (SELECT unnest(@tenant_ids::uuid[]) AS tenant_id, unnest(@key_ids::uuid[]) AS key_id,
    unnest(@last_at::timestamptz[]) AS last_at, unnest(@last_from::text[]) AS last_from) u
ORDER BY u.tenant_id, u.key_id
ON CONFLICT (tenant_id, key_id) DO UPDATE
SET last_used_at = excluded.last_used_at, last_used_from = excluded.last_used_from
WHERE f.last_used_at < excluded.last_used_at;

-- name: AddKeyHours :exec
INSERT INTO workspace.key_hours AS h (tenant_id, key_id, hour, calls)
SELECT u.tenant_id, u.key_id, u.hour, u.calls
FROM (SELECT unnest(@tenant_ids::uuid[]) AS tenant_id, unnest(@key_ids::uuid[]) AS key_id,
    unnest(@hours::timestamptz[]) AS hour, unnest(@calls::bigint[]) AS calls) u
ORDER BY u.tenant_id, u.key_id, u.hour
ON CONFLICT (tenant_id, key_id, hour) DO UPDATE SET calls = h.calls + excluded.calls;

-- name: ListSourceFigures :many
SELECT slug, rows, last_record_at, open_failures, pending FROM workspace.source_figures
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id;

-- name: ListSourceHours :many
SELECT slug, hour, accepted, failed, stale, warned FROM workspace.source_hours
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND hour > @since
ORDER BY slug, hour;

-- name: ListKeyFigures :many
SELECT f.key_id, f.last_used_at, f.last_used_from,
    coalesce((SELECT sum(h.calls) FROM workspace.key_hours h
        WHERE h.tenant_id = f.tenant_id AND h.key_id = f.key_id AND h.hour > @since), 0)::bigint AS calls
FROM workspace.key_figures f
WHERE f.tenant_id = @tenant_id AND f.key_id = ANY (@key_ids::uuid[]);

-- Sources whose counts of failures and pending records may have changed: those that took
-- records, and those that have some open, which other records may close.
-- name: ListSourcesToCount :many
SELECT tenant_id, workspace_id, slug FROM workspace.source_figures
WHERE touched_at >= counted_at OR (pending > 0 OR open_failures > 0) AND counted_at < now() - interval '1 minute'
ORDER BY counted_at LIMIT @most;

-- name: CountOpenFailures :one
SELECT count(*) FROM workspace.failed_imports
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND slug = @slug AND status = 'open';

-- name: SetSourceStates :exec
UPDATE workspace.source_figures SET open_failures = @open_failures, pending = @pending, counted_at = now()
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND slug = @slug;

-- Sources that took records since their rows were counted, at most once a day, and after the
-- sums in memory have been written.
-- name: ListSourcesToRecount :many
SELECT tenant_id, workspace_id, slug FROM workspace.source_figures
WHERE rows_counted_at < touched_at AND rows_counted_at < now() - interval '1 day' AND touched_at < now() - interval '1 minute'
ORDER BY rows_counted_at LIMIT @most;

-- The instance that claims a source counts it; the others skip it for a day.
-- name: ClaimRecount :execrows
UPDATE workspace.source_figures SET rows_counted_at = now()
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND slug = @slug
  AND rows_counted_at < now() - interval '1 day' AND touched_at < now() - interval '1 minute';

-- name: SetSourceRows :exec
UPDATE workspace.source_figures SET rows = @rows
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND slug = @slug AND touched_at < now() - interval '1 minute';
