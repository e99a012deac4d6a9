-- What is known about a record of any kind, for the pages of articles, suppliers and customers.

-- Open failed imports that mention one of the texts, among the latest: of these tables, or of all.
-- name: ListMentions :many
SELECT f.id, f.slug, f.code, f.field, f.message, f.record_key, f.last_seen_at, f.seen
FROM (
    SELECT i.id, i.slug, i.code, i.field, i.message, i.record_key, i.last_seen_at, i.seen, i.payload
    FROM workspace.failed_imports i
    WHERE i.tenant_id = @tenant_id AND i.workspace_id = @workspace_id AND i.status = 'open'
    ORDER BY i.id DESC LIMIT @searched
) f
WHERE (sqlc.narg('slugs')::text[] IS NULL OR f.slug = ANY (sqlc.narg('slugs')))
  AND EXISTS (SELECT FROM unnest(@mentions::bytea[]) mention WHERE position(mention IN f.payload) > 0)
ORDER BY f.id DESC LIMIT @most;

-- What people, agents and keys did with a record and its purchase order lines.
-- name: ListMoments :many
SELECT h.at, h.actor, h.action::text AS action, h.line_id::text AS line_id, h.fields::text[] AS fields FROM (
    (SELECT e.created_at AS at, e.actor, e.kind AS action, '' AS line_id, e.id,
        ARRAY(SELECT jsonb_object_keys(e.data -> 'record')) AS fields
    FROM workspace.events e
    WHERE e.tenant_id = @tenant_id AND e.subject = @subject AND e.workspace_id = @workspace_id AND e.slug = @slug
      AND e.data ->> 'result' NOT IN ('unchanged', 'stale')
    ORDER BY e.id DESC LIMIT @most)
  UNION ALL
    SELECT a.at, a.actor, a.action, line.id, a.id, '{}'
    FROM unnest(@lines::text[]) line (id)
    JOIN workspace.audit a ON a.tenant_id = @tenant_id AND a.subject = line.id
  UNION ALL
    SELECT e.created_at, e.actor, e.kind, line.id, e.id, '{}'
    FROM unnest(@lines::text[]) line (id)
    JOIN workspace.events e ON e.tenant_id = @tenant_id AND e.subject = line.id AND e.workspace_id = @workspace_id
    WHERE e.kind LIKE 'ingest.%' AND e.data ->> 'result' NOT IN ('unchanged', 'stale')
      AND NOT EXISTS ( -- records of a person's file are in the audit already
        SELECT FROM workspace.audit a WHERE a.tenant_id = e.tenant_id AND a.subject = e.subject AND a.data ->> 'version' = e.version::text)
) h
ORDER BY h.at DESC, h.id DESC LIMIT @most;

-- The latest notes about a supplier or a customer; the other one is empty.
-- name: ListNotes :many
SELECT n.id, n.title, n.started_at, coalesce(left(n.summary, @longest::integer), '')::text AS summary FROM workspace.meeting_notes n
WHERE n.tenant_id = @tenant_id AND n.workspace_id = @workspace_id AND (n.supplier_id = @supplier_id::text OR n.customer_id = @customer_id::text)
ORDER BY n.started_at DESC, n.id LIMIT @most;
