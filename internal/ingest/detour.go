package ingest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
)

// Somebody may hold a lock for long: on a row, or on a whole table. Lanes are shared by
// all tables and tenants, so a lane gives up waiting for a lock after a moment. It then
// stores the other tables' records, and those of the blocked table take the detour, a
// lane of its own with a connection of its own. The detour finds out which rows are
// locked and marks them, or the table. As long as a mark stands, the records that it
// covers take the detour at once and hold up nobody else.

const (
	// markedFor is how long a mark stands after the lock was last met.
	markedFor = 2 * time.Second
	// detourPatience is how long one batch of the detour waits for locked rows. Records
	// whose turn does not come by then are refused for now.
	detourPatience = 600 * time.Millisecond
	// mostMarks bounds the memory that marks take.
	mostMarks = 10_000
)

var (
	// errLocked refuses a record whose row or table is locked.
	errLocked = fault.New(fault.Unavailable, "row_locked", "temporarily unavailable")
	// errDetour tells whoever waits for a record to have it take the detour.
	errDetour = errors.New("locked: take the detour")
)

// marks remembers which records others have locked. A key without tenant and identity
// stands for a whole table.
type marks struct {
	mu    sync.Mutex
	until map[lineKey]time.Time
	any   atomic.Bool // false: there are none, the usual case
}

func wholeTable(slug string) lineKey { return lineKey{table: slug} }

// has says whether the record, or its table, is marked.
func (m *marks) has(key lineKey) bool {
	if !m.any.Load() {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	return now.Before(m.until[key]) || now.Before(m.until[wholeTable(key.table)])
}

// set marks keys as locked.
func (m *marks) set(keys ...lineKey) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	for key, until := range m.until {
		if now.After(until) {
			delete(m.until, key)
		}
	}
	for _, key := range keys {
		if len(m.until) < mostMarks {
			m.until[key] = now.Add(markedFor)
		}
	}
	m.any.Store(len(m.until) > 0)
}

// clear takes marks away.
func (m *marks) clear(keys ...lineKey) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, key := range keys {
		delete(m.until, key)
	}
	m.any.Store(len(m.until) > 0)
}

// byTable sorts a batch into groups of one table each.
func byTable(batch []*ticket) (groups [][]*ticket) {
	places := map[string]int{}
	for _, t := range batch {
		slug := t.clean.table.Slug
		at, known := places[slug]
		if !known {
			at = len(groups)
			places[slug] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], t)
	}
	return groups
}

// sidestep stores the records of a batch that no lock holds up, and has the others take
// the detour.
func (s *Service) sidestep(ctx context.Context, batch []*ticket) {
	tables := byTable(batch)
	for i, err := range s.inSteps(ctx, 0, tables) {
		switch {
		case pg.Locked(err):
			s.marks.set(wholeTable(tables[i][0].clean.table.Slug))
			for _, t := range tables[i] {
				t.refuse(errDetour)
			}
		case err != nil:
			s.replay(ctx, tables[i], err)
		}
	}
}

// flushDetour stores records of which some may be locked.
func (s *Service) flushDetour(batch []*ticket) (answer func()) {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	for _, group := range byTable(batch) {
		s.pass(ctx, group)
	}
	return func() {
		defer cancel()
		s.link(ctx, batch)
	}
}

// pass stores records of one table. Those whose rows are locked are tried last, one by
// one, for a moment.
func (s *Service) pass(ctx context.Context, group []*ticket) {
	free, held, err := s.findHeld(ctx, group)
	switch {
	case pg.Locked(err):
		s.marks.set(wholeTable(group[0].clean.table.Slug))
		err = errLocked.Because(err)
		fallthrough
	case err != nil:
		for _, t := range group {
			t.refuse(err)
		}
		return
	}
	until := time.Now().Add(detourPatience)
	if len(free) > 0 {
		err := s.send(ctx, free)
		switch {
		case pg.Locked(err): // another transaction is inserting one of them, or holds what they refer to or belong to
			held = append(held, s.passInBrief(ctx, free, until)...)
		case err != nil:
			s.replay(ctx, free, err)
		}
	}
	s.mark(group, s.passOneByOne(ctx, held, until))
}

// moment is how long the detour waits for each of many records that may be locked: long enough
// for a writer who is about to commit, and short enough for those that come after it.
const moment = 10 * time.Millisecond

// passInBrief stores those of many records that nothing holds up, and returns the others. It
// goes on until its time is over.
func (s *Service) passInBrief(ctx context.Context, group []*ticket, until time.Time) (locked []*ticket) {
	for few := range slices.Chunk(group, stepSize) {
		if time.Now().After(until) {
			locked = append(locked, few...)
			continue
		}
		for i, err := range s.inSteps(ctx, moment, slices.Collect(slices.Chunk(few, 1))) {
			if pg.Locked(err) {
				locked = append(locked, few[i])
			}
		}
	}
	return locked
}

// mark remembers which records of a table were locked, and that the others were not. When
// all of several were, the table is.
func (s *Service) mark(group, locked []*ticket) {
	table := wholeTable(group[0].clean.table.Slug)
	switch {
	case len(locked) < len(group):
		s.marks.clear(table)
	case len(group) > 1:
		s.marks.set(table)
	}
	for _, t := range group {
		s.marks.clear(t.key())
	}
	for _, t := range locked {
		s.marks.set(t.key())
	}
}

// findHeld sorts out the records whose rows are locked. It waits for no row; an error
// that is Locked means that the whole table is.
func (s *Service) findHeld(ctx context.Context, group []*ticket) (free, held []*ticket, err error) {
	tenants, identities := keysOf(group)
	table := group[0].clean.table
	isHeld := make([]bool, len(group))
	errs, err := s.cells.InBatchSteps(ctx, tenantsOf(group), 0,
		[]func(*pgx.Batch, pg.Clock){func(b *pgx.Batch, _ pg.Clock) {
			b.Queue(heldStatement(table), tenants, identities, table.Slug).Query(func(rows pgx.Rows) error {
				ords, err := pgx.CollectRows(rows, pgx.RowTo[int])
				for _, ord := range ords {
					isHeld[ord-1] = true
				}
				return err
			})
		}})
	if err == nil {
		err = errs[0]
	}
	for i, t := range group {
		if isHeld[i] {
			held = append(held, t)
		} else {
			free = append(free, t)
		}
	}
	return free, held, err
}

// passOneByOne stores records each in a transaction of its own, until the time is up, and
// returns those that are locked.
func (s *Service) passOneByOne(ctx context.Context, group []*ticket, until time.Time) (locked []*ticket) {
	for _, t := range group {
		t.refuse(errLocked)
		if time.Now().Before(until) {
			if err := s.send(ctx, []*ticket{t}); err != nil {
				t.refuse(err)
			}
		}
		if fault.HasCode(t.err, errLocked.Code) {
			locked = append(locked, t)
		}
	}
	return locked
}
