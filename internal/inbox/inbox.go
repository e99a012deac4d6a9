// Package inbox shows people what asks for their attention: orders that wait for their approval, orders
// that were sent back to them, mentions of them, and alerts.
//
// The inbox is derived from what is so now, and never written when something happens. What is no longer
// so is not in it. Kept is only what a person has seen, or done away with, and how far mails have come.
package inbox

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/alert"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/mail"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/purchase"
	"github.com/quayside/quayside/internal/telemetry"
)

// Kind says why an item is in the inbox.
type Kind string

// The kinds.
const (
	Approval Kind = "approval"  // an order waits for approval, and the person may approve it
	SentBack Kind = "sent_back" // an order was sent back to the person
	Mention  Kind = "mention"   // somebody mentions the person in the log of an order
	Alert    Kind = "alert"     // imports fail, or a source is silent
)

// Item is what asks for a person's attention.
type Item struct {
	ID      uuid.UUID // rises with At; the page cursor
	Kind    Kind
	Subject string // the number of an order, or the id of an alert
	By      auth.Actor
	Text    string // the reason of sending back, or the comment
	Lines   int64  // that wait, or were sent back
	At      time.Time
	Seen    bool
	Order   *purchase.Order // nil for an alert
	Alert   *alert.Alert    // nil for an order
}

// stays reports whether the item is in the inbox for as long as it is so, whatever a person has done.
func (k Kind) stays() bool { return k == Approval || k == Alert }

// Service shows and mails inboxes.
type Service struct {
	cells    *pg.Cells
	purchase *purchase.Service
	alerts   *alert.Service
	post     *mail.Sender
	log      *slog.Logger
	metrics  *telemetry.Metrics
	baseURL  string // where links in mails lead
}

// New returns the service.
func New(cells *pg.Cells, lines *purchase.Service, alerts *alert.Service, post *mail.Sender, log *slog.Logger,
	metrics *telemetry.Metrics, baseURL string) *Service {
	return &Service{cells: cells, purchase: lines, alerts: alerts, post: post, log: log, metrics: metrics,
		baseURL: baseURL}
}

// List returns a page of the caller's inbox, the newest first: of one kind, or of all if it is empty.
func (s *Service) List(ctx context.Context, by auth.Principal, kind Kind, want page.Request) (
	items []Item, more bool, err error) {
	all, err := s.read(ctx, by, time.Now())
	if err != nil {
		return nil, false, err
	}
	for _, item := range all {
		if (kind == "" || item.Kind == kind) && before(item.ID, want.Before()) && len(items) < int(want.Limit()) {
			items = append(items, item)
		}
	}
	items, more = page.Cut(want, items)
	return items, more, s.fill(ctx, by, items)
}

// Count is what the badges show.
type Count struct {
	Unseen       int64
	Approvals    int64 // orders that wait for the caller's approval, seen or not
	UnreadAlerts int64 // as the list of alerts counts them, also some that are resolved
}

// Count counts the caller's inbox.
func (s *Service) Count(ctx context.Context, by auth.Principal) (count Count, err error) {
	now := time.Now()
	items, err := s.read(ctx, by, now)
	if err != nil {
		return count, err
	}
	for _, item := range items {
		if !item.Seen {
			count.Unseen++
		}
		if item.Kind == Approval {
			count.Approvals++
		}
	}
	count.UnreadAlerts, err = s.alerts.Unread(ctx, by, now)
	return count, err
}

// Sight is an item as somebody has seen it. What comes to it after At is new.
type Sight struct {
	Kind    Kind
	Subject string
	At      time.Time
}

const (
	mostSights = 200
	// rememberedFor is how long what was seen is remembered. No item that can be done away with is that old,
	// but drafts that nobody cares for.
	rememberedFor = 365 * 24 * time.Hour
)

// Mark marks items as seen by the caller or, if done, takes those away that a person can: what waits for
// approval and alerts stay for as long as they are so.
func (s *Service) Mark(ctx context.Context, by auth.Principal, sights []Sight, done bool) error {
	if err := forPeople(by); err != nil {
		return err
	}
	if len(sights) > mostSights {
		return fault.InField("items", "items", "name at most %d items", mostSights)
	}
	return s.mark(ctx, by, sights, done)
}

// MarkAll is Mark for all items that came up to a moment: of one kind, or of all if it is empty.
func (s *Service) MarkAll(ctx context.Context, by auth.Principal, kind Kind, upTo time.Time, done bool) error {
	items, err := s.read(ctx, by, time.Now())
	if err != nil {
		return err
	}
	sights := []Sight{}
	for _, item := range items {
		if (kind == "" || item.Kind == kind) && !item.At.After(upTo) && (done || !item.Seen) {
			sights = append(sights, Sight{item.Kind, item.Subject, item.At})
		}
	}
	return s.mark(ctx, by, sights, done)
}

func (s *Service) mark(ctx context.Context, by auth.Principal, sights []Sight, done bool) error {
	now := time.Now()
	return s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries, alerts := q.New(tx), []uuid.UUID{}
		for _, sight := range sights {
			if sight.Kind == Alert {
				id, err := uuid.Parse(sight.Subject)
				if err != nil {
					return fault.InField("items", "subject", "an alert is named by its id")
				}
				alerts = append(alerts, id)
				continue
			}
			at := sight.At
			if at.After(now) { // what comes later is still new
				at = now
			}
			seen := q.SeeInboxParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, UserID: by.Person, Subject: sight.Subject,
				Kind: string(sight.Kind), SeenUntil: at}
			if done && !sight.Kind.stays() {
				seen.DoneUntil = &at
			}
			if err := queries.SeeInbox(ctx, seen); err != nil {
				return err
			}
		}
		if err := queries.ReadAlerts(ctx, q.ReadAlertsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace,
			UserID: by.Person, Ids: alerts}); err != nil {
			return err
		}
		return queries.ForgetInbox(ctx, q.ForgetInboxParams{TenantID: by.Tenant, WorkspaceID: by.Workspace,
			UserID: by.Person, Before: now.Add(-rememberedFor)})
	})
}

// forPeople refuses programs: they have no inbox.
func forPeople(by auth.Principal) error {
	if by.Person == uuid.Nil || by.Token != uuid.Nil {
		return fault.New(fault.Forbidden, "forbidden", "only people have an inbox")
	}
	return by.Require(auth.Read)
}
