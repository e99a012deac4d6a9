package ingest

import (
	"cmp"
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
	key      string   // the field that it was taken from
	columns  []cell   // accepted, present, in the table's order
	missing  []string // required but absent: an error if the row is new
	dropped  []string // unknown, system, trigger-filled or read-only, as sent
	unknown  []field  // those of dropped that the table does not have at all
	passed   int      // fields that decodeFor has passed over
	coerced  []string // stored in another form than sent
	warnings []Warning
	sequence Sequence // empty: none
	refused  []fault.Field
}

// cell is one column with its new value.
type cell struct {
	column *registry.Column
	value  value
}

// sanitize keeps the registered, accepted columns, coerces their values and
// collects everything that is wrong, not only the first thing. A record that a person typed
// may have the columns that only people fill in.
func sanitize(table *registry.Table, fields []field, zone *time.Location, typed bool) sanitized {
	record := sanitized{table: table}
	got := make(map[string]value, len(fields))
	rejected := map[string]bool{}
	for _, sent := range fields {
		column, known := table.Column(sent.Name)
		if !known || !column.Accepted && (!typed || !table.ForPeople(column)) {
			record.dropped = append(record.dropped, sent.Name)
			if !known {
				record.unknown = append(record.unknown, sent)
			}
			continue
		}
		v, coerced, refusal := coerce(column, sent.Value, zone)
		if refusal == nil && absent(table, column, v) {
			continue
		}
		if refusal == nil {
			refusal = cmp.Or(refuseBlank(column, v), checkRules(column, v))
		}
		if refusal != nil {
			rejected[column.Name] = true
			record.refuse(refusal, sent.Mended)
			continue
		}
		if coerced || sent.Mended {
			record.coerced = append(record.coerced, column.Name)
		}
		got[column.Name] = v
		record.warnOf(column, v, zone)
	}
	for i := range table.Columns {
		column := &table.Columns[i]
		v, present := got[column.Name]
		switch {
		case present:
			record.columns = append(record.columns, cell{column, v})
		case column.Required && !rejected[column.Name]:
			record.missing = append(record.missing, column.Name)
		}
	}
	record.identify(got, rejected)
	slices.SortStableFunc(record.refused,
		func(a, b fault.Field) int { return table.Position(a.Field) - table.Position(b.Field) })
	return record
}

// refuse adds why a field was refused. The sender does not see what a rule made of it.
func (r *sanitized) refuse(why *fault.Field, mended bool) {
	if mended {
		why.Message += " (a rule has changed it)"
	}
	r.refused = append(r.refused, *why)
}

// identify finds the conflict key: the first identity field that is present. It refuses a
// record without one, unless an identity field was rejected: that refusal is enough.
func (r *sanitized) identify(got map[string]value, rejected map[string]bool) {
	for _, name := range r.table.Identity {
		if rejected[name] {
			return
		}
		if v, ok := got[name]; ok && !v.null && v.text != "" {
			r.identity, r.key = v.text, name
			if other, merged := r.table.Aliases[v.text]; merged && name != r.table.Identity[0] {
				r.follow(other)
			}
			return
		}
	}
	r.refused = append(r.refused, r.missingFields()...)
	if !slices.Contains(r.missing, r.table.Identity[0]) {
		r.refused = append(r.refused, missingField(r.table.Identity[0], strings.Join(r.table.Identity, " or ")))
	}
}

// follow makes the record one of the row that its own was merged into.
func (r *sanitized) follow(other string) {
	column, _ := r.table.Column(r.table.Identity[0])
	r.identity, r.key = other, column.Name
	r.columns = slices.Insert(r.columns, 0, cell{column, value{text: other}})
	slices.SortStableFunc(r.columns, func(a, b cell) int { return r.table.Position(a.column.Name) - r.table.Position(b.column.Name) })
}

// absent reports whether a sent value counts as not sent: a null or a blank in an identity
// column, or a blank in an optional column that is indexed.
func absent(table *registry.Table, column *registry.Column, v value) bool {
	if v.null {
		return column.Name == table.Identity[0]
	}
	return column.Type == registry.Text && v.isBlank() && (table.Identifies(column) || column.Indexed && column.Nullable)
}

// refuseBlank refuses blank text in a column that is not nullable. In a required column it counts
// as missing, even if the row exists.
func refuseBlank(column *registry.Column, v value) *fault.Field {
	switch {
	case column.Nullable || column.Type != registry.Text || column.Choices != nil || !v.isBlank():
		return nil
	case column.Required:
		field := missingField(column.Name, column.Name)
		return &field
	}
	return refuse(column, "required", "may not be empty")
}

// missingFields returns a refusal for each required field that a new row lacks.
func (r *sanitized) missingFields() []fault.Field {
	fields := make([]fault.Field, 0, len(r.missing))
	for _, name := range r.missing {
		fields = append(fields, missingField(name, name))
	}
	return fields
}

func missingField(field, words string) fault.Field {
	return fault.Field{Field: field, Code: "required", Message: "missing required field: " + words}
}
