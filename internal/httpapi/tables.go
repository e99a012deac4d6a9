package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/query"
	"github.com/quayside/quayside/internal/registry"
)

type (
	tableJSON struct {
		Slug        string            `json:"slug" example:"orders"`
		Title       string            `json:"title" example:"Orders"`
		Description string            `json:"description"`
		BuiltIn     bool              `json:"built_in" doc:"False for a table that the company added."`
		Columns     []tableColumnJSON `json:"columns" doc:"In the order in which they were registered."`
		DefaultView defaultViewJSON   `json:"default_view" doc:"How it is shown where nobody chose."`
		Searchable  bool              `json:"searchable" doc:"Whether search finds its records."`
		Creatable   bool              `json:"creatable" doc:"Whether people make records in it, those who may."`
		Closed      string            `json:"closed,omitempty" doc:"Why they do not."`
		Identity    []string          `json:"identity" doc:"What identifies a record: the first of these that it has. A new one needs one of them."`
	}
	defaultViewJSON struct {
		SelectFields []string `json:"select_fields" doc:"What matters most, in order."`
		Frozen       int      `json:"frozen" doc:"That many of the first say which record it is."`
		SortBy       string   `json:"sort_by" example:"id"`
		SortDesc     bool     `json:"sort_desc"`
	}
	// linksJSON are fields that refer to records, the ids that they hold, and what those are called.
	linksJSON map[string]map[string]labelJSON
	labelJSON struct {
		Label string `json:"label" example:"Harbour Teas"`
		Code  string `json:"code,omitempty" example:"SUP-7" doc:"Absent: it has none but the label."`
	}
	rowListJSON struct {
		Items      []rowJSON `json:"items"`
		NextCursor string    `json:"next_cursor,omitempty" doc:"Send it as cursor for the next page. Absent on the last page."`
		Links      linksJSON `json:"links" doc:"By field and id, the names of the records that the rows refer to. An id without a name is that of no record here."`
		SearchCut  bool      `json:"search_cut,omitempty" doc:"More than 200 records match the search, or may. Rows are among the 200 that match best."`
	}
	tableColumnJSON struct {
		Name        string        `json:"name"`
		Label       string        `json:"label" doc:"The name as people write it."`
		Type        registry.Type `json:"type" enum:"text,number,boolean,date,datetime,uuid"`
		Kind        string        `json:"kind" enum:"writable,api_only,trigger,read_only,system"`
		Description string        `json:"description"`
		Nullable    bool          `json:"nullable" doc:"Whether it can be empty."`
		Choices     []string      `json:"choices,omitempty"`
		References  string        `json:"references,omitempty" doc:"The slug of the table whose id it holds."`
		Operators   []string      `json:"operators" doc:"What filters on it may use."`
		Editable    bool          `json:"editable" doc:"Whether it can be edited in place, by whoever may."`
		Locked      string        `json:"locked,omitempty" doc:"Why it cannot be edited."`
		Settable    bool          `json:"settable" doc:"Whether a person who makes a record can fill it in."`
		Required    bool          `json:"required" doc:"Whether a new record must have it."`
	}
	rowJSON struct {
		ID      string     `json:"id" doc:"Our id of the record."`
		Version int64      `json:"version" doc:"In quotes it is the ETag."`
		Values  objectJSON `json:"values" doc:"Fields to values, in the order asked for. Numbers are decimal text, so that nothing is rounded; times are RFC 3339 in UTC."`
		Links   linksJSON  `json:"links,omitempty" doc:"Of a record that was read alone: by field and id, the names of the records that it refers to."`
	}
	countJSON struct {
		Count int64 `json:"count" doc:"Exact up to 10,000."`
		More  bool  `json:"more" doc:"There are more than 10,000; count is 10,000."`
	}
	entryJSON struct {
		ID        uuid.UUID  `json:"id" format:"uuid"`
		At        time.Time  `json:"at"`
		Kind      string     `json:"kind" doc:"The kind of the event that tells of it." example:"ingest.orders.received"`
		Result    string     `json:"result" enum:"created,updated,unchanged" doc:"What the write did to the record."`
		Version   int64      `json:"version" doc:"Of the record, after the write."`
		ByType    string     `json:"by_type" doc:"key, user, agent, sync, operator or system."`
		ByID      string     `json:"by_id,omitempty" doc:"Which key, person or agent."`
		ByName    string     `json:"by_name,omitempty" doc:"The key's label or the person's name; absent where it is not known any more."`
		RequestID string     `json:"request_id"`
		Values    objectJSON `json:"values" doc:"What was written: fields to values, as rows have them."`
	}
	// objectJSON is an object whose members a table decides on.
	objectJSON struct{ json.RawMessage }

	// InTable is an operation on a table.
	InTable struct {
		InWorkspace
		Table string `path:"table" doc:"The table's slug." example:"orders"`
	}
	// InRecord is an operation on one record.
	InRecord struct {
		InTable
		Record string `path:"record" doc:"Our id of the record."`
	}
	// Filtered are the rows that are meant.
	Filtered struct {
		Filters string `query:"filters" maxLength:"8192" doc:"A JSON object of fields to values, all of which must hold: a value is equal to, null is empty, a list is one of, an object names operators (eq, ne, in, gt, gte, lt, lte, contains, empty)." example:"{\"status\":\"open\",\"total\":{\"gte\":100}}"`
		Search  string `query:"search" maxLength:"200" doc:"Only records of which a number, a code or words of a name begin with this, at most 200, as search finds them. Not every table is searchable."`
	}
	// Ordered are which of their fields, in which order.
	Ordered struct {
		SelectFields []string `query:"select_fields" maxItems:"300" doc:"Fields, separated by commas; absent: all."`
		SortBy       string   `query:"sort_by" doc:"One field; absent: id, which rises with the time at which a record was made. Empty values come last in either direction."`
		SortDesc     bool     `query:"sort_desc"`
	}
)

// Schema is huma's: an object with any members.
func (objectJSON) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

func (in InTable) asked(filtered Filtered, ordered Ordered) query.Request {
	return query.Request{
		ViewSlug: in.Table, Filters: []byte(filtered.Filters), Search: filtered.Search, SelectFields: ordered.SelectFields,
		SortBy: ordered.SortBy, SortDesc: ordered.SortDesc,
	}
}

// tableOperations read tables.
func (s *Server) tableOperations(a *appAPI) {
	const tag, path = "Tables", "workspaces/{workspace}/tables"
	register(a, operation{
		id: "listTables", method: http.MethodGet, path: path, tag: tag, needs: auth.Read,
		summary: "Tables that can be read, with their columns",
	}, func(ctx context.Context, _ *InWorkspace) (*body[list[tableJSON]], error) {
		tables, err := s.Query.Tables(ctx, by(ctx).Principal)
		var items []tableJSON
		for _, table := range tables {
			items = append(items, toTableJSON(table))
		}
		return listed(items, false, func(tableJSON) uuid.UUID { return uuid.Nil }), err
	})
	register(a, operation{
		id: "listRows", method: http.MethodGet, path: path + "/{table}/rows", tag: tag, needs: auth.Read,
		summary: "Rows of a table, filtered and in order",
		about:   "Pages stay where they are while rows are added, and a late page costs what the first one does. A page of long texts may have fewer rows than asked for. A cursor belongs to its table, filters and order.",
	}, func(ctx context.Context, in *struct {
		InTable
		Filtered
		Ordered
		Limit  int    `query:"limit" minimum:"1" maximum:"1000" default:"50" doc:"How many rows a page has at most."`
		Cursor string `query:"cursor" doc:"The next_cursor of the page before; empty for the first page."`
	}) (*body[rowListJSON], error) {
		request := in.asked(in.Filtered, in.Ordered)
		request.Limit, request.Cursor = in.Limit, in.Cursor
		page, err := s.Query.Rows(ctx, by(ctx).Principal, request)
		out := rowListJSON{Items: []rowJSON{}, NextCursor: page.NextCursor, Links: toLinksJSON(page.Links),
			SearchCut: page.SearchCut}
		for _, row := range page.Rows {
			out.Items = append(out.Items, toRowJSON(row))
		}
		return &body[rowListJSON]{out}, err
	})
	register(a, operation{
		id: "countRows", method: http.MethodGet, path: path + "/{table}/count", tag: tag, needs: auth.Read,
		summary: "How many rows there are", about: "Exact up to 10,000; beyond that nothing is counted.",
	}, func(ctx context.Context, in *struct {
		InTable
		Filtered
	}) (*body[countJSON], error) {
		count, err := s.Query.Count(ctx, by(ctx).Principal, in.asked(in.Filtered, Ordered{}))
		return &body[countJSON]{countJSON{count.Rows, count.More}}, err
	})
	s.exportOperation(a, tag, path+"/{table}/export")
	register(a, operation{
		id: "createRow", method: http.MethodPost, path: path + "/{table}/rows", tag: tag, needs: auth.EditRecords,
		status: http.StatusCreated, record: true,
		summary: "Make a record",
		about:   "The values are checked as an external system's would be. What identifies the record must be among them; where there is a record of this identity already, it is refused (exists) and left as it is. listTables says which columns can be filled in, and which must.",
	}, func(ctx context.Context, in *struct {
		InTable
		Body struct {
			Values objectJSON `json:"values" doc:"Fields to their values." example:"{\"external_id\":\"SUP-9\",\"name\":\"Northern Mills\"}"`
		}
	}) (*versioned[rowJSON], error) {
		values, err := s.fits(in.Body.Values.RawMessage)
		if err != nil {
			return nil, err
		}
		id, err := s.Records.Create(ctx, by(ctx).Principal, in.Table, values)
		if err != nil {
			return nil, err
		}
		row, err := s.Query.Get(ctx, by(ctx).Principal, in.Table, id)
		return &versioned[rowJSON]{etag(row.Version), toRowJSON(row)}, err
	})
	s.recordOperations(a, tag, path+"/{table}/rows/{record}")
	s.viewOperations(a, tag, path+"/{table}/views")
}

// recordOperations are about one record.
func (s *Server) recordOperations(a *appAPI, tag, path string) {
	register(a, operation{
		id: "getRow", method: http.MethodGet, path: path, tag: tag, needs: auth.Read,
		summary: "One record, with all its fields",
	}, func(ctx context.Context, in *InRecord) (*versioned[rowJSON], error) {
		row, err := s.Query.Get(ctx, by(ctx).Principal, in.Table, in.Record)
		return &versioned[rowJSON]{etag(row.Version), toRowJSON(row)}, err
	})
	register(a, operation{
		id: "editRow", method: http.MethodPatch, path: path, tag: tag, needs: auth.EditRecords, record: true,
		summary: "Change values of a record in place",
		about:   "The values are checked as an external system's would be. Fields that are not sent stay as they are, null clears. What identifies the record, what the service keeps, and what purchasing decides cannot be edited; listTables says which columns can.",
	}, func(ctx context.Context, in *struct {
		InRecord
		Conditional
		Body struct {
			Values objectJSON `json:"values" doc:"Fields to their new values." example:"{\"note\":\"Call first\"}"`
		}
	}) (*versioned[rowJSON], error) {
		version, err := in.version()
		if err != nil {
			return nil, err
		}
		values, err := s.fits(in.Body.Values.RawMessage)
		if err != nil {
			return nil, err
		}
		if _, err := s.Records.Edit(ctx, by(ctx).Principal, in.Table, in.Record, values, version); err != nil {
			return nil, err
		}
		row, err := s.Query.Get(ctx, by(ctx).Principal, in.Table, in.Record)
		return &versioned[rowJSON]{etag(row.Version), toRowJSON(row)}, err
	})
	register(a, operation{
		id: "listRowHistory", method: http.MethodGet, path: path + "/history", tag: tag, needs: auth.Read,
		summary: "Who wrote what into a record, the newest first",
		about:   "Reaches as far back as events are kept, 30 days by default.",
	}, func(ctx context.Context, in *struct {
		InRecord
		Paged
	}) (*body[list[entryJSON]], error) {
		want, err := in.request()
		if err != nil {
			return nil, err
		}
		entries, more, err := s.Query.History(ctx, by(ctx).Principal, in.Table, in.Record, want)
		var items []entryJSON
		for _, e := range entries {
			items = append(items, entryJSON{e.ID, e.At.UTC(), e.Kind, e.Result, e.Version, string(e.By.Type), e.By.ID, e.ByName,
				e.RequestID, objectJSON{e.Values}})
		}
		return listed(items, more, func(one entryJSON) uuid.UUID { return one.ID }), err
	})
}

func toTableJSON(r *query.Relation) tableJSON {
	table := tableJSON{Slug: r.Slug, Title: r.Title, Description: r.Description, BuiltIn: r.BuiltIn,
		Columns: []tableColumnJSON{}, Searchable: r.Searchable, Creatable: r.Closed == "", Closed: r.Closed,
		Identity:    r.Identity,
		DefaultView: defaultViewJSON{r.View.Columns, r.View.Frozen, r.View.SortBy, r.View.SortDesc}}
	for i := range r.Fields {
		f := &r.Fields[i]
		column := tableColumnJSON{
			Name: f.Name, Label: f.Label, Type: f.Type, Kind: f.Kind, Description: f.Description, Nullable: f.Nullable,
			Choices: f.Choices, References: f.References, Editable: f.Locked == "", Locked: f.Locked, Settable: f.Settable,
			Required: f.Required,
		}
		for _, operator := range f.Operators() {
			column.Operators = append(column.Operators, string(operator))
		}
		table.Columns = append(table.Columns, column)
	}
	return table
}

func toRowJSON(row query.Row) rowJSON {
	return rowJSON{row.ID, row.Version, objectJSON{row.Values}, toLinksJSON(row.Links)}
}

func toLinksJSON(links query.Links) linksJSON {
	out := linksJSON{}
	for field, labels := range links {
		out[field] = map[string]labelJSON{}
		for id, label := range labels {
			out[field][id] = labelJSON(label)
		}
	}
	return out
}
