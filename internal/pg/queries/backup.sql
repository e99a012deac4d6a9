-- What a restored database would send again. It may have been sent since the backup was made.
-- name: HoldOrderMails :execrows
UPDATE workspace.order_mails SET state = 'unknown', reason = @reason, changed_at = now()
WHERE tenant_id = @tenant_id AND state IN ('queued', 'sending');

-- name: PauseConnections :execrows
UPDATE workspace.connections SET state = 'paused', paused_because = @reason, version = version + 1, updated_at = now(),
    updated_by = @updated_by
WHERE tenant_id = @tenant_id AND state = 'active' AND deleted_at IS NULL;

-- name: DropAlertMails :execrows
UPDATE workspace.alerts SET mail_next_at = NULL, mail_left = NULL WHERE tenant_id = @tenant_id AND mail_next_at IS NOT NULL;

-- name: DropInvitations :execrows
DELETE FROM control.invitations WHERE tenant_id = @tenant_id;

-- What lets somebody in with the rights that it had when the backup was made.
-- name: CountLiveKeys :one
SELECT count(*) FROM workspace.api_keys
WHERE tenant_id = @tenant_id AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now());

-- name: CountLiveTokens :one
SELECT count(*) FROM workspace.tokens
WHERE tenant_id = @tenant_id AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now());

-- name: ListMemberIDs :many
SELECT user_id FROM control.memberships WHERE tenant_id = @tenant_id;

-- name: DropSessions :execrows
DELETE FROM control.sessions WHERE user_id = @user_id;

-- name: DropResets :exec
DELETE FROM control.password_resets WHERE user_id = @user_id;
