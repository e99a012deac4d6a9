package ingest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/share"
)

var (
	// errStale: the registry changed after the record was sanitised. Try again.
	errStale = errors.New("the table's registration changed")
	// errRaced: the row changed between read and write, so nothing was written. Try again
	// and lock the row first.
	errRaced = errors.New("another writer was faster")
	// errDryRun rolls back a transaction that succeeded.
	errDryRun = errors.New("dry run")
)

const (
	// mostRecords is how many records a batch holds. Larger batches save little more and
	// delay the records that come after them.
	mostRecords      = 96
	mostSteps        = 64 // savepoints in one transaction
	stepSize         = 8  // records that share a savepoint in the first round of replay
	deadlockAttempts = 3  // how often a batch is tried if it meets deadlocks
)

// ticket is one sanitised record waiting for its verdict.
type ticket struct {
	clean   sanitized
	record  Record
	mode    mode
	verdict verdict
	err     error

	expected pgtype.Int8 // the version that the row must have; null: any
}

// judge sends a record through its lane and returns the verdict on it. By then the record
// is committed, and linked with the rows that waited for it.
func (s *Service) judge(ctx context.Context, clean sanitized, record Record, how mode) (verdict, error) {
	t := &ticket{clean: clean, record: record, mode: how,
		expected: pgtype.Int8{Int64: record.Version, Valid: record.Version != 0 || record.NewID != ""}}
	if gate := s.gate(&record); gate != nil && how != check {
		s.writeThroughGate(ctx, gate, t)
		return t.verdict, t.err
	}
	if how != check && record.By.Actor.Type == auth.BySync {
		t.mode = admitted // guards are for keys: a sync keeps rules of its own
	}
	if record.DryRun {
		s.rehearse(ctx, t)
		if t.isGuarded() {
			s.writeThroughGate(ctx, s.gates[record.Slug].Keys, t)
		}
		return t.verdict, t.err
	}
	lanes := s.lanes
	if s.marks.has(t.key()) {
		lanes = s.detour
	}
	defer share.Away(ctx)() // a lane writes the records of many
	for {
		if err := lanes.do(t.key(), len(record.Body), record.taken, t); err != nil {
			return verdict{}, err
		}
		switch {
		case errors.Is(t.err, errDetour):
			lanes = s.detour
		case t.isGuarded():
			lanes = s.guarded // which admits the record or refuses it
		default:
			return t.verdict, t.err
		}
	}
}

// key returns the key of the ticket's row.
func (t *ticket) key() rowKey {
	return rowKey{t.record.By.Tenant, t.clean.table.Slug, t.clean.identity}
}

// refuse gives the ticket an error instead of a verdict.
func (t *ticket) refuse(err error) { t.verdict, t.err = verdict{}, err }

// rehearse runs a record's statement alone and rolls it back.
func (s *Service) rehearse(ctx context.Context, t *ticket) {
	err := s.cells.InTenant(ctx, t.record.By.Tenant, func(tx pgx.Tx) error {
		batch := &pgx.Batch{}
		judged := s.queue(batch, pg.Clock{}, []*ticket{t})
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		judged()
		if t.verdict.created != nil && *t.verdict.created {
			near := &pgx.Batch{}
			queueNear(near, []*ticket{t})
			if err := tx.SendBatch(ctx, near).Close(); err != nil {
				return err
			}
		}
		return errDryRun
	})
	if !errors.Is(err, errDryRun) {
		t.err = err
	}
}

// flush writes a batch in one transaction. If PostgreSQL refuses the batch, flush tries
// records under savepoints, so that one bad record does not fail the others. It sends
// records of locked tables to the detour. It returns the work after the commit: linking.
func (s *Service) flush(batch []*ticket) (answer func()) {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	err := s.send(ctx, batch)
	switch {
	case pg.Locked(err):
		s.storeAroundLocks(ctx, batch)
	case err != nil:
		s.replay(ctx, batch, err)
	}
	return func() {
		defer cancel()
		s.link(ctx, batch)
	}
}

// send writes a batch in one transaction, and tries again after a deadlock.
func (s *Service) send(ctx context.Context, batch []*ticket) (err error) {
	tenants, groups := tenantsOf(batch), groupByShape(batch)
	for range deadlockAttempts {
		var judged []func()
		err = s.cells.InBatch(ctx, tenants, func(b *pgx.Batch, clock pg.Clock) {
			judged = s.queueAll(b, clock, groups)
		})
		if err == nil {
			for _, take := range judged {
				take()
			}
		}
		if !pg.Retryable(err) {
			return err
		}
	}
	return err
}

// replay gives each record of a failed batch its own answer. It tries a few records at a
// time, since most are fine, and then the records of the groups that failed one by one.
func (s *Service) replay(ctx context.Context, batch []*ticket, cause error) {
	if len(batch) == 1 || !pg.Refused(cause) {
		for _, t := range batch {
			t.refuse(cause)
		}
		return
	}
	var suspects []*ticket
	few := slices.Collect(slices.Chunk(batch, stepSize))
	for i, err := range s.inSteps(ctx, 0, few) {
		if err != nil && len(few[i]) > 1 {
			suspects = append(suspects, few[i]...)
		}
	}
	s.inSteps(ctx, 0, slices.Collect(slices.Chunk(suspects, 1)))
}

// inSteps stores each group under a savepoint of its own. It returns the groups' errors and
// sets them in the tickets too. Each group waits for locks no longer than lockTimeout; 0: as
// long as a lane does.
func (s *Service) inSteps(ctx context.Context, lockTimeout time.Duration, groups [][]*ticket) []error {
	errs := make([]error, 0, len(groups))
	for chunk := range slices.Chunk(groups, mostSteps) {
		steps := make([]func(*pgx.Batch, pg.Clock), 0, len(chunk))
		judged := make([][]func(), len(chunk))
		for i, group := range chunk {
			steps = append(steps, func(b *pgx.Batch, clock pg.Clock) {
				judged[i] = s.queueAll(b, clock, groupByShape(group))
			})
		}
		failed, err := s.cells.InBatchSteps(ctx, tenantsOf(slices.Concat(chunk...)), lockTimeout, steps)
		for i, group := range chunk {
			failed[i] = cmp.Or(err, failed[i])
			for _, t := range group {
				t.refuse(failed[i])
			}
			if failed[i] == nil {
				for _, take := range judged[i] {
					take()
				}
			}
		}
		errs = append(errs, failed...)
	}
	return errs
}

// queueAll queues the statements for groups, each of one shape. If records of one table are
// spread over several statements, their rows are locked first, in the order of their keys,
// so that instances that write the same rows queue instead of deadlocking. So are those of
// overtaken deliveries.
func (s *Service) queueAll(b *pgx.Batch, clock pg.Clock, groups [][]*ticket) (judged []func()) {
	for from, to := 0, 0; from < len(groups); from = to {
		var together []*ticket
		for ; to < len(groups) && groups[to][0].clean.table.Slug == groups[from][0].clean.table.Slug; to++ {
			together = append(together, groups[to]...)
		}
		if to-from > 1 || together[0].overtaken() {
			slices.SortFunc(together, byKey)
			tenants, identities := keysOf(together)
			b.Queue(lockStatement(together[0].clean.table), tenants, identities, together[0].clean.table.Slug)
		}
		for _, group := range groups[from:to] {
			judged = append(judged, s.queue(b, clock, group))
		}
	}
	return judged
}

// queue queues the statement for tickets of one shape. The caller calls judged after the
// commit, which sets the tickets' verdicts.
func (s *Service) queue(b *pgx.Batch, clock pg.Clock, group []*ticket) (judged func()) {
	stmt := s.statements.get(group[0])
	verdicts := make([]verdict, len(group))
	ordered := group[0].ordered()
	lockRetries(b, group)
	b.Queue(stmt.sql, arguments(stmt, clock, s.wait, group)...).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var v verdict
			into := []any{&v.ord, &v.keyLive, &v.current, &v.late, &v.elsewhere, &v.newer, &v.fresh, &v.unknown, &v.warned, &v.guarded,
				&v.sure, &v.created, &v.waits, &v.version}
			if ordered {
				into = append(into, &v.stale)
			}
			if err := rows.Scan(into...); err != nil {
				return err
			}
			verdicts[v.ord-1] = v
		}
		return rows.Err()
	})
	return func() {
		for i, t := range group {
			t.verdict, t.err = verdicts[i], nil
		}
	}
}

// groupByShape sorts a batch into groups that one statement can store. Groups and
// records are in a fixed order, so that two batches lock rows in the same order.
func groupByShape(batch []*ticket) [][]*ticket {
	byShape := map[shapeKey][]*ticket{}
	var keys []shapeKey
	for _, t := range batch {
		key := t.shapeKey()
		if byShape[key] == nil {
			keys = append(keys, key)
		}
		byShape[key] = append(byShape[key], t)
	}
	slices.SortFunc(keys, shapeKey.compare)
	groups := make([][]*ticket, 0, len(keys))
	for _, key := range keys {
		slices.SortFunc(byShape[key], byKey)
		groups = append(groups, byShape[key])
	}
	return groups
}

// byKey orders tickets of one table in the order in which their rows are locked.
func byKey(a, b *ticket) int {
	return cmp.Or(bytes.Compare(a.record.By.Tenant[:], b.record.By.Tenant[:]),
		cmp.Compare(a.clean.identity, b.clean.identity))
}

// keysOf returns the tickets' tenants and identities as parameters.
func keysOf(group []*ticket) (uuids, texts) {
	tenants, identities := make(uuids, len(group)), make(texts, len(group))
	for i, t := range group {
		tenants[i], identities[i] = asUUID(t.record.By.Tenant), asText(t.clean.identity)
	}
	return tenants, identities
}

func tenantsOf(batch []*ticket) []uuid.UUID {
	seen := make(map[uuid.UUID]struct{}, len(batch))
	var tenants []uuid.UUID
	for _, t := range batch {
		if _, known := seen[t.record.By.Tenant]; !known {
			seen[t.record.By.Tenant] = struct{}{}
			tenants = append(tenants, t.record.By.Tenant)
		}
	}
	return tenants
}

// arguments returns the statement's parameters, in the order of the param constants. The
// arrays have pgx's own types, which it encodes without reflection.
func arguments(stmt statement, clock pg.Clock, wait time.Duration, group []*ticket) []any {
	n := len(group)
	var (
		tenants, identities      = keysOf(group)
		workspaces, keys, events = make(uuids, n), make(uuids, n), make(uuids, n)
		ids, actors, requests    = make(texts, n), make(texts, n), make(texts, n)
		complete                 = make(pgtype.FlatArray[pgtype.Bool], n)
		retries                  = make(texts, n)
		deadlines                = make(pgtype.FlatArray[pgtype.Timestamptz], n)
		expected                 = make(pgtype.FlatArray[pgtype.Int8], n)
		table                    = group[0].clean.table
	)
	for i, t := range group {
		by := &t.record.By
		workspaces[i] = asUUID(by.Workspace)
		keys[i] = pgtype.UUID{Bytes: by.Key, Valid: by.Key != uuid.Nil}
		ids[i], events[i] = asText(t.record.NewID), asUUID(uuid.Must(uuid.NewV7()))
		if t.record.NewID == "" {
			ids[i] = asText(uuid.Must(uuid.NewV7()).String())
		}
		actors[i], requests[i] = asText(string(by.Actor.JSON())), asText(t.record.RequestID)
		complete[i] = pgtype.Bool{Bool: len(t.clean.missing) == 0, Valid: true}
		retries[i] = t.record.retryTerms()
		deadlines[i] = pgtype.Timestamptz{Time: clock.There(t.record.taken.Add(wait)), Valid: !t.record.taken.IsZero()}
		expected[i] = t.expected
	}
	args := []any{
		tenants, workspaces, keys, identities, ids, events, actors, requests, complete, retries, expected, deadlines,
		table.Version, table.Slug, table.EventType(),
	}
	if group[0].ordered() {
		sequences := make(texts, n)
		for i, t := range group {
			sequences[i] = asText(string(t.clean.sequence))
		}
		args = append(args, sequences)
	}
	args = append(args, columnArguments(stmt, group)...)
	for _, value := range stmt.defaults {
		args = append(args, value)
	}
	return args
}

// columnArguments returns the values of the columns: an array for each column of the schema, the documents if there are any,
// and an array for each reference in them.
func columnArguments(stmt statement, group []*ticket) (args []any) {
	var referring []any
	for c, first := range group[0].clean.columns {
		documented := inDocument(group[0].clean.table, first.column)
		if documented && first.column.Reference == nil {
			continue
		}
		values := make(texts, len(group))
		for i, t := range group {
			v := t.clean.columns[c].value
			values[i] = pgtype.Text{String: v.text, Valid: !v.null}
		}
		if documented {
			referring = append(referring, values)
		} else {
			args = append(args, values)
		}
	}
	if stmt.documented {
		documents := make(texts, len(group))
		for i, t := range group {
			documents[i] = asText(document(t.clean))
		}
		args = append(args, documents)
	}
	return append(args, referring...)
}

type (
	uuids = pgtype.FlatArray[pgtype.UUID]
	texts = pgtype.FlatArray[pgtype.Text]
)

func asUUID(id uuid.UUID) pgtype.UUID { return pgtype.UUID{Bytes: id, Valid: true} }

func asText(text string) pgtype.Text { return pgtype.Text{String: text, Valid: true} }

// document returns a record's values that are stored in a document, without the identity, each in its type's JSON form.
// The statement fills in references.
func document(clean sanitized) string {
	doc := []byte{'{'}
	for _, c := range clean.columns {
		if c.column.Name == clean.table.ConflictColumn || !inDocument(clean.table, c.column) {
			continue
		}
		if len(doc) > 1 {
			doc = append(doc, ',')
		}
		doc = append(strconv.AppendQuote(doc, c.column.Name), ':')
		if c.column.Reference != nil {
			doc = append(doc, "null"...)
			continue
		}
		doc = append(doc, jsonForm(c.column.Type, c.value)...)
	}
	return string(append(doc, '}'))
}

// jsonForm returns a value in the JSON form in which its type is stored in a document.
func jsonForm(of registry.Type, v value) string {
	switch {
	case v.null:
		return "null"
	case of == registry.Number:
		return registry.JSONNumber(v.text)
	case of == registry.Boolean:
		return v.text
	}
	quoted, _ := json.Marshal(v.text) // valid UTF-8
	return string(quoted)
}
