-- The same payload failing again is one dead letter with a count. Empty text stands
-- for no field and no key.
-- name: KeepDeadLetters :exec
INSERT INTO workspace.failed_imports
    (tenant_id, id, workspace_id, slug, http_status, code, field, message, errors, payload, payload_hash, record_key, key_id, request_id)
SELECT u.tenant_id, u.id, u.workspace_id, u.slug, u.http_status, u.code, nullif(u.field, ''), u.message, u.errors,
    u.payload, u.payload_hash, nullif(u.record_key, ''), u.key_id, u.request_id
FROM (
    SELECT unnest(@tenant_ids::uuid[]) AS tenant_id, unnest(@ids::uuid[]) AS id, unnest(@workspace_ids::uuid[]) AS workspace_id,
        unnest(@slugs::text[]) AS slug, unnest(@http_statuses::bigint[]) AS http_status, unnest(@codes::text[]) AS code,
        unnest(@fields::text[]) AS field, unnest(@messages::text[]) AS message, unnest(@errors::jsonb[]) AS errors,
        unnest(@payloads::bytea[]) AS payload, unnest(@payload_hashes::bytea[]) AS payload_hash,
        unnest(@record_keys::text[]) AS record_key, unnest(@key_ids::uuid[]) AS key_id, unnest(@request_ids::text[]) AS request_id
) u
ORDER BY u.tenant_id, u.workspace_id, u.slug, u.payload_hash
ON CONFLICT (tenant_id, workspace_id, slug, payload_hash) WHERE status = 'open' DO UPDATE
SET seen = failed_imports.seen + 1, last_seen_at = now(),
    http_status = excluded.http_status, code = excluded.code, field = excluded.field, message = excluded.message,
    errors = excluded.errors, record_key = excluded.record_key, key_id = excluded.key_id, request_id = excluded.request_id;

-- name: ListOpenFailures :many
SELECT DISTINCT tenant_id, slug FROM workspace.failed_imports
WHERE status = 'open' AND record_key IS NOT NULL
ORDER BY tenant_id, slug;
