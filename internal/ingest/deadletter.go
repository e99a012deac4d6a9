package ingest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/registry"
)

const (
	// letterTimeout bounds the writing of dead letters.
	letterTimeout = 10 * time.Second
	// mostLetters is how many dead letters one transaction takes: each may be as
	// large as a body.
	mostLetters = 64
)

// recordInfo is what is known of a record, in case it must be kept as a dead letter.
type recordInfo struct {
	recordKey string // its conflict key, or ""
	label     string // the table's name in metrics
}

// deadLetter is a record that was not stored, with the reason. The spool holds it as JSON.
type deadLetter struct {
	ID        uuid.UUID     `json:"id"`
	Tenant    uuid.UUID     `json:"tenant"`
	Workspace uuid.UUID     `json:"workspace"`
	Slug      string        `json:"slug"`
	Status    int64         `json:"status"`
	Code      string        `json:"code"`
	Message   string        `json:"message"`
	Errors    []fault.Field `json:"errors"`
	Payload   []byte        `json:"payload"`
	RecordKey string        `json:"record_key"`
	Key       uuid.UUID     `json:"key"`
	Actor     *auth.Actor   `json:"actor,omitempty"` // the sender, if it was not a key
	Sequence  Sequence      `json:"sequence,omitempty"`
	RequestID string        `json:"request_id"`
	At        time.Time     `json:"at"`
}

// envelope is a dead letter in its lane, and the error of keeping it.
type envelope struct {
	letter deadLetter
	hash   [32]byte
	err    error
}

// keepFailed keeps a record that was refused for its data or failed by a fault of ours as a dead
// letter, before the sender gets the answer. Other errors are returned as they are. If the record
// cannot be kept, the sender is asked to send it again.
func (s *Service) keepFailed(record Record, about recordInfo, err error) error {
	refusal, judged := classifyFailure(err)
	if !judged {
		return err
	}
	if !registry.IsSlug(record.Slug) { // not a table's name: the error is that of the key's check
		return fault.New(fault.Unavailable, "unconfirmed", "temporarily unavailable").Because(err)
	}
	if lost := s.keep(record, about, refusal); lost != nil {
		if refusal.Kind == fault.Invalid {
			err = errors.New(refusal.Code) // this is logged, and the message may quote the record
		}
		known := "the record was not kept"
		if pg.OutcomeUnknown(err) {
			known = "whether the record was stored is not known"
		}
		return fault.New(fault.Unavailable, "not_kept", "temporarily unavailable; %s, send it again", known).
			Because(fmt.Errorf("dead letter not kept: %w (after: %w)", lost, err))
	}
	s.metrics.DeadLetter(about.label, refusal.Code)
	return refusal
}

// classifyFailure returns the error that a sender gets for a record that was not stored. judged
// reports whether the record was refused by a rule or lost to an internal error; only then
// is it kept as a dead letter.
func classifyFailure(err error) (refusal *fault.Error, judged bool) {
	known := errors.As(err, &refusal)
	switch {
	case known && refusal.Kind == fault.Invalid:
		return refusal, true
	case known && refusal.Kind == fault.Conflict: // a unique constraint; to the sender it is a duplicate key
		return fault.New(fault.Invalid, refusal.Code, "duplicate key: %s", refusal.Message).Because(err), true
	case pg.OutcomeUnknown(err):
		return refusal, true
	case known && refusal.Kind != fault.Internal && refusal.Code != "database_away":
		return refusal, false
	}
	return fault.New(fault.Internal, "fault", "temporary failure, safe to retry").Because(err), true
}

// newDeadLetter makes the dead letter of a refused record.
func newDeadLetter(record Record, about recordInfo, refusal *fault.Error) deadLetter {
	status, _ := fault.Public(refusal)
	l := deadLetter{
		ID: uuid.Must(uuid.NewV7()), Tenant: record.By.Tenant, Workspace: record.By.Workspace, Slug: record.Slug,
		Status: int64(status), Code: refusal.Code, Message: refusal.Message, Errors: refusal.Fields,
		Payload: record.Body, RecordKey: about.recordKey, Key: record.By.Key, RequestID: record.RequestID,
		Sequence: record.keptSequence(),
		At:       time.Now().UTC().Truncate(time.Microsecond), // PostgreSQL's precision: times are compared
	}
	if record.By.Key == uuid.Nil {
		l.Actor = &record.By.Actor
	}
	return l
}

// keep writes the dead letter, or counts a repeat of one that is still open.
func (s *Service) keep(record Record, about recordInfo, refusal *fault.Error) error {
	e := &envelope{hash: sha256.Sum256(record.Body), letter: newDeadLetter(record, about, refusal)}
	key := rowKey{record.By.Tenant, record.Slug, string(e.hash[:])}
	cause := s.letters.do(key, len(record.Body), time.Now(), e)
	if cause == nil {
		return e.err
	}
	// The lane is full, slow or closed, or it panicked. If it wrote the letter nevertheless,
	// loading the spool recognises the letter by its id.
	var err error
	panicked := s.letters.recoverPanic(func() { err = s.toSpool([]*envelope{e}, cause) })
	return cmp.Or(panicked, err)
}

// flushLetters keeps a batch of dead letters: in the database, or else in the spool.
// While letters wait in the spool, others follow them there, so that they keep their order
// and no sender waits for a database that is unavailable.
func (s *Service) flushLetters(batch []*envelope) (answer func()) {
	first, second := s.toDatabase, s.toSpool
	if waiting, _ := s.spool.Held(); waiting > 0 {
		first, second = second, first
	}
	err := first(batch, nil)
	if err != nil {
		err = second(batch, err)
	}
	return func() {
		for _, e := range batch {
			e.err = err
		}
	}
}

// toDatabase writes letters in one transaction. cause is the spool's error, if that was
// tried first.
func (s *Service) toDatabase(batch []*envelope, cause error) error {
	ctx, cancel := context.WithTimeout(context.Background(), letterTimeout)
	defer cancel()
	tallies := make([]tally, 0, len(batch))
	for _, e := range batch {
		tallies = append(tallies,
			tally{id: e.letter.ID, latest: e.letter, hash: e.hash, seen: 1}) // zero times: the database's clock
	}
	if err := s.insert(ctx, tallies); err != nil {
		return errors.Join(err, cause)
	}
	return nil
}

// tally is a dead letter and its repeats.
type tally struct {
	id          uuid.UUID // the first one's
	latest      deadLetter
	hash        [32]byte
	seen        int64
	first, last time.Time // zero: now
}

// insert writes tallies of distinct payloads in one transaction.
func (s *Service) insert(ctx context.Context, tallies []tally) error {
	var tenants []uuid.UUID
	for _, t := range tallies {
		if !slices.Contains(tenants, t.latest.Tenant) {
			tenants = append(tenants, t.latest.Tenant)
		}
	}
	return s.cells.InTenants(ctx, tenants, func(tx pgx.Tx) error { return insertIn(ctx, tx, tallies) })
}

func insertIn(ctx context.Context, tx pgx.Tx, tallies []tally) error {
	var rows q.KeepDeadLettersParams
	for _, t := range tallies {
		if err := appendTally(&rows, t); err != nil {
			return err
		}
	}
	return q.New(tx).KeepDeadLetters(ctx, rows)
}

func appendTally(rows *q.KeepDeadLettersParams, t tally) error {
	l := t.latest
	fields, err := json.Marshal(append([]fault.Field{}, l.Errors...))
	firstField := ""
	if len(l.Errors) > 0 {
		firstField = l.Errors[0].Field
	}
	rows.TenantIds = append(rows.TenantIds, l.Tenant)
	rows.Ids = append(rows.Ids, t.id)
	rows.WorkspaceIds = append(rows.WorkspaceIds, l.Workspace)
	rows.Slugs = append(rows.Slugs, l.Slug)
	rows.HttpStatuses = append(rows.HttpStatuses, l.Status)
	rows.Codes = append(rows.Codes, l.Code)
	rows.Fields = append(rows.Fields, firstField)
	rows.Messages = append(rows.Messages, l.Message)
	rows.Errors = append(rows.Errors, fields)
	rows.Payloads = append(rows.Payloads, l.Payload)
	rows.PayloadHashes = append(rows.PayloadHashes, t.hash[:])
	rows.RecordKeys = append(rows.RecordKeys, l.RecordKey)
	rows.KeyIds = append(rows.KeyIds, l.Key)
	rows.Actors = append(rows.Actors, actorJSON(l.Actor))
	rows.RequestIds = append(rows.RequestIds, l.RequestID)
	rows.Sequences = append(rows.Sequences, string(l.Sequence))
	rows.Seen = append(rows.Seen, t.seen)
	rows.FirstSeenAt = append(rows.FirstSeenAt, t.first)
	rows.LastSeenAt = append(rows.LastSeenAt, t.last)
	return err
}

// actorJSON returns the actor as JSON, or null for a letter sent with a key.
func actorJSON(actor *auth.Actor) []byte {
	if actor == nil {
		return []byte("null")
	}
	return actor.JSON()
}
