package unknown

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
)

const (
	// mostNames is how many names are counted by themselves in a table of a workspace.
	mostNames = 200
	// mostTallies is how many names are counted by themselves between two flushes, in all tables.
	mostTallies = 20_000
	// mostSamples is how many samples of a field are kept.
	mostSamples = 5
	// flushRows is how many rows one transaction writes, apart from those of a single table.
	flushRows = 500
)

// Meter counts unknown fields in memory; counting takes only a lock. A crash loses what came since the last Flush.
type Meter struct {
	cells *pg.Cells

	mu     sync.Mutex
	tables map[place]*tally
	names  int // counted in all tables
	values values
	room   int64 // how many values of a table are kept

	flushing sync.Mutex
}

// place is a table in a workspace.
type place struct {
	tenant, workspace uuid.UUID
	slug              string
}

func (p place) compare(other place) int {
	return cmp.Or(bytes.Compare(p.tenant[:], other.tenant[:]), bytes.Compare(p.workspace[:], other.workspace[:]),
		cmp.Compare(p.slug, other.slug))
}

// key names the place for a lock.
func (p place) key() string { return p.tenant.String() + p.workspace.String() + p.slug }

// tally is what came to one place.
type tally struct {
	fields map[string]*fieldTally // the name "" stands for those that are not counted by themselves
}

type fieldTally struct {
	records     int64
	counts      map[kind]int64
	samples     []string
	first, last time.Time
}

// NewMeter returns a meter that flushes to cells.
func NewMeter(cells *pg.Cells) *Meter {
	return &Meter{cells: cells, tables: map[place]*tally{}, values: newValues(), room: mostKept}
}

// Saw counts the unknown fields of a record, and keeps their values where its table says so.
func (m *Meter) Saw(record ingest.Unknown) { m.saw(record, time.Now()) }

func (m *Meter) saw(record ingest.Unknown, now time.Time) {
	now = now.UTC().Truncate(time.Microsecond) // PostgreSQL's precision: times are compared
	at := place{record.Tenant, record.Workspace, record.Slug}
	m.mu.Lock()
	defer m.mu.Unlock()
	table := m.tables[at]
	if table == nil {
		table = &tally{fields: map[string]*fieldTally{}}
		m.tables[at] = table
	}
	for _, f := range record.Fields {
		name := f.Name
		if !m.counted(table, name) {
			table.field("", now).records++
			continue
		}
		if table.fields[name] == nil {
			m.names++
		}
		found := table.field(name, now)
		found.records++
		found.counts[kindOf(f.Value)]++
		found.sample(masked(f.Value))
		if record.Keep {
			m.values.add(valueKey{at, name, record.Key}, f.Value, now)
		}
	}
}

// counted reports whether a field is counted by its name.
func (m *Meter) counted(table *tally, name string) bool {
	if table.fields[name] != nil {
		return name != ""
	}
	return len(table.fields) < mostNames && m.names < mostTallies && countable(name)
}

func (t *tally) field(name string, now time.Time) *fieldTally {
	found := t.fields[name]
	if found == nil {
		found = &fieldTally{counts: map[kind]int64{}, first: now}
		t.fields[name] = found
	}
	found.last = now
	return found
}

func (f *fieldTally) sample(shape string) {
	if len(f.samples) < mostSamples && shape != "" && !slices.Contains(f.samples, shape) {
		f.samples = append(f.samples, shape)
	}
}

// Flush adds what was counted and kept to the database. What could not be written waits for the next Flush.
func (m *Meter) Flush(ctx context.Context) error {
	m.flushing.Lock()
	defer m.flushing.Unlock()
	m.mu.Lock()
	tables, kept := m.tables, m.values.take()
	m.tables, m.names = map[place]*tally{}, 0
	m.mu.Unlock()

	for _, chunk := range chunks(tables) {
		err := m.write(ctx, chunk, tables)
		if err == nil || pg.BadData(err) { // what PostgreSQL refuses once it would refuse for ever
			for _, at := range chunk {
				delete(tables, at)
			}
		}
		if err != nil {
			m.putBack(tables, kept)
			return err
		}
	}
	if err := m.keep(ctx, kept); err != nil {
		m.putBack(nil, kept)
		return err
	}
	return nil
}

// chunks groups places so that a group has a limited number of names.
func chunks(tables map[place]*tally) (groups [][]place) {
	size := flushRows
	for _, at := range slices.SortedFunc(maps.Keys(tables), place.compare) {
		if size+len(tables[at].fields) > flushRows {
			groups, size = append(groups, nil), 0
		}
		size += len(tables[at].fields)
		groups[len(groups)-1] = append(groups[len(groups)-1], at)
	}
	return groups
}

func (m *Meter) write(ctx context.Context, chunk []place, tables map[place]*tally) error {
	rows := q.AddUnknownFieldsParams{Most: mostNames}
	var (
		tenants []uuid.UUID
		keys    []string
	)
	for _, at := range chunk {
		tenants, keys = append(tenants, at.tenant), append(keys, at.key())
		for name, f := range tables[at].fields {
			counts, err := json.Marshal(f.counts)
			if err != nil {
				return err
			}
			samples, err := json.Marshal(append([]string{}, f.samples...))
			if err != nil {
				return err
			}
			rows.TenantIds = append(rows.TenantIds, at.tenant)
			rows.WorkspaceIds = append(rows.WorkspaceIds, at.workspace)
			rows.Slugs = append(rows.Slugs, at.slug)
			rows.Names = append(rows.Names, name)
			rows.Records = append(rows.Records, f.records)
			rows.Counts = append(rows.Counts, counts)
			rows.Samples = append(rows.Samples, samples)
			rows.FirstAt = append(rows.FirstAt, f.first)
			rows.LastAt = append(rows.LastAt, f.last)
		}
	}
	slices.Sort(keys)
	return m.cells.InTenants(ctx, tenants, func(tx pgx.Tx) error {
		queries := q.New(tx)
		if err := queries.LockUnknownFields(ctx, keys); err != nil {
			return err
		}
		return queries.AddUnknownFields(ctx, rows)
	})
}

// putBack adds what was not written to what was counted meanwhile. What exceeds the limits counts as other fields.
func (m *Meter) putBack(tables map[place]*tally, kept map[valueKey]keptValue) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for at, old := range tables {
		table := m.tables[at]
		if table == nil {
			m.tables[at] = old
			m.names += len(old.fields)
			continue
		}
		for name, f := range old.fields {
			if name != "" && !m.counted(table, name) {
				name = ""
			}
			since := table.field(name, f.last)
			since.add(f)
		}
	}
	for key, value := range kept {
		m.values.putBack(key, value)
	}
}

// add adds an earlier tally.
func (f *fieldTally) add(old *fieldTally) {
	f.records += old.records
	for k, n := range old.counts {
		f.counts[k] += n
	}
	for _, shape := range old.samples {
		f.sample(shape)
	}
	f.first = old.first
	if old.last.After(f.last) {
		f.last = old.last
	}
}
