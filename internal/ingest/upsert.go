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
//	          are the references known; what the row holds now, and is it the same
//	accepted  those that pass
//	written   upserted: new, or changed; an unchanged row is not touched
//	emitted   one event for every accepted record
//
// The look takes no lock, so a row may change between look and write. The answer's
// column "sure" tells: it is false when what was judged was not what was written to,
// and the record is then sent again in the mode that locks first.

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
	mode    mode
}

// mode says how far a record goes.
type mode int

const (
	check  mode = iota // look and judge
	write              // and store
	insist             // and lock the row before judging: a look without a lock was overtaken
)

// target is a column to be stored, the expression that gives its value within
// "checked", and the expression for what the row holds now.
type target struct {
	column, value, stored string
	updated               bool   // by the SET of an upsert
	only                  string // and then only when this holds; such a change follows from another
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
	values := map[string]string{} // what a column that was sent will hold
	for i, column := range b.columns {
		name := fmt.Sprintf("c%d", i)
		b.array(name, sqlTypes[column.Type])
		value := "i." + name
		if column.Reference != nil {
			value = b.reference(i, column, value)
		}
		values[column.Name] = value
		// A table's only identity field is the key and never changes; of several, the
		// one that was sent equals the key, and setting it cannot move it.
		b.target(column.Name, value, column.Name != b.table.ConflictColumn)
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
	if b.table.Snapshot != nil && b.mode != check {
		b.snapshot(b.table.Snapshot, values)
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
	if defaults := b.genericDefaults(); defaults != "" {
		data = slices.Insert(data, 0, fmt.Sprintf("CASE WHEN s.id IS NULL THEN %s::text::jsonb ELSE '{}' END", b.param()))
		b.defaults = append(b.defaults, defaults)
	}
	b.target("data", strings.Join(data, " || "), true)
	b.record, b.recorded = "NULL::jsonb", fmt.Sprintf("c.v0 || jsonb_build_object(%s, c.identity)", literal(b.table.ConflictColumn))
}

// genericDefaults is what a new row of a generic table starts with.
func (b *builder) genericDefaults() string {
	start := sanitized{table: b.table}
	for i := range b.table.Columns {
		if column := &b.table.Columns[i]; column.Default != nil {
			start.columns = append(start.columns, cell{column, value{text: *column.Default}})
		}
	}
	if start.columns == nil {
		return ""
	}
	return document(start)
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

// snapshot takes the snapshot set-based, for all records at once; the table's trigger
// then finds nothing left to do. It is taken for a new row, and again when what it
// depends on changes.
func (b *builder) snapshot(snapshot *registry.Snapshot, values map[string]string) {
	arguments := []string{"i.tenant_id", "i.workspace_id"}
	var before, after []string
	for _, name := range snapshot.Arguments {
		value, sent := values[name]
		if !sent {
			value = "s." + quote(name)
		} else {
			before, after = append(before, "t."+quote(name)), append(after, "excluded."+quote(name))
		}
		arguments = append(arguments, value)
	}
	if len(before) == 0 {
		for _, name := range snapshot.Columns {
			b.target(name, "s."+quote(name), false)
		}
		return
	}
	b.joins = append(b.joins, fmt.Sprintf("LEFT JOIN LATERAL workspace.%s(%s) n ON true", quote(snapshot.Function), strings.Join(arguments, ", ")))
	changed := fmt.Sprintf("ROW(%s) IS DISTINCT FROM ROW(%s)", strings.Join(before, ", "), strings.Join(after, ", "))
	for _, name := range snapshot.Columns {
		b.targets = append(b.targets, target{column: name, value: "n." + quote(name), stored: "s." + quote(name), updated: true, only: changed})
	}
}

// reference looks a sent value up, as the id of a record of this workspace or as
// its conflict key, and returns the expression for the id found.
func (b *builder) reference(i int, column *registry.Column, sent string) string {
	from, where := source(column.Reference)
	if column.Reference.Key == "" { // the table it refers to is gone
		b.unknown = append(b.unknown, fmt.Sprintf("CASE WHEN %s IS NOT NULL THEN %s END", sent, literal(column.Name)))
		return "NULL::text"
	}
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
	if b.mode != check {
		return b.check() + b.upsert()
	}
	// The writing half's parameter is named, so that both forms take the same.
	return b.check() + fmt.Sprintf(`
SELECT c.ord, c.key_live, c.current, c.elsewhere, c.stored_id IS NULL AS fresh, c.unknown,
    true AS sure, NULL::boolean AS created, NULL::boolean AS waits
FROM checked c WHERE $%d::text IS NOT NULL ORDER BY c.ord`, paramEventType)
}

// check is the half that looks and judges.
func (b *builder) check() string {
	known := "t." + quote(b.table.ConflictColumn) + " = i.identity"
	if b.table.Generic {
		known = fmt.Sprintf("t.slug = $%d AND t.external_id = i.identity", paramSlug)
	}
	lock := ""
	if b.mode == insist {
		lock = " FOR NO KEY UPDATE"
	}
	checked := make([]string, 0, len(b.targets))
	same := []string{"s.id IS NOT NULL"}
	for i, t := range b.targets {
		checked = append(checked, fmt.Sprintf("%s AS v%d, %s AS s%[2]d", t.value, i, t.stored))
		switch {
		case b.table.Generic:
			same = append(same, fmt.Sprintf("(%s || (%s)) = %[1]s", t.stored, t.value))
		case t.updated && t.only == "":
			same = append(same, fmt.Sprintf("%s IS NOT DISTINCT FROM %s", t.stored, t.value))
		}
	}
	return fmt.Sprintf(`WITH input AS (
    SELECT u.ord, u.tenant_id, u.workspace_id, u.key_id, u.identity, u.new_id, u.event_id, u.actor::jsonb AS actor, u.request_id, u.complete%s
    FROM unnest($%d::uuid[], $%d::uuid[], $%d::uuid[], $%d::text[], $%d::text[], $%d::uuid[], $%d::text[], $%d::text[], $%d::boolean[]%s)
        WITH ORDINALITY AS u (tenant_id, workspace_id, key_id, identity, new_id, event_id, actor, request_id, complete%s, ord)
), checked AS (
    SELECT i.ord, i.tenant_id, i.workspace_id, i.identity, i.new_id, i.event_id, i.actor, i.request_id, i.complete,
        (i.key_id IS NULL OR k.live IS NOT NULL) AS key_live,
        (SELECT count(*) = 1 FROM workspace.registry_tables g WHERE g.tenant_id = $%d AND g.slug = $%d AND g.version = $%d) AS current,
        s.id AS stored_id, s.version AS stored_version, coalesce(s.workspace_id <> i.workspace_id, false) AS elsewhere,
        array_remove(ARRAY[%s]::text[], NULL) AS unknown, (%s) AS same,
        %s
    FROM input i
    LEFT JOIN LATERAL (
        SELECT true AS live FROM workspace.api_keys a
        WHERE a.tenant_id = i.tenant_id AND a.id = i.key_id
          AND a.revoked_at IS NULL AND (a.expires_at IS NULL OR a.expires_at > now()) LIMIT 1
    ) k ON true
    LEFT JOIN LATERAL (SELECT t.* FROM %s t WHERE t.tenant_id = i.tenant_id AND %s LIMIT 1%s) s ON true
    %s
)`,
		prefixed(b.casts), paramTenants, paramWorkspaces, paramKeys, paramIdentities, paramNewIDs, paramEventIDs, paramActors, paramRequests, paramComplete,
		prefixed(b.arrays), prefixed(b.names),
		paramOwner, paramSlug, paramVersion,
		strings.Join(b.unknown, ", "), strings.Join(same, " AND "), strings.Join(checked, ",\n        "),
		tableName(b.table), known, lock, strings.Join(b.joins, "\n    "))
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
    SELECT %[3]s FROM accepted c WHERE NOT c.same ORDER BY c.tenant_id, c.identity
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
    %[12]s AS sure, w.created, w.waits
FROM checked c LEFT JOIN written w ON w.tenant_id = c.tenant_id AND w.identity = c.identity ORDER BY c.ord`,
		tableName(b.table), strings.Join(inserts, ", "), strings.Join(values, ", "), key, b.onConflict(), quote(b.table.ConflictColumn),
		b.record, b.recorded, paramEventType, paramSlug, b.waits(), b.sure())
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
	return fmt.Sprintf("DO UPDATE SET %s, version = t.version + 1, updated_at = now()\n    WHERE t.workspace_id = excluded.workspace_id AND ROW(%s) IS DISTINCT FROM ROW(%s)",
		strings.Join(sets, ", "), strings.Join(before, ", "), strings.Join(after, ", "))
}

// sure says whether the row was what it was judged to be when it was written to. A
// row that was locked first always is. Else a row that was written must be new or one
// version further, and one that was not written must have been the same already: a
// trigger, or another writer, may have made it so.
func (b *builder) sure() string {
	if b.mode == insist {
		return "(w.id IS NOT NULL OR c.stored_id IS NOT NULL)"
	}
	return "coalesce(w.created OR w.version = c.stored_version + 1, c.same)"
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
