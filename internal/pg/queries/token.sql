-- name: InsertToken :one
INSERT INTO workspace.tokens (tenant_id, id, workspace_id, token_hash, prefix, label, user_id, agent_id, scopes, created_by, expires_at)
VALUES (@tenant_id, @id, @workspace_id, @token_hash, @prefix, @label, @user_id, @agent_id, @scopes, @created_by, @expires_at)
RETURNING created_at;

-- Tokens of one workspace or of all, of one person or of everybody.
-- name: ListTokens :many
SELECT id, workspace_id, prefix, label, user_id, agent_id, scopes, created_at, expires_at, revoked_at, last_used_at FROM workspace.tokens
WHERE tenant_id = @tenant_id AND id > @after
  AND (@workspace_id::uuid = '00000000-0000-0000-0000-000000000000' OR workspace_id = @workspace_id)
  AND (@user_id::uuid = '00000000-0000-0000-0000-000000000000' OR user_id = @user_id)
ORDER BY id LIMIT @most;

-- The token is locked, so that only one of two concurrent calls revokes it.
-- name: GetToken :one
SELECT id, workspace_id, prefix, label, user_id, agent_id, scopes, created_at, expires_at, revoked_at, last_used_at FROM workspace.tokens
WHERE tenant_id = @tenant_id AND id = @id
  AND (@workspace_id::uuid = '00000000-0000-0000-0000-000000000000' OR workspace_id = @workspace_id)
  AND (@user_id::uuid = '00000000-0000-0000-0000-000000000000' OR user_id = @user_id)
FOR UPDATE;

-- name: RevokeToken :one
UPDATE workspace.tokens SET revoked_at = now() WHERE tenant_id = @tenant_id AND id = @id RETURNING revoked_at;

-- A person's own tokens end when the person leaves, or when the password is reset.
-- name: RevokeTokensOf :execrows
UPDATE workspace.tokens SET revoked_at = now() WHERE tenant_id = @tenant_id AND user_id = @user_id AND revoked_at IS NULL;

-- name: GetLiveToken :one
SELECT id, workspace_id, user_id, agent_id, scopes, (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')::boolean AS stale
FROM workspace.tokens
WHERE tenant_id = @tenant_id AND token_hash = @token_hash AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now());

-- name: TouchToken :exec
UPDATE workspace.tokens SET last_used_at = now() WHERE tenant_id = @tenant_id AND id = @id;
