-- Secrets that are read back.

-- name: PutSecret :exec
INSERT INTO workspace.secrets (tenant_id, owner_id, purpose, key_id, sealed, ending)
VALUES (@tenant_id, @owner_id, @purpose, @key_id, @sealed, @ending)
ON CONFLICT (tenant_id, owner_id, purpose) DO UPDATE
SET key_id = excluded.key_id, sealed = excluded.sealed, ending = excluded.ending, set_at = now();

-- name: GetSecret :one
SELECT key_id, sealed FROM workspace.secrets WHERE tenant_id = @tenant_id AND owner_id = @owner_id AND purpose = @purpose;

-- name: LockSecret :one
SELECT key_id, sealed FROM workspace.secrets WHERE tenant_id = @tenant_id AND owner_id = @owner_id AND purpose = @purpose
FOR UPDATE;

-- Seals a secret with another key. The secret stays the same, and so does its time.
-- name: ResealSecret :exec
UPDATE workspace.secrets SET key_id = @key_id, sealed = @sealed
WHERE tenant_id = @tenant_id AND owner_id = @owner_id AND purpose = @purpose;

-- name: DropSecrets :exec
DELETE FROM workspace.secrets WHERE tenant_id = @tenant_id AND owner_id = @owner_id;

-- Secrets of all tenants that another key than the newest has sealed.
-- name: ListOldSecrets :many
SELECT tenant_id, owner_id, purpose FROM workspace.secrets
WHERE key_id <> @newest AND (tenant_id, owner_id, purpose) > (@after_tenant::uuid, @after_owner::uuid, @after_purpose::text)
ORDER BY tenant_id, owner_id, purpose LIMIT @most;

-- The keys that secrets of all tenants need, with one secret of each.
-- name: ListSecretKeys :many
SELECT DISTINCT ON (key_id) key_id, tenant_id, owner_id, purpose, count(*) OVER (PARTITION BY key_id) AS secrets
FROM workspace.secrets ORDER BY key_id, tenant_id, owner_id, purpose;
