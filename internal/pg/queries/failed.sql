-- The same payload failing again is one dead letter with a count.
-- name: KeepDeadLetter :exec
INSERT INTO workspace.failed_imports
    (tenant_id, id, workspace_id, slug, http_status, code, field, message, errors, payload, payload_hash, record_key, key_id, request_id)
VALUES
    (@tenant_id, @id, @workspace_id, @slug, @http_status, @code, @field, @message, @errors, @payload, @payload_hash, @record_key, @key_id, @request_id)
ON CONFLICT (tenant_id, workspace_id, slug, payload_hash) WHERE status = 'open' DO UPDATE
SET seen = failed_imports.seen + 1, last_seen_at = now(),
    http_status = excluded.http_status, code = excluded.code, field = excluded.field, message = excluded.message,
    errors = excluded.errors, record_key = excluded.record_key, key_id = excluded.key_id, request_id = excluded.request_id;

-- name: ListOpenFailures :many
SELECT DISTINCT tenant_id, slug FROM workspace.failed_imports
WHERE status = 'open' AND record_key IS NOT NULL
ORDER BY tenant_id, slug;
