package upload

import (
	"context"
	"errors"
	"hash/maphash"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/sheet"
	"github.com/quayside/quayside/internal/telemetry"
)

const (
	batchRecords = 200 // between two looks at whether to stop
	batchBytes   = 8 << 20
	concurrent   = 16 // records at once: enough to fill ingest's batches

	faultsOfARecord = 3 // of ours, before a record is given up as a dead letter
	firstPause      = 100 * time.Millisecond
	longestPause    = 5 * time.Second
)

// errOvertaken says that another process works on the same import and was faster.
var errOvertaken = errors.New("another process works on this import")

// Run works on an import for the person who started it, for a while, and says whether
// there is more to do. It may be called again after a crash at any point. A person who may
// no longer import ends it.
func (s *Service) Run(ctx context.Context, by auth.Principal, id uuid.UUID) (more bool, err error) {
	if refused := by.Require(auth.ImportRecords); refused != nil {
		return false, s.end(ctx, by, id, Broken, "who started it may no longer import records here")
	}
	row, found, err := s.begin(ctx, by, id)
	if err != nil || !found {
		return false, err
	}
	ctx = telemetry.WithRequestID(ctx, row.RequestID)
	work, err := s.takeUp(ctx, by, row)
	if err == nil {
		defer func() { _ = work.reader.Close() }()
		more, err = work.run(ctx, row)
	}
	return s.settled(ctx, by, id, more, err)
}

// settled ends an import that cannot go on, whoever tries. Whatever else went wrong is
// tried again.
func (s *Service) settled(ctx context.Context, by auth.Principal, id uuid.UUID, more bool, err error) (bool, error) {
	var why hopeless
	switch {
	case errors.Is(err, errOvertaken):
		return false, nil
	case err == nil, ctx.Err() != nil:
		return more || ctx.Err() != nil, nil
	case errors.As(err, &why):
		return false, s.end(ctx, by, id, Broken, string(why))
	}
	return false, err
}

// hopeless is why an import cannot go on, in words for people.
type hopeless string

func (h hopeless) Error() string { return string(h) }

// final says that trying again would change nothing, unless the error is ours or passes.
func final(err error) error {
	var refused *fault.Error
	if !errors.As(err, &refused) || refused.Kind == fault.Internal || refused.Kind == fault.Unavailable {
		return err
	}
	return hopeless(refused.Message)
}

// work is an import under way.
type work struct {
	*Service
	by       auth.Principal
	one      Import
	reader   sheet.Reader
	mapping  *sheet.Mapping
	identity []string // of the table's records
	last     int64    // the record that was read last
	until    time.Time
}

// takeUp opens the file where the import stands.
func (s *Service) takeUp(ctx context.Context, by auth.Principal, row q.WorkspaceImport) (*work, error) {
	one, err := toImport(row)
	if err != nil {
		return nil, err
	}
	table, mapping, err := s.mapping(ctx, by, one, nil)
	if err != nil {
		return nil, final(err)
	}
	reader, err := s.open(ctx, by, one)
	if err != nil {
		return nil, final(misread(err))
	}
	w := &work{Service: s, by: by, one: one, reader: reader, mapping: mapping, identity: table.Identity}
	for w.last < row.Position && err == nil {
		err = w.skip(ctx)
	}
	if err != nil {
		_ = reader.Close()
		return nil, final(err)
	}
	w.until = time.Now().Add(pg.JobSlice)
	return w, nil
}

func (w *work) skip(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	record, err := w.reader.Next()
	w.last = record.Number
	return err
}

// run stores one batch after the other.
func (w *work) run(ctx context.Context, row q.WorkspaceImport) (more bool, err error) {
	for time.Now().Before(w.until) && ctx.Err() == nil {
		if row.CancelAsked {
			return false, w.end(ctx, w.by, row.ID, Cancelled, "")
		}
		batch, err := w.next(row)
		if err != nil {
			return false, err
		}
		if len(batch) == 0 {
			return false, w.end(ctx, w.by, row.ID, Done, "")
		}
		w.send(ctx, batch)
		if err := w.note(ctx, row, batch); err != nil {
			return false, err
		}
		if slices.ContainsFunc(batch, func(p *parcel) bool { return !p.done }) {
			return true, fatal(batch)
		}
		var found bool
		if row, found, err = w.begin(ctx, w.by, row.ID); err != nil || !found {
			return false, err
		}
	}
	return true, nil
}

// fatal is an error that no other record would escape, if there was one.
func fatal(batch []*parcel) error {
	for _, p := range batch {
		if !p.done && p.err != nil {
			return final(p.err)
		}
	}
	return nil
}

// parcel is a record on its way, and what became of it.
type parcel struct {
	record sheet.Record
	body   []byte
	key    string // records with the same one keep their order

	done    bool // stored, or refused for good
	outcome ingest.Outcome
	refusal error
	letter  *ingest.Letter // what is kept of a refusal, if the record was judged
	err     error          // why it is not done, if no other record would do better
}

// next reads the next records that are not done. None means that all are.
func (w *work) next(row q.WorkspaceImport) (batch []*parcel, err error) {
	for size := 0; len(batch) < batchRecords && size < batchBytes; {
		record, err := w.reader.Next()
		if errors.Is(err, io.EOF) {
			if w.last < row.Total {
				return nil, hopeless("the file is gone")
			}
			break
		}
		if err != nil {
			return nil, final(err)
		}
		w.last = record.Number
		if slices.Contains(row.Ahead, record.Number) {
			continue
		}
		p := &parcel{record: record}
		if record.Broken != "" {
			p.done, p.refusal = true, fault.New(fault.BadRequest, "unreadable", "%s", record.Broken)
		} else {
			fields := w.mapping.Apply(record.Fields)
			p.body, p.key = sheet.Object(fields), sheet.KeyOf(fields, w.identity)
			p.refusal = w.tooLarge(p.body)
			p.done = p.refusal != nil
		}
		size += len(p.body)
		batch = append(batch, p)
	}
	return batch, nil
}

var laneSeed = maphash.MakeSeed()

// send stores a batch, several records at once; those with the same key one after the
// other. It returns early when the time is up or the process is to stop: what was not
// begun by then is not done.
func (w *work) send(ctx context.Context, batch []*parcel) {
	var lanes [concurrent][]*parcel
	for i, p := range batch {
		lane := i % concurrent
		if p.key != "" {
			lane = int(maphash.String(laneSeed, p.key) % concurrent)
		}
		lanes[lane] = append(lanes[lane], p)
	}
	var working sync.WaitGroup
	for _, lane := range lanes {
		working.Go(func() {
			for _, p := range lane {
				if !p.done && !w.deliver(ctx, p) {
					return // those behind it may have its key
				}
			}
		})
	}
	working.Wait()
}

// deliver stores one record, or has it refused for good. A service that is full or without
// its database is given time. It says whether the record is done.
func (w *work) deliver(ctx context.Context, p *parcel) bool {
	for attempt := 1; ctx.Err() == nil; attempt++ {
		p.outcome, p.letter, p.refusal = w.records.Import(ctx, w.by, w.one.Slug, p.body)
		switch {
		case p.refusal == nil, fault.Is(p.refusal, fault.Invalid), fault.Is(p.refusal, fault.BadRequest):
			p.done = true
			return true
		case p.letter != nil && attempt >= faultsOfARecord: // a fault of ours, again and again
			p.done = true
			return true
		case p.letter == nil && !fault.Is(p.refusal, fault.Unavailable):
			p.err = p.refusal
			return false
		}
		if time.Now().After(w.until) || !pause(ctx, attempt) {
			break
		}
	}
	return false
}

// pause waits before another attempt, longer each time, and not at all when the process is
// to stop.
func pause(ctx context.Context, attempt int) bool {
	full := min(longestPause, firstPause<<min(attempt-1, 10))
	timer := time.NewTimer(full/2 + rand.N(full/2+1)) //nolint:gosec // jitter needs no secrecy
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// begin reads where the import stands. One that has ended is not found.
func (s *Service) begin(ctx context.Context, by auth.Principal, id uuid.UUID) (row q.WorkspaceImport, found bool, err error) {
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) (err error) {
		row, err = q.New(tx).BeginImport(ctx, q.BeginImportParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ID: id})
		return err
	})
	if fault.Is(err, fault.NotFound) {
		return row, false, nil
	}
	return row, err == nil, err
}

// end ends an import and deletes its file.
func (s *Service) end(ctx context.Context, by auth.Principal, id uuid.UUID, status Status, message string) error {
	return s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		ended, err := queries.EndImport(ctx, q.EndImportParams{TenantID: by.Tenant, ID: id, Status: string(status), Message: message})
		if err != nil || ended == 0 {
			return err
		}
		return queries.DropImportFile(ctx, q.DropImportFileParams{TenantID: by.Tenant, ImportID: id})
	})
}

// stand is how far an import is: all records up to the position are done, and those ahead.
func stand(row q.WorkspaceImport, batch []*parcel) (position int64, ahead []int64) {
	done := map[int64]bool{}
	for _, number := range row.Ahead {
		done[number] = true
	}
	for _, p := range batch {
		if p.done {
			done[p.record.Number] = true
		}
	}
	for position = row.Position; done[position+1]; {
		position++
		delete(done, position)
	}
	return position, append([]int64{}, slices.Sorted(maps.Keys(done))...)
}
