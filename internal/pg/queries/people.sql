-- name: InsertUser :exec
INSERT INTO control.users (id, email, name) VALUES (@id, @email, @name);

-- name: SetPassword :exec
INSERT INTO control.passwords (user_id, hash) VALUES (@user_id, @hash)
ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, updated_at = now();

-- name: GetUser :one
SELECT id, email, name, alert_mails, approval_mails, mention_mails, sent_back_mails FROM control.users WHERE id = @id;

-- A null argument keeps the column's value.
-- name: ChangeUser :exec
UPDATE control.users
SET name = coalesce(sqlc.narg('name'), name), alert_mails = coalesce(sqlc.narg('alert_mails'), alert_mails),
    approval_mails = coalesce(sqlc.narg('approval_mails'), approval_mails), mention_mails = coalesce(sqlc.narg('mention_mails'), mention_mails),
    sent_back_mails = coalesce(sqlc.narg('sent_back_mails'), sent_back_mails), updated_at = now()
WHERE id = @id;

-- name: FindUserByEmail :one
SELECT u.id, u.name, p.hash FROM control.users u JOIN control.passwords p ON p.user_id = u.id
WHERE u.email = @email;

-- name: GetPassword :one
SELECT u.email, p.hash FROM control.users u JOIN control.passwords p ON p.user_id = u.id
WHERE u.id = @id;

-- Sessions.

-- name: InsertSession :exec
INSERT INTO control.sessions (id, user_id, token_hash, user_agent, address, expires_at)
VALUES (@id, @user_id, @token_hash, @user_agent, @address, now() + @idle::interval);

-- Locks a password until the transaction ends, if it still has the hash that was proved. A
-- change of the password waits for the lock.
-- name: HoldPassword :one
SELECT user_id FROM control.passwords WHERE user_id = @user_id AND hash = @hash FOR SHARE;

-- name: FindSession :one
SELECT s.id, s.user_id, (s.last_seen_at < now() - interval '1 minute')::boolean AS stale FROM control.sessions s
WHERE s.token_hash = @token_hash AND s.expires_at > now();

-- Use extends a session, up to its longest life.
-- name: TouchSession :exec
UPDATE control.sessions
SET last_seen_at = now(), address = @address, expires_at = least(now() + @idle::interval, created_at + @longest::interval)
WHERE id = @id;

-- name: ListSessions :many
SELECT id, user_agent, address, created_at, last_seen_at, expires_at FROM control.sessions
WHERE user_id = @user_id AND expires_at > now() AND id > @after
ORDER BY id LIMIT @most;

-- name: EndSession :execrows
DELETE FROM control.sessions WHERE user_id = @user_id AND id = @id;

-- name: EndSessions :exec
DELETE FROM control.sessions WHERE user_id = @user_id AND id <> @except_id;

-- A person's memberships.

-- name: FindMembership :one
SELECT m.role, (t.suspended_at IS NOT NULL)::boolean AS suspended
FROM control.memberships m JOIN control.tenants t ON t.id = m.tenant_id WHERE m.tenant_id = @tenant_id AND m.user_id = @user_id;

-- name: FindWorkspaceMembership :one
SELECT w.tenant_id, w.time_zone, m.role, (t.suspended_at IS NOT NULL)::boolean AS suspended FROM control.memberships m
JOIN control.workspaces w ON w.tenant_id = m.tenant_id
JOIN control.tenants t ON t.id = m.tenant_id
WHERE m.user_id = @user_id AND w.id = @workspace_id;

-- name: ListPlaces :many
SELECT m.tenant_id, t.name AS tenant_name, m.role, w.id AS workspace_id, w.name AS workspace_name,
    w.time_zone, w.base_currency, w.locale, w.week_start
FROM control.memberships m
JOIN control.tenants t ON t.id = m.tenant_id
JOIN control.workspaces w ON w.tenant_id = m.tenant_id
WHERE m.user_id = @user_id
ORDER BY t.name, m.tenant_id, w.created_at, w.id;

-- name: ListCompaniesOf :many
SELECT tenant_id FROM control.memberships WHERE user_id = @user_id ORDER BY tenant_id;

-- name: CountOtherMemberships :one
SELECT count(*) FROM control.memberships WHERE user_id = @user_id AND tenant_id <> @tenant_id;

-- Members of one company.

-- name: InsertMembership :execrows
INSERT INTO control.memberships (tenant_id, user_id, role) VALUES (@tenant_id, @user_id, @role)
ON CONFLICT (tenant_id, user_id) DO NOTHING;

-- name: ListMembers :many
SELECT m.user_id, u.email, u.name, m.role, m.version, m.created_at
FROM control.memberships m JOIN control.users u ON u.id = m.user_id
WHERE m.tenant_id = @tenant_id AND m.user_id > @after
ORDER BY m.user_id LIMIT @most;

-- name: GetMember :one
SELECT m.user_id, u.email, u.name, m.role, m.version, m.created_at
FROM control.memberships m JOIN control.users u ON u.id = m.user_id
WHERE m.tenant_id = @tenant_id AND m.user_id = @user_id;

-- name: ChangeRole :exec
UPDATE control.memberships SET role = @role, version = version + 1, updated_at = now()
WHERE tenant_id = @tenant_id AND user_id = @user_id;

-- name: DeleteMembership :exec
DELETE FROM control.memberships WHERE tenant_id = @tenant_id AND user_id = @user_id;

-- Changes of a company's members queue here, so that two admins cannot demote each other.
-- name: LockTenant :one
SELECT id, name FROM control.tenants WHERE id = @id FOR NO KEY UPDATE;

-- name: CountOtherAdmins :one
SELECT count(*) FROM control.memberships
WHERE tenant_id = @tenant_id AND role = 'company_admin' AND user_id <> @user_id;

-- Invitations.

-- name: PutInvitation :one
INSERT INTO control.invitations (tenant_id, id, email, role, token_hash, invited_by, expires_at)
VALUES (@tenant_id, @id, @email, @role, @token_hash, @invited_by, now() + @lifetime::interval)
ON CONFLICT (tenant_id, email) DO UPDATE SET role = excluded.role, token_hash = excluded.token_hash,
    invited_by = excluded.invited_by, created_at = now(), expires_at = excluded.expires_at
RETURNING id, email, role, invited_by, created_at, expires_at;

-- name: ListInvitations :many
SELECT id, email, role, invited_by, created_at, expires_at FROM control.invitations
WHERE tenant_id = @tenant_id AND id > @after AND expires_at > now()
ORDER BY id LIMIT @most;

-- Deletes an invitation and returns its present role. An invitation is void if its author
-- is no longer an admin.
-- name: UseInvitation :one
DELETE FROM control.invitations i
WHERE i.tenant_id = @tenant_id AND i.token_hash = @token_hash AND i.expires_at > now()
  AND (i.invited_by IS NULL OR EXISTS (SELECT FROM control.memberships m
      WHERE m.tenant_id = i.tenant_id AND m.user_id = i.invited_by AND m.role = 'company_admin'))
RETURNING i.role;

-- name: DeleteInvitationsTo :exec
DELETE FROM control.invitations WHERE tenant_id = @tenant_id AND email = @email;

-- name: DeleteInvitation :one
DELETE FROM control.invitations WHERE tenant_id = @tenant_id AND id = @id RETURNING email;

-- name: IsMember :one
SELECT EXISTS (SELECT FROM control.memberships m JOIN control.users u ON u.id = m.user_id
    WHERE m.tenant_id = @tenant_id AND u.email = @email) AS found;

-- name: FindInvitation :one
SELECT i.tenant_id, i.id, i.email, i.role, t.name AS tenant_name,
    EXISTS (SELECT FROM control.users u WHERE u.email = i.email) AS known
FROM control.invitations i JOIN control.tenants t ON t.id = i.tenant_id
WHERE i.token_hash = @token_hash AND i.expires_at > now();

-- Links that let a person choose a new password.

-- name: InsertReset :exec
INSERT INTO control.password_resets (id, user_id, token_hash, made_by, tenant_id, expires_at)
VALUES (@id, @user_id, @token_hash, @made_by, @tenant_id, now() + @lifetime::interval);

-- name: FindReset :one
SELECT r.id, r.user_id, u.email, r.made_by, r.tenant_id FROM control.password_resets r JOIN control.users u ON u.id = r.user_id
WHERE r.token_hash = @token_hash AND r.expires_at > now();

-- A link made by an admin is valid only while they are an admin and its receiver is a
-- member.
-- name: ResetHolds :one
SELECT EXISTS (SELECT FROM control.memberships a JOIN control.memberships m ON m.tenant_id = a.tenant_id
    WHERE a.tenant_id = @tenant_id AND a.user_id = @made_by AND a.role = 'company_admin' AND m.user_id = @user_id) AS holds;

-- name: DeleteReset :execrows
DELETE FROM control.password_resets WHERE user_id = @user_id AND id = @id AND expires_at > now();

-- name: DeleteResets :exec
DELETE FROM control.password_resets WHERE user_id = @user_id;

-- Throttles.

-- name: TakeTry :one
INSERT INTO control.throttles AS t (subject, tries) VALUES (@subject, 1)
ON CONFLICT (subject) DO UPDATE SET
    tries = CASE WHEN t.since < now() - @period::interval THEN 1 ELSE t.tries + 1 END,
    since = CASE WHEN t.since < now() - @period::interval THEN now() ELSE t.since END
RETURNING tries, (t.since + @period::interval)::timestamptz AS until;

-- name: ReturnTry :exec
UPDATE control.throttles SET tries = tries - 1 WHERE subject = @subject AND tries > 0;

-- name: ForgetTries :exec
DELETE FROM control.throttles WHERE subject = @subject;

-- name: DropOldTries :exec
DELETE FROM control.throttles WHERE since < now() - interval '1 day';

-- Browsers in which a person has signed in before.

-- name: IsKnownBrowser :one
SELECT EXISTS (SELECT FROM control.browsers b JOIN control.users u ON u.id = b.user_id
    WHERE b.token_hash = @token_hash AND b.expires_at > now() AND u.email = @email) AS known;

-- name: HasBrowser :one
SELECT EXISTS (SELECT FROM control.browsers WHERE user_id = @user_id AND token_hash = @token_hash) AS found;

-- A new sign-in extends a known browser's lifetime.
-- name: PutBrowser :exec
INSERT INTO control.browsers (token_hash, user_id, expires_at) VALUES (@token_hash, @user_id, now() + @lifetime::interval)
ON CONFLICT (token_hash) DO UPDATE SET expires_at = excluded.expires_at;

-- name: KeepNewestBrowsers :exec
DELETE FROM control.browsers b WHERE b.user_id = @user_id AND b.token_hash NOT IN (
    SELECT n.token_hash FROM control.browsers n WHERE n.user_id = @user_id ORDER BY n.expires_at DESC LIMIT @most);

-- name: ForgetBrowsers :exec
DELETE FROM control.browsers WHERE user_id = @user_id AND token_hash IS DISTINCT FROM sqlc.narg('except_hash');

-- Deletes expired rows of all tenants.

-- name: DropExpiredResets :exec
DELETE FROM control.password_resets WHERE expires_at <= now();

-- name: DropExpiredInvitations :exec
DELETE FROM control.invitations WHERE expires_at <= now();

-- name: DropExpiredBrowsers :exec
DELETE FROM control.browsers WHERE expires_at <= now();
