package upload

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/job"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/sheet"
	"github.com/quayside/quayside/internal/source"
)

const longestRaw = 4 << 10 // of a line that is not a record; the file has the rest

// Note stores the results of a batch in one transaction: the position, the rejects and the
// dead letters.
func (w *work) Note(ctx context.Context, batch []*parcel, done []bool) error {
	progress := q.AdvanceImportParams{TenantID: w.by.Tenant, ID: w.id, Noted: w.row.Notes}
	progress.Position, progress.Ahead = stand(w.row, batch, done)
	rejects := q.AddImportRejectsParams{TenantID: w.by.Tenant, ImportID: w.id}
	var letters []*ingest.Letter
	for i, p := range batch {
		if !done[i] {
			continue
		}
		count(&progress, p)
		if p.refusal == nil {
			continue
		}
		if err := addReject(&rejects, p, w.row.RequestID); err != nil {
			return err
		}
		if p.letter != nil {
			letters = append(letters, p.letter)
		}
	}
	var err error
	if progress.Warned, err = w.warned(batch, done); err != nil {
		return err
	}
	err = w.cells.InTenant(ctx, w.by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		advanced, err := queries.AdvanceImport(ctx, progress)
		if err != nil {
			return err
		}
		if advanced == 0 {
			return job.ErrOvertaken
		}
		if len(rejects.Records) > 0 {
			if err := queries.AddImportRejects(ctx, rejects); err != nil {
				return err
			}
		}
		return w.records.Keep(ctx, tx, letters)
	})
	if err == nil {
		w.measure(batch, done)
	}
	return err
}

func count(progress *q.AdvanceImportParams, p *parcel) {
	switch {
	case p.refusal != nil:
		progress.Refused++
		if p.record.Broken != "" {
			progress.Unreadable++
		}
	case p.outcome.Result == ingest.Created:
		progress.Created++
	case p.outcome.Result == ingest.Updated:
		progress.Updated++
	default:
		progress.Unchanged++
	}
}

// addReject adds a refused record to the rejects.
func addReject(rejects *q.AddImportRejectsParams, p *parcel, requestID string) error {
	status, public := fault.Public(p.refusal)
	note := sheet.Note{Record: p.record.Number, Line: p.record.Line, Status: status, Error: public.Message,
		Request: requestID}
	body := p.body
	switch {
	case p.record.Broken != "":
		body, note.Status, note.Request, note.Raw = []byte("{}"), 0, "", clip(p.record.Raw, longestRaw)
	case fault.Is(p.refusal, fault.TooLarge):
		body, note.Raw = []byte("{}"), clip(string(p.body), longestRaw)
	}
	line, err := sheet.Reject(body, note)
	if err != nil {
		return err
	}
	rejects.Records = append(rejects.Records, p.record.Number)
	rejects.Reasons = append(rejects.Reasons, plain(sheet.Reason(public.Message)))
	rejects.Messages = append(rejects.Messages, plain(public.Message))
	rejects.Lines = append(rejects.Lines, line)
	return nil
}

// plain makes a message valid for PostgreSQL: UTF-8 without zero bytes.
func plain(message string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(message, "\uFFFD"), "\x00", "\uFFFD")
}

// measure adds a batch to its source's figures, like live records.
func (w *work) measure(batch []*parcel, done []bool) {
	now := time.Now()
	for i, p := range batch {
		switch {
		case !done[i], p.record.Broken != "", fault.Is(p.refusal, fault.TooLarge): // never reached the table
		case p.refusal != nil:
			w.meter.Record(w.by, w.one.Slug, source.Failed, now)
		case p.outcome.Result == ingest.Created:
			w.meter.Record(w.by, w.one.Slug, source.Created, now)
		case p.outcome.Result == ingest.Stale:
			w.meter.Record(w.by, w.one.Slug, source.Stale, now)
		default:
			w.meter.Record(w.by, w.one.Slug, source.Stored, now)
		}
		if done[i] && p.refusal == nil {
			w.meter.Warn(w.by, w.one.Slug, p.outcome.Codes(), now)
		}
	}
}
