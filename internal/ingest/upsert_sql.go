package ingest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/registry"
)

// This file assembles the statement from the parts that upsert.go builds.

// sql returns the whole statement.
func (b *builder) sql() string {
	if b.mode != check {
		return b.check() + b.upsert()
	}
	// It names a parameter of the writing half, so that both forms take the same parameters.
	return b.check() + fmt.Sprintf(`
SELECT c.ord, c.key_live, c.current, c.late, c.elsewhere, c.newer, c.stored_id IS NULL AS fresh, c.unknown, c.warned, false AS guarded,
    true AS sure, NULL::boolean AS created, NULL::boolean AS waits, c.stored_version AS version
FROM checked c WHERE $%d::text IS NOT NULL ORDER BY c.ord`, paramEventType)
}

// check returns the half that looks up and judges.
func (b *builder) check() string {
	lock := ""
	if b.mode.locks() {
		lock = " FOR NO KEY UPDATE" // in the order of the input, which is that of the keys
	}
	checked := make([]string, 0, len(b.targets)+1)
	guarded := b.guarded()
	if guarded != "" {
		checked = append(checked, guarded+" AS guarded")
	}
	same := []string{"s.id IS NOT NULL"}
	for i, t := range b.targets {
		checked = append(checked, fmt.Sprintf("%s AS v%d, %s AS s%[2]d", t.value, i, t.stored))
		switch {
		case t.merged:
			same = append(same, fmt.Sprintf("(%s || (%s)) = %[1]s", t.stored, t.value))
		case t.updated && t.only == "":
			same = append(same, fmt.Sprintf("%s IS NOT DISTINCT FROM %s", t.stored, t.value))
		}
	}
	return fmt.Sprintf(`WITH input AS (
    SELECT u.ord, u.tenant_id, u.workspace_id, u.key_id, u.identity, u.new_id, u.event_id, u.actor::jsonb AS actor, u.request_id, u.complete, u.expected, u.deadline%s%s
    FROM unnest($%d::uuid[], $%d::uuid[], $%d::uuid[], $%d::text[], $%d::text[], $%d::uuid[], $%d::text[], $%d::text[], $%d::boolean[], $%d::text[], $%d::bigint[], $%d::timestamptz[]%s)
        WITH ORDINALITY AS u (tenant_id, workspace_id, key_id, identity, new_id, event_id, actor, request_id, complete, retry, expected, deadline%s, ord)
), checked AS (
    SELECT i.ord, i.tenant_id, i.workspace_id, i.identity, i.new_id, i.event_id, i.actor, i.request_id, i.complete,
        (i.key_id IS NULL OR k.live IS NOT NULL) AS key_live,
        %s AS current,
        coalesce(clock_timestamp() > i.deadline, false) AS late,
        s.id AS stored_id, s.version AS stored_version, coalesce(s.workspace_id <> i.workspace_id, false) AS elsewhere,
        %s%scoalesce(coalesce(s.version, 0) <> i.expected, false) AS newer,
        array_remove(ARRAY[%s]::text[], NULL) AS unknown, %s AS warned, (%s) AS same,
        %s
    FROM input i
    LEFT JOIN LATERAL (
        SELECT true AS live FROM workspace.api_keys a
        WHERE a.tenant_id = i.tenant_id AND a.id = i.key_id
          AND a.revoked_at IS NULL AND NOT a.suspended AND (a.expires_at IS NULL OR a.expires_at > now()) LIMIT 1
    ) k ON true
    LEFT JOIN LATERAL (SELECT t.* FROM %s t WHERE t.tenant_id = i.tenant_id AND %s LIMIT 1%s) s ON true%s
    %s
)`,
		retryInput(b.mode), prefixed(b.casts), paramTenants, paramWorkspaces, paramKeys, paramIdentities, paramNewIDs,
		paramEventIDs, paramActors, paramRequests,
		paramComplete, paramRetries, paramExpected, paramDeadlines,
		prefixed(b.arrays), prefixed(b.names),
		isCurrent(), b.sequenceJudgement(), b.retryJudgement(),
		strings.Join(b.unknown, ", "), b.warnings(), strings.Join(same, " AND "), strings.Join(checked, ",\n        "),
		tableName(b.table), identityMatch(b.table, paramSlug), lock, retryLookup(b.mode, b.table)+b.sequenceLookup(),
		strings.Join(b.joins, "\n    "))
}

// isCurrent is true if the registry still has the version with which the record was sanitised: the sum of the built-in
// table's and the tenant's own. The first is looked up once for all records.
func isCurrent() string {
	const version = "coalesce((SELECT g.version FROM workspace.registry_tables g WHERE g.tenant_id = %s AND g.slug = $%d), 0)"
	return fmt.Sprintf(version+"\n            + "+version+" = $%d",
		"'00000000-0000-0000-0000-000000000000'", paramSlug, "i.tenant_id", paramSlug, paramVersion)
}

// upsert returns the half that writes rows and events.
func (b *builder) upsert() string {
	key := "(tenant_id, " + quote(b.table.ConflictColumn) + ")"
	inserts := []string{"id", "tenant_id", "workspace_id", "version"}
	values := []string{"c.new_id", "c.tenant_id", "c.workspace_id", "coalesce(c.stored_version, 0) + 1"}
	if b.table.Generic {
		key = "(tenant_id, slug, external_id)"
		inserts = append(inserts, "slug", "external_id")
		values = append(values, fmt.Sprintf("$%d", paramSlug), "c.identity")
	} else if b.table.ConflictColumn != b.table.Identity[0] {
		key += " WHERE " + quote(b.table.ConflictColumn) + " IS NOT NULL" // a generated key: its index is partial
	}
	for i, t := range b.targets {
		inserts = append(inserts, quote(t.column))
		values = append(values, fmt.Sprintf("c.v%d", i))
	}
	left, passes := "false", ""
	if b.guarded() != "" {
		left = b.withSequences("(c.guarded AND NOT c.stale)", "c.guarded")
		passes = " AND " + b.withSequences("(c.stale OR NOT c.guarded)", "NOT c.guarded")
	}
	return fmt.Sprintf(`, accepted AS (
    SELECT * FROM checked c
    WHERE c.key_live AND c.current AND NOT c.late AND NOT c.elsewhere AND NOT %[16]s AND (c.stored_id IS NOT NULL OR c.complete) AND c.unknown = '{}'%[23]s
), written AS (
    INSERT INTO %[1]s AS t (%[2]s)
    SELECT %[3]s FROM accepted c WHERE NOT c.same%[17]s ORDER BY c.ord
    ON CONFLICT %[4]s %[5]s
    RETURNING t.id, t.tenant_id, t.%[6]s AS identity, t.version, (t.xmax = 0) AS created, %[11]s AS waits, %[7]s AS record
), emitted AS (
    INSERT INTO workspace.events (tenant_id, subject, id, workspace_id, kind, slug, version, actor, request_id, data%[18]s)
    SELECT c.tenant_id, coalesce(w.id, c.stored_id), c.event_id, c.workspace_id, $%[9]d, $%[10]d,
        coalesce(w.version, c.stored_version), c.actor, c.request_id,
        %[19]sjsonb_build_object('result', CASE WHEN w.id IS NULL THEN 'unchanged' WHEN w.created THEN 'created' ELSE 'updated' END,
            'record', coalesce(w.record, %[8]s)%[15]s)%[20]s
    FROM accepted c LEFT JOIN written w ON w.tenant_id = c.tenant_id AND w.identity = c.identity
    WHERE w.id IS NOT NULL OR %[13]s%[14]s
)
SELECT c.ord, c.key_live, c.current, c.late, c.elsewhere, c.newer, c.stored_id IS NULL AS fresh, c.unknown, c.warned, %[22]s AS guarded,
    %[12]s AS sure, w.created, w.waits, coalesce(w.version, c.stored_version) AS version%[21]s
FROM checked c LEFT JOIN written w ON w.tenant_id = c.tenant_id AND w.identity = c.identity ORDER BY c.ord`,
		tableName(b.table), strings.Join(inserts, ", "), strings.Join(values, ", "), key, b.onConflict(),
		quote(b.table.ConflictColumn),
		b.record, b.recorded, paramEventType, paramSlug, b.waits(), b.sure(), b.settled(),
		retryNote(b.mode)+b.sequenceNote(), b.added,
		b.withSequences("(c.newer AND NOT c.stale)", "c.newer"), b.withSequences(" AND NOT c.stale", ""), b.withSequences(", xid", ""),
		b.withSequences(staleEvent, ""), b.withSequences(sequenceOfEvent, ""), b.withSequences(", c.stale", ""),
		left, passes)
}

// guarded is true for a record that would change a judged column of a guarded row, which is left to the table's gate. It is
// empty if the statement leaves none to it.
func (b *builder) guarded() string {
	if b.mode != write && b.mode != lockFirst {
		return ""
	}
	var set, changed []string
	for _, name := range b.gates.Guards {
		set = append(set, "s."+quote(name)+" IS NOT NULL")
	}
	for _, t := range b.targets {
		if t.updated && t.only == "" && slices.Contains(b.gates.Judged, t.column) {
			changed = append(changed, fmt.Sprintf("%s IS DISTINCT FROM %s", t.stored, t.value))
		}
	}
	if set == nil || changed == nil {
		return ""
	}
	return fmt.Sprintf("((%s) AND (%s))", strings.Join(set, " OR "), strings.Join(changed, " OR "))
}

// onConflict updates the sent columns of a row that is in this workspace, at the version
// that was read, and would change. Other rows are neither updated nor returned.
func (b *builder) onConflict() string {
	var sets, before, after []string
	for _, t := range b.targets {
		if !t.updated {
			continue
		}
		old, proposed := "t."+quote(t.column), "excluded."+quote(t.column)
		if t.merged {
			proposed = old + " || " + proposed
		}
		if t.only != "" {
			sets = append(sets, fmt.Sprintf("%s = CASE WHEN %s THEN %s ELSE %s END", quote(t.column), t.only, proposed, old))
			continue
		}
		sets = append(sets, quote(t.column)+" = "+proposed)
		before, after = append(before, old), append(after, proposed)
	}
	if len(before) == 0 {
		return "DO NOTHING"
	}
	return fmt.Sprintf("DO UPDATE SET %s, version = excluded.version, updated_at = now()\n    WHERE t.workspace_id = excluded.workspace_id AND t.version = excluded.version - 1 AND ROW(%s) IS DISTINCT FROM ROW(%s)",
		strings.Join(sets, ", "), strings.Join(before, ", "), strings.Join(after, ", "))
}

// sure is true for a record that was written or is certain to change nothing.
func (b *builder) sure() string { return "(w.id IS NOT NULL OR " + b.settled() + ")" }

// settled is true for a record that was not written and is certain to change nothing. If
// the row was locked before it was judged, it can only have been skipped because a trigger
// made the record equal to it, or because the record is stale.
func (b *builder) settled() string {
	if b.mode.locks() {
		return "c.stored_id IS NOT NULL"
	}
	return b.withSequences("(c.same OR c.stale)", "c.same")
}

// waits is true for a written row "t" that waits for a record that has not arrived.
func (b *builder) waits() string {
	waits := []string{"false"}
	for i := range b.table.Columns {
		if pending := pendingColumn(&b.table.Columns[i]); pending != "" {
			waits = append(waits, "t."+quote(pending)+" IS NOT NULL")
		}
	}
	if b.table.Snapshot != nil {
		waits = append(waits, "t."+quote(b.table.Snapshot.Marker)+" IS NULL")
	}
	return "(" + strings.Join(waits, " OR ") + ")"
}

// identityMatch returns the condition that a row "t" of the table has the identity of "i".
func identityMatch(table *registry.Table, slugParam int) string {
	if table.Generic {
		return fmt.Sprintf("t.slug = $%d AND t.external_id = i.identity", slugParam)
	}
	return "t." + quote(table.ConflictColumn) + " = i.identity"
}

func tableName(table *registry.Table) string {
	if table.Generic {
		return "workspace.records"
	}
	return "workspace." + quote(table.Slug)
}

// referenceSource returns the table that holds a reference's records, and a further condition on them.
func referenceSource(reference *registry.Reference) (from, where string) {
	if reference.Generic {
		return "workspace.records", " AND r.slug = " + literal(reference.Slug)
	}
	return "workspace." + quote(reference.Slug), ""
}

func pendingColumn(column *registry.Column) string {
	if column.Reference == nil {
		return ""
	}
	return column.Reference.PendingColumn
}

// jsonObject builds a jsonb object of "name, value" pairs. A function takes at most 100
// arguments, so a large object is concatenated from parts.
func jsonObject(pairs []string) string {
	var parts []string
	for part := range slices.Chunk(pairs, 45) {
		parts = append(parts, "jsonb_build_object("+strings.Join(part, ", ")+")")
	}
	if len(parts) == 0 {
		return "'{}'::jsonb"
	}
	return strings.Join(parts, " || ")
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

// literal quotes a registered name as a text constant.
func literal(name string) string { return "'" + strings.ReplaceAll(name, "'", "''") + "'" }

func prefixed(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return ", " + strings.Join(list, ", ")
}
