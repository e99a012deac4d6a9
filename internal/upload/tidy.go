package upload

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/pg/q"
)

// tidiedAtOnce is how many tenants one transaction handles.
const tidiedAtOnce = 100

// Tidy deletes files that nobody imported within a day, ends imports that take longer than a
// day, and deletes rejects after thirty days.
func (s *Service) Tidy(ctx context.Context) error {
	for {
		var tenants []uuid.UUID
		// Crosses tenants: the job works for all of them. This finds the next tenants.
		err := s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
			tenants, err = q.New(tx).ListTenantsWithOldImports(ctx, tidiedAtOnce)
			return err
		})
		if err != nil || len(tenants) == 0 {
			return err
		}
		err = s.cells.InTenants(ctx, tenants, func(tx pgx.Tx) error {
			queries := q.New(tx)
			if err := queries.DropOldUploads(ctx, tenants); err != nil {
				return err
			}
			if err := queries.EndOldImports(ctx,
				q.EndOldImportsParams{TenantIds: tenants, Message: "it did not end within a day"}); err != nil {
				return err
			}
			return queries.DropOldRejects(ctx, tenants)
		})
		if err != nil {
			return err
		}
	}
}
