package ingest

import (
	"cmp"
	"encoding/binary"

	"github.com/maypok86/otter/v2"

	"github.com/quayside/quayside/internal/registry"
)

// cachedStatements bounds the cache: a caller who sends every subset of a table's columns
// in turn costs time, but no memory.
const cachedStatements = 4096

// shapeKey is a shape in comparable form.
type shapeKey struct {
	table   *registry.Table // each version of a table has one pointer
	columns string          // the positions of the columns present, as varints
	mode    mode
	ordered bool
}

// compare orders shapes by table first, which is the order in which rows are locked.
func (k shapeKey) compare(other shapeKey) int {
	return cmp.Or(cmp.Compare(k.table.Slug, other.table.Slug), cmp.Compare(k.table.Version, other.table.Version),
		cmp.Compare(k.columns, other.columns), cmp.Compare(k.mode, other.mode), compareBool(k.ordered, other.ordered))
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func (t *ticket) shapeKey() shapeKey {
	positions := make([]byte, 0, len(t.clean.columns))
	for _, c := range t.clean.columns {
		positions = binary.AppendUvarint(positions,
			uint64(t.clean.table.Position(c.column.Name))) //nolint:gosec // not negative
	}
	return shapeKey{t.clean.table, string(positions), t.mode, t.ordered()}
}

// statements caches the statements that were built.
type statements struct {
	cache *otter.Cache[shapeKey, statement]
	gates map[string]Gates // by slug
}

func newStatements(gates map[string]Gates) statements {
	return statements{otter.Must(&otter.Options[shapeKey, statement]{MaximumSize: cachedStatements}), gates}
}

// get returns the statement for a ticket's shape.
func (s statements) get(t *ticket) statement {
	key := t.shapeKey()
	if stmt, ok := s.cache.GetIfPresent(key); ok {
		return stmt
	}
	columns := make([]*registry.Column, 0, len(t.clean.columns))
	for _, c := range t.clean.columns {
		columns = append(columns, c.column)
	}
	stmt := shape{table: t.clean.table, columns: columns, gates: s.gates[t.clean.table.Slug], mode: t.mode,
		ordered: t.ordered()}.build()
	s.cache.Set(key, stmt)
	return stmt
}
