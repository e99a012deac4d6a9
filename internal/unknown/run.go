package unknown

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/job"
	"github.com/quayside/quayside/internal/pg/q"
)

const (
	backfillBatch = 200 // values between two checks for a cancellation
	// mostRefusals is how many values are listed that the column does not take.
	mostRefusals = 20
)

// The results of an item besides those of ingest.Fill.
const (
	refused ingest.FillResult = "refused"
	waiting ingest.FillResult = "waiting"
	without ingest.FillResult = "without"
)

// errEnded rolls back the filling of a value if the backfill has ended meanwhile.
var errEnded = fault.New(fault.Stale, "backfill_ended", "this backfill has ended")

// Run works for one job.Turn on a backfill, for the person who started it, and reports whether there is more to do.
// It may be called again after a crash at any point: a value is counted as filled in the transaction that stores it.
//
// Kept values come first, because they were accepted. Then come the payloads of failed imports that were stored since,
// the newest first: of two payloads of one record, the newer one fills the column, and the other finds it set.
func (s *Service) Run(ctx context.Context, by auth.Principal, id uuid.UUID) (more bool, err error) {
	return job.Run(ctx, &backfillRun{Service: s, by: by, id: id})
}

// backfillRun is a backfill under way.
type backfillRun struct {
	*Service
	by  auth.Principal
	id  uuid.UUID
	row q.WorkspaceBackfill // at the start of the batch
}

// item is a kept value or a failed import, and what became of it.
type item struct {
	key     string // the record's
	value   jsontext.Value
	failure *q.NextFailedPayloadsRow // nil: a kept value
	result  ingest.FillResult
	why     string // of a refusal
}

// Begin reads the state of the backfill.
func (b *backfillRun) Begin(ctx context.Context) (job.State, error) {
	if b.by.Require(auth.DefineTables) != nil {
		return job.Ended, job.Hopeless("who started it may no longer define columns here")
	}
	err := b.cells.InTenant(ctx, b.by.Tenant, func(tx pgx.Tx) (err error) {
		b.row, err = q.New(tx).BeginBackfill(ctx,
			q.BeginBackfillParams{TenantID: b.by.Tenant, WorkspaceID: b.by.Workspace, ID: b.id})
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
	table, err := b.tables.Reload(ctx, b.by.Tenant, b.row.Slug)
	if err == nil {
		err = ingest.Fillable(table, b.row.ColumnName)
	}
	return job.Open, job.Final(err)
}

// Next returns the next kept values or, if none are left, the next failed imports.
func (b *backfillRun) Next(ctx context.Context) (batch []*item, err error) {
	err = b.cells.InTenant(ctx, b.by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		kept, err := queries.NextKeptValues(ctx, q.NextKeptValuesParams{TenantID: b.by.Tenant, WorkspaceID: b.by.Workspace,
			Slug: b.row.Slug, Field: b.row.Field, Backfill: b.id, Most: backfillBatch})
		for _, row := range kept {
			batch = append(batch, &item{key: row.RecordKey, value: row.Value})
		}
		if err != nil || len(batch) > 0 {
			return err
		}
		failures, err := queries.NextFailedPayloads(ctx, q.NextFailedPayloadsParams{TenantID: b.by.Tenant,
			WorkspaceID: b.by.Workspace, Slug: b.row.Slug, CursorSeenAt: b.row.CursorSeenAt, Cursor: b.row.Cursor,
			Ahead: b.row.Ahead, Most: backfillBatch})
		for i := range failures {
			batch = append(batch, &item{key: failures[i].RecordKey, failure: &failures[i]})
		}
		return err
	})
	return batch, err
}

// Order keeps the values of one record in their order.
func (b *backfillRun) Order(i *item) string { return i.key }

// Deliver fills one value in. It is not done while the service is overloaded or has no database.
func (b *backfillRun) Deliver(ctx context.Context, i *item, attempt int) (done bool, err error) {
	if i.failure != nil {
		value, found := ingest.FieldOf(i.failure.Payload, b.row.Field)
		switch {
		case !found:
			i.result = without
			return true, nil
		case i.failure.Status == "open":
			i.result = waiting
			return true, nil
		}
		i.value = value
	}
	i.result, err = b.records.Fill(ctx, b.by, ingest.Filling{
		Slug: b.row.Slug, Key: i.key, Column: b.row.ColumnName, Value: i.value, RequestID: b.id.String(),
		Stored: func(ctx context.Context, tx pgx.Tx) error { return b.countFilled(ctx, tx, i) },
	})
	switch {
	case err == nil:
		return true, nil
	case fault.HasCode(err, errEnded.Code):
		return false, job.ErrOvertaken
	case fault.Is(err, fault.Unavailable), fault.Is(err, fault.Internal) && attempt < job.Faults:
		return false, nil
	case fault.Is(err, fault.Invalid), fault.Is(err, fault.Internal):
		i.result, i.why = refused, strings.ReplaceAll(fault.Refusal(err).Message, "\x00", "")
		return true, nil
	}
	return false, job.Final(err)
}

// countFilled counts an item in the transaction that stores its value.
func (b *backfillRun) countFilled(ctx context.Context, tx pgx.Tx, i *item) (err error) {
	var counted int64
	if i.failure == nil {
		counted, err = q.New(tx).CountFilledValue(ctx, q.CountFilledValueParams{TenantID: b.by.Tenant, ID: b.id,
			WorkspaceID: b.by.Workspace, Slug: b.row.Slug, Field: b.row.Field, RecordKey: i.key})
	} else {
		counted, err = q.New(tx).CountFilledFailure(ctx, q.CountFilledFailureParams{TenantID: b.by.Tenant, ID: b.id,
			Failure: i.failure.ID})
	}
	if err == nil && counted == 0 {
		return errEnded
	}
	return err
}

// Note counts what was not filled, and moves on. Items that another run has settled meanwhile are not counted again.
func (b *backfillRun) Note(ctx context.Context, batch []*item, done []bool) error {
	return b.cells.InTenant(ctx, b.by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		ahead, err := queries.LockBackfill(ctx, q.LockBackfillParams{TenantID: b.by.Tenant, ID: b.id, Noted: b.row.Notes})
		if errors.Is(err, pgx.ErrNoRows) {
			return job.ErrOvertaken
		}
		if err != nil {
			return err
		}
		progress := q.AdvanceBackfillParams{TenantID: b.by.Tenant, ID: b.id, CursorSeenAt: b.row.CursorSeenAt,
			Cursor: b.row.Cursor, Ahead: ahead}
		var settled []*item
		if batch[0].failure == nil {
			settled, err = b.settleKept(ctx, queries, batch, done)
		} else {
			settled = passFailures(&progress, batch, done)
		}
		if err != nil {
			return err
		}
		if err := b.count(&progress, settled); err != nil {
			return err
		}
		return queries.AdvanceBackfill(ctx, progress)
	})
}

// settleKept takes away kept values that are of no more use, marks those that may be of use to another column, and
// returns the items that are settled now.
func (b *backfillRun) settleKept(ctx context.Context, queries *q.Queries, batch []*item, done []bool) (
	settled []*item, err error) {
	params := q.SettleKeptValuesParams{TenantID: b.by.Tenant, WorkspaceID: b.by.Workspace, Slug: b.row.Slug,
		Field: b.row.Field, Backfill: b.id}
	byKey := map[string]*item{}
	for i, one := range batch {
		if done[i] && one.result != ingest.Filled {
			byKey[one.key] = one
			params.RecordKeys = append(params.RecordKeys, one.key)
			params.Drops = append(params.Drops, one.result == ingest.AlreadySet || one.result == ingest.Empty)
		}
	}
	if len(params.RecordKeys) == 0 {
		return nil, nil
	}
	keys, err := queries.SettleKeptValues(ctx, params)
	for _, key := range keys {
		settled = append(settled, byKey[key])
	}
	return settled, err
}

// passFailures moves the cursor up to the first failed import that is not done, and returns those that it passes and
// that are not counted as filled. Later ones that are filled stay in the list of those ahead.
func passFailures(progress *q.AdvanceBackfillParams, batch []*item, done []bool) (passed []*item) {
	for i, one := range batch {
		if !done[i] {
			break
		}
		progress.CursorSeenAt, progress.Cursor = one.failure.LastSeenAt, one.failure.ID
		at := slices.Index(progress.Ahead, one.failure.ID)
		if at >= 0 {
			progress.Ahead = slices.Delete(progress.Ahead, at, at+1)
			continue
		}
		passed = append(passed, one)
	}
	return passed
}

// count adds items to the progress, and lists the first refusals.
func (b *backfillRun) count(progress *q.AdvanceBackfillParams, settled []*item) error {
	var listed []Refusal
	if err := json.Unmarshal(b.row.Refusals, &listed); err != nil {
		return err
	}
	refusals := []Refusal{}
	for _, one := range settled {
		switch one.result {
		case ingest.Filled: // counted when it was stored
		case ingest.AlreadySet:
			progress.AlreadySet++
		case ingest.Gone:
			progress.Gone++
		case ingest.Empty:
			progress.Empty++
		case waiting:
			progress.Waiting++
		case without:
			progress.Without++
		case refused:
			progress.Refused++
			if len(listed)+len(refusals) < mostRefusals {
				refusals = append(refusals, Refusal{one.key, one.why})
			}
		}
	}
	text, err := json.Marshal(refusals)
	progress.Refusals = text
	return err
}

// End ends the backfill.
func (b *backfillRun) End(ctx context.Context, how job.End, message string) error {
	status := map[job.End]BackfillStatus{job.Done: Done, job.Cancelled: Cancelled, job.Broken: Broken}[how]
	return b.cells.InTenant(ctx, b.by.Tenant, func(tx pgx.Tx) error {
		return q.New(tx).EndBackfill(ctx,
			q.EndBackfillParams{TenantID: b.by.Tenant, ID: b.id, Status: string(status), Message: message})
	})
}
