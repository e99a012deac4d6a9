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

// Outcome is what became of a record.
type Outcome uint8

// The outcomes.
const (
	Failed  Outcome = iota // refused for what it is, or lost to a fault
	Stored                 // accepted into a row that was there
	Created                // accepted as a new row
)

// Meter sums what happens. Counting takes no longer than a lock; what is counted since
// the last Flush is lost with the process; rows are counted again when a source is quiet,
// hours and calls are not.
type Meter struct {
	cells *pg.Cells

	mu      sync.Mutex
	sources map[sourceHour]sourceSum
	keys    map[keyHour]keySum
}

type sourceHour struct {
	tenant, workspace uuid.UUID
	slug              string
	hour              time.Time
}

type sourceSum struct {
	accepted, failed, created int64
	last                      time.Time // of the last accepted record
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
	return &Meter{cells: cells, sources: map[sourceHour]sourceSum{}, keys: map[keyHour]keySum{}}
}

// Record counts a record that reached a table.
func (m *Meter) Record(by auth.Principal, slug string, outcome Outcome, now time.Time) {
	at := sourceHour{by.Tenant, by.Workspace, slug, now.UTC().Truncate(time.Hour)}
	m.mu.Lock()
	defer m.mu.Unlock()
	sum := m.sources[at]
	switch outcome {
	case Failed:
		sum.failed++
	case Created:
		sum.created++
		fallthrough
	case Stored:
		sum.accepted++
		sum.last = now
	}
	m.sources[at] = sum
}

// Call counts a call with a live key, whatever its answer.
func (m *Meter) Call(by auth.Principal, from string, now time.Time) {
	at := keyHour{by.Tenant, by.Key, now.UTC().Truncate(time.Hour)}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keys[at] = keySum{m.keys[at].calls + 1, now, from}
}

// flushRows is how many sums one transaction writes.
const flushRows = 500

// Flush writes the sums, and keeps those that could not be written for the next time.
func (m *Meter) Flush(ctx context.Context) error {
	m.mu.Lock()
	sources, keys := m.sources, m.keys
	m.sources, m.keys = map[sourceHour]sourceSum{}, map[keyHour]keySum{}
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

// putBack adds sums that were not written to those that came meanwhile.
func (m *Meter) putBack(sources map[sourceHour]sourceSum, keys map[keyHour]keySum) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for at, sum := range sources {
		m.sources[at] = sum.plus(m.sources[at])
	}
	for at, sum := range keys {
		later := m.keys[at]
		if later.calls == 0 {
			later.last, later.from = sum.last, sum.from
		}
		later.calls += sum.calls
		m.keys[at] = later
	}
}

func (s sourceSum) plus(other sourceSum) sourceSum {
	s.accepted += other.accepted
	s.failed += other.failed
	s.created += other.created
	if other.last.After(s.last) {
		s.last = other.last
	}
	return s
}

// writeSources writes one chunk. A source may be in it with two hours: its state gets
// one row, since a statement cannot change a row twice.
func (m *Meter) writeSources(ctx context.Context, chunk []sourceHour, sums map[sourceHour]sourceSum) error {
	var (
		hours   q.AddSourceHoursParams
		figures q.AddSourceFiguresParams
		states  = map[sourceHour]sourceSum{}
		tenants []uuid.UUID
	)
	for _, at := range chunk {
		sum := sums[at]
		tenants = append(tenants, at.tenant)
		hours.TenantIds = append(hours.TenantIds, at.tenant)
		hours.WorkspaceIds = append(hours.WorkspaceIds, at.workspace)
		hours.Slugs = append(hours.Slugs, at.slug)
		hours.Hours = append(hours.Hours, at.hour)
		hours.Accepted = append(hours.Accepted, sum.accepted)
		hours.Failed = append(hours.Failed, sum.failed)
		source := sourceHour{tenant: at.tenant, workspace: at.workspace, slug: at.slug}
		states[source] = states[source].plus(sum)
	}
	for at, sum := range states {
		figures.TenantIds = append(figures.TenantIds, at.tenant)
		figures.WorkspaceIds = append(figures.WorkspaceIds, at.workspace)
		figures.Slugs = append(figures.Slugs, at.slug)
		figures.Created = append(figures.Created, sum.created)
		figures.LastAt = append(figures.LastAt, sum.last)
	}
	return m.cells.InTenants(ctx, tenants, func(tx pgx.Tx) error {
		queries := q.New(tx)
		if err := queries.AddSourceHours(ctx, hours); err != nil {
			return err
		}
		return queries.AddSourceFigures(ctx, figures)
	})
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

// Tidy drops hours that nobody looks at any more, of all tenants.
func (m *Meter) Tidy(ctx context.Context) error {
	for {
		var tenants []uuid.UUID
		// Crosses tenants: the job looks after all of them. It reads whose turn it is.
		err := m.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
			tenants, err = q.New(tx).ListTenantsWithOldHours(ctx, flushRows)
			return err
		})
		if err != nil || len(tenants) == 0 {
			return err
		}
		err = m.cells.InTenants(ctx, tenants, func(tx pgx.Tx) error {
			if err := q.New(tx).DropOldSourceHours(ctx, tenants); err != nil {
				return err
			}
			return q.New(tx).DropOldKeyHours(ctx, tenants)
		})
		if err != nil {
			return err
		}
	}
}
