package ingest

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/telemetry"
)

// Letter is a record that was judged and not stored, to be kept as a dead letter.
type Letter struct {
	letter deadLetter
	label  string
}

// Import stores one record of a file for a person, as a live request would, but for two
// things. The table's gate binds it, if there is one. And a refusal is returned with its
// dead letter, which the caller keeps with Keep in the transaction in which it notes that
// the record is done. So a record that is sent again, because nobody noted it, makes no
// second letter.
//
// An error without a letter says nothing about the record: it may be tried again when the
// error is Unavailable, and no other record would do better when it is not.
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
	refusal, judged := sentence(err)
	if !judged || fault.HasCode(err, "database_away") { // the caller cannot note anything either
		return Outcome{}, nil, err
	}
	return Outcome{}, &Letter{newLetter(record, about, refusal), about.label}, refusal
}

// Keep writes dead letters of one tenant in the caller's transaction. What PostgreSQL will
// never take is left out, and is in the log: it must not hold up the rest for ever.
func (s *Service) Keep(ctx context.Context, tx pgx.Tx, letters []*Letter) error {
	dead := make([]deadLetter, 0, len(letters))
	for _, l := range letters {
		dead = append(dead, l.letter)
	}
	err := within(ctx, tx, tallied(dead))
	if pg.BadData(err) {
		for _, l := range dead {
			if err = within(ctx, tx, tallied([]deadLetter{l})); pg.BadData(err) {
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

// within writes tallies so that a refusal of PostgreSQL does not end the transaction.
func within(ctx context.Context, tx pgx.Tx, tallies []tally) error {
	if len(tallies) == 0 {
		return nil
	}
	return pgx.BeginFunc(ctx, tx, func(nested pgx.Tx) error { return pg.Translate(insertIn(ctx, nested, tallies)) })
}
