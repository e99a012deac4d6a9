-- Indexes on fields: docs/decisions/0033.

-- name: ListReadyIndexes :many
SELECT id, field, stored, type, collated, cut, rows, used_at FROM workspace.indexed_fields
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND slug = @slug AND state = 'ready';

-- A field of a table with at least so many rows is wanted, unless the company has as many indexes as it may have.
-- A text in a column sorts as the column does; in a document it sorts by the database's collation.
-- name: WantIndex :exec
INSERT INTO workspace.indexed_fields (tenant_id, workspace_id, slug, field, home, stored, type, cut, collated)
SELECT @tenant_id::uuid, @workspace_id::uuid, @slug::text, @field::text, @home::text, @stored::text, @type::text, @cut::integer,
    @type::text = 'text' AND (@stored::text <> 'column'
    OR NOT EXISTS (SELECT FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_collation c ON c.oid = a.attcollation
        WHERE a.attrelid = ('workspace.' || quote_ident(@home::text))::regclass AND a.attname = @field::text AND c.collname = 'C'))
WHERE (SELECT count(*) FROM workspace.indexed_fields f WHERE f.tenant_id = @tenant_id::uuid) < @most::bigint
ON CONFLICT (tenant_id, workspace_id, slug, field) DO NOTHING;

-- name: UseIndexes :exec
UPDATE workspace.indexed_fields SET used_at = now() WHERE tenant_id = @tenant_id AND id = ANY (@ids::bigint[]);

-- The indexes with work to do, the oldest first, and those that nobody has used for a while.
-- name: ListIndexWork :many
SELECT tenant_id, id, workspace_id, slug, field, home, stored, type, collated, cut, state, coalesce(horizon::text, '')::text AS horizon, place
FROM workspace.indexed_fields
WHERE state IN ('wanted', 'building', 'leaving') OR used_at < now() - make_interval(days => @unused_days::integer)
ORDER BY made_at, tenant_id, id;

-- name: CountIndexes :many
SELECT state, count(*)::bigint AS indexes, coalesce(sum(rows), 0)::bigint AS entries FROM workspace.indexed_fields GROUP BY state;

-- name: MoveIndex :exec
UPDATE workspace.indexed_fields SET state = @state, horizon = (nullif(@horizon::text, ''))::xid8
WHERE tenant_id = @tenant_id AND id = @id AND state = @was;

-- name: AdvanceIndex :execrows
UPDATE workspace.indexed_fields SET state = @state, place = @place, rows = rows + @added
WHERE tenant_id = @tenant_id AND id = @id AND state = 'building';

-- name: DropEntries :execrows
DELETE FROM workspace.index_entries e USING (
    SELECT d.key, d.words, d.id FROM workspace.index_entries d WHERE d.tenant_id = @tenant_id AND d.index_id = @index_id
    ORDER BY d.key, d.words, d.id LIMIT @most
) d WHERE e.tenant_id = @tenant_id AND e.index_id = @index_id AND e.key = d.key AND e.words = d.words AND e.id = d.id;

-- name: DropIndex :exec
DELETE FROM workspace.indexed_fields WHERE tenant_id = @tenant_id AND id = @id AND state = 'leaving';

-- name: IndexHorizon :one
SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS oldest_open, pg_snapshot_xmax(pg_current_snapshot())::text AS unused;

-- name: WrongEntries :many
SELECT w.index_id::bigint AS index_id, w.id::text AS id, w.key::text AS key, w.kept::boolean AS kept FROM workspace.wrong_entries(@tenant_id) w;
