package mcpserver

import (
	"context"
	"time"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/search"
)

type (
	searchRecordsIn struct {
		Text string `json:"text" jsonschema:"A number, a code or words of a name, or the beginning of one. If there are several words, all must match."`
	}
	searchRecordsOut struct {
		Notice    string      `json:"notice"`
		Hits      []searchHit `json:"hits" jsonschema:"At most 20 results, grouped by kind. The kind of the best match comes first."`
		Truncated bool        `json:"truncated" jsonschema:"There are, or may be, more results. Use a longer text."`
		AsOf      time.Time   `json:"as_of"`
	}
	searchHit struct {
		Kind   search.Kind `json:"kind"`
		ID     string      `json:"id" jsonschema:"Of a record: what data_query calls id. A purchase order's is its order_no, a table's its slug, a failed import's what failed_import_get takes."`
		Table  string      `json:"table" jsonschema:"The record's table. For a failed import, the table that it was sent to. Purchase order lines are in purchase_order_lines."`
		Label  string      `json:"label"`
		Code   string      `json:"code,omitzero"`
		Detail string      `json:"detail,omitzero"`
	}
)

func searchRecords(s *Server) tool {
	return define(about{
		name: "search_records", title: "Search records", needs: auth.Read,
		description: "Finds purchase orders, orders, products, suppliers, customers, open failed imports, tables and saved views by the beginning of a number, a code or a word of a name. " +
			"Use it to find the record that a person names; use data_query for filters and lists.",
	}, func(ctx context.Context, by auth.Principal, in searchRecordsIn) (searchRecordsOut, error) {
		found, err := s.Search.Find(ctx, by, in.Text)
		out := searchRecordsOut{Notice: notice, Truncated: found.More, AsOf: time.Now().UTC()}
		for _, hit := range found.Hits {
			if hit.List != "" {
				continue // a screen of the app, which no tool opens
			}
			label, _ := clip(hit.Label, mostText/20)
			detail, _ := clip(hit.Detail, mostText/20)
			out.Hits = append(out.Hits, searchHit{
				Kind: hit.Kind, ID: *clipped(&hit.ID), Table: hit.Table, Label: label,
				Code: *clipped(&hit.Code), Detail: detail,
			})
		}
		var cut bool
		out.Hits, cut = fit(out.Hits, mostRowBytes)
		out.Truncated = out.Truncated || cut
		return out, err
	})
}
