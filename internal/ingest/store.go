package ingest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/registry"
)

var (
	// errStale: the registry changed since the record was sanitised. Try again.
	errStale = errors.New("the table's registration changed")
	// errRaced: the row changed between our look and our write. Lock it, try again.
	errRaced = errors.New("another writer was faster")
	// errDryRun rolls a transaction back that did all it should.
	errDryRun = errors.New("dry run")
)

const (
	// mostRecords is how much a batch holds. Beyond it a batch saves little more and
	// keeps those waiting who come after it.
	mostRecords = 96
	mostSteps   = 64 // savepoints in one transaction
	stepSize    = 8  // records that first share one: most are innocent
	deadlocks   = 3  // how often a batch is tried again
)

// ticket is one sanitised record waiting for its verdict.
type ticket struct {
	clean   sanitized
	record  Record
	mode    mode
	verdict verdict
	err     error
	done    chan struct{}
}

// verdict is what the statement says of one record.
type verdict struct {
	ord       int
	keyLive   bool
	current   bool
	elsewhere bool     // the key belongs to a row of another workspace
	newer     bool     // the row is not as the record demands: changed since, or at another version
	fresh     bool     // no row was known
	unknown   []string // references that were not found
	sure      bool     // the row was what it was judged to be
	created   *bool    // of a row that was written
	waits     *bool    // whether that row waits for another record
	version   *int64   // of the row, now
}

// judge sends a record through its lane and returns the verdict on it. When it
// returns, what was written is committed, and linked with what waited for it.
func (s *Service) judge(ctx context.Context, clean sanitized, record Record, how mode) (verdict, error) {
	t := &ticket{clean: clean, record: record, mode: how, done: make(chan struct{})}
	if record.DryRun {
		s.rehearse(ctx, t)
		return t.verdict, t.err
	}
	if err := s.lanes.put(lineKey{record.By.Tenant, clean.table.Slug, clean.identity}, t); err != nil {
		return verdict{}, err
	}
	<-t.done
	return t.verdict, t.err
}

// rehearse runs a record's statement alone and rolls it back.
func (s *Service) rehearse(ctx context.Context, t *ticket) {
	err := s.cells.InTenant(ctx, t.record.By.Tenant, func(tx pgx.Tx) error {
		batch := &pgx.Batch{}
		s.queue(batch, []*ticket{t})
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		return errDryRun
	})
	if !errors.Is(err, errDryRun) {
		t.err = err
	}
}

// flush writes a batch in one transaction. If PostgreSQL refuses it, each record is
// tried under a savepoint of its own, so that one bad record harms no other. What is
// left to do after the commit, linking and answering, is returned.
func (s *Service) flush(batch []*ticket) (answer func()) {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	groups := groupByShape(batch)
	tenants := tenantsOf(batch)
	var err error
	for range deadlocks {
		err = s.cells.InBatch(ctx, tenants, func(b *pgx.Batch) {
			for _, group := range groups {
				s.queue(b, group)
			}
		})
		if !pg.Retryable(err) {
			break
		}
	}
	if err != nil {
		s.replay(ctx, batch, tenants, err)
	}
	return func() {
		defer cancel()
		s.link(ctx, batch)
		for _, t := range batch {
			close(t.done)
		}
	}
}

// replay gives each record of a failed batch its own answer. Records are tried a few
// at a time, since most are innocent, and then, where a few failed, one by one.
func (s *Service) replay(ctx context.Context, batch []*ticket, tenants []uuid.UUID, cause error) {
	if len(batch) == 1 || !pg.Refused(cause) {
		for _, t := range batch {
			t.verdict, t.err = verdict{}, cause
		}
		return
	}
	var suspects []*ticket
	for _, few := range s.replaySteps(ctx, slices.Collect(slices.Chunk(batch, stepSize)), tenants) {
		if len(few) > 1 {
			suspects = append(suspects, few...)
		}
	}
	s.replaySteps(ctx, slices.Collect(slices.Chunk(suspects, 1)), tenants)
}

// replaySteps tries each group under a savepoint of its own and returns those that
// failed.
func (s *Service) replaySteps(ctx context.Context, groups [][]*ticket, tenants []uuid.UUID) (failed [][]*ticket) {
	for chunk := range slices.Chunk(groups, mostSteps) {
		steps := make([]func(*pgx.Batch), 0, len(chunk))
		for _, group := range chunk {
			for _, t := range group {
				t.verdict, t.err = verdict{}, nil
			}
			steps = append(steps, func(b *pgx.Batch) {
				for _, sameShape := range groupByShape(group) {
					s.queue(b, sameShape)
				}
			})
		}
		errs, err := s.cells.InBatchSteps(ctx, tenants, steps)
		for i, group := range chunk {
			if err := cmp.Or(err, errs[i]); err != nil {
				failed = append(failed, group)
				for _, t := range group {
					t.verdict, t.err = verdict{}, err
				}
			}
		}
	}
	return failed
}

// queue adds the statement for tickets of one shape.
func (s *Service) queue(b *pgx.Batch, group []*ticket) {
	stmt := s.statements.get(group[0])
	b.Queue(stmt.sql, arguments(stmt, group)...).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var v verdict
			if err := rows.Scan(&v.ord, &v.keyLive, &v.current, &v.elsewhere, &v.newer, &v.fresh, &v.unknown, &v.sure, &v.created, &v.waits, &v.version); err != nil {
				return err
			}
			group[v.ord-1].verdict = v
		}
		return rows.Err()
	})
}

// groupByShape sorts a batch into groups that one statement can store, in a fixed
// order, so that two batches lock rows in the same order.
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
		groups = append(groups, byShape[key])
	}
	return groups
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

// arguments are the statement's parameters, in the order that upsert.go names. The
// arrays are of pgx's own types, which it encodes without reflection.
func arguments(stmt statement, group []*ticket) []any {
	n := len(group)
	var (
		tenants, workspaces, keys, events = make(uuids, n), make(uuids, n), make(uuids, n), make(uuids, n)
		identities, ids, actors, requests = make(texts, n), make(texts, n), make(texts, n), make(texts, n)
		complete                          = make(pgtype.FlatArray[pgtype.Bool], n)
		notAfter                          = make(pgtype.FlatArray[pgtype.Timestamptz], n)
		expected                          = make(pgtype.FlatArray[pgtype.Int8], n)
		table                             = group[0].clean.table
	)
	for i, t := range group {
		by := &t.record.By
		tenants[i], workspaces[i] = asUUID(by.Tenant), asUUID(by.Workspace)
		keys[i] = pgtype.UUID{Bytes: by.Key, Valid: by.Key != uuid.Nil}
		identities[i] = asText(t.clean.identity)
		ids[i], events[i] = asText(uuid.Must(uuid.NewV7()).String()), asUUID(uuid.Must(uuid.NewV7()))
		actors[i], requests[i] = asText(string(by.Actor.JSON())), asText(t.record.RequestID)
		complete[i] = pgtype.Bool{Bool: len(t.clean.missing) == 0, Valid: true}
		notAfter[i] = pgtype.Timestamptz{Time: t.record.NotAfter, Valid: !t.record.NotAfter.IsZero()}
		expected[i] = pgtype.Int8{Int64: t.record.Version, Valid: t.record.Version != 0}
	}
	args := []any{
		tenants, workspaces, keys, identities, ids, events, actors, requests, complete, notAfter, expected,
		asUUID(table.Owner), table.Version, table.Slug, table.EventType(),
	}
	if table.Generic {
		documents := make(texts, n)
		for i, t := range group {
			documents[i] = asText(document(t.clean))
		}
		args = append(args, documents)
	}
	for c, first := range group[0].clean.columns {
		if table.Generic && first.column.Reference == nil {
			continue
		}
		values := make(texts, n)
		for i, t := range group {
			v := t.clean.columns[c].value
			values[i] = pgtype.Text{String: v.text, Valid: !v.null}
		}
		args = append(args, values)
	}
	for _, value := range stmt.defaults {
		args = append(args, value)
	}
	return args
}

type (
	uuids = pgtype.FlatArray[pgtype.UUID]
	texts = pgtype.FlatArray[pgtype.Text]
)

func asUUID(id uuid.UUID) pgtype.UUID { return pgtype.UUID{Bytes: id, Valid: true} }

func asText(text string) pgtype.Text { return pgtype.Text{String: text, Valid: true} }

// document is a generic record's data: its columns but the identity, each in its
// type's JSON form. References are filled in by the statement.
func document(clean sanitized) string {
	doc := []byte{'{'}
	for _, c := range clean.columns {
		if c.column.Name == clean.table.ConflictColumn {
			continue
		}
		if len(doc) > 1 {
			doc = append(doc, ',')
		}
		doc = append(strconv.AppendQuote(doc, c.column.Name), ':')
		switch {
		case c.value.null || c.column.Reference != nil:
			doc = append(doc, "null"...)
		case c.column.Type == registry.Number:
			doc = append(doc, jsonNumber(c.value.text)...)
		case c.column.Type == registry.Boolean:
			doc = append(doc, c.value.text...)
		default:
			quoted, _ := json.Marshal(c.value.text) // valid UTF-8
			doc = append(doc, quoted...)
		}
	}
	return string(append(doc, '}'))
}

// outcome is what to answer, or why the record was not stored.
func (v verdict) outcome(clean sanitized) (Outcome, error) {
	if err := v.refusal(clean); err != nil {
		return Outcome{}, err
	}
	if !v.sure {
		return Outcome{}, errRaced
	}
	outcome := Outcome{Result: v.result(), EventType: clean.table.EventType(), Dropped: clean.dropped, Coerced: clean.coerced}
	if v.version != nil {
		outcome.Version = *v.version
	}
	return outcome, nil
}

// result is what an accepted record did to its row.
func (v verdict) result() Result {
	switch {
	case v.created == nil:
		return Unchanged
	case *v.created:
		return Created
	}
	return Updated
}

// refusal is everything that is wrong with the record, or nil.
func (v verdict) refusal(clean sanitized) error {
	switch {
	case !v.keyLive:
		return auth.ErrDeadKey
	case !v.current:
		return errStale
	}
	refused := clean.refused
	if v.elsewhere {
		refused = append(refused, fault.Field{Field: clean.key, Code: "duplicate_key", Message: fmt.Sprintf("duplicate key: %s %s belongs to another workspace", clean.key, fault.Shorten(strconv.Quote(clean.identity)))})
	}
	if v.fresh {
		refused = append(refused, clean.incomplete()...)
	}
	for _, name := range v.unknown {
		refused = append(refused, fault.Field{Field: name, Code: "unknown_reference", Message: "unknown reference: " + name})
	}
	if len(refused) > 0 {
		return invalid(refused)
	}
	if v.newer && v.version != nil {
		return errNewer.At(*v.version)
	}
	if v.newer {
		return errNewer
	}
	return nil
}
