package mcpserver

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/query"
	"github.com/quayside/quayside/internal/registry"
)

type (
	tableDescribeIn struct {
		ViewSlug string `json:"view_slug" jsonschema:"The table's slug, from table_list."`
		After    string `json:"after,omitzero" jsonschema:"The last column of a truncated answer, to get the next ones."`
	}
	tableDescribeOut struct {
		ViewSlug     string            `json:"view_slug"`
		Title        string            `json:"title"`
		Description  string            `json:"description"`
		LastRecordAt *time.Time        `json:"last_record_at,omitzero" jsonschema:"When the last record was received."`
		Computed     bool              `json:"computed,omitzero"`
		Parameters   []string          `json:"parameters,omitzero" jsonschema:"More arguments of data_query."`
		Columns      []describedColumn `json:"columns"`
		Truncated    bool              `json:"truncated" jsonschema:"There are more columns. Call again with after."`
	}
	describedColumn struct {
		Name        string           `json:"name"`
		Type        registry.Type    `json:"type"`
		Description string           `json:"description"`
		Nullable    bool             `json:"nullable,omitzero"`
		Choices     []string         `json:"choices,omitempty"`
		References  string           `json:"references,omitempty" jsonschema:"The slug of the table that it refers to."`
		Operators   []query.Operator `json:"operators,omitempty" jsonschema:"The operators that filters may use."`
		Example     jsontext.Value   `json:"example,omitempty"`
	}
)

func tableDescribe(s *Server) tool {
	return define(about{
		name: "table_describe", title: "Describe a table", needs: auth.Read,
		description: "Describes the columns of a table: type, meaning, choices, an example, the table that they refer to, and the operators for filters of data_query.",
	}, func(ctx context.Context, by auth.Principal, in tableDescribeIn) (tableDescribeOut, error) {
		relation, err := s.Query.Table(ctx, by, in.ViewSlug)
		if err != nil {
			return tableDescribeOut{}, s.withTableNames(ctx, by, err)
		}
		out := tableDescribeOut{ViewSlug: relation.Slug, Title: relation.Title, Computed: relation.Computed}
		if out.LastRecordAt, err = s.lastRecordAt(ctx, by, relation); err != nil {
			return out, err
		}
		for _, one := range relation.Parameters {
			out.Parameters = append(out.Parameters, one.Name+": "+one.Description)
		}
		out.Description, _ = clip(relation.Description, mostText/2)
		from := 1 + slices.IndexFunc(relation.Fields, func(field query.Field) bool { return field.Name == in.After })
		if from == 0 && in.After != "" {
			return out, wrong("after", "the table has no such column")
		}
		for i := range relation.Fields[from:] {
			field := &relation.Fields[from+i]
			column := describeColumn(field)
			column.Nullable, column.Choices, column.References = field.Nullable, field.Choices, field.References
			column.Operators, column.Example = field.Operators(), jsontext.Value(field.Example)
			out.Columns = append(out.Columns, column)
		}
		out.Columns, out.Truncated = fit(out.Columns, mostRowBytes)
		return out, nil
	})
}

// describeColumn describes a column in every answer with rows.
func describeColumn(field *query.Field) describedColumn {
	description, _ := clip(field.Description, mostText/20)
	return describedColumn{Name: field.Name, Type: field.Type, Description: description}
}

// mostNamed is how many tables a refusal names.
const mostNamed = 50

// withTableNames adds the names of the existing tables to the refusal of an unknown one.
func (s *Server) withTableNames(ctx context.Context, by auth.Principal, err error) error {
	if !fault.HasCode(err, "unknown_table") {
		return err
	}
	relations, listErr := s.Query.List(ctx, by)
	if listErr != nil {
		return listErr
	}
	slugs := make([]string, 0, len(relations))
	for _, relation := range relations[:min(len(relations), mostNamed)] {
		slugs = append(slugs, relation.Slug())
	}
	return fault.InField("view_slug", "unknown_table", "there is no such table; there are %s", strings.Join(slugs, ", "))
}
