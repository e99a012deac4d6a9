package ingest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/registry"
)

// This file writes the one statement that stores records. It works on any number
// of records that share a table and a set of columns: they come in as arrays, each
// is looked up, judged, written and given its event, and the answer has one row for
// every record sent. Identifiers come from the registry and are quoted; values are
// parameters.
//
//	input     the records, one row each
//	checked   is the key alive, the registry unchanged, the row known and ours,
//	          are the references known; and what the row holds now
//	accepted  those that pass
//	written   upserted: new, or changed; an unchanged row is not touched
//	emitted   one event for every accepted record

// The parameters that every statement takes, in this order; the columns' follow.
const (
	paramTenants = iota + 1
	paramWorkspaces
	paramKeys
	paramIdentities
	paramNewIDs
	paramEventIDs
	paramActors
	paramRequests
	paramComplete
	paramOwner
	paramVersion
	paramSlug
	paramEventType
	paramColumns
)

// shape is what decides a statement's text.
type shape struct {
	table   *registry.Table
	columns []*registry.Column // present in every record
	keyed   []string           // identity fields: compared, never updated
	write   bool               // else only checked
}

// target is a column to be stored, the expression that gives its value within
// "checked", and the expression for what the row holds now.
type target struct {
	column, value, stored string
	updated               bool // by the SET of an upsert
}

// statement is a shape's SQL and the fixed parameters it ends with.
type statement struct {
	sql      string
	defaults []string
}

// build writes the statement of a shape.
func (s shape) build() statement {
	b := &builder{shape: s, nextParam: paramColumns}
	if s.table.Generic {
		b.generic()
	} else {
		b.physical()
	}
	return statement{sql: b.sql(), defaults: b.defaults}
}

type builder struct {
	shape
	nextParam int
	defaults  []string

	arrays   []string // unnest's arguments for the columns
	names    []string // and what they are called
	casts    []string // input's select list for them
	joins    []string // look-ups of references
	unknown  []string // names of references that were not found
	targets  []target
	record   string // the values written, as jsonb, from a row "t" of the table
	recorded string // the same for an unchanged row, from "c"
}

// param takes the next parameter.
func (b *builder) param() string {
	b.nextParam++
	return fmt.Sprintf("$%d", b.nextParam-1)
}

// array adds one text array to the input, read as the given type.
func (b *builder) array(name, sqlType string) {
	b.arrays = append(b.arrays, b.param()+"::text[]")
	b.names = append(b.names, name)
	b.casts = append(b.casts, fmt.Sprintf("u.%s::%s AS %[1]s", name, sqlType))
}

// physical is for a table of the schema: a column is a column.
func (b *builder) physical() {
	for i, column := range b.columns {
		name := fmt.Sprintf("c%d", i)
		b.array(name, sqlTypes[column.Type])
		value := "i." + name
		if column.Reference != nil {
			value = b.reference(i, column, value)
		}
		b.target(column.Name, value, !slices.Contains(b.keyed, column.Name))
		if pending := pendingColumn(column); pending != "" {
			b.target(pending, fmt.Sprintf("CASE WHEN r%d.id IS NULL THEN i.%s END", i, name), true)
		}
	}
	sent := len(b.targets)
	for i := range b.table.Columns {
		column := &b.table.Columns[i]
		present := slices.ContainsFunc(b.columns, func(c *registry.Column) bool { return c.Name == column.Name })
		if !present && !column.Nullable {
			b.kept(column)
		}
	}
	var written, stored []string
	for i, t := range b.targets[:sent] {
		written = append(written, literal(t.column)+", t."+quote(t.column))
		stored = append(stored, fmt.Sprintf("%s, c.s%d", literal(t.column), i))
	}
	b.record, b.recorded = jsonObject(written), jsonObject(stored)
}

// generic is for a table without a table: its columns are members of a document.
func (b *builder) generic() {
	b.array("data", "jsonb")
	data := []string{"i.data"}
	for i, column := range b.columns {
		if column.Reference == nil {
			continue
		}
		name := fmt.Sprintf("c%d", i)
		b.array(name, "text")
		id := b.reference(i, column, "i."+name)
		data = append(data, fmt.Sprintf("jsonb_strip_nulls(jsonb_build_object(%s, %s))", literal(column.Name), id))
	}
	b.target("data", strings.Join(data, " || "), true)
	b.record, b.recorded = "NULL::jsonb", fmt.Sprintf("c.v0 || jsonb_build_object(%s, c.identity)", literal(b.table.ConflictColumn))
}

// target adds a column that was sent.
func (b *builder) target(column, value string, updated bool) {
	b.targets = append(b.targets, target{column: column, value: value, stored: "s." + quote(column), updated: updated})
}

// kept adds a column that was not sent and may not be null: the row proposed for
// insertion carries what is stored, so that a partial update does not fail on it.
func (b *builder) kept(column *registry.Column) {
	value := "s." + quote(column.Name)
	if column.Default != nil {
		value = fmt.Sprintf("coalesce(%s, %s::text::%s)", value, b.param(), sqlTypes[column.Type])
		b.defaults = append(b.defaults, *column.Default)
	}
	b.target(column.Name, value, false)
	if pending := pendingColumn(column); pending != "" {
		b.target(pending, "s."+quote(pending), false)
	}
}

// reference looks a sent value up, as the id of a record of this workspace or as
// its conflict key, and returns the expression for the id found.
func (b *builder) reference(i int, column *registry.Column, sent string) string {
	from, where := source(column.Reference)
	b.joins = append(b.joins, fmt.Sprintf(`LEFT JOIN LATERAL (
        SELECT f.id FROM (
            SELECT r.id FROM %[2]s r WHERE r.tenant_id = i.tenant_id AND r.workspace_id = i.workspace_id AND r.id = %[4]s%[5]s
            UNION ALL
            SELECT r.id FROM %[2]s r WHERE r.tenant_id = i.tenant_id AND r.workspace_id = i.workspace_id AND r.%[3]s = %[4]s%[5]s
        ) f LIMIT 1
    ) r%[1]d ON true`, i, from, quote(column.Reference.Key), sent, where))
	found := fmt.Sprintf("r%d.id", i)
	if pendingColumn(column) == "" {
		b.unknown = append(b.unknown, fmt.Sprintf("CASE WHEN %s IS NOT NULL AND %s IS NULL THEN %s END", sent, found, literal(column.Name)))
	}
	return found
}

// sql puts the statement together.
func (b *builder) sql() string {
	if b.write {
		return b.check() + b.upsert()
	}
	// The writing half's parameter is named, so that both forms take the same.
	return b.check() + fmt.Sprintf(`
SELECT c.ord, c.key_live, c.current, c.elsewhere, c.stored_id IS NULL AS fresh, c.unknown,
    c.stored_id AS id, c.stored_version AS version, NULL::boolean AS created, NULL::boolean AS waits
FROM checked c WHERE $%d::text IS NOT NULL ORDER BY c.ord`, paramEventType)
}

// check is the half that looks and judges.
func (b *builder) check() string {
	known := "t." + quote(b.table.ConflictColumn) + " = i.identity"
	if b.table.Generic {
		known = fmt.Sprintf("t.slug = $%d AND t.external_id = i.identity", paramSlug)
	}
	checked := make([]string, 0, len(b.targets))
	for i, t := range b.targets {
		checked = append(checked, fmt.Sprintf("%s AS v%d, %s AS s%[2]d", t.value, i, t.stored))
	}
	return fmt.Sprintf(`WITH input AS (
    SELECT u.ord, u.tenant_id, u.workspace_id, u.key_id, u.identity, u.new_id, u.event_id, u.actor, u.request_id, u.complete%s
    FROM unnest($%d::uuid[], $%d::uuid[], $%d::uuid[], $%d::text[], $%d::text[], $%d::uuid[], $%d::jsonb[], $%d::text[], $%d::boolean[]%s)
        WITH ORDINALITY AS u (tenant_id, workspace_id, key_id, identity, new_id, event_id, actor, request_id, complete%s, ord)
), checked AS (
    SELECT i.ord, i.tenant_id, i.workspace_id, i.identity, i.new_id, i.event_id, i.actor, i.request_id, i.complete,
        (i.key_id IS NULL OR k.live IS NOT NULL) AS key_live,
        (SELECT count(*) = 1 FROM workspace.registry_tables g WHERE g.tenant_id = $%d AND g.slug = $%d AND g.version = $%d) AS current,
        s.id AS stored_id, s.version AS stored_version, coalesce(s.workspace_id <> i.workspace_id, false) AS elsewhere,
        array_remove(ARRAY[%s]::text[], NULL) AS unknown,
        %s
    FROM input i
    LEFT JOIN LATERAL (
        SELECT true AS live FROM workspace.api_keys a
        WHERE a.tenant_id = i.tenant_id AND a.id = i.key_id
          AND a.revoked_at IS NULL AND (a.expires_at IS NULL OR a.expires_at > now()) LIMIT 1
    ) k ON true
    LEFT JOIN LATERAL (SELECT t.* FROM %s t WHERE t.tenant_id = i.tenant_id AND %s LIMIT 1) s ON true
    %s
)`,
		prefixed(b.casts), paramTenants, paramWorkspaces, paramKeys, paramIdentities, paramNewIDs, paramEventIDs, paramActors, paramRequests, paramComplete,
		prefixed(b.arrays), prefixed(b.names),
		paramOwner, paramSlug, paramVersion,
		strings.Join(b.unknown, ", "), strings.Join(checked, ",\n        "),
		tableName(b.table), known, strings.Join(b.joins, "\n    "))
}

// upsert is the half that writes rows and events.
func (b *builder) upsert() string {
	key := "(tenant_id, " + quote(b.table.ConflictColumn) + ")"
	inserts := []string{"id", "tenant_id", "workspace_id"}
	values := []string{"c.new_id", "c.tenant_id", "c.workspace_id"}
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
	return fmt.Sprintf(`, accepted AS (
    SELECT * FROM checked c
    WHERE c.key_live AND c.current AND NOT c.elsewhere AND (c.stored_id IS NOT NULL OR c.complete) AND c.unknown = '{}'
), written AS (
    INSERT INTO %[1]s AS t (%[2]s)
    SELECT %[3]s FROM accepted c ORDER BY c.tenant_id, c.identity
    ON CONFLICT %[4]s %[5]s
    RETURNING t.id, t.tenant_id, t.%[6]s AS identity, t.version, (t.xmax = 0) AS created, %[11]s AS waits, %[7]s AS record
), emitted AS (
    INSERT INTO workspace.events (tenant_id, subject, id, workspace_id, kind, slug, version, actor, request_id, data)
    SELECT c.tenant_id, coalesce(w.id, c.stored_id), c.event_id, c.workspace_id, $%[9]d, $%[10]d,
        coalesce(w.version, c.stored_version), c.actor, c.request_id,
        jsonb_build_object('result', CASE WHEN w.id IS NULL THEN 'unchanged' WHEN w.created THEN 'created' ELSE 'updated' END,
            'record', coalesce(w.record, %[8]s))
    FROM accepted c LEFT JOIN written w ON w.tenant_id = c.tenant_id AND w.identity = c.identity
    WHERE w.id IS NOT NULL OR c.stored_id IS NOT NULL
)
SELECT c.ord, c.key_live, c.current, c.elsewhere, c.stored_id IS NULL AS fresh, c.unknown,
    coalesce(w.id, c.stored_id) AS id, coalesce(w.version, c.stored_version) AS version, w.created, w.waits
FROM checked c LEFT JOIN written w ON w.tenant_id = c.tenant_id AND w.identity = c.identity ORDER BY c.ord`,
		tableName(b.table), strings.Join(inserts, ", "), strings.Join(values, ", "), key, b.onConflict(), quote(b.table.ConflictColumn),
		b.record, b.recorded, paramEventType, paramSlug, b.waits())
}

// onConflict updates the columns that were sent, and only a row of this workspace
// that would change. Rows that it passes over are not returned.
func (b *builder) onConflict() string {
	var sets, before, after []string
	for _, t := range b.targets {
		if !t.updated {
			continue
		}
		old, proposed := "t."+quote(t.column), "excluded."+quote(t.column)
		if b.table.Generic {
			proposed = old + " || " + proposed
		}
		sets = append(sets, quote(t.column)+" = "+proposed)
		before, after = append(before, old), append(after, proposed)
	}
	if len(sets) == 0 {
		return "DO NOTHING"
	}
	return fmt.Sprintf("DO UPDATE SET %s, version = t.version + 1, updated_at = now()\n    WHERE t.workspace_id = excluded.workspace_id AND ROW(%s) IS DISTINCT FROM ROW(%s)",
		strings.Join(sets, ", "), strings.Join(before, ", "), strings.Join(after, ", "))
}

// waits says of a written row "t" whether it waits for a record that has not
// arrived.
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

var sqlTypes = map[registry.Type]string{
	registry.Text:     "text",
	registry.Number:   "numeric",
	registry.Boolean:  "boolean",
	registry.Date:     "date",
	registry.Datetime: "timestamptz",
	registry.UUID:     "uuid",
}

func tableName(table *registry.Table) string {
	if table.Generic {
		return "workspace.records"
	}
	return "workspace." + quote(table.Slug)
}

// source is where a reference's records are, and what else finds them there.
func source(reference *registry.Reference) (from, where string) {
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

// jsonObject builds a jsonb object of "name, value" pairs. A function takes at most
// 100 arguments, so large ones are put together from parts.
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
