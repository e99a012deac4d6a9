package pg

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// InParts runs fn for all items of a transaction at once. If PostgreSQL refuses values among them, as BadData
// says, or if one cannot be read into its type, the items are halved until those that it refuses are alone: refused is told of each of these, what fn did
// for it is undone, and the others are done all the same. Any other error ends it. fn may run several times for an
// item, so it should keep nothing before its last statement has succeeded.
func InParts[T any](ctx context.Context, tx pgx.Tx, items []T, fn func(some []T) error, refused func(one T, err error)) error {
	if len(items) == 0 {
		return nil
	}
	part, err := tx.Begin(ctx) // a savepoint
	if err != nil {
		return err
	}
	if err = fn(items); err == nil {
		return part.Commit(ctx)
	}
	if !BadData(err) && !errors.As(err, new(pgx.ScanArgError)) {
		return err // with the transaction, the savepoint ends
	}
	if failed := part.Rollback(ctx); failed != nil {
		return failed
	}
	if len(items) == 1 {
		refused(items[0], err)
		return nil
	}
	half := len(items) / 2
	if err := InParts(ctx, tx, items[:half], fn, refused); err != nil {
		return err
	}
	return InParts(ctx, tx, items[half:], fn, refused)
}
