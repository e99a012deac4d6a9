package ingest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/internal/registry"
)

// This file writes the one statement that stores records. It works on any number
// of records that share a table and a set of columns: they come in as arrays, each
// is looked up, judged, written and given its event, and the answer has one row for
// every record sent. Identifiers come from the registry and are quoted; values are
// parameters.
//
//	input     the records, one row each
//	checked   is the key alive, the registry unchanged, the record in time, the row
//	          known and ours, are the references known; what the row holds now, and is
//	          it the same
//	accepted  those that pass
//	written   upserted: new, or changed; an unchanged row is not touched
//	emitted   one event for every record that was written or is unchanged
//
// The look takes no lock, so a row may change between look and write. A row is
// therefore written only at the version that was read. The answer's column "sure" is
// false for a record that was overtaken: nothing of it was stored, and it is sent again
// in the mode that locks first.

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
	paramRetries
	paramExpected
	paramDeadlines
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
	insist             // and lock the row before judging: without a lock the record was overtaken
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
		b.array(name, column.Type.SQL())
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
	b.record, b.recorded = "NULL::jsonb",
		fmt.Sprintf("c.v0 || jsonb_build_object(%s, c.identity)", literal(b.table.ConflictColumn))
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
		value = fmt.Sprintf("coalesce(%s, %s::text::%s)", value, b.param(), column.Type.SQL())
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
	b.joins = append(b.joins,
		fmt.Sprintf("LEFT JOIN LATERAL workspace.%s(%s) n ON true", quote(snapshot.Function), strings.Join(arguments, ", ")))
	changed := fmt.Sprintf("ROW(%s) IS DISTINCT FROM ROW(%s)", strings.Join(before, ", "), strings.Join(after, ", "))
	for _, name := range snapshot.Columns {
		b.targets = append(b.targets,
			target{column: name, value: "n." + quote(name), stored: "s." + quote(name), updated: true, only: changed})
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
		b.unknown = append(b.unknown,
			fmt.Sprintf("CASE WHEN %s IS NOT NULL AND %s IS NULL THEN %s END", sent, found, literal(column.Name)))
	}
	return found
}
