package unknown

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/job"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
)

// BackfillStatus is the state of a backfill.
type BackfillStatus string

// The statuses of a backfill.
const (
	Queued    BackfillStatus = "queued"
	Running   BackfillStatus = "running"
	Cancelled BackfillStatus = "cancelled"
	Done      BackfillStatus = "done"
	Broken    BackfillStatus = "failed" // it could not continue; the message says why
)

// Backfill fills a column from the values that are still kept, in the background. Every value that is found is counted
// once.
type Backfill struct {
	ID         uuid.UUID
	Slug       string
	Field      string // as it was sent
	Column     string
	Status     BackfillStatus
	Cancelling bool // it will stop after its present batch
	By         auth.Actor
	Total      int64 // kept values and failed imports to look at, when it was started
	Counts
	Refusals   []Refusal // the first ones
	Message    string
	CreatedAt  time.Time
	StartedAt  *time.Time
	FinishedAt *time.Time
}

// Counts say what became of the values.
type Counts struct {
	Filled     int64
	AlreadySet int64 // somebody has set the column since it was made
	Gone       int64 // there is no such record
	Refused    int64 // the column does not take the value
	Empty      int64 // there is no value
	Waiting    int64 // open failed imports, which bring the value when they are retried
	Without    int64 // failed imports that do not have the field
}

// Looked returns how many kept values and failed imports were looked at.
func (c Counts) Looked() int64 {
	return c.Filled + c.AlreadySet + c.Gone + c.Refused + c.Empty + c.Waiting + c.Without
}

// Refusal is a value that the column does not take.
type Refusal struct {
	RecordKey string `json:"record_key"`
	Message   string `json:"message"`
}

// BackfillJob is the background job that works on a backfill.
type BackfillJob struct {
	job.For
	Backfill uuid.UUID `json:"backfill"`
}

// Kind names the job.
func (BackfillJob) Kind() string { return "backfill" }

// InsertOpts says how it is enqueued.
func (BackfillJob) InsertOpts() river.InsertOpts { return job.In(job.Backfills) }

// Start fills a column that was made for a field, in this workspace. It can be started again: values that are there
// stay.
func (s *Service) Start(ctx context.Context, by auth.Principal, slug, field, column string) (Backfill, error) {
	if err := by.Require(auth.DefineTables); err != nil {
		return Backfill{}, err
	}
	table, err := s.tables.Reload(ctx, by.Tenant, slug)
	if err != nil {
		return Backfill{}, err
	}
	if err := ingest.Fillable(table, column); err != nil {
		return Backfill{}, err
	}
	if !countable(field) {
		return Backfill{}, errUnknownField(slug, field)
	}
	if err := s.meter.Flush(ctx); err != nil { // what this instance has seen until now belongs to it
		return Backfill{}, err
	}
	id := uuid.Must(uuid.NewV7())
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		made, err := queries.MarkUnknownFieldMade(ctx, q.MarkUnknownFieldMadeParams{TenantID: by.Tenant,
			WorkspaceID: by.Workspace, Slug: slug, Name: field, ColumnName: column})
		if err != nil {
			return err
		}
		if made == 0 {
			return errUnknownField(slug, field)
		}
		total, err := queries.CountBackfill(ctx, q.CountBackfillParams{TenantID: by.Tenant, WorkspaceID: by.Workspace,
			Slug: slug, Field: field})
		if err != nil {
			return err
		}
		err = queries.InsertBackfill(ctx, q.InsertBackfillParams{TenantID: by.Tenant, ID: id, WorkspaceID: by.Workspace,
			Slug: slug, Field: field, ColumnName: column, Actor: by.Actor.JSON(), Total: total})
		if err != nil {
			return err
		}
		data := audit.Data{"table": slug, "field": field, "column": column, "total": total}
		if err := audit.Record(ctx, tx, by, "backfill.started", id.String(), data); err != nil {
			return err
		}
		return pg.Enqueue(ctx, tx, BackfillJob{job.For{Tenant: by.Tenant, Workspace: by.Workspace, Person: by.Person}, id})
	})
	if err != nil {
		return Backfill{}, err
	}
	return s.Backfill(ctx, by, id)
}

// Backfill returns one backfill.
func (s *Service) Backfill(ctx context.Context, by auth.Principal, id uuid.UUID) (one Backfill, err error) {
	if err := by.Require(auth.Read); err != nil {
		return Backfill{}, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		row, err := q.New(tx).GetBackfill(ctx, q.GetBackfillParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ID: id})
		if err != nil {
			return err
		}
		one, err = toBackfill(row)
		return err
	})
	if fault.Is(err, fault.NotFound) {
		return Backfill{}, fault.New(fault.NotFound, "unknown_backfill", "there is no backfill with the id %s", id)
	}
	return one, err
}

// Backfills returns backfills, the newest first. An empty slug means those of all tables.
func (s *Service) Backfills(ctx context.Context, by auth.Principal, slug string, want page.Request) (
	all []Backfill, more bool, err error) {
	if err := by.Require(auth.Read); err != nil {
		return nil, false, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		rows, err := q.New(tx).ListBackfills(ctx, q.ListBackfillsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace,
			Before: want.Before(), Slug: slug, Most: want.Limit()})
		rows, more = page.Cut(want, rows)
		for _, row := range rows {
			one, err := toBackfill(row)
			if err != nil {
				return err
			}
			all = append(all, one)
		}
		return err
	})
	return all, more, err
}

// Cancel stops a backfill. What was filled by then stays filled.
func (s *Service) Cancel(ctx context.Context, by auth.Principal, id uuid.UUID) (Backfill, error) {
	if err := by.Require(auth.DefineTables); err != nil {
		return Backfill{}, err
	}
	err := s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		changed, err := q.New(tx).CancelBackfill(ctx,
			q.CancelBackfillParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ID: id})
		if err != nil || changed == 0 { // it has already ended
			return err
		}
		return audit.Record(ctx, tx, by, "backfill.cancelled", id.String(), nil)
	})
	if err != nil {
		return Backfill{}, err
	}
	return s.Backfill(ctx, by, id)
}

func toBackfill(row q.WorkspaceBackfill) (Backfill, error) {
	one := Backfill{
		ID: row.ID, Slug: row.Slug, Field: row.Field, Column: row.ColumnName, Status: BackfillStatus(row.Status),
		Cancelling: row.CancelAsked && row.FinishedAt == nil, Total: row.Total,
		Counts: Counts{Filled: row.Filled, AlreadySet: row.AlreadySet, Gone: row.Gone, Refused: row.Refused,
			Empty: row.Empty, Waiting: row.Waiting, Without: row.Without},
		Message: row.Message, CreatedAt: row.CreatedAt, StartedAt: row.StartedAt, FinishedAt: row.FinishedAt,
	}
	return one, errors.Join(json.Unmarshal(row.Actor, &one.By), json.Unmarshal(row.Refusals, &one.Refusals))
}
