-- name: CountBulkRetry :one
SELECT count(*) AS failures, coalesce(max(id::text), '')::text AS last_id FROM workspace.failed_imports
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND status = 'open' AND workspace.failure_matches(@filter::jsonb, slug, code, field, key_id, last_seen_at, message, record_key);

-- name: InsertBulkRetry :exec
INSERT INTO workspace.bulk_retries (tenant_id, id, workspace_id, filter, fixes, overwrite, actor, request_id, total, last_id)
VALUES (@tenant_id, @id, @workspace_id, @filter, @fixes, @overwrite, @actor, @request_id, @total, @last_id);

-- name: GetBulkRetry :one
SELECT * FROM workspace.bulk_retries WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = @id;

-- name: ListBulkRetries :many
SELECT * FROM workspace.bulk_retries
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id < @before
ORDER BY id DESC LIMIT @most;

-- No row if the bulk retry has ended, or was cancelled before it began.
-- name: BeginBulkRetry :one
UPDATE workspace.bulk_retries SET status = 'running', started_at = coalesce(started_at, now())
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = @id AND status IN ('queued', 'running')
RETURNING *;

-- The next open failures that existed at the start, by the time they were last seen. Failures
-- that this bulk retry has tried in vain are left out: its process may have died before it
-- moved the cursor. A failure that it stored and that is still open needs only to be closed.
-- name: NextInBulkRetry :many
SELECT f.id, f.slug, f.record_key, f.last_seen_at FROM workspace.failed_imports f
WHERE f.tenant_id = @tenant_id AND f.workspace_id = @workspace_id AND f.id <= @last_id AND f.status = 'open'
  AND f.last_seen_at >= @cursor_seen_at AND (f.last_seen_at, f.id) > (@cursor_seen_at, @cursor::uuid)
  AND workspace.failure_matches(@filter::jsonb, f.slug, f.code, f.field, f.key_id, f.last_seen_at, f.message, f.record_key)
  AND NOT EXISTS (SELECT FROM workspace.failed_import_attempts a
      WHERE a.tenant_id = f.tenant_id AND a.failed_id = f.id AND a.bulk_id = @bulk_id::uuid AND a.http_status <> 200)
ORDER BY f.last_seen_at, f.id LIMIT @most;

-- Results are counted from the attempts, which are written together with their outcomes;
-- skipped failures have none, or one that was stale. No row if another process has moved the cursor since.
-- name: AdvanceBulkRetry :execrows
UPDATE workspace.bulk_retries b
SET cursor_seen_at = @cursor_seen_at, cursor = @cursor, skipped = b.skipped + @skipped::bigint,
    succeeded = a.succeeded, newer = a.newer, refused = a.refused
FROM (SELECT count(*) FILTER (WHERE http_status = 200 AND code <> 'stale') AS succeeded, count(*) FILTER (WHERE http_status = 412) AS newer,
        count(*) FILTER (WHERE http_status NOT IN (200, 412)) AS refused
    FROM workspace.failed_import_attempts WHERE failed_import_attempts.tenant_id = @tenant_id AND bulk_id = @id::uuid) a
WHERE b.tenant_id = @tenant_id AND b.id = @id AND b.status = 'running'
  AND b.cursor_seen_at = @from_seen_at AND b.cursor = @from_cursor::uuid;

-- Counts the attempts again, because an earlier run may have died before it counted them.
-- Failures that matched at the start and have no attempt were closed by others, and stale ones have become pointless by
-- newer deliveries.
-- name: EndBulkRetry :exec
UPDATE workspace.bulk_retries b
SET status = @status::text, message = @message, finished_at = now(), succeeded = a.succeeded, newer = a.newer, refused = a.refused,
    skipped = CASE @status::text WHEN 'done' THEN greatest(b.total - a.attempts, 0) ELSE b.skipped END
FROM (SELECT count(*) FILTER (WHERE http_status <> 200 OR code <> 'stale') AS attempts, count(*) FILTER (WHERE http_status = 200 AND code <> 'stale') AS succeeded, count(*) FILTER (WHERE http_status = 412) AS newer,
        count(*) FILTER (WHERE http_status NOT IN (200, 412)) AS refused
    FROM workspace.failed_import_attempts WHERE failed_import_attempts.tenant_id = @tenant_id AND bulk_id = @id::uuid) a
WHERE b.tenant_id = @tenant_id AND b.id = @id AND b.status IN ('queued', 'running');

-- A queued bulk retry ends at once, a running one at its next check.
-- name: CancelBulkRetry :execrows
UPDATE workspace.bulk_retries
SET cancel_asked = true,
    status = CASE status WHEN 'queued' THEN 'cancelled' ELSE status END,
    finished_at = CASE status WHEN 'queued' THEN now() END
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = @id AND status IN ('queued', 'running');
