package event

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
)

// Reader reads the outbox in the order of transactions, each event at least once. It never
// reads past a transaction that is still open, because that one's events would then appear
// behind it. Its place is stored under its name and shared by all instances.
type Reader struct {
	cells *pg.Cells
	name  string

	// A transaction that is not yet in the outbox's readable part had begun when it was seen.
	seenTx uint64
	seenAt time.Time
}

// NewReader returns the reader of this name.
func NewReader(cells *pg.Cells, name string) *Reader { return &Reader{cells: cells, name: name} }

// Change says that a record was written.
type Change struct {
	Tenant, Workspace uuid.UUID
	Slug, Record      string
	At                time.Time
}

// Batch is a range of the outbox.
type Batch struct {
	Changes []Change
	More    bool // there are further events
	Busy    bool // records are being written
	// BeganAt is when the reader began. What was committed earlier is in no batch; whoever uses
	// the reader has to look it up.
	BeganAt time.Time

	// ReadTo is a time before which everything that was committed is in this batch or earlier
	// ones.
	ReadTo time.Time

	xid   string
	event uuid.UUID
}

// Next returns the events after the reader's place, at most as many as given. The place moves
// only with Advance.
func (r *Reader) Next(ctx context.Context, most int32) (batch Batch, err error) {
	// Crosses tenants: the outbox holds the events of all. It reads which records changed, and
	// nothing of their content.
	err = r.cells.InSystem(ctx, func(tx pgx.Tx) error {
		queries := q.New(tx)
		horizon, err := queries.OutboxHorizon(ctx)
		if err != nil {
			return err
		}
		place, err := r.place(ctx, queries, horizon)
		if err != nil {
			return err
		}
		events, err := queries.ReadOutbox(ctx,
			q.ReadOutboxParams{Xid: place.Xid, EventID: place.EventID, OldestOpen: horizon.OldestOpen, Most: most})
		if err != nil {
			return err
		}
		batch = Batch{More: len(events) == int(most), BeganAt: place.BeganAt, xid: place.Xid, event: place.EventID,
			ReadTo: place.ReadTo}
		for _, e := range events {
			batch.Changes = append(batch.Changes,
				Change{Tenant: e.TenantID, Workspace: e.WorkspaceID, Slug: e.Slug, Record: e.Subject, At: e.CreatedAt})
			batch.xid, batch.event = e.Xid, e.ID
		}
		if !batch.More {
			if batch.ReadTo, err = r.readTo(horizon, place.ReadTo); err != nil {
				return err
			}
		}
		batch.Busy, err = queries.OutboxBusy(ctx)
		return err
	})
	return batch, err
}

// place returns where the reader is. It begins anew in a database that is a copy of another
// server's, whose transactions have other numbers, and after such a long pause that events may
// have been dropped unread.
func (r *Reader) place(ctx context.Context, queries *q.Queries, horizon q.OutboxHorizonRow) (q.GetReaderRow, error) {
	place, err := queries.GetReader(ctx, r.name)
	if err == nil {
		at, broken := strconv.ParseUint(place.Xid, 10, 64)
		unused, alsoBroken := strconv.ParseUint(horizon.Unused, 10, 64)
		if err := errors.Join(broken, alsoBroken); err != nil {
			return place, err
		}
		if at <= unused && horizon.At.Sub(place.ReadTo) < time.Duration(horizon.KeptDays-1)*24*time.Hour {
			return place, nil
		}
	} else if !errors.Is(err, pgx.ErrNoRows) {
		return place, err
	}
	if err := queries.StartReader(ctx, r.name); err != nil {
		return place, err
	}
	return queries.GetReader(ctx, r.name)
}

// readTo returns a time before which everything that was committed has been read. A
// transaction can commit long after it got its number; so the time at which a number was unused
// counts once all smaller ones are finished.
func (r *Reader) readTo(horizon q.OutboxHorizonRow, before time.Time) (time.Time, error) {
	oldestOpen, err := strconv.ParseUint(horizon.OldestOpen, 10, 64)
	if err != nil {
		return before, err
	}
	if r.seenTx != 0 && r.seenTx > oldestOpen {
		return before, nil
	}
	readTo := before
	if r.seenTx != 0 {
		readTo = r.seenAt
	}
	r.seenTx, err = strconv.ParseUint(horizon.Unused, 10, 64)
	r.seenAt = horizon.At
	if r.seenTx == oldestOpen { // no transaction is open
		readTo = horizon.At
	}
	return readTo, err
}

// Advance moves the reader's place behind a batch.
func (r *Reader) Advance(ctx context.Context, batch Batch) error {
	// Crosses tenants, as the place is one for all.
	return r.cells.InSystem(ctx, func(tx pgx.Tx) error {
		return q.New(tx).MoveReader(ctx,
			q.MoveReaderParams{Name: r.name, Xid: batch.xid, EventID: batch.event, ReadTo: batch.ReadTo})
	})
}
