package exchange

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/connection"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/inventory"
	"github.com/quayside/quayside/internal/pg/q"
)

// MatchKind is what has one id here and another there.
type MatchKind string

// The kinds.
const (
	Suppliers MatchKind = "supplier" // here suppliers.id
	Articles  MatchKind = "article"  // here products.id
	Locations MatchKind = "location" // here a line's location_id
)

// Kinds are all kinds, in the order in which people map them.
var Kinds = []MatchKind{Suppliers, Articles, Locations}

func (k MatchKind) check() error {
	for _, known := range Kinds {
		if k == known {
			return nil
		}
	}
	return fault.InField("kind", "kind", "choose supplier, article or location")
}

// Match is something of ours, and what it is there.
type Match struct {
	Kind        MatchKind
	ID          string
	Name        string // empty for a location: those have no names here
	Code        string // a supplier's external id, an article's SKU
	OpenLines   int64
	Order       string // one of the orders with these lines
	There       *Counterpart
	Suggestions []Suggestion // none if There is set
}

// Counterpart is what something of ours is there.
type Counterpart struct {
	ID, Name string
	By       auth.Actor
	At       time.Time
}

// Suggestion is what something of ours may be there.
type Suggestion struct {
	ID, Name string
	Sure     bool // nothing else on either side has this name or SKU
}

// MatchCount says how far a kind is mapped.
type MatchCount struct {
	Kind    MatchKind
	Needed  int64 // by open lines
	Missing int64 // of these, without an id there
	Mapped  int64 // in all
}

// MatchFilter says which matches to list.
type MatchFilter struct {
	Kind     MatchKind
	Unmapped bool
	Text     string // in the name, the code or the id
	Cursor   string
	Most     int
}

// MatchPage is a page of matches.
type MatchPage struct {
	Items   []Match
	Next    string // the cursor of the next page; empty: this is the last
	Counts  []MatchCount
	Trouble string // why there are no suggestions, in words; empty: the other system was asked
}

// Matches lists what can be mapped, with suggestions of the other system's suppliers, articles and locations. If that
// system cannot be asked, the list says so and is otherwise whole.
func (s *Service) Matches(ctx context.Context, by auth.Principal, id uuid.UUID, filter MatchFilter) (MatchPage, error) {
	if err := filter.Kind.check(); err != nil {
		return MatchPage{}, err
	}
	opened, err := s.connections.Peek(ctx, by, id)
	if err != nil {
		return MatchPage{}, err
	}
	page, err := s.readMatches(ctx, by, id, filter)
	if err != nil {
		return MatchPage{}, err
	}
	asked, cancel := context.WithTimeout(ctx, matchPatience)
	defer cancel()
	err = s.suggest(asked, by, opened, filter.Kind, page.Items)
	if told := (*fault.Error)(nil); errors.As(err, &told) && told.Kind != fault.Internal && ctx.Err() == nil {
		page.Trouble, err = told.Message, nil
	}
	return page, err
}

// matchPatience is how long a person waits for suggestions.
const matchPatience = 15 * time.Second

// readMatches reads a page without suggestions.
func (s *Service) readMatches(ctx context.Context, by auth.Principal, id uuid.UUID, filter MatchFilter) (page MatchPage, err error) {
	after, err := readMatchCursor(filter.Cursor)
	if err != nil {
		return page, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		rows, err := queries.ListMatches(ctx, q.ListMatchesParams{
			TenantID: by.Tenant, WorkspaceID: by.Workspace, ConnectionID: id, Kind: string(filter.Kind),
			Unmapped: filter.Unmapped, Text: contains(filter.Text), AfterRank: after.Rank, AfterName: after.Name,
			AfterID: after.ID, Most: int32(filter.Most) + 1, //nolint:gosec // a page
		})
		if err != nil {
			return err
		}
		if len(rows) > filter.Most {
			rows = rows[:filter.Most]
			last := rows[len(rows)-1]
			page.Next = matchCursor{last.Rank, last.Name, last.ID}.text()
		}
		for _, row := range rows {
			match, err := toMatch(filter.Kind, row)
			if err != nil {
				return err
			}
			page.Items = append(page.Items, match)
		}
		counts, err := queries.CountMatches(ctx,
			q.CountMatchesParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ConnectionID: id})
		page.Counts = toMatchCounts(counts)
		return err
	})
	return page, err
}

func toMatch(kind MatchKind, row q.ListMatchesRow) (Match, error) {
	match := Match{Kind: kind, ID: row.ID, Name: row.Name, Code: row.Code, OpenLines: row.OpenLines, Order: row.OrderNo}
	if row.Theirs == "" {
		return match, nil
	}
	match.There = &Counterpart{ID: row.Theirs, Name: row.TheirsName}
	if row.ChosenAt != nil {
		match.There.At = *row.ChosenAt
	}
	return match, json.Unmarshal(row.ChosenBy, &match.There.By)
}

func toMatchCounts(rows []q.CountMatchesRow) (counts []MatchCount) {
	for _, kind := range Kinds {
		count := MatchCount{Kind: kind}
		for _, row := range rows {
			if row.Kind == string(kind) {
				count.Needed, count.Missing, count.Mapped = row.Needed, row.Missing, row.Mapped
			}
		}
		counts = append(counts, count)
	}
	return counts
}

// contains returns a pattern for texts that contain the given one, or nil.
func contains(text string) *string {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil
	}
	return new("%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text) + "%")
}

// matchCursor is the place of a row in the list.
type matchCursor struct {
	Rank     int32
	Name, ID string
}

func (c matchCursor) text() string {
	text, _ := json.Marshal(c) // a number and two strings
	return base64.RawURLEncoding.EncodeToString(text)
}

func readMatchCursor(text string) (c matchCursor, err error) {
	if text == "" {
		return matchCursor{Rank: -1}, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(raw, &c)
	}
	if err != nil || strings.ContainsRune(c.Name+c.ID, 0) {
		return c, fault.InField("cursor", "cursor", "this cursor is not one that the list has returned")
	}
	return c, nil
}

// suggest fills in what unmapped things may be there.
func (s *Service) suggest(ctx context.Context, by auth.Principal, opened connection.Open, kind MatchKind, matches []Match) error {
	var open []*Match
	for i := range matches {
		if matches[i].There == nil {
			open = append(open, &matches[i])
		}
	}
	if len(open) == 0 {
		return nil
	}
	known, err := s.known(ctx, by, opened.ID, kind, open)
	if err != nil {
		return err
	}
	there, err := s.catalogue(ctx, opened, kind, open)
	if err != nil {
		return err
	}
	switch kind {
	case Suppliers:
		suggestByName(open, there, known)
	case Articles:
		suggestBySKU(open, there, known)
	case Locations:
		suggestPlace(open, there, known, opened.Settings.Location)
	}
	return nil
}

// catalogue returns the other system's things of a kind: all suppliers, all locations, or the articles with the SKUs of
// these.
func (s *Service) catalogue(ctx context.Context, opened connection.Open, kind MatchKind, of []*Match) (there []counterpart, err error) {
	system := s.dial[opened.System](opened.Settings.Address, opened.Token, opened.Client)
	switch kind {
	case Suppliers:
		found, err := system.Suppliers(ctx)
		for _, one := range found {
			there = append(there, counterpart{one.ID, one.Name})
		}
		return there, err
	case Locations:
		found, err := system.Locations(ctx)
		for _, one := range found {
			there = append(there, counterpart{one.ID, one.Name})
		}
		return there, err
	case Articles:
	}
	var skus []string
	for _, one := range of {
		if one.Code != "" {
			skus = append(skus, one.Code)
		}
	}
	found, err := variants(ctx, system, skus)
	for _, one := range found {
		there = append(there, counterpart{one.ID, one.SKU})
	}
	return there, err
}

// variants returns the articles there with these SKUs. Without any it asks nobody.
func variants(ctx context.Context, system inventory.System, skus []string) ([]inventory.Variant, error) {
	if len(skus) == 0 {
		return nil, nil
	}
	return system.Variants(ctx, skus)
}

// known reads what suggestions depend on here: which of their ids are taken, and which names or SKUs are ambiguous.
func (s *Service) known(ctx context.Context, by auth.Principal, id uuid.UUID, kind MatchKind, of []*Match) (known ambiguity, err error) {
	known = ambiguity{taken: map[string]bool{}, shared: map[string]bool{}}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		ids, err := queries.ListMatchedIDs(ctx, q.ListMatchedIDsParams{TenantID: by.Tenant, ConnectionID: id})
		if err != nil {
			return err
		}
		for _, row := range ids {
			if row.Kind == string(kind) {
				known.taken[row.Theirs] = true
			}
		}
		switch kind {
		case Suppliers:
			names, err := queries.ListSupplierNames(ctx, q.ListSupplierNamesParams{TenantID: by.Tenant, WorkspaceID: by.Workspace})
			seen := map[string]bool{}
			for _, row := range names {
				name := sameWords(row.Name)
				known.shared[name] = seen[name]
				seen[name] = true
			}
			return err
		case Articles:
			skus := []string{}
			for _, one := range of {
				skus = append(skus, one.Code)
			}
			shared, err := queries.ListSharedSKUs(ctx,
				q.ListSharedSKUsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Skus: skus})
			for _, sku := range shared {
				known.shared[sku] = true
			}
			return err
		case Locations:
		}
		return nil
	})
	return known, err
}
