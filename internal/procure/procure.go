package procure

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/event"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/purchase"
	"github.com/quayside/quayside/internal/retry"
)

const (
	// readAtOnce is how many events are read, and marked, in one go.
	readAtOnce = 5000
	// chunk is how many articles are computed at once. A transaction that writes one takes well
	// below a second: readers of the outbox wait for the oldest one.
	chunk = 1000
	// updatedAtOnce is the number of marked articles of one transaction. It is smaller, because
	// whoever marks one of them again waits for the transaction.
	updatedAtOnce = 200

	catchUpPause = 10 * time.Millisecond
)

// Service keeps the queue: a row for each article, computed from stored demand, stock, open lines
// and the playbook.
//
// All rows of a workspace are computed together once a day, and whenever its demand or its rules
// were computed or changed as a whole. A reader of the outbox marks the articles that a changed
// record is about; marked articles are computed alone within seconds. A row depends on nothing
// that was stored of it before.
//
// An article whose data makes its row impossible has none; why is stored in its place. It does not
// stop the others. Nor does a workspace that fails: it is tried again after longer and longer pauses.
type Service struct {
	cells    *pg.Cells
	outbox   *event.Reader
	purchase *purchase.Service
	log      *slog.Logger
	pauses   retry.Pauses[work]
	previews chan struct{} // those under way
	patience time.Duration // of a preview
}

// New returns the service. Events are kept for the given number of days.
func New(cells *pg.Cells, lines *purchase.Service, log *slog.Logger) *Service {
	return &Service{cells: cells, outbox: event.NewReader(cells, "queue"), purchase: lines, log: log,
		previews: make(chan struct{}, mostPreviews), patience: previewTime}
}

// place is one workspace.
type place struct{ tenant, workspace uuid.UUID }

// work is what may fail in a workspace.
type work struct {
	place
	what string
}

// The kinds of work.
const (
	workMarked = "marked articles"
	workAll    = "all articles"
	workJudge  = "verdicts"
)

// Keep computes the rows of all articles that changed since the last call, in all workspaces. It
// works at most half of the time, so that a backlog leaves room for those who write.
func (s *Service) Keep(ctx context.Context) (err error) {
	for {
		began := time.Now()
		_, more, failed := s.round(ctx, &s.pauses)
		if err = errors.Join(err, failed); !more {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Since(began)):
		}
	}
}

// round reads a part of the outbox and computes marked articles. It returns a time before which
// everything that was committed is in the rows, unless there is more. Several instances may call
// it at once. Workspaces that failed are left alone during their pauses.
func (s *Service) round(ctx context.Context, pauses *retry.Pauses[work]) (readTo time.Time, more bool, err error) {
	batch, err := s.outbox.Next(ctx, readAtOnce)
	if err != nil {
		return readTo, false, err
	}
	if err := s.mark(ctx, batch.Changes); err != nil {
		return readTo, false, err
	}
	if err := s.outbox.Advance(ctx, batch); err != nil {
		return readTo, false, err
	}
	var marked []q.FindMarkedQueuesRow
	// Crosses tenants: it looks for workspaces with something to compute, and computes each as its
	// tenant.
	err = s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		marked, err = q.New(tx).FindMarkedQueues(ctx)
		return err
	})
	more = batch.More && err == nil
	for _, row := range marked {
		at := place{row.TenantID, row.WorkspaceID}
		err = errors.Join(err, pauses.Try(work{at, workMarked}, func() error {
			left, err := s.update(ctx, at)
			more = more || left
			return err // the others are computed all the same
		}))
	}
	return batch.ReadTo, more, err
}

// mark notes the articles that records are about.
func (s *Service) mark(ctx context.Context, changes []event.Change) error {
	var marks q.MarkQueueChangedParams
	var tenants []uuid.UUID
	seen := map[uuid.UUID]bool{}
	for _, c := range changes {
		if c.Slug != "products" && c.Slug != "suppliers" && c.Slug != "purchase_order_lines" {
			continue
		}
		if !seen[c.Tenant] {
			seen[c.Tenant] = true
			tenants = append(tenants, c.Tenant)
		}
		marks.Tenants = append(marks.Tenants, c.Tenant)
		marks.Slugs = append(marks.Slugs, c.Slug)
		marks.Records = append(marks.Records, c.Record)
	}
	if len(tenants) == 0 {
		return nil
	}
	return s.cells.InTenants(ctx, tenants, func(tx pgx.Tx) error { return q.New(tx).MarkQueueChanged(ctx, marks) })
}

// update computes some marked articles of a workspace, and reports whether there are more. It does
// nothing while another computation of the workspace runs: the marks stay.
func (s *Service) update(ctx context.Context, at place) (more bool, err error) {
	err = s.alone(ctx, at, func(tx pgx.Tx) error {
		more, err = s.computeMarked(ctx, tx, at)
		return err
	})
	return more && err == nil, err
}

// computeMarked computes some marked articles. Before the first computation of all articles, the
// marks stay.
func (s *Service) computeMarked(ctx context.Context, tx pgx.Tx, at place) (more bool, err error) {
	c, err := begin(ctx, tx, at)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && !c.settings.AsOf.Valid {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	c.asOf = dayOf(c.settings.AsOf)
	products, err := c.queries.TakeQueueMarks(ctx,
		q.TakeQueueMarksParams{TenantID: at.tenant, WorkspaceID: at.workspace, Most: updatedAtOnce})
	if err != nil || len(products) == 0 {
		return false, err
	}
	if err := c.prepare(ctx, tx); err != nil {
		return false, err
	}
	_, err = c.compute(ctx, tx, products)
	if len(c.uncomputed) > 0 {
		s.log.WarnContext(ctx, "articles that cannot be computed", "workspace", at.workspace, "articles", len(c.uncomputed))
	}
	return len(products) == updatedAtOnce, err
}

// Daily computes all articles of every workspace where that is due: a day has passed, or its
// demand or rules are others. Then it judges what was suggested. Any number of instances may call it at
// any time: what one of them works on, the others leave out.
func (s *Service) Daily(ctx context.Context, now time.Time) error {
	var due []q.FindDueQueuesRow
	// Crosses tenants: it reads what is due, and then acts as each tenant.
	err := s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		due, err = q.New(tx).FindDueQueues(ctx, q.FindDueQueuesParams{Now: now})
		return err
	})
	for _, row := range due {
		if ctx.Err() != nil {
			break
		}
		at := place{row.TenantID, row.WorkspaceID}
		err = errors.Join(err, s.pauses.Try(work{at, workAll}, func() error { return s.computeDue(ctx, at, now) }))
	}
	return errors.Join(err, s.judgeAll(ctx))
}

// computeDue computes a workspace, unless another instance does or has just done it.
func (s *Service) computeDue(ctx context.Context, at place, now time.Time) error {
	return s.alone(ctx, at, func(tx pgx.Tx) error {
		due, err := q.New(tx).FindDueQueues(ctx, q.FindDueQueuesParams{Now: now, WorkspaceID: &at.workspace})
		if err != nil || len(due) == 0 {
			return err
		}
		return s.computeAll(ctx, at, due[0], now)
	})
}

// computeAll computes all articles in transactions of their own, and then says so. Marks that were
// set meanwhile stay, because what they stand for may have come too late.
func (s *Service) computeAll(ctx context.Context, at place, due q.FindDueQueuesRow, now time.Time) error {
	began := time.Now()
	var products []string
	shared := &computation{}
	err := s.cells.InTenant(ctx, at.tenant, func(tx pgx.Tx) (err error) {
		if shared, err = begin(ctx, tx, at); err != nil {
			return err
		}
		shared.asOf = dayOf(due.Today)
		if err := shared.prepare(ctx, tx); err != nil {
			return err
		}
		products, err = shared.queries.ListQueueArticles(ctx,
			q.ListQueueArticlesParams{TenantID: at.tenant, WorkspaceID: at.workspace})
		return err
	})
	var written int64
	for from := 0; from < len(products) && err == nil; from += chunk {
		err = s.cells.InTenant(ctx, at.tenant, func(tx pgx.Tx) error {
			some := *shared
			some.queries = q.New(tx)
			if err := some.queries.PlanForecasts(ctx); err != nil {
				return err
			}
			n, err := some.compute(ctx, tx, products[from:min(from+chunk, len(products))])
			written += n
			return err
		})
	}
	if err != nil {
		return err
	}
	err = s.cells.InTenant(ctx, at.tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		_, err := queries.DropQueueRows(ctx, q.DropQueueRowsParams{TenantID: at.tenant, WorkspaceID: at.workspace})
		if err != nil {
			return err
		}
		return queries.SaveQueueState(ctx, q.SaveQueueStateParams{
			TenantID: at.tenant, WorkspaceID: at.workspace, AsOf: due.Today, ForecastsAt: due.ForecastsAt, ComputedAt: now,
			PlaybookRevision: shared.book.Revision,
		})
	})
	s.log.InfoContext(ctx, "queue computed", "workspace", at.workspace, "articles", len(products), "written", written,
		"not_computed", len(shared.uncomputed), "took", time.Since(began).Round(time.Millisecond))
	return err
}

// CatchUp works until the rows contain everything that was stored before the call. It does not
// pause for others, and waits for transactions that are open.
func (s *Service) CatchUp(ctx context.Context) error {
	from := time.Now()
	for {
		readTo, more, err := s.round(ctx, &retry.Pauses[work]{}) // it leaves out no workspace
		if err == nil && !more {
			err = s.Daily(ctx, time.Now())
		}
		if err != nil || !more && readTo.After(from) {
			return err
		}
		if more {
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(catchUpPause):
		}
	}
}

// alone runs fn in a transaction that keeps others from computing the workspace's queue. If another
// one does so already, it does nothing. A panic becomes an error of this workspace.
func (s *Service) alone(ctx context.Context, at place, fn func(pgx.Tx) error) error {
	return s.cells.InTenant(ctx, at.tenant, func(tx pgx.Tx) error {
		lock, err := q.New(tx).LockQueue(ctx, at.workspace)
		if err != nil || !lock.Alone {
			return err
		}
		return fault.Recovered(func() error { return fn(tx) })
	})
}
