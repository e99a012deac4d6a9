// Package forecast keeps the demand of articles: what package demand computes from their sales,
// stored for whoever reads it, and the log of what was forecast.
//
// All articles of a workspace are computed together once a day, and an article whose sales
// changed is computed alone within seconds. What the articles of a family share (its prior, its
// season and the season's strength) is computed only with all articles: a single article is
// computed with the family's stored values. If that changed a figure, all articles are computed
// again within the hour. A computation of all articles depends only on the sales, the families and
// the log, and not on what was stored before.
//
// A figure as of a day uses only the days before it. The log holds what was known at its
// origins, and is never rewritten.
//
// An article whose stored data makes its figures impossible is left out and has no figures; why
// is stored in their place. It neither stops nor bends the figures of the others.
package forecast

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/retry"
)

const (
	// staleFor is how long the values of families may be behind those of single articles.
	staleFor = time.Hour
	// chunk is the number of articles that are read or written at once. A transaction that
	// writes one takes well below a second: readers of the outbox wait for the oldest one.
	chunk = 2000
	// updatedAtOnce is the number of marked articles of one transaction. It is smaller, because
	// whoever marks one of them again waits for the transaction.
	updatedAtOnce = 500
)

// Service computes and stores demand.
type Service struct {
	cells  *pg.Cells
	log    *slog.Logger
	pauses retry.Pauses[place] // of workspaces whose computation failed
}

// New returns the service.
func New(cells *pg.Cells, log *slog.Logger) *Service { return &Service{cells: cells, log: log} }

// place is one workspace.
type place struct{ tenant, workspace uuid.UUID }

// Mark notes, in the transaction that writes the sales of articles or their families, that their
// demand must be computed again. After the commit, the caller calls Update. If it does not,
// Daily does.
func Mark(ctx context.Context, tx pgx.Tx, tenant, workspace uuid.UUID, products []string) error {
	products = slices.Clone(products)
	slices.Sort(products) // all transactions lock marks in the same order
	return q.New(tx).MarkForecasts(ctx, q.MarkForecastsParams{
		TenantID: tenant, WorkspaceID: workspace, Products: slices.Compact(products),
	})
}

// Update computes the marked articles of a workspace again, with the stored values of their
// families and as of the day of the last computation of all articles. It does nothing while
// another computation of the workspace runs, or before the first one: the marks stay, and the
// next call takes them.
func (s *Service) Update(ctx context.Context, tenant, workspace uuid.UUID) error {
	at := place{tenant, workspace}
	for {
		taken := 0
		alone, err := s.alone(ctx, at, func(tx pgx.Tx) (err error) {
			taken, err = s.update(ctx, tx, at)
			return err
		})
		if err != nil || !alone || taken < updatedAtOnce {
			return err
		}
	}
}

// Compute computes the demand of all articles of a workspace as of a day, and stores it. It
// reads the log, and adds nothing to it. It fails while another computation of the workspace
// runs.
func (s *Service) Compute(ctx context.Context, tenant, workspace uuid.UUID, asOf demand.Day) error {
	at := place{tenant, workspace}
	alone, err := s.alone(ctx, at, func(pgx.Tx) error {
		return s.compute(ctx, at, asOf, time.Now(), false)
	})
	if err == nil && !alone {
		return fault.New(fault.Unavailable, "forecast_running", "the demand of this workspace is being computed")
	}
	return err
}

// Daily computes all articles of every workspace where a day has passed since the last time, or
// where that was an hour ago and single articles changed since. It adds the origins that have
// passed to the log, and fills in the outcomes of forecasts whose days are over. Last, it
// computes articles that are still marked. Any number of instances may call it at any time:
// what one of them works on, the others leave out. A workspace that fails does not stop the
// others, and is tried again after longer and longer pauses.
func (s *Service) Daily(ctx context.Context, now time.Time) error {
	var due []q.FindDueForecastsRow
	// Crosses tenants: it reads what is due, and then acts as each tenant.
	err := s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		due, err = q.New(tx).FindDueForecasts(ctx, q.FindDueForecastsParams{Now: now, StaleBefore: now.Add(-staleFor)})
		return err
	})
	for _, row := range due {
		if ctx.Err() != nil {
			break
		}
		at := place{row.TenantID, row.WorkspaceID}
		err = errors.Join(err, s.pauses.Try(at, func() error { return s.computeDue(ctx, at, now) }))
	}
	var marked []q.FindMarkedForecastsRow
	// Crosses tenants, as above.
	err = errors.Join(err, s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		marked, err = q.New(tx).FindMarkedForecasts(ctx)
		return err
	}))
	for _, row := range marked {
		if ctx.Err() != nil {
			break
		}
		err = errors.Join(err, s.Update(ctx, row.TenantID, row.WorkspaceID))
	}
	return err
}

// computeDue computes a workspace, unless another instance does or has just done it.
func (s *Service) computeDue(ctx context.Context, at place, now time.Time) error {
	_, err := s.alone(ctx, at, func(tx pgx.Tx) error {
		due, err := q.New(tx).FindDueForecasts(ctx, q.FindDueForecastsParams{
			Now: now, StaleBefore: now.Add(-staleFor), WorkspaceID: &at.workspace,
		})
		if err != nil || len(due) == 0 {
			return err
		}
		return s.compute(ctx, at, dayOf(due[0].Today), now, true)
	})
	return err
}

// alone runs fn in a transaction that keeps others from computing the workspace. If another one
// does so already, it does nothing and returns false. A panic becomes an error of this workspace.
func (s *Service) alone(ctx context.Context, at place, fn func(pgx.Tx) error) (alone bool, err error) {
	err = s.cells.InTenant(ctx, at.tenant, func(tx pgx.Tx) error {
		lock, err := q.New(tx).LockForecasts(ctx, at.workspace)
		if alone = lock.Alone; err != nil || !alone {
			return err
		}
		return fault.Recovered(func() error { return fn(tx) })
	})
	return alone, err
}
