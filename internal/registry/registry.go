// Package registry knows which tables take records and what their columns mean.
//
// It reads registry rows and keeps them in a cache that may be stale. That is
// safe because the cache only speeds up: whoever acts on a Table compares its
// Version inside the transaction in which it acts, and calls Reload when it
// differs.
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

// MaxKeyLength is how many characters a text may have that identifies a record or refers
// to one.
const MaxKeyLength = 500

// Table is one ingest-enabled table. It is shared between goroutines and never
// changed after it was read. There is one for each version of a table: whoever has the
// same version has the same pointer.
type Table struct {
	Owner       uuid.UUID // uuid.Nil: built in
	Slug        string
	Title       string
	Description string
	Generic     bool // its rows are in workspace.records, not in a table of its own
	Version     int64

	ConflictKey    []string // what callers are told
	ConflictColumn string   // what the unique index holds, after the tenant
	Identity       []string // the fields that make it up: the first that is present

	Columns  []Column // in their registered order
	Snapshot *Snapshot
	Waiting  []Waiting // columns of other tables that wait for records of this one
	Feeds    []Feed    // snapshots of other tables that records of this one resolve

	byName map[string]int
}

// Column is one field of a table.
type Column struct {
	Name        string
	Type        Type
	Kind        string // writable, api_only, trigger, read_only
	Accepted    bool   // taken on ingest
	Required    bool   // demanded when the row is new
	Nullable    bool
	Default     *string // what a new row gets when the field is not sent
	Choices     []string
	Minimum     string // a decimal, or empty
	Maximum     string
	MaxLength   int    // of a text, in characters; 0: any
	Indexed     bool   // an index holds its values
	Format      string // of a text: Currency, or empty
	Reference   *Reference
	Description string
	Example     json.RawMessage
}

// Reference says whose id a column holds.
type Reference struct {
	Slug          string
	Generic       bool
	Key           string // the referenced table's conflict column
	PendingColumn string // where an unknown value waits; empty: it is refused
}

// Snapshot says which columns are copied from other records when a row is
// written, and by which function of the schema.
type Snapshot struct {
	Function  string
	Arguments []string
	Columns   []string
	Source    string // records of this table may resolve what waits
	Match     string // by this column, in both tables
	Marker    string // a row waits while this column is empty
}

// Waiting is a column that waits for records of the table that holds this.
type Waiting struct {
	Slug, Column, PendingColumn string
}

// Feed is a table whose snapshot takes from the table that holds this.
type Feed struct {
	Slug string
	Snapshot
}

// NewTable makes a table that is not read from the registry, for tests of what works
// on tables.
func NewTable(slug, key string, columns ...Column) *Table {
	table := &Table{Slug: slug, ConflictColumn: key, Identity: []string{key}, Columns: columns, byName: map[string]int{}}
	table.index()
	return table
}

// EventType is the kind of the event that an accepted record emits.
func (t *Table) EventType() string { return "ingest." + t.Slug + ".received" }

// Label is the table's name where names must be few: tenants' own tables share one,
// and so do those that do not exist.
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

// Identifies says whether the column is one of those that identify a record.
func (t *Table) Identifies(column *Column) bool { return slices.Contains(t.Identity, column.Name) }

// Position orders columns as they were registered; unknown ones come last.
func (t *Table) Position(name string) int {
	if i, ok := t.byName[name]; ok {
		return i
	}
	return len(t.Columns)
}

const externalID = "external_id"

const (
	cachedTables = 20_000
	cachedFor    = 10 * time.Minute // bounds memory, not staleness
)

type cacheKey struct {
	owner uuid.UUID
	slug  string
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

// IsSlug says whether a table may be named so.
func IsSlug(text string) bool { return slugPattern.MatchString(text) }

// Table returns the tenant's table of this slug, possibly from the cache. An
// unknown slug was looked up just now.
func (s *Service) Table(ctx context.Context, tenant uuid.UUID, slug string) (*Table, error) {
	for _, owner := range []uuid.UUID{uuid.Nil, tenant} {
		if table, ok := s.cache.GetIfPresent(cacheKey{owner, slug}); ok {
			return table, nil
		}
	}
	return s.Reload(ctx, tenant, slug)
}

// Reload returns the table as the database has it now: the cached one when its version
// still holds.
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

// Current returns the table as the database has it now: the given one when its
// version still holds, else a new one.
func (s *Service) Current(ctx context.Context, tenant uuid.UUID, table *Table) (*Table, error) {
	var version int64
	err := s.cells.InTenant(ctx, tenant, func(tx pgx.Tx) (err error) {
		version, err = q.New(tx).GetTableVersion(ctx, q.GetTableVersionParams{OwnerID: table.Owner, Slug: table.Slug})
		return err
	})
	if err != nil && !fault.Is(err, fault.NotFound) {
		return nil, err
	}
	if version == table.Version {
		return table, nil
	}
	return s.Reload(ctx, tenant, table.Slug)
}

// Slugs lists the tenant's tables in their order.
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

// All returns the tenant's tables in their order, as the database has them now.
func (s *Service) All(ctx context.Context, tenant uuid.UUID) (tables []*Table, err error) {
	err = s.cells.InTenant(ctx, tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		rows, err := queries.ListTables(ctx, tenant)
		if err != nil {
			return err
		}
		for _, row := range rows {
			table, ok := s.cache.GetIfPresent(cacheKey{row.TenantID, row.Slug})
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

// load returns the table of the version that the database has now. The version is read
// first: should the table change meanwhile, the version says so to whoever acts on it.
func (s *Service) load(ctx context.Context, queries *q.Queries, tenant uuid.UUID, slug string) (*Table, error) {
	row, err := queries.GetTable(ctx, q.GetTableParams{TenantID: tenant, Slug: slug})
	if err != nil {
		return nil, err
	}
	if cached, ok := s.cache.GetIfPresent(cacheKey{row.TenantID, slug}); ok && cached.Version == row.Version {
		return cached, nil
	}
	table, err := read(ctx, queries, row)
	if err != nil {
		return nil, err
	}
	return s.keep(table), nil
}

// keep puts a table into the cache. Of several that were read at once the first stays.
func (s *Service) keep(table *Table) *Table {
	kept, _ := s.cache.Compute(cacheKey{table.Owner, table.Slug},
		func(cached *Table, found bool) (*Table, otter.ComputeOp) {
			if found && cached.Version == table.Version {
				return cached, otter.CancelOp
			}
			return table, otter.WriteOp
		})
	return kept
}

// read reads what belongs to a registered table.
func read(ctx context.Context, queries *q.Queries, row q.GetTableRow) (*Table, error) {
	slug := row.Slug
	table := &Table{
		Owner: row.TenantID, Slug: row.Slug, Title: row.Title, Description: row.Description,
		Generic: row.Storage == "records", Version: row.Version,
		ConflictKey: row.ConflictKey, ConflictColumn: row.ConflictColumn, Identity: row.IdentityColumns,
		byName: map[string]int{},
	}
	columns, err := queries.ListColumns(ctx, q.ListColumnsParams{OwnerID: table.Owner, Slug: slug})
	if err != nil {
		return nil, err
	}
	for _, column := range columns {
		table.Columns = append(table.Columns, toColumn(column))
	}
	table.index()
	snapshot, err := queries.GetSnapshot(ctx, q.GetSnapshotParams{OwnerID: table.Owner, Slug: slug})
	if err == nil {
		table.Snapshot = &Snapshot{snapshot.Function, snapshot.Arguments, snapshot.Columns, snapshot.Source,
			snapshot.MatchColumn, snapshot.MarkerColumn}
	} else if !fault.Is(pg.Translate(err), fault.NotFound) {
		return nil, err
	}
	if table.Owner != uuid.Nil {
		return table, nil // built-in tables wait for built-in tables only
	}
	waiting, err := queries.ListPendingColumns(ctx, &slug)
	if err != nil {
		return nil, err
	}
	for _, w := range waiting {
		table.Waiting = append(table.Waiting, Waiting{w.Slug, w.Name, w.PendingColumn})
	}
	feeds, err := queries.ListSnapshotsFrom(ctx, slug)
	for _, f := range feeds {
		table.Feeds = append(table.Feeds,
			Feed{f.Slug, Snapshot{f.Function, f.Arguments, f.Columns, f.Source, f.MatchColumn, f.MarkerColumn}})
	}
	return table, err
}

// index makes columns findable by name. A generic table is always identified by
// external_id, whether its registration says so or not. Text that identifies a record or
// refers to one is bounded, whether its registration says so or not.
func (t *Table) index() {
	if t.Generic {
		t.ConflictColumn, t.Identity = externalID, []string{externalID}
		t.Columns = slices.DeleteFunc(t.Columns, func(c Column) bool { return c.Name == externalID })
		t.Columns = slices.Insert(t.Columns, 0, Column{
			Name: externalID, Type: Text, Kind: "writable", Accepted: true, Required: true, Indexed: true,
			Description: "Your own id of the record, the upsert key.", Example: json.RawMessage(`"record-1"`),
		})
	}
	for i := range t.Columns {
		column := &t.Columns[i]
		t.byName[column.Name] = i
		if column.Type == Text && column.MaxLength == 0 && (t.Identifies(column) || column.Reference != nil) {
			column.MaxLength = MaxKeyLength
		}
	}
}

func toColumn(row q.ListColumnsRow) Column {
	column := Column{
		Name: row.Name, Type: Type(row.Type), Kind: row.Kind, Accepted: row.Accepted, Required: row.Required,
		Nullable: row.Nullable, Default: row.DefaultValue, Choices: row.Choices, Minimum: row.Minimum, Maximum: row.Maximum,
		MaxLength: int(row.MaxLength), Indexed: row.Indexed, Format: row.Format,
		Description: row.Description, Example: row.Example,
	}
	if row.Reference != nil {
		column.Reference = &Reference{Slug: *row.Reference, Generic: row.ReferenceStorage == "records", Key: row.ReferenceKey}
		if row.PendingColumn != nil {
			column.Reference.PendingColumn = *row.PendingColumn
		}
	}
	return column
}
