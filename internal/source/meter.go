package source

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
)

// Outcome is what happened to a record.
type Outcome uint8

// The outcomes.
const (
	Failed  Outcome = iota // refused
	Lost                   // not stored because of a failure of the service, and kept; alerts nobody
	Stored                 // accepted into an existing row
	Created                // accepted as a new row
	Stale                  // accepted, but older than what is stored
)

// Meter counts records and calls in memory; counting takes only a lock. A crash loses the
// counts since the last Flush. Row counts are corrected when a source is quiet; minutes, hours
// and calls are not.
type Meter struct {
	cells *pg.Cells

	mu      sync.Mutex
	sources map[sourceMinute]sourceSum
	keys    map[keyHour]keySum
	recent  recent
	visited map[sourceID]time.Time // last visit of each source that this instance has written
}

type sourceID struct {
	tenant, workspace uuid.UUID
	slug              string
}

type sourceMinute struct {
	sourceID
	minute time.Time
}

type sourceSum struct {
	accepted, failed, lost, created, stale int64
	warned                                 map[string]int64 // accepted records by the code of a warning; nil: none
	last                                   time.Time        // of the last accepted record
	seen                                   time.Time        // of the last record
}

type keyHour struct {
	tenant, key uuid.UUID
	hour        time.Time
}

type keySum struct {
	calls int64
	last  time.Time
	from  string
}

// NewMeter returns a meter that flushes to cells.
func NewMeter(cells *pg.Cells) *Meter {
	return &Meter{cells: cells, sources: map[sourceMinute]sourceSum{}, keys: map[keyHour]keySum{},
		recent: recent{}, visited: map[sourceID]time.Time{}}
}

// Record counts a record that reached a table.
func (m *Meter) Record(by auth.Principal, slug string, outcome Outcome, now time.Time) {
	at := sourceMinute{sourceID{by.Tenant, by.Workspace, slug}, now.UTC().Truncate(time.Minute)}
	m.mu.Lock()
	defer m.mu.Unlock()
	sum := m.sources[at]
	sum.seen = now
	switch outcome {
	case Failed:
		sum.failed++
	case Lost:
		sum.lost++
	case Created:
		sum.created++
	case Stale:
		sum.stale++
	case Stored:
	}
	if outcome != Failed && outcome != Lost {
		sum.accepted++
		sum.last = now
		m.recent.add(by.Tenant, at.minute)
	}
	m.sources[at] = sum
}

// Warn counts an accepted record once for each code of its warnings.
func (m *Meter) Warn(by auth.Principal, slug string, codes []string, now time.Time) {
	if len(codes) == 0 {
		return
	}
	at := sourceMinute{sourceID{by.Tenant, by.Workspace, slug}, now.UTC().Truncate(time.Minute)}
	warned := sourceSum{warned: map[string]int64{}}
	for _, code := range codes {
		warned.warned[code] = 1
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sources[at] = m.sources[at].plus(warned)
}

// Call counts a call with a valid key, whatever its answer.
func (m *Meter) Call(by auth.Principal, from string, now time.Time) {
	at := keyHour{by.Tenant, by.Key, now.UTC().Truncate(time.Hour)}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keys[at] = keySum{m.keys[at].calls + 1, now, from}
}

// flushRows is how many sums one transaction writes.
const flushRows = 500

// Flush writes the sums, and keeps those that could not be written for the next Flush.
func (m *Meter) Flush(ctx context.Context) error {
	m.mu.Lock()
	sources, keys := m.sources, m.keys
	m.sources, m.keys = map[sourceMinute]sourceSum{}, map[keyHour]keySum{}
	m.mu.Unlock()

	for chunk := range slices.Chunk(slices.Collect(maps.Keys(sources)), flushRows) {
		if err := m.writeSources(ctx, chunk, sources); err != nil {
			m.putBack(sources, keys)
			return err
		}
		for _, at := range chunk {
			delete(sources, at)
		}
	}
	for chunk := range slices.Chunk(slices.Collect(maps.Keys(keys)), flushRows) {
		if err := m.writeKeys(ctx, chunk, keys); err != nil {
			m.putBack(sources, keys)
			return err
		}
		for _, at := range chunk {
			delete(keys, at)
		}
	}
	return nil
}

// putBack adds sums that were not written to those counted meanwhile.
func (m *Meter) putBack(sources map[sourceMinute]sourceSum, keys map[keyHour]keySum) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for at, sum := range sources {
		m.sources[at] = sum.plus(m.sources[at])
	}
	for at, sum := range keys {
		since := m.keys[at]
		if since.calls == 0 {
			since.last, since.from = sum.last, sum.from
		}
		since.calls += sum.calls
		m.keys[at] = since
	}
}

func (s sourceSum) plus(other sourceSum) sourceSum {
	s.accepted += other.accepted
	s.failed += other.failed
	s.lost += other.lost
	s.created += other.created
	s.stale += other.stale
	if other.warned != nil {
		sum := make(map[string]int64, len(s.warned)+len(other.warned)) // a copy of a sum has the same map
		for _, counts := range []map[string]int64{s.warned, other.warned} {
			for code, records := range counts {
				sum[code] += records
			}
		}
		s.warned = sum
	}
	s.last = later(s.last, other.last)
	s.seen = later(s.seen, other.seen)
	return s
}

func (m *Meter) writeKeys(ctx context.Context, chunk []keyHour, sums map[keyHour]keySum) error {
	var (
		hours   q.AddKeyHoursParams
		figures q.AddKeyFiguresParams
		uses    = map[keyHour]keySum{}
		tenants []uuid.UUID
	)
	for _, at := range chunk {
		sum := sums[at]
		tenants = append(tenants, at.tenant)
		hours.TenantIds = append(hours.TenantIds, at.tenant)
		hours.KeyIds = append(hours.KeyIds, at.key)
		hours.Hours = append(hours.Hours, at.hour)
		hours.Calls = append(hours.Calls, sum.calls)
		key := keyHour{tenant: at.tenant, key: at.key}
		if sum.last.After(uses[key].last) {
			uses[key] = sum
		}
	}
	for at, use := range uses {
		figures.TenantIds = append(figures.TenantIds, at.tenant)
		figures.KeyIds = append(figures.KeyIds, at.key)
		figures.LastAt = append(figures.LastAt, use.last)
		figures.LastFrom = append(figures.LastFrom, use.from)
	}
	return m.cells.InTenants(ctx, tenants, func(tx pgx.Tx) error {
		queries := q.New(tx)
		if err := queries.AddKeyHours(ctx, hours); err != nil {
			return err
		}
		return queries.AddKeyFigures(ctx, figures)
	})
}

// Tidy forgets which sources were visited long ago.
func (m *Meter) Tidy(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.visited, func(_ sourceID, at time.Time) bool { return time.Since(at) > visitLasts })
	return nil
}
