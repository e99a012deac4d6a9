-- name: InsertKey :one
INSERT INTO workspace.api_keys (tenant_id, id, workspace_id, key_hash, prefix, label, scope, expires_at, created_by,
    rate_per_second, rate_burst, order_drafted_here)
VALUES (@tenant_id, @id, @workspace_id, @key_hash, @prefix, @label, @scope, @expires_at, @created_by, @rate_per_second, @rate_burst,
    @order_drafted_here)
RETURNING created_at;

-- name: InsertKeyDirectory :exec
INSERT INTO control.key_directory (key_hash, key_id, tenant_id, workspace_id) VALUES (@key_hash, @key_id, @tenant_id, @workspace_id);

-- name: ListKeys :many
SELECT id, workspace_id, prefix, label, scope, expires_at, revoked_at, created_at, created_by, replaced_by, order_drafted_here FROM workspace.api_keys
WHERE tenant_id = @tenant_id AND (@workspace_id::uuid = '00000000-0000-0000-0000-000000000000' OR workspace_id = @workspace_id) AND id > @after
ORDER BY id LIMIT @most;

-- name: GetKey :one
SELECT id, workspace_id, prefix, label, scope, expires_at, revoked_at, created_at, created_by, replaced_by, order_drafted_here FROM workspace.api_keys
WHERE tenant_id = @tenant_id AND id = @id AND (@workspace_id::uuid = '00000000-0000-0000-0000-000000000000' OR workspace_id = @workspace_id);

-- Locks a key, so that concurrent rotations and revocations run one after the other.
-- name: LockKey :one
SELECT replaced_by, rate_per_second, rate_burst,
    (revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()))::boolean AS live
FROM workspace.api_keys WHERE tenant_id = @tenant_id AND id = @id FOR UPDATE;

-- The old key stays valid for the overlap, but never beyond its own expiry.
-- name: ReplaceKey :exec
UPDATE workspace.api_keys SET replaced_by = @replaced_by,
    revoked_at = CASE WHEN @overlap::interval = interval '0' THEN now() ELSE revoked_at END,
    expires_at = CASE WHEN @overlap::interval = interval '0' THEN expires_at ELSE least(expires_at, now() + @overlap::interval) END
WHERE tenant_id = @tenant_id AND id = @id;

-- A revoked key keeps the time of its revocation.
-- name: RevokeKey :execrows
UPDATE workspace.api_keys SET revoked_at = now()
WHERE tenant_id = @tenant_id AND id = @id AND (@workspace_id::uuid = '00000000-0000-0000-0000-000000000000' OR workspace_id = @workspace_id)
  AND revoked_at IS NULL;

-- name: TenantOfKeyID :one
SELECT tenant_id FROM control.key_directory WHERE key_id = @key_id;

-- name: GetKeyState :one
SELECT (revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()))::boolean AS live, suspended FROM workspace.api_keys
WHERE tenant_id = @tenant_id AND id = @id;

-- name: FindKey :one
SELECT d.tenant_id, w.time_zone, (t.suspended_at IS NOT NULL)::boolean AS suspended FROM control.key_directory d
JOIN control.workspaces w ON w.tenant_id = d.tenant_id AND w.id = d.workspace_id
JOIN control.tenants t ON t.id = d.tenant_id
WHERE d.key_hash = @key_hash;

-- name: GetKeyByHash :one
SELECT id, workspace_id, scope, rate_per_second, rate_burst, expires_at, revoked_at FROM workspace.api_keys
WHERE tenant_id = @tenant_id AND key_hash = @key_hash;
