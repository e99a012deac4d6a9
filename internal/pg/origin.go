package pg

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/pg/q"
)

// BackupRole reads every row of every table and writes none. Dumps are made with it: row security is forced on the
// owner, whose dump would fail or leave rows out.
const BackupRole = "quayside_backup"

// Origin says which database of which server a database is. A dump that is restored elsewhere keeps the old one.
type Origin struct {
	System   string `json:"system"` // the server's identifier, which its standbys share
	Database int64  `json:"database"`
}

// OriginOf returns where the database of a transaction is.
func OriginOf(ctx context.Context, tx pgx.Tx) (Origin, error) {
	origin, err := q.New(tx).GetOrigin(ctx)
	return Origin{origin.System, origin.Database}, err
}

// Moved reports whether the database was restored from a dump, or upgraded to another server, and nobody has settled
// what that means.
func (c *Cells) Moved(ctx context.Context) (moved bool, err error) {
	err = c.read(ctx, func(queries *q.Queries) error {
		origin, err := queries.GetOrigin(ctx)
		moved = origin.Moved
		return err
	})
	return moved, err
}

// Settle says that the database belongs where it is.
func (c *Cells) Settle(ctx context.Context) error {
	return c.read(ctx, func(queries *q.Queries) error { return queries.SettleOrigin(ctx) })
}

// ReadingAll runs fn in a read-only transaction that sees every row of every tenant, and tells it the name of the
// snapshot, with which pg_dump sees the same.
func ReadingAll(ctx context.Context, ownerURL string, fn func(tx pgx.Tx, snapshot string) error) error {
	db, err := pgx.Connect(ctx, ownerURL)
	if err != nil {
		return explain(err)
	}
	defer func() { _ = db.Close(context.WithoutCancel(ctx)) }()
	return Translate(pgx.BeginTxFunc(ctx, db, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly},
		func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "SET LOCAL ROLE "+BackupRole); err != nil {
				return explainMigration(err)
			}
			var snapshot string
			if err := tx.QueryRow(ctx, "SELECT pg_export_snapshot()").Scan(&snapshot); err != nil {
				return err
			}
			return fn(tx, snapshot)
		}))
}
