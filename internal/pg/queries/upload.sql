-- Adds no row if the workspace has too many files.
-- name: InsertImport :execrows
INSERT INTO workspace.imports (tenant_id, id, workspace_id, slug, file_name, actor, request_id)
SELECT @tenant_id, @id, @workspace_id, @slug, @file_name, @actor, @request_id
WHERE (SELECT count(*) FROM workspace.imports i WHERE i.tenant_id = @tenant_id AND i.workspace_id = @workspace_id AND i.finished_at IS NULL) < @most::bigint;

-- name: AddImportChunk :exec
INSERT INTO workspace.import_chunks (tenant_id, import_id, n, bytes) VALUES (@tenant_id, @import_id, @n, @bytes);

-- No row means the end of the file.
-- name: GetImportChunk :one
SELECT bytes FROM workspace.import_chunks WHERE tenant_id = @tenant_id AND import_id = @import_id AND n = @n;

-- name: DropImportFile :exec
DELETE FROM workspace.import_chunks WHERE tenant_id = @tenant_id AND import_id = @import_id;

-- name: DropImport :exec
DELETE FROM workspace.imports WHERE tenant_id = @tenant_id AND id = @id AND status IN ('uploading', 'ready');

-- A file that is read in another way has other columns, so the mapping is cleared.
-- name: SetImportFile :execrows
UPDATE workspace.imports
SET status = 'ready', bytes = @bytes, reading = @reading, found = @found, total = @total, mapping = NULL
WHERE tenant_id = @tenant_id AND id = @id AND status IN ('uploading', 'ready');

-- name: SetImportMapping :execrows
UPDATE workspace.imports SET mapping = @mapping WHERE tenant_id = @tenant_id AND id = @id AND status = 'ready';

-- name: GetImport :one
SELECT * FROM workspace.imports WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = @id AND status <> 'uploading';

-- name: ListImports :many
SELECT * FROM workspace.imports
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id < @before AND status <> 'uploading' AND (@slug::text = '' OR slug = @slug)
ORDER BY id DESC LIMIT @most;

-- What the file's values are like is no longer needed: the mapping is settled.
-- name: StartImport :execrows
UPDATE workspace.imports
SET status = 'queued', queued_at = now(), mapping = @mapping, found = found - 'tallies', actor = @actor, request_id = @request_id
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = @id AND status = 'ready';

-- No row if the import has ended, or was cancelled before it began.
-- name: BeginImport :one
UPDATE workspace.imports SET status = 'running', started_at = coalesce(started_at, now())
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = @id AND status IN ('queued', 'running')
RETURNING *;

-- No row if another process has advanced the import; then these results are not counted.
-- name: AdvanceImport :execrows
UPDATE workspace.imports
SET notes = notes + 1, position = @position, ahead = @ahead::bigint[], created = created + @created::bigint, updated = updated + @updated::bigint,
    unchanged = unchanged + @unchanged::bigint, refused = refused + @refused::bigint, unreadable = unreadable + @unreadable::bigint, warned = @warned
WHERE tenant_id = @tenant_id AND id = @id AND status = 'running' AND notes = @noted::bigint;

-- name: AddImportRejects :exec
INSERT INTO workspace.import_rejects (tenant_id, import_id, record, reason, message, line)
SELECT @tenant_id, @import_id, u.record, u.reason, u.message, u.line
FROM (SELECT unnest(@records::bigint[]) AS record, unnest(@reasons::text[]) AS reason, unnest(@messages::text[]) AS message, unnest(@lines::bytea[]) AS line) u;

-- name: EndImport :execrows
UPDATE workspace.imports SET status = @status, message = @message, finished_at = now()
WHERE tenant_id = @tenant_id AND id = @id AND status IN ('queued', 'running');

-- An import that has not begun ends at once; a running one ends after its current batch.
-- name: CancelImport :one
UPDATE workspace.imports
SET cancel_asked = true, found = found - 'tallies',
    status = CASE status WHEN 'running' THEN status ELSE 'cancelled' END,
    finished_at = CASE status WHEN 'running' THEN NULL ELSE now() END
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = @id AND status IN ('ready', 'queued', 'running')
RETURNING status;

-- name: ListImportRejects :many
SELECT record, line FROM workspace.import_rejects
WHERE tenant_id = @tenant_id AND import_id = @import_id AND record > @after
ORDER BY record LIMIT @most;

-- name: ListImportReasons :many
SELECT reason, count(*) AS records, min(record)::bigint AS first_record, ((array_agg(message ORDER BY record))[1])::text AS example
FROM workspace.import_rejects WHERE tenant_id = @tenant_id AND import_id = @import_id
GROUP BY reason ORDER BY count(*) DESC, min(record) LIMIT @most;

-- name: ListTenantsWithOldImports :many
SELECT DISTINCT tenant_id FROM workspace.imports
WHERE finished_at IS NULL AND coalesce(queued_at, created_at) < now() - interval '1 day'
    OR refused > 0 AND NOT rejects_dropped AND finished_at < now() - interval '30 days'
LIMIT @most;

-- name: DropOldUploads :exec
DELETE FROM workspace.imports
WHERE tenant_id = ANY (@tenant_ids::uuid[]) AND status IN ('uploading', 'ready') AND created_at < now() - interval '1 day';

-- name: EndOldImports :exec
WITH ended AS (
    UPDATE workspace.imports SET status = 'failed', message = @message, finished_at = now()
    WHERE imports.tenant_id = ANY (@tenant_ids::uuid[]) AND status IN ('queued', 'running') AND queued_at < now() - interval '1 day'
    RETURNING imports.tenant_id, imports.id
)
DELETE FROM workspace.import_chunks c USING ended WHERE c.tenant_id = ended.tenant_id AND c.import_id = ended.id;

-- name: DropOldRejects :exec
WITH old AS (
    UPDATE workspace.imports SET rejects_dropped = true
    WHERE imports.tenant_id = ANY (@tenant_ids::uuid[]) AND refused > 0 AND NOT rejects_dropped AND finished_at < now() - interval '30 days'
    RETURNING imports.tenant_id, imports.id
)
DELETE FROM workspace.import_rejects r USING old WHERE r.tenant_id = old.tenant_id AND r.import_id = old.id;
