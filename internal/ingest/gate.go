package ingest

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
)

// Gates are a table's rules for the records that are written to it.
type Gates struct {
	// People judges what people and agents write: imported files, edited retries and edits in place.
	People Gate
	// Keys judges what external systems send, if it would change a judged column of a guarded row. Their other records are
	// stored without it, and pay nothing for it but a look at the columns of Guards.
	Keys   Gate
	Guards []string // a row is guarded if one of these columns is set
	Judged []string // the columns that the gate has rules for
}

// A Gate enforces a table's rules on a record. It runs in the transaction that writes the record, locks the row, and
// refuses the record or returns a Ruling.
type Gate func(ctx context.Context, tx pgx.Tx, claim Claim) (Ruling, error)

// Claim is a sanitised record that a gate judges.
type Claim struct {
	By     auth.Principal
	Key    string             // the record's identity
	Values map[string]*string // the sent columns, in PostgreSQL's input form; nil is null
	Sender *auth.Actor        // the original sender, if the caller retries the record unchanged
	Source uuid.UUID          // the API key of the external system whose record it is, as far as it is known
}

// Ruling is a gate's decision to store a record.
type Ruling struct {
	Version int64              // the version of the row that was judged; 0 if there was none
	Values  map[string]*string // values that are added to the claim's or replace them
	Dropped []string           // sent fields whose values Values replaces, for the sender to know
	// Done runs in the transaction after the record has been accepted. changed says whether the row has changed.
	Done func(ctx context.Context, changed bool) error
}

const (
	guardedLanes = 2 // transactions at once that write through gates for external systems
	mostGuarded  = 4 // records that one of them takes before it answers
	// guardedWait is how long such a transaction waits for a lock. The record is refused then; senders may retry it.
	guardedWait = detourWait
)

// errRefused rolls back a transaction whose verdict is kept.
var errRefused = errors.New("refused by the statement's verdict")

// gate returns the gate that the record must pass, or nil.
func (s *Service) gate(record *Record) Gate {
	if record.fills != nil {
		return record.fills
	}
	if record.External || record.By.Actor.Type != auth.ByPerson && record.By.Actor.Type != auth.ByAgent {
		return nil
	}
	return s.gates[record.Slug].People
}

// isGuarded reports whether the record is left to its table's gate for external systems.
func (t *ticket) isGuarded() bool {
	return t.err == nil && t.verdict.guarded && t.verdict.refusal(t.clean) == nil
}

// flushGuarded writes records that would change guarded rows, each in a transaction of its own.
func (s *Service) flushGuarded(batch []*ticket) (answer func()) {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	for _, t := range batch {
		s.writeThroughGate(ctx, s.gates[t.record.Slug].Keys, t)
	}
	return func() {}
}

// writeThroughGate writes a record as its gate rules. The row cannot change after the ruling: it is
// locked or, if it did not exist, the statement refuses to overwrite one that has appeared.
func (s *Service) writeThroughGate(ctx context.Context, gate Gate, t *ticket) {
	in := s.cells.InTenants
	if t.verdict.guarded { // people wait as long as it takes, external systems do not
		in = func(ctx context.Context, tenants []uuid.UUID, fn func(pgx.Tx) error) error {
			return s.cells.InTenantsWithin(ctx, tenants, guardedWait, fn)
		}
	}
	t.mode, t.verdict, t.err = admitted, verdict{}, nil
	t.record.taken = time.Time{} // no deadline: the record does not wait in a lane
	err := in(ctx, []uuid.UUID{t.record.By.Tenant}, func(tx pgx.Tx) error {
		locks := &pgx.Batch{}
		lockRetries(locks, []*ticket{t}) // before the row, as every retry does
		if err := tx.SendBatch(ctx, locks).Close(); err != nil {
			return err
		}
		ruling, err := gate(ctx, tx, t.claim())
		if err != nil {
			return err
		}
		t.applyRuling(ruling)
		statement := &pgx.Batch{}
		judged := s.queue(statement, pg.Clock{}, []*ticket{t})
		if err := tx.SendBatch(ctx, statement).Close(); err != nil {
			return err
		}
		judged()
		t.verdict.ruled = ruling.Dropped
		switch {
		case t.verdict.refusal(t.clean) != nil, !t.verdict.sure:
			return errRefused
		case t.record.DryRun:
			return errDryRun
		case t.verdict.stale:
			return nil // the row has not changed, whatever was ruled
		case ruling.Done != nil:
			return ruling.Done(ctx, t.verdict.created != nil)
		}
		return nil
	})
	switch {
	case pg.Locked(err):
		t.refuse(errLocked.Because(err))
	case errors.Is(err, errRefused) && t.verdict.newer && t.expected.Valid && t.expected.Int64 == 0:
		t.refuse(errRaced) // the row came after the ruling
	case errors.Is(err, errRefused), errors.Is(err, errDryRun):
	case fault.Is(err, fault.Invalid):
		t.refuse(s.recheck(ctx, t.clean.table, t.record.By, err))
	case err != nil:
		t.refuse(err)
	default:
		s.link(ctx, []*ticket{t})
	}
}

// claim returns the ticket's record in the form that gates take.
func (t *ticket) claim() Claim {
	values := make(map[string]*string, len(t.clean.columns))
	for _, c := range t.clean.columns {
		values[c.column.Name] = nil
		if !c.value.null {
			values[c.column.Name] = &c.value.text
		}
	}
	source := t.record.By.Key
	if t.record.Origin != nil {
		source = t.record.Origin.Key
	}
	return Claim{By: t.record.By, Key: t.clean.identity, Values: values, Sender: t.record.Sender, Source: source}
}

// applyRuling applies a gate's ruling to the ticket.
func (t *ticket) applyRuling(ruling Ruling) {
	if t.record.Version == 0 && t.record.NewID == "" {
		t.expected = pgtype.Int8{Int64: ruling.Version, Valid: true}
	}
	columns := slices.Clone(t.clean.columns)
	for name, text := range ruling.Values {
		column, known := t.clean.table.Column(name)
		if !known {
			continue
		}
		ruled := cell{column: column, value: value{null: text == nil}}
		if text != nil {
			ruled.value.text = *text
		}
		at := slices.IndexFunc(columns, func(c cell) bool { return c.column.Name == name })
		if at < 0 {
			columns = append(columns, ruled)
			continue
		}
		columns[at] = ruled
	}
	slices.SortFunc(columns, func(a, b cell) int {
		return t.clean.table.Position(a.column.Name) - t.clean.table.Position(b.column.Name)
	})
	t.clean.columns = columns
}
