package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// letterTimeout bounds the writing of a dead letter, which also happens when the
// record's own time has run out.
const letterTimeout = 10 * time.Second

// letter is what is known of a record that could not be stored.
type letter struct {
	recordKey string // its conflict key, if one could be read
	label     string // the table's name in metrics
}

// bury keeps a record that the data or a fault of ours kept out, before its sender
// is told. Other refusals pass as they are: nothing of the record was judged.
func (s *Service) bury(ctx context.Context, record Record, about letter, err error) error {
	var refusal *fault.Error
	judged := errors.As(err, &refusal)
	switch {
	case judged && refusal.Kind == fault.Invalid:
	case judged && refusal.Kind != fault.Internal && refusal.Code != "database_away":
		return err
	default:
		refusal = fault.New(fault.Internal, "fault", "temporary failure, safe to retry").Because(err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), letterTimeout)
	defer cancel()
	if lost := s.keep(ctx, record, about, refusal); lost != nil {
		return fault.New(fault.Internal, "fault", "temporary failure, safe to retry").
			Because(fmt.Errorf("dead letter not written: %w (after: %w)", lost, err))
	}
	s.metrics.DeadLetter(about.label, refusal.Code)
	return refusal
}

// keep writes the dead letter, or counts a repeat of one that is still open.
func (s *Service) keep(ctx context.Context, record Record, about letter, refusal *fault.Error) error {
	status, _ := fault.Public(refusal)
	fields, err := json.Marshal(append([]fault.Field{}, refusal.Fields...))
	if err != nil {
		return err
	}
	hash := sha256.Sum256(record.Body)
	row := q.KeepDeadLetterParams{
		TenantID: record.By.Tenant, ID: uuid.Must(uuid.NewV7()), WorkspaceID: record.By.Workspace, Slug: record.Slug,
		HttpStatus: int64(status), Code: refusal.Code, Message: refusal.Message, Errors: fields,
		Payload: record.Body, PayloadHash: hash[:], KeyID: record.By.Key, RequestID: record.RequestID,
	}
	if status == http.StatusUnprocessableEntity && len(refusal.Fields) > 0 {
		row.Field = &refusal.Fields[0].Field
	}
	if about.recordKey != "" {
		row.RecordKey = &about.recordKey
	}
	return s.cells.InTenant(ctx, record.By.Tenant, func(tx pgx.Tx) error {
		return q.New(tx).KeepDeadLetter(ctx, row)
	})
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
			err = errors.Join(err, tableErr)
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
