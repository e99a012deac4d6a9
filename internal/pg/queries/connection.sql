-- Connections to external systems.

-- name: InsertConnection :exec
INSERT INTO workspace.connections (tenant_id, id, workspace_id, system, name, address, may_export, may_load, location,
    calls_per_minute, state, created_by, updated_by)
VALUES (@tenant_id, @id, @workspace_id, @system, @name, @address, @may_export, @may_load, @location, @calls_per_minute,
    'draft', @actor, @actor);

-- name: InsertPace :exec
INSERT INTO workspace.connection_pace (tenant_id, connection_id) VALUES (@tenant_id, @connection_id);

-- A workspace's connections, or one of them.
-- name: ListConnections :many
SELECT c.id, c.workspace_id, c.system, c.name, c.address, c.may_export, c.may_load, c.location, c.calls_per_minute, c.state,
    c.paused_because, c.credentials, c.tested, c.tested_at, c.test_failure, c.version, c.created_at, c.created_by,
    c.updated_at, c.updated_by, s.ending AS token_ending, s.set_at AS token_set_at, h.set_at AS hook_set_at
FROM workspace.connections c
LEFT JOIN workspace.secrets s ON s.tenant_id = c.tenant_id AND s.owner_id = c.id AND s.purpose = 'token'
LEFT JOIN workspace.secrets h ON h.tenant_id = c.tenant_id AND h.owner_id = c.id AND h.purpose = 'hook'
WHERE c.tenant_id = @tenant_id AND c.workspace_id = @workspace_id AND c.deleted_at IS NULL
  AND (sqlc.narg('id')::uuid IS NULL OR c.id = sqlc.narg('id'))
ORDER BY c.id;

-- Makes changes of a connection wait for each other.
-- name: LockConnection :one
SELECT id FROM workspace.connections
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = @id AND deleted_at IS NULL FOR UPDATE;

-- name: UpdateConnection :exec
UPDATE workspace.connections
SET name = @name, address = @address, may_export = @may_export, may_load = @may_load, location = @location,
    calls_per_minute = @calls_per_minute, state = @state, paused_because = @paused_because, credentials = @credentials,
    updated_by = @actor, updated_at = now(), version = version + 1
WHERE tenant_id = @tenant_id AND id = @id;

-- name: DeleteConnection :exec
UPDATE workspace.connections
SET deleted_at = now(), state = 'paused', updated_by = @actor, updated_at = now(), version = version + 1
WHERE tenant_id = @tenant_id AND id = @id;

-- Keeps what came of a test of these credentials, unless newer ones were tested meanwhile.
-- name: KeepTest :exec
UPDATE workspace.connections SET tested = @credentials, tested_at = now(), test_failure = @failure
WHERE tenant_id = @tenant_id AND id = @id AND tested <= @credentials;

-- Names of connections, deleted ones included.
-- name: ListConnectionNames :many
SELECT id, name FROM workspace.connections WHERE tenant_id = @tenant_id AND id = ANY (@ids::uuid[]);

-- name: LockPace :one
SELECT clock_timestamp()::timestamptz AS now, used_until, held_until FROM workspace.connection_pace
WHERE tenant_id = @tenant_id AND connection_id = @connection_id FOR UPDATE;

-- name: KeepPace :exec
UPDATE workspace.connection_pace SET used_until = @used_until WHERE tenant_id = @tenant_id AND connection_id = @connection_id;

-- name: HoldPace :exec
UPDATE workspace.connection_pace SET held_until = greatest(held_until, clock_timestamp() + @pause::interval)
WHERE tenant_id = @tenant_id AND connection_id = @connection_id;
