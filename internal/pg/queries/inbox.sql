-- The newest entry of each order in which somebody else mentions a person. It is looked for among the
-- newest entries that mention anybody: under row security, no index finds an element of an array.
-- name: ListOrderMentions :many
SELECT DISTINCT ON (e.order_no) e.order_no, e.actor, e.text, e.created_at
FROM (
    SELECT n.order_no, n.actor, n.text, n.mentions, n.created_at FROM workspace.order_entries n
    WHERE n.tenant_id = @tenant_id AND n.workspace_id = @workspace_id AND n.mentions <> '{}' AND n.created_at > @since
    ORDER BY n.created_at DESC LIMIT @most
) e
WHERE @person::uuid = ANY (e.mentions) AND e.actor ->> 'id' IS DISTINCT FROM @actor::text
ORDER BY e.order_no, e.created_at DESC;

-- name: ListInboxSeen :many
SELECT subject, kind, seen_until, done_until FROM workspace.inbox_seen
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND user_id = @user_id AND subject = ANY (@subjects::text[]);

-- name: SeeInbox :exec
INSERT INTO workspace.inbox_seen AS s (tenant_id, workspace_id, user_id, subject, kind, seen_until, done_until)
VALUES (@tenant_id, @workspace_id, @user_id, @subject, @kind, @seen_until, sqlc.narg('done_until'))
ON CONFLICT (tenant_id, workspace_id, user_id, subject, kind) DO UPDATE
SET seen_until = greatest(s.seen_until, excluded.seen_until), done_until = greatest(s.done_until, excluded.done_until);

-- What was seen so long ago is of no item that a person still has.
-- name: ForgetInbox :exec
DELETE FROM workspace.inbox_seen
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND user_id = @user_id AND seen_until < @before::timestamptz;

-- Mail.

-- Workspaces with news that no mail has covered, and whose last mail is long enough ago. Lines that
-- wait are few beside all lines, so all of them are read.
-- name: FindInboxNews :many
SELECT DISTINCT n.tenant_id, n.workspace_id::uuid AS workspace_id
FROM (
    SELECT l.tenant_id, l.workspace_id, l.updated_at AS at FROM workspace.purchase_order_lines l WHERE l.status = 'pending_approval'
  UNION ALL
    SELECT e.tenant_id, e.workspace_id, e.created_at FROM workspace.order_entries e WHERE e.mentions <> '{}' AND e.created_at > @since::timestamptz
  UNION ALL
    SELECT a.tenant_id, a.workspace_id, a.at FROM workspace.audit a WHERE a.action = 'purchase_order_line.sent_back' AND a.at > @since
) n
LEFT JOIN workspace.inbox_mails m ON m.tenant_id = n.tenant_id AND m.workspace_id = n.workspace_id
WHERE n.at > @since AND n.at <= @until::timestamptz AND (m.until IS NULL OR n.at > m.until AND m.looked_at <= @again::timestamptz)
LIMIT @most;

-- Only the instance that moves a workspace on mails what is new between since and until.
-- name: ClaimInboxMails :one
INSERT INTO workspace.inbox_mails AS m (tenant_id, workspace_id, since, until, looked_at)
VALUES (@tenant_id, @workspace_id, @since, @until, @now)
ON CONFLICT (tenant_id, workspace_id) DO UPDATE SET since = m.until, until = excluded.until, looked_at = excluded.looked_at
WHERE m.looked_at <= @again AND m.until < excluded.until
RETURNING since, until;

-- name: FindInboxUnsent :many
SELECT DISTINCT tenant_id, workspace_id FROM workspace.inbox_unsent WHERE next_at <= @now::timestamptz LIMIT @most;

-- name: TakeInboxUnsent :many
DELETE FROM workspace.inbox_unsent WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND next_at <= @now::timestamptz
RETURNING user_id, since, until, tries;

-- name: KeepInboxUnsent :exec
INSERT INTO workspace.inbox_unsent (tenant_id, workspace_id, user_id, since, until, tries, next_at)
VALUES (@tenant_id, @workspace_id, @user_id, @since, @until, @tries, @next_at);

-- name: ListInboxMembers :many
SELECT u.id, u.email, u.name, m.role, u.approval_mails, u.mention_mails, u.sent_back_mails
FROM control.memberships m JOIN control.users u ON u.id = m.user_id
WHERE m.tenant_id = @tenant_id ORDER BY u.id;
