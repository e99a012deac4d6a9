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

// Another transaction may lock a row or a whole table for long. All tables and tenants
// share the lanes, so a lane soon gives up waiting for a lock. It then stores the other
// tables' records, and sends those of the blocked table to the detour, a lane with a
// connection of its own. The detour finds out which rows are locked and marks them, or
// the table. While a mark lasts, its records go to the detour at once and delay no others.

const (
	// markedFor is how long a mark lasts after the lock was last seen.
	markedFor = 2 * time.Second
	// detourWait is how long one batch of the detour waits for locked rows. Records that
	// are not stored by then are refused; senders may retry them.
	detourWait = 600 * time.Millisecond
	// mostMarks bounds the memory that marks take.
	mostMarks = 10_000
)

var (
	// errLocked refuses a record whose row or table is locked.
	errLocked = fault.New(fault.Unavailable, "row_locked", "temporarily unavailable")
	// errDetour tells judge to send the record to the detour.
	errDetour = errors.New("locked: take the detour")
)

// marks remembers which records other transactions have locked. A key without tenant and
// identity stands for a whole table.
type marks struct {
	mu    sync.Mutex
	until map[rowKey]time.Time
	any   atomic.Bool // whether there are any; false is the usual case
}

func wholeTable(slug string) rowKey { return rowKey{table: slug} }

// has reports whether the record or its table is marked.
func (m *marks) has(key rowKey) bool {
	if !m.any.Load() {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	return now.Before(m.until[key]) || now.Before(m.until[wholeTable(key.table)])
}

// set marks keys as locked.
func (m *marks) set(keys ...rowKey) {
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

// clear removes marks.
func (m *marks) clear(keys ...rowKey) {
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

// storeAroundLocks stores a batch table by table, and sends the records of locked tables to the
// detour.
func (s *Service) storeAroundLocks(ctx context.Context, batch []*ticket) {
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

// flushDetour stores a batch of records that may be locked.
func (s *Service) flushDetour(batch []*ticket) (answer func()) {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	for _, group := range byTable(batch) {
		s.storeLockable(ctx, group)
	}
	return func() {
		defer cancel()
		s.link(ctx, batch)
	}
}

// storeLockable stores records of one table. It tries those whose rows are locked last, one by one,
// until detourWait is over.
func (s *Service) storeLockable(ctx context.Context, group []*ticket) {
	free, held, err := s.findLocked(ctx, group)
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
	until := time.Now().Add(detourWait)
	if len(free) > 0 {
		err := s.send(ctx, free)
		switch {
		case pg.Locked(err): // another transaction is inserting one of them, or holds what they refer to or belong to
			held = append(held, s.storeUnlocked(ctx, free, until)...)
		case err != nil:
			s.replay(ctx, free, err)
		}
	}
	s.mark(group, s.storeOneByOne(ctx, held, until))
}

// briefLockWait is how long the detour waits for each of many records that may be locked: long
// enough for a writer that is about to commit, and short enough for the records after it.
const briefLockWait = 10 * time.Millisecond

// storeUnlocked stores the records that are not locked, until the time is up, and returns the
// others.
func (s *Service) storeUnlocked(ctx context.Context, group []*ticket, until time.Time) (locked []*ticket) {
	for few := range slices.Chunk(group, stepSize) {
		if time.Now().After(until) {
			locked = append(locked, few...)
			continue
		}
		for i, err := range s.inSteps(ctx, briefLockWait, slices.Collect(slices.Chunk(few, 1))) {
			if pg.Locked(err) {
				locked = append(locked, few[i])
			}
		}
	}
	return locked
}

// mark marks the locked records of a group and clears the marks of the others. If several
// records are all locked, it marks the table.
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

// findLocked separates the records whose rows are locked from the others. It waits for no
// row; a Locked error means that the whole table is locked.
func (s *Service) findLocked(ctx context.Context, group []*ticket) (free, held []*ticket, err error) {
	tenants, identities := keysOf(group)
	table := group[0].clean.table
	isHeld := make([]bool, len(group))
	errs, err := s.cells.InBatchSteps(ctx, tenantsOf(group), 0,
		[]func(*pgx.Batch, pg.Clock){func(b *pgx.Batch, _ pg.Clock) {
			b.Queue(lockedStatement(table), tenants, identities, table.Slug).Query(func(rows pgx.Rows) error {
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

// storeOneByOne stores each record in a transaction of its own, until the time is up, and
// returns the locked ones.
func (s *Service) storeOneByOne(ctx context.Context, group []*ticket, until time.Time) (locked []*ticket) {
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
