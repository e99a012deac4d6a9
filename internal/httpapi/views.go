package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/query"
)

type (
	viewJSON struct {
		ID         uuid.UUID      `json:"id" format:"uuid"`
		Name       string         `json:"name" example:"Open orders"`
		Definition definitionJSON `json:"definition"`
		Owner      uuid.UUID      `json:"owner_id" format:"uuid" doc:"The person who saved it."`
		Shared     bool           `json:"shared" doc:"Whether everybody in the workspace can use it."`
		Version    int64          `json:"version" doc:"The ETag is this number in quotes."`
		CreatedAt  time.Time      `json:"created_at"`
		UpdatedAt  time.Time      `json:"updated_at"`
	}
	definitionJSON struct {
		Filters      *objectJSON       `json:"filters,omitempty" doc:"In the same form as the parameter filters of listRows." example:"{\"note\":{\"empty\":false}}"`
		SelectFields []string          `json:"select_fields,omitempty" maxItems:"300" example:"[\"id\"]"`
		SortBy       string            `json:"sort_by,omitempty" example:"updated_at"`
		SortDesc     bool              `json:"sort_desc,omitempty" example:"true"`
		AsOf         string            `json:"as_of,omitempty" doc:"Only for a computed view: a date. Absent means today, whichever day it is."`
		Product      string            `json:"product,omitempty" doc:"Only for a computed view that takes it."`
		Widths       map[string]int    `json:"widths,omitempty" doc:"The widths of columns, in pixels." example:"{\"id\":200}"`
		Search       map[string]string `json:"search,omitempty" doc:"Only for a view of a list: the parameters of its address."`
	}
	// searchJSON is the definition of a view of a list.
	searchJSON struct {
		Search map[string]string `json:"search,omitempty" maxProperties:"20" doc:"The parameters of the list's address in the app: its filter and its sorting. The number of pages shown is not saved." example:"{\"tab\":\"overdue\"}"`
	}
	// NewView holds the fields of a new view besides its definition.
	NewView struct {
		Name   string `json:"name" minLength:"1" maxLength:"100" example:"Open orders"`
		Shared bool   `json:"shared,omitempty" example:"false"`
	}
	// ViewChange holds the fields of a view that can be changed besides its definition.
	ViewChange struct {
		Name   *string `json:"name,omitempty" minLength:"1" maxLength:"100"`
		Shared *bool   `json:"shared,omitempty" example:"false"`
	}
	// InList is an operation on a list of the app.
	InList struct {
		InWorkspace
		List string `path:"list" example:"purchase-orders" doc:"arrivals, audit, failure-groups, failures, imports, keys, purchase-orders or tokens."`
	}
	// OneView names a saved view of a table.
	OneView struct {
		InTable
		View uuid.UUID `path:"view" format:"uuid"`
	}
	// OneListView names a saved view of a list.
	OneListView struct {
		InList
		View uuid.UUID `path:"view" format:"uuid"`
	}
	// listName is one of auth.Lists.
	listName string
)

// Schema implements huma's SchemaProvider: an enumeration of the lists.
func (listName) Schema(huma.Registry) *huma.Schema {
	schema := &huma.Schema{Type: huma.TypeString}
	for _, name := range auth.Lists() {
		schema.Enum = append(schema.Enum, string(name))
	}
	return schema
}

const (
	aboutChange = "You can change your own views, and shared views if you may share views. Absent fields keep their value; a definition is replaced as a whole."
	aboutDelete = "You can delete your own views, and shared views if you may share views."
)

// viewOperations are about saved views of tables.
func (s *Server) viewOperations(a *appAPI, tag, path string) {
	register(a, operation{
		id: "listViews", method: http.MethodGet, path: path, tag: tag, needs: auth.Read,
		summary: "List saved views of a table", about: "Your own views and shared views, by name.",
	}, func(ctx context.Context, in *InTable) (*body[list[viewJSON]], error) {
		return s.listViews(ctx, query.OfTable(in.Table))
	})
	register(a, operation{
		id: "createView", method: http.MethodPost, path: path, tag: tag, needs: auth.Read, status: http.StatusCreated,
		summary: "Save a view of a table",
		about:   "Everybody can save views for themselves. To share a view, you need the permission share_views.",
	}, func(ctx context.Context, in *struct {
		InTable
		Body struct {
			NewView
			Definition definitionJSON `json:"definition" example:"{\"sort_by\":\"updated_at\",\"sort_desc\":true}"`
		}
	}) (*versioned[viewJSON], error) {
		return s.createView(ctx, query.OfTable(in.Table), in.Body.NewView, in.Body.Definition)
	})
	register(a, operation{
		id: "changeView", method: http.MethodPatch, path: path + "/{view}", tag: tag, needs: auth.Read,
		summary: "Change a saved view of a table", about: aboutChange,
	}, func(ctx context.Context, in *struct {
		OneView
		Conditional
		Body struct {
			ViewChange
			Definition *definitionJSON `json:"definition,omitempty" example:"{\"sort_by\":\"updated_at\"}"`
		}
	}) (*versioned[viewJSON], error) {
		return s.changeView(ctx, query.OfTable(in.Table), in.View, in.Conditional, in.Body.ViewChange, in.Body.Definition)
	})
	register(a, operation{
		id: "deleteView", method: http.MethodDelete, path: path + "/{view}", tag: tag, needs: auth.Read,
		status:  http.StatusNoContent,
		summary: "Delete a saved view of a table", about: aboutDelete,
	}, func(ctx context.Context, in *struct {
		OneView
		Conditional
	}) (*nothing, error) {
		return nil, s.deleteView(ctx, query.OfTable(in.Table), in.View, in.Conditional)
	})
}

// listViewOperations are about saved views of the app's lists.
func (s *Server) listViewOperations(a *appAPI) {
	const tag, path = "Lists", "workspaces/{workspace}/lists/{list}/views"
	register(a, operation{
		id: "listListViews", method: http.MethodGet, path: path, tag: tag, needs: auth.Read,
		summary: "List saved views of a list",
		about:   "Your own views and shared views, by name. A person who may not read the list may not use its views.",
	}, func(ctx context.Context, in *InList) (*body[list[viewJSON]], error) {
		return s.listViews(ctx, query.OfList(in.List))
	})
	register(a, operation{
		id: "createListView", method: http.MethodPost, path: path, tag: tag, needs: auth.Read, status: http.StatusCreated,
		summary: "Save a view of a list",
		about:   "Everybody can save views for themselves. To share a view, you need the permission share_views.",
	}, func(ctx context.Context, in *struct {
		InList
		Body struct {
			NewView
			Definition searchJSON `json:"definition" example:"{\"search\":{\"tab\":\"overdue\"}}"`
		}
	}) (*versioned[viewJSON], error) {
		return s.createView(ctx, query.OfList(in.List), in.Body.NewView, definitionJSON{Search: in.Body.Definition.Search})
	})
	register(a, operation{
		id: "changeListView", method: http.MethodPatch, path: path + "/{view}", tag: tag, needs: auth.Read,
		summary: "Change a saved view of a list", about: aboutChange,
	}, func(ctx context.Context, in *struct {
		OneListView
		Conditional
		Body struct {
			ViewChange
			Definition *searchJSON `json:"definition,omitempty" example:"{\"search\":{\"tab\":\"overdue\"}}"`
		}
	}) (*versioned[viewJSON], error) {
		var definition *definitionJSON
		if in.Body.Definition != nil {
			definition = &definitionJSON{Search: in.Body.Definition.Search}
		}
		return s.changeView(ctx, query.OfList(in.List), in.View, in.Conditional, in.Body.ViewChange, definition)
	})
	register(a, operation{
		id: "deleteListView", method: http.MethodDelete, path: path + "/{view}", tag: tag, needs: auth.Read,
		status:  http.StatusNoContent,
		summary: "Delete a saved view of a list", about: aboutDelete,
	}, func(ctx context.Context, in *struct {
		OneListView
		Conditional
	}) (*nothing, error) {
		return nil, s.deleteView(ctx, query.OfList(in.List), in.View, in.Conditional)
	})
}

func (s *Server) listViews(ctx context.Context, of query.ViewOf) (*body[list[viewJSON]], error) {
	views, err := s.Query.Views(ctx, by(ctx).Principal, of)
	var items []viewJSON
	for _, view := range views {
		items = append(items, toViewJSON(view))
	}
	return listed(items, false, func(one viewJSON) uuid.UUID { return one.ID }), err
}

func (s *Server) createView(ctx context.Context, of query.ViewOf, in NewView, d definitionJSON) (
	*versioned[viewJSON], error) {
	view, err := s.Query.CreateView(ctx, by(ctx).Principal, of,
		query.ViewChange{Name: &in.Name, Shared: &in.Shared, Definition: d.definition()})
	return &versioned[viewJSON]{etag(view.Version), toViewJSON(view)}, err
}

func (s *Server) changeView(ctx context.Context, of query.ViewOf, id uuid.UUID, seen Conditional, in ViewChange,
	d *definitionJSON) (*versioned[viewJSON], error) {
	version, err := seen.version()
	if err != nil {
		return nil, err
	}
	view, err := s.Query.ChangeView(ctx, by(ctx).Principal, of, id,
		query.ViewChange{Name: in.Name, Shared: in.Shared, Definition: d.definition()}, version)
	return &versioned[viewJSON]{etag(view.Version), toViewJSON(view)}, err
}

func (s *Server) deleteView(ctx context.Context, of query.ViewOf, id uuid.UUID, seen Conditional) error {
	version, err := seen.version()
	if err != nil {
		return err
	}
	return s.Query.DeleteView(ctx, by(ctx).Principal, of, id, version)
}

func (d *definitionJSON) definition() *query.Definition {
	if d == nil {
		return nil
	}
	definition := &query.Definition{SelectFields: d.SelectFields, SortBy: d.SortBy, SortDesc: d.SortDesc, AsOf: d.AsOf,
		Product: d.Product, Widths: d.Widths, Search: d.Search}
	if d.Filters != nil {
		definition.Filters = jsontext.Value(d.Filters.RawMessage)
	}
	return definition
}

func toViewJSON(v query.View) viewJSON {
	d := v.Definition
	out := viewJSON{
		ID: v.ID, Name: v.Name, Owner: v.Owner, Shared: v.Shared, Version: v.Version, CreatedAt: v.CreatedAt.UTC(),
		UpdatedAt: v.UpdatedAt.UTC(),
		Definition: definitionJSON{SelectFields: d.SelectFields, SortBy: d.SortBy, SortDesc: d.SortDesc, AsOf: d.AsOf,
			Product: d.Product, Widths: d.Widths, Search: d.Search},
	}
	if len(d.Filters) > 0 {
		out.Definition.Filters = &objectJSON{json.RawMessage(d.Filters)}
	}
	return out
}
