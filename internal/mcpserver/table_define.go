package mcpserver

import (
	"context"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/registry"
)

type (
	tableDefineIn struct {
		Table object `json:"table" jsonschema:"{name, slug, description, columns: [{name, type: text|number|boolean|date|datetime|uuid, required, choices, minimum, maximum, default, references: slug, people_only, description, example}]}. Every table has external_id."`
	}
	columnDefineIn struct {
		ViewSlug string `json:"view_slug" jsonschema:"The table's slug."`
		Column   object `json:"column" jsonschema:"The whole column, as in table_define."`
	}
	definedOut struct {
		Run      string   `json:"run_id"`
		ViewSlug string   `json:"view_slug"`
		Columns  []string `json:"columns"`
	}
)

func tableDefine(s *Server) tool {
	return define(about{
		name: "table_define", title: "Make or change a table", needs: auth.DefineTables, changes: true, replaces: true,
		repeatable:  true,
		description: "Makes a table of the company, or changes the one with this slug; columns not named stay. Only if the person asked for it.",
	}, func(ctx context.Context, by auth.Principal, in tableDefineIn) (definedOut, error) {
		definition, err := registry.ReadDefinition(in.Table.Value)
		if err != nil {
			return definedOut{}, wrong("table", "%s", err)
		}
		return toDefinedOut(by)(s.Tables.Define(ctx, by, definition))
	})
}

func columnDefine(s *Server) tool {
	return define(about{
		name: "column_define", title: "Add or change a column", needs: auth.DefineTables, changes: true, replaces: true,
		repeatable:  true,
		description: "Adds a column to a table, built-in ones too, or changes the rules of one that the company added, not its type. Only if the person asked for it.",
	}, func(ctx context.Context, by auth.Principal, in columnDefineIn) (definedOut, error) {
		column, err := registry.ReadColumn(in.Column.Value)
		if err != nil {
			return definedOut{}, wrong("column", "%s", err)
		}
		return toDefinedOut(by)(s.Tables.DefineColumn(ctx, by, in.ViewSlug, 0, column))
	})
}

// toDefinedOut answers with the columns in use.
func toDefinedOut(by auth.Principal) func(*registry.Defined, error) (definedOut, error) {
	return func(table *registry.Defined, err error) (definedOut, error) {
		if err != nil {
			return definedOut{}, err
		}
		out := definedOut{Run: by.Run, ViewSlug: table.Slug, Columns: []string{}}
		for i := range table.Columns {
			if table.Columns[i].RetiredAt == nil {
				out.Columns = append(out.Columns, table.Columns[i].Name)
			}
		}
		return out, nil
	}
}
