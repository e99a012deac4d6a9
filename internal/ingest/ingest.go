// Package ingest is the write path, top to bottom: a body is decoded, reduced to
// its table's columns, coerced, stored with its event in one transaction, and
// linked with the records that wait for it; or it is refused, exactly, and kept
// as a dead letter.
//
// What a caller is told is stored was committed by a transaction that wrote
// something. Key and registry are confirmed inside that transaction, and before
// every refusal: caches only speed up.
package ingest

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/spool"
	"github.com/quayside/quayside/internal/telemetry"
)

const (
	// storeTimeout bounds the database work of one record. The work is not tied to
	// the caller's connection: a caller who hangs up harms nothing.
	storeTimeout = 20 * time.Second
	// attempts bounds how often a record is tried again because the registry
	// changed or another writer was faster.
	attempts = 5
	// defaultWait is how long a record may wait to be stored.
	defaultWait = 5 * time.Second
)

// Service stores records.
type Service struct {
	cells    *pg.Cells
	registry *registry.Service
	log      *slog.Logger
	metrics  *telemetry.Metrics

	statements statements
	lanes      *batcher[*ticket]
	detour     *batcher[*ticket] // for records that others have locked
	marks      marks
	wait       time.Duration // how long a record may wait to be stored
	letters    *batcher[*envelope]
	spool      *spool.Spool
	gates      map[string]Gate
}

// Config says how records are batched, and where dead letters wait that PostgreSQL
// cannot take.
type Config struct {
	Lanes       int           // transactions under way at once
	Queued      int           // records that may wait in each lane; more are refused at once
	QueuedBytes int64         // and how large they may be together; 0: 64 MiB
	Wait        time.Duration // how long a record may wait; then it is refused; 0: 5 s
	Spool       *spool.Spool  // nil: nowhere

	Gates map[string]Gate // by slug: what binds people and agents in that table
}

// New returns the service. Close ends its lanes.
func New(cells *pg.Cells, tables *registry.Service, log *slog.Logger, metrics *telemetry.Metrics, cfg Config) *Service {
	s := &Service{cells: cells, registry: tables, log: log, metrics: metrics, statements: newStatements(),
		spool: cfg.Spool, gates: cfg.Gates, marks: marks{until: map[lineKey]time.Time{}},
		wait: cmp.Or(cfg.Wait, defaultWait)}
	if s.spool == nil {
		s.spool = &spool.Spool{} // never opened: it takes nothing
	}
	within := limits{records: cfg.Queued, bytes: cmp.Or(cfg.QueuedBytes, 64<<20), wait: s.wait, batch: mostRecords}
	s.lanes = newBatcher("records", cfg.Lanes, within, log, s.flush)
	s.detour = newBatcher("locked records", 1, within, log, s.flushDetour)
	within.batch = mostLetters
	s.letters = newBatcher("dead letters", 1, within, log, s.flushLetters)
	s.observe()
	return s
}

// Close refuses new records, stores those that wait and returns when they are
// answered.
func (s *Service) Close() {
	s.lanes.close()
	s.detour.close()
	s.letters.close()
}

// Record is one record on its way in.
type Record struct {
	By        auth.Principal
	Slug      string
	Body      []byte
	RequestID string
	DryRun    bool // do everything, keep nothing

	// A record that a person waits for: a refusal is theirs to see, and no dead letter. A
	// row that is not at Version is left alone, and so is one that is there already when the
	// record is New.
	Attended bool
	Version  int64  // 0: any
	New      string // the id that the row shall have; empty: there may be a row
	Terms

	taken time.Time // when the work on it began
}

// Terms are what a retry must keep to. Zero values ask for nothing.
type Terms struct {
	NotAfter time.Time // a row that was changed after it is left alone; retries of earlier payloads do not count
	Key      string    // the record must be this one, and no other
	Attempt  *Attempt  // of which it is; nil: it leaves no trace but the row

	Sender   *auth.Actor // the person who sent it first, when the caller only sends it again
	External bool        // an external system's statement, sent again unchanged: no gate binds it
}

// conditional says whether the record asks something of its row. The row must then be
// locked before it is judged: what is found out afterwards has been overwritten.
func (r *Record) conditional() bool {
	return !r.NotAfter.IsZero() || r.Version != 0 || r.New != "" || r.Attempt != nil
}

// Result says what an accepted record did to its row.
type Result string

// The results.
const (
	Created   Result = "created"
	Updated   Result = "updated"
	Unchanged Result = "unchanged"
)

// Outcome is what is said of an accepted record.
type Outcome struct {
	Result    Result
	EventType string
	Version   int64    // of the row, now
	Dropped   []string // fields that the table does not take
	Coerced   []string // fields stored in another form than sent
}

// Admit says whether the principal may write to the table: not when there is none,
// not when the key's scope does not cover it.
func (s *Service) Admit(ctx context.Context, by auth.Principal, slug string) (*registry.Table, error) {
	table, err := s.registry.Table(ctx, by.Tenant, slug)
	if err == nil && by.MayWrite(slug) {
		return table, nil
	}
	if err != nil && !fault.Is(err, fault.NotFound) {
		return nil, err
	}
	if gone := s.RecheckKey(ctx, by); gone != nil {
		return nil, gone
	}
	if err != nil {
		return nil, err
	}
	if _, err := s.registry.Current(ctx, by.Tenant, table); err != nil {
		return nil, err
	}
	return nil, fault.New(fault.Forbidden, "missing_scope", "missing scope: %s", slug)
}

// RecheckKey reads the principal's key again. If it no longer works the answer is 401, whatever
// it was going to be.
func (s *Service) RecheckKey(ctx context.Context, by auth.Principal) error {
	if by.Key == uuid.Nil {
		return nil
	}
	return s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		live, err := q.New(tx).KeyIsLive(ctx, q.KeyIsLiveParams{TenantID: by.Tenant, ID: by.Key})
		if err == nil && !live {
			return auth.ErrDeadKey
		}
		return err
	})
}

// RecheckRefusal reads key and table again before a refusal that was decided without the database
// is answered. It returns the refusal, or an error if the key no longer works or the table is gone.
// It goes on if the caller hangs up.
func (s *Service) RecheckRefusal(ctx context.Context, by auth.Principal, slug string, refusal error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	if dead := s.RecheckKey(ctx, by); dead != nil {
		return dead
	}
	if _, gone := s.registry.Reload(ctx, by.Tenant, slug); gone != nil {
		return gone
	}
	return refusal
}

// Write stores one record, or says exactly why not. A refusal that the data earned
// and a fault of ours are kept as dead letters before the answer.
func (s *Service) Write(ctx context.Context, record Record) (Outcome, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	outcome, about, err := s.write(ctx, record)
	if err == nil {
		return outcome, nil
	}
	if record.DryRun || record.Attended {
		refusal, _ := sentence(err)
		return Outcome{}, refusal
	}
	return Outcome{}, s.keepFailed(record, about, err)
}

// Rehearse shows a person what would become of a record, and keeps nothing of it.
func (s *Service) Rehearse(ctx context.Context, by auth.Principal, slug string, body []byte, terms Terms) (
	Outcome, error) {
	if err := by.Require(auth.SendTestRecords); err != nil {
		return Outcome{}, err
	}
	by.Scope = slug // a person has no key; the permission stands in for its scope
	return s.Write(ctx, Record{By: by, Slug: slug, Body: body, RequestID: telemetry.RequestID(ctx), DryRun: true,
		Terms: terms})
}

// errNewer keeps a retry from undoing what came after the failure.
var errNewer = fault.New(fault.Stale, "newer",
	"the record was changed after this import failed; retry with overwrite to replace it")

var errOther = fault.New(fault.Forbidden, "other_record",
	"this is another record than the one that failed; correct it, but keep what identifies it")

// Retry stores a record that had failed, for a person, exactly as a live request would. What
// they have edited, or sent in the first place, is bound as everything that they cause is.
func (s *Service) Retry(ctx context.Context, by auth.Principal, slug string, body []byte, terms Terms) (
	Outcome, error) {
	if err := by.Require(auth.RetryFailures); err != nil {
		return Outcome{}, err
	}
	by.Scope = slug // a person has no key; the permission stands in for its scope
	return s.Write(ctx, Record{By: by, Slug: slug, Body: body, RequestID: telemetry.RequestID(ctx), Attended: true,
		Terms: terms})
}

// write decodes, sanitises and stores, again when the registry turned out stale or
// the row changed under our eyes. The letter says what is known of the record should
// it have to be kept.
func (s *Service) write(ctx context.Context, record Record) (outcome Outcome, about letter, err error) {
	how := write
	if !record.DryRun {
		record.taken = time.Now()
	}
	if record.conditional() {
		how = insist
	}
	for range attempts {
		var table *registry.Table
		if table, err = s.Admit(ctx, record.By, record.Slug); err != nil {
			return Outcome{}, about, err
		}
		outcome, about, err = s.try(ctx, table, record, how)
		if unexplained(err) { // a changed table can break a statement
			err = s.recheck(ctx, table, record.By, err)
		}
		switch {
		case errors.Is(err, errStale):
			if _, err := s.registry.Reload(ctx, record.By.Tenant, record.Slug); err != nil {
				return Outcome{}, about, err
			}
		case errors.Is(err, errRaced):
			how = insist
		case pg.Retryable(err):
		default:
			return outcome, about, err
		}
	}
	return Outcome{}, about, err
}

// unexplained says whether an error is neither a refusal nor a reason to try again.
func unexplained(err error) bool {
	var explained *fault.Error
	return err != nil && !errors.As(err, &explained) && !errors.Is(err, errStale) && !errors.Is(err, errRaced) &&
		!pg.Retryable(err)
}

// try stores the record with the table as it is thought to be.
func (s *Service) try(ctx context.Context, table *registry.Table, record Record, how mode) (Outcome, letter, error) {
	fields, err := decode(record.Body)
	if err != nil {
		return Outcome{}, letter{}, s.recheck(ctx, table, record.By, err)
	}
	clean := sanitize(table, fields, record.By.Zone)
	about := letter{recordKey: clean.identity, label: table.Label()}
	if clean.refused != nil {
		return Outcome{}, about, s.refuse(ctx, clean, record)
	}
	if record.Key != "" && record.Key != clean.identity {
		return Outcome{}, about, errOther
	}
	found, err := s.judge(ctx, clean, record, how)
	if err != nil {
		return Outcome{}, about, err
	}
	outcome, err := found.outcome(clean)
	return outcome, about, err
}

// refuse completes the list of what is wrong with a record by what only the
// database knows, confirming key and registry on the way.
func (s *Service) refuse(ctx context.Context, clean sanitized, record Record) error {
	if clean.identity == "" {
		return s.recheck(ctx, clean.table, record.By, invalid(clean.refused))
	}
	found, err := s.judge(ctx, clean, record, check)
	if err != nil {
		return err
	}
	return found.refusal(clean)
}

// recheck reads key and table again. It returns err if both are still as they were, errStale if the
// table has changed, and otherwise what is wrong with them.
func (s *Service) recheck(ctx context.Context, table *registry.Table, by auth.Principal, err error) error {
	if dead := s.RecheckKey(ctx, by); dead != nil {
		return dead
	}
	current, reread := s.registry.Current(ctx, by.Tenant, table)
	if reread != nil {
		return reread
	}
	if current != table {
		return errStale
	}
	return err
}

// invalid is the refusal of a record for the reasons given.
func invalid(fields []fault.Field) error {
	var messages []string
	for _, f := range fields {
		messages = append(messages, f.Message)
	}
	err := fault.New(fault.Invalid, fields[0].Code, "%s", strings.Join(messages, "; "))
	err.Fields = fields
	return err
}
