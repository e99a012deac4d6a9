package push

import (
	"slices"

	"github.com/quayside/quayside/internal/sheet"
)

// Table is the description of a table.
type Table struct {
	Slug        string         `json:"slug"`
	ConflictKey []string       `json:"conflict_key"`
	Columns     []sheet.Column `json:"columns"`
}

// identity returns the columns that identify a record; the first one present counts. The
// service computes a conflict key from external_id or, failing that, sku.
func (t *Table) identity() []string {
	var names []string
	for _, name := range t.ConflictKey {
		if slices.ContainsFunc(t.Columns, func(c sheet.Column) bool { return c.Name == name && c.Accepted }) {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		return names
	}
	return []string{"external_id", "sku"}
}
