// Package failed lists failed imports, retries them unchanged or edited, and closes them
// with a reason.
//
// The original payload is never changed. A retry goes through ingest exactly as a live
// request does, and every attempt is kept with its payload and its answer.
package failed

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
)

// Service lists, retries and closes failed imports.
type Service struct {
	cells   *pg.Cells
	records *ingest.Service
}

// New returns the service.
func New(cells *pg.Cells, records *ingest.Service) *Service {
	return &Service{cells: cells, records: records}
}

// Status is the state of a failure.
type Status string

// The statuses.
const (
	Open     Status = "open"
	Ignored  Status = "ignored"  // closed by a person, with a reason
	Resolved Status = "resolved" // stored, by a retry or by a later record
)

// Failure is a record that was refused, or lost to an internal error.
type Failure struct {
	ID           uuid.UUID
	Slug         string
	Status       Status
	HTTPStatus   int64
	Code         string
	Field        *string // the first field that was wrong
	Message      string
	RecordKey    *string
	KeyID        uuid.UUID // nil: no key sent it
	By           auth.Actor
	RequestID    string
	Sequence     ingest.Sequence // that it was sent with; empty: none
	Seen         int64           // how often the same payload came
	FirstSeenAt  time.Time
	LastSeenAt   time.Time
	ClosedAt     *time.Time
	ClosedReason *string
	ClosedHow    *string // retry, later_success or hand
}

// Filter says which failures are meant. Zero values stand for any.
type Filter struct {
	Slug  string    `json:"table,omitempty"`
	Code  string    `json:"code,omitempty"`
	Field *string   `json:"field,omitempty"` // empty text: those that name no field
	Key   uuid.UUID `json:"key,omitzero"`
	Since time.Time `json:"since,omitzero"` // last seen then or later
	Until time.Time `json:"until,omitzero"` // last seen before
	Words string    `json:"text,omitempty"` // in the message or the record's key
}

// firstYear is the earliest time that the filter's SQL function accepts.
var firstYear = time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC)

// json returns the filter as workspace.failure_matches reads it. It replaces the character
// zero and times before firstYear, which PostgreSQL refuses and no stored value holds.
func (f Filter) json() []byte {
	for _, at := range []*time.Time{&f.Since, &f.Until} {
		if at.Before(firstYear) && !at.IsZero() {
			*at = firstYear
		}
	}
	text, err := json.Marshal(f)
	if err != nil {
		panic(err) // texts, an id and two times
	}
	return bytes.ReplaceAll(text, []byte(`\u0000`), []byte(`\ufffd`))
}

// List returns failures of one status, or of any, the newest first.
func (s *Service) List(ctx context.Context, by auth.Principal, status Status, filter Filter, want page.Request) (
	failures []Failure, more bool, err error) {
	if err := by.Require(auth.ReadFailures); err != nil {
		return nil, false, err
	}
	params := q.ListFailuresParams{
		TenantID: by.Tenant, WorkspaceID: by.Workspace, Before: want.Before(), Status: string(status), Filter: filter.json(),
		Most: want.Limit(),
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		rows, err := q.New(tx).ListFailures(ctx, params)
		rows, more = page.Cut(want, rows)
		for _, row := range rows {
			failure, err := toFailure(row)
			if err != nil {
				return err
			}
			failures = append(failures, failure)
		}
		return err
	})
	return failures, more, err
}

func toFailure(row q.ListFailuresRow) (Failure, error) {
	by := auth.Actor{Type: auth.ByKey, ID: row.KeyID.String()}
	if row.Actor != nil {
		if err := json.Unmarshal(row.Actor, &by); err != nil {
			return Failure{}, err
		}
	}
	return Failure{
		ID: row.ID, Slug: row.Slug, Status: Status(row.Status), HTTPStatus: row.HttpStatus, Code: row.Code, Field: row.Field,
		Message: row.Message, RecordKey: row.RecordKey, KeyID: row.KeyID, By: by, RequestID: row.RequestID,
		Sequence: ingest.Sequence(row.Sequence), Seen: row.Seen,
		FirstSeenAt: row.FirstSeenAt, LastSeenAt: row.LastSeenAt, ClosedAt: row.ClosedAt, ClosedReason: row.ClosedReason,
		ClosedHow: row.ClosedHow,
	}, nil
}

// Group is the failures of one table with the same code and field, which often have one fix.
type Group struct {
	Slug, Code, Field string
	Message           string // of the latest
	Failures          int64
	Seen              int64
	FirstSeenAt       time.Time
	LastSeenAt        time.Time
}

// Groups returns failures of one status by table, reason and field, the largest first.
func (s *Service) Groups(ctx context.Context, by auth.Principal, status Status, filter Filter) (
	groups []Group, err error) {
	if err := by.Require(auth.ReadFailures); err != nil {
		return nil, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		rows, err := q.New(tx).ListFailureGroups(ctx, q.ListFailureGroupsParams{TenantID: by.Tenant,
			WorkspaceID: by.Workspace, Status: string(status), Filter: filter.json()})
		for _, row := range rows {
			groups = append(groups, Group{
				Slug: row.Slug, Code: row.Code, Field: row.Field, Message: row.Message,
				Failures: row.Failures, Seen: row.Seen, FirstSeenAt: row.FirstSeenAt, LastSeenAt: row.LastSeenAt,
			})
		}
		return err
	})
	return groups, err
}

// Detail is a failure with its payload, its errors and its attempts.
type Detail struct {
	Failure
	Payload  []byte // exactly as it came
	Errors   []fault.Field
	Attempts []Attempt // the latest first
}

// Attempt is one retry.
type Attempt struct {
	ID         uuid.UUID
	At         time.Time
	By         auth.Actor
	RequestID  string
	Payload    []byte // as it was edited; nil: as it came
	HTTPStatus int64
	Code       string
	Message    string
}

// Get returns one failure with its payload and what was tried.
func (s *Service) Get(ctx context.Context, by auth.Principal, id uuid.UUID) (Detail, error) {
	if err := by.Require(auth.ReadFailures); err != nil {
		return Detail{}, err
	}
	var detail Detail
	err := s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		row, err := queries.GetFailure(ctx, q.GetFailureParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ID: id})
		if err != nil {
			return err
		}
		detail.Failure, err = toFailure(q.ListFailuresRow{
			ID: row.ID, Slug: row.Slug, Status: row.Status, HttpStatus: row.HttpStatus, Code: row.Code, Field: row.Field,
			Message:   row.Message,
			RecordKey: row.RecordKey, KeyID: row.KeyID, Actor: row.Actor, RequestID: row.RequestID, Seen: row.Seen,
			Sequence: row.Sequence, FirstSeenAt: row.FirstSeenAt,
			LastSeenAt: row.LastSeenAt, ClosedAt: row.ClosedAt, ClosedReason: row.ClosedReason, ClosedHow: row.ClosedHow,
		})
		if err != nil {
			return err
		}
		detail.Payload = row.Payload
		if err := json.Unmarshal(row.Errors, &detail.Errors); err != nil {
			return err
		}
		attempts, err := queries.ListAttempts(ctx, q.ListAttemptsParams{TenantID: by.Tenant, FailedID: id})
		for _, a := range attempts {
			attempt := Attempt{ID: a.ID, At: a.At, RequestID: a.RequestID, Payload: a.Payload, HTTPStatus: a.HttpStatus,
				Code: a.Code, Message: a.Message}
			if err := json.Unmarshal(a.Actor, &attempt.By); err != nil {
				return err
			}
			detail.Attempts = append(detail.Attempts, attempt)
		}
		return err
	})
	if fault.Is(err, fault.NotFound) {
		return Detail{}, unknown(id)
	}
	return detail, err
}

// exportPage is how many payloads are in memory at once.
const exportPage = 200

// Export hands over the payloads of failures, the newest first, each as one line of JSON
// that can be sent again. A payload that is not JSON comes as a JSON text.
func (s *Service) Export(ctx context.Context, by auth.Principal, status Status, filter Filter,
	line func([]byte) error) error {
	if err := by.Require(auth.ReadFailures); err != nil {
		return err
	}
	err := s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		data := audit.Data{"status": status, "table": filter.Slug}
		return audit.Record(ctx, tx, by, "failures.exported", by.Workspace.String(), data)
	})
	if err != nil {
		return err
	}
	params := q.ListFailedPayloadsParams{
		TenantID: by.Tenant, WorkspaceID: by.Workspace, Before: uuid.Max, Status: string(status), Filter: filter.json(),
		Most: exportPage,
	}
	for {
		var rows []q.ListFailedPayloadsRow
		err := s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) (err error) {
			rows, err = q.New(tx).ListFailedPayloads(ctx, params)
			return err
		})
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := line(oneLine(row.Payload)); err != nil {
				return err
			}
			params.Before = row.ID
		}
		if len(rows) < exportPage {
			return nil
		}
	}
}

func oneLine(payload []byte) []byte {
	var compact bytes.Buffer
	if json.Compact(&compact, payload) == nil {
		return compact.Bytes()
	}
	text, _ := json.Marshal(string(payload)) // a text always can be
	return text
}

func unknown(id uuid.UUID) error {
	return fault.New(fault.NotFound, "unknown_failure", "there is no failed import with the id %s", id)
}
