-- Failures of the same payload are one dead letter with a count. Empty text stands for no
-- field and no key, the zero time for now, and JSON null for no actor other than the API key.
--
-- A letter may be sent twice if it is unknown whether the first write was committed. The row
-- that it made has its id; a row that counted it has its last_seen_at and request_id.
-- name: KeepDeadLetters :exec
INSERT INTO workspace.failed_imports
    (tenant_id, id, workspace_id, slug, http_status, code, field, message, errors, payload, payload_hash, record_key, key_id, actor, request_id,
    sequence, seen, first_seen_at, last_seen_at)
SELECT u.tenant_id, u.id, u.workspace_id, u.slug, u.http_status, u.code, nullif(u.field, ''), u.message, u.errors,
    u.payload, u.payload_hash, nullif(u.record_key, ''), u.key_id, nullif(u.actor, 'null'::jsonb), u.request_id,
    nullif(u.sequence, ''), u.seen,
    -- Never later than now: another machine's clock may be ahead, and what is stored later must count as later.
    least(nullif(u.first_seen_at, '0001-01-01 00:00:00+00'), now()), least(nullif(u.last_seen_at, '0001-01-01 00:00:00+00'), now())
FROM (
    SELECT unnest(@tenant_ids::uuid[]) AS tenant_id, unnest(@ids::uuid[]) AS id, unnest(@workspace_ids::uuid[]) AS workspace_id,
        unnest(@slugs::text[]) AS slug, unnest(@http_statuses::bigint[]) AS http_status, unnest(@codes::text[]) AS code,
        unnest(@fields::text[]) AS field, unnest(@messages::text[]) AS message, unnest(@errors::jsonb[]) AS errors,
        unnest(@payloads::bytea[]) AS payload, unnest(@payload_hashes::bytea[]) AS payload_hash,
        unnest(@record_keys::text[]) AS record_key, unnest(@key_ids::uuid[]) AS key_id, unnest(@actors::jsonb[]) AS actor, unnest(@request_ids::text[]) AS request_id,
        unnest(@sequences::text[]) AS sequence, unnest(@seen::bigint[]) AS seen, unnest(@first_seen_at::timestamptz[]) AS first_seen_at, unnest(@last_seen_at::timestamptz[]) AS last_seen_at
) u
WHERE NOT EXISTS (
    SELECT FROM workspace.failed_imports f WHERE f.tenant_id = u.tenant_id AND f.id = u.id AND f.status <> 'open')
ORDER BY u.tenant_id, u.workspace_id, u.slug, u.payload_hash
ON CONFLICT (tenant_id, workspace_id, slug, payload_hash) WHERE status = 'open' DO UPDATE
SET seen = failed_imports.seen + excluded.seen - (failed_imports.id = excluded.id)::int,
    first_seen_at = least(failed_imports.first_seen_at, excluded.first_seen_at),
    last_seen_at = greatest(failed_imports.last_seen_at, excluded.last_seen_at),
    -- Of one kind the greatest; otherwise that of the last delivery which has one.
    sequence = CASE
        WHEN length(failed_imports.sequence) = length(excluded.sequence) THEN greatest(failed_imports.sequence, excluded.sequence)
        WHEN excluded.last_seen_at < failed_imports.last_seen_at THEN coalesce(failed_imports.sequence, excluded.sequence)
        ELSE coalesce(excluded.sequence, failed_imports.sequence)
    END,
    (http_status, code, field, message, errors, record_key, key_id, actor, request_id) = (
        SELECT l.http_status, l.code, l.field, l.message, l.errors, l.record_key, l.key_id, l.actor, l.request_id
        FROM (VALUES
            (failed_imports.last_seen_at, 1, failed_imports.http_status, failed_imports.code, failed_imports.field, failed_imports.message,
                failed_imports.errors, failed_imports.record_key, failed_imports.key_id, failed_imports.actor, failed_imports.request_id),
            (excluded.last_seen_at, 2, excluded.http_status, excluded.code, excluded.field, excluded.message,
                excluded.errors, excluded.record_key, excluded.key_id, excluded.actor, excluded.request_id)
        ) l (seen_at, turn, http_status, code, field, message, errors, record_key, key_id, actor, request_id)
        ORDER BY l.seen_at DESC, l.turn DESC LIMIT 1)
WHERE (failed_imports.last_seen_at, failed_imports.request_id) <> (excluded.last_seen_at, excluded.request_id);

-- The tables of tenants among the given ones that have open failures of known records.
-- name: ListFailing :many
SELECT u.tenant_id::uuid AS tenant_id, u.slug::text AS slug
FROM (SELECT unnest(@tenant_ids::uuid[]) AS tenant_id, unnest(@slugs::text[]) AS slug) u
WHERE EXISTS (SELECT FROM workspace.failed_imports f
    WHERE f.tenant_id = u.tenant_id AND f.slug = u.slug AND f.status = 'open' AND f.record_key IS NOT NULL);

-- Records with open failures after a place, in their order.
-- name: ListOpenFailures :many
SELECT tenant_id, slug, record_key::text AS record_key FROM workspace.failed_imports
WHERE status = 'open' AND record_key IS NOT NULL
  AND (tenant_id, slug, record_key) > (@tenant_id::uuid, @slug::text, @record_key::text)
ORDER BY tenant_id, slug, record_key LIMIT @most;

-- name: ListFailures :many
SELECT id, slug, status, http_status, code, field, message, record_key, key_id, actor, request_id, seen,
    coalesce(sequence, '')::text AS sequence,
    first_seen_at, last_seen_at, closed_at, closed_reason, closed_how
FROM workspace.failed_imports
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id < @before
  AND (@status::text = '' OR status = @status) AND workspace.failure_matches(@filter::jsonb, slug, code, field, key_id, last_seen_at, message, record_key)
ORDER BY id DESC LIMIT @most;

-- name: ListFailureGroups :many
SELECT slug, code, coalesce(field, '')::text AS field, count(*) AS failures, sum(seen)::bigint AS seen,
    min(first_seen_at)::timestamptz AS first_seen_at, max(last_seen_at)::timestamptz AS last_seen_at,
    (array_agg(message ORDER BY last_seen_at DESC))[1]::text AS message
FROM workspace.failed_imports
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND status = @status AND workspace.failure_matches(@filter::jsonb, slug, code, field, key_id, last_seen_at, message, record_key)
GROUP BY slug, code, coalesce(field, '')
ORDER BY count(*) DESC, slug, code, 3;

-- name: ListFailedPayloads :many
SELECT id, slug, code, message, record_key, key_id, actor, coalesce(sequence, '')::text AS sequence, payload FROM workspace.failed_imports
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id < @before
  AND (@status::text = '' OR status = @status) AND workspace.failure_matches(@filter::jsonb, slug, code, field, key_id, last_seen_at, message, record_key)
ORDER BY id DESC LIMIT @most;

-- name: GetFailure :one
SELECT id, slug, status, http_status, code, field, message, record_key, key_id, actor, request_id, seen,
    coalesce(sequence, '')::text AS sequence,
    first_seen_at, last_seen_at, closed_at, closed_reason, closed_how, errors, payload
FROM workspace.failed_imports
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = @id;

-- name: ListAttempts :many
SELECT id, at, actor, request_id, payload, http_status, code, message FROM workspace.failed_import_attempts
WHERE tenant_id = @tenant_id AND failed_id = @failed_id
ORDER BY id DESC LIMIT 100;

-- Claims a failure for one retry. No row if the failure is resolved, another retry is running,
-- or this bulk retry has tried it in vain.
-- name: ClaimFailure :one
UPDATE workspace.failed_imports f SET retrying_until = now() + interval '1 minute'
WHERE f.tenant_id = @tenant_id AND f.workspace_id = @workspace_id AND f.id = @id AND f.status <> 'resolved'
  AND (f.retrying_until IS NULL OR f.retrying_until < now())
  AND NOT EXISTS (SELECT FROM workspace.failed_import_attempts a
      WHERE a.tenant_id = f.tenant_id AND a.failed_id = f.id AND a.bulk_id = sqlc.narg('bulk_id')::uuid AND a.http_status <> 200)
RETURNING f.slug, f.payload, f.errors, f.last_seen_at, f.key_id, f.actor, coalesce(f.sequence, '')::text AS sequence;

-- The attempts of a bulk retry that stored the failure before its process died.
-- name: ListStoredAttempts :many
SELECT code FROM workspace.failed_import_attempts
WHERE tenant_id = @tenant_id AND failed_id = @failed_id AND bulk_id = @bulk_id::uuid AND http_status = 200;

-- The attempt of a successful retry is written together with the record. If it was committed
-- but the answer got lost, no row is added; a transaction that is still writing it is waited for.
-- name: InsertRefusedAttempt :execrows
INSERT INTO workspace.failed_import_attempts (tenant_id, failed_id, id, actor, request_id, payload, http_status, code, message, bulk_id)
VALUES (@tenant_id, @failed_id, @id, @actor, @request_id, @payload, @http_status, @code, @message, @bulk_id)
ON CONFLICT (tenant_id, failed_id, id) DO NOTHING;

-- name: ResolveFailure :exec
UPDATE workspace.failed_imports
SET status = 'resolved', closed_at = now(), closed_how = 'retry', closed_by = @actor, closed_reason = @reason, retrying_until = NULL
WHERE tenant_id = @tenant_id AND id = @id;

-- name: ReleaseFailure :exec
UPDATE workspace.failed_imports SET retrying_until = NULL WHERE tenant_id = @tenant_id AND id = @id;

-- name: DismissFailure :execrows
UPDATE workspace.failed_imports
SET status = 'ignored', closed_at = now(), closed_how = 'hand', closed_by = @actor, closed_reason = @reason
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = @id AND status = 'open';

-- name: ReopenFailure :execrows
UPDATE workspace.failed_imports f
SET status = 'open', closed_at = NULL, closed_how = NULL, closed_by = NULL, closed_reason = NULL
WHERE f.tenant_id = @tenant_id AND f.workspace_id = @workspace_id AND f.id = @id AND f.status = 'ignored'
  AND NOT EXISTS (SELECT FROM workspace.failed_imports o WHERE o.tenant_id = f.tenant_id AND o.workspace_id = f.workspace_id
      AND o.slug = f.slug AND o.payload_hash = f.payload_hash AND o.status = 'open');
