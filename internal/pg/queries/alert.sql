-- Causes of alerts, across tenants. Each one found here is checked again as its tenant.

-- Groups of recent failures that have no alert. Normally only sources that failed in the last
-- minutes are read; thoroughly also reads all sources with open failures, because a record
-- that waited in a spool may have failed earlier.
-- name: FindNewFailures :many
WITH s AS (
    SELECT m.tenant_id, m.workspace_id, m.slug FROM workspace.source_minutes m WHERE m.failed > 0 AND m.minute > @since::timestamptz
    UNION
    SELECT f.tenant_id, f.workspace_id, f.slug FROM workspace.source_figures f WHERE @thoroughly::boolean AND f.open_failures > 0 AND f.touched_at > @since
)
SELECT DISTINCT i.tenant_id, i.workspace_id, i.slug, i.code, coalesce(i.field, '')::text AS field
FROM s
JOIN workspace.failed_imports i ON i.tenant_id = s.tenant_id AND i.workspace_id = s.workspace_id AND i.slug = s.slug
WHERE i.status = 'open' AND i.last_seen_at > @since
  AND i.http_status < 500 -- the rest are the service's own failures, and no company can do anything about them
  AND NOT EXISTS (SELECT FROM workspace.alerts a WHERE a.tenant_id = i.tenant_id AND a.workspace_id = i.workspace_id AND a.rule = 'new_failures'
      AND a.slug = i.slug AND a.code = i.code AND a.field = coalesce(i.field, '') AND a.resolved_at IS NULL)
LIMIT @most;

-- Sources whose failure rate is too high. The subquery narrows them down to those with many
-- failures.
-- name: FindFailingSources :many
SELECT s.tenant_id, s.workspace_id, s.slug
FROM (
    SELECT f.tenant_id, f.workspace_id, f.slug FROM workspace.source_minutes f WHERE f.failed > 0 AND f.minute > @window_start
    GROUP BY f.tenant_id, f.workspace_id, f.slug HAVING sum(f.failed) > @fine::bigint
) s
WHERE EXISTS (SELECT FROM workspace.source_minutes m
    WHERE m.tenant_id = s.tenant_id AND m.workspace_id = s.workspace_id AND m.slug = s.slug AND m.minute > @window_start
    HAVING sum(m.accepted + m.failed) >= @least::bigint AND sum(m.failed) * 100 > sum(m.accepted + m.failed) * @percent::bigint)
  AND NOT EXISTS (SELECT FROM workspace.alerts a WHERE a.tenant_id = s.tenant_id AND a.workspace_id = s.workspace_id AND a.rule = 'failure_rate'
      AND a.slug = s.slug AND a.resolved_at IS NULL)
LIMIT @most;

-- Sources that fell silent within the last days; those silent for longer have an alert
-- already. The allowed gap counts from the last record, which may be later than the start of
-- the last visit.
-- name: FindSilentSources :many
SELECT r.tenant_id, r.workspace_id, r.slug
FROM workspace.source_rhythms r
JOIN workspace.source_figures f ON f.tenant_id = r.tenant_id AND f.workspace_id = r.workspace_id AND f.slug = r.slug
WHERE r.silent_after BETWEEN @since::timestamptz AND @now::timestamptz
  AND f.last_seen_at + (r.silent_after - r.visit_at) < @now
  AND NOT EXISTS (SELECT FROM workspace.alerts a WHERE a.tenant_id = r.tenant_id AND a.workspace_id = r.workspace_id AND a.rule = 'silent_source'
      AND a.slug = r.slug AND a.resolved_at IS NULL)
  AND (r.tenant_id, r.workspace_id, r.slug) > (@after_tenant::uuid, @after_workspace::uuid, @after_slug::text)
ORDER BY r.tenant_id, r.workspace_id, r.slug
LIMIT @most;

-- Open alerts whose cause has gone, or may have: freshness of figures is not judged here. Those come last, and in turn.
-- name: FindGoneCauses :many
SELECT a.tenant_id, a.workspace_id, a.rule, a.slug, a.code, a.field FROM workspace.alerts a
WHERE a.resolved_at IS NULL AND CASE a.rule
    WHEN 'new_failures' THEN NOT EXISTS (SELECT FROM workspace.failed_imports i WHERE i.tenant_id = a.tenant_id AND i.workspace_id = a.workspace_id
        AND i.slug = a.slug AND i.status = 'open' AND i.code = a.code AND coalesce(i.field, '') = a.field AND i.last_seen_at > @fresh
        AND i.http_status < 500)
    WHEN 'failure_rate' THEN NOT EXISTS (SELECT FROM workspace.source_minutes m
        WHERE m.tenant_id = a.tenant_id AND m.workspace_id = a.workspace_id AND m.slug = a.slug AND m.minute > @window_start
        HAVING sum(m.accepted + m.failed) >= @least::bigint AND sum(m.failed) * 100 > sum(m.accepted + m.failed) * @percent::bigint)
    WHEN 'not_computed' THEN true
    ELSE NOT EXISTS (SELECT FROM workspace.source_rhythms r
        JOIN workspace.source_figures f ON f.tenant_id = r.tenant_id AND f.workspace_id = r.workspace_id AND f.slug = r.slug
        WHERE r.tenant_id = a.tenant_id AND r.workspace_id = a.workspace_id AND r.slug = a.slug
          AND f.last_seen_at + (r.silent_after - r.visit_at) < @now::timestamptz
          AND EXISTS (SELECT FROM workspace.api_keys k WHERE k.tenant_id = r.tenant_id AND k.workspace_id = r.workspace_id
              AND k.scope IN (r.slug, '*') AND k.revoked_at IS NULL))
END
ORDER BY a.rule = 'not_computed', random()
LIMIT @most;

-- Workspaces that have an open alert that something is not computed.
-- name: ListNotComputed :many
SELECT a.tenant_id, a.workspace_id, a.slug FROM workspace.alerts a WHERE a.resolved_at IS NULL AND a.rule = 'not_computed';

-- Checks of one tenant's causes, as that tenant.

-- Makes instances that check the same tenant wait for each other.
-- name: LockAlerts :exec
SELECT pg_advisory_xact_lock(hashtextextended(concat('alerts of ', @tenant_id::uuid), 0));

-- name: ReadFailures :one
SELECT count(*) AS failed, min(first_seen_at)::timestamptz AS since,
    (array_agg(coalesce(errors -> 0 ->> 'message', message) ORDER BY last_seen_at DESC))[1]::text AS message
FROM workspace.failed_imports
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND slug = @slug AND status = 'open'
  AND code = @code AND coalesce(field, '') = @field::text AND last_seen_at > @fresh AND http_status < 500
HAVING count(*) > 0;

-- name: ReadRate :one
SELECT sum(failed)::bigint AS failed, sum(accepted + failed)::bigint AS total, min(minute)::timestamptz AS since
FROM workspace.source_minutes
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND slug = @slug AND minute > @window_start
HAVING sum(accepted + failed) >= @least::bigint AND sum(failed) * 100 > sum(accepted + failed) * @percent::bigint;

-- No row if the source was switched off: all its keys were revoked, or its table is gone.
-- Expired keys do not count as revoked.
-- name: ReadSilence :one
SELECT r.usual_gap, r.visit_at, f.last_seen_at::timestamptz AS since
FROM workspace.source_rhythms r
JOIN workspace.source_figures f ON f.tenant_id = r.tenant_id AND f.workspace_id = r.workspace_id AND f.slug = r.slug
WHERE r.tenant_id = @tenant_id AND r.workspace_id = @workspace_id AND r.slug = @slug AND r.silent_after IS NOT NULL
  AND f.last_seen_at + (r.silent_after - r.visit_at) < @now::timestamptz
  AND EXISTS (SELECT FROM workspace.api_keys k WHERE k.tenant_id = r.tenant_id AND k.workspace_id = r.workspace_id
      AND k.scope IN (r.slug, '*') AND k.revoked_at IS NULL)
  AND EXISTS (SELECT FROM workspace.registry_tables t WHERE t.tenant_id IN (r.tenant_id, '00000000-0000-0000-0000-000000000000') AND t.slug = r.slug AND t.retired_at IS NULL);

-- The hours in which a source sent something, stored or refused.
-- name: ListHeardHours :many
SELECT hour FROM workspace.source_hours
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND slug = @slug AND hour >= @since
ORDER BY hour;

-- Lets a source be quiet for longer. Its next visit sets silent_after anew.
-- name: ExtendSilence :exec
UPDATE workspace.source_rhythms SET silent_after = visit_at + @quiet::interval
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND slug = @slug AND visit_at = @visit_at;

-- A cause that returns within the hour reopens its alert.
-- name: ReopenAlert :execrows
UPDATE workspace.alerts SET resolved_at = NULL
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND rule = @rule AND slug = @slug AND code = @code AND field = @field
  AND resolved_at IS NOT NULL AND raised_at > @since;

-- name: RaiseAlert :execrows
INSERT INTO workspace.alerts (tenant_id, id, workspace_id, rule, slug, code, field, failed, total, usual_gap, message, since, raised_at, mail_next_at)
VALUES (@tenant_id, @id, @workspace_id, @rule, @slug, @code, @field, @failed, @total, @usual_gap, @message, @since, @raised_at, @mail_next_at)
ON CONFLICT (tenant_id, workspace_id, rule, slug, code, field) WHERE resolved_at IS NULL DO NOTHING;

-- name: ResolveAlert :exec
UPDATE workspace.alerts SET resolved_at = @now::timestamptz
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND rule = @rule AND slug = @slug AND code = @code AND field = @field
  AND resolved_at IS NULL;

-- The list that people see.

-- name: ListAlerts :many
SELECT a.id, a.rule, a.slug, a.code, a.field, a.failed, a.total, a.usual_gap, a.message, a.since, a.raised_at, a.resolved_at,
    EXISTS (SELECT FROM workspace.alert_reads r WHERE r.tenant_id = a.tenant_id AND r.alert_id = a.id AND r.user_id = @user_id) AS read
FROM workspace.alerts a
WHERE a.tenant_id = @tenant_id AND a.workspace_id = @workspace_id AND a.id < @before
ORDER BY a.id DESC LIMIT @most;

-- Alerts whose cause lasts.
-- name: ListOpenAlerts :many
SELECT a.id, a.rule, a.slug, a.code, a.field, a.failed, a.total, a.usual_gap, a.message, a.since, a.raised_at, a.resolved_at,
    EXISTS (SELECT FROM workspace.alert_reads r WHERE r.tenant_id = a.tenant_id AND r.alert_id = a.id AND r.user_id = @user_id) AS read
FROM workspace.alerts a
WHERE a.tenant_id = @tenant_id AND a.workspace_id = @workspace_id AND a.resolved_at IS NULL
ORDER BY a.id DESC LIMIT @most;

-- Old alerts that are resolved do not count as unread.
-- name: CountUnreadAlerts :one
SELECT count(*) FROM workspace.alerts a
WHERE a.tenant_id = @tenant_id AND a.workspace_id = @workspace_id AND (a.resolved_at IS NULL OR a.raised_at > @since)
  AND NOT EXISTS (SELECT FROM workspace.alert_reads r WHERE r.tenant_id = a.tenant_id AND r.alert_id = a.id AND r.user_id = @user_id);

-- name: ReadAlerts :exec
INSERT INTO workspace.alert_reads (tenant_id, alert_id, user_id)
SELECT a.tenant_id, a.id, @user_id::uuid FROM workspace.alerts a
WHERE a.tenant_id = @tenant_id AND a.workspace_id = @workspace_id AND (a.id = ANY (@ids::uuid[]) OR a.id <= @up_to)
ON CONFLICT DO NOTHING;

-- Mail.

-- name: FindDueMails :many
SELECT DISTINCT tenant_id, workspace_id FROM workspace.alerts WHERE mail_next_at <= @now::timestamptz AND resolved_at IS NULL LIMIT @most;

-- Only the instance that claims an alert mails it.
-- name: ClaimMails :many
UPDATE workspace.alerts SET mailed_at = @now::timestamptz, mail_next_at = NULL, mail_tries = mail_tries + 1
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND mail_next_at <= @now AND resolved_at IS NULL
RETURNING id, rule, slug, code, field, failed, total, usual_gap, message, since, raised_at, mail_tries, mail_left;

-- name: PutMailBack :exec
UPDATE workspace.alerts SET mailed_at = NULL, mail_left = @mail_left, mail_next_at = @mail_next_at
WHERE tenant_id = @tenant_id AND id = @id;

-- name: ListAlertReceivers :many
SELECT u.id, u.email FROM control.memberships m JOIN control.users u ON u.id = m.user_id
WHERE m.tenant_id = @tenant_id AND m.role = ANY (@roles::text[]) AND u.alert_mails
ORDER BY u.id;

-- name: GetPlace :one
SELECT t.name AS company, w.name AS workspace, w.time_zone FROM control.workspaces w JOIN control.tenants t ON t.id = w.tenant_id
WHERE w.tenant_id = @tenant_id AND w.id = @workspace_id;
