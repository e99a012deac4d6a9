package audit

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/q"
)

// Entry is one action in the audit.
type Entry struct {
	ID        uuid.UUID
	At        time.Time
	Workspace *uuid.UUID // nil: it concerned the whole company
	By        auth.Actor
	Name      string // of a person or an agent; empty if it is no longer known
	Action    Action
	Subject   string
	About     string // the name of the person or article that is the subject, if no detail says it
	Data      map[string]any
	RequestID string
}

// Filter selects entries. Zero values match all.
type Filter struct {
	Actor        string // an id, or a kind of actor
	Action       Action
	Subject      string
	Since, Until *time.Time
}

// List returns the company's entries, newest first.
func (s *Service) List(ctx context.Context, by auth.Principal, filter Filter, want page.Request) (
	entries []Entry, more bool, err error) {
	if err := by.Require(auth.ReadAudit); err != nil {
		return nil, false, err
	}
	before := want.After
	if before == uuid.Nil {
		before = uuid.Max
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		rows, err := q.New(tx).ListAudit(ctx, q.ListAuditParams{
			TenantID: by.Tenant, Before: before, Actor: filter.Actor, Action: string(filter.Action), Subject: filter.Subject,
			Since: filter.Since, Until: filter.Until, Most: want.Limit(),
		})
		if err != nil {
			return err
		}
		rows, more = page.Cut(want, rows)
		for _, row := range rows {
			entry := Entry{ID: row.ID, At: row.At, Workspace: row.WorkspaceID, Action: Action(row.Action), Subject: row.Subject,
				RequestID: row.RequestID}
			if err := errors.Join(json.Unmarshal(row.Actor, &entry.By), json.Unmarshal(row.Data, &entry.Data)); err != nil {
				return err
			}
			entries = append(entries, entry)
		}
		return nil
	})
	if err != nil {
		return nil, false, err
	}
	return entries, more, s.name(ctx, by.Tenant, entries)
}
