package ingest

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/telemetry"
)

// Letter is a refused record, which the caller keeps as a dead letter with Keep.
type Letter struct {
	letter deadLetter
	label  string
}

// Import stores one record of a file for a person, as a live request would, with two
// differences. The record must pass the table's gate, if there is one. And a refusal is
// returned with its dead letter, which the caller keeps with Keep in the transaction that
// marks the record as done. So a record that is imported again after a crash does not make
// a second letter.
//
// An error without a letter is not about this record. If it is Unavailable, the caller may
// retry; otherwise every record would fail in the same way.
func (s *Service) Import(ctx context.Context, by auth.Principal, slug string, body []byte) (Outcome, *Letter, error) {
	if err := by.Require(auth.ImportRecords); err != nil {
		return Outcome{}, nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	by.Scope = slug // a person has no key; the permission stands in for its scope
	record := Record{By: by, Slug: slug, Body: body, RequestID: telemetry.RequestID(ctx)}
	outcome, about, err := s.write(ctx, record)
	if err == nil {
		return outcome, nil, nil
	}
	refusal, judged := classifyFailure(err)
	if !judged || fault.HasCode(err, "database_away") { // the caller could not keep a letter either
		return Outcome{}, nil, err
	}
	return Outcome{}, &Letter{newDeadLetter(record, about, refusal), about.label}, refusal
}

// Keep writes dead letters of one tenant in the caller's transaction. It logs and skips a
// letter that PostgreSQL refuses as bad data, which would block the others for ever.
func (s *Service) Keep(ctx context.Context, tx pgx.Tx, letters []*Letter) error {
	dead := make([]deadLetter, 0, len(letters))
	for _, l := range letters {
		dead = append(dead, l.letter)
	}
	err := insertNested(ctx, tx, tallyRepeats(dead))
	if pg.BadData(err) {
		for _, l := range dead {
			if err = insertNested(ctx, tx, tallyRepeats([]deadLetter{l})); pg.BadData(err) {
				s.log.ErrorContext(ctx, "PostgreSQL refuses a dead letter: it is not kept", "slug", l.Slug, "code", l.Code, "err",
					err)
				err = nil
			}
			if err != nil {
				return err
			}
		}
	}
	if err != nil {
		return err
	}
	for _, l := range letters {
		s.metrics.DeadLetter(l.label, l.letter.Code)
	}
	return nil
}

// insertNested writes tallies under a savepoint, so that an error does not abort the transaction.
func insertNested(ctx context.Context, tx pgx.Tx, tallies []tally) error {
	if len(tallies) == 0 {
		return nil
	}
	return pgx.BeginFunc(ctx, tx, func(nested pgx.Tx) error { return pg.Translate(insertIn(ctx, nested, tallies)) })
}
