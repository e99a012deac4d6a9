package failed

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/telemetry"
)

// Run works on a bulk retry for the person who started it, for a while, and says whether
// there is more to do. It may be called again after a crash at any point: what is stored
// is resolved, and what was refused has its attempt on record, so that nothing is tried
// twice. A person who may no longer retry ends it.
func (s *Service) Run(ctx context.Context, by auth.Principal, id uuid.UUID) (more bool, err error) {
	if refused := by.Require(auth.RetryFailures); refused != nil {
		return false, s.end(ctx, by, id, Broken, "who started it may no longer retry imports here")
	}
	for until := time.Now().Add(pg.JobSlice); time.Now().Before(until) && ctx.Err() == nil; {
		bulk, found, err := s.begin(ctx, by, id)
		switch {
		case err != nil || !found:
			return false, err
		case bulk.CancelAsked:
			return false, s.end(ctx, by, id, Cancelled, "")
		}
		ids, err := s.nextOf(ctx, by, bulk)
		switch {
		case err != nil:
			return false, err
		case len(ids) == 0:
			return false, s.end(ctx, by, id, Done, "")
		}
		err = s.retryAll(telemetry.WithRequestID(ctx, bulk.RequestID), by, bulk, ids)
		if err != nil && ctx.Err() == nil {
			return false, err
		}
	}
	return true, nil
}

// begin reads where the bulk retry stands. One that has ended is not found.
func (s *Service) begin(ctx context.Context, by auth.Principal, id uuid.UUID) (bulk q.WorkspaceBulkRetry, found bool, err error) {
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) (err error) {
		bulk, err = q.New(tx).BeginBulkRetry(ctx, q.BeginBulkRetryParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ID: id})
		return err
	})
	if fault.Is(err, fault.NotFound) {
		return bulk, false, nil
	}
	return bulk, err == nil, err
}

func (s *Service) nextOf(ctx context.Context, by auth.Principal, bulk q.WorkspaceBulkRetry) (ids []uuid.UUID, err error) {
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) (err error) {
		ids, err = q.New(tx).NextInBulkRetry(ctx, q.NextInBulkRetryParams{
			TenantID: by.Tenant, WorkspaceID: by.Workspace, Cursor: bulk.Cursor, LastID: bulk.LastID, Filter: bulk.Filter, BulkID: bulk.ID, Most: bulkBatch,
		})
		return err
	})
	return ids, err
}

// retryAll retries some failures, several at once, and notes how far it came. A fault
// of ours stops it before the note: they come again.
func (s *Service) retryAll(ctx context.Context, by auth.Principal, row q.WorkspaceBulkRetry, ids []uuid.UUID) error {
	bulk, err := toBulk(row)
	if err != nil {
		return err
	}
	var skipped atomic.Int64
	group, inGroup := errgroup.WithContext(ctx)
	group.SetLimit(bulkConcurrent)
	for _, id := range ids {
		group.Go(func() error {
			if inGroup.Err() != nil {
				return inGroup.Err()
			}
			_, _, err := s.retry(inGroup, by, id, Again{Fixes: bulk.Plan.Fixes, Overwrite: bulk.Plan.Overwrite, bulk: &bulk.ID})
			if fault.Is(err, fault.Conflict) { // somebody else is at it, or was
				skipped.Add(1)
				return nil
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		return q.New(tx).AdvanceBulkRetry(ctx, q.AdvanceBulkRetryParams{TenantID: by.Tenant, ID: bulk.ID, Cursor: ids[len(ids)-1], Skipped: skipped.Load()})
	})
}

func (s *Service) end(ctx context.Context, by auth.Principal, id uuid.UUID, status BulkStatus, message string) error {
	return s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		// An earlier run may have died before it counted.
		if err := queries.AdvanceBulkRetry(ctx, q.AdvanceBulkRetryParams{TenantID: by.Tenant, ID: id, Cursor: uuid.Max}); err != nil {
			return err
		}
		return queries.EndBulkRetry(ctx, q.EndBulkRetryParams{TenantID: by.Tenant, ID: id, Status: string(status), Message: message})
	})
}
