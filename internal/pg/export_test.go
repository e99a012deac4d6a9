package pg

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/pg/q"
)

// TakeTurns takes up to most jobs of a queue for an instance, as a client does that has so many places free.
func (c *Cells) TakeTurns(ctx context.Context, queue, instance string, most int) (ids []int64, err error) {
	err = c.in(ctx, c.pools[background].Pool, nil, func(tx pgx.Tx) error {
		ids, err = takeTurns(ctx, tx, queue, instance, most)
		return err
	})
	return ids, err
}

// Wanted reports whether another company waits for the place of a running job.
func (c *Cells) Wanted(ctx context.Context, queue string) bool {
	return (&place{cells: c, queue: queue}).isWanted(ctx)
}

// TakeTurn is the statement that takes a job, for its plan.
var TakeTurn = takeTurn

// TryLogins tries whether an address lets somebody in as one of these roles, as CheckLogin does with those that it has found.
func TryLogins(ctx context.Context, address string, roles ...q.PowerfulRolesRow) error {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return err
	}
	return tryLogins(ctx, config, roles)
}
