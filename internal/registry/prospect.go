package registry

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// Prospect is a column as it would be after a change that nobody has made yet.
type Prospect struct {
	Table  *Table            // as it is now
	Column *Column           // as it would be
	Before *ColumnDefinition // as it is; nil: the column would be new

	version int64 // of the definition
}

// Retyped reports whether the column would get another type.
func (p Prospect) Retyped() bool { return p.Before != nil && p.Before.Type != p.Column.Type }

// prospectTimeout limits the reading of a few rows of the registry.
const prospectTimeout = 5 * time.Second

// Prospect returns the column that DefineColumn would make, and refuses what DefineColumn would refuse, except another
// type: a caller that only looks may ask what that would mean. It changes nothing and waits for no lock.
func (s *Service) Prospect(ctx context.Context, by auth.Principal, slug string, version int64, column ColumnDefinition) (
	prospect Prospect, err error) {
	if err := by.Require(auth.DefineTables); err != nil {
		return Prospect{}, err
	}
	var wrong refusals
	column = column.check("", &wrong)
	if err := wrong.err(); err != nil {
		return Prospect{}, err
	}
	err = s.trying(ctx, by, slug, func(w *workbench) error {
		defined, err := w.live(slug, version)
		if w.extended != nil && fault.Is(err, fault.NotFound) {
			defined, err = w.extension(nil), nil
		}
		if err != nil {
			return err
		}
		if _, err := w.fits(ctx, defined, column, "", &wrong); err != nil {
			return err
		}
		if before, known := defined.Find(column.Name); known {
			prospect.Before = &before.ColumnDefinition
		}
		prospect.Column, prospect.version = column.column(), defined.Version
		prospect.Column.Custom = w.extended != nil
		prospect.Table, err = s.load(ctx, w.queries, by.Tenant, slug)
		return err
	})
	if err == nil {
		err = wrong.err()
	}
	return prospect, err
}

// Planned returns the slug of a table, and the columns that Define would add to it or change. It refuses what Define would refuse, except
// another type, and changes nothing. A table that does not exist yet has nothing to try.
func (s *Service) Planned(ctx context.Context, by auth.Principal, definition Definition) (
	slug string, columns []ColumnDefinition, err error) {
	if err := by.Require(auth.DefineTables); err != nil {
		return "", nil, err
	}
	var extended *Table
	if definition.Slug != "" {
		if extended, err = s.builtIn(ctx, definition.Slug); err != nil {
			return "", nil, err
		}
	}
	if definition, err = definition.check(extended); err != nil {
		return "", nil, err
	}
	err = s.trying(ctx, by, definition.Slug, func(w *workbench) error {
		table := w.find(definition.Slug)
		exists := table != nil || extended != nil
		switch {
		case extended != nil:
			table = w.extension(table)
		case table == nil:
			table = &Defined{Slug: definition.Slug}
		case table.RetiredAt != nil:
			return errRetired(table.Slug)
		}
		var wrong refusals
		for i, column := range definition.Columns {
			before, known := table.Find(column.Name)
			if _, err := w.fits(ctx, table, column, fmt.Sprintf("columns/%d/", i), &wrong); err != nil {
				return err
			}
			if exists && (!known || !reflect.DeepEqual(before.ColumnDefinition, column)) {
				columns = append(columns, column)
			}
		}
		if err := wrong.err(); err != nil || definition.Sequence == nil {
			return err
		}
		return table.checkSequence(*definition.Sequence, definition.Columns)
	})
	return definition.Slug, columns, err
}

// Retype makes a prospect's column what it would be, another type included, unless somebody has changed the table since. In
// the same transaction convert sees to the values that are stored.
func (s *Service) Retype(ctx context.Context, by auth.Principal, prospect Prospect, column ColumnDefinition,
	convert func(pgx.Tx) error) (*Defined, error) {
	if err := by.Require(auth.DefineTables); err != nil {
		return nil, err
	}
	var wrong refusals
	column = column.check("", &wrong)
	if err := wrong.err(); err != nil {
		return nil, err
	}
	return s.changing(ctx, by, prospect.Table.Slug, func(w *workbench) error {
		w.retypes = true
		table, err := w.live(prospect.Table.Slug, prospect.version)
		if err != nil {
			return err
		}
		if err := w.put(ctx, table, column, "", &wrong); err != nil {
			return err
		}
		if err := wrong.err(); err != nil {
			return err
		}
		return convert(w.tx)
	})
}

// trying calls a function with the company's tables as they are, in a transaction that can change nothing.
func (s *Service) trying(ctx context.Context, by auth.Principal, slug string, look func(*workbench) error) error {
	extended, err := s.builtIn(ctx, slug)
	if err != nil {
		return err
	}
	return s.cells.Reading(ctx, by.Tenant, prospectTimeout, func(tx pgx.Tx) error {
		w := &workbench{tx: tx, queries: q.New(tx), by: by, extended: extended, retypes: true}
		if w.tables, err = readDefinitions(ctx, w.queries, by); err != nil {
			return err
		}
		return look(w)
	})
}

// column returns the column that a definition makes.
func (c *ColumnDefinition) column() *Column {
	column := &Column{
		Name: c.Name, Type: c.Type, Kind: "writable", Accepted: !c.PeopleOnly, Required: c.Required, Nullable: !c.Required,
		Default: c.Default, Choices: c.Choices, Minimum: string(c.Minimum), Maximum: string(c.Maximum),
		MaxLength: c.MaxLength, Format: c.Format, Description: c.Description, Example: c.exampleJSON(),
	}
	if c.References != "" {
		column.Reference = &Reference{Slug: c.References}
	}
	column.bound()
	return column
}
