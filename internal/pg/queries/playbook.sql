-- Locks the workspace's playbook until the transaction ends, and raises its revision by 0 or 1.
-- name: RaisePlaybook :one
INSERT INTO workspace.playbook_state AS s (tenant_id, workspace_id, revision)
VALUES (@tenant_id, @workspace_id, @raise)
ON CONFLICT (tenant_id, workspace_id) DO UPDATE SET revision = s.revision + excluded.revision,
    changed_at = CASE WHEN excluded.revision > 0 THEN now() ELSE s.changed_at END
RETURNING revision;

-- name: GetPlaybookRevision :one
SELECT revision FROM workspace.playbook_state WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id;

-- name: InsertPlaybookVersion :one
INSERT INTO workspace.playbook_versions (tenant_id, workspace_id, kind, document_id, version, slug, content, author, note, revision)
VALUES (@tenant_id, @workspace_id, @kind, @document_id, @version, @slug, @content, @author, @note, @revision)
RETURNING created_at;

-- What may be in force on a day: of the config and of every strategy, the newest version that is not
-- a draft and has taken effect.
-- name: ListPlaybookInForce :many
SELECT DISTINCT ON (kind, document_id) kind, document_id, version, content, revision
FROM workspace.playbook_versions
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND kind IN ('config', 'strategy')
  AND coalesce(content ->> 'status', 'active') <> 'draft'
  AND coalesce(content ->> 'effective_from', '') COLLATE "C" <= @day::text
ORDER BY kind, document_id, version DESC;

-- The config that is in force now, and the newest version of it, which may take effect later. 0 means
-- that there is none.
-- name: GetConfigNow :one
SELECT coalesce(n.version, 0)::bigint AS newest, coalesce(f.version, 0)::bigint AS version,
    coalesce(f.content, '{}')::jsonb AS content
FROM (SELECT 1) one
LEFT JOIN LATERAL (
    SELECT v.version FROM workspace.playbook_versions v
    WHERE v.tenant_id = @tenant_id AND v.workspace_id = @workspace_id AND v.kind = 'config' AND v.document_id = @workspace_id
    ORDER BY v.version DESC LIMIT 1) n ON true
LEFT JOIN LATERAL (
    SELECT v.version, v.content FROM workspace.playbook_versions v
    WHERE v.tenant_id = @tenant_id AND v.workspace_id = @workspace_id AND v.kind = 'config' AND v.document_id = @workspace_id
      AND coalesce(v.content ->> 'effective_from', '') COLLATE "C" <= (now() AT TIME ZONE coalesce((
          SELECT g.time_zone FROM workspace.sales_settings g
          WHERE g.tenant_id = @tenant_id AND g.workspace_id = @workspace_id), 'UTC'))::date::text
    ORDER BY v.version DESC LIMIT 1) f ON true;

-- Today in the workspace's time zone.
-- name: GetPlaybookDay :one
SELECT (now() AT TIME ZONE coalesce((
    SELECT g.time_zone FROM workspace.sales_settings g
    WHERE g.tenant_id = @tenant_id AND g.workspace_id = @workspace_id), 'UTC'))::date::text AS day;

-- The newest version of documents of a kind, and the version that is in force on a day: the newest
-- that is not a draft and has taken effect, if it is active and has not ended. One document, or all.
-- name: ListPlaybookDocuments :many
SELECT DISTINCT ON (d.document_id) d.document_id, d.version, d.slug, d.content, d.author, d.note, d.created_at,
    coalesce(f.version, 0)::bigint AS in_force
FROM workspace.playbook_versions d
LEFT JOIN LATERAL (
    SELECT v.version, v.content FROM workspace.playbook_versions v
    WHERE v.tenant_id = @tenant_id AND v.workspace_id = @workspace_id AND v.kind = @kind AND v.document_id = d.document_id
      AND v.content ->> 'status' <> 'draft' AND coalesce(v.content ->> 'effective_from', '') COLLATE "C" <= @day::text
    ORDER BY v.version DESC LIMIT 1) f
    ON f.content ->> 'status' = 'active' AND coalesce(f.content ->> 'effective_until', '9999-12-31') COLLATE "C" >= @day::text
WHERE d.tenant_id = @tenant_id AND d.workspace_id = @workspace_id AND d.kind = @kind
  AND (sqlc.narg(document_id)::uuid IS NULL OR d.document_id = sqlc.narg(document_id)::uuid)
ORDER BY d.document_id, d.version DESC;

-- The versions of a document before another, the newest first.
-- name: ListPlaybookVersions :many
SELECT document_id, version, slug, content, author, note, created_at FROM workspace.playbook_versions
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND kind = @kind AND document_id = @document_id
  AND version < @before
ORDER BY version DESC LIMIT @most;

-- The versions of a document without their content, the newest first.
-- name: ListPlaybookVersionHeads :many
SELECT document_id, version, coalesce(content ->> 'status', '')::text AS status, author, note, created_at
FROM workspace.playbook_versions
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND kind = @kind AND document_id = @document_id
ORDER BY version DESC LIMIT @most;

-- The SOPs that are in force, without their text: of each the newest version that is not a draft, if it
-- is active.
-- name: ListSOPsInForce :many
SELECT d.document_id, d.version, (d.content - 'body')::jsonb AS content, d.author, d.note, d.created_at
FROM (
    SELECT DISTINCT ON (v.document_id) v.document_id, v.version, v.content, v.author, v.note, v.created_at
    FROM workspace.playbook_versions v
    WHERE v.tenant_id = @tenant_id AND v.workspace_id = @workspace_id AND v.kind = 'sop' AND v.content ->> 'status' <> 'draft'
    ORDER BY v.document_id, v.version DESC) d
WHERE d.content ->> 'status' = 'active';

-- name: FindSOP :one
SELECT document_id FROM workspace.playbook_versions
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND kind = 'sop' AND version = 1 AND slug = @slug::text;

-- name: CountPlaybookDocuments :one
SELECT count(*) FROM workspace.playbook_versions
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND kind = @kind AND version = 1;

-- The documents of a kind of which every version is a draft.
-- name: CountPlaybookProposals :one
SELECT count(*) FROM (
    SELECT v.document_id FROM workspace.playbook_versions v
    WHERE v.tenant_id = @tenant_id AND v.workspace_id = @workspace_id AND v.kind = @kind
    GROUP BY v.document_id HAVING bool_and(v.content ->> 'status' = 'draft')) waiting;

-- name: SupplierExists :one
SELECT EXISTS (SELECT FROM workspace.suppliers WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = @id);

-- name: ProductExists :one
SELECT EXISTS (SELECT FROM workspace.products p WHERE p.tenant_id = @tenant_id AND p.workspace_id = @workspace_id AND p.id = @id::text
    UNION ALL SELECT FROM workspace.article_aliases a WHERE a.tenant_id = @tenant_id AND a.workspace_id = @workspace_id AND a.name = @id::text);

-- What articles that were merged are now.
-- name: ListMerged :many
SELECT name, product_id FROM workspace.article_aliases WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND name = ANY (@names::text[]);
