-- name: TableExists :one
SELECT EXISTS (SELECT FROM workspace.registry_tables
    WHERE tenant_id IN (@tenant_id, '00000000-0000-0000-0000-000000000000') AND slug = @slug AND retired_at IS NULL) AS found;

-- A slug is either built in or the tenant's own, never both. The tenant may extend a built-in table: then the version
-- is the sum of both, which only grows.
-- name: GetTable :one
SELECT t.tenant_id, t.slug, t.title, t.description, t.storage, t.conflict_key, t.conflict_column, t.identity_columns,
    coalesce(t.sequence_column, '')::text AS sequence_column, (t.version + coalesce(e.version, 0))::bigint AS version, (e.version IS NOT NULL)::boolean AS extended
FROM workspace.registry_tables t
LEFT JOIN workspace.registry_tables e ON e.tenant_id = @tenant_id AND e.slug = t.slug AND e.storage = 'extension'
WHERE t.tenant_id IN (@tenant_id, '00000000-0000-0000-0000-000000000000') AND t.slug = @slug AND t.storage <> 'extension'
  AND t.retired_at IS NULL;

-- 0 if there is no such table.
-- name: GetTableVersion :one
SELECT coalesce(sum(version), 0)::bigint AS version FROM workspace.registry_tables
WHERE tenant_id IN (@tenant_id, '00000000-0000-0000-0000-000000000000') AND slug = @slug;

-- name: ListColumns :many
SELECT c.name, c.type, c.kind, c.accepted, c.required, c.nullable, c.default_value, c.choices,
    coalesce(c.minimum::text, '')::text AS minimum, coalesce(c.maximum::text, '')::text AS maximum,
    c.reference, c.pending_column, c.description, c.example,
    c.indexed, coalesce(c.max_length, 0)::bigint AS max_length, coalesce(c.format, '')::text AS format, c.records_past,
    coalesce(r.storage, '')::text AS reference_storage, coalesce(r.conflict_column, '')::text AS reference_key
FROM workspace.registry_columns c
LEFT JOIN workspace.registry_tables r
    ON r.slug = c.reference AND r.tenant_id IN (c.tenant_id, '00000000-0000-0000-0000-000000000000')
    AND r.storage <> 'extension' AND r.retired_at IS NULL
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
SELECT t.tenant_id, t.slug, (t.version + coalesce(e.version, 0))::bigint AS version, (e.version IS NOT NULL)::boolean AS extended
FROM workspace.registry_tables t
LEFT JOIN workspace.registry_tables e ON e.tenant_id = @tenant_id AND e.slug = t.slug AND e.storage = 'extension'
WHERE t.tenant_id IN (@tenant_id, '00000000-0000-0000-0000-000000000000') AND t.storage <> 'extension' AND t.retired_at IS NULL
ORDER BY t.position, t.slug;

-- Definitions: what a company says of its own tables.

-- Makes changes of a company's tables wait for each other: they refer to one another.
-- name: LockDefinitions :exec
SELECT pg_advisory_xact_lock(hashtextextended(@tenant_id::text, hashtext('workspace.registry_tables')));

-- The tenant's tables, then its extensions of built-in tables, which are named as these.
-- name: ListDefinitions :many
SELECT t.slug, coalesce(b.title, t.title)::text AS title, coalesce(b.description, t.description)::text AS description,
    (b.slug IS NOT NULL)::boolean AS built_in, coalesce(t.sequence_column, '')::text AS sequence_column,
    t.version, t.retired_at, t.created_at, t.updated_at
FROM workspace.registry_tables t
LEFT JOIN workspace.registry_tables b
    ON t.storage = 'extension' AND b.tenant_id = '00000000-0000-0000-0000-000000000000' AND b.slug = t.slug
WHERE t.tenant_id = @tenant_id ORDER BY b.slug IS NOT NULL, coalesce(b.position, t.position), t.slug;

-- name: ListDefinedColumns :many
SELECT slug, name, type, accepted, required, default_value, choices,
    coalesce(minimum::text, '')::text AS minimum, coalesce(maximum::text, '')::text AS maximum,
    coalesce(reference, '')::text AS reference, description, example, coalesce(max_length, 0)::bigint AS max_length,
    coalesce(format, '')::text AS format, position, retired_at,
    EXISTS (SELECT FROM workspace.conversions v WHERE v.tenant_id = c.tenant_id AND v.slug = c.slug AND v.name = c.name
        AND v.finished_at IS NULL) AS converting
FROM workspace.registry_columns c WHERE c.tenant_id = @tenant_id ORDER BY c.slug, c.position, c.name;

-- name: InsertTable :exec
INSERT INTO workspace.registry_tables (tenant_id, slug, title, description)
VALUES (@tenant_id, @slug, @title, @description);

-- Makes sure of the tenant's extension of a built-in table. None is made if there is no such table, or if the tenant has
-- a table of this slug.
-- name: InsertExtension :exec
INSERT INTO workspace.registry_tables (tenant_id, slug, title, storage)
SELECT @tenant_id, b.slug, b.title, 'extension' FROM workspace.registry_tables b
WHERE b.tenant_id = '00000000-0000-0000-0000-000000000000' AND b.slug = @slug AND b.retired_at IS NULL
ON CONFLICT (tenant_id, slug) DO NOTHING;

-- Raises the version of the tenant's table or extension.
-- name: RaiseTableVersion :execrows
UPDATE workspace.registry_tables SET updated_at = now() WHERE tenant_id = @tenant_id AND slug = @slug AND retired_at IS NULL;

-- name: UpdateTable :exec
UPDATE workspace.registry_tables SET title = @title, description = @description, retired_at = @retired_at
WHERE tenant_id = @tenant_id AND slug = @slug;

-- name: SetSequenceColumn :exec
UPDATE workspace.registry_tables SET sequence_column = sqlc.narg('sequence_column')
WHERE tenant_id = @tenant_id AND slug = @slug;

-- What a column refers to never changes. Whoever changes the type converts the stored values.
-- name: PutColumn :exec
INSERT INTO workspace.registry_columns AS c (tenant_id, slug, name, position, type, reference, accepted, required, nullable,
    default_value, choices, minimum, maximum, max_length, format, description, example, retired_at)
VALUES (@tenant_id, @slug, @name, @position, @type, @reference, @accepted, @required, NOT @required::boolean,
    @default_value, @choices, sqlc.narg('minimum')::text::numeric, sqlc.narg('maximum')::text::numeric, @max_length, @format, @description,
    @example, @retired_at)
ON CONFLICT (tenant_id, slug, name) DO UPDATE
SET type = excluded.type, accepted = excluded.accepted, required = excluded.required, nullable = excluded.nullable,
    default_value = excluded.default_value, choices = excluded.choices, minimum = excluded.minimum, maximum = excluded.maximum,
    max_length = excluded.max_length, format = excluded.format, description = excluded.description,
    example = excluded.example, retired_at = excluded.retired_at;
