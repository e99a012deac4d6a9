package unknown

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/registry"
)

// Where a company has switched it on, the values of unknown fields are kept, one for each record and field: the
// newest. That is less than whole bodies, and all that a backfill needs.

const (
	// mostKept is how many values of a table are kept: the newest.
	mostKept = 100_000
	// mostHeld and mostHeldBytes bound the values that wait in memory for the next flush. More are not kept.
	mostHeld      = 20_000
	mostHeldBytes = 16 << 20
	// longestKept is how many bytes a value has that is kept.
	longestKept = 4 << 10
)

type valueKey struct {
	place
	name, key string
}

type keptValue struct {
	value jsontext.Value
	at    time.Time
}

// values are kept values on their way to the database.
type values struct {
	held  map[valueKey]keptValue
	bytes int
}

func newValues() values { return values{held: map[valueKey]keptValue{}} }

// none takes the place of a value that no column could take: what is kept of the record is not its newest value any more.
var none = jsontext.Value("null")

// add keeps a value, unless there is no room. What forgets values has half of it.
func (v *values) add(key valueKey, value jsontext.Value, at time.Time) {
	room := mostHeld
	if k := kindOf(value); k == nested || k == empty || len(value) > longestKept || !storable(value) {
		value, room = none, mostHeld/2
	}
	if _, known := v.held[key]; !known && len(v.held) >= room || v.bytes+len(value) > mostHeldBytes {
		return
	}
	v.bytes += len(value) // a replaced value counts until the next flush
	v.held[key] = keptValue{bytes.Clone(value), at}
}

// storable reports whether PostgreSQL takes the value as jsonb. Numbers that are too long are not: no column takes them.
func storable(value jsontext.Value) bool {
	if value.Kind() == jsontext.KindString {
		return !bytes.Contains(value, []byte(`\u0000`))
	}
	return value.Kind() != jsontext.KindNumber || registry.IsDecimal(string(value))
}

func (v *values) take() map[valueKey]keptValue {
	held := v.held
	*v = newValues()
	return held
}

// putBack keeps a value that could not be written, unless a newer one has come.
func (v *values) putBack(key valueKey, value keptValue) {
	if _, newer := v.held[key]; !newer {
		v.add(key, value.value, value.at)
	}
}

// keep writes values, and takes from kept what is written.
func (m *Meter) keep(ctx context.Context, kept map[valueKey]keptValue) error {
	keys := slices.SortedFunc(maps.Keys(kept), func(a, b valueKey) int { return a.compare(b.place) })
	for chunk := range slices.Chunk(keys, flushRows) {
		var (
			rows    q.KeepUnknownValuesParams
			bounds  = q.DropOldestUnknownValuesParams{Most: m.room}
			tenants []uuid.UUID
			locks   []string
		)
		for i, key := range chunk {
			rows.TenantIds = append(rows.TenantIds, key.tenant)
			rows.WorkspaceIds = append(rows.WorkspaceIds, key.workspace)
			rows.Slugs = append(rows.Slugs, key.slug)
			rows.Names = append(rows.Names, key.name)
			rows.RecordKeys = append(rows.RecordKeys, key.key)
			rows.Kept = append(rows.Kept, kept[key].value)
			rows.SeenAt = append(rows.SeenAt, kept[key].at)
			if i == 0 || key.place != chunk[i-1].place {
				tenants, locks = append(tenants, key.tenant), append(locks, key.place.key())
				bounds.TenantIds = append(bounds.TenantIds, key.tenant)
				bounds.WorkspaceIds = append(bounds.WorkspaceIds, key.workspace)
				bounds.Slugs = append(bounds.Slugs, key.slug)
			}
		}
		slices.Sort(locks)
		err := m.cells.InTenants(ctx, tenants, func(tx pgx.Tx) error {
			queries := q.New(tx)
			if err := queries.LockUnknownFields(ctx, locks); err != nil {
				return err
			}
			if err := queries.KeepUnknownValues(ctx, rows); err != nil {
				return err
			}
			return queries.DropOldestUnknownValues(ctx, bounds)
		})
		if err == nil || pg.BadData(err) { // what PostgreSQL refuses once it would refuse for ever
			for _, key := range chunk {
				delete(kept, key)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
