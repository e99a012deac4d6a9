package inbox

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/alert"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/purchase"
)

const (
	// readTimeout limits one statement.
	readTimeout = 5 * time.Second
	// mentionedFor is how long a mention is in the inbox.
	mentionedFor = 30 * 24 * time.Hour
	// mostMentions is how many entries that mention anybody are searched, the newest first.
	mostMentions = 2000
)

// read returns the whole inbox of the caller, the newest first, without what fill adds. It is bounded by
// how many orders, mentions and alerts are searched.
func (s *Service) read(ctx context.Context, by auth.Principal, now time.Time) (items []Item, err error) {
	if err := forPeople(by); err != nil {
		return nil, err
	}
	err = s.cells.Reading(ctx, by.Tenant, readTimeout, func(tx pgx.Tx) error {
		queries := q.New(tx)
		if items, err = derive(ctx, queries, by, now); err != nil {
			return err
		}
		items, err = withoutDone(ctx, queries, by, items)
		return err
	})
	for i := range items {
		items[i].ID = idOf(items[i])
	}
	slices.SortFunc(items, func(a, b Item) int { return bytes.Compare(b.ID[:], a.ID[:]) })
	return items, err
}

// derive returns what is so now. Of all kinds but alerts, it does not know what was seen.
func derive(ctx context.Context, queries *q.Queries, by auth.Principal, now time.Time) (items []Item, err error) {
	for kind, find := range map[Kind]func(context.Context, *q.Queries, auth.Principal) ([]purchase.Waiting, error){
		Approval: purchase.ToApprove, SentBack: purchase.SentBack,
	} {
		waiting, err := find(ctx, queries, by)
		if err != nil {
			return nil, err
		}
		for _, one := range waiting {
			items = append(items, Item{Kind: kind, Subject: one.OrderNo, By: one.By, Text: one.Reason, Lines: one.Lines,
				At: one.At})
		}
	}
	mentions, err := queries.ListOrderMentions(ctx, q.ListOrderMentionsParams{TenantID: by.Tenant,
		WorkspaceID: by.Workspace, Person: by.Person, Actor: by.Actor.ID, Since: now.Add(-mentionedFor), Most: mostMentions})
	if err != nil {
		return nil, err
	}
	for _, entry := range mentions {
		item := Item{Kind: Mention, Subject: entry.OrderNo, Text: entry.Text, At: entry.CreatedAt}
		if err := json.Unmarshal(entry.Actor, &item.By); err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	alerts, err := alert.Open(ctx, queries, by)
	for _, one := range alerts {
		items = append(items, Item{Kind: Alert, Subject: one.ID.String(), By: auth.Actor{Type: auth.BySystem},
			At: one.RaisedAt, Seen: one.Read, Alert: &one})
	}
	return items, err
}

// withoutDone says which items were seen, and drops those that the caller has done away with.
func withoutDone(ctx context.Context, queries *q.Queries, by auth.Principal, items []Item) ([]Item, error) {
	orders := []string{}
	for _, item := range items {
		if item.Kind != Alert {
			orders = append(orders, item.Subject)
		}
	}
	seen, err := queries.ListInboxSeen(ctx, q.ListInboxSeenParams{TenantID: by.Tenant, WorkspaceID: by.Workspace,
		UserID: by.Person, Subjects: orders})
	if err != nil {
		return nil, err
	}
	type key struct{ kind, subject string }
	known := map[key]q.ListInboxSeenRow{}
	for _, one := range seen {
		known[key{one.Kind, one.Subject}] = one
	}
	left := []Item{}
	for _, item := range items {
		if one, saw := known[key{string(item.Kind), item.Subject}]; saw {
			item.Seen = !item.At.After(one.SeenUntil)
			if one.DoneUntil != nil && !item.At.After(*one.DoneUntil) {
				continue
			}
		}
		left = append(left, item)
	}
	return left, nil
}

// idOf returns an id that sorts items by their time, and tells those of one moment apart.
func idOf(item Item) (id uuid.UUID) {
	sum := sha256.Sum256([]byte(string(item.Kind) + " " + item.Subject))
	binary.BigEndian.PutUint64(id[:8], uint64(max(item.At.UnixMicro(), 0)))
	copy(id[8:], sum[:8])
	return id
}

func before(id, other uuid.UUID) bool { return bytes.Compare(id[:], other[:]) < 0 }

// fill adds the orders of items, and the names of alerts.
func (s *Service) fill(ctx context.Context, by auth.Principal, items []Item) error {
	numbers := []string{}
	for i, item := range items {
		if item.Alert == nil {
			numbers = append(numbers, item.Subject)
			continue
		}
		named, err := s.alerts.Named(ctx, by, *item.Alert)
		if err != nil {
			return err
		}
		items[i].Alert = &named
	}
	orders, err := s.purchase.Numbered(ctx, by, numbers)
	if err != nil {
		return err
	}
	byNumber := map[string]*purchase.Order{}
	for _, order := range orders {
		byNumber[order.OrderNo] = &order
	}
	for i, item := range items {
		items[i].Order = byNumber[item.Subject]
	}
	return nil
}
