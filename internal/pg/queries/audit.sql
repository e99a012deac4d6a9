-- name: InsertAudit :exec
INSERT INTO workspace.audit (tenant_id, id, workspace_id, actor, request_id, action, subject, data)
VALUES (@tenant_id, @id, @workspace_id, @actor, @request_id, @action, @subject, @data);

-- Audit entries, the newest first. The actor is given as an id or as a type.
-- name: ListAudit :many
SELECT id, at, workspace_id, actor, request_id, action, subject, data FROM workspace.audit
WHERE tenant_id = @tenant_id AND id < @before
  AND (@actor::text = '' OR @actor IN (actor ->> 'id', actor ->> 'type'))
  AND (@action::text = '' OR action = @action)
  AND (@subject::text = '' OR subject = @subject)
  AND (sqlc.narg('since')::timestamptz IS NULL OR at >= sqlc.narg('since'))
  AND (sqlc.narg('until')::timestamptz IS NULL OR at < sqlc.narg('until'))
ORDER BY id DESC LIMIT @most;

-- Names of former members.
-- name: ListFormerNames :many
SELECT DISTINCT ON (subject) subject, coalesce(data ->> 'name', '')::text AS name FROM workspace.audit
WHERE tenant_id = @tenant_id AND subject = ANY (@ids::text[]) AND action = 'member.removed'
ORDER BY subject, id DESC;

-- name: ListArticleNames :many
SELECT id, name FROM workspace.products WHERE tenant_id = @tenant_id AND id = ANY (@ids::text[]);

-- The chain of seals. Rows and times are returned as text that depends on no setting and no
-- version of PostgreSQL; internal/audit/chain.go describes how it is hashed.

-- name: ListUnsealedTenants :many
SELECT DISTINCT tenant_id FROM workspace.audit_unsealed ORDER BY tenant_id;

-- Ids begin with the time at which they were made.
-- name: OldestUnsealed :one
SELECT id FROM workspace.audit_unsealed ORDER BY id LIMIT 1;

-- One sealer at a time works on a tenant; for a second one, alone is false.
-- name: BeginSealing :one
SELECT pg_try_advisory_xact_lock(hashtextextended(@tenant_id::text, hashtext('workspace.audit_seals')))::boolean AS alone,
    (to_jsonb(now() AT TIME ZONE 'UTC') #>> '{}')::text AS now;

-- name: LastSeal :one
SELECT number, hash FROM workspace.audit_seals WHERE tenant_id = @tenant_id ORDER BY number DESC LIMIT 1;

-- A page of unsealed ids with their rows; a deleted row has no columns. Here and below, LIMIT
-- and sub-selects make the planner look rows up by key: it may plan joins and EXISTS as a
-- scan of the whole table, for every page.
-- name: ListUnsealed :many
SELECT u.id, coalesce(r.columns, '{}')::text[] AS columns,
    coalesce((SELECT true FROM workspace.audit_seals s WHERE s.tenant_id = u.tenant_id AND s.row_id = u.id LIMIT 1), false)::boolean AS sealed
FROM (SELECT w.tenant_id, w.id FROM workspace.audit_unsealed w
    WHERE w.tenant_id = @tenant_id AND w.id >= @first_id ORDER BY w.id LIMIT @most) u
LEFT JOIN LATERAL (
    SELECT ARRAY[a.tenant_id::text, a.id::text, to_jsonb(a.at AT TIME ZONE 'UTC') #>> '{}', coalesce(a.workspace_id::text, ''), a.actor::text,
        a.request_id, a.action::text, a.subject::text, a.data::text, a.xid::text]::text[] AS columns
    FROM workspace.audit a WHERE a.tenant_id = u.tenant_id AND a.id = u.id LIMIT 1) r ON true
ORDER BY u.id;

-- name: InsertSeals :exec
INSERT INTO workspace.audit_seals (tenant_id, number, row_id, row_hash, call_hash, hash)
SELECT @tenant_id::uuid, unnest(@numbers::bigint[]), unnest(@row_ids::uuid[]), unnest(@row_hashes::bytea[]),
    unnest(@call_hashes::bytea[]), unnest(@hashes::bytea[]);

-- name: DeleteUnsealed :exec
DELETE FROM workspace.audit_unsealed WHERE tenant_id = @tenant_id AND id = ANY (@ids::uuid[]);

-- Seals with their rows; a deleted row has no columns.
-- name: ListSeals :many
SELECT s.number, s.row_id, s.row_hash, s.call_hash, s.hash, (s.sealed_at > now() - interval '1 day')::boolean AS of_today,
    (to_jsonb(s.sealed_at AT TIME ZONE 'UTC') #>> '{}')::text AS sealed_at,
    coalesce(r.columns, '{}')::text[] AS columns
FROM (SELECT * FROM workspace.audit_seals p
    WHERE p.tenant_id = @tenant_id AND p.number >= @first_number ORDER BY p.number LIMIT @most) s
LEFT JOIN LATERAL (
    SELECT ARRAY[a.tenant_id::text, a.id::text, to_jsonb(a.at AT TIME ZONE 'UTC') #>> '{}', coalesce(a.workspace_id::text, ''), a.actor::text,
        a.request_id, a.action::text, a.subject::text, a.data::text, a.xid::text]::text[] AS columns
    FROM workspace.audit a WHERE a.tenant_id = s.tenant_id AND a.id = s.row_id LIMIT 1) r ON true
ORDER BY s.number;

-- Whether each row is sealed or waits for its seal. One statement reads both, because sealing
-- moves rows from the one table to the other.
-- name: ListSealStates :many
SELECT a.id, (to_jsonb(a.at AT TIME ZONE 'UTC') #>> '{}')::text AS at, (to_jsonb(now() AT TIME ZONE 'UTC') #>> '{}')::text AS now,
    coalesce((SELECT true FROM workspace.audit_seals s WHERE s.tenant_id = a.tenant_id AND s.row_id = a.id LIMIT 1), false)::boolean AS sealed,
    coalesce((SELECT true FROM workspace.audit_unsealed u WHERE u.tenant_id = a.tenant_id AND u.id = a.id LIMIT 1), false)::boolean AS waiting
FROM (SELECT p.tenant_id, p.id, p.at FROM workspace.audit p
    WHERE p.tenant_id = @tenant_id AND p.id >= @first_id ORDER BY p.id LIMIT @most) a
ORDER BY a.id;

-- name: ListUnsealedWithoutRow :many
SELECT u.id FROM workspace.audit_unsealed u
WHERE u.tenant_id = @tenant_id AND u.id >= @first_id
  AND (SELECT true FROM workspace.audit a WHERE a.tenant_id = u.tenant_id AND a.id = u.id LIMIT 1) IS NULL
ORDER BY u.id LIMIT @most;
