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
		OrderSender
		Version   int64     `json:"version" doc:"The ETag is this number in quotes."`
		CreatedAt time.Time `json:"created_at"`
	}
	// OrderSender is what purchase orders say of the workspace.
	OrderSender struct {
		Address         string `json:"address" doc:"In several lines. Empty fields are left out of orders." example:"Harbour Goods Ltd\n1 Dock Road\nLiverpool L3 4AA"`
		DeliveryAddress string `json:"delivery_address" doc:"Where suppliers deliver to, in several lines." example:"Warehouse 2\nGate 4\nLiverpool L3 4AB"`
		OrderContact    string `json:"order_contact" doc:"Whom suppliers ask." example:"Grace Hopper, +44 151 496 0000"`
		OrderEmail      string `json:"order_email" doc:"Where suppliers answer." example:"purchasing@harbour.example"`
		VatID           string `json:"vat_id" example:"GB123456789"`
	}
	// WorkspaceSettings are a workspace's settings besides its name.
	WorkspaceSettings struct {
		TimeZone        *string `json:"time_zone,omitempty" example:"Europe/Berlin"`
		BaseCurrency    *string `json:"base_currency,omitempty" example:"EUR"`
		Locale          *string `json:"locale,omitempty" example:"de-DE"`
		WeekStart       *string `json:"week_start,omitempty" enum:"monday,tuesday,wednesday,thursday,friday,saturday,sunday" example:"monday"`
		Address         *string `json:"address,omitempty" maxLength:"1000" doc:"Purchase orders name it. Several lines." example:"Harbour Goods Ltd\n1 Dock Road\nLiverpool L3 4AA"`
		DeliveryAddress *string `json:"delivery_address,omitempty" maxLength:"1000" doc:"Where suppliers deliver to. Several lines." example:"Warehouse 2\nLiverpool L3 4AB"`
		OrderContact    *string `json:"order_contact,omitempty" maxLength:"200" doc:"Whom suppliers ask." example:"Grace Hopper"`
		OrderEmail      *string `json:"order_email,omitempty" maxLength:"200" doc:"Where suppliers answer." example:"purchasing@harbour.example"`
		VatID           *string `json:"vat_id,omitempty" maxLength:"50" example:"GB123456789"`
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
		WeekStart: w.WeekStart, Sender: account.Sender{Address: w.Address, DeliveryAddress: w.DeliveryAddress,
			OrderContact: w.OrderContact, OrderEmail: w.OrderEmail, VatID: w.VatID}}
}

func toWorkspaceJSON(w account.Workspace) workspaceJSON {
	return workspaceJSON{
		ID: w.ID, Name: w.Name, TimeZone: w.TimeZone, BaseCurrency: w.BaseCurrency, Locale: w.Locale,
		WeekStart: w.WeekStartDay(), Version: w.Version, CreatedAt: w.CreatedAt.UTC(),
		OrderSender: OrderSender{Address: w.Address, DeliveryAddress: w.DeliveryAddress, OrderContact: w.OrderContact,
			OrderEmail: w.OrderEmail, VatID: w.VatID},
	}
}
