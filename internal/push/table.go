package push

import (
	"slices"

	"github.com/quayside/quayside/internal/sheet"
)

// Table is what discovery says of a table.
type Table struct {
	Slug        string         `json:"slug"`
	ConflictKey []string       `json:"conflict_key"`
	Columns     []sheet.Column `json:"columns"`
}

// identity are the columns that tell records apart, the first that is present counts.
// A conflict key that is computed by the service is made of external_id, else sku.
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
