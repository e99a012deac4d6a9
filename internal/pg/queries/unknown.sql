-- Whoever adds to a table's unknown fields holds this lock, so that the number of names stays bounded and two
-- instances do not deadlock. The keys are sorted.
-- name: LockUnknownFields :exec
SELECT pg_advisory_xact_lock(hashtextextended(k, hashtext('workspace.unknown_fields'))) FROM unnest(@keys::text[]) k;

-- Adds sums. A table has so many names at most; the most frequent new ones are added, and the others count under ''.
-- name: AddUnknownFields :exec
WITH sent AS (
    SELECT u.tenant_id, u.workspace_id, u.slug, u.name, u.records, u.counts, u.samples, u.first_at, u.last_at,
        u.name = '' OR EXISTS (SELECT FROM workspace.unknown_fields f WHERE f.tenant_id = u.tenant_id
            AND f.workspace_id = u.workspace_id AND f.slug = u.slug AND f.name = u.name) AS known
    FROM (SELECT unnest(@tenant_ids::uuid[]) AS tenant_id, unnest(@workspace_ids::uuid[]) AS workspace_id, unnest(@slugs::text[]) AS slug,
        unnest(@names::text[]) AS name, unnest(@records::bigint[]) AS records, unnest(@counts::jsonb[]) AS counts,
        unnest(@samples::jsonb[]) AS samples, unnest(@first_at::timestamptz[]) AS first_at, unnest(@last_at::timestamptz[]) AS last_at) u
), placed AS (
    SELECT s.*, s.known OR row_number() OVER (PARTITION BY s.tenant_id, s.workspace_id, s.slug, s.known ORDER BY s.records DESC, s.name)
        + (SELECT count(*) FROM workspace.unknown_fields f WHERE f.tenant_id = s.tenant_id AND f.workspace_id = s.workspace_id
            AND f.slug = s.slug AND f.name <> '') <= @most::bigint AS named
    FROM sent s
), summed AS (
    SELECT tenant_id, workspace_id, slug, name, records, counts, samples, first_at, last_at FROM placed WHERE named AND name <> ''
  UNION ALL
    SELECT tenant_id, workspace_id, slug, '', sum(records)::bigint, '{}', '[]', min(first_at), max(last_at) FROM placed
    WHERE NOT named OR name = '' GROUP BY tenant_id, workspace_id, slug
)
INSERT INTO workspace.unknown_fields AS f (tenant_id, workspace_id, slug, name, records, texts, numbers, booleans, dates, datetimes, uuids,
    nested, empty, samples, first_seen_at, last_seen_at)
SELECT tenant_id, workspace_id, slug, name, records, coalesce((counts ->> 'text')::bigint, 0), coalesce((counts ->> 'number')::bigint, 0),
    coalesce((counts ->> 'boolean')::bigint, 0), coalesce((counts ->> 'date')::bigint, 0), coalesce((counts ->> 'datetime')::bigint, 0),
    coalesce((counts ->> 'uuid')::bigint, 0), coalesce((counts ->> 'nested')::bigint, 0), coalesce((counts ->> 'empty')::bigint, 0),
    ARRAY(SELECT jsonb_array_elements_text(samples)), first_at, last_at
FROM summed ORDER BY tenant_id, workspace_id, slug, name
ON CONFLICT (tenant_id, workspace_id, slug, name) DO UPDATE
SET records = f.records + excluded.records, texts = f.texts + excluded.texts, numbers = f.numbers + excluded.numbers,
    booleans = f.booleans + excluded.booleans, dates = f.dates + excluded.dates, datetimes = f.datetimes + excluded.datetimes,
    uuids = f.uuids + excluded.uuids, nested = f.nested + excluded.nested, empty = f.empty + excluded.empty,
    samples = CASE WHEN cardinality(f.samples) >= 5 THEN f.samples ELSE ARRAY(SELECT s.sample FROM unnest(f.samples || excluded.samples)
        WITH ORDINALITY AS s (sample, n) GROUP BY s.sample ORDER BY min(s.n) LIMIT 5) END,
    first_seen_at = least(f.first_seen_at, excluded.first_seen_at), last_seen_at = greatest(f.last_seen_at, excluded.last_seen_at);

-- Keeps values of tables where that is still switched on, and forgets those that are null now. Switching it off waits for this
-- statement, and then deletes what it has written.
-- name: KeepUnknownValues :exec
WITH sent AS (
    SELECT unnest(@tenant_ids::uuid[]) AS tenant_id, unnest(@workspace_ids::uuid[]) AS workspace_id, unnest(@slugs::text[]) AS slug,
        unnest(@names::text[]) AS name, unnest(@record_keys::text[]) AS record_key, unnest(@kept::jsonb[]) AS value,
        unnest(@seen_at::timestamptz[]) AS seen_at
), keeping AS MATERIALIZED (
    SELECT k.tenant_id, k.workspace_id, k.slug FROM workspace.unknown_keeping k
    WHERE (k.tenant_id, k.workspace_id, k.slug) IN (SELECT s.tenant_id, s.workspace_id, s.slug FROM sent s)
    ORDER BY k.tenant_id, k.workspace_id, k.slug FOR SHARE
), forgotten AS (
    DELETE FROM workspace.unknown_values d USING sent s
    WHERE s.value = 'null' AND d.tenant_id = s.tenant_id AND d.workspace_id = s.workspace_id AND d.slug = s.slug AND d.name = s.name
      AND d.record_key = s.record_key AND d.seen_at <= s.seen_at
)
INSERT INTO workspace.unknown_values AS v (tenant_id, workspace_id, slug, name, record_key, value, seen_at)
SELECT s.tenant_id, s.workspace_id, s.slug, s.name, s.record_key, s.value, s.seen_at
FROM sent s JOIN keeping k ON k.tenant_id = s.tenant_id AND k.workspace_id = s.workspace_id AND k.slug = s.slug
WHERE s.value <> 'null' AND EXISTS (SELECT FROM workspace.unknown_fields f WHERE f.tenant_id = s.tenant_id AND f.workspace_id = s.workspace_id
    AND f.slug = s.slug AND f.name = s.name AND NOT f.ignored)
ORDER BY s.tenant_id, s.workspace_id, s.slug, s.name, s.record_key
ON CONFLICT (tenant_id, workspace_id, slug, name, record_key) DO UPDATE
SET value = excluded.value, seen_at = excluded.seen_at, tried_by = NULL
WHERE v.seen_at <= excluded.seen_at;

-- Deletes the oldest values of a table beyond a number.
-- name: DropOldestUnknownValues :exec
WITH bounds AS MATERIALIZED (
    SELECT p.tenant_id, p.workspace_id, p.slug, o.seen_at
    FROM (SELECT unnest(@tenant_ids::uuid[]) AS tenant_id, unnest(@workspace_ids::uuid[]) AS workspace_id, unnest(@slugs::text[]) AS slug) p
    CROSS JOIN LATERAL (SELECT v.seen_at FROM workspace.unknown_values v
        WHERE v.tenant_id = p.tenant_id AND v.workspace_id = p.workspace_id AND v.slug = p.slug
        ORDER BY v.seen_at DESC OFFSET @most::bigint LIMIT 1) o
)
DELETE FROM workspace.unknown_values v USING bounds b
WHERE v.tenant_id = b.tenant_id AND v.workspace_id = b.workspace_id AND v.slug = b.slug AND v.seen_at <= b.seen_at;

-- The workspaces in which a table keeps values.
-- name: ListKeeping :many
SELECT workspace_id FROM workspace.unknown_keeping WHERE tenant_id = @tenant_id AND slug = @slug;

-- name: ListUnknownFields :many
SELECT f.name, f.records, f.texts, f.numbers, f.booleans, f.dates, f.datetimes, f.uuids, f.nested, f.empty, f.samples, f.first_seen_at,
    f.last_seen_at, f.ignored, f.made_column, f.made_at,
    (c.retired_at IS NOT NULL)::boolean AS retired,
    coalesce(v.kept, 0)::bigint AS kept
FROM workspace.unknown_fields f
LEFT JOIN workspace.registry_columns c ON c.tenant_id = f.tenant_id AND c.slug = f.slug AND c.name = f.name
LEFT JOIN (SELECT u.name, count(*) AS kept FROM workspace.unknown_values u
    WHERE u.tenant_id = @tenant_id AND u.workspace_id = @workspace_id AND u.slug = @slug GROUP BY u.name) v ON v.name = f.name
WHERE f.tenant_id = @tenant_id AND f.workspace_id = @workspace_id AND f.slug = @slug
ORDER BY f.records DESC, f.name;

-- name: IgnoreUnknownField :execrows
UPDATE workspace.unknown_fields SET ignored = @ignored
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND slug = @slug AND name = @name AND name <> '';

-- name: DropUnknownValues :exec
DELETE FROM workspace.unknown_values
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND slug = @slug AND (name = @name OR @name::text = '');

-- name: IsKeeping :one
SELECT EXISTS (SELECT FROM workspace.unknown_keeping WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND slug = @slug);

-- A trigger raises the version of the company's table or extension, so that every write at every instance knows.
-- name: StartKeeping :execrows
INSERT INTO workspace.unknown_keeping (tenant_id, workspace_id, slug) VALUES (@tenant_id, @workspace_id, @slug) ON CONFLICT DO NOTHING;

-- name: StopKeeping :execrows
DELETE FROM workspace.unknown_keeping WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND slug = @slug;

-- name: MarkUnknownFieldMade :execrows
UPDATE workspace.unknown_fields SET made_column = @column_name::text, made_at = now(), ignored = false
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND slug = @slug AND name = @name AND name <> '';

-- name: CountBackfill :one
SELECT ((SELECT count(*) FROM workspace.unknown_values v
        WHERE v.tenant_id = @tenant_id AND v.workspace_id = @workspace_id AND v.slug = @slug AND v.name = @field)
    + (SELECT count(*) FROM workspace.failed_imports f
        WHERE f.tenant_id = @tenant_id AND f.workspace_id = @workspace_id AND f.slug = @slug AND f.status <> 'ignored' AND f.record_key IS NOT NULL)
    )::bigint AS total;

-- name: InsertBackfill :exec
INSERT INTO workspace.backfills (tenant_id, id, workspace_id, slug, field, column_name, actor, total)
VALUES (@tenant_id, @id, @workspace_id, @slug, @field, @column_name, @actor, @total);

-- name: GetBackfill :one
SELECT * FROM workspace.backfills WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = @id;

-- name: ListBackfills :many
SELECT * FROM workspace.backfills
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id < @before AND (@slug::text = '' OR slug = @slug)
ORDER BY id DESC LIMIT @most;

-- No row if it has ended, or was cancelled before it began.
-- name: BeginBackfill :one
UPDATE workspace.backfills SET status = 'running', started_at = coalesce(started_at, now())
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = @id AND status IN ('queued', 'running')
RETURNING *;

-- Kept values that this backfill has not tried. Those that it has used are deleted.
-- name: NextKeptValues :many
SELECT record_key, value, seen_at FROM workspace.unknown_values
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND slug = @slug AND name = @field AND tried_by IS DISTINCT FROM @backfill::uuid
ORDER BY record_key LIMIT @most;

-- The next failed imports, the newest first, with the payload that was stored in the end: the edited one, if a retry
-- of an edited one stored it.
-- name: NextFailedPayloads :many
SELECT f.id, f.status, f.record_key::text AS record_key, f.last_seen_at,
    coalesce((SELECT a.payload FROM workspace.failed_import_attempts a
        WHERE a.tenant_id = f.tenant_id AND a.failed_id = f.id AND a.http_status = 200 AND a.payload IS NOT NULL
        ORDER BY a.at DESC LIMIT 1), f.payload)::bytea AS payload
FROM workspace.failed_imports f
WHERE f.tenant_id = @tenant_id AND f.workspace_id = @workspace_id AND f.slug = @slug AND f.status <> 'ignored' AND f.record_key IS NOT NULL
  AND f.last_seen_at <= @cursor_seen_at AND (f.last_seen_at, f.id) < (@cursor_seen_at, @cursor::uuid) AND NOT f.id = ANY (@ahead::uuid[])
ORDER BY f.last_seen_at DESC, f.id DESC LIMIT @most;

-- Counts a kept value that is being stored in this transaction. No row if the backfill has ended.
-- name: CountFilledValue :execrows
WITH used AS (
    DELETE FROM workspace.unknown_values v
    WHERE v.tenant_id = @tenant_id AND v.workspace_id = @workspace_id AND v.slug = @slug AND v.name = @field AND v.record_key = @record_key
)
UPDATE workspace.backfills b SET filled = b.filled + 1
WHERE b.tenant_id = @tenant_id AND b.id = @id AND b.status = 'running';

-- Counts a failed import whose value is being stored in this transaction. No row if the backfill has ended.
-- name: CountFilledFailure :execrows
UPDATE workspace.backfills SET filled = filled + 1, ahead = ahead || @failure::uuid
WHERE tenant_id = @tenant_id AND id = @id AND status = 'running';

-- No row if another process has noted something since.
-- name: LockBackfill :one
SELECT ahead FROM workspace.backfills
WHERE tenant_id = @tenant_id AND id = @id AND status = 'running' AND notes = @noted FOR NO KEY UPDATE;

-- Marks kept values that could not be used, and deletes those whose record has a value, and returns which there still were.
-- name: SettleKeptValues :many
WITH given AS (SELECT unnest(@record_keys::text[]) AS record_key, unnest(@drops::boolean[]) AS drops), dropped AS (
    DELETE FROM workspace.unknown_values v USING given g
    WHERE v.tenant_id = @tenant_id AND v.workspace_id = @workspace_id AND v.slug = @slug AND v.name = @field
      AND v.record_key = g.record_key AND g.drops
    RETURNING v.record_key
), marked AS (
    UPDATE workspace.unknown_values v SET tried_by = @backfill::uuid FROM given g
    WHERE v.tenant_id = @tenant_id AND v.workspace_id = @workspace_id AND v.slug = @slug AND v.name = @field
      AND v.record_key = g.record_key AND NOT g.drops
    RETURNING v.record_key
)
SELECT record_key FROM dropped UNION ALL SELECT record_key FROM marked;

-- name: AdvanceBackfill :exec
UPDATE workspace.backfills
SET notes = notes + 1, cursor_seen_at = @cursor_seen_at, cursor = @cursor, ahead = @ahead::uuid[],
    already_set = already_set + @already_set::bigint, gone = gone + @gone::bigint, refused = refused + @refused::bigint,
    empty = empty + @empty::bigint, waiting = waiting + @waiting::bigint, without = without + @without::bigint,
    refusals = refusals || @refusals::jsonb
WHERE tenant_id = @tenant_id AND id = @id;

-- name: EndBackfill :exec
UPDATE workspace.backfills SET status = @status::text, message = @message, finished_at = now(), ahead = '{}'
WHERE tenant_id = @tenant_id AND id = @id AND status IN ('queued', 'running');

-- A queued backfill ends at once, a running one at its next check.
-- name: CancelBackfill :execrows
UPDATE workspace.backfills
SET cancel_asked = true,
    status = CASE status WHEN 'queued' THEN 'cancelled' ELSE status END,
    finished_at = CASE status WHEN 'queued' THEN now() END
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = @id AND status IN ('queued', 'running');
