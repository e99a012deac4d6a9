// Package registry knows which tables take records, and their columns.
//
// It reads registry rows and keeps them in a cache that may be stale. The cache only saves
// time: a caller that acts on a Table compares its Version inside the transaction in which it
// acts, and calls Reload if it differs.
package registry

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/maypok86/otter/v2"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
)

// Type is a column's type.
type Type string

// The types.
const (
	Text     Type = "text"
	Number   Type = "number"
	Boolean  Type = "boolean"
	Date     Type = "date"
	Datetime Type = "datetime"
	UUID     Type = "uuid"
)

// Currency is the format of text that is a currency code of ISO 4217.
const Currency = "currency"

// MaxKeyLength is the largest number of characters of a text that identifies or refers to a
// record.
const MaxKeyLength = 500

// Table is one table that takes records. It is shared between goroutines and never changed
// after it was read. There is one Table for each version: equal versions have equal pointers.
//
// A company may extend a built-in table by columns of its own. Then Table is the built-in one with these columns behind
// the others, for this company alone. Its version is the sum of the built-in table's and the extension's.
type Table struct {
	Owner       uuid.UUID // uuid.Nil: built in
	Tenant      uuid.UUID // the company that owns or extends it; uuid.Nil: built in, and the same for all who do not extend it
	Slug        string
	Title       string
	Description string
	Generic     bool // its rows are in workspace.records, not in a table of their own
	Version     int64

	ConflictKey    []string // as callers see it
	ConflictColumn string   // column of the unique index, beside the tenant
	Identity       []string // fields of the conflict key; the first one present counts

	// Sequence is the column whose values order the deliveries of a record, if their senders do not; empty: none. Only a
	// company's own table has one.
	Sequence string

	Columns  []Column // in registration order
	Snapshot *Snapshot
	Waiting  []Waiting // columns of other tables whose values wait for records of this table
	Feeds    []Feed    // snapshots of other tables that copy from records of this table

	// Rules are the fixes that are made to records before they are judged, by workspace, in their order.
	Rules map[uuid.UUID][]Rule

	// Keeping are the workspaces in which the values of fields that the table does not have are kept.
	Keeping map[uuid.UUID]bool

	// Aliases are the keys of records that were merged into others, each with the first identity field of that other. A record
	// that is identified by one of them belongs to the other.
	Aliases map[string]string

	byName map[string]int
}

// Column is one field of a table.
type Column struct {
	Name        string
	Type        Type
	Kind        string // writable, api_only, trigger, read_only
	Accepted    bool   // may be sent to ingest
	Required    bool   // required in a new row
	Nullable    bool
	Default     *string // for a new row, if the field is not sent
	Choices     []string
	Minimum     string // of a number, a decimal; see bound
	Maximum     string
	MaxLength   int    // of a text, in characters; 0: no limit
	Indexed     bool   // has an index
	Format      string // of a text: Currency, or empty
	RecordsPast bool   // says when something happened: a date long ago or in the future is implausible
	Reference   *Reference
	Description string
	Example     json.RawMessage
	Custom      bool // added by a company to a built-in table; its values are members of the row's custom document
}

// Reference says which table's id a column holds.
type Reference struct {
	Slug          string
	Generic       bool
	Key           string // the referenced table's conflict column
	PendingColumn string // where the key of a record that does not exist yet waits; empty: it is refused
}

// Snapshot names the columns that are copied from other records when a row is written, and the
// database function that copies them.
type Snapshot struct {
	Function  string
	Arguments []string
	Columns   []string
	Source    string // records of this table may complete a waiting row
	Match     string // column that both tables share
	Marker    string // a row waits while this column is empty
}

// Waiting is a column whose values wait for records of the table that has this entry.
type Waiting struct {
	Slug, Column, PendingColumn string
}

// Feed is a table whose snapshot copies from the table that has this entry.
type Feed struct {
	Slug string
	Snapshot
}

// NewTable returns a table that is not read from the registry, for tests.
func NewTable(slug, key string, columns ...Column) *Table {
	table := &Table{Slug: slug, ConflictColumn: key, Identity: []string{key}, Columns: columns, byName: map[string]int{}}
	table.index()
	return table
}

// EventType returns the type of the event that an accepted record emits.
func (t *Table) EventType() string { return "ingest." + t.Slug + ".received" }

// Label returns the table's name for metrics, where the number of names must be small: all
// tables that tenants added share one, and so do unknown tables.
func (t *Table) Label() string {
	switch {
	case t == nil:
		return "unknown"
	case t.Owner != uuid.Nil:
		return "custom"
	}
	return t.Slug
}

// Column finds a column by its exact name.
func (t *Table) Column(name string) (*Column, bool) {
	i, ok := t.byName[name]
	if !ok {
		return nil, false
	}
	return &t.Columns[i], true
}

// Identifies reports whether the column is one of those that identify a record.
func (t *Table) Identifies(column *Column) bool { return slices.Contains(t.Identity, column.Name) }

// Position returns a column's position in registration order. Unknown columns come last.
func (t *Table) Position(name string) int {
	if i, ok := t.byName[name]; ok {
		return i
	}
	return len(t.Columns)
}

const externalID = "external_id"

const (
	cachedTables = 20_000
	cachedFor    = 10 * time.Minute // limits memory, not staleness
)

type cacheKey struct {
	holder uuid.UUID // the table's Tenant
	slug   string
}

// holder returns the company whose columns a table has.
func holder(owner, tenant uuid.UUID, extended bool) uuid.UUID {
	if extended {
		return tenant
	}
	return owner
}

// Service reads the registry.
type Service struct {
	cells *pg.Cells
	cache *otter.Cache[cacheKey, *Table]
}

// New returns the service.
func New(cells *pg.Cells) *Service {
	return &Service{cells: cells, cache: otter.Must(&otter.Options[cacheKey, *Table]{
		MaximumSize:      cachedTables,
		ExpiryCalculator: otter.ExpiryAccessing[cacheKey, *Table](cachedFor),
	})}
}

var slugPattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,47}$`)

// IsSlug reports whether the text is a valid table name.
func IsSlug(text string) bool { return slugPattern.MatchString(text) }

// Table returns the tenant's table of this slug, possibly from the cache. An unknown slug is
// always looked up in the database.
func (s *Service) Table(ctx context.Context, tenant uuid.UUID, slug string) (*Table, error) {
	for _, holder := range []uuid.UUID{tenant, uuid.Nil} {
		if table, ok := s.cache.GetIfPresent(cacheKey{holder, slug}); ok {
			return table, nil
		}
	}
	return s.Reload(ctx, tenant, slug)
}

// Reload returns the current table from the database, or the cached one if it has the same
// version.
func (s *Service) Reload(ctx context.Context, tenant uuid.UUID, slug string) (*Table, error) {
	unknown := fault.New(fault.NotFound, "unknown_table", "unknown ingest type: %s", slug)
	if !IsSlug(slug) {
		return nil, unknown
	}
	var table *Table
	err := s.cells.InTenant(ctx, tenant, func(tx pgx.Tx) (err error) {
		table, err = s.load(ctx, q.New(tx), tenant, slug)
		return err
	})
	switch {
	case fault.Is(err, fault.NotFound):
		s.cache.Invalidate(cacheKey{tenant, slug})
		s.cache.Invalidate(cacheKey{uuid.Nil, slug})
		return nil, unknown
	case err != nil:
		return nil, err
	}
	return table, nil
}

// Current returns the table as it is in the database now: the given one if its version is
// current, otherwise a new one.
func (s *Service) Current(ctx context.Context, tenant uuid.UUID, table *Table) (*Table, error) {
	var version int64
	err := s.cells.InTenant(ctx, tenant, func(tx pgx.Tx) (err error) {
		version, err = q.New(tx).GetTableVersion(ctx, q.GetTableVersionParams{TenantID: tenant, Slug: table.Slug})
		return err
	})
	if err != nil {
		return nil, err
	}
	if version == table.Version {
		return table, nil
	}
	return s.Reload(ctx, tenant, table.Slug)
}

// Slugs lists the tenant's tables in registration order.
func (s *Service) Slugs(ctx context.Context, tenant uuid.UUID) (slugs []string, err error) {
	err = s.cells.InTenant(ctx, tenant, func(tx pgx.Tx) (err error) {
		rows, err := q.New(tx).ListTables(ctx, tenant)
		for _, row := range rows {
			slugs = append(slugs, row.Slug)
		}
		return err
	})
	return slugs, err
}

// All returns the tenant's tables in registration order, as they are in the database now.
func (s *Service) All(ctx context.Context, tenant uuid.UUID) (tables []*Table, err error) {
	err = s.cells.InTenant(ctx, tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		rows, err := queries.ListTables(ctx, tenant)
		if err != nil {
			return err
		}
		for _, row := range rows {
			table, ok := s.cache.GetIfPresent(cacheKey{holder(row.TenantID, tenant, row.Extended), row.Slug})
			if !ok || table.Version != row.Version {
				if table, err = s.load(ctx, queries, tenant, row.Slug); err != nil {
					return err
				}
			}
			tables = append(tables, table)
		}
		return nil
	})
	return tables, err
}

// load returns the table in the version that the database has now. It reads the version first:
// if the table changes meanwhile, its version is too old and the next user reloads it.
func (s *Service) load(ctx context.Context, queries *q.Queries, tenant uuid.UUID, slug string) (*Table, error) {
	row, err := queries.GetTable(ctx, q.GetTableParams{TenantID: tenant, Slug: slug})
	if err != nil {
		return nil, err
	}
	held := cacheKey{holder(row.TenantID, tenant, row.Extended), slug}
	if cached, ok := s.cache.GetIfPresent(held); ok && cached.Version == row.Version {
		return cached, nil
	}
	table, err := read(ctx, queries, row, held.holder)
	if err != nil {
		return nil, err
	}
	return s.keep(table), nil
}

// keep puts a table into the cache. If several callers read the same version at once, the
// first one's table is kept.
func (s *Service) keep(table *Table) *Table {
	kept, _ := s.cache.Compute(cacheKey{table.Tenant, table.Slug},
		func(cached *Table, found bool) (*Table, otter.ComputeOp) {
			if found && cached.Version == table.Version {
				return cached, otter.CancelOp
			}
			return table, otter.WriteOp
		})
	return kept
}
