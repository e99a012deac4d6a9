package mcpserver

import (
	"cmp"
	"context"
	"fmt"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/registry"
)

type (
	tableDefineIn struct {
		Table object `json:"table" jsonschema:"{name, slug, description, columns: [{name, type: text|number|boolean|date|datetime|uuid, required, choices, minimum, maximum, default, references: slug, people_only, description, example}], sequence: column that orders deliveries}. Every table has external_id. Bounds default to ±1e12."`
	}
	columnDefineIn struct {
		ViewSlug string `json:"view_slug" jsonschema:"The table's slug."`
		Column   object `json:"column" jsonschema:"The whole column, as in table_define."`
		Rehearse bool   `json:"rehearse,omitempty" jsonschema:"Change nothing; say what would have been refused."`
	}
	definedOut struct {
		Run      string   `json:"run_id"`
		ViewSlug string   `json:"view_slug"`
		Columns  []string `json:"columns"`
		Trial    []string `json:"trial,omitempty"`
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
		if in.Rehearse {
			return s.rehearseColumn(ctx, by, in.ViewSlug, column)
		}
		return toDefinedOut(by)(s.Tables.DefineColumn(ctx, by, in.ViewSlug, 0, column))
	})
}

// rehearseColumn says what a column's rules would have refused, one sentence each, with a few examples.
func (s *Server) rehearseColumn(ctx context.Context, by auth.Principal, slug string, column registry.ColumnDefinition) (
	definedOut, error) {
	trial, err := s.Records.Try(ctx, by, slug, 0, column)
	if err != nil {
		return definedOut{}, err
	}
	names, err := s.Query.Names(ctx, by.Tenant, trial.Actors())
	out := definedOut{Run: by.Run, ViewSlug: slug, Columns: []string{}, Trial: tried(trial.Rows, "stored rows")}
	for _, source := range trial.Sources {
		name := cmp.Or(names[source.By], string(source.By.Type)+" "+source.By.ID)
		out.Trial = append(out.Trial, tried(source.Tried, "last records of "+name)...)
	}
	if trial.New {
		out.Trial = append(out.Trial, "the table does not have the column yet: whether a source sent it is not known")
	}
	return out, err
}

// rehearsed is how many examples an assistant gets of the rows and of each source.
const rehearsed = 3

func tried(tried ingest.Tried, what string) []string {
	lines := []string{fmt.Sprintf("%d of the %d %s would be refused, %d have no value that a new record must have",
		tried.Refused, tried.Looked, what, tried.Missing)}
	for _, example := range tried.Examples[:min(rehearsed, len(tried.Examples))] {
		lines = append(lines, example.Key+": "+example.Message)
	}
	return lines
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
