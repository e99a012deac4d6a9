package ingest

import (
	"fmt"
	"strings"

	"github.com/quayside/quayside/internal/registry"
)

// This file writes the statements that act on rows already stored: linking late
// parents, resolving snapshots, closing dead letters. As in upsert.go, identifiers
// come from the registry and are quoted; values are parameters.

// emit writes one event for each row of "changed". Parameters: tenant $1, actor $3,
// request $4, kind $5, slug $6.
const emit = `
INSERT INTO workspace.events (tenant_id, subject, id, workspace_id, kind, slug, version, actor, request_id, data)
SELECT $1, c.id, workspace.new_id()::uuid, c.workspace_id, $5, $6, c.version, $3, $4,
    jsonb_build_object('result', 'updated', 'record', c.record)
FROM changed c`

// linkStatement gives waiting rows their parent's id. Rows are locked in the order
// of their ids, so that two linkers queue instead of deadlocking. $2: the parents'
// keys.
func linkStatement(w registry.Waiting, parent *registry.Table) string {
	column, pending := quote(w.Column), quote(w.PendingColumn)
	return fmt.Sprintf(`WITH waiting AS (
    SELECT c.id, p.id AS parent_id FROM workspace.%[1]s c
    JOIN %[2]s p ON p.tenant_id = c.tenant_id AND p.workspace_id = c.workspace_id AND p.%[3]s = c.%[5]s
    WHERE c.tenant_id = $1 AND c.%[4]s IS NULL AND c.%[5]s = ANY ($2::text[])
    ORDER BY c.id FOR UPDATE OF c
), changed AS (
    UPDATE workspace.%[1]s c SET %[4]s = w.parent_id, %[5]s = NULL, version = c.version + 1, updated_at = now()
    FROM waiting w WHERE c.tenant_id = $1 AND c.id = w.id
    RETURNING c.id, c.workspace_id, c.version, jsonb_build_object(%[6]s, c.%[4]s) AS record
)`, quote(w.Slug), tableName(parent), quote(parent.ConflictColumn), column, pending, literal(w.Column)) + emit
}

// pendingWaiters finds rows whose parent is there. $1: at most so many.
func pendingWaiters(w registry.Waiting, parent *registry.Table) string {
	return fmt.Sprintf(`SELECT DISTINCT c.tenant_id, c.%[4]s FROM workspace.%[1]s c
JOIN %[2]s p ON p.tenant_id = c.tenant_id AND p.workspace_id = c.workspace_id AND p.%[3]s = c.%[4]s
WHERE c.%[5]s IS NULL LIMIT $1`,
		quote(w.Slug), tableName(parent), quote(parent.ConflictColumn), quote(w.PendingColumn), quote(w.Column))
}

// snapshotStatement takes the snapshots of rows that wait for them. $2: the values
// they are matched by.
func snapshotStatement(feed registry.Feed) string {
	var sets, record []string
	for _, name := range feed.Columns {
		sets = append(sets, fmt.Sprintf("%[1]s = f.%[1]s", quote(name)))
		record = append(record, literal(name)+", c."+quote(name))
	}
	return fmt.Sprintf(`WITH waiting AS (
    SELECT c.id FROM workspace.%[1]s c
    WHERE c.tenant_id = $1 AND c.%[2]s = ANY ($2::text[]) AND c.%[3]s IS NULL
    ORDER BY c.id FOR UPDATE
), found AS (
    SELECT c.id AS row_id, f.* FROM waiting w
    JOIN workspace.%[1]s c ON c.tenant_id = $1 AND c.id = w.id
    CROSS JOIN LATERAL %[4]s f WHERE f.%[3]s IS NOT NULL
), changed AS (
    UPDATE workspace.%[1]s c SET %[5]s, version = c.version + 1, updated_at = now()
    FROM found f WHERE c.tenant_id = $1 AND c.id = f.row_id
    RETURNING c.id, c.workspace_id, c.version, %[6]s AS record
)`, quote(feed.Slug), quote(feed.Match), quote(feed.Marker), snapshotCall(feed.Snapshot, "c"), strings.Join(sets, ", "), jsonObject(record)) + emit
}

// snapshotWaiters finds rows whose snapshot could be taken. $1: at most so many.
func snapshotWaiters(feed registry.Feed) string {
	return fmt.Sprintf(`SELECT DISTINCT c.tenant_id, c.%[2]s FROM workspace.%[1]s c
CROSS JOIN LATERAL %[4]s f
WHERE c.%[3]s IS NULL AND f.%[3]s IS NOT NULL LIMIT $1`,
		quote(feed.Slug), quote(feed.Match), quote(feed.Marker), snapshotCall(feed.Snapshot, "c"))
}

// snapshotCall asks the snapshot's function about a row.
func snapshotCall(snapshot registry.Snapshot, row string) string {
	arguments := []string{row + ".tenant_id", row + ".workspace_id"}
	for _, name := range snapshot.Arguments {
		arguments = append(arguments, row+"."+quote(name))
	}
	return "workspace." + quote(snapshot.Function) + "(" + strings.Join(arguments, ", ") + ")"
}

// resolveStatement closes open dead letters whose record was stored after they were
// last seen, by an event that carries every field that had failed. Parameters:
// tenant $1, slug $2, event type $3.
func resolveStatement(table *registry.Table) string {
	known := ""
	if table.Generic {
		known = " AND t.slug = f.slug"
	}
	return fmt.Sprintf(`UPDATE workspace.failed_imports f
SET status = 'resolved', closed_at = now(), closed_reason = 'stored later'
FROM %[1]s t
WHERE f.tenant_id = $1 AND f.slug = $2 AND f.status = 'open'
  AND t.tenant_id = f.tenant_id AND t.workspace_id = f.workspace_id AND t.%[2]s = f.record_key%[3]s
  AND EXISTS (
    SELECT FROM workspace.events e
    WHERE e.tenant_id = f.tenant_id AND e.subject = t.id AND e.kind = $3 AND e.created_at > f.last_seen_at
      AND e.data -> 'record' ?& ARRAY(SELECT x ->> 'field' FROM jsonb_array_elements(f.errors) x))`,
		tableName(table), quote(table.ConflictColumn), known)
}
