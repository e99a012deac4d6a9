package failed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/job"
	"github.com/quayside/quayside/internal/mend"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/telemetry"
)

// Plan says which open failures are to be retried at once, and how.
type Plan struct {
	Filter    Filter
	Fixes     []mend.Fix // made to every payload, in this order
	Overwrite bool       // overwrite rows that were changed after the failure
}

// Keep says that the fixes of a plan are kept as rules for records to come.
type Keep struct {
	Key *uuid.UUID // whose records; nil: those of every key
}

// BulkStatus is the state of a bulk retry.
type BulkStatus string

// The statuses of a bulk retry.
const (
	Queued    BulkStatus = "queued"
	Running   BulkStatus = "running"
	Cancelled BulkStatus = "cancelled"
	Done      BulkStatus = "done"
	Broken    BulkStatus = "failed" // it could not continue; the message says why
)

// Bulk is a retry of many failures, made in the background.
type Bulk struct {
	ID         uuid.UUID
	Status     BulkStatus
	Cancelling bool // it will stop after its present batch
	Plan       Plan
	By         auth.Actor
	Total      int64 // failures that matched at the start
	Succeeded  int64
	Refused    int64 // refused again, and still open
	Newer      int64 // not retried: their rows were changed after the failure
	Skipped    int64 // stored or closed by others meanwhile, or closed because newer deliveries are stored
	Message    string
	CreatedAt  time.Time
	StartedAt  *time.Time
	FinishedAt *time.Time
}

// BulkJob is the background job that works on a bulk retry.
type BulkJob struct {
	job.For
	Bulk uuid.UUID `json:"bulk"`
}

// Kind names the job.
func (BulkJob) Kind() string { return "bulk_retry" }

// InsertOpts says how it is enqueued.
func (BulkJob) InsertOpts() river.InsertOpts { return job.In(job.Retries) }

const mostPreviewed = 20

// Sample is one failure of a plan, before and after its fixes.
type Sample struct {
	ID        uuid.UUID
	RecordKey *string
	Key       uuid.UUID // the API key that sent it; nil: none
	Before    []byte
	After     []byte
	Changed   bool
	Refusal   error // of a dry run with After; nil: it would be stored
}

// mayRetryMany refuses whoever may not correct any field of a record: a fix changes whatever it names, in thousands of records.
func mayRetryMany(by auth.Principal) error {
	if err := by.Require(auth.RetryFailures); err != nil {
		return err
	}
	return by.Require(auth.EditRecords)
}

// Preview counts the failures that match a plan, and returns the newest with their fixes.
func (s *Service) Preview(ctx context.Context, by auth.Principal, plan Plan) (
	count int64, samples []Sample, err error) {
	if err := mayRetryMany(by); err != nil {
		return 0, nil, err
	}
	if err := mend.Check(plan.Fixes); err != nil {
		return 0, nil, err
	}
	var rows []q.ListFailedPayloadsRow
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		counted, err := queries.CountBulkRetry(ctx,
			q.CountBulkRetryParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Filter: plan.Filter.json()})
		if err != nil {
			return err
		}
		count = counted.Failures
		rows, err = queries.ListFailedPayloads(ctx, q.ListFailedPayloadsParams{
			TenantID: by.Tenant, WorkspaceID: by.Workspace, Before: uuid.Max, Status: string(Open), Filter: plan.Filter.json(),
			Most: mostPreviewed,
		})
		return err
	})
	for _, row := range rows {
		sample := Sample{ID: row.ID, RecordKey: row.RecordKey, Key: row.KeyID, Before: row.Payload, After: row.Payload}
		if len(plan.Fixes) > 0 {
			sample.After, sample.Changed, sample.Refusal = mend.Payload(plan.Fixes, row.Payload)
		}
		if sample.Refusal == nil {
			_, sample.Refusal = s.records.Rehearse(ctx, by, row.Slug, sample.After,
				ingest.Terms{Sequence: row.Sequence, External: !sample.Changed && row.Actor == nil, Origin: origin(row.KeyID, row.Payload)})
		}
		samples = append(samples, sample)
	}
	return count, samples, err
}

// Start retries every open failure that matches in the background. If more than expected
// match by now, it starts nothing. If keep is given, the fixes are kept as rules too.
func (s *Service) Start(ctx context.Context, by auth.Principal, plan Plan, expected int64, keep *Keep) (Bulk, error) {
	if err := mayRetryMany(by); err != nil {
		return Bulk{}, err
	}
	if err := mend.Check(plan.Fixes); err != nil {
		return Bulk{}, err
	}
	if plan.Fixes == nil {
		plan.Fixes = []mend.Fix{}
	}
	fixes, err := json.Marshal(plan.Fixes)
	if err != nil {
		return Bulk{}, fmt.Errorf("fixes: %w", err)
	}
	id := uuid.Must(uuid.NewV7())
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		found, err := queries.CountBulkRetry(ctx,
			q.CountBulkRetryParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Filter: plan.Filter.json()})
		if err != nil {
			return err
		}
		switch {
		case found.Failures == 0:
			return fault.New(fault.Conflict, "none_match", "no open failed import matches; there is nothing to retry")
		case found.Failures > expected:
			return fault.New(fault.Conflict, "more_match", "%d open failed imports match by now, not %d; look again, then start",
				found.Failures, expected)
		}
		last, err := uuid.Parse(found.LastID)
		if err != nil {
			return err
		}
		err = queries.InsertBulkRetry(ctx, q.InsertBulkRetryParams{
			TenantID: by.Tenant, ID: id, WorkspaceID: by.Workspace, Filter: plan.Filter.json(), Fixes: fixes,
			Overwrite: plan.Overwrite,
			Actor:     by.Actor.JSON(), RequestID: telemetry.RequestID(ctx), Total: found.Failures, LastID: last,
		})
		if err != nil {
			return err
		}
		data := audit.Data{"filter": plan.Filter, "fixes": len(plan.Fixes), "overwrite": plan.Overwrite,
			"total": found.Failures}
		if err := audit.Record(ctx, tx, by, "bulk_retry.started", id.String(), data); err != nil {
			return err
		}
		if keep != nil {
			if _, err := keepIn(ctx, tx, by, plan, *keep, &id); err != nil {
				return err
			}
		}
		return pg.Enqueue(ctx, tx, BulkJob{job.For{Tenant: by.Tenant, Workspace: by.Workspace, Person: by.Person}, id})
	})
	if err != nil {
		return Bulk{}, err
	}
	return s.Bulk(ctx, by, id)
}

// Bulk returns one bulk retry.
func (s *Service) Bulk(ctx context.Context, by auth.Principal, id uuid.UUID) (bulk Bulk, err error) {
	if err := by.Require(auth.ReadFailures); err != nil {
		return Bulk{}, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		row, err := q.New(tx).GetBulkRetry(ctx, q.GetBulkRetryParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ID: id})
		if err != nil {
			return err
		}
		bulk, err = toBulk(row)
		return err
	})
	if fault.Is(err, fault.NotFound) {
		return Bulk{}, fault.New(fault.NotFound, "unknown_bulk_retry", "there is no bulk retry with the id %s", id)
	}
	return bulk, err
}

// Bulks returns bulk retries, the newest first.
func (s *Service) Bulks(ctx context.Context, by auth.Principal, want page.Request) (
	bulks []Bulk, more bool, err error) {
	if err := by.Require(auth.ReadFailures); err != nil {
		return nil, false, err
	}
	params := q.ListBulkRetriesParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Before: want.Before(),
		Most: want.Limit()}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		rows, err := q.New(tx).ListBulkRetries(ctx, params)
		rows, more = page.Cut(want, rows)
		for _, row := range rows {
			bulk, err := toBulk(row)
			if err != nil {
				return err
			}
			bulks = append(bulks, bulk)
		}
		return err
	})
	return bulks, more, err
}

// Cancel stops a bulk retry. What was stored by then stays stored.
func (s *Service) Cancel(ctx context.Context, by auth.Principal, id uuid.UUID) (Bulk, error) {
	if err := by.Require(auth.RetryFailures); err != nil {
		return Bulk{}, err
	}
	err := s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		changed, err := q.New(tx).CancelBulkRetry(ctx,
			q.CancelBulkRetryParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ID: id})
		if err != nil || changed == 0 { // it has already ended
			return err
		}
		return audit.Record(ctx, tx, by, "bulk_retry.cancelled", id.String(), nil)
	})
	if err != nil {
		return Bulk{}, err
	}
	return s.Bulk(ctx, by, id)
}

func toBulk(row q.WorkspaceBulkRetry) (Bulk, error) {
	bulk := Bulk{
		ID: row.ID, Status: BulkStatus(row.Status), Cancelling: row.CancelAsked && row.FinishedAt == nil,
		Plan:  Plan{Overwrite: row.Overwrite},
		Total: row.Total, Succeeded: row.Succeeded, Refused: row.Refused, Newer: row.Newer, Skipped: row.Skipped,
		Message:   row.Message,
		CreatedAt: row.CreatedAt, StartedAt: row.StartedAt, FinishedAt: row.FinishedAt,
	}
	return bulk, errors.Join(
		json.Unmarshal(row.Filter, &bulk.Plan.Filter),
		json.Unmarshal(row.Fixes, &bulk.Plan.Fixes),
		json.Unmarshal(row.Actor, &bulk.By),
	)
}
