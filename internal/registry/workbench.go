package registry

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// workbench holds a company's tables during a change.
type workbench struct {
	tx       pgx.Tx
	queries  *q.Queries
	by       auth.Principal
	tables   []*Defined
	made     *Defined // the table that this change makes; its audit row names its columns
	extended *Table   // the built-in table that is changed; nil: a table of the company's own
	retypes  bool     // a column may get another type
}

// changing runs a change of the company's tables and returns the table of the slug as it is afterwards. Changes of one
// company happen one after another.
func (s *Service) changing(ctx context.Context, by auth.Principal, slug string, change func(*workbench) error) (
	after *Defined, err error) {
	extended, err := s.builtIn(ctx, slug)
	if err != nil {
		return nil, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		w := &workbench{tx: tx, queries: q.New(tx), by: by, extended: extended}
		if err := w.queries.LockDefinitions(ctx, by.Tenant.String()); err != nil {
			return err
		}
		if w.tables, err = readDefinitions(ctx, w.queries, by); err != nil {
			return err
		}
		if err := change(w); err != nil {
			return err
		}
		if w.tables, err = readDefinitions(ctx, w.queries, by); err != nil {
			return err
		}
		if after = w.find(slug); after == nil && extended != nil {
			after = w.extension(nil) // nothing was added
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return after, nil
}

// find returns what the company has defined of a table, or nil.
func (w *workbench) find(slug string) *Defined {
	at := slices.IndexFunc(w.tables, func(t *Defined) bool { return t.Slug == slug })
	if at < 0 {
		return nil
	}
	return w.tables[at]
}

// own returns a table of the company's own at a version; 0 means any.
func (w *workbench) own(slug string, version int64) (*Defined, error) {
	table := w.find(slug)
	if table == nil {
		return nil, fault.New(fault.NotFound, "unknown_table", "your company has no table of its own with the slug %s",
			fault.Shorten(slug))
	}
	if version != 0 && version != table.Version {
		return nil, fault.New(fault.Stale, "stale",
			"somebody has changed this table in the meantime; look at it again and repeat your change").At(table.Version)
	}
	return table, nil
}

// live is own for a table that is not retired.
func (w *workbench) live(slug string, version int64) (*Defined, error) {
	table, err := w.own(slug, version)
	if err == nil && table.RetiredAt != nil {
		return nil, errRetired(slug)
	}
	return table, err
}

func errRetired(slug string) error {
	return fault.New(fault.Conflict, "retired",
		"the table %s was retired, and its slug stays its own; bring it back, or choose another slug", slug)
}

func (w *workbench) create(ctx context.Context, definition Definition) (*Defined, error) {
	own := 0
	for _, table := range w.tables {
		if !table.BuiltIn {
			own++
		}
	}
	if own >= MostTables {
		return nil, fault.New(fault.Conflict, "too_many", "a company has at most %d tables of its own, retired ones included",
			MostTables)
	}
	err := w.queries.InsertTable(ctx, q.InsertTableParams{TenantID: w.by.Tenant, Slug: definition.Slug,
		Title: definition.Title, Description: definition.Description})
	if err != nil {
		return nil, err
	}
	table := &Defined{Slug: definition.Slug, Title: definition.Title, Description: definition.Description}
	w.tables, w.made = append(w.tables, table), table
	names := []string{}
	for _, column := range definition.Columns {
		names = append(names, column.Name)
	}
	return table, audit.Record(ctx, w.tx, w.by, "table.defined", table.Slug,
		audit.Data{"name": table.Title, "columns": names})
}

func (w *workbench) rename(ctx context.Context, table *Defined, title, description string) error {
	if table.RetiredAt != nil {
		return errRetired(table.Slug)
	}
	if table.Title == title && table.Description == description {
		return nil
	}
	err := w.queries.UpdateTable(ctx, q.UpdateTableParams{TenantID: w.by.Tenant, Slug: table.Slug, Title: title,
		Description: description})
	if err != nil {
		return err
	}
	return audit.Record(ctx, w.tx, w.by, "table.changed", table.Slug, audit.Data{"name": title, "before": table.Title})
}

// put adds or changes a column that was checked by itself, and adds to wrong what does not fit the table.
func (w *workbench) put(ctx context.Context, table *Defined, column ColumnDefinition, at string, wrong *refusals) error {
	before, known := table.Find(column.Name)
	fits, err := w.fits(ctx, table, column, at, wrong)
	if err != nil || !fits || known && reflect.DeepEqual(before.ColumnDefinition, column) {
		return err
	}
	put := DefinedColumn{ColumnDefinition: column}
	action := audit.Action("column.defined")
	data := audit.Data{"table": table.Slug, "column": column.Name, "type": column.Type}
	switch {
	case known:
		put.position, action = before.position, "column.changed"
		data["changed"] = changed(before.ColumnDefinition, column)
	case len(table.Columns) > 0:
		put.position = table.Columns[len(table.Columns)-1].position + 1
	}
	if table.BuiltIn && len(table.Columns) == 0 {
		err := w.queries.InsertExtension(ctx, q.InsertExtensionParams{TenantID: w.by.Tenant, Slug: table.Slug})
		if err != nil {
			return err
		}
	}
	if err := w.store(ctx, table.Slug, &put); err != nil {
		return err
	}
	if !known {
		table.Columns = append(table.Columns, put)
	}
	if table == w.made {
		return nil
	}
	return audit.Record(ctx, w.tx, w.by, action, table.Slug+"."+column.Name, data)
}

// fits reports whether a column that was checked by itself fits the table, and adds to wrong why it does not.
func (w *workbench) fits(ctx context.Context, table *Defined, column ColumnDefinition, at string, wrong *refusals) (
	bool, error) {
	before, known := table.Find(column.Name)
	switch {
	case known && before.RetiredAt != nil:
		wrong.add(at+"name", "retired", "the column %s was retired, and its name stays its own; bring it back, or choose another name",
			column.Name)
		return false, nil
	case known && before.References != column.References:
		wrong.add(at+"type", "type_fixed", "%s is %s, which cannot change; retire it and add another column", column.Name,
			before.kind())
		return false, nil
	case known && before.Type != column.Type && !w.retypes:
		wrong.add(at+"type", "type_fixed", "%s is %s; another type needs a conversion of the stored values", column.Name,
			before.kind())
		return false, nil
	case known && before.Type != column.Type && before.Converting:
		wrong.add(at+"type", "converting", "the values of %s are still being converted; wait until that has ended", column.Name)
		return false, nil
	case known && table.Sequence == column.Name && column.unordered() != "":
		wrong.add(at+"type", "sequence", "%s orders the deliveries of the table's records, so it %s", column.Name, column.unordered())
		return false, nil
	case known && reflect.DeepEqual(before.ColumnDefinition, column):
		return true, nil
	case !known && w.taken(column.Name):
		wrong.add(at+"name", "name_taken", "%s has a column %s already; choose another name", table.Slug, column.Name)
		return false, nil
	case !known && len(table.Columns) >= MostColumns:
		wrong.add(at+"name", "too_many", "a table has at most %d columns, retired ones included", MostColumns)
		return false, nil
	}
	exists, err := w.exists(ctx, column.References)
	if err == nil && !exists {
		wrong.add(at+"references", "unknown_table", "there is no table %q to refer to", fault.Shorten(column.References))
	}
	return exists, err
}

// kind describes what a column holds.
func (c *ColumnDefinition) kind() string {
	if c.References != "" {
		return "a reference to " + c.References
	}
	return "of the type " + string(c.Type)
}

// changed names the properties in which two definitions differ.
func changed(before, after ColumnDefinition) (names []string) {
	a, b := reflect.ValueOf(before), reflect.ValueOf(after)
	for i := range a.NumField() {
		if !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			name, _, _ := strings.Cut(a.Type().Field(i).Tag.Get("json"), ",")
			names = append(names, name)
		}
	}
	return names
}

// exists reports whether a column may refer to the table.
func (w *workbench) exists(ctx context.Context, slug string) (bool, error) {
	if slug == "" {
		return true, nil
	}
	if !IsSlug(slug) {
		return false, nil
	}
	return w.queries.TableExists(ctx, q.TableExistsParams{TenantID: w.by.Tenant, Slug: slug})
}

// referring names a column that refers to the table from another one, or is empty.
func (w *workbench) referring(slug string) string {
	for _, table := range w.tables {
		for i := range table.Columns {
			column := &table.Columns[i]
			if table.Slug != slug && table.RetiredAt == nil && column.RetiredAt == nil && column.References == slug {
				return table.Slug + "." + column.Name
			}
		}
	}
	return ""
}

// referredExist refuses to bring back a table, or one of its columns, while a table that it refers to is retired.
func (w *workbench) referredExist(ctx context.Context, table *Defined, only string) error {
	for i := range table.Columns {
		column := &table.Columns[i]
		if only != "" && column.Name != only || only == "" && column.RetiredAt != nil || column.References == table.Slug {
			continue
		}
		known, err := w.exists(ctx, column.References)
		if err != nil {
			return err
		}
		if !known {
			return fault.New(fault.Conflict, "retired", "%s.%s refers to %s, which is retired; bring that table back first",
				table.Slug, column.Name, column.References)
		}
	}
	return nil
}

func (w *workbench) store(ctx context.Context, slug string, column *DefinedColumn) error {
	return w.queries.PutColumn(ctx, q.PutColumnParams{
		TenantID: w.by.Tenant, Slug: slug, Name: column.Name, Position: column.position, Type: string(column.Type),
		Reference: filled(column.References), Accepted: !column.PeopleOnly, Required: column.Required,
		DefaultValue: column.Default, Choices: column.Choices, Minimum: filled(string(column.Minimum)),
		Maximum: filled(string(column.Maximum)), MaxLength: filled(int64(column.MaxLength)), Format: filled(column.Format),
		Description: column.Description, Example: column.exampleJSON(), RetiredAt: column.RetiredAt,
	})
}

// filled returns nil for a zero value.
func filled[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}
