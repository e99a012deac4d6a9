package mcpserver

import (
	"context"
	"slices"
	"time"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/source"
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
		Rows         int64      `json:"rows" jsonschema:"The number of rows, a few seconds old."`
		LastRecordAt *time.Time `json:"last_record_at,omitzero" jsonschema:"When the last record was received."`
		OpenFailures int64      `json:"open_failures" jsonschema:"Open failed imports."`
	}
)

func tableList(s *Server) tool {
	return define(about{
		name: "table_list", title: "List tables", needs: auth.Read,
		description: "Lists the tables of the workspace: what each contains, its number of rows, when the last record was received, and how many imports failed. Start here.",
	}, func(ctx context.Context, by auth.Principal, in tableListIn) (tableListOut, error) {
		sources, err := s.Sources.List(ctx, by)
		out := tableListOut{AsOf: time.Now().UTC()}
		from := 1 + slices.IndexFunc(sources, func(one source.Source) bool { return one.Slug == in.After })
		if from == 0 && in.After != "" {
			return out, wrong("after", "there is no such table in the list")
		}
		for _, one := range sources[from:] {
			description, _ := clip(one.Description, mostText/20)
			out.Tables = append(out.Tables,
				listedTable{
					Slug: one.Slug, Title: one.Title, Description: description, Rows: one.Rows,
					LastRecordAt: one.LastRecordAt, OpenFailures: one.OpenFailures,
				})
		}
		out.Tables, out.Truncated = fit(out.Tables, mostRowBytes)
		return out, err
	})
}
