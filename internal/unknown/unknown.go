// Package unknown knows which fields arrive and are not stored, because their table has no such column.
//
// It counts them by table and name with masked samples and a guessed type, keeps their values where a company has
// switched that on, and fills a column that was made for such a field from the values that are still there: the kept
// ones, and those of failed imports.
//
// Counting happens in memory, apart from the answer to the sender: a record is stored whether or not its fields could
// be counted.
package unknown

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/registry"
)

// Service lists unknown fields and fills columns that are made for them.
type Service struct {
	cells   *pg.Cells
	tables  *registry.Service
	records *ingest.Service
	meter   *Meter
}

// New returns the service.
func New(cells *pg.Cells, tables *registry.Service, records *ingest.Service, meter *Meter) *Service {
	return &Service{cells: cells, tables: tables, records: records, meter: meter}
}

// Status is what was done about a field.
type Status string

// The statuses.
const (
	Seen    Status = "seen"    // nothing yet
	Ignored Status = "ignored" // somebody has said that it is not needed
	Made    Status = "made"    // there is a column for it
	Retired Status = "retired" // there was a column for it, which was retired
)

// Field is a field that arrives and is not stored.
type Field struct {
	Name        string
	Status      Status
	Records     int64         // stored records that had it
	Type        registry.Type // fits every value; empty: all are objects or arrays, which no column takes
	Kinds       Kinds         // the records by what their value looked like
	Samples     []string      // masked
	FirstSeenAt time.Time
	LastSeenAt  time.Time
	Suggested   string // a name for the column; empty: none can be made from the field's
	Column      string // the column that was made for it, or empty
	StillComes  bool   // it came after the column was made, under another name than the column's
	Kept        int64  // values that are kept
}

// Kinds counts records by what their value looked like.
type Kinds struct {
	Text, Number, Boolean, Date, Datetime, UUID int64
	Nested                                      int64 // an object or an array
	Empty                                       int64 // null, or a blank text
}

// Found is what is known of a table's unknown fields.
type Found struct {
	Fields  []Field // the most frequent first
	Others  int64   // values of fields that were not counted by name
	Keeping bool    // values are kept
}

// List returns the unknown fields of a table.
func (s *Service) List(ctx context.Context, by auth.Principal, slug string) (found Found, err error) {
	if err := by.Require(auth.Read); err != nil {
		return Found{}, err
	}
	table, err := s.tables.Table(ctx, by.Tenant, slug)
	if err != nil {
		return Found{}, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		rows, err := queries.ListUnknownFields(ctx,
			q.ListUnknownFieldsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Slug: slug})
		if err != nil {
			return err
		}
		for _, row := range rows {
			column, known := table.Column(row.Name)
			switch {
			case row.Name == "":
				found.Others = row.Records
			case known && ingest.Fillable(table, column.Name) != nil: // a release has brought a built-in column
			default:
				found.Fields = append(found.Fields, toField(row, known))
			}
		}
		found.Keeping, err = queries.IsKeeping(ctx, q.IsKeepingParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Slug: slug})
		return err
	})
	return found, err
}

func toField(row q.ListUnknownFieldsRow, known bool) Field {
	counts := map[kind]int64{"text": row.Texts, "number": row.Numbers, "boolean": row.Booleans, "date": row.Dates,
		"datetime": row.Datetimes, "uuid": row.Uuids, nested: row.Nested, empty: row.Empty}
	field := Field{
		Name: row.Name, Status: Seen, Records: row.Records, Samples: row.Samples,
		Kinds: Kinds{Text: row.Texts, Number: row.Numbers, Boolean: row.Booleans, Date: row.Dates, Datetime: row.Datetimes,
			UUID: row.Uuids, Nested: row.Nested, Empty: row.Empty},
		FirstSeenAt: row.FirstSeenAt, LastSeenAt: row.LastSeenAt, Suggested: columnFor(row.Name), Kept: row.Kept,
	}
	field.Type, _ = guess(counts)
	switch {
	case row.MadeColumn != nil:
		field.Status, field.Column = Made, *row.MadeColumn
		field.StillComes = row.LastSeenAt.After(*row.MadeAt) && *row.MadeColumn != row.Name
	case known:
		field.Status, field.Column = Made, row.Name
	case row.Retired:
		field.Status, field.Column = Retired, row.Name
	case row.Ignored:
		field.Status = Ignored
	}
	return field
}

func errUnknownField(slug, name string) error {
	return fault.New(fault.NotFound, "unknown_field", "no field %s has come to %s that is not stored", fault.Shorten(name), slug)
}

// SetIgnored says that a field is not needed, or takes that back. Values of an ignored field are deleted and not kept.
func (s *Service) SetIgnored(ctx context.Context, by auth.Principal, slug, name string, ignored bool) error {
	if err := by.Require(auth.DefineTables); err != nil {
		return err
	}
	if _, err := s.tables.Table(ctx, by.Tenant, slug); err != nil {
		return err
	}
	if !countable(name) {
		return errUnknownField(slug, name)
	}
	return s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		changed, err := queries.IgnoreUnknownField(ctx, q.IgnoreUnknownFieldParams{TenantID: by.Tenant,
			WorkspaceID: by.Workspace, Slug: slug, Name: name, Ignored: ignored})
		if err != nil {
			return err
		}
		if changed == 0 {
			return errUnknownField(slug, name)
		}
		action := audit.Action("unknown_field.restored")
		if ignored {
			action = "unknown_field.ignored"
			if err := queries.DropUnknownValues(ctx, q.DropUnknownValuesParams{TenantID: by.Tenant,
				WorkspaceID: by.Workspace, Slug: slug, Name: name}); err != nil {
				return err
			}
		}
		return audit.Record(ctx, tx, by, action, slug+"."+name, audit.Data{"table": slug, "field": name})
	})
}

// SetKeeping switches on or off that the values of a table's unknown fields are kept, in this workspace. Switching it
// off deletes those that were kept. The switch is a part of the table's definition: every write compares the definition's
// version in its own transaction, so no instance stores a record by the old one once this has returned.
func (s *Service) SetKeeping(ctx context.Context, by auth.Principal, slug string, keep bool) error {
	if err := by.Require(auth.DefineTables); err != nil {
		return err
	}
	if _, err := s.tables.Table(ctx, by.Tenant, slug); err != nil {
		return err
	}
	return s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		if err := queries.LockDefinitions(ctx, by.Tenant.String()); err != nil {
			return err
		}
		if err := queries.InsertExtension(ctx, q.InsertExtensionParams{TenantID: by.Tenant, Slug: slug}); err != nil {
			return err
		}
		action := audit.Action("unknown_values.kept")
		if keep {
			_, err := queries.StartKeeping(ctx, q.StartKeepingParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Slug: slug})
			if err != nil {
				return err
			}
		} else {
			action = "unknown_values.dropped"
			_, err := queries.StopKeeping(ctx, q.StopKeepingParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Slug: slug})
			if err != nil {
				return err
			}
			if err := queries.DropUnknownValues(ctx, q.DropUnknownValuesParams{TenantID: by.Tenant,
				WorkspaceID: by.Workspace, Slug: slug}); err != nil {
				return err
			}
		}
		return audit.Record(ctx, tx, by, action, slug, audit.Data{"table": slug})
	})
}
