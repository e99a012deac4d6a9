package mcpserver

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/query"
)

type (
	dataQueryIn struct {
		ViewSlug     string   `json:"view_slug" jsonschema:"The table's slug, as table_list has it."`
		Filters      object   `json:"filters,omitzero" jsonschema:"Field names and what they must be: {\"status\": \"open\"} for equal, {\"quantity\": {\"gte\": 10}} for another operator, {\"sku\": {\"in\": [\"A\", \"B\"]}}, {\"note\": {\"empty\": true}}. All of them must hold. table_describe has the operators."`
		SelectFields []string `json:"select_fields,omitzero" jsonschema:"The fields that are wanted, in this order. Left out: all that have a value."`
		SortBy       string   `json:"sort_by,omitzero" jsonschema:"The field to sort by. Left out: id, so the oldest record first."`
		SortDesc     bool     `json:"sort_desc,omitzero" jsonschema:"The largest, latest or last first."`
		Limit        int      `json:"limit,omitzero" jsonschema:"At most so many rows: 1 to 1000. Left out: 50. Long rows may make it fewer."`
		Cursor       string   `json:"cursor,omitzero" jsonschema:"next_cursor of the answer before, to go on after it. Everything else must be as it was."`
	}
	dataQueryOut struct {
		Notice       string            `json:"notice"`
		ViewSlug     string            `json:"view_slug"`
		Columns      []describedColumn `json:"columns" jsonschema:"What the values mean."`
		ColumnsCut   bool              `json:"columns_cut,omitzero" jsonschema:"There are more columns than are described; table_describe has all."`
		Rows         []jsontext.Value  `json:"rows" jsonschema:"Objects of field names and values; without select_fields, fields that are empty are left out. Decimals are texts, times are RFC 3339 in UTC."`
		Links        []linkedRecord    `json:"links,omitzero" jsonschema:"What the records are called that the rows refer to by their ids. An id that is missing here is that of no record of this workspace, unless links_cut."`
		LinksCut     bool              `json:"links_cut,omitzero" jsonschema:"There are more names than are here; fewer rows or fields show all."`
		Truncated    bool              `json:"truncated" jsonschema:"More rows match than are here."`
		NextCursor   string            `json:"next_cursor,omitempty" jsonschema:"Hand it back as cursor for the rows after these."`
		CutTexts     bool              `json:"cut_texts,omitzero" jsonschema:"Long texts were cut; select_fields with fewer fields shows more of them."`
		AsOf         time.Time         `json:"as_of" jsonschema:"When the rows were read."`
		LastRecordAt *time.Time        `json:"last_record_at,omitzero" jsonschema:"When an external system last sent a record to this table: how fresh the rows can be."`
	}
	linkedRecord struct {
		Field string `json:"field"`
		ID    string `json:"id"`
		Label string `json:"label"`
		Code  string `json:"code,omitzero"`
	}
)

func dataQuery(s *Server) tool {
	return define(about{
		name: "data_query", title: "Query rows", needs: auth.Read,
		description: "Returns rows of a table: filtered, sorted, page by page, with what the columns mean. Use table_list for the tables and table_describe for the columns first.",
	}, func(ctx context.Context, by auth.Principal, in dataQueryIn) (dataQueryOut, error) {
		out := dataQueryOut{Notice: notice, ViewSlug: in.ViewSlug, AsOf: time.Now().UTC()}
		page, err := s.Query.Rows(ctx, by, query.Request{
			ViewSlug: in.ViewSlug, Filters: in.Filters.Value, SelectFields: in.SelectFields, SortBy: in.SortBy,
			SortDesc: in.SortDesc,
			Limit:    in.Limit, Cursor: in.Cursor, MaxBytes: mostRowBytes - mostLinkBytes, OmitEmpty: len(in.SelectFields) == 0,
		})
		if err != nil {
			return out, s.named(ctx, by, err)
		}
		out.NextCursor, out.Truncated = page.NextCursor, page.NextCursor != ""
		room := mostRowBytes
		for _, row := range page.Rows {
			values, cut := clipRow(jsontext.Value(row.Values), mostRowBytes)
			out.Rows, out.CutTexts = append(out.Rows, values), out.CutTexts || cut
			room -= len(values)
		}
		out.Links, out.LinksCut = linked(page.Links, room)
		source, err := s.Sources.Get(ctx, by, in.ViewSlug)
		if err != nil {
			return out, err
		}
		out.LastRecordAt = source.LastRecordAt
		out.Columns, out.ColumnsCut, err = s.columns(ctx, by, in)
		return out, err
	})
}

// mostLinkBytes is the room that rows leave for the names of what they refer to.
const mostLinkBytes = 4_000

// linked lists what rows refer to, in a fixed order, as far as there is room.
func linked(links query.Links, room int) (records []linkedRecord, cut bool) {
	for _, field := range slices.Sorted(maps.Keys(links)) {
		for _, id := range slices.Sorted(maps.Keys(links[field])) {
			label := links[field][id]
			records = append(records, linkedRecord{field, id, *clipped(&label.Label), *clipped(&label.Code)})
		}
	}
	return fit(records, room)
}

// mostColumnBytes bounds what is said of the columns beside the rows.
const mostColumnBytes = 6_000

// columns describes what was selected.
func (s *Server) columns(ctx context.Context, by auth.Principal, in dataQueryIn) (
	columns []describedColumn, cut bool, err error) {
	relation, err := s.Query.Table(ctx, by, in.ViewSlug)
	if err != nil {
		return nil, false, err
	}
	names := in.SelectFields
	if len(names) == 0 {
		for i := range relation.Fields {
			names = append(names, relation.Fields[i].Name)
		}
	}
	for _, name := range names {
		if field, ok := relation.Field(name); ok {
			columns = append(columns, describeColumn(field))
		}
	}
	columns, cut = fit(columns, mostColumnBytes)
	return columns, cut, nil
}
