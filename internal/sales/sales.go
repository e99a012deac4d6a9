// Package sales keeps the sales of every workspace by article, day, week and customer, and a series
// of weeks for each article. The computed views read these.
//
// All of it follows from orders, lines, products and stock history, and depends on no clock, but that
// counts of stock in the future are passed over. Sales that cannot be true are in no figure. A
// reader of the outbox marks the records that changed; the figures that depend on a marked
// record are then computed again from the rows below them, never added to. So it does not matter
// how often or in which order changes are seen, and a rebuild is nothing but all records marked.
package sales

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/event"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/forecast"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/retry"
)

const (
	orders   = "orders"
	lines    = "order_line_items"
	products = "products"
	// customers are marked by an article that they bought, not by the outbox.
	customers = "customers"

	// readAtOnce is how many events are read, and marked, in one go.
	readAtOnce = 5000
	// computedAtOnce is how many marked records are computed in one transaction. A transaction
	// holds up the readers of the outbox, so it is kept short.
	computedAtOnce = 2000
	// rebuiltAtOnce is the same for a rebuild.
	rebuiltAtOnce = 5000
	// customersAtOnce is the same for customers, who have many orders each.
	customersAtOnce = 500

	catchUpPause = 10 * time.Millisecond

	// While others write, a backlog is computed for a fifth of the time: after each round there is
	// a rest of so many times its length, or of longestRest.
	restPerRound = 4
	longestRest  = 10 * time.Second
)

// Service keeps sales.
type Service struct {
	cells     *pg.Cells
	outbox    *event.Reader
	forecasts *forecast.Service
	pauses    retry.Pauses[work]
	readTo    atomic.Int64 // whatever was stored before is in all figures; in nanoseconds since 1970
}

// work is what may fail in a workspace.
type work struct {
	tenant, workspace uuid.UUID
	what              string
}

// The kinds of work.
const (
	workSales  = "sales"
	workDemand = "demand"
)

// New returns the service. Events are kept for the given number of days.
func New(cells *pg.Cells, forecasts *forecast.Service) *Service {
	s := &Service{cells: cells, outbox: event.NewReader(cells, "sales"), forecasts: forecasts}
	s.readTo.Store(time.Now().UnixNano())
	return s
}

// Observe registers the gauge of how far the figures are behind.
func (s *Service) Observe(gauge func(name, help string, read func() float64)) {
	gauge("quayside_sales_lag_seconds", "Age of the oldest stored record that may be missing in the sales figures.",
		func() float64 { return time.Since(time.Unix(0, s.readTo.Load())).Seconds() })
}

// Keep computes the figures of everything that changed since the last call, in all workspaces.
// A backlog waits for those who write: see rest. The gauge shows how far it is behind. A workspace
// that fails does not stop the others, and is tried again after longer and longer pauses.
func (s *Service) Keep(ctx context.Context) (err error) {
	for {
		began := time.Now()
		more, busy, failed := s.round(ctx, &s.pauses)
		if err = errors.Join(err, failed); !more {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rest(time.Since(began), busy)):
		}
	}
}

// rest returns the pause after a round of a backlog. Computing competes with those who write for
// processors and for the log of transactions; as soon as nobody writes, there is no pause.
func rest(round time.Duration, busy bool) time.Duration {
	if !busy {
		return 0
	}
	return min(restPerRound*round, longestRest)
}

// Round does a bounded amount of work for each workspace that has some, and reports whether
// there is more. Several instances may call it at once.
func (s *Service) Round(ctx context.Context) (more bool, err error) {
	more, _, err = s.round(ctx, &retry.Pauses[work]{}) // it leaves out no workspace
	return more, err
}

// round is Round, and also reports whether others write. Workspaces that failed are left alone during
// their pauses.
func (s *Service) round(ctx context.Context, pauses *retry.Pauses[work]) (more, busy bool, err error) {
	batch, err := s.outbox.Next(ctx, readAtOnce)
	if err != nil {
		return false, false, err
	}
	if err := s.mark(ctx, batch.Changes); err != nil {
		return false, false, err
	}
	if err := s.outbox.Advance(ctx, batch); err != nil {
		return false, false, err
	}
	var changed []q.SalesWorkRow
	// Crosses tenants: it looks for workspaces with something to compute, and computes each as
	// its tenant.
	if err := s.cells.InSystem(ctx, func(tx pgx.Tx) error {
		changed, err = q.New(tx).SalesWork(ctx, batch.BeganAt)
		return err
	}); err != nil {
		return false, false, err
	}
	more = batch.More
	readTo := batch.ReadTo
	for _, w := range changed {
		if w.Oldest.Before(readTo) {
			readTo = w.Oldest
		}
	}
	s.readTo.Store(readTo.UnixNano())
	for _, w := range changed {
		left := false
		at := work{w.TenantID, w.WorkspaceID, workSales}
		failed := pauses.Try(at, func() error {
			return fault.Recovered(func() (err error) {
				left, err = s.compute(ctx, w.TenantID, w.WorkspaceID, batch.BeganAt)
				return err
			})
		})
		more = more || left && failed == nil
		if failed == nil && !left {
			at.what = workDemand
			failed = pauses.Try(at, func() error { return s.forecasts.Update(ctx, w.TenantID, w.WorkspaceID) })
		}
		err = errors.Join(err, failed) // the others are computed all the same
	}
	if more {
		err = errors.Join(err, s.analyze(ctx))
	}
	return more, batch.Busy, err
}

// analyze tells the planner about tables that a backlog has made much larger.
func (s *Service) analyze(ctx context.Context) error {
	// Crosses tenants: tables hold all of them. It reads and writes no row.
	return s.cells.InSystem(ctx, func(tx pgx.Tx) error {
		_, err := q.New(tx).AnalyzeSales(ctx)
		return err
	})
}

// mark notes the records whose figures have to be computed again.
func (s *Service) mark(ctx context.Context, changes []event.Change) error {
	var marks q.MarkSalesChangedParams
	var tenants []uuid.UUID
	seen := map[uuid.UUID]bool{}
	for _, c := range changes {
		if c.Slug != orders && c.Slug != lines && c.Slug != products {
			continue
		}
		if !seen[c.Tenant] {
			seen[c.Tenant] = true
			tenants = append(tenants, c.Tenant)
		}
		marks.Tenants = append(marks.Tenants, c.Tenant)
		marks.Workspaces = append(marks.Workspaces, c.Workspace)
		marks.Slugs = append(marks.Slugs, c.Slug)
		marks.Records = append(marks.Records, c.Record)
		marks.Changed = append(marks.Changed, c.At)
	}
	if len(tenants) == 0 {
		return nil
	}
	return s.cells.InTenants(ctx, tenants, func(tx pgx.Tx) error { return q.New(tx).MarkSalesChanged(ctx, marks) })
}

// figuresReadTo returns the time before which whatever was stored is in the figures of a workspace, the
// current time, and whether all of its figures are still to be computed again.
func (s *Service) figuresReadTo(ctx context.Context, tenant, workspace uuid.UUID) (row q.SalesStateRow, err error) {
	err = s.cells.InTenant(ctx, tenant, func(tx pgx.Tx) error {
		row, err = q.New(tx).SalesState(ctx, q.SalesStateParams{TenantID: tenant, WorkspaceID: workspace})
		return err
	})
	return row, err
}

// State says how current the figures of a workspace are, and what is missing in them.
type State struct {
	ReadTo      time.Time  // whatever was stored before is in the figures; zero if nothing was computed yet
	Computing   bool       // all figures are being computed, so some may be missing or old
	DemandAsOf  string     // the day as of which demand was computed; empty: never
	DemandAt    *time.Time // when the demand of all articles was computed
	Unmatched   int64      // lines that match no article: they are in totals only
	Unconverted int64      // lines without a rate: they are in no amount
	LeftOut     int64      // lines that cannot be true: they are in no figure; it stops at MostLeftOut
	Currencies  []string   // those of the newest lines without a rate
}

// MostLeftOut stands for this number of lines or more.
const MostLeftOut = 10_000

// State returns the state of the caller's workspace.
func (s *Service) State(ctx context.Context, by auth.Principal) (state State, err error) {
	if err := by.Require(auth.Read); err != nil {
		return state, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		in := q.New(tx)
		read, err := in.SalesState(ctx, q.SalesStateParams{TenantID: by.Tenant, WorkspaceID: by.Workspace})
		if errors.Is(err, pgx.ErrNoRows) { // the keeper of sales has not begun
			read.Rebuilding, err = true, nil
		}
		if err != nil {
			return err
		}
		gaps, err := in.SalesGaps(ctx, q.SalesGapsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace})
		if err != nil {
			return err
		}
		state = State{ReadTo: read.ReadTo, Computing: read.Rebuilding, DemandAt: gaps.DemandComputedAt,
			Unmatched: gaps.Unmatched, Unconverted: gaps.Unconverted, LeftOut: gaps.LeftOut}
		if gaps.DemandAsOf.Valid {
			state.DemandAsOf = gaps.DemandAsOf.Time.Format(time.DateOnly)
		}
		if gaps.Unconverted > 0 {
			state.Currencies, err = in.UnconvertedCurrencies(ctx, q.UnconvertedCurrenciesParams{TenantID: by.Tenant, WorkspaceID: by.Workspace})
		}
		return err
	})
	return state, err
}

// CatchUp works until the figures of a workspace contain everything that was stored before the
// call. It does not pause for others, and waits for transactions that are open.
func (s *Service) CatchUp(ctx context.Context, tenant, workspace uuid.UUID) error {
	var from time.Time
	for {
		more, err := s.Round(ctx)
		if err != nil {
			return err
		}
		if more {
			continue
		}
		state, err := s.figuresReadTo(ctx, tenant, workspace)
		if err != nil {
			return err
		}
		if from.IsZero() {
			from = state.Now
		}
		if state.ReadTo.After(from) && !state.Rebuilding {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(catchUpPause):
		}
	}
}

// RebuildAll computes all figures of all of a company's workspaces again, and returns how many
// workspaces there are.
func (s *Service) RebuildAll(ctx context.Context, tenant uuid.UUID) (workspaces int, err error) {
	var rows []q.ListWorkspacesRow
	if err := s.cells.InControl(ctx, tenant, func(tx pgx.Tx) error {
		rows, err = q.New(tx).ListWorkspaces(ctx, tenant)
		return err
	}); err != nil {
		return 0, err
	}
	for _, w := range rows {
		if err := s.Rebuild(ctx, tenant, w.ID); err != nil {
			return 0, err
		}
	}
	for _, w := range rows {
		if err := s.CatchUp(ctx, tenant, w.ID); err != nil {
			return 0, err
		}
	}
	return len(rows), nil
}

// Rebuild has all figures of a workspace computed again; Keep does it, step by step. The old
// figures stay until the new ones replace them.
func (s *Service) Rebuild(ctx context.Context, tenant, workspace uuid.UUID) error {
	return s.cells.InTenant(ctx, tenant, func(tx pgx.Tx) error {
		return q.New(tx).StartSalesRebuild(ctx, q.StartSalesRebuildParams{TenantID: tenant, WorkspaceID: workspace})
	})
}
