package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/query"
	"github.com/quayside/quayside/internal/registry"
)

type (
	// TableFacts are what there is to know of a table beside its columns.
	TableFacts struct {
		Slug        string          `json:"slug" example:"orders"`
		Title       string          `json:"title" example:"Orders"`
		Description string          `json:"description"`
		BuiltIn     bool            `json:"built_in" doc:"False for a table that the company added."`
		ColumnCount int             `json:"column_count" doc:"How many columns it has. getTable describes them."`
		DefaultView defaultViewJSON `json:"default_view" doc:"How the table is shown by default."`
		Searchable  bool            `json:"searchable" doc:"Whether search finds its records."`
		Creatable   bool            `json:"creatable" doc:"Whether people with the permission can create records in it."`
		Closed      string          `json:"closed,omitempty" doc:"Why records cannot be created."`
		Identity    []string        `json:"identity" doc:"The columns that identify a record. The first one that has a value counts; a new record needs at least one."`
		Computed    bool            `json:"computed" doc:"True for a computed view: its rows are computed from other tables when they are read, and cannot be created or changed."`
		Parameters  []parameterJSON `json:"parameters" doc:"The query parameters that a computed view takes. None for a table."`
	}
	// tableSummaryJSON is a table in a list. The columns of all tables together would be megabytes.
	tableSummaryJSON struct{ TableFacts }
	tableJSON        struct {
		TableFacts
		Columns []tableColumnJSON `json:"columns" doc:"In the order in which they were registered."`
	}
	parameterJSON struct {
		Name        string `json:"name" enum:"as_of,product"`
		Description string `json:"description"`
	}
	defaultViewJSON struct {
		SelectFields []string `json:"select_fields" doc:"The most important columns, in order."`
		Frozen       int      `json:"frozen" doc:"How many of the first columns identify the record."`
		SortBy       string   `json:"sort_by" example:"id"`
		SortDesc     bool     `json:"sort_desc"`
	}
	// linksJSON holds the names of referenced records, by field and id.
	linksJSON map[string]map[string]labelJSON
	labelJSON struct {
		Label string `json:"label" example:"Harbour Teas"`
		Code  string `json:"code,omitempty" example:"SUP-7" doc:"Absent if it has no code, or if the label is the code."`
	}
	rowListJSON struct {
		Items      []rowJSON `json:"items"`
		NextCursor string    `json:"next_cursor,omitempty" doc:"Send it as cursor for the next page. Absent on the last page."`
		AsOf       string    `json:"as_of,omitempty" format:"date" doc:"The day as of which a computed view was computed. Absent for a table."`
		Links      linksJSON `json:"links" doc:"The names of the records that the rows refer to, by field and id. An id that is missing here belongs to no record of this workspace."`
		SearchCut  bool      `json:"search_cut,omitempty" doc:"More than 200 records match the search, or may match. Rows are among the 200 best matches."`
	}
	tableColumnJSON struct {
		Name        string        `json:"name"`
		Label       string        `json:"label" doc:"The name for people."`
		Type        registry.Type `json:"type" enum:"text,number,boolean,date,datetime,uuid"`
		Kind        string        `json:"kind" enum:"writable,api_only,trigger,read_only,system"`
		Description string        `json:"description"`
		Nullable    bool          `json:"nullable" doc:"Whether it can be empty."`
		Choices     []string      `json:"choices,omitempty"`
		References  string        `json:"references,omitempty" doc:"The slug of the table that it refers to."`
		Operators   []string      `json:"operators" doc:"The operators that filters may use."`
		Editable    bool          `json:"editable" doc:"Whether people with the permission can edit it in place."`
		Locked      string        `json:"locked,omitempty" doc:"Why it cannot be edited."`
		Settable    bool          `json:"settable" doc:"Whether a person can set it in a new record."`
		Required    bool          `json:"required" doc:"Whether a new record must have it."`
		Custom      bool          `json:"custom,omitempty" doc:"The company has added it to a built-in table."`
		Display     string        `json:"display,omitempty" enum:"money,estimate" doc:"How people are shown a computed number: as an amount in the workspace's currency, or as an estimate with few digits. Absent: exactly."`
	}
	rowJSON struct {
		ID      string     `json:"id" doc:"The record's id in Quayside. A row of a computed view has a key that is unique in the view."`
		Version int64      `json:"version" doc:"The ETag is this number in quotes. 0 for a row of a computed view."`
		Values  objectJSON `json:"values" doc:"The values by field, in the order of select_fields. Numbers are decimal text, so that nothing is rounded. Times are RFC 3339 in UTC."`
		Links   linksJSON  `json:"links,omitempty" doc:"The names of the records that this one refers to, by field and id. Present only if the record was read alone."`
	}
	countJSON struct {
		Count int64 `json:"count" doc:"Exact up to 10,000."`
		More  bool  `json:"more" doc:"True if there are more than 10,000. The count is then 10,000."`
	}
	entryJSON struct {
		ID        uuid.UUID  `json:"id" format:"uuid"`
		At        time.Time  `json:"at"`
		Kind      string     `json:"kind" doc:"The type of the event." example:"ingest.orders.received"`
		Result    string     `json:"result" enum:"created,updated,unchanged,stale" doc:"What the write did to the record. Stale: nothing, because a newer delivery was stored; the values are those of the row."`
		Version   int64      `json:"version" doc:"The record's version after the write."`
		ByType    string     `json:"by_type" doc:"key, user, agent, sync, operator or system."`
		ByID      string     `json:"by_id,omitempty" doc:"The id of the key, person or agent."`
		ByName    string     `json:"by_name,omitempty" doc:"The key's label or the person's name. Absent if it is no longer known."`
		RequestID string     `json:"request_id"`
		Values    objectJSON `json:"values" doc:"The written values by field, in the same form as in rows."`
	}
	// objectJSON is an object whose members depend on the table.
	objectJSON struct{ json.RawMessage }

	// InTable is an operation on a table.
	InTable struct {
		InWorkspace
		Table string `path:"table" doc:"The table's slug." example:"orders"`
	}
	// InRecord is an operation on one record.
	InRecord struct {
		InTable
		Record string `path:"record" doc:"The record's id in Quayside."`
	}
	// Filtered selects rows.
	Filtered struct {
		Filters string `query:"filters" maxLength:"8192" doc:"A JSON object that maps fields to conditions. All must be true. A value means equal, null means empty, a list means one of, and an object names operators (eq, ne, in, gt, gte, lt, lte, contains, empty)." example:"{\"status\":\"open\",\"total\":{\"gte\":100}}"`
		Search  string `query:"search" maxLength:"200" doc:"Only records with a number, a code or words of a name that begin with this text, as in search; at most 200. Not every table is searchable."`
	}
	// Computed holds the parameters of a computed view.
	Computed struct {
		AsOf    string `query:"as_of" doc:"Only for a computed view: the day as of which it is computed, such as 2026-11-09. Absent means today in the workspace's time zone."`
		Product string `query:"product" doc:"Only for a computed view that takes it: an article's id, or all."`
	}
	// Ordered selects fields and their order.
	Ordered struct {
		SelectFields []string `query:"select_fields" maxItems:"300" doc:"Fields, separated by commas. Absent means all."`
		SortBy       string   `query:"sort_by" doc:"One field. Absent means id, which rises with the time at which a record was created, or the first field of a computed view. Empty values come last in both directions."`
		SortDesc     bool     `query:"sort_desc"`
	}
)

// Schema implements huma's SchemaProvider: an object with any members.
func (objectJSON) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

func (in Computed) parameters() query.Parameters { return query.Parameters(in) }

func (in InTable) asked(filtered Filtered, ordered Ordered, given Computed) query.Request {
	return query.Request{
		ViewSlug: in.Table, Filters: []byte(filtered.Filters), Search: filtered.Search, SelectFields: ordered.SelectFields,
		SortBy: ordered.SortBy, SortDesc: ordered.SortDesc, Parameters: given.parameters(),
	}
}

// tableOperations read tables.
func (s *Server) tableOperations(a *appAPI) {
	const tag, path = "Tables", "workspaces/{workspace}/tables"
	s.describeOperations(a, tag, path)
	s.rowOperations(a, tag, path)
	s.recordOperations(a, tag, path+"/{table}/rows/{record}")
	s.viewOperations(a, tag, path+"/{table}/views")
}

// describeOperations say which tables there are, and which columns they have.
func (s *Server) describeOperations(a *appAPI, tag, path string) {
	register(a, operation{
		id: "listTables", method: http.MethodGet, path: path, tag: tag, needs: auth.Read,
		summary: "List tables and computed views",
		about:   "Without their columns, which getTable describes. " + aboutUnchanged,
		answers: reflect.TypeFor[list[tableSummaryJSON]](),
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Unchanged
	}) (*encodedAnswer, error) {
		tables, err := s.Query.List(ctx, by(ctx).Principal)
		if err != nil {
			return nil, err
		}
		return s.encoded.answer(in.Unchanged, stampOf(tables), func() any {
			items := make([]tableSummaryJSON, 0, len(tables))
			for _, table := range tables {
				items = append(items, tableSummaryJSON{toTableFacts(table.Summary())})
			}
			return list[tableSummaryJSON]{Items: items}
		})
	})
	a.answersUnchanged(path)
	register(a, operation{
		id: "getTable", method: http.MethodGet, path: path + "/{table}", tag: tag, needs: auth.Read,
		summary: "Get a table or computed view with its columns",
		about:   aboutUnchanged,
		answers: reflect.TypeFor[tableJSON](),
	}, func(ctx context.Context, in *struct {
		InTable
		Unchanged
	}) (*encodedAnswer, error) {
		table, err := s.Query.Find(ctx, by(ctx).Principal, in.Table)
		if err != nil {
			return nil, err
		}
		return s.encoded.answer(in.Unchanged, "one "+table.Stamp(), func() any { return toTableJSON(table) })
	})
	a.answersUnchanged(path + "/{table}")
}

// rowOperations read the rows of a table, and create records.
func (s *Server) rowOperations(a *appAPI, tag, path string) {
	register(a, operation{
		id: "listRows", method: http.MethodGet, path: path + "/{table}/rows", tag: tag, needs: auth.Read,
		summary: "List rows of a table, filtered and sorted",
		about:   "New rows do not shift pages, and a late page is as fast as the first. A page of long texts may have fewer rows than the limit. A cursor is valid only for its table, filters, sorting and parameters.",
	}, func(ctx context.Context, in *struct {
		InTable
		Filtered
		Ordered
		Computed
		Limit  int    `query:"limit" minimum:"1" maximum:"1000" default:"50" doc:"The maximum number of rows on a page."`
		Cursor string `query:"cursor" doc:"The next_cursor of the previous page. Empty for the first page."`
	}) (*body[rowListJSON], error) {
		request := in.asked(in.Filtered, in.Ordered, in.Computed)
		request.Limit, request.Cursor = in.Limit, in.Cursor
		page, err := s.Query.Rows(ctx, by(ctx).Principal, request)
		out := rowListJSON{Items: []rowJSON{}, NextCursor: page.NextCursor, AsOf: page.AsOf,
			Links: toLinksJSON(page.Links), SearchCut: page.SearchCut}
		for _, row := range page.Rows {
			out.Items = append(out.Items, toRowJSON(row))
		}
		return &body[rowListJSON]{out}, err
	})
	register(a, operation{
		id: "countRows", method: http.MethodGet, path: path + "/{table}/count", tag: tag, needs: auth.Read,
		summary: "Count rows of a table", about: "The count is exact up to 10,000 and stops there.",
	}, func(ctx context.Context, in *struct {
		InTable
		Filtered
		Computed
	}) (*body[countJSON], error) {
		count, err := s.Query.Count(ctx, by(ctx).Principal, in.asked(in.Filtered, Ordered{}, in.Computed))
		return &body[countJSON]{countJSON{count.Rows, count.More}}, err
	})
	s.exportOperation(a, tag, path+"/{table}/export")
	register(a, operation{
		id: "createRow", method: http.MethodPost, path: path + "/{table}/rows", tag: tag, needs: auth.EditRecords,
		status: http.StatusCreated, record: true,
		summary: "Create a record",
		about:   "The values are checked like those of an external system. They must include a column that identifies the record. If the record already exists, the call is refused (exists) and the record is not changed. getTable says which columns can be set and which are required.",
	}, func(ctx context.Context, in *struct {
		InTable
		Body struct {
			Values objectJSON `json:"values" doc:"The values by field." example:"{\"external_id\":\"SUP-9\",\"name\":\"Northern Mills\"}"`
		}
	}) (*versioned[rowJSON], error) {
		values, err := s.written(in.Table, in.Body.Values)
		if err != nil {
			return nil, err
		}
		id, err := s.Records.Create(ctx, by(ctx).Principal, in.Table, values)
		if err != nil {
			return nil, err
		}
		row, err := s.Query.Get(ctx, by(ctx).Principal, in.Table, id, query.Parameters{})
		return &versioned[rowJSON]{etag(row.Version), toRowJSON(row)}, err
	})
}

// written returns the values that a person writes to a table. Nothing is written to a computed
// view.
func (s *Server) written(table string, values objectJSON) ([]byte, error) {
	if err := query.Writable(table); err != nil {
		return nil, err
	}
	return s.fits(values.RawMessage)
}

// recordOperations are about one record.
func (s *Server) recordOperations(a *appAPI, tag, path string) {
	register(a, operation{
		id: "getRow", method: http.MethodGet, path: path, tag: tag, needs: auth.Read,
		summary: "Get a record with all its fields",
	}, func(ctx context.Context, in *struct {
		InRecord
		Computed
	}) (*versioned[rowJSON], error) {
		row, err := s.Query.Get(ctx, by(ctx).Principal, in.Table, in.Record, in.parameters())
		return &versioned[rowJSON]{etag(row.Version), toRowJSON(row)}, err
	})
	register(a, operation{
		id: "editRow", method: http.MethodPatch, path: path, tag: tag, needs: auth.EditRecords, record: true,
		summary: "Change values of a record in place",
		about:   "The values are checked like those of an external system. Absent fields keep their value, and null clears it. Columns that identify the record, that the service fills, or that purchasing controls cannot be edited; getTable says which columns can.",
	}, func(ctx context.Context, in *struct {
		InRecord
		Conditional
		Body struct {
			Values objectJSON `json:"values" doc:"The new values by field." example:"{\"note\":\"Call first\"}"`
		}
	}) (*versioned[rowJSON], error) {
		version, err := in.version()
		if err != nil {
			return nil, err
		}
		values, err := s.written(in.Table, in.Body.Values)
		if err != nil {
			return nil, err
		}
		if _, err := s.Records.Edit(ctx, by(ctx).Principal, in.Table, in.Record, values, version); err != nil {
			return nil, err
		}
		row, err := s.Query.Get(ctx, by(ctx).Principal, in.Table, in.Record, query.Parameters{})
		return &versioned[rowJSON]{etag(row.Version), toRowJSON(row)}, err
	})
	register(a, operation{
		id: "listRowHistory", method: http.MethodGet, path: path + "/history", tag: tag, needs: auth.Read,
		summary: "List the history of a record, the newest first",
		about:   "The history is kept as long as events are, 30 days by default.",
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
			items = append(items, entryJSON{
				ID: e.ID, At: e.At.UTC(), Kind: e.Kind, Result: e.Result, Version: e.Version,
				ByType: string(e.By.Type), ByID: e.By.ID, ByName: e.ByName, RequestID: e.RequestID,
				Values: objectJSON{e.Values},
			})
		}
		return listed(items, more, func(one entryJSON) uuid.UUID { return one.ID }), err
	})
}

func toTableFacts(one query.Summary) TableFacts {
	table := TableFacts{
		Slug: one.Slug, Title: one.Title, Description: one.Description, BuiltIn: one.BuiltIn, ColumnCount: one.Fields,
		Searchable: one.Searchable, Creatable: one.Closed == "", Closed: one.Closed, Identity: one.Identity, Computed: one.Computed,
		DefaultView: defaultViewJSON{one.View.Columns, one.View.Frozen, one.View.SortBy, one.View.SortDesc}, Parameters: []parameterJSON{},
	}
	for _, parameter := range one.Parameters {
		table.Parameters = append(table.Parameters, parameterJSON(parameter))
	}
	return table
}

func toTableJSON(listed query.Listed) tableJSON {
	table := tableJSON{toTableFacts(listed.Summary()), []tableColumnJSON{}}
	fields := listed.Relation().Fields
	for i := range fields {
		f := &fields[i]
		column := tableColumnJSON{
			Name: f.Name, Label: f.Label, Type: f.Type, Kind: f.Kind, Description: f.Description, Nullable: f.Nullable,
			Choices: f.Choices, References: f.References, Editable: f.Locked == "", Locked: f.Locked, Settable: f.Settable,
			Required: f.Required, Custom: f.Custom, Display: f.Display,
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
