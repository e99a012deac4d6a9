-- name: TableExists :one
SELECT EXISTS (SELECT FROM workspace.registry_tables
    WHERE tenant_id IN (@tenant_id, '00000000-0000-0000-0000-000000000000') AND slug = @slug) AS found;

-- A slug is either built in or the tenant's own, never both.
-- name: GetTable :one
SELECT tenant_id, slug, title, description, storage, conflict_key, conflict_column, identity_columns, version
FROM workspace.registry_tables
WHERE tenant_id IN (@tenant_id, '00000000-0000-0000-0000-000000000000') AND slug = @slug;

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
    ON r.slug = c.reference AND r.tenant_id IN (c.tenant_id, '00000000-0000-0000-0000-000000000000')
WHERE c.tenant_id = @owner_id AND c.slug = @slug
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
WHERE tenant_id IN (@tenant_id, '00000000-0000-0000-0000-000000000000')
ORDER BY position, slug;
