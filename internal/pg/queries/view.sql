-- Saved views of tables and lists, and the history of records.

-- name: ListViews :many
SELECT id, list, slug, name, definition, owner_id, shared, version, created_at, updated_at FROM workspace.saved_views
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND list = @list AND slug = @slug AND (shared OR owner_id = @person_id)
ORDER BY name, id;

-- name: CountOwnViews :one
SELECT count(*) FROM workspace.saved_views
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND list = @list AND slug = @slug AND owner_id = @person_id;

-- name: InsertView :one
INSERT INTO workspace.saved_views (tenant_id, id, workspace_id, list, slug, name, definition, owner_id, shared)
VALUES (@tenant_id, @id, @workspace_id, @list, @slug, @name, @definition, @owner_id, @shared)
RETURNING id, list, slug, name, definition, owner_id, shared, version, created_at, updated_at;

-- A view that the person may see, locked against concurrent changes.
-- name: LockView :one
SELECT id, list, slug, name, definition, owner_id, shared, version, created_at, updated_at FROM workspace.saved_views
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND list = @list AND slug = @slug AND id = @id AND (shared OR owner_id = @person_id)
FOR UPDATE;

-- name: ChangeView :one
UPDATE workspace.saved_views SET name = @name, definition = @definition, shared = @shared, version = version + 1, updated_at = now()
WHERE tenant_id = @tenant_id AND id = @id
RETURNING id, list, slug, name, definition, owner_id, shared, version, created_at, updated_at;

-- name: DeleteView :exec
DELETE FROM workspace.saved_views WHERE tenant_id = @tenant_id AND id = @id;

-- name: ListHistory :many
SELECT id, created_at, kind, version, actor, request_id, data FROM workspace.events
WHERE tenant_id = @tenant_id AND subject = @subject AND workspace_id = @workspace_id AND slug = @slug AND id < @before
ORDER BY id DESC LIMIT @most;

-- name: ListKeyLabels :many
SELECT id, label FROM workspace.api_keys WHERE tenant_id = @tenant_id AND id = ANY (@ids::uuid[]);

-- name: ListMemberNames :many
SELECT m.user_id, u.name FROM control.memberships m JOIN control.users u ON u.id = m.user_id
WHERE m.tenant_id = @tenant_id AND m.user_id = ANY (@ids::uuid[]);
