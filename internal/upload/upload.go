// Package upload imports files that people bring: it keeps the file, shows what would
// become of its records, and stores them in the background.
//
// Files are read and columns mapped as by the command line's push (package sheet); records
// go through ingest exactly as live ones do, with the person as their actor. Progress, the
// rejects and the dead letters of a batch are noted in one transaction. A process that dies
// between a batch and its note sends that batch again: what it had stored is then counted
// as unchanged, and nothing else is done or counted twice.
package upload

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/job"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/sheet"
	"github.com/quayside/quayside/internal/source"
)

const (
	// MaxBytes is how large a file may be. Larger ones are for push, which streams them.
	MaxBytes = 32 << 20

	mostFiles    = 10 // that a workspace keeps at once
	mostAtOnce   = 4  // files that are read while somebody waits
	mostReasons  = 20
	keptRejects  = 30 * 24 * time.Hour // as the query that drops them has it
	rejectsAhead = 200
)

// limits bound what a file may cost. A workbook is read from its beginning for each slice
// of work, which takes seconds for each 100 MiB.
var limits = sheet.Limits{Inflated: 256 << 20, Unpacked: 100 << 20, Records: 1_000_000, Record: 2 << 20}

// Service receives files and imports their records.
type Service struct {
	cells     *pg.Cells
	tables    *registry.Service
	records   *ingest.Service
	meter     *source.Meter
	maxRecord int64
	reading   chan struct{} // a place for everybody who reads a file while somebody waits
}

// New returns the service. Records larger than maxRecord bytes are refused, as by the
// endpoint.
func New(cells *pg.Cells, tables *registry.Service, records *ingest.Service, meter *source.Meter,
	maxRecord int64) *Service {
	return &Service{cells: cells, tables: tables, records: records, meter: meter, maxRecord: maxRecord,
		reading: make(chan struct{}, mostAtOnce)}
}

// Status says how far an import is.
type Status string

// The statuses.
const (
	Ready     Status = "ready" // to be looked at, and started
	Queued    Status = "queued"
	Running   Status = "running"
	Cancelled Status = "cancelled"
	Done      Status = "done"
	Broken    Status = "failed" // it could not go on; the message says why
)

// Import is a file on its way into a table.
type Import struct {
	ID         uuid.UUID
	Slug       string
	Status     Status
	Cancelling bool // it will stop as soon as it looks up
	File       string
	Bytes      int64
	Reading    sheet.Reading
	Found      Found
	Mapping    []sheet.Override // where its columns go, as it was started
	By         auth.Actor
	Total      int64 // records in the file
	Created    int64
	Updated    int64
	Unchanged  int64
	Refused    int64
	Unreadable int64 // of those refused: they were no records, and are no failed imports
	Message    string
	CreatedAt  time.Time
	StartedAt  *time.Time
	FinishedAt *time.Time
	Rejects    *time.Time // until then they can be fetched; nil: there are none
}

// Found is what a file was found to be and to hold.
type Found struct {
	About  string   `json:"about"` // in a few words
	Gzip   bool     `json:"gzip,omitempty"`
	Sheets []string `json:"sheets,omitempty"` // of a workbook
	Names  []string `json:"names"`            // of its columns
	More   bool     `json:"more,omitempty"`   // there are more names than are remembered
}

// Job is the background job that works on an import.
type Job struct {
	job.For
	Import uuid.UUID `json:"import"`
}

// Kind names the job.
func (Job) Kind() string { return "file_import" }

// InsertOpts says how it is enqueued.
func (Job) InsertOpts() river.InsertOpts { return job.In(job.Imports) }

// Get returns one import.
func (s *Service) Get(ctx context.Context, by auth.Principal, id uuid.UUID) (Import, error) {
	if err := by.Require(auth.Read); err != nil {
		return Import{}, err
	}
	row, err := s.get(ctx, by, id)
	if err != nil {
		return Import{}, err
	}
	return toImport(row)
}

func (s *Service) get(ctx context.Context, by auth.Principal, id uuid.UUID) (row q.WorkspaceImport, err error) {
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) (err error) {
		row, err = q.New(tx).GetImport(ctx, q.GetImportParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ID: id})
		return err
	})
	if fault.Is(err, fault.NotFound) {
		err = fault.New(fault.NotFound, "unknown_import",
			"there is no import with the id %s; a file that was not imported within a day is deleted", id)
	}
	return row, err
}

// List returns imports into one table, or into any, the newest first.
func (s *Service) List(ctx context.Context, by auth.Principal, slug string, want page.Request) (
	imports []Import, more bool, err error) {
	if err := by.Require(auth.Read); err != nil {
		return nil, false, err
	}
	params := q.ListImportsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Before: uuid.Max, Slug: slug,
		Most: want.Limit()}
	if want.After != uuid.Nil {
		params.Before = want.After
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		rows, err := q.New(tx).ListImports(ctx, params)
		rows, more = page.Cut(want, rows)
		for _, row := range rows {
			one, err := toImport(row)
			if err != nil {
				return err
			}
			imports = append(imports, one)
		}
		return err
	})
	return imports, more, err
}

// Cancel stops an import, or gives a file up that was not started. What was stored by then
// stays stored.
func (s *Service) Cancel(ctx context.Context, by auth.Principal, id uuid.UUID) (Import, error) {
	if err := by.Require(auth.ImportRecords); err != nil {
		return Import{}, err
	}
	err := s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		status, err := queries.CancelImport(ctx, q.CancelImportParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ID: id})
		if err != nil {
			return err
		}
		if Status(status) == Cancelled {
			if err := queries.DropImportFile(ctx, q.DropImportFileParams{TenantID: by.Tenant, ImportID: id}); err != nil {
				return err
			}
		}
		return audit.Record(ctx, tx, by, "import.cancelled", id.String(), nil)
	})
	if err != nil && !fault.Is(err, fault.NotFound) { // it has ended: that is what was wanted
		return Import{}, err
	}
	return s.Get(ctx, by, id)
}

// Reason is records that were refused for the same reason.
type Reason struct {
	Words   string
	Records int64
	First   int64  // the first of them
	Example string // its whole message
}

// Reasons are why records of an import were refused, the most frequent first.
func (s *Service) Reasons(ctx context.Context, by auth.Principal, id uuid.UUID) (reasons []Reason, err error) {
	if _, err := s.Get(ctx, by, id); err != nil {
		return nil, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		rows, err := q.New(tx).ListImportReasons(ctx,
			q.ListImportReasonsParams{TenantID: by.Tenant, ImportID: id, Most: mostReasons})
		for _, row := range rows {
			reasons = append(reasons, Reason{row.Reason, row.Records, row.FirstRecord, row.Example})
		}
		return err
	})
	return reasons, err
}

// Rejects gives the refused records of an import, each with notes, in their order.
func (s *Service) Rejects(ctx context.Context, by auth.Principal, id uuid.UUID, line func([]byte) error) error {
	one, err := s.Get(ctx, by, id)
	if err != nil {
		return err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		return audit.Record(ctx, tx, by, "import.rejects_exported", id.String(),
			audit.Data{"table": one.Slug, "file": one.File})
	})
	if err != nil {
		return err
	}
	for last := int64(0); ; {
		var rows []q.ListImportRejectsRow
		err := s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) (err error) {
			rows, err = q.New(tx).ListImportRejects(ctx,
				q.ListImportRejectsParams{TenantID: by.Tenant, ImportID: id, After: last, Most: rejectsAhead})
			return err
		})
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, row := range rows {
			if err := line(row.Line); err != nil {
				return err
			}
			last = row.Record
		}
	}
}

func toImport(row q.WorkspaceImport) (Import, error) {
	one := Import{
		ID: row.ID, Slug: row.Slug, Status: Status(row.Status), Cancelling: row.CancelAsked && row.FinishedAt == nil,
		File: row.FileName, Bytes: row.Bytes,
		Total: row.Total, Created: row.Created, Updated: row.Updated, Unchanged: row.Unchanged, Refused: row.Refused,
		Unreadable: row.Unreadable,
		Message:    row.Message, CreatedAt: row.CreatedAt, StartedAt: row.StartedAt, FinishedAt: row.FinishedAt,
	}
	if row.FinishedAt != nil && row.Refused > 0 && !row.RejectsDropped {
		until := row.FinishedAt.Add(keptRejects)
		one.Rejects = &until
	}
	err := errors.Join(json.Unmarshal(row.Reading, &one.Reading), json.Unmarshal(row.Found, &one.Found),
		json.Unmarshal(row.Actor, &one.By))
	if row.Mapping != nil {
		err = errors.Join(err, json.Unmarshal(row.Mapping, &one.Mapping))
	}
	return one, err
}
