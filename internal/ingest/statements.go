package ingest

import (
	"fmt"
	"strings"

	"github.com/quayside/quayside/internal/registry"
)

// This file builds the statements that act on stored rows: linking them to late parents,
// resolving snapshots, closing dead letters. As in upsert.go, identifiers come from the
// registry and are quoted; values are parameters.

// arrivedCTE selects the values that rows may wait for, each with the actor who brought it.
// Parameters: tenants $1, values $2, actors $3, requests $4.
const arrivedCTE = `WITH arrived AS (
    SELECT DISTINCT ON (u.tenant_id, u.value) u.tenant_id, u.value, u.actor, u.request_id
    FROM unnest($1::uuid[], $2::text[], $3::jsonb[], $4::text[]) AS u (tenant_id, value, actor, request_id)
), `

// emitEvents writes one event for each row of "changed". Parameters: kind $5, slug $6.
const emitEvents = `
INSERT INTO workspace.events (tenant_id, subject, id, workspace_id, kind, slug, version, actor, request_id, data)
SELECT c.tenant_id, c.id, workspace.new_id()::uuid, c.workspace_id, $5, $6, c.version, c.actor, c.request_id,
    jsonb_build_object('result', 'updated', 'record', c.record)
FROM changed c`

// linkLock locks the rows to be linked in the order of their ids, so that concurrent
// transactions queue instead of deadlocking.
const linkLock = "ORDER BY c.tenant_id, c.id FOR UPDATE OF c"

// linkStatement sets the parent's id in waiting rows. The values are the parents' keys.
func linkStatement(w registry.Waiting, parent *registry.Table) string {
	column, pending := quote(w.Column), quote(w.PendingColumn)
	return arrivedCTE + fmt.Sprintf(`waiting AS (
    SELECT c.tenant_id, c.id, p.id AS parent_id, a.actor, a.request_id FROM arrived a
    JOIN workspace.%[1]s c ON c.tenant_id = a.tenant_id AND c.%[5]s = a.value
    JOIN %[2]s p ON p.tenant_id = c.tenant_id AND p.workspace_id = c.workspace_id AND p.%[3]s = a.value
    WHERE c.%[4]s IS NULL
    `+linkLock+`
), changed AS (
    UPDATE workspace.%[1]s c SET %[4]s = w.parent_id, %[5]s = NULL, version = c.version + 1, updated_at = now()
    FROM waiting w WHERE c.tenant_id = w.tenant_id AND c.id = w.id
    RETURNING c.tenant_id, c.id, c.workspace_id, c.version, w.actor, w.request_id, jsonb_build_object(%[6]s, c.%[4]s, %[7]s, NULL) AS record
)`, quote(w.Slug), tableName(parent), quote(parent.ConflictColumn), column, pending, literal(w.Column), literal(w.PendingColumn)) + emitEvents
}

// Rows that wait are found by one of these columns, in aliases of the statements below.
const (
	byParent = "p.id"
	byRow    = "c.id"
)

// pendingWaiters finds the values of rows that wait although their parent exists, among the rows whose
// column has one of the given values. Parameters: tenants $1, values $2.
func pendingWaiters(w registry.Waiting, parent *registry.Table, by string) string {
	return fmt.Sprintf(`SELECT DISTINCT c.tenant_id, c.%[4]s FROM unnest($1::uuid[], $2::text[]) AS g (tenant_id, value)
JOIN workspace.%[1]s c ON c.tenant_id = g.tenant_id
JOIN %[2]s p ON p.tenant_id = g.tenant_id AND p.workspace_id = c.workspace_id AND p.%[3]s = c.%[4]s
WHERE c.%[5]s IS NULL AND %[6]s = g.value`,
		quote(w.Slug), tableName(parent), quote(parent.ConflictColumn), quote(w.PendingColumn), quote(w.Column), by)
}

// waitingSlice reads values that rows wait for, in their order. Parameters: the tenant and the value after
// which it begins $1 and $2, limit $3.
func waitingSlice(slug, column, value string) string {
	return fmt.Sprintf(`SELECT c.tenant_id, c.%[3]s FROM workspace.%[1]s c
WHERE c.%[2]s IS NULL AND c.%[3]s IS NOT NULL AND (c.tenant_id, c.%[3]s) > ($1::uuid, $2::text)
ORDER BY c.tenant_id, c.%[3]s LIMIT $3`, quote(slug), quote(column), quote(value))
}

// snapshotStatement fills in the snapshots of rows that wait for them. The values are those
// of the snapshot's Match column.
func snapshotStatement(feed registry.Feed) string {
	var sets, record []string
	for _, name := range feed.Columns {
		sets = append(sets, fmt.Sprintf("%[1]s = f.%[1]s", quote(name)))
		record = append(record, literal(name)+", c."+quote(name))
	}
	return arrivedCTE + fmt.Sprintf(`waiting AS (
    SELECT c.*, a.actor, a.request_id FROM arrived a
    JOIN workspace.%[1]s c ON c.tenant_id = a.tenant_id AND c.%[2]s = a.value
    WHERE c.%[3]s IS NULL
    `+linkLock+`
), found AS (
    SELECT w.tenant_id AS row_tenant, w.id AS row_id, w.actor AS row_actor, w.request_id AS row_request, f.*
    FROM waiting w CROSS JOIN LATERAL %[4]s f WHERE f.%[3]s IS NOT NULL
), changed AS (
    UPDATE workspace.%[1]s c SET %[5]s, version = c.version + 1, updated_at = now()
    FROM found f WHERE c.tenant_id = f.row_tenant AND c.id = f.row_id
    RETURNING c.tenant_id, c.id, c.workspace_id, c.version, f.row_actor AS actor, f.row_request AS request_id, %[6]s AS record
)`, quote(feed.Slug), quote(feed.Match), quote(feed.Marker), snapshotCall(feed.Snapshot, "w"), strings.Join(sets, ", "), jsonObject(record)) + emitEvents
}

// snapshotWaiters finds the values of waiting rows whose snapshot can be taken, among the rows whose column
// has one of the given values. Parameters: tenants $1, values $2.
func snapshotWaiters(feed registry.Feed, parent *registry.Table, by string) string {
	source := ""
	if by == byParent {
		source = fmt.Sprintf("\nJOIN %s p ON p.tenant_id = g.tenant_id AND p.workspace_id = c.workspace_id AND p.%[2]s = c.%[2]s",
			tableName(parent), quote(feed.Match))
	}
	return fmt.Sprintf(`SELECT DISTINCT c.tenant_id, c.%[2]s FROM unnest($1::uuid[], $2::text[]) AS g (tenant_id, value)
JOIN workspace.%[1]s c ON c.tenant_id = g.tenant_id%[5]s
CROSS JOIN LATERAL %[4]s f
WHERE c.%[3]s IS NULL AND f.%[3]s IS NOT NULL AND %[6]s = g.value`,
		quote(feed.Slug), quote(feed.Match), quote(feed.Marker), snapshotCall(feed.Snapshot, "c"), source, by)
}

// snapshotCall returns the call of the snapshot's function for a row.
func snapshotCall(snapshot registry.Snapshot, row string) string {
	arguments := []string{row + ".tenant_id", row + ".workspace_id"}
	for _, name := range snapshot.Arguments {
		arguments = append(arguments, row+"."+quote(name))
	}
	return "workspace." + quote(snapshot.Function) + "(" + strings.Join(arguments, ", ") + ")"
}

// identityStatement selects the identity fields of a record by its id. Parameters: tenant
// $1, workspace $2, slug $3, id $4.
func identityStatement(table *registry.Table) string {
	identity := make([]string, 0, len(table.Identity))
	for _, name := range table.Identity {
		identity = append(identity, "t."+quote(name))
	}
	known := "$3::text IS NOT NULL"
	if table.Generic {
		known = "t.slug = $3"
	}
	return fmt.Sprintf("SELECT ARRAY[%s]::text[] FROM %s t WHERE t.tenant_id = $1 AND t.workspace_id = $2 AND %s AND t.id = $4",
		strings.Join(identity, ", "), tableName(table), known)
}

// resolveStatement closes open dead letters whose record was stored after they were
// last seen, by an event that carries every field that had failed; a header is not one of them. What was stored must be newer
// than the dead letter: by the sequences, or else by arrival, and a retry stores what arrived before.
// The records are given by their ids or by their keys. Parameters: tenants $1, slugs $2, ids or keys $3, event types $4.
func resolveStatement(table *registry.Table, byID bool) string {
	column, known := table.ConflictColumn, ""
	if byID {
		column = "id"
	}
	if table.Generic {
		known = " AND t.slug = g.slug"
	}
	return fmt.Sprintf(`UPDATE workspace.failed_imports f
SET status = 'resolved', closed_at = now(), closed_reason = 'stored later', closed_how = 'later_success'
FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) AS g (tenant_id, slug, value, kind)
JOIN %[1]s t ON t.tenant_id = g.tenant_id AND t.%[4]s = g.value%[3]s
WHERE f.tenant_id = g.tenant_id AND f.slug = g.slug AND f.status = 'open'
  AND f.workspace_id = t.workspace_id AND f.record_key = t.%[2]s
  AND EXISTS (
    SELECT FROM workspace.events e
    WHERE e.tenant_id = f.tenant_id AND e.subject = t.id AND e.kind = g.kind AND e.created_at > f.last_seen_at
      AND e.data ->> 'result' IS DISTINCT FROM 'stale'
      AND CASE WHEN length(e.data ->> 'sequence') = length(f.sequence) THEN e.data ->> 'sequence' COLLATE "C" >= f.sequence
        ELSE NOT EXISTS (
            SELECT FROM workspace.failed_import_attempts a
            WHERE a.tenant_id = e.tenant_id AND a.subject = e.subject AND a.version = e.version AND a.request_id = e.request_id
              AND a.failed_id <> f.id AND a.stated_at <= f.last_seen_at) END
      AND e.data -> 'record' ?& ARRAY(SELECT x ->> 'field' FROM jsonb_array_elements(f.errors) x WHERE x ->> 'field' <> %[5]s))
  -- a refusal that names no field can be resolved by a person only
  AND (f.http_status = 500 OR f.errors <> '[]')`,
		tableName(table), quote(table.ConflictColumn), known, quote(column), literal(SequenceHeader))
}

// lockStatement locks the rows of the given keys, in that order. Parameters: tenants $1,
// identities $2, slug $3.
func lockStatement(table *registry.Table) string {
	return fmt.Sprintf(`SELECT count(l.id) FROM unnest($1::uuid[], $2::text[]) AS i (tenant_id, identity)
CROSS JOIN LATERAL (SELECT t.id FROM %s t WHERE t.tenant_id = i.tenant_id AND %s LIMIT 1 FOR NO KEY UPDATE) l
WHERE $3::text IS NOT NULL`, tableName(table), identityMatch(table, 3))
}

// lockedStatement finds the keys whose rows another transaction has locked, without waiting.
// Parameters: tenants $1, identities $2, slug $3.
func lockedStatement(table *registry.Table) string {
	return fmt.Sprintf(`SELECT i.ord FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS i (tenant_id, identity, ord)
LEFT JOIN LATERAL (SELECT t.id FROM %[1]s t WHERE t.tenant_id = i.tenant_id AND %[2]s LIMIT 1) s ON true
LEFT JOIN LATERAL (SELECT t.id FROM %[1]s t WHERE t.tenant_id = i.tenant_id AND %[2]s LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) l ON true
WHERE s.id IS NOT NULL AND l.id IS NULL AND $3::text IS NOT NULL`, tableName(table), identityMatch(table, 3))
}
