package httpapi

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/account"
	"github.com/quayside/quayside/internal/fault"
)

// These routes are for whoever runs the service, or a program of theirs, with the token of QUAYSIDE_OPERATOR_TOKEN. They
// make companies, suspend them and plan their deletion. Deleting and exporting need the owner's login, which the
// service does not have: the command line does them.

// operatorBody limits a request of the operator's.
const operatorBody = 64 << 10

// companyJSON is a company as its operator sees it.
type companyJSON struct {
	ID          uuid.UUID  `json:"tenant_id"`
	Workspace   uuid.UUID  `json:"workspace_id"`
	Name        string     `json:"name"`
	SuspendedAt *time.Time `json:"suspended_at,omitempty"`
	Because     string     `json:"suspended_because,omitempty"`
	DeleteAfter *time.Time `json:"delete_after,omitempty"`

	OutboundAllow *[]string `json:"outbound_allow,omitempty"` // absent: all that the installation allows
}

// lifeJSON is what became of a company.
type lifeJSON struct {
	ID          uuid.UUID  `json:"tenant_id"`
	SuspendedAt *time.Time `json:"suspended_at,omitempty"`
	Because     string     `json:"suspended_because,omitempty"`
	DeleteAfter *time.Time `json:"delete_after,omitempty"`
}

// operatorRoutes returns the routes of the operator.
func (s *Server) operatorRoutes() map[string]handler {
	return map[string]handler{
		"GET /api/operator/tenants": s.asOperator(func(_ http.ResponseWriter, r *http.Request) (any, error) {
			companies, err := s.Accounts.Tenants(r.Context())
			list := make([]companyJSON, 0, len(companies))
			for _, one := range companies {
				list = append(list, toCompanyJSON(one))
			}
			return map[string]any{"tenants": list}, err
		}),
		"POST /api/operator/tenants": s.asOperator(func(w http.ResponseWriter, r *http.Request) (any, error) {
			var in struct {
				Name string `json:"name"`
			}
			if err := readOperator(w, r, &in); err != nil {
				return nil, err
			}
			made, err := s.Accounts.CreateTenant(r.Context(), in.Name)
			return toCompanyJSON(made), err
		}),
		"POST /api/operator/tenants/{tenant}/suspend": s.asOperator(func(w http.ResponseWriter, r *http.Request) (any, error) {
			var in struct {
				Reason string `json:"reason"`
			}
			return s.live(w, r, &in, func(ctx context.Context, tenant uuid.UUID) (account.Life, error) {
				return s.Accounts.Suspend(ctx, tenant, in.Reason)
			})
		}),
		"POST /api/operator/tenants/{tenant}/resume": s.asOperator(func(w http.ResponseWriter, r *http.Request) (any, error) {
			var in struct{}
			return s.live(w, r, &in, s.Accounts.Resume)
		}),
		"POST /api/operator/tenants/{tenant}/delete": s.asOperator(func(w http.ResponseWriter, r *http.Request) (any, error) {
			in := struct {
				Days uint16 `json:"wait_days"`
			}{Days: 30}
			return s.live(w, r, &in, func(ctx context.Context, tenant uuid.UUID) (account.Life, error) {
				return s.Accounts.PlanDeletion(ctx, tenant, time.Duration(in.Days)*24*time.Hour)
			})
		}),
		"/api/operator/": s.asOperator(func(http.ResponseWriter, *http.Request) (any, error) {
			return nil, fault.New(fault.NotFound, "no_operation", "the operator's API has no such operation; see docs/commands.md")
		}),
	}
}

// asOperator answers a caller who shows the operator's token, and nobody else. Without a configured token there are no
// such routes.
func (s *Server) asOperator(answer func(http.ResponseWriter, *http.Request) (any, error)) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if s.OperatorToken == "" {
			return fault.New(fault.NotFound, "no_operator", "there is no operator's API here: QUAYSIDE_OPERATOR_TOKEN is not set")
		}
		shown, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		want, got := sha256.Sum256([]byte(s.OperatorToken)), sha256.Sum256([]byte(shown))
		if subtle.ConstantTimeCompare(want[:], got[:]) != 1 {
			return fault.New(fault.Unauthenticated, "invalid_token", "this needs the operator's token")
		}
		body, err := answer(w, r)
		if err != nil {
			return err
		}
		w.Header().Set("Cache-Control", "no-store")
		writeJSON(w, http.StatusOK, body)
		return nil
	}
}

// live changes what becomes of the company that the path names.
func (s *Server) live(w http.ResponseWriter, r *http.Request, in any,
	change func(context.Context, uuid.UUID) (account.Life, error)) (any, error) {
	tenant, err := uuid.Parse(r.PathValue("tenant"))
	if err != nil {
		return nil, fault.New(fault.NotFound, "unknown_tenant", "there is no tenant %s", fault.Shorten(r.PathValue("tenant")))
	}
	if err := readOperator(w, r, in); err != nil {
		return nil, err
	}
	life, err := change(r.Context(), tenant)
	return lifeJSON{tenant, life.SuspendedAt, life.Because, life.DeleteAfter}, err
}

// readOperator reads a body of JSON strictly. An empty one is an empty object.
func readOperator(w http.ResponseWriter, r *http.Request, into any) error {
	body, err := readWithin(w, r, operatorBody)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(strings.NewReader(string(body)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil && !errors.Is(err, io.EOF) {
		return fault.New(fault.BadRequest, "invalid_json", "the body is not the expected JSON: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if decoder.More() {
		return fault.New(fault.BadRequest, "invalid_json", "the body is more than one JSON object")
	}
	return nil
}

func toCompanyJSON(one account.Tenant) companyJSON {
	shown := companyJSON{ID: one.ID, Workspace: one.Workspace, Name: one.Name, SuspendedAt: one.SuspendedAt, Because: one.Because,
		DeleteAfter: one.DeleteAfter}
	if texts := one.Reach.Texts(); texts != nil {
		shown.OutboundAllow = &texts
	}
	return shown
}
