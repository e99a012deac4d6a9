package registry

import (
	"context"
	"slices"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// unordered returns why the column's values do not order deliveries, or nothing if they do.
func (c *ColumnDefinition) unordered() string {
	switch {
	case c.Type != Date && c.Type != Datetime && c.Type != Number:
		return "must be a date, a time or a number"
	case c.PeopleOnly:
		return "must be sent by systems, not filled in by people only"
	}
	return ""
}

// checkSequence refuses a column that cannot order the deliveries of the table's records. The table may get the added
// columns by the same change.
func (d *Defined) checkSequence(name string, added []ColumnDefinition) error {
	if name == "" {
		return nil
	}
	if d.BuiltIn {
		return fault.InField("sequence", "built_in",
			"%s is a built-in table; its senders order their deliveries by the header Ingest-Sequence", d.Slug)
	}
	column, known := d.Find(name)
	if at := slices.IndexFunc(added, func(c ColumnDefinition) bool { return c.Name == name }); at >= 0 {
		column, known = &DefinedColumn{ColumnDefinition: added[at]}, true
	}
	if !known || column.RetiredAt != nil {
		return fault.InField("sequence", "unknown_column", "the table has no column %q", fault.Shorten(name))
	}
	if why := column.unordered(); why != "" {
		return fault.InField("sequence", "sequence", "%s cannot order the deliveries of the table's records: it %s", name, why)
	}
	return nil
}

// setSequence names the column whose values order the deliveries of the table's records, or none.
func (w *workbench) setSequence(ctx context.Context, table *Defined, name string) error {
	if err := table.checkSequence(name, nil); err != nil || name == table.Sequence {
		return err
	}
	err := w.queries.SetSequenceColumn(ctx, q.SetSequenceColumnParams{TenantID: w.by.Tenant, Slug: table.Slug,
		SequenceColumn: filled(name)})
	if err != nil || table == w.made {
		return err
	}
	return audit.Record(ctx, w.tx, w.by, "table.changed", table.Slug,
		audit.Data{"name": table.Title, "sequence": name, "sequence_before": table.Sequence})
}
