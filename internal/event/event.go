// Package event is the outbox: domain events, written in the transaction that causes
// them, in one partition per day.
package event

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
)

// DaysAhead is how many days of partitions are made in advance, so that a service that
// was down for two weeks can still write.
const DaysAhead = 14

// MakeDays creates the partitions of the coming days, and removes empty ones of the past.
func MakeDays(ctx context.Context, cells *pg.Cells) error {
	// Crosses tenants: partitions hold all of them. It reads and writes no row.
	return cells.InSystem(ctx, func(tx pgx.Tx) error {
		_, err := q.New(tx).MakeEventDays(ctx, DaysAhead)
		return err
	})
}
