// Package ingest is the write path. A body is decoded, mended by its table's rules, reduced to
// its table's columns, coerced, stored with its event in one transaction, and linked with the records that
// wait for it; or it is refused with exact reasons and kept as a dead letter.
//
// A caller is told that a record is stored only after a commit that wrote it. Key and
// registry are checked inside that transaction, and again before every refusal, so a
// stale cache never decides an answer.
package ingest

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/event"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/spool"
	"github.com/quayside/quayside/internal/telemetry"
)

const (
	// storeTimeout bounds the database work of one record, which goes on if the caller
	// hangs up.
	storeTimeout = 20 * time.Second
	// attempts bounds the tries of a record when another writer changes the row first. A table
	// that changed meanwhile does not count: storeTimeout bounds these tries.
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
	detour     *batcher[*ticket] // for records that other transactions have locked
	guarded    *batcher[*ticket] // for records that would change guarded rows
	marks      marks
	wait       time.Duration // how long a record may wait to be stored
	letters    *batcher[*envelope]
	spool      *spool.Spool
	gates      map[string]Gates
	saw        func(Unknown) // nil: nobody asks

	changes  *event.Reader             // of the sweep
	sweeping sync.Mutex                // guards changes and unlinked
	unlinked map[string]map[waiter]int // by dependency: what the sweep has to try again, and how often it has
}

// Config says how records are batched, and where dead letters are spooled while PostgreSQL
// is unavailable.
type Config struct {
	Lanes       int           // concurrent transactions
	Queued      int           // records that may wait in each lane; more are refused at once
	QueuedBytes int64         // total size of the records that may wait in each lane; 0: 64 MiB
	Wait        time.Duration // how long a record may wait before it is refused; 0: 5 s
	Spool       *spool.Spool  // nil: no spool

	Gates map[string]Gates // by slug: the rules of that table

	// Unknown is told of the fields of stored records that their tables do not have. It may not wait for anything.
	Unknown func(Unknown)
}

// New returns the service. Close ends its lanes.
func New(cells *pg.Cells, tables *registry.Service, log *slog.Logger, metrics *telemetry.Metrics, cfg Config) *Service {
	s := &Service{cells: cells, registry: tables, log: log, metrics: metrics, statements: newStatements(cfg.Gates),
		spool: cfg.Spool, gates: cfg.Gates, saw: cfg.Unknown, marks: marks{until: map[rowKey]time.Time{}},
		wait: cmp.Or(cfg.Wait, defaultWait), changes: event.NewReader(cells, sweepReader),
		unlinked: map[string]map[waiter]int{}}
	if s.spool == nil {
		s.spool = &spool.Spool{} // not opened: it refuses every entry
	}
	within := limits{records: cfg.Queued, bytes: cmp.Or(cfg.QueuedBytes, 64<<20), wait: s.wait, batch: mostRecords}
	s.lanes = newBatcher("records", cfg.Lanes, within, log, s.flush)
	s.detour = newBatcher("locked records", 1, within, log, s.flushDetour)
	within.batch = mostGuarded
	s.guarded = newBatcher("guarded records", guardedLanes, within, log, s.flushGuarded)
	within.batch = mostLetters
	s.letters = newBatcher("dead letters", 1, within, log, s.flushLetters)
	s.observe()
	return s
}

// Close refuses new records, stores the waiting ones and returns when they are answered.
func (s *Service) Close() {
	s.lanes.close()
	s.detour.close()
	s.guarded.close()
	s.letters.close()
}

// Record is one record on its way in.
type Record struct {
	By        auth.Principal
	Slug      string
	Body      []byte
	RequestID string
	DryRun    bool // do everything, then roll back

	Attended bool   // a person waits for the answer, so a refusal makes no dead letter
	typed    bool   // a person typed the values into the table
	fill     bool   // rules give it the values that new records lack
	Version  int64  // refuse to change a row that is not at this version; 0: any version
	NewID    string // the id of a row to create; refuse if the row exists; empty: update or create
	Terms

	taken time.Time // when the request began
	fills Gate      // the condition on which a value is filled in; nil: none
}

// Terms are the conditions of a retry. A zero value sets no condition.
type Terms struct {
	Sequence string    // as the sender gave it, with the record or with the one that is tried again; see ReadSequence
	NotAfter time.Time // refuse to change a row changed after this; retries of earlier payloads do not count
	Key      string    // the identity that the record must have
	Attempt  *Attempt  // recorded with the row; nil: not recorded

	Sender   *auth.Actor // the original sender, if the caller sends the record again unchanged
	External bool        // a record from an external system, sent again unchanged: no gate applies
	Origin   *Origin     // what an external system sent, if this is a retry of it: the table's rules apply
}

// conditional reports whether the record is stored only if its row meets a condition. The
// row must then be locked before it is judged.
func (r *Record) conditional() bool {
	return !r.NotAfter.IsZero() || r.Version != 0 || r.NewID != "" || r.Attempt != nil
}

// Result says what an accepted record did to its row.
type Result string

// The results.
const (
	Created   Result = "created"
	Updated   Result = "updated"
	Unchanged Result = "unchanged"
	Stale     Result = "stale" // accepted, but a delivery with a greater sequence is stored: nothing was changed
)

// Outcome describes an accepted record.
type Outcome struct {
	Result    Result
	EventType string
	Version   int64    // the row's version after the write
	Dropped   []string // sent fields that the table does not accept, or whose value a gate has replaced
	Passed    int      // fields beyond those of Dropped that the table does not have
	Coerced   []string // fields stored in another form than sent, by their type or by a rule
	Warnings  []Warning
}

// Admit returns the table if it exists and the scope of the principal's key covers it.
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

// RecheckKey reads the principal's key again and returns auth.ErrDeadKey if it no longer
// works, or auth.ErrSuspended. That error replaces any other answer.
func (s *Service) RecheckKey(ctx context.Context, by auth.Principal) error {
	if by.Key == uuid.Nil {
		return nil
	}
	return s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		key, err := q.New(tx).GetKeyState(ctx, q.GetKeyStateParams{TenantID: by.Tenant, ID: by.Key})
		switch {
		case errors.Is(err, pgx.ErrNoRows), err == nil && !key.Live:
			return auth.ErrDeadKey
		case err == nil && key.Suspended:
			return auth.ErrSuspended
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

// Write stores one record, or returns the exact reasons why not. A record that was refused
// for its data or lost to an internal error is kept as a dead letter first.
func (s *Service) Write(ctx context.Context, record Record) (Outcome, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	outcome, about, err := s.write(ctx, record)
	if err == nil {
		return outcome, nil
	}
	if record.DryRun || record.Attended {
		refusal, _ := classifyFailure(err)
		return Outcome{}, refusal
	}
	return Outcome{}, s.keepFailed(record, about, err)
}

// Rehearse returns what Write would return for a record, and stores nothing.
func (s *Service) Rehearse(ctx context.Context, by auth.Principal, slug string, body []byte, terms Terms) (
	Outcome, error) {
	if err := by.Require(auth.SendTestRecords); err != nil {
		return Outcome{}, err
	}
	by.Scope = slug // a person has no key; the permission stands in for its scope
	return s.Write(ctx, Record{By: by, Slug: slug, Body: body, RequestID: telemetry.RequestID(ctx), DryRun: true,
		Terms: terms})
}

// errNewer keeps a retry from overwriting a change that came after the failure.
var errNewer = fault.New(fault.Stale, "newer",
	"the record was changed after this import failed; retry with overwrite to replace it")

var errOtherRecord = fault.New(fault.Forbidden, "other_record",
	"this is not the record that failed; correct its values, but keep the field that identifies it")

// Retry stores a failed record again for a person, exactly as a live request would. A gate
// applies unless the terms say that the record is External.
func (s *Service) Retry(ctx context.Context, by auth.Principal, slug string, body []byte, terms Terms) (
	Outcome, error) {
	if err := by.Require(auth.RetryFailures); err != nil {
		return Outcome{}, err
	}
	by.Scope = slug // a person has no key; the permission stands in for its scope
	return s.Write(ctx, Record{By: by, Slug: slug, Body: body, RequestID: telemetry.RequestID(ctx), Attended: true,
		Terms: terms})
}

// write decodes, sanitises and stores a record. It tries again if the registry was stale or
// the row changed concurrently. about describes the record for a dead letter.
func (s *Service) write(ctx context.Context, record Record) (outcome Outcome, about recordInfo, err error) {
	how := write
	if !record.DryRun {
		record.taken = time.Now()
	}
	if record.conditional() {
		how = lockFirst
	}
	table, err := s.Admit(ctx, record.By, record.Slug)
	if err != nil {
		return Outcome{}, about, err
	}
	given, tried := record.NewID, false // tried with the values of rules for new records
	for left := attempts; left > 0; left-- {
		outcome, about, err = s.try(ctx, table, record, how)
		if unexplained(err) || errors.Is(err, auth.ErrDeadKey) { // a changed table can break a statement; a key may be suspended
			err = s.recheck(ctx, table, record.By, err)
		}
		switch {
		case errors.Is(err, errStale):
			stale := table
			if table, err = s.registry.Reload(ctx, record.By.Tenant, record.Slug); err != nil {
				return Outcome{}, about, err
			}
			if table != stale {
				left++
			}
		case errors.Is(err, errRaced):
			how = lockFirst
		case pg.Retryable(err):
		case !tried && record.fillable(table, err):
			tried, record.fill, how = true, true, lockFirst
			record.NewID = cmp.Or(record.NewID, uuid.Must(uuid.NewV7()).String())
		case record.fill && fault.HasCode(err, errNewer.Code): // it is not new, or not any more
			record.fill, record.NewID = false, given
		default:
			return outcome, about, err
		}
	}
	return Outcome{}, about, err
}

// unexplained reports whether an error is neither a refusal nor a reason to try again.
func unexplained(err error) bool {
	var explained *fault.Error
	return err != nil && !errors.As(err, &explained) && !errors.Is(err, errStale) && !errors.Is(err, errRaced) &&
		!pg.Retryable(err)
}

// try stores the record, provided that the table is still at its cached version.
func (s *Service) try(ctx context.Context, table *registry.Table, record Record, how mode) (
	Outcome, recordInfo, error) {
	rules := record.rules(table)
	fields, passed, err := decodeFor(record.Body, table, rules)
	if err != nil {
		return Outcome{}, recordInfo{}, s.recheck(ctx, table, record.By, err)
	}
	fields, dropped := record.applyRules(rules, fields)
	clean := sanitize(table, fields, record.By.Zone, record.typed)
	clean.dropped, clean.passed = append(clean.dropped, dropped...), passed
	clean.order(&record, time.Now())
	about := recordInfo{recordKey: clean.identity, label: table.Label()}
	if clean.refused != nil {
		return Outcome{}, about, s.refuse(ctx, clean, record)
	}
	if record.Key != "" && record.Key != clean.identity {
		return Outcome{}, about, errOtherRecord
	}
	found, err := s.judge(ctx, clean, record, how)
	if err != nil {
		return Outcome{}, about, err
	}
	outcome, err := found.outcome(clean)
	if err == nil && clean.unknown != nil && !record.DryRun && outcome.Result != Stale {
		s.tellUnknown(clean, record)
	}
	return outcome, about, err
}

// refuse returns all reasons against a record: those of sanitize and those that only the
// database knows. It checks key and registry too.
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

// invalid returns the refusal of a record for the given reasons.
func invalid(fields []fault.Field) error {
	var messages []string
	for _, f := range fields {
		messages = append(messages, f.Message)
	}
	err := fault.New(fault.Invalid, fields[0].Code, "%s", strings.Join(messages, "; "))
	err.Fields = fields
	return err
}
