package connection

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/outbound"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
)

// pace keeps a connection's calls within its budget, for all instances: it is a row in the database, by
// the database's clock.
type pace struct {
	cells      *pg.Cells
	log        *slog.Logger
	tenant, id uuid.UUID
	budget     int64 // calls in a minute
}

var _ outbound.Pace = (*pace)(nil)

// Take implements outbound.Pace.
func (p *pace) Take(ctx context.Context, patience time.Duration) (wait time.Duration, err error) {
	err = p.cells.InTenant(ctx, p.tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		row, err := queries.LockPace(ctx, q.LockPaceParams{TenantID: p.tenant, ConnectionID: p.id})
		if err != nil {
			return err
		}
		at, used := turn(row.Now, row.UsedUntil, row.HeldUntil, p.budget)
		if wait = at.Sub(row.Now); wait > patience {
			return outbound.OverBudget(wait)
		}
		return queries.KeepPace(ctx, q.KeepPaceParams{TenantID: p.tenant, ConnectionID: p.id, UsedUntil: used})
	})
	return wait, err
}

// Hold implements outbound.Pace.
func (p *pace) Hold(ctx context.Context, pause time.Duration) {
	err := p.cells.InTenant(ctx, p.tenant, func(tx pgx.Tx) error {
		return q.New(tx).HoldPace(ctx, q.HoldPaceParams{TenantID: p.tenant, ConnectionID: p.id, Pause: pause})
	})
	if err != nil { // the next answer asks for it again
		p.log.ErrorContext(ctx, "pause of a connection not kept", "connection", p.id, "err", err)
	}
}

// atOnce is the share of a minute's budget that may be used at once.
const atOnce = 5

// turn returns when the next call may be made, and until when the budget is used then. No minute has more
// calls than the budget: a fifth of it may be used at once, and the rest comes back evenly.
func turn(now, used, held time.Time, budget int64) (at, usedThen time.Time) {
	burst := max(1, budget/atOnce)
	every := time.Minute // a budget of one call has no rest
	if budget > burst {
		every = (time.Minute + time.Duration(budget-burst) - 1) / time.Duration(budget-burst) // rounded up
	}
	ahead := time.Duration(burst-1) * every
	at = latest(now, used.Add(-ahead), held)
	return at, latest(used, at).Add(every)
}

func latest(times ...time.Time) (last time.Time) {
	for _, one := range times {
		if one.After(last) {
			last = one
		}
	}
	return last
}
