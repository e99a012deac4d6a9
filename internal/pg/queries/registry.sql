-- name: TableExists :one
SELECT EXISTS (SELECT FROM workspace.registry_tables
    WHERE tenant_id IN (@tenant_id, '00000000-0000-0000-0000-000000000000') AND slug = @slug AND retired_at IS NULL) AS found;

-- A slug is either built in or the tenant's own, never both.
-- name: GetTable :one
SELECT tenant_id, slug, title, description, storage, conflict_key, conflict_column, identity_columns, version
FROM workspace.registry_tables
WHERE tenant_id IN (@tenant_id, '00000000-0000-0000-0000-000000000000') AND slug = @slug AND retired_at IS NULL;

-- name: GetTableVersion :one
SELECT version FROM workspace.registry_tables WHERE tenant_id = @owner_id AND slug = @slug;

-- name: ListColumns :many
SELECT c.name, c.type, c.kind, c.accepted, c.required, c.nullable, c.default_value, c.choices,
    coalesce(c.minimum::text, '')::text AS minimum, coalesce(c.maximum::text, '')::text AS maximum,
    c.reference, c.pending_column, c.description, c.example,
    c.indexed, coalesce(c.max_length, 0)::bigint AS max_length, coalesce(c.format, '')::text AS format,
    coalesce(r.storage, '')::text AS reference_storage, coalesce(r.conflict_column, '')::text AS reference_key
FROM workspace.registry_columns c
LEFT JOIN workspace.registry_tables r
    ON r.slug = c.reference AND r.tenant_id IN (c.tenant_id, '00000000-0000-0000-0000-000000000000') AND r.retired_at IS NULL
WHERE c.tenant_id = @owner_id AND c.slug = @slug AND c.retired_at IS NULL
ORDER BY c.position, c.name;

-- name: GetSnapshot :one
SELECT function, arguments, columns, source, match_column, marker_column
FROM workspace.registry_snapshots WHERE tenant_id = @owner_id AND slug = @slug;

-- Built-in columns that wait for a record of this table.
-- name: ListPendingColumns :many
SELECT slug, name, pending_column::text AS pending_column FROM workspace.registry_columns
WHERE tenant_id = '00000000-0000-0000-0000-000000000000' AND reference = @slug AND pending_column IS NOT NULL
ORDER BY slug, name;

-- Built-in snapshots that a record of this table may resolve.
-- name: ListSnapshotsFrom :many
SELECT slug, function, arguments, columns, source, match_column, marker_column FROM workspace.registry_snapshots
WHERE tenant_id = '00000000-0000-0000-0000-000000000000' AND source = @source
ORDER BY slug;

-- name: ListTables :many
SELECT tenant_id, slug, version FROM workspace.registry_tables
WHERE tenant_id IN (@tenant_id, '00000000-0000-0000-0000-000000000000') AND retired_at IS NULL
ORDER BY position, slug;

-- Definitions: what a company says of its own tables.

-- Makes changes of a company's tables wait for each other: they refer to one another.
-- name: LockDefinitions :exec
SELECT pg_advisory_xact_lock(hashtextextended(@tenant_id::text, hashtext('workspace.registry_tables')));

-- name: ListDefinitions :many
SELECT slug, title, description, version, retired_at, created_at, updated_at
FROM workspace.registry_tables WHERE tenant_id = @tenant_id ORDER BY position, slug;

-- name: ListDefinedColumns :many
SELECT slug, name, type, accepted, required, default_value, choices,
    coalesce(minimum::text, '')::text AS minimum, coalesce(maximum::text, '')::text AS maximum,
    coalesce(reference, '')::text AS reference, description, example, coalesce(max_length, 0)::bigint AS max_length,
    coalesce(format, '')::text AS format, position, retired_at
FROM workspace.registry_columns WHERE tenant_id = @tenant_id ORDER BY slug, position, name;

-- name: InsertTable :exec
INSERT INTO workspace.registry_tables (tenant_id, slug, title, description)
VALUES (@tenant_id, @slug, @title, @description);

-- name: UpdateTable :exec
UPDATE workspace.registry_tables SET title = @title, description = @description, retired_at = @retired_at
WHERE tenant_id = @tenant_id AND slug = @slug;

-- A column's type and what it refers to never change.
-- name: PutColumn :exec
INSERT INTO workspace.registry_columns AS c (tenant_id, slug, name, position, type, reference, accepted, required, nullable,
    default_value, choices, minimum, maximum, max_length, format, description, example, retired_at)
VALUES (@tenant_id, @slug, @name, @position, @type, @reference, @accepted, @required, NOT @required::boolean,
    @default_value, @choices, sqlc.narg('minimum')::text::numeric, sqlc.narg('maximum')::text::numeric, @max_length, @format, @description,
    @example, @retired_at)
ON CONFLICT (tenant_id, slug, name) DO UPDATE
SET accepted = excluded.accepted, required = excluded.required, nullable = excluded.nullable,
    default_value = excluded.default_value, choices = excluded.choices, minimum = excluded.minimum, maximum = excluded.maximum,
    max_length = excluded.max_length, format = excluded.format, description = excluded.description,
    example = excluded.example, retired_at = excluded.retired_at;
