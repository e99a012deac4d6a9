package upload

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/job"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/sheet"
	"github.com/quayside/quayside/internal/telemetry"
)

const (
	batchRecords = 200 // between two checks whether to stop
	batchBytes   = 8 << 20
)

// Run works on an import for the person who started it, for a limited time, and reports
// whether there is more to do. It may be called again after a crash at any point. If the
// person may no longer import, the import ends.
func (s *Service) Run(ctx context.Context, by auth.Principal, id uuid.UUID) (more bool, err error) {
	w := &work{Service: s, by: by, id: id}
	defer w.close()
	return job.Run(ctx, w)
}

// work is a running import.
type work struct {
	*Service
	by  auth.Principal
	id  uuid.UUID
	row q.WorkspaceImport // at the start of the batch

	one     Import
	reader  sheet.Reader // nil: not opened yet
	mapping *sheet.Mapping
	table   *registry.Table // as it was when the file was opened
	last    int64           // number of the last record read
}

func (w *work) close() {
	if w.reader != nil {
		_ = w.reader.Close()
	}
}

// Begin reads the import's state and, the first time, opens its file at the current position.
func (w *work) Begin(ctx context.Context) (job.State, error) {
	if refused := w.by.Require(auth.ImportRecords); refused != nil {
		return job.Ended, job.Hopeless("who started it may no longer import records here")
	}
	err := w.cells.InTenant(ctx, w.by.Tenant, func(tx pgx.Tx) (err error) {
		w.row, err = q.New(tx).BeginImport(ctx,
			q.BeginImportParams{TenantID: w.by.Tenant, WorkspaceID: w.by.Workspace, ID: w.id})
		return err
	})
	switch {
	case fault.Is(err, fault.NotFound): // the import has ended
		return job.Ended, nil
	case err != nil:
		return job.Ended, err
	case w.row.CancelAsked:
		return job.Cancelling, nil
	case w.reader == nil:
		err = w.resume(ctx)
	}
	return job.Open, err
}

// resume opens the file at the current position.
func (w *work) resume(ctx context.Context) (err error) {
	if w.one, err = toImport(w.row); err != nil {
		return err
	}
	table, mapping, err := w.Service.mapping(ctx, w.by, w.one, nil)
	if err != nil {
		return job.Final(err)
	}
	if w.reader, err = w.open(ctx, w.by, w.one); err != nil {
		return job.Final(misread(err))
	}
	w.mapping, w.table = mapping, table
	for w.last < w.row.Position && err == nil {
		err = w.skip(ctx)
	}
	return job.Final(err)
}

func (w *work) skip(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	record, err := w.reader.Next()
	w.last = record.Number
	return err
}

// parcel is a record being sent, and its result.
type parcel struct {
	record sheet.Record
	body   []byte
	key    string // records with the same key keep their order

	settled bool // stored, or refused permanently
	outcome ingest.Outcome
	refusal error
	letter  *ingest.Letter // dead letter of a refusal, if the record reached ingest
}

// Next reads the next unfinished records. None means that all are finished.
func (w *work) Next(context.Context) (batch []*parcel, err error) {
	for size := 0; len(batch) < batchRecords && size < batchBytes; {
		record, err := w.reader.Next()
		if errors.Is(err, io.EOF) {
			if w.last < w.row.Total {
				return nil, job.Hopeless("the file is gone")
			}
			break
		}
		if err != nil {
			return nil, job.Final(err)
		}
		w.last = record.Number
		if slices.Contains(w.row.Ahead, record.Number) {
			continue
		}
		fields := w.mapping.Apply(&record)
		p := &parcel{record: record}
		if record.Broken != "" {
			p.refusal = fault.New(fault.BadRequest, "unreadable", "%s", record.Broken)
		} else {
			p.body, p.key = sheet.Object(fields), sheet.KeyOf(fields, w.table.Identity, w.table.Aliases)
			p.refusal = w.tooLarge(p.body)
		}
		p.settled = p.refusal != nil
		size += len(p.body)
		batch = append(batch, p)
	}
	return batch, nil
}

// Order keeps the records with the same key in the file's order.
func (w *work) Order(p *parcel) string { return p.key }

// Deliver stores one record, or refuses it permanently. It retries while the service is
// overloaded or without its database, and gives up a record that keeps causing internal
// errors.
func (w *work) Deliver(ctx context.Context, p *parcel, attempt int) (done bool, err error) {
	if p.settled {
		return true, nil
	}
	ctx = telemetry.WithRequestID(ctx, w.row.RequestID)
	p.outcome, p.letter, p.refusal = w.records.Import(ctx, w.by, w.one.Slug, p.body)
	switch {
	case p.refusal == nil, fault.Is(p.refusal, fault.Invalid), fault.Is(p.refusal, fault.BadRequest):
		return true, nil
	case p.letter != nil: // an internal error
		return attempt >= job.Faults, nil
	case fault.Is(p.refusal, fault.Unavailable):
		return false, nil
	}
	return false, job.Final(p.refusal)
}

// End ends an import and deletes its file.
func (w *work) End(ctx context.Context, how job.End, message string) error {
	status := map[job.End]Status{job.Done: Done, job.Cancelled: Cancelled, job.Broken: Failed}[how]
	return w.cells.InTenant(ctx, w.by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		ended, err := queries.EndImport(ctx,
			q.EndImportParams{TenantID: w.by.Tenant, ID: w.id, Status: string(status), Message: message})
		if err != nil || ended == 0 {
			return err
		}
		return queries.DropImportFile(ctx, q.DropImportFileParams{TenantID: w.by.Tenant, ImportID: w.id})
	})
}

// stand returns how far an import is: all records up to position are finished, and so are
// those ahead of it.
func stand(row q.WorkspaceImport, batch []*parcel, settled []bool) (position int64, ahead []int64) {
	done := map[int64]bool{}
	for _, number := range row.Ahead {
		done[number] = true
	}
	for i, p := range batch {
		if settled[i] {
			done[p.record.Number] = true
		}
	}
	for position = row.Position; done[position+1]; {
		position++
		delete(done, position)
	}
	return position, append([]int64{}, slices.Sorted(maps.Keys(done))...)
}
