package pg

import (
	"context"
	_ "embed"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/quayside/quayside/internal/fault"
)

//go:embed remove_tenant.sql
var removeTenant string

// RemoveTenant deletes a tenant and everything of it, including its audit log, as the owner and
// in one transaction. User accounts are kept, because they may belong to other tenants too. It
// locks every table until it is done, and fails if it has to wait long for a lock. Afterwards it
// frees the space of the deleted rows, which would slow down the next writers.
func RemoveTenant(ctx context.Context, ownerURL string, tenant uuid.UUID) error {
	db, err := pgx.Connect(ctx, ownerURL)
	if err != nil {
		return explain(err)
	}
	defer func() { _ = db.Close(context.WithoutCancel(ctx)) }()
	err = pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT set_config('app.removed', $1, true), set_config('lock_timeout', '10s', true)",
			tenant.String()); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, removeTenant)
		return err
	})
	var refused *pgconn.PgError
	switch {
	case Locked(err):
		return fault.New(fault.Unavailable, "in_use", "the database is in use; stop the service and try again").Because(err)
	case errors.As(err, &refused) && refused.Code == "42501":
		return fault.New(fault.Forbidden, "remove_rights",
			"the login of QUAYSIDE_MIGRATE_URL lacks rights (%s); it must own the tables", refused.Message).Because(err)
	case err != nil:
		return err
	}
	_, err = db.Exec(ctx, "VACUUM (ANALYZE)")
	return err
}
