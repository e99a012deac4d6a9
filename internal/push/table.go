package push

import "slices"

// Table is what discovery says of a table.
type Table struct {
	Slug        string   `json:"slug"`
	ConflictKey []string `json:"conflict_key"`
	Columns     []Column `json:"columns"`
}

// Column is one column of a table.
type Column struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Accepted bool   `json:"accepted"`
	Required bool   `json:"required"`
}

// accepted are the columns that may be sent.
func (t *Table) accepted() []Column {
	return slices.DeleteFunc(slices.Clone(t.Columns), func(c Column) bool { return !c.Accepted })
}

// column finds an accepted column.
func (t *Table) column(name string) (Column, bool) {
	at := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name && c.Accepted })
	if at < 0 {
		return Column{}, false
	}
	return t.Columns[at], true
}

// identity are the columns that tell records apart, the first that is present counts.
// A conflict key that is computed by the service is made of external_id, else sku.
func (t *Table) identity() []string {
	var names []string
	for _, name := range t.ConflictKey {
		if _, ok := t.column(name); ok {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		return names
	}
	return []string{"external_id", "sku"}
}
