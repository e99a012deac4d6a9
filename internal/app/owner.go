package app

import (
	"context"
	"io"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/backup"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
)

// This file holds what commands do as the owner of the schema. The service has no such login.

// owner returns the address with the owner's login, which only commands have.
func (a *App) owner() (string, error) {
	if a.cfg.MigrateURL == "" {
		return "", fault.New(fault.Forbidden, "owner", "this needs the owner's login, which the service does not have")
	}
	return a.cfg.MigrateURL, nil
}

// CheckLogin fails if the service's login opens the owner's or a superuser's: see pg.Cells.CheckLogin.
func (a *App) CheckLogin(ctx context.Context, try bool) error {
	return a.Cells.CheckLogin(ctx, a.cfg.DatabaseURL, try)
}

// Migrate brings the schema up to date and returns the applied migrations.
func (a *App) Migrate(ctx context.Context) (applied []string, err error) {
	owner, err := a.owner()
	if err != nil {
		return nil, err
	}
	return pg.Migrate(ctx, owner, a.cfg.DatabaseURL)
}

// Analyze tells the planner how large the tables are.
func (a *App) Analyze(ctx context.Context) error {
	owner, err := a.owner()
	if err != nil {
		return err
	}
	return pg.Analyze(ctx, owner)
}

// ExportTenant writes everything of a company as a zip.
func (a *App) ExportTenant(ctx context.Context, tenant uuid.UUID, w io.Writer) (rows map[string]int64, err error) {
	owner, err := a.owner()
	if err != nil {
		return nil, err
	}
	return backup.Export(ctx, owner, tenant, w)
}

// DeleteTenant deletes a company whose waiting period is over, and proves that no row of it remains.
func (a *App) DeleteTenant(ctx context.Context, tenant uuid.UUID) error {
	owner, err := a.owner()
	if err != nil {
		return err
	}
	if err := a.Accounts.MayDelete(ctx, tenant); err != nil {
		return err
	}
	for try := range 2 {
		if err := a.RemoveTenant(ctx, tenant); err != nil {
			return err
		}
		remains, err := backup.Remains(ctx, owner, tenant)
		switch {
		case err != nil || len(remains) == 0:
			return err
		case try > 0:
			return fault.New(fault.Internal, "remains", "rows of it remain: %v", remains)
		}
		// Instances write figures of calls that they answered before it was suspended.
		select {
		case <-time.After(2 * flushEvery):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// RemoveTenant deletes a tenant and everything of it.
func (a *App) RemoveTenant(ctx context.Context, tenant uuid.UUID) error {
	owner, err := a.owner()
	if err != nil {
		return err
	}
	return pg.RemoveTenant(ctx, owner, tenant)
}

// Backup dumps the database into a file, with a manifest beside it.
func (a *App) Backup(ctx context.Context, file string) (backup.Manifest, error) {
	owner, err := a.owner()
	if err != nil {
		return backup.Manifest{}, err
	}
	return backup.Create(ctx, owner, file)
}

// Restored compares a restored database with its manifest, if there is one, and makes it safe to serve from.
func (a *App) Restored(ctx context.Context, manifest backup.Manifest) (settled backup.Settled, err error) {
	if manifest.Rows != nil {
		owner, err := a.owner()
		if err != nil {
			return settled, err
		}
		if err := backup.Check(ctx, owner, manifest); err != nil {
			return settled, err
		}
	}
	companies, err := a.Accounts.Tenants(ctx)
	if err != nil {
		return settled, err
	}
	tenants := make([]uuid.UUID, 0, len(companies))
	for _, company := range companies {
		tenants = append(tenants, company.ID)
	}
	return backup.Settle(ctx, a.Cells, tenants, manifest.MadeAt)
}
