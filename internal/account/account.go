// Package account knows companies: tenants and their workspaces.
package account

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
)

// firstWorkspace is the name of the workspace that every tenant starts with.
const firstWorkspace = "Main"

// Service creates and reads tenants and workspaces.
type Service struct {
	cells *pg.Cells
}

// New returns the service.
func New(cells *pg.Cells) *Service { return &Service{cells: cells} }

// Tenant is a company, with the workspace it started with.
type Tenant struct {
	ID        uuid.UUID
	Workspace uuid.UUID
	Name      string
}

// CreateTenant makes a company and its first workspace, both or neither.
func (s *Service) CreateTenant(ctx context.Context, name string) (Tenant, error) {
	tenant := Tenant{ID: uuid.Must(uuid.NewV7()), Workspace: uuid.Must(uuid.NewV7()), Name: strings.TrimSpace(name)}
	if tenant.Name == "" {
		return Tenant{}, fault.New(fault.Invalid, "name_required", "a tenant needs a name")
	}
	err := s.cells.InControl(ctx, tenant.ID, func(tx pgx.Tx) error {
		queries := q.New(tx)
		if err := queries.InsertTenant(ctx, q.InsertTenantParams{ID: tenant.ID, Name: tenant.Name}); err != nil {
			return err
		}
		return queries.InsertWorkspace(ctx, q.InsertWorkspaceParams{
			TenantID: tenant.ID, ID: tenant.Workspace, Name: firstWorkspace,
		})
	})
	return tenant, err
}
