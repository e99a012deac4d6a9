package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// Companies define tables of their own, and columns of built-in tables: rows of the registry, never statements that
// change the schema. A change
// raises the table's version, which every write compares, so all instances follow with the next record. What is
// retired is hidden and kept; its slug or name stays taken.

// Defined is a table of a company's own, with everything that was ever defined of it; or what a company has added to a
// built-in table.
type Defined struct {
	Slug, Title, Description string
	BuiltIn                  bool // Columns are only those that the company has added
	Version                  int64
	Columns                  []DefinedColumn // in order
	Sequence                 string          // the column whose values order deliveries; empty: none
	RetiredAt                *time.Time
	CreatedAt, UpdatedAt     time.Time
}

// DefinedColumn is a column of a Defined.
type DefinedColumn struct {
	ColumnDefinition
	RetiredAt  *time.Time
	Converting bool // it has got another type, and its stored values are being converted
	position   int64
}

// Find returns a column by its name.
func (d *Defined) Find(name string) (*DefinedColumn, bool) {
	at := slices.IndexFunc(d.Columns, func(c DefinedColumn) bool { return c.Name == name })
	if at < 0 {
		return nil, false
	}
	return &d.Columns[at], true
}

// Definitions returns the company's own tables, also retired ones, then the built-in tables to which it has added columns.
func (s *Service) Definitions(ctx context.Context, by auth.Principal) (tables []*Defined, err error) {
	if err := by.Require(auth.DefineTables); err != nil {
		return nil, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) (err error) {
		tables, err = readDefinitions(ctx, q.New(tx), by)
		return err
	})
	return tables, err
}

func readDefinitions(ctx context.Context, queries *q.Queries, by auth.Principal) ([]*Defined, error) {
	rows, err := queries.ListDefinitions(ctx, by.Tenant)
	if err != nil {
		return nil, err
	}
	tables, bySlug := make([]*Defined, 0, len(rows)), map[string]*Defined{}
	for _, row := range rows {
		table := &Defined{Slug: row.Slug, Title: row.Title, Description: row.Description, BuiltIn: row.BuiltIn,
			Sequence: row.SequenceColumn, Version: row.Version, RetiredAt: row.RetiredAt, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt}
		tables, bySlug[row.Slug] = append(tables, table), table
	}
	columns, err := queries.ListDefinedColumns(ctx, by.Tenant)
	if err != nil {
		return nil, err
	}
	for _, row := range columns {
		table, known := bySlug[row.Slug]
		if !known {
			continue
		}
		table.Columns = append(table.Columns, DefinedColumn{
			ColumnDefinition: ColumnDefinition{
				Name: row.Name, Type: Type(row.Type), Description: row.Description, Required: row.Required,
				PeopleOnly: !row.Accepted, Choices: row.Choices, Minimum: json.Number(row.Minimum),
				Maximum: json.Number(row.Maximum), MaxLength: int(row.MaxLength), Format: row.Format,
				Default: row.DefaultValue, References: row.Reference, Example: exampleText(row.Example),
			},
			RetiredAt: row.RetiredAt, Converting: row.Converting, position: row.Position,
		})
	}
	return tables, nil
}

// exampleText returns an example as definitions write it.
func exampleText(example []byte) *string {
	if len(example) == 0 {
		return nil
	}
	text := string(example)
	if json.Unmarshal(example, &text) != nil {
		text = string(example) // a number or a boolean
	}
	return &text
}

// Define makes a table, or changes the table that has this slug: its name and description, and the columns that
// the definition names. Other columns stay as they are. Defining the same again changes nothing. If the slug is given and
// is that of a built-in table, the columns are added to that table; its name and description stay.
func (s *Service) Define(ctx context.Context, by auth.Principal, definition Definition) (*Defined, error) {
	return s.define(ctx, by, definition, false)
}

// Create is Define for a table that must be new.
func (s *Service) Create(ctx context.Context, by auth.Principal, definition Definition) (*Defined, error) {
	return s.define(ctx, by, definition, true)
}

func (s *Service) define(ctx context.Context, by auth.Principal, definition Definition, fresh bool) (
	made *Defined, err error) {
	if err := by.Require(auth.DefineTables); err != nil {
		return nil, err
	}
	var extended *Table
	if !fresh && definition.Slug != "" {
		if extended, err = s.builtIn(ctx, definition.Slug); err != nil {
			return nil, err
		}
	}
	if definition, err = definition.check(extended); err != nil {
		return nil, err
	}
	return s.changing(ctx, by, definition.Slug, func(w *workbench) error {
		table := w.find(definition.Slug)
		switch {
		case extended != nil:
			table = w.extension(table)
		case table == nil:
			table, err = w.create(ctx, definition)
		case table.BuiltIn, fresh && table.RetiredAt == nil:
			err = fault.InField("slug", "slug_taken", "there is a table with the slug %s already; choose another", table.Slug)
		default:
			err = w.rename(ctx, table, definition.Title, definition.Description)
		}
		if err != nil {
			return err
		}
		var wrong refusals
		for i, column := range definition.Columns {
			if err := w.put(ctx, table, column, fmt.Sprintf("columns/%d/", i), &wrong); err != nil {
				return err
			}
		}
		if err := wrong.err(); err != nil || definition.Sequence == nil {
			return err
		}
		return w.setSequence(ctx, table, *definition.Sequence)
	})
}

// Changes are the new values of a table. Nil keeps a value.
type Changes struct {
	Title, Description *string
	Sequence           *string // the column whose values order deliveries; empty: none
}

// Change changes a table's name, description and sequence, if it is still at the version that the caller saw.
func (s *Service) Change(ctx context.Context, by auth.Principal, slug string, version int64, changes Changes) (
	*Defined, error) {
	if err := by.Require(auth.DefineTables); err != nil {
		return nil, err
	}
	return s.changing(ctx, by, slug, func(w *workbench) error {
		table, err := w.live(slug, version)
		if err != nil {
			return err
		}
		if table.BuiltIn {
			return fault.New(fault.Conflict, "built_in",
				"%s is a built-in table; its name, description and sequence cannot be changed", slug)
		}
		want := Definition{Title: table.Title, Description: table.Description, Slug: slug}
		if changes.Title != nil {
			want.Title = *changes.Title
		}
		if changes.Description != nil {
			want.Description = *changes.Description
		}
		if want, err = want.check(nil); err != nil {
			return err
		}
		if err := w.rename(ctx, table, want.Title, want.Description); err != nil || changes.Sequence == nil {
			return err
		}
		return w.setSequence(ctx, table, *changes.Sequence)
	})
}

// DefineColumn adds a column to a table, or changes it: to one of the company's own, or to a built-in one. Version 0 means
// any.
func (s *Service) DefineColumn(ctx context.Context, by auth.Principal, slug string, version int64,
	column ColumnDefinition) (*Defined, error) {
	if err := by.Require(auth.DefineTables); err != nil {
		return nil, err
	}
	var wrong refusals
	column = column.check("", &wrong)
	if err := wrong.err(); err != nil {
		return nil, err
	}
	return s.changing(ctx, by, slug, func(w *workbench) error {
		table, err := w.live(slug, version)
		if w.extended != nil && fault.Is(err, fault.NotFound) {
			table, err = w.extension(nil), nil
		}
		if err != nil {
			return err
		}
		if err := w.put(ctx, table, column, "", &wrong); err != nil {
			return err
		}
		return wrong.err()
	})
}

// SetRetired retires a table, or brings it back. A table that columns of other tables refer to cannot be retired.
func (s *Service) SetRetired(ctx context.Context, by auth.Principal, slug string, version int64, retired bool) (
	*Defined, error) {
	if err := by.Require(auth.DefineTables); err != nil {
		return nil, err
	}
	return s.changing(ctx, by, slug, func(w *workbench) error {
		table, err := w.own(slug, version)
		if err != nil {
			return err
		}
		switch {
		case table.BuiltIn:
			return fault.New(fault.Conflict, "built_in", "%s is a built-in table; retire the columns that you have added to it", slug)
		case (table.RetiredAt != nil) == retired:
			return nil
		}
		action := audit.Action("table.restored")
		if retired {
			action = "table.retired"
			if by := w.referring(slug); by != "" {
				return fault.New(fault.Conflict, "referenced", "%s refers to %s; retire that column first", by, slug)
			}
		} else if err := w.referredExist(ctx, table, ""); err != nil {
			return err
		}
		err = w.queries.UpdateTable(ctx, q.UpdateTableParams{TenantID: by.Tenant, Slug: slug, Title: table.Title,
			Description: table.Description, RetiredAt: since(retired)})
		if err != nil {
			return err
		}
		return audit.Record(ctx, w.tx, by, action, slug, audit.Data{"name": table.Title})
	})
}

// SetColumnRetired retires a column, or brings it back.
func (s *Service) SetColumnRetired(ctx context.Context, by auth.Principal, slug, name string, version int64,
	retired bool) (*Defined, error) {
	if err := by.Require(auth.DefineTables); err != nil {
		return nil, err
	}
	return s.changing(ctx, by, slug, func(w *workbench) error {
		table, err := w.live(slug, version)
		if err != nil {
			return err
		}
		column, known := table.Find(name)
		switch {
		case name == externalID:
			return fault.New(fault.Conflict, "identity", "external_id identifies the records and cannot be retired")
		case retired && name == table.Sequence:
			return fault.New(fault.Conflict, "sequence",
				"%s orders the deliveries of the table's records; choose another column for that, or none, first", name)
		case !known:
			return fault.New(fault.NotFound, "unknown_column", "%s has no column %s", slug, fault.Shorten(name))
		case (column.RetiredAt != nil) == retired:
			return nil
		case !retired && w.taken(name):
			return fault.New(fault.Conflict, "name_taken", "%s has a built-in column %s by now; add a column of another name", slug, name)
		}
		action := audit.Action("column.restored")
		if retired {
			action = "column.retired"
		} else if err := w.referredExist(ctx, table, name); err != nil {
			return err
		}
		column.RetiredAt = since(retired)
		if err := w.store(ctx, slug, column); err != nil {
			return err
		}
		return audit.Record(ctx, w.tx, by, action, slug+"."+name, audit.Data{"table": slug, "column": name})
	})
}

// since returns now if something is retired.
func since(retired bool) *time.Time {
	if !retired {
		return nil
	}
	now := time.Now()
	return &now
}
