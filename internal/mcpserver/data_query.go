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
		ViewSlug     string   `json:"view_slug" jsonschema:"The table's slug, from table_list."`
		Filters      object   `json:"filters,omitzero" jsonschema:"Conditions by field name: {\"status\": \"open\"} for equal, {\"quantity\": {\"gte\": 10}} for another operator, {\"sku\": {\"in\": [\"A\", \"B\"]}}, {\"note\": {\"empty\": true}}. All must be true. table_describe lists the operators."`
		SelectFields []string `json:"select_fields,omitzero" jsonschema:"The fields to return, in this order. Default: all fields that have a value."`
		SortBy       string   `json:"sort_by,omitzero" jsonschema:"The field to sort by. Default: id, which puts the oldest record first."`
		SortDesc     bool     `json:"sort_desc,omitzero" jsonschema:"Sort in descending order."`
		Limit        int      `json:"limit,omitzero" jsonschema:"The maximum number of rows, 1 to 1000. Default: 50. Long rows may reduce it."`
		AsOf         string   `json:"as_of,omitzero" jsonschema:"For a computed view: a day such as 2026-11-09. Default: today."`
		Product      string   `json:"product,omitzero" jsonschema:"For a computed view that takes it: an article's id, or all."`
		Cursor       string   `json:"cursor,omitzero" jsonschema:"The next_cursor of the previous answer, to get the next page. All other arguments must stay the same."`
	}
	dataQueryOut struct {
		Notice       string            `json:"notice"`
		ViewSlug     string            `json:"view_slug"`
		Columns      []describedColumn `json:"columns" jsonschema:"What the values mean."`
		ColumnsCut   bool              `json:"columns_cut,omitzero" jsonschema:"Not all columns are described here; table_describe has all."`
		Rows         []jsontext.Value  `json:"rows" jsonschema:"Values by field name. Without select_fields, empty fields are left out. Decimals are text; times are RFC 3339 in UTC."`
		Links        []linkedRecord    `json:"links,omitzero" jsonschema:"The names of the records that the rows refer to by id. Unless links_cut is true, an id that is missing here belongs to no record of this workspace."`
		LinksCut     bool              `json:"links_cut,omitzero" jsonschema:"Not all names are here. Ask for fewer rows or fields to see all."`
		Truncated    bool              `json:"truncated" jsonschema:"More rows match than are returned."`
		NextCursor   string            `json:"next_cursor,omitempty" jsonschema:"Send it as cursor to get the next rows."`
		CutTexts     bool              `json:"cut_texts,omitzero" jsonschema:"Long texts were cut; select_fields with fewer fields shows more of them."`
		AsOf         time.Time         `json:"as_of" jsonschema:"When the rows were read."`
		ComputedFor  string            `json:"computed_for,omitzero" jsonschema:"The as_of of a computed view. Figures end the day before."`
		LastRecordAt *time.Time        `json:"last_record_at,omitzero" jsonschema:"When an external system last sent a record to this table."`
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
		description: "Returns rows of a table or computed view: filtered, sorted, page by page, with what the columns mean. Use table_list and table_describe first.",
	}, func(ctx context.Context, by auth.Principal, in dataQueryIn) (dataQueryOut, error) {
		out := dataQueryOut{Notice: notice, ViewSlug: in.ViewSlug, AsOf: time.Now().UTC()}
		page, err := s.Query.Rows(ctx, by, query.Request{
			ViewSlug: in.ViewSlug, Filters: in.Filters.Value, SelectFields: in.SelectFields, SortBy: in.SortBy,
			SortDesc: in.SortDesc,
			Limit:    in.Limit, Cursor: in.Cursor, MaxBytes: mostRowBytes - mostLinkBytes, OmitEmpty: len(in.SelectFields) == 0,
			Parameters: query.Parameters{AsOf: in.AsOf, Product: in.Product},
		})
		if err != nil {
			return out, s.withTableNames(ctx, by, err)
		}
		out.NextCursor, out.Truncated, out.ComputedFor = page.NextCursor, page.NextCursor != "", page.AsOf
		room := mostRowBytes
		for _, row := range page.Rows {
			values, cut := clipRow(jsontext.Value(row.Values), mostRowBytes)
			out.Rows, out.CutTexts = append(out.Rows, values), out.CutTexts || cut
			room -= len(values)
		}
		out.Links, out.LinksCut = linked(page.Links, room)
		relation, err := s.Query.Table(ctx, by, in.ViewSlug)
		if err != nil {
			return out, err
		}
		out.Columns, out.ColumnsCut = columns(relation, in)
		out.LastRecordAt, err = s.lastRecordAt(ctx, by, relation)
		return out, err
	})
}

// mostLinkBytes limits the names of referenced records in an answer.
const mostLinkBytes = 4_000

// linked lists the referenced records, in a fixed order, as far as there is room.
func linked(links query.Links, room int) (records []linkedRecord, cut bool) {
	for _, field := range slices.Sorted(maps.Keys(links)) {
		for _, id := range slices.Sorted(maps.Keys(links[field])) {
			label := links[field][id]
			records = append(records, linkedRecord{field, id, *clipped(&label.Label), *clipped(&label.Code)})
		}
	}
	return fit(records, room)
}

// mostColumnBytes limits the description of the columns in an answer.
const mostColumnBytes = 6_000

// columns describes the selected columns.
func columns(relation *query.Relation, in dataQueryIn) (columns []describedColumn, cut bool) {
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
	return fit(columns, mostColumnBytes)
}

// lastRecordAt returns when an external system last sent a record to a table. Nothing is sent
// to a computed view.
func (s *Server) lastRecordAt(ctx context.Context, by auth.Principal, relation *query.Relation) (*time.Time, error) {
	if relation.Computed {
		return nil, nil
	}
	source, err := s.Sources.Get(ctx, by, relation.Slug)
	return source.LastRecordAt, err
}
