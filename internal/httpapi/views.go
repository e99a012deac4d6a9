package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

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
		Owner      uuid.UUID      `json:"owner_id" format:"uuid" doc:"Who saved it."`
		Shared     bool           `json:"shared" doc:"Whether everybody in the workspace has it."`
		Version    int64          `json:"version" doc:"In quotes it is the ETag."`
		CreatedAt  time.Time      `json:"created_at"`
		UpdatedAt  time.Time      `json:"updated_at"`
	}
	definitionJSON struct {
		Filters      *objectJSON    `json:"filters,omitempty" doc:"As the parameter of listRows has them." example:"{\"note\":{\"empty\":false}}"`
		SelectFields []string       `json:"select_fields,omitempty" maxItems:"300" example:"[\"id\"]"`
		SortBy       string         `json:"sort_by,omitempty" example:"updated_at"`
		SortDesc     bool           `json:"sort_desc,omitempty" example:"true"`
		Widths       map[string]int `json:"widths,omitempty" doc:"Of columns, in pixels." example:"{\"id\":200}"`
	}
	// OneView names a saved view.
	OneView struct {
		InTable
		View uuid.UUID `path:"view" format:"uuid"`
	}
)

// viewOperations are about views that people save.
func (s *Server) viewOperations(a *appAPI, tag, path string) {
	register(a, operation{
		id: "listViews", method: http.MethodGet, path: path, tag: tag, needs: auth.Read,
		summary: "Saved views of a table", about: "Your own and those that are shared, by name.",
	}, func(ctx context.Context, in *InTable) (*body[list[viewJSON]], error) {
		views, err := s.Query.Views(ctx, by(ctx).Principal, in.Table)
		var items []viewJSON
		for _, view := range views {
			items = append(items, toViewJSON(view))
		}
		return listed(items, false, func(one viewJSON) uuid.UUID { return one.ID }), err
	})
	register(a, operation{
		id: "createView", method: http.MethodPost, path: path, tag: tag, needs: auth.Read, status: http.StatusCreated,
		summary: "Save a view", about: "For yourself, whatever your role; for everybody if you may share views.",
	}, func(ctx context.Context, in *struct {
		InTable
		Body struct {
			Name       string         `json:"name" minLength:"1" maxLength:"100" example:"Open orders"`
			Shared     bool           `json:"shared,omitempty" example:"false"`
			Definition definitionJSON `json:"definition" example:"{\"sort_by\":\"updated_at\",\"sort_desc\":true}"`
		}
	}) (*versioned[viewJSON], error) {
		definition := in.Body.Definition.definition()
		view, err := s.Query.CreateView(ctx, by(ctx).Principal, in.Table, query.ViewChange{Name: &in.Body.Name, Shared: &in.Body.Shared, Definition: definition})
		return &versioned[viewJSON]{etag(view.Version), toViewJSON(view)}, err
	})
	register(a, operation{
		id: "changeView", method: http.MethodPatch, path: path + "/{view}", tag: tag, needs: auth.Read,
		summary: "Change a saved view", about: "Your own, or a shared one if you may share views. Fields that are not sent stay as they are; a definition is replaced as a whole.",
	}, func(ctx context.Context, in *struct {
		OneView
		Conditional
		Body struct {
			Name       *string         `json:"name,omitempty" minLength:"1" maxLength:"100"`
			Shared     *bool           `json:"shared,omitempty" example:"false"`
			Definition *definitionJSON `json:"definition,omitempty" example:"{\"sort_by\":\"updated_at\"}"`
		}
	}) (*versioned[viewJSON], error) {
		version, err := in.version()
		if err != nil {
			return nil, err
		}
		view, err := s.Query.ChangeView(ctx, by(ctx).Principal, in.Table, in.View,
			query.ViewChange{Name: in.Body.Name, Shared: in.Body.Shared, Definition: in.Body.Definition.definition()}, version)
		return &versioned[viewJSON]{etag(view.Version), toViewJSON(view)}, err
	})
	register(a, operation{
		id: "deleteView", method: http.MethodDelete, path: path + "/{view}", tag: tag, needs: auth.Read, status: http.StatusNoContent,
		summary: "Delete a saved view", about: "Your own, or a shared one if you may share views.",
	}, func(ctx context.Context, in *struct {
		OneView
		Conditional
	}) (*nothing, error) {
		version, err := in.version()
		if err != nil {
			return nil, err
		}
		return nil, s.Query.DeleteView(ctx, by(ctx).Principal, in.Table, in.View, version)
	})
}

func (d *definitionJSON) definition() *query.Definition {
	if d == nil {
		return nil
	}
	definition := &query.Definition{SelectFields: d.SelectFields, SortBy: d.SortBy, SortDesc: d.SortDesc, Widths: d.Widths}
	if d.Filters != nil {
		definition.Filters = jsontext.Value(d.Filters.RawMessage)
	}
	return definition
}

func toViewJSON(v query.View) viewJSON {
	d := v.Definition
	out := viewJSON{
		ID: v.ID, Name: v.Name, Owner: v.Owner, Shared: v.Shared, Version: v.Version, CreatedAt: v.CreatedAt.UTC(), UpdatedAt: v.UpdatedAt.UTC(),
		Definition: definitionJSON{SelectFields: d.SelectFields, SortBy: d.SortBy, SortDesc: d.SortDesc, Widths: d.Widths},
	}
	if len(d.Filters) > 0 {
		out.Definition.Filters = &objectJSON{json.RawMessage(d.Filters)}
	}
	return out
}
