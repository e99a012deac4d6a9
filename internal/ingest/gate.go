package ingest

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
)

// A Gate enforces a table's rules for people and agents: on imported files, edited retries
// and edits in place, but not on records from external systems. It runs in the transaction
// that writes the record, locks the row, and refuses the record or returns a Ruling.
type Gate func(ctx context.Context, tx pgx.Tx, claim Claim) (Ruling, error)

// Claim is a sanitised record that a gate judges.
type Claim struct {
	By     auth.Principal
	Key    string             // the record's identity
	Values map[string]*string // the sent columns, in PostgreSQL's input form; nil is null
	Sender *auth.Actor        // the original sender, if the caller retries the record unchanged
}

// Ruling is a gate's decision to store a record.
type Ruling struct {
	Version int64                       // the version of the row that was judged; 0 if there was none
	Values  map[string]*string          // values that are added to the claim's or replace them
	Done    func(context.Context) error // runs in the transaction after the row has been changed
}

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
	return s.gates[record.Slug]
}

// writeThroughGate writes a record as its gate rules. The row cannot change after the ruling: it is
// locked or, if it did not exist, the statement refuses to overwrite one that has appeared.
func (s *Service) writeThroughGate(ctx context.Context, gate Gate, t *ticket) {
	t.mode = lockFirst
	t.record.taken = time.Time{} // no deadline: the record does not wait in a lane
	err := s.cells.InTenant(ctx, t.record.By.Tenant, func(tx pgx.Tx) error {
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
		switch {
		case t.verdict.refusal(t.clean) != nil, !t.verdict.sure:
			return errRefused
		case t.record.DryRun:
			return errDryRun
		case t.verdict.created != nil:
			return ruling.Done(ctx)
		}
		return nil
	})
	switch {
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
	return Claim{By: t.record.By, Key: t.clean.identity, Values: values, Sender: t.record.Sender}
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
