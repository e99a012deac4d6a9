package sheet

import "slices"

// Table is the table that records are sent to.
type Table struct {
	Slug    string
	Columns []Column
}

// Column is one column of a table.
type Column struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Accepted bool   `json:"accepted"`
	Required bool   `json:"required"`
}

// accepted returns the columns that may be sent.
func (t *Table) accepted() []Column {
	return slices.DeleteFunc(slices.Clone(t.Columns), func(c Column) bool { return !c.Accepted })
}

// column returns an accepted column.
func (t *Table) column(name string) (Column, bool) {
	at := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name && c.Accepted })
	if at < 0 {
		return Column{}, false
	}
	return t.Columns[at], true
}
