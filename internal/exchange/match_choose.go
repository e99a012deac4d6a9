package exchange

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/connection"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// Choice says what something of ours is there.
type Choice struct {
	Kind   MatchKind
	ID     string // ours
	Theirs string
	Name   string // what it is called there, for people
}

const (
	mostTheirs = 100 // characters of an id there
	mostCalled = 200 // characters of a name there
)

func (c Choice) check() error {
	switch {
	case c.Kind.check() != nil:
		return c.Kind.check()
	case c.Theirs == "" || utf8.RuneCountInString(c.Theirs) > mostTheirs:
		return fault.InField("theirs", "theirs", "choose what it is there, by its id of at most %d characters", mostTheirs)
	case utf8.RuneCountInString(c.Name) > mostCalled:
		return fault.InField("name", "name", "a name there has at most %d characters", mostCalled)
	}
	return nil
}

// Choose keeps what something of ours is there. Orders that were held are compared again.
func (s *Service) Choose(ctx context.Context, by auth.Principal, id uuid.UUID, choice Choice) error {
	choice.Theirs, choice.Name = strings.TrimSpace(choice.Theirs), strings.TrimSpace(choice.Name)
	if err := choice.check(); err != nil {
		return err
	}
	return s.match(ctx, by, id, "connection.matched", func(queries *q.Queries, c connection.Connection) (audit.Data, error) {
		ours, err := nameHere(ctx, queries, by, choice.Kind, choice.ID)
		if err != nil {
			return nil, err
		}
		err = queries.ChooseExchangeID(ctx, q.ChooseExchangeIDParams{TenantID: by.Tenant, ConnectionID: id,
			Kind: string(choice.Kind), Ours: choice.ID, Theirs: choice.Theirs, Name: choice.Name, Actor: by.Actor.JSON()})
		return audit.Data{"name": c.Settings.Name, "kind": choice.Kind, "ours": choice.ID, "ours_name": ours,
			"theirs": choice.Theirs, "theirs_name": choice.Name}, err
	})
}

// Forget removes what something of ours is there. What was synced stays as it is on both sides.
func (s *Service) Forget(ctx context.Context, by auth.Principal, id uuid.UUID, kind MatchKind, ours string) error {
	return s.match(ctx, by, id, "connection.unmatched", func(queries *q.Queries, c connection.Connection) (audit.Data, error) {
		was, err := queries.ForgetExchangeID(ctx, q.ForgetExchangeIDParams{TenantID: by.Tenant, ConnectionID: id,
			Kind: string(kind), Ours: ours})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil, fault.New(fault.NotFound, "unknown_match", "this has no counterpart there")
		}
		if err != nil {
			return nil, err
		}
		name, err := nameHere(ctx, queries, by, kind, ours)
		if fault.HasCode(err, codeUnknownThing) { // it was deleted here
			err = nil
		}
		return audit.Data{"name": c.Settings.Name, "kind": kind, "ours": ours, "ours_name": name,
			"theirs": was.Theirs, "theirs_name": was.Name}, err
	})
}

// Accepted is what came of accepting suggestions.
type Accepted struct {
	Accepted int64
	Looked   int  // at so many things without a counterpart
	More     bool // there are more to look at: accept again
}

// acceptAtOnce is how many things are looked at in one go: that many SKUs are ten calls.
const acceptAtOnce = 500

// Accept keeps all sure suggestions of a kind. It looks at a bounded number of things, those with open lines first.
func (s *Service) Accept(ctx context.Context, by auth.Principal, id uuid.UUID, kind MatchKind) (result Accepted, err error) {
	filter := MatchFilter{Kind: kind, Unmapped: true, Most: acceptAtOnce}
	if err := kind.check(); err != nil {
		return result, err
	}
	opened, err := s.connections.Peek(ctx, by, id)
	if err != nil {
		return result, err
	}
	page, err := s.readMatches(ctx, by, id, filter)
	if err != nil {
		return result, err
	}
	asked, cancel := context.WithTimeout(ctx, matchPatience)
	defer cancel()
	if err := s.suggest(asked, by, opened, kind, page.Items); err != nil {
		return result, err
	}
	result = Accepted{Looked: len(page.Items), More: page.Next != ""}
	return result, s.match(ctx, by, id, "connection.suggestions_accepted",
		func(queries *q.Queries, c connection.Connection) (audit.Data, error) {
			keep := q.AcceptExchangeIDsParams{TenantID: by.Tenant, ConnectionID: id, Kind: string(kind), Actor: by.Actor.JSON()}
			for _, match := range page.Items {
				if at := slices.IndexFunc(match.Suggestions, func(one Suggestion) bool { return one.Sure }); at >= 0 {
					keep.Ours = append(keep.Ours, match.ID)
					keep.Theirs = append(keep.Theirs, match.Suggestions[at].ID)
					keep.Names = append(keep.Names, match.Suggestions[at].Name)
				}
			}
			result.Accepted, err = queries.AcceptExchangeIDs(ctx, keep)
			return audit.Data{"name": c.Settings.Name, "kind": kind, "accepted": result.Accepted}, err
		})
}

// match changes the map of a connection and records it. Orders that were held are compared again.
func (s *Service) match(ctx context.Context, by auth.Principal, id uuid.UUID, action audit.Action,
	do func(*q.Queries, connection.Connection) (audit.Data, error)) error {
	found, err := s.connections.Get(ctx, by, id)
	if err != nil {
		return err
	}
	return s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		data, err := do(queries, found)
		if err != nil {
			return err
		}
		_, err = queries.ReleaseHeldOrders(ctx, q.ReleaseHeldOrdersParams{TenantID: by.Tenant, ConnectionID: id})
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, by, action, id.String(), data)
	})
}

const codeUnknownThing = "unknown_thing"

// nameHere returns what a thing of the workspace is called. Locations are ids without names.
func nameHere(ctx context.Context, queries *q.Queries, by auth.Principal, kind MatchKind, id string) (string, error) {
	if kind == Locations {
		if _, err := uuid.Parse(id); err != nil {
			return "", fault.InField("ours", "ours", "a location's id here is a UUID")
		}
		return "", nil
	}
	name, err := queries.NameOfThing(ctx,
		q.NameOfThingParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Kind: string(kind), ID: id})
	if errors.Is(err, pgx.ErrNoRows) {
		return "", fault.New(fault.NotFound, codeUnknownThing, "there is no such %s in this workspace", kind)
	}
	return name, err
}

// Thing is something of the other system.
type Thing struct{ ID, Name string }

// Catalogue returns the other system's suppliers, its locations, or its articles with a SKU, by name.
func (s *Service) Catalogue(ctx context.Context, by auth.Principal, id uuid.UUID, kind MatchKind, sku string) (
	things []Thing, err error) {
	if err := kind.check(); err != nil {
		return nil, err
	}
	opened, err := s.connections.Peek(ctx, by, id)
	if err != nil {
		return nil, err
	}
	asked, cancel := context.WithTimeout(ctx, matchPatience)
	defer cancel()
	found, err := s.catalogue(asked, opened, kind, []*Match{{Code: strings.TrimSpace(sku)}})
	for _, one := range found {
		things = append(things, Thing{one.id, one.name})
	}
	slices.SortStableFunc(things, func(a, b Thing) int { return strings.Compare(sameWords(a.Name), sameWords(b.Name)) })
	return things, err
}
