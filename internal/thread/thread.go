// Package thread keeps what people and agents say about purchase orders, and what they did about
// them outside: comments, calls and reminders. Entries are added and read, never changed. What
// happens to an order's lines is in the audit; purchase.OrderTimeline shows both together. Orders
// that were sent and confirmed are entries too, which packages sending and purchase write.
package thread

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
)

// Kind says what an entry is.
type Kind string

// The kinds.
const (
	Comment  Kind = "comment"
	Call     Kind = "call"     // with the supplier; the text says what was agreed
	Reminder Kind = "reminder" // to the supplier, in the words that were sent

	Sent         Kind = "sent"         // the order itself, with a mail of this text; only package sending adds it
	Confirmation Kind = "confirmation" // by the supplier; only package purchase adds it
)

// noted are the kinds that people and agents add, and the actions that the audit records for them.
var noted = map[Kind]audit.Action{
	Comment: "purchase_order.commented", Call: "purchase_order.called", Reminder: "purchase_order.reminded",
}

const (
	longestText  = 2000
	mostMentions = 20
)

// Entry is what somebody said or did.
type Entry struct {
	ID       uuid.UUID
	OrderNo  string
	Kind     Kind
	By       auth.Actor
	Text     string
	Mentions []uuid.UUID // members of the company
	At       time.Time
}

// Service keeps the entries.
type Service struct {
	cells *pg.Cells
}

// New returns the service.
func New(cells *pg.Cells) *Service { return &Service{cells: cells} }

// Add adds an entry to an order. Its kind, text and mentions are the caller's.
func (s *Service) Add(ctx context.Context, by auth.Principal, orderNo string, entry Entry) (Entry, error) {
	if err := by.Require(auth.DiscussOrders); err != nil {
		return Entry{}, err
	}
	entry, err := checked(entry)
	if err != nil {
		return Entry{}, err
	}
	entry.ID, entry.OrderNo, entry.By = uuid.Must(uuid.NewV7()), orderNo, by.Actor
	if err := s.refuseStrangers(ctx, by, entry.Mentions); err != nil {
		return Entry{}, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		if err := refuseUnknown(ctx, queries, by, orderNo); err != nil {
			return err
		}
		entry.At, err = queries.InsertOrderEntry(ctx, q.InsertOrderEntryParams{
			TenantID: by.Tenant, ID: entry.ID, WorkspaceID: by.Workspace, OrderNo: orderNo, Kind: string(entry.Kind),
			Actor: by.Actor.JSON(), Text: entry.Text, Mentions: entry.Mentions, Data: []byte("{}"),
		})
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, by, noted[entry.Kind], orderNo,
			audit.Data{"entry": entry.ID, "mentions": entry.Mentions})
	})
	return entry, err
}

// checked returns the entry with its text trimmed and nobody mentioned twice.
func checked(entry Entry) (Entry, error) {
	if noted[entry.Kind] == "" {
		return entry, fault.InField("kind", "kind", "an entry is a comment, a call or a reminder")
	}
	entry.Text = strings.TrimSpace(entry.Text)
	if entry.Text == "" || !utf8.ValidString(entry.Text) || strings.ContainsRune(entry.Text, 0) ||
		utf8.RuneCountInString(entry.Text) > longestText {
		return entry, fault.InField("text", "text", "give a text of at most %d characters", longestText)
	}
	mentions := append([]uuid.UUID{}, entry.Mentions...)
	slices.SortFunc(mentions, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
	entry.Mentions = slices.Compact(mentions)
	if len(entry.Mentions) > mostMentions {
		return entry, fault.InField("mentions", "mentions", "mention at most %d people", mostMentions)
	}
	return entry, nil
}

// refuseStrangers refuses to mention somebody who is not a member of the company.
func (s *Service) refuseStrangers(ctx context.Context, by auth.Principal, people []uuid.UUID) error {
	if len(people) == 0 {
		return nil
	}
	return s.cells.InControl(ctx, by.Tenant, func(tx pgx.Tx) error {
		members, err := q.New(tx).CountMembersOf(ctx, q.CountMembersOfParams{TenantID: by.Tenant, People: people})
		if err == nil && members < int64(len(people)) {
			return fault.InField("mentions", "unknown_member", "only members of the company can be mentioned")
		}
		return err
	})
}

func refuseUnknown(ctx context.Context, queries *q.Queries, by auth.Principal, orderNo string) error {
	known, err := queries.OrderExists(ctx,
		q.OrderExistsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, OrderNo: orderNo})
	if err == nil && !known {
		return fault.New(fault.NotFound, "unknown_order", "there is no purchase order with this number")
	}
	return err
}

// List returns a page of an order's entries, the newest first.
func (s *Service) List(ctx context.Context, by auth.Principal, orderNo string, want page.Request) (
	entries []Entry, more bool, err error) {
	if err := by.Require(auth.Read); err != nil {
		return nil, false, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		if err := refuseUnknown(ctx, queries, by, orderNo); err != nil {
			return err
		}
		found, err := queries.ListOrderEntries(ctx, q.ListOrderEntriesParams{TenantID: by.Tenant, WorkspaceID: by.Workspace,
			OrderNo: orderNo, Before: want.Before(), Most: want.Limit()})
		if err != nil {
			return err
		}
		found, more = page.Cut(want, found)
		for _, one := range found {
			entry, err := toEntry(q.ListLatestEntriesRow(one))
			if err != nil {
				return err
			}
			entries = append(entries, entry)
		}
		return nil
	})
	return entries, more, err
}

// Latest returns the newest entry of each of these orders that has one.
func (s *Service) Latest(ctx context.Context, by auth.Principal, orderNos []string) (entries []Entry, err error) {
	if err := by.Require(auth.Read); err != nil || len(orderNos) == 0 {
		return nil, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		found, err := q.New(tx).ListLatestEntries(ctx,
			q.ListLatestEntriesParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, OrderNos: orderNos})
		if err != nil {
			return err
		}
		for _, one := range found {
			entry, err := toEntry(one)
			if err != nil {
				return err
			}
			entries = append(entries, entry)
		}
		return nil
	})
	return entries, err
}

func toEntry(row q.ListLatestEntriesRow) (Entry, error) {
	entry := Entry{ID: row.ID, OrderNo: row.OrderNo, Kind: Kind(row.Kind), Text: row.Text, Mentions: row.Mentions,
		At: row.CreatedAt}
	return entry, json.Unmarshal(row.Actor, &entry.By)
}
