// Package event is the outbox: what happened, written in the transaction in which
// it happened, kept by day and dropped by day.
package event

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
)

// DaysAhead is how many days of partitions are made before they are needed: a
// service that is down for two weeks still finds a place to write.
const DaysAhead = 14

// KeepPartitions makes the outbox's coming days and drops those older than
// daysKept.
func KeepPartitions(ctx context.Context, cells *pg.Cells, daysKept int32) error {
	// Crosses tenants: partitions hold all of them. It reads and writes no row.
	return cells.InSystem(ctx, func(tx pgx.Tx) error {
		_, err := q.New(tx).KeepEventPartitions(ctx, q.KeepEventPartitionsParams{DaysAhead: DaysAhead, DaysKept: daysKept})
		return err
	})
}
