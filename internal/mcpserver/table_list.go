package mcpserver

import (
	"context"
	"slices"
	"time"

	"github.com/quayside/quayside/internal/auth"
)

type (
	tableListIn struct {
		After string `json:"after,omitzero" jsonschema:"The last slug of a truncated answer, to get the next tables."`
	}
	tableListOut struct {
		Tables    []listedTable `json:"tables"`
		Truncated bool          `json:"truncated" jsonschema:"There are more tables. Call again with after."`
		AsOf      time.Time     `json:"as_of"`
	}
	listedTable struct {
		Slug         string     `json:"slug" jsonschema:"The view_slug of data_query."`
		Title        string     `json:"title"`
		Description  string     `json:"description"`
		Computed     bool       `json:"computed,omitzero" jsonschema:"A view, computed as of a day."`
		Rows         *int64     `json:"rows,omitzero" jsonschema:"The number of rows, a few seconds old."`
		LastRecordAt *time.Time `json:"last_record_at,omitzero" jsonschema:"When the last record was received."`
		OpenFailures int64      `json:"open_failures" jsonschema:"Open failed imports."`
	}
)

func tableList(s *Server) tool {
	return define(about{
		name: "table_list", title: "List tables", needs: auth.Read,
		description: "Lists the tables and computed views of the workspace: what each contains, its number of rows, when the last record was received, and how many imports failed. Start here.",
	}, func(ctx context.Context, by auth.Principal, in tableListIn) (tableListOut, error) {
		out := tableListOut{AsOf: time.Now().UTC()}
		tables, err := s.listTables(ctx, by)
		if err != nil {
			return out, err
		}
		from := 1 + slices.IndexFunc(tables, func(one listedTable) bool { return one.Slug == in.After })
		if from == 0 && in.After != "" {
			return out, wrong("after", "there is no such table in the list")
		}
		out.Tables, out.Truncated = fit(tables[from:], mostRowBytes)
		return out, nil
	})
}

// listTables lists the tables, then the computed views.
func (s *Server) listTables(ctx context.Context, by auth.Principal) (tables []listedTable, err error) {
	sources, err := s.Sources.List(ctx, by)
	if err != nil {
		return nil, err
	}
	for _, one := range sources {
		tables = append(tables, listedTable{
			Slug: one.Slug, Title: one.Title, Description: one.Description, Rows: &one.Rows,
			LastRecordAt: one.LastRecordAt, OpenFailures: one.OpenFailures,
		})
	}
	relations, err := s.Query.List(ctx, by)
	for _, listed := range relations {
		if listed.Computed() {
			one := listed.Summary()
			tables = append(tables, listedTable{Slug: one.Slug, Title: one.Title, Description: one.Description, Computed: true})
		}
	}
	for i := range tables {
		tables[i].Description, _ = clip(tables[i].Description, mostText/20)
	}
	return tables, err
}
