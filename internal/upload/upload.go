// Package upload imports files that people upload: it stores the file, previews its records,
// and imports them in the background.
//
// Files are read and columns mapped as by the push command (package sheet). Records go through
// ingest exactly like live ones, with the person as their actor. The progress, the rejects and
// the dead letters of a batch are stored in one transaction. A process that dies between
// sending a batch and storing its results sends that batch again: records that were stored
// then count as unchanged, and nothing else is done or counted twice.
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
	// MaxBytes is the largest size of a file. push streams larger ones.
	MaxBytes = 32 << 20

	mostFiles    = 10 // stored per workspace
	mostAtOnce   = 4  // files being read while a request waits
	mostReasons  = 20
	keptRejects  = 30 * 24 * time.Hour // must equal the interval in the query that deletes them
	rejectsAhead = 200
)

// limits bound the cost of a file. A workbook is read from its beginning for each slice of
// work, which takes seconds per 100 MiB.
var limits = sheet.Limits{Inflated: 256 << 20, Unpacked: 100 << 20, Records: 1_000_000, Record: 2 << 20}

// Service receives files and imports their records.
type Service struct {
	cells     *pg.Cells
	tables    *registry.Service
	records   *ingest.Service
	meter     *source.Meter
	maxRecord int64
	reading   chan struct{} // slots for reading files while a request waits
}

// New returns the service. Records larger than maxRecord bytes are refused, as by the
// endpoint.
func New(cells *pg.Cells, tables *registry.Service, records *ingest.Service, meter *source.Meter,
	maxRecord int64) *Service {
	return &Service{cells: cells, tables: tables, records: records, meter: meter, maxRecord: maxRecord,
		reading: make(chan struct{}, mostAtOnce)}
}

// Status is the state of an import.
type Status string

// The statuses.
const (
	Ready     Status = "ready" // can be previewed and started
	Queued    Status = "queued"
	Running   Status = "running"
	Cancelled Status = "cancelled"
	Done      Status = "done"
	Failed    Status = "failed" // the message says why
)

// Import is a file being imported into a table.
type Import struct {
	ID         uuid.UUID
	Slug       string
	Status     Status
	Cancelling bool // stops after the current batch
	File       string
	Bytes      int64
	Reading    sheet.Reading
	Found      Found
	Mapping    []sheet.Override // as of the start
	By         auth.Actor
	Total      int64 // records in the file
	Created    int64
	Updated    int64
	Unchanged  int64
	Refused    int64
	Unreadable int64 // refused lines that are not records, and so not failed imports
	Warned     []Warned
	Message    string
	CreatedAt  time.Time
	StartedAt  *time.Time
	FinishedAt *time.Time
	Rejects    *time.Time // rejects can be downloaded until then; nil: there are none
}

// Found holds the detected properties of a file.
type Found struct {
	About  string   `json:"about"` // a short description
	Gzip   bool     `json:"gzip,omitempty"`
	Sheets []string `json:"sheets,omitempty"` // of a workbook
	Names  []string `json:"names"`            // of its columns
	More   bool     `json:"more,omitempty"`   // there are more names than are stored

	Tallies map[string]sheet.Tally `json:"tallies,omitempty"` // of its columns, until it is started
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

// Cancel stops an import, or deletes a file that was not started. Records stored by then stay.
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
	if err != nil && !fault.Is(err, fault.NotFound) { // already ended, as the caller wants
		return Import{}, err
	}
	return s.Get(ctx, by, id)
}

// Reason is a set of records that were refused for the same reason.
type Reason struct {
	Words   string
	Records int64
	First   int64  // number of the first
	Example string // full message of the first
}

// Reasons returns why records of an import were refused, the most frequent reason first.
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

// Rejects calls line with each refused record of an import and its notes, in order.
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
		json.Unmarshal(row.Actor, &one.By), json.Unmarshal(row.Warned, &one.Warned))
	if row.Mapping != nil {
		err = errors.Join(err, json.Unmarshal(row.Mapping, &one.Mapping))
	}
	return one, err
}
