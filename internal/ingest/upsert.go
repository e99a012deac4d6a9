package ingest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/internal/registry"
)

// This file builds the statement that stores records. It takes any number of records that
// share a table and a set of columns, as arrays. It looks up, judges and writes each record
// with its event, and returns one row for each. Identifiers come from the registry and are
// quoted; values are parameters.
//
//	input     the records, one row each
//	checked   whether the key is live, the registry unchanged for the record's tenant, the record in time, the row
//	          in this workspace and the references known; what the row holds now, whether the
//	          record would change it, and whether a gate decides
//	accepted  the records that pass, but for those that are left to a gate
//	written   rows inserted or updated; an unchanged row is not touched
//	emitted   one event for every record that was written, is unchanged or is stale
//	sequenced the sequences of records that have one, with the rows that they order
//
// The lookup takes no lock, so a row may change before the write. A row is therefore
// written only at the version that was read. The column "sure" is false for a record whose
// row changed concurrently: nothing of it was stored, and it is tried again in the mode
// that locks the row first.

// The parameters of every statement, in this order. Those of the columns follow.
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
	paramVersion
	paramSlug
	paramEventType
	paramColumns
)

// shape determines a statement's text.
type shape struct {
	table   *registry.Table
	columns []*registry.Column // present in every record
	gates   Gates              // the table's
	mode    mode
	ordered bool // every record has a sequence; see sequence.go
}

// mode says what a statement does.
type mode int

const (
	check     mode = iota // judge the record
	write                 // judge and store it
	lockFirst             // lock the row first, then judge and store
	admitted              // as lockFirst, for a record that a gate has admitted: the row's guards let it pass
)

// locks reports whether the row is locked before it is judged.
func (m mode) locks() bool { return m == lockFirst || m == admitted }

// target is a column to be stored, the expression that gives its value within
// "checked", and the expression for what the row holds now.
type target struct {
	column, value, stored string
	updated               bool   // set when an existing row is updated
	merged                bool   // a document: the members that are sent are set, the others are kept
	only                  string // a condition for the update; such a column alone never causes one
}

// statement is a shape's SQL, and the fixed values of its last parameters.
type statement struct {
	sql        string
	documented bool // it takes a document for each record
	defaults   []string
}

// build writes the statement of a shape.
func (s shape) build() statement {
	b := &builder{shape: s, nextParam: paramColumns}
	if s.ordered {
		b.array("sequence", "text")
	}
	if s.table.Generic {
		b.generic()
	} else {
		b.physical()
	}
	return statement{sql: b.sql(), documented: b.documented, defaults: b.defaults}
}

type builder struct {
	shape
	nextParam  int
	documented bool
	defaults   []string

	arrays   []string // unnest's arguments for the columns
	names    []string // the names of the arrays' columns
	casts    []string // their expressions in input's select list
	joins    []string // lookups of references
	unknown  []string // names of references that were not found
	warned   []string // codes of warnings, or null
	targets  []target
	record   string // the values written, as jsonb, from a row "t" of the table
	recorded string // the same for an unchanged row, from "c"
	added    string // what is recorded besides, from "c"; empty: nothing
}

// param returns the next unused parameter.
func (b *builder) param() string {
	b.nextParam++
	return fmt.Sprintf("$%d", b.nextParam-1)
}

// array adds one text array to the input, cast to the given type.
func (b *builder) array(name, sqlType string) {
	b.arrays = append(b.arrays, b.param()+"::text[]")
	b.names = append(b.names, name)
	b.casts = append(b.casts, fmt.Sprintf("u.%s::%s AS %[1]s", name, sqlType))
}

// inDocument reports whether a column's values are members of a JSON document: those of a tenant's own table are, and those
// of columns that a tenant has added to a built-in table.
func inDocument(table *registry.Table, column *registry.Column) bool {
	return table.Generic || column.Custom
}

// physical builds the parts for a built-in table, whose columns are columns of the schema, except for those that a tenant
// has added.
func (b *builder) physical() {
	values := map[string]string{} // the expressions of the sent columns
	for i, column := range b.columns {
		if column.Custom {
			continue
		}
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
	b.addDocument("custom")
	if b.documented {
		b.added = fmt.Sprintf(" || c.v%d", sent)
	}
	for i := range b.table.Columns {
		column := &b.table.Columns[i]
		present := slices.ContainsFunc(b.columns, func(c *registry.Column) bool { return c.Name == column.Name })
		if !present && !column.Nullable && !column.Custom {
			b.keepStored(column)
		}
	}
	if b.table.Snapshot != nil && b.mode != check {
		b.snapshot(b.table.Snapshot, values)
	}
	if b.mode != check {
		b.warn(values)
	}
	var written, stored []string
	for i, t := range b.targets[:sent] {
		written = append(written, literal(t.column)+", t."+quote(t.column))
		stored = append(stored, fmt.Sprintf("%s, c.s%d", literal(t.column), i))
	}
	b.record, b.recorded = jsonObject(written), jsonObject(stored)
}

// generic builds the parts for a tenant's own table, whose columns are members of a JSON
// document.
func (b *builder) generic() {
	b.addDocument("data")
	b.record, b.recorded = "NULL::jsonb",
		fmt.Sprintf("c.v0 || jsonb_build_object(%s, c.identity)", literal(b.table.ConflictColumn))
}

// addDocument adds the document that holds a row's values besides its own columns, unless nothing of it was sent and a new
// row has no defaults in it. The statement's text does not depend on the names of its members, so that tenants share it.
func (b *builder) addDocument(name string) {
	defaults := b.documentDefaults()
	b.documented = b.table.Generic || defaults != "" ||
		slices.ContainsFunc(b.columns, func(c *registry.Column) bool { return c.Custom })
	if !b.documented {
		return
	}
	b.array("data", "jsonb")
	data := []string{"i.data"}
	for i, column := range b.columns {
		if column.Reference == nil || !inDocument(b.table, column) {
			continue
		}
		name := fmt.Sprintf("c%d", i)
		b.array(name, "text")
		id := b.reference(i, column, "i."+name)
		data = append(data, fmt.Sprintf("jsonb_strip_nulls(jsonb_build_object(%s, %s))", literal(column.Name), id))
	}
	if defaults != "" {
		data = slices.Insert(data, 0, fmt.Sprintf("CASE WHEN s.id IS NULL THEN %s::text::jsonb ELSE '{}' END", b.param()))
		b.defaults = append(b.defaults, defaults)
	}
	b.targets = append(b.targets,
		target{column: name, value: strings.Join(data, " || "), stored: "s." + quote(name), updated: true, merged: true})
}

// documentDefaults returns the document with the default values of a new row, or "".
func (b *builder) documentDefaults() string {
	start := sanitized{table: b.table}
	for i := range b.table.Columns {
		if column := &b.table.Columns[i]; column.Default != nil && inDocument(b.table, column) {
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

// keepStored adds a column that was not sent and may not be null. The row proposed for insertion
// carries the stored value, so that a partial update does not violate the constraint.
func (b *builder) keepStored(column *registry.Column) {
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

// snapshot adds the snapshot's columns for all records at once, so that the table's trigger
// has nothing left to do. A snapshot is taken for a new row, and again when one of its
// arguments changes.
func (b *builder) snapshot(snapshot *registry.Snapshot, values map[string]string) {
	arguments := []string{"i.tenant_id", "i.workspace_id"}
	var before, after []string
	for _, name := range snapshot.Arguments {
		value, sent := values[name]
		if !sent {
			value = b.kept(name, values)
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

// kept returns the expression for what the row still holds in a column that was not sent. A line whose SKU changes forgets
// its article: see workspace.follow_sku.
func (b *builder) kept(name string, values map[string]string) string {
	if sku := values[skuField]; sku != "" && name == "product_id" {
		return fmt.Sprintf("CASE WHEN s.sku = %s THEN s.product_id END", sku)
	}
	return "s." + quote(name)
}

// reference adds the lookup of a sent value, as the id or the conflict key of a record of
// this workspace, or as a name of an article that was merged into it, and returns the expression for the id found.
func (b *builder) reference(i int, column *registry.Column, sent string) string {
	from, where := referenceSource(column.Reference)
	if column.Reference.Key == "" { // the table it refers to is gone
		b.unknown = append(b.unknown, fmt.Sprintf("CASE WHEN %s IS NOT NULL THEN %s END", sent, literal(column.Name)))
		return "NULL::text"
	}
	found := "r.id"
	if b.comparesSKU(column) {
		found += ", r.sku"
	}
	merged := ""
	if column.Reference.Slug == productsSlug {
		merged = fmt.Sprintf(`
            UNION ALL
            SELECT %s FROM %s r WHERE r.tenant_id = i.tenant_id AND r.workspace_id = i.workspace_id AND r.id = (
                SELECT a.product_id FROM workspace.article_aliases a WHERE a.tenant_id = i.tenant_id AND a.name = %s)`, found, from, sent)
	}
	b.joins = append(b.joins, fmt.Sprintf(`LEFT JOIN LATERAL (
        SELECT f.* FROM (
            SELECT %[6]s FROM %[2]s r WHERE r.tenant_id = i.tenant_id AND r.workspace_id = i.workspace_id AND r.id = %[4]s%[5]s
            UNION ALL
            SELECT %[6]s FROM %[2]s r WHERE r.tenant_id = i.tenant_id AND r.workspace_id = i.workspace_id AND r.%[3]s = %[4]s%[5]s%[7]s
        ) f LIMIT 1
    ) r%[1]d ON true`, i, from, quote(column.Reference.Key), sent, where, found, merged))
	id := fmt.Sprintf("r%d.id", i)
	if pendingColumn(column) == "" {
		b.unknown = append(b.unknown,
			fmt.Sprintf("CASE WHEN %s IS NOT NULL AND %s IS NULL THEN %s END", sent, id, literal(column.Name)))
	}
	return id
}
