package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/registry"
)

type (
	tableDefinitionJSON struct {
		Slug        string              `json:"slug" example:"decisions"`
		Name        string              `json:"name" example:"Decisions"`
		Description string              `json:"description"`
		BuiltIn     bool                `json:"built_in" doc:"True for a built-in table to which the company has added columns."`
		Version     int64               `json:"version" doc:"The ETag is this number in quotes."`
		Sequence    string              `json:"sequence,omitempty" example:"changed_at" doc:"The column whose values order the deliveries of a record, as the header Ingest-Sequence does. Absent: none."`
		Columns     []definedColumnJSON `json:"columns" doc:"In order, also retired ones. Of a built-in table, only those that the company has added."`
		RetiredAt   *time.Time          `json:"retired_at,omitempty" doc:"Since when it is hidden. Absent if it is in use."`
		CreatedAt   time.Time           `json:"created_at"`
		UpdatedAt   time.Time           `json:"updated_at"`
	}
	definedColumnJSON struct {
		Name string `json:"name" example:"status"`
		ColumnRules
		Converting bool       `json:"converting,omitempty" doc:"It has got another type, and its stored values are being converted. Filters on it are refused until that has ended."`
		RetiredAt  *time.Time `json:"retired_at,omitempty" doc:"Since when it is hidden. Absent if it is in use."`
	}
	// ColumnRules are what a company says of a column besides its name.
	ColumnRules struct {
		Type        registry.Type `json:"type" enum:"text,number,boolean,date,datetime,uuid" example:"text" doc:"Changed only by convertTableColumn."`
		Description string        `json:"description,omitempty" example:"What became of it." doc:"What it means."`
		Required    bool          `json:"required,omitempty" doc:"A new record must have it."`
		PeopleOnly  bool          `json:"people_only,omitempty" doc:"Only people fill it in; ingest drops it."`
		Choices     []string      `json:"choices,omitempty" maxItems:"200" example:"[\"open\",\"done\"]" doc:"The only values of a text."`
		Minimum     string        `json:"minimum,omitempty" doc:"Of a number, as decimal text. Absent: -1000000000000."`
		Maximum     string        `json:"maximum,omitempty" doc:"Of a number, as decimal text. Absent: 1000000000000."`
		MaxLength   int           `json:"max_length,omitempty" doc:"The most characters of a text."`
		Format      string        `json:"format,omitempty" doc:"currency: a text that is a currency code."`
		Default     *string       `json:"default,omitempty" doc:"What a new record gets that does not have it, as text."`
		References  string        `json:"references,omitempty" doc:"The slug of the table whose records it names. Callers send their external_id. It never changes."`
		Example     *string       `json:"example,omitempty" doc:"As text."`
	}
	newColumnJSON struct {
		Name string `json:"name" example:"status" doc:"Letters from a to z, digits and _."`
		ColumnRules
	}
	// OneDefinition names a table of the company's own, or a built-in table.
	OneDefinition struct {
		InTenant
		Definition string `path:"definition" doc:"The table's slug." example:"decisions"`
	}
	// OneColumn names a column of such a table.
	OneColumn struct {
		OneDefinition
		Column string `path:"column" doc:"The column's name." example:"status"`
	}
)

// definitionOperations are about the tables that a company defines.
func (s *Server) definitionOperations(a *appAPI) {
	const tag, path = "Table definitions", "tenants/{tenant}/table-definitions"
	const this, needs = path + "/{definition}", auth.DefineTables
	register(a, operation{
		id: "listTableDefinitions", method: http.MethodGet, path: path, tag: tag, needs: needs,
		summary: "Tables of the company's own",
		about:   "Returns all of them, with everything that was ever defined, retired tables and columns too; then the built-in tables to which the company has added columns.",
	}, func(ctx context.Context, _ *InTenant) (*body[list[tableDefinitionJSON]], error) {
		tables, err := s.Tables.Definitions(ctx, by(ctx).Principal)
		var items []tableDefinitionJSON
		for _, table := range tables {
			items = append(items, toDefinitionJSON(table))
		}
		return listed(items, false, func(tableDefinitionJSON) uuid.UUID { return uuid.Nil }), err
	})
	register(a, operation{
		id: "createTableDefinition", method: http.MethodPost, path: path, tag: tag, needs: needs, status: http.StatusCreated,
		summary: "Make a table",
		about:   "The table takes records at once, in every workspace. Its records are identified by external_id, which need not be among the columns. A slug is never used twice, not even after the table was retired.",
	}, func(ctx context.Context, in *struct {
		InTenant
		Body struct {
			Name        string          `json:"name" example:"Decisions" doc:"At most 100 characters."`
			Slug        string          `json:"slug,omitempty" doc:"Absent: made from the name. It never changes."`
			Description string          `json:"description,omitempty"`
			Columns     []newColumnJSON `json:"columns" maxItems:"250"`
			Sequence    string          `json:"sequence,omitempty" doc:"The column whose values order the deliveries of a record: a date, a time or a whole number. An older delivery then changes nothing."`
		}
	}) (*versioned[tableDefinitionJSON], error) {
		definition := registry.Definition{Title: in.Body.Name, Slug: in.Body.Slug, Description: in.Body.Description, Sequence: &in.Body.Sequence}
		for _, column := range in.Body.Columns {
			definition.Columns = append(definition.Columns, column.definition(column.Name))
		}
		return toVersionedDefinition(s.Tables.Create(ctx, by(ctx).Principal, definition))
	})
	register(a, operation{
		id: "changeTableDefinition", method: http.MethodPatch, path: this, tag: tag, needs: needs,
		summary: "Rename or describe a table, or name its sequence", about: "Absent fields keep their value. The slug never changes.",
	}, func(ctx context.Context, in *struct {
		OneDefinition
		Conditional
		Body struct {
			Name        *string `json:"name,omitempty" example:"Decisions of the board"`
			Description *string `json:"description,omitempty"`
			Sequence    *string `json:"sequence,omitempty" doc:"The column whose values order the deliveries of a record: a date, a time or a whole number. Empty: none. It counts from the next record on."`
		}
	}) (*versioned[tableDefinitionJSON], error) {
		version, err := in.version()
		if err != nil {
			return nil, err
		}
		return toVersionedDefinition(s.Tables.Change(ctx, by(ctx).Principal, in.Definition, version,
			registry.Changes{Title: in.Body.Name, Description: in.Body.Description, Sequence: in.Body.Sequence}))
	})
	s.columnOperations(a, tag, this)
	s.trialOperations(a, tag, this)
	s.retireOperations(a, tag, this)
}

// columnOperations define columns.
func (s *Server) columnOperations(a *appAPI, tag, this string) {
	register(a, operation{
		id: "putTableColumn", method: http.MethodPut, path: this + "/columns/{column}", tag: tag, needs: auth.DefineTables,
		summary: "Add a column, or change it",
		about:   "The body is the whole column: a rule that is absent no longer applies. Stored values are kept as they are. The type is changed by convertTableColumn; what it refers to cannot change: retire the column and add another. The table may be a built-in one, such as products: then the column is the company's alone. If-Match is \"0\" for the first one.",
	}, func(ctx context.Context, in *struct {
		OneColumn
		Conditional
		Body ColumnRules
	}) (*versioned[tableDefinitionJSON], error) {
		version, err := in.version()
		if err != nil {
			return nil, err
		}
		return toVersionedDefinition(s.Tables.DefineColumn(ctx, by(ctx).Principal, in.Definition, version,
			in.Body.definition(in.Column)))
	})
}

// retireOperations hide tables and columns, and bring them back.
func (s *Server) retireOperations(a *appAPI, tag, this string) {
	for _, op := range []struct {
		operation
		retired bool
	}{
		{operation{id: "retireTable", path: this + "/retire", summary: "Retire a table",
			about: "Hides the table everywhere and refuses its records. Nothing is deleted. A table that columns of other tables refer to cannot be retired (referenced)."}, true},
		{operation{id: "restoreTable", path: this + "/restore", summary: "Bring a retired table back"}, false},
	} {
		op.method, op.tag, op.needs = http.MethodPost, tag, auth.DefineTables
		register(a, op.operation, func(ctx context.Context, in *struct {
			OneDefinition
			Conditional
		}) (*versioned[tableDefinitionJSON], error) {
			version, err := in.version()
			if err != nil {
				return nil, err
			}
			return toVersionedDefinition(s.Tables.SetRetired(ctx, by(ctx).Principal, in.Definition, version, op.retired))
		})
	}
	for _, op := range []struct {
		operation
		retired bool
	}{
		{operation{id: "retireTableColumn", path: this + "/columns/{column}/retire", summary: "Retire a column",
			about: "Hides the column everywhere; ingest drops it. Its values are kept."}, true},
		{operation{id: "restoreTableColumn", path: this + "/columns/{column}/restore", summary: "Bring a retired column back"}, false},
	} {
		op.method, op.tag, op.needs = http.MethodPost, tag, auth.DefineTables
		register(a, op.operation, func(ctx context.Context, in *struct {
			OneColumn
			Conditional
		}) (*versioned[tableDefinitionJSON], error) {
			version, err := in.version()
			if err != nil {
				return nil, err
			}
			return toVersionedDefinition(s.Tables.SetColumnRetired(ctx, by(ctx).Principal, in.Definition, in.Column, version, op.retired))
		})
	}
}

func (r ColumnRules) definition(name string) registry.ColumnDefinition {
	return registry.ColumnDefinition{
		Name: name, Type: r.Type, Description: r.Description, Required: r.Required, PeopleOnly: r.PeopleOnly,
		Choices: r.Choices, Minimum: json.Number(r.Minimum), Maximum: json.Number(r.Maximum), MaxLength: r.MaxLength,
		Format: r.Format, Default: r.Default, References: r.References, Example: r.Example,
	}
}

func toVersionedDefinition(table *registry.Defined, err error) (*versioned[tableDefinitionJSON], error) {
	if err != nil {
		return nil, err
	}
	return &versioned[tableDefinitionJSON]{etag(table.Version), toDefinitionJSON(table)}, nil
}

func toDefinitionJSON(table *registry.Defined) tableDefinitionJSON {
	out := tableDefinitionJSON{
		Slug: table.Slug, Name: table.Title, Description: table.Description, BuiltIn: table.BuiltIn, Version: table.Version,
		Sequence: table.Sequence, Columns: []definedColumnJSON{}, RetiredAt: table.RetiredAt, CreatedAt: table.CreatedAt, UpdatedAt: table.UpdatedAt,
	}
	for i := range table.Columns {
		c := &table.Columns[i]
		out.Columns = append(out.Columns, definedColumnJSON{c.Name, ColumnRules{
			Type: c.Type, Description: c.Description, Required: c.Required, PeopleOnly: c.PeopleOnly, Choices: c.Choices,
			Minimum: string(c.Minimum), Maximum: string(c.Maximum), MaxLength: c.MaxLength, Format: c.Format,
			Default: c.Default, References: c.References, Example: c.Example,
		}, c.Converting, c.RetiredAt})
	}
	return out
}
