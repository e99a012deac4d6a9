package subject

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/query"
)

const (
	mostMoments  = 50
	mostMentions = 20
	mostNotes    = 20
	// longestNote is how much of a note's summary is read.
	longestNote = 400
	// MostSearched is how many open failed imports are searched, the latest first.
	MostSearched = 2000
)

// Moment is something that a person, an agent or a key did.
type Moment struct {
	At              time.Time
	By              auth.Actor
	ByName          string
	What            string
	LineID, OrderNo string   // of a purchase order line
	Fields          []string // that were written
}

// Moments returns what was done with a record of a table, and with purchase order lines, of which the
// numbers of their orders are given. The latest come first. Nobody is named yet.
func (r Reading) Moments(ctx context.Context, slug, id string, orders map[string]string) (moments []Moment, err error) {
	lines := make([]string, 0, len(orders))
	for line := range orders {
		lines = append(lines, line)
	}
	rows, err := r.Queries.ListMoments(ctx, q.ListMomentsParams{
		TenantID: r.By.Tenant, WorkspaceID: r.By.Workspace, Subject: id, Slug: slug, Lines: lines, Most: mostMoments,
	})
	for _, row := range rows {
		moments = append(moments, Moment{
			At: row.At, By: ActorOf(row.Actor), What: row.Action, LineID: row.LineID, OrderNo: orders[row.LineID], Fields: row.Fields,
		})
	}
	return moments, err
}

// NameMoments adds the names of whoever acted.
func NameMoments(ctx context.Context, reads *query.Service, tenant uuid.UUID, moments []Moment) error {
	actors := make([]auth.Actor, 0, len(moments))
	for _, moment := range moments {
		actors = append(actors, moment.By)
	}
	names, err := reads.Names(ctx, tenant, actors)
	for i := range moments {
		moments[i].ByName = names[moments[i].By]
	}
	return err
}

// ActorOf reads an actor as events store it.
func ActorOf(stored []byte) (by auth.Actor) {
	_ = json.Unmarshal(stored, &by) // without one, nobody is known
	return by
}

// Mention is an open failed import that names a record.
type Mention struct {
	ID                             uuid.UUID
	Table, Code, Field, Key, Error string
	At                             time.Time
	Seen                           int64
}

// Mentions finds open failed imports that have one of the codes as a value: of these tables, or of all
// if none is given. It returns nil if the caller may not see failed imports.
func (r Reading) Mentions(ctx context.Context, codes []string, slugs ...string) ([]Mention, error) {
	if refused := r.By.Require(auth.ReadFailures); refused != nil {
		return nil, nil //nolint:nilerr // they are left out, not refused
	}
	var mentions [][]byte
	for _, code := range codes {
		if quoted, err := json.Marshal(code); err == nil && code != "" {
			mentions = append(mentions, quoted)
		}
	}
	rows, err := r.Queries.ListMentions(ctx, q.ListMentionsParams{
		TenantID: r.By.Tenant, WorkspaceID: r.By.Workspace, Mentions: mentions, Slugs: slugs, Searched: MostSearched,
		Most: mostMentions,
	})
	found := make([]Mention, 0, len(rows))
	for _, row := range rows {
		found = append(found, Mention{
			ID: row.ID, Table: row.Slug, Code: row.Code, Field: Text(row.Field), Key: Text(row.RecordKey), Error: row.Message,
			At: row.LastSeenAt, Seen: row.Seen,
		})
	}
	return found, err
}

// Note is a meeting note about a supplier or a customer.
type Note struct {
	ID, Title, Summary string // Summary: its beginning
	At                 time.Time
}

// Notes returns the latest notes about a supplier or a customer; the other one is empty.
func (r Reading) Notes(ctx context.Context, supplier, customer string) (notes []Note, err error) {
	rows, err := r.Queries.ListNotes(ctx, q.ListNotesParams{
		TenantID: r.By.Tenant, WorkspaceID: r.By.Workspace, SupplierID: supplier, CustomerID: customer, Longest: longestNote,
		Most: mostNotes,
	})
	for _, row := range rows {
		notes = append(notes, Note{ID: row.ID, Title: row.Title, Summary: row.Summary, At: row.StartedAt})
	}
	return notes, err
}
