-- Conversions: the stored values of columns that got another type.

-- name: InsertConversion :exec
INSERT INTO workspace.conversions (tenant_id, id, slug, name, from_type, to_type, actor)
VALUES (@tenant_id, @id, @slug, @name, @from_type, @to_type, @actor);

-- Takes the lock under which one run works at a time, and notes at the first run from when on no statement that had the
-- old type can still begin to write: none takes longer than its timeout.
-- name: TakeConversion :one
UPDATE workspace.conversions
SET settled_at = coalesce(settled_at, clock_timestamp() + current_setting('statement_timeout')::interval + interval '1 second')
WHERE tenant_id = @tenant_id AND id = @id AND finished_at IS NULL
RETURNING slug, name, from_type, to_type, actor, pass, place;

-- name: MoveConversion :exec
UPDATE workspace.conversions
SET place = @place, pass = @pass, converted = converted + @converted, emptied = emptied + @emptied,
    finished_at = CASE WHEN @pass::text = 'done' THEN now() END
WHERE tenant_id = @tenant_id AND id = @id;

-- Begins the last pass when every transaction that might have written the old type has ended. The horizon is a number that
-- was given out after that; a transaction has its number once it has written.
-- name: SettleConversion :one
UPDATE workspace.conversions c
SET horizon = CASE WHEN clock_timestamp() >= c.settled_at THEN coalesce(c.horizon, pg_current_xact_id()) END,
    pass = CASE WHEN pg_snapshot_xmin(pg_current_snapshot()) > c.horizon THEN 'last' ELSE c.pass END,
    place = ''
WHERE c.tenant_id = @tenant_id AND c.id = @id
RETURNING c.pass, greatest(extract(epoch FROM c.settled_at - clock_timestamp()), 0)::double precision AS seconds;

-- name: IsBuiltIn :one
SELECT EXISTS (SELECT FROM workspace.registry_tables
    WHERE tenant_id = '00000000-0000-0000-0000-000000000000' AND slug = @slug) AS built_in;
