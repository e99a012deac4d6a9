package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/account"
	"github.com/quayside/quayside/internal/auth"
)

type (
	workspaceJSON struct {
		ID           uuid.UUID `json:"id" format:"uuid"`
		Name         string    `json:"name"`
		TimeZone     string    `json:"time_zone" doc:"Decides when a day begins." example:"Europe/Berlin"`
		BaseCurrency string    `json:"base_currency" example:"EUR"`
		Locale       string    `json:"locale" doc:"The format of numbers and dates." example:"de-DE"`
		WeekStart    string    `json:"week_start" enum:"monday,tuesday,wednesday,thursday,friday,saturday,sunday" doc:"The first day of a week. Weekly figures are computed again when it changes."`
		Version      int64     `json:"version" doc:"The ETag is this number in quotes."`
		CreatedAt    time.Time `json:"created_at"`
	}
	// WorkspaceSettings are a workspace's settings besides its name.
	WorkspaceSettings struct {
		TimeZone     *string `json:"time_zone,omitempty" example:"Europe/Berlin"`
		BaseCurrency *string `json:"base_currency,omitempty" example:"EUR"`
		Locale       *string `json:"locale,omitempty" example:"de-DE"`
		WeekStart    *string `json:"week_start,omitempty" enum:"monday,tuesday,wednesday,thursday,friday,saturday,sunday" example:"monday"`
	}
)

// workspaceOperations are about the workspaces of a company.
func (s *Server) workspaceOperations(a *appAPI) {
	const tag = "Workspaces"
	register(a, operation{
		id: "listWorkspaces", method: http.MethodGet, path: "tenants/{tenant}/workspaces", tag: tag, needs: auth.Read,
		summary: "List the company's workspaces", about: "Returns all workspaces. A company has at most 100.",
	}, func(ctx context.Context, _ *InTenant) (*body[list[workspaceJSON]], error) {
		workspaces, err := s.Accounts.Workspaces(ctx, by(ctx).Principal)
		var items []workspaceJSON
		for _, workspace := range workspaces {
			items = append(items, toWorkspaceJSON(workspace))
		}
		return listed(items, false, func(one workspaceJSON) uuid.UUID { return one.ID }), err
	})
	register(a, operation{
		id: "createWorkspace", method: http.MethodPost, path: "tenants/{tenant}/workspaces", tag: tag,
		needs:   auth.ManageWorkspaces,
		summary: "Create a workspace", status: http.StatusCreated,
	}, func(ctx context.Context, in *struct {
		InTenant
		Body struct {
			Name string `json:"name" minLength:"1" maxLength:"200" example:"Webshop DE"`
			WorkspaceSettings
		}
	}) (*versioned[workspaceJSON], error) {
		workspace, err := s.Accounts.CreateWorkspace(ctx, by(ctx).Principal, in.Body.change(&in.Body.Name))
		return &versioned[workspaceJSON]{etag(workspace.Version), toWorkspaceJSON(workspace)}, err
	})
	register(a, operation{
		id: "getWorkspace", method: http.MethodGet, path: "workspaces/{workspace}", tag: tag, needs: auth.Read,
		summary: "Get a workspace",
	}, func(ctx context.Context, _ *InWorkspace) (*versioned[workspaceJSON], error) {
		workspace, err := s.Accounts.Workspace(ctx, by(ctx).Principal)
		return &versioned[workspaceJSON]{etag(workspace.Version), toWorkspaceJSON(workspace)}, err
	})
	register(a, operation{
		id: "changeWorkspace", method: http.MethodPatch, path: "workspaces/{workspace}", tag: tag,
		needs:   auth.ManageWorkspaces,
		summary: "Change a workspace",
		about:   "Absent fields keep their value. For keys in use, a new time zone takes effect within five minutes.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Conditional
		Body struct {
			Name *string `json:"name,omitempty" minLength:"1" maxLength:"200" example:"Webshop DE"`
			WorkspaceSettings
		}
	}) (*versioned[workspaceJSON], error) {
		version, err := in.version()
		if err != nil {
			return nil, err
		}
		workspace, err := s.Accounts.ChangeWorkspace(ctx, by(ctx).Principal, in.Body.change(in.Body.Name), version)
		return &versioned[workspaceJSON]{etag(workspace.Version), toWorkspaceJSON(workspace)}, err
	})
}

func (w WorkspaceSettings) change(name *string) account.WorkspaceChange {
	return account.WorkspaceChange{Name: name, TimeZone: w.TimeZone, BaseCurrency: w.BaseCurrency, Locale: w.Locale,
		WeekStart: w.WeekStart}
}

func toWorkspaceJSON(w account.Workspace) workspaceJSON {
	return workspaceJSON{
		ID: w.ID, Name: w.Name, TimeZone: w.TimeZone, BaseCurrency: w.BaseCurrency, Locale: w.Locale,
		WeekStart: w.WeekStartDay(), Version: w.Version, CreatedAt: w.CreatedAt.UTC(),
	}
}
