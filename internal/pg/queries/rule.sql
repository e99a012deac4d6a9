-- The rules of a table that are in force, in their order. A key that was rotated has successors, to which its rules
-- apply too.
-- name: ListRulesInForce :many
WITH RECURSIVE heirs AS (
    SELECT k.id AS root, k.id, k.replaced_by FROM workspace.api_keys k
    WHERE k.tenant_id = @tenant_id AND k.id IN (
        SELECT r.key_id FROM workspace.ingest_rules r WHERE r.tenant_id = @tenant_id AND r.slug = @slug AND r.enabled)
    UNION
    SELECT h.root, k.id, k.replaced_by FROM heirs h
    JOIN workspace.api_keys k ON k.tenant_id = @tenant_id AND k.id = h.replaced_by
)
SELECT r.workspace_id, r.fix, (r.key_id IS NULL)::boolean AS every_key,
    ARRAY(SELECT h.id FROM heirs h WHERE h.root = r.key_id ORDER BY h.id)::uuid[] AS keys
FROM workspace.ingest_rules r
WHERE r.tenant_id = @tenant_id AND r.slug = @slug AND r.enabled
ORDER BY r.workspace_id, r.position, r.id;

-- The rules of a workspace, or of one of its tables, in the order in which they are applied.
-- name: ListRules :many
SELECT r.id, r.slug, r.key_id, coalesce(k.label, '')::text AS key_label, r.fix, r.position, r.enabled, r.version, r.bulk_id,
    r.created_by, r.created_at, r.updated_by, r.updated_at
FROM workspace.ingest_rules r
LEFT JOIN workspace.api_keys k ON k.tenant_id = r.tenant_id AND k.id = r.key_id
WHERE r.tenant_id = @tenant_id AND r.workspace_id = @workspace_id AND (@slug::text = '' OR r.slug = @slug)
ORDER BY r.slug, r.position, r.id;

-- The slug of the table that a rule is about.
-- name: GetRuleTable :one
SELECT slug FROM workspace.ingest_rules WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = @id;

-- name: InsertRule :exec
INSERT INTO workspace.ingest_rules (tenant_id, id, workspace_id, slug, key_id, fix, position, enabled, version, bulk_id,
    created_by, updated_by)
VALUES (@tenant_id, @id, @workspace_id, @slug, @key_id, @fix, @position, true, 1, @bulk_id, @actor, @actor);

-- name: UpdateRule :exec
UPDATE workspace.ingest_rules
SET key_id = @key_id, fix = @fix, position = @position, enabled = @enabled, version = version + 1, updated_by = @actor, updated_at = now()
WHERE tenant_id = @tenant_id AND id = @id;

-- Makes room for a rule that moves.
-- name: PlaceRule :exec
UPDATE workspace.ingest_rules SET position = @position WHERE tenant_id = @tenant_id AND id = @id;

-- Keeps the present version of a rule.
-- name: KeepRuleVersion :exec
INSERT INTO workspace.ingest_rule_versions (tenant_id, rule_id, version, workspace_id, key_id, fix, position, enabled, author, created_at)
SELECT tenant_id, id, version, workspace_id, key_id, fix, position, enabled, updated_by, updated_at
FROM workspace.ingest_rules WHERE ingest_rules.tenant_id = @tenant_id AND ingest_rules.id = @id;

-- The latest versions of a rule, the newest first.
-- name: ListRuleVersions :many
SELECT v.version, v.key_id, coalesce(k.label, '')::text AS key_label, v.fix, v.position, v.enabled, v.author, v.created_at
FROM workspace.ingest_rule_versions v
LEFT JOIN workspace.api_keys k ON k.tenant_id = v.tenant_id AND k.id = v.key_id
WHERE v.tenant_id = @tenant_id AND v.workspace_id = @workspace_id AND v.rule_id = @id
ORDER BY v.version DESC LIMIT 100;

-- name: KeyOfWorkspace :one
SELECT EXISTS (SELECT FROM workspace.api_keys WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = @id) AS found;

-- Raises the versions of tables with rules for single keys of a workspace: one of these keys has a successor.
-- name: RaiseRuledTables :exec
UPDATE workspace.registry_tables t SET updated_at = now()
WHERE t.tenant_id = @tenant_id AND EXISTS (SELECT FROM workspace.ingest_rules r
    WHERE r.tenant_id = t.tenant_id AND r.slug = t.slug AND r.workspace_id = @workspace_id AND r.key_id IS NOT NULL);
