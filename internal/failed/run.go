package failed

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/job"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/telemetry"
)

const bulkBatch = 200 // failures between two checks for a cancellation

// Run works for one job.Turn on a bulk retry, for the person who started it, and reports
// whether there is more to do. It may be called again after a crash at any point: every
// stored or refused retry has its attempt, so that nothing is tried twice. The bulk retry
// ends if that person may no longer retry imports.
func (s *Service) Run(ctx context.Context, by auth.Principal, id uuid.UUID) (more bool, err error) {
	return job.Run(ctx, &bulkRun{Service: s, by: by, id: id})
}

// bulkRun is a bulk retry under way.
type bulkRun struct {
	*Service
	by   auth.Principal
	id   uuid.UUID
	row  q.WorkspaceBulkRetry
	plan Plan
}

// retrial is a failure of the present batch.
type retrial struct {
	q.NextInBulkRetryRow
	skipped bool // others have stored it, or something newer
}

// Begin reads the state of the bulk retry.
func (b *bulkRun) Begin(ctx context.Context) (job.State, error) {
	if refused := mayRetryMany(b.by); refused != nil {
		return job.Ended, job.Hopeless("who started it may no longer retry imports here")
	}
	err := b.cells.InTenant(ctx, b.by.Tenant, func(tx pgx.Tx) (err error) {
		b.row, err = q.New(tx).BeginBulkRetry(ctx,
			q.BeginBulkRetryParams{TenantID: b.by.Tenant, WorkspaceID: b.by.Workspace, ID: b.id})
		return err
	})
	switch {
	case fault.Is(err, fault.NotFound): // it has ended
		return job.Ended, nil
	case err != nil:
		return job.Ended, err
	case b.row.CancelAsked:
		return job.Cancelling, nil
	}
	bulk, err := toBulk(b.row)
	b.plan = bulk.Plan
	return job.Open, err
}

// Next returns the next failures, in the order in which they were last seen: a payload that
// was repeated counts as new.
func (b *bulkRun) Next(ctx context.Context) (batch []*retrial, err error) {
	err = b.cells.InTenant(ctx, b.by.Tenant, func(tx pgx.Tx) error {
		rows, err := q.New(tx).NextInBulkRetry(ctx, q.NextInBulkRetryParams{
			TenantID: b.by.Tenant, WorkspaceID: b.by.Workspace, CursorSeenAt: b.row.CursorSeenAt, Cursor: b.row.Cursor,
			LastID: b.row.LastID, Filter: b.row.Filter, BulkID: b.id, Most: bulkBatch,
		})
		for _, row := range rows {
			batch = append(batch, &retrial{NextInBulkRetryRow: row})
		}
		return err
	})
	return batch, err
}

// Order keeps the failures of one record in their order.
func (b *bulkRun) Order(r *retrial) string {
	if r.RecordKey == nil {
		return ""
	}
	return r.Slug + "\x00" + *r.RecordKey
}

// Deliver retries one failure. It is not done while somebody else retries the failure, or
// while the service is overloaded or has no database.
func (b *bulkRun) Deliver(ctx context.Context, r *retrial, _ int) (done bool, err error) {
	ctx = telemetry.WithRequestID(ctx, b.row.RequestID)
	outcome, _, err := b.retry(ctx, b.by, r.ID, Again{Fixes: b.plan.Fixes, Overwrite: b.plan.Overwrite, bulk: &b.id})
	r.skipped = fault.HasCode(err, errResolved.Code) || err == nil && outcome.Result == ingest.Stale
	switch {
	case r.skipped:
		return true, nil
	case fault.Is(err, fault.Conflict), fault.Is(err, fault.Unavailable):
		return false, nil
	}
	return err == nil, err
}

// Note moves the cursor up to the first failure that is not done. Later failures that are
// done have attempts, so Next does not return them again.
func (b *bulkRun) Note(ctx context.Context, batch []*retrial, done []bool) error {
	progress := q.AdvanceBulkRetryParams{
		TenantID: b.by.Tenant, ID: b.id, FromSeenAt: b.row.CursorSeenAt, FromCursor: b.row.Cursor,
		CursorSeenAt: b.row.CursorSeenAt, Cursor: b.row.Cursor,
	}
	for _, r := range batch[:allDone(done)] {
		progress.CursorSeenAt, progress.Cursor = r.LastSeenAt, r.ID
		if r.skipped {
			progress.Skipped++
		}
	}
	return b.cells.InTenant(ctx, b.by.Tenant, func(tx pgx.Tx) error {
		advanced, err := q.New(tx).AdvanceBulkRetry(ctx, progress)
		if err == nil && advanced == 0 {
			return job.ErrOvertaken
		}
		return err
	})
}

// End ends the bulk retry, with its final counts.
func (b *bulkRun) End(ctx context.Context, how job.End, message string) error {
	status := map[job.End]BulkStatus{job.Done: Done, job.Cancelled: Cancelled, job.Broken: Broken}[how]
	return b.cells.InTenant(ctx, b.by.Tenant, func(tx pgx.Tx) error {
		return q.New(tx).EndBulkRetry(ctx,
			q.EndBulkRetryParams{TenantID: b.by.Tenant, ID: b.id, Status: string(status), Message: message})
	})
}

// allDone returns how many are done before the first that is not. Those behind it are met again.
func allDone(done []bool) int {
	if first := slices.Index(done, false); first >= 0 {
		return first
	}
	return len(done)
}
