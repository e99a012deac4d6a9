package ingest

import (
	"slices"
	"strings"
	"time"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/registry"
)

// sanitized is a record reduced to what its table accepts.
type sanitized struct {
	table    *registry.Table
	identity string   // the conflict key's value; empty when none was sent
	keyed    []string // identity fields that were sent; never updated
	columns  []cell   // accepted, present, in the table's order
	missing  []string // required and absent: a new row cannot do without
	dropped  []string // unknown, system, trigger-filled or read-only, as sent
	coerced  []string // stored in another form than sent
	refused  []fault.Field
}

// cell is one column with the value it is to hold.
type cell struct {
	column *registry.Column
	value  value
}

// sanitize keeps the registered, accepted columns, coerces their values and
// collects everything that is wrong, not only the first thing.
func sanitize(table *registry.Table, fields []field, zone *time.Location) sanitized {
	record := sanitized{table: table}
	got := make(map[string]value, len(fields))
	for _, sent := range fields {
		column, known := table.Column(sent.name)
		if !known || !column.Accepted {
			record.dropped = append(record.dropped, sent.name)
			continue
		}
		v, coerced, refusal := coerce(column, sent.value, zone)
		if refusal == nil && absent(table, column, v) {
			continue
		}
		if refusal == nil {
			refusal = checkRules(column, v, isKey(table, column))
		}
		if refusal != nil {
			record.refused = append(record.refused, *refusal)
		}
		if coerced {
			record.coerced = append(record.coerced, column.Name)
		}
		got[column.Name] = v
	}
	record.identify(got)
	for i := range table.Columns {
		column := &table.Columns[i]
		v, present := got[column.Name]
		switch {
		case present:
			record.columns = append(record.columns, cell{column, v})
		case column.Required:
			record.missing = append(record.missing, column.Name)
		}
	}
	if record.identity == "" { // it can only be a new row, and not even that
		record.refused = append(record.refused, record.incomplete()...)
		if !slices.Contains(record.missing, table.Identity[0]) {
			record.refused = append(record.refused, missing(table.Identity[0], strings.Join(table.Identity, " or ")))
		}
	}
	slices.SortStableFunc(record.refused, func(a, b fault.Field) int { return table.Position(a.Field) - table.Position(b.Field) })
	return record
}

// identify finds the conflict key: the first identity field that is present. That
// field and those before it are never updated.
func (r *sanitized) identify(got map[string]value) {
	for _, name := range r.table.Identity {
		r.keyed = append(r.keyed, name)
		if v, ok := got[name]; ok && !v.null && v.text != "" {
			r.identity = v.text
			return
		}
	}
}

// isKey says whether an index holds the column's values, so that they are bounded.
func isKey(table *registry.Table, column *registry.Column) bool {
	return slices.Contains(table.Identity, column.Name) || column.Reference != nil ||
		table.Snapshot != nil && table.Snapshot.Match == column.Name
}

// absent says whether a sent value is as good as not sent: a key that is empty
// text, or a null where the record's identity should be. An empty reference is
// null, which clears it.
func absent(table *registry.Table, column *registry.Column, v value) bool {
	switch {
	case column.Reference != nil:
		return false
	case v.null:
		return column.Name == table.Identity[0]
	}
	return v.text == "" && isKey(table, column)
}

// incomplete lists what a new row lacks, in the words of a refusal.
func (r *sanitized) incomplete() []fault.Field {
	fields := make([]fault.Field, 0, len(r.missing))
	for _, name := range r.missing {
		fields = append(fields, missing(name, name))
	}
	return fields
}

func missing(field, words string) fault.Field {
	return fault.Field{Field: field, Code: "required", Message: "missing required field: " + words}
}
