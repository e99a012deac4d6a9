package exchange

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/job"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
)

// Job compares one order, for one version of it here or one reason to look again. An order has at most one job for
// each, so a change that comes while a job runs gets a job of its own.
type Job struct {
	Tenant     uuid.UUID `json:"tenant"`
	Workspace  uuid.UUID `json:"workspace"`
	Connection uuid.UUID `json:"connection"`
	Order      string    `json:"order"` // its number
	Wanted     int64     `json:"wanted"`
	Asked      int64     `json:"asked"`
}

// Kind names the job.
func (Job) Kind() string { return "exchange_order" }

// InsertOpts says how it is enqueued.
func (Job) InsertOpts() river.InsertOpts { return job.In(job.Exchanges) }

const (
	// atOnce is how many orders of one connection wait for a worker.
	atOnce = 4
	// callsEach is how many calls a usual comparison makes: look, write, look again.
	callsEach = 4
	// busyPause is after how long a job comes back that finds its order being compared.
	busyPause = 2 * time.Second
	// seededAtOnce is small, because a transaction that marks an order makes its writers wait.
	seededAtOnce = 50
)

// Dispatch enqueues a job for each order that is due, as far as the budgets of the connections reach, and marks the
// open orders of a connection that was taken into use. Any number of instances may call it at any time.
func (s *Service) Dispatch(ctx context.Context) error {
	var fresh []q.FindUnseededConnectionsRow
	var due []q.FindDueExchangesRow
	// Crosses tenants: it reads what is due, and then acts as each tenant.
	err := s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		queries := q.New(tx)
		if fresh, err = queries.FindUnseededConnections(ctx); err != nil {
			return err
		}
		due, err = queries.FindDueExchanges(ctx, q.FindDueExchangesParams{Most: atOnce, Calls: callsEach})
		return err
	})
	for _, connection := range fresh {
		err = errors.Join(err, s.seed(ctx, connection))
	}
	for _, order := range due {
		err = errors.Join(err, s.cells.InTenant(ctx, order.TenantID, func(tx pgx.Tx) error {
			return pg.Enqueue(ctx, tx, Job{Tenant: order.TenantID, Workspace: order.WorkspaceID,
				Connection: order.ConnectionID, Order: order.OrderNo, Wanted: order.Wanted, Asked: order.Asked})
		}))
	}
	return err
}

// seed marks the orders for their first export that were open before the connection was in use. Orders that are
// marked already stay as they are: their later changes are marked by whoever makes them.
func (s *Service) seed(ctx context.Context, connection q.FindUnseededConnectionsRow) error {
	for {
		var marked int64
		err := s.cells.InTenant(ctx, connection.TenantID, func(tx pgx.Tx) (err error) {
			queries := q.New(tx)
			marked, err = queries.SeedExchange(ctx, q.SeedExchangeParams{TenantID: connection.TenantID,
				WorkspaceID: connection.WorkspaceID, ConnectionID: connection.ID, Most: seededAtOnce})
			if err != nil || marked > 0 {
				return err
			}
			return queries.NoteSeeded(ctx, q.NoteSeededParams{TenantID: connection.TenantID, ID: connection.ID})
		})
		if err != nil || marked == 0 {
			return err
		}
	}
}

// Work compares the order of a job, unless it is no longer due. It returns after which pause the job comes back,
// or 0: an order that waits for its turn gets a new job when it is due.
func (s *Service) Work(ctx context.Context, task Job) (pause time.Duration, err error) {
	due := false
	err = s.cells.InTenant(ctx, task.Tenant, func(tx pgx.Tx) error {
		found, err := q.New(tx).GetExchange(ctx,
			q.GetExchangeParams{TenantID: task.Tenant, ConnectionID: task.Connection, OrderNo: task.Order})
		due = found.Due
		return err
	})
	if missing(err) || err == nil && !due {
		return 0, nil // the company was removed, or another job has compared it
	}
	if err != nil {
		return 0, err
	}
	// No day begins or ends in a comparison.
	by := auth.Connection(task.Tenant, task.Workspace, task.Connection, time.UTC)
	_, err = s.Sync(ctx, by, task.Connection, task.Order)
	switch {
	case fault.HasCode(err, CodeBusy):
		return busyPause, nil
	case fault.HasCode(err, "connection_inactive"), fault.Is(err, fault.NotFound):
		return 0, nil // it is due again when the connection is in use
	}
	return 0, err
}
