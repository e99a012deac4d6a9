package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

const (
	// letterTimeout bounds the writing of dead letters.
	letterTimeout = 10 * time.Second
	// mostLetters is how many dead letters one transaction takes: each may be as
	// large as a body.
	mostLetters = 64
)

// letter is what is known of a record that could not be stored.
type letter struct {
	recordKey string // its conflict key, if one could be read
	label     string // the table's name in metrics
}

// envelope is a dead letter on its way to the table.
type envelope struct {
	record  Record
	about   letter
	refusal *fault.Error
	hash    [32]byte
	err     error
	done    chan struct{}
}

// bury keeps a record that the data or a fault of ours kept out, before its sender
// is told. Other refusals pass as they are: nothing of the record was judged.
func (s *Service) bury(record Record, about letter, err error) error {
	refusal, judged := sentence(err)
	if !judged {
		return err
	}
	if lost := s.keep(record, about, refusal); lost != nil {
		return fault.New(fault.Internal, "fault", "temporary failure, safe to retry").
			Because(fmt.Errorf("dead letter not written: %w (after: %w)", lost, err))
	}
	s.metrics.DeadLetter(about.label, refusal.Code)
	return refusal
}

// sentence is what a sender is told of a record that was not stored, and whether the
// record itself was judged: refused by a rule, or lost to a fault.
func sentence(err error) (refusal *fault.Error, judged bool) {
	known := errors.As(err, &refusal)
	switch {
	case known && refusal.Kind == fault.Invalid:
		return refusal, true
	case known && refusal.Kind == fault.Conflict: // a lock between rows; to a sender of records it is a duplicate key
		return fault.New(fault.Invalid, refusal.Code, "duplicate key: %s", refusal.Message).Because(err), true
	case known && refusal.Kind != fault.Internal && refusal.Code != "database_away":
		return refusal, false
	}
	return fault.New(fault.Internal, "fault", "temporary failure, safe to retry").Because(err), true
}

// keep writes the dead letter, or counts a repeat of one that is still open.
func (s *Service) keep(record Record, about letter, refusal *fault.Error) error {
	e := &envelope{record: record, about: about, refusal: refusal, hash: sha256.Sum256(record.Body), done: make(chan struct{})}
	if err := s.letters.put(lineKey{record.By.Tenant, record.Slug, string(e.hash[:])}, e); err != nil {
		return err
	}
	<-e.done
	return e.err
}

// flushLetters writes a batch of dead letters in one transaction.
func (s *Service) flushLetters(batch []*envelope) (answer func()) {
	var (
		rows    q.KeepDeadLettersParams
		tenants []uuid.UUID
		err     error
	)
	for _, e := range batch {
		tenants = append(tenants, e.record.By.Tenant)
		err = errors.Join(err, appendLetter(&rows, e))
	}
	if err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), letterTimeout)
		defer cancel()
		err = s.cells.InTenants(ctx, tenants, func(tx pgx.Tx) error { return q.New(tx).KeepDeadLetters(ctx, rows) })
	}
	return func() {
		for _, e := range batch {
			e.err = err
			close(e.done)
		}
	}
}

func appendLetter(rows *q.KeepDeadLettersParams, e *envelope) error {
	status, _ := fault.Public(e.refusal)
	fields, err := json.Marshal(append([]fault.Field{}, e.refusal.Fields...))
	firstField := ""
	if len(e.refusal.Fields) > 0 {
		firstField = e.refusal.Fields[0].Field
	}
	rows.TenantIds = append(rows.TenantIds, e.record.By.Tenant)
	rows.Ids = append(rows.Ids, uuid.Must(uuid.NewV7()))
	rows.WorkspaceIds = append(rows.WorkspaceIds, e.record.By.Workspace)
	rows.Slugs = append(rows.Slugs, e.record.Slug)
	rows.HttpStatuses = append(rows.HttpStatuses, int64(status))
	rows.Codes = append(rows.Codes, e.refusal.Code)
	rows.Fields = append(rows.Fields, firstField)
	rows.Messages = append(rows.Messages, e.refusal.Message)
	rows.Errors = append(rows.Errors, fields)
	rows.Payloads = append(rows.Payloads, e.record.Body)
	rows.PayloadHashes = append(rows.PayloadHashes, e.hash[:])
	rows.RecordKeys = append(rows.RecordKeys, e.about.recordKey)
	rows.KeyIds = append(rows.KeyIds, e.record.By.Key)
	rows.RequestIds = append(rows.RequestIds, e.record.RequestID)
	return err
}

// ResolveFailures closes the dead letters of records that were stored later, by a
// record that carried every field that had failed. Events tell; the write path
// does not.
func (s *Service) ResolveFailures(ctx context.Context) (resolved int64, err error) {
	var open []q.ListOpenFailuresRow
	// Crosses tenants: the job looks after all of them. It reads who has failures,
	// and acts as each.
	err = s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		open, err = q.New(tx).ListOpenFailures(ctx)
		return err
	})
	for _, of := range open {
		table, tableErr := s.registry.Table(ctx, of.TenantID, of.Slug)
		if tableErr != nil {
			if !fault.Is(tableErr, fault.NotFound) { // the table is gone: nothing will be stored in it
				err = errors.Join(err, tableErr)
			}
			continue
		}
		err = errors.Join(err, s.cells.InTenant(ctx, of.TenantID, func(tx pgx.Tx) error {
			tag, err := tx.Exec(ctx, resolveStatement(table), of.TenantID, of.Slug, table.EventType())
			resolved += tag.RowsAffected()
			return err
		}))
	}
	return resolved, err
}
