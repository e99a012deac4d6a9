package blueprint

import (
	"strings"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/registry"
)

// flow is what the templates of all platforms share: the source of the records, the value of
// each column, and the endpoint.
type flow struct {
	table    *registry.Table
	endpoint string
	source   source
	fields   []field // in the order of the registry
}

// source is a system that calls the platform's webhook.
type source struct {
	name   string // such as "Shopify orders"
	tell   string // how to make it call the webhook, as an instruction
	list   string // the part of a message that holds one record per element; empty: one record per message
	each   string // the name of one element
	sparse bool   // messages may lack fields, which then must not be sent as empty
	sample string // a message to test the flow with; empty: generated from the registry's examples
	clock  string // the field with the time of the message's last change; empty: it has none
	values map[string]value
}

// field is a column and the source of its value.
type field struct {
	column string
	value  value
}

func newFlow(table *registry.Table, endpoint string) *flow {
	f := &flow{table: table, endpoint: endpoint, source: source{
		name: table.Title, sparse: true,
		tell: "have your system send each record to that address as one JSON object that uses the names of the table's columns",
	}}
	if known, ok := shopify[table.Slug]; ok && table.Owner == uuid.Nil {
		f.source = known
	}
	for i := range table.Columns {
		if column := &table.Columns[i]; column.Accepted {
			if v := f.valueOf(column); v != nil {
				f.fields = append(f.fields, field{column.Name, v})
			}
		}
	}
	return f
}

// valueOf returns the source of a column's value, or nil if the flow's source does not have it.
// A required column is always mapped: the message may have it under our name, and otherwise the
// refusal names it. Updates require no column, so a sparse source may omit any field.
func (f *flow) valueOf(column *registry.Column) value {
	same := path{keys: column.Name}
	switch v, ok := f.source.values[column.Name]; {
	case ok:
		return v
	case f.source.sparse:
		return optional{same}
	case column.Required:
		return same
	}
	return nil
}

// title returns the template's name on the platform.
func (f *flow) title() string { return cut(f.source.name+" to Quayside", 120) }

func (f *flow) about() string {
	if f.source.list == "" {
		return f.source.name + " reach the table " + f.table.Slug + ", one record per message. "
	}
	return f.source.name + " reach the table " + f.table.Slug + ", one record per " + f.source.each + ". "
}

// paste says which key to use.
func (f *flow) paste() string {
	return "an API key whose scope is " + f.table.Slug + " (or a Master Import Key)"
}

// sentence turns an instruction into a sentence.
func sentence(words string) string { return strings.ToUpper(words[:1]) + words[1:] + "." }

// cut shortens a text to most characters, since tenants choose the titles of their tables.
func cut(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}
	return text
}
