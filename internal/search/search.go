// Package search finds records by what their numbers, codes and names begin with.
//
// PostgreSQL keeps the words and codes of records (workspace.search_tokens) with every write to
// them, and says what a word is (workspace.words_of): what a person types goes through the same
// function, so that both are cut alike.
package search

import (
	"cmp"
	"context"
	_ "embed"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
)

const (
	mostHits  = 20
	ofOneKind = 5 // that many of a kind stand before more of another
	longest   = 200
	mostWords = 8
	longWord  = 64 // a token has no more characters
	// again is how often a record may stand in one range, about.
	again = 3
	// deep is how many records that have the rarest of several words are asked for the others.
	deep    = 500
	timeout = 5 * time.Second
)

// Kind is what a hit is.
type Kind string

// The kinds, in the order in which they stand where nothing else decides.
const (
	PurchaseOrder Kind = "purchase_order"
	Supplier      Kind = "supplier"
	Product       Kind = "product"
	Customer      Kind = "customer"
	Order         Kind = "order"
	FailedImport  Kind = "failed_import"
	Table         Kind = "table"
	View          Kind = "view"
)

// numbered are the kinds by their numbers in the database, from 1. Those of tables and views are
// in found.sql alone.
var numbered = []Kind{PurchaseOrder, Supplier, Product, Customer, Order, FailedImport, Table, View}

// Hit is something that was found.
type Hit struct {
	Kind   Kind
	ID     string // a purchase order's number, a table's slug
	Table  string // the slug of the table that it is in, or was meant for; of a view of a list: empty
	Label  string
	Code   string            // empty: it has none but the label
	Detail string            // what else tells it apart
	List   string            // of a view of a list: which one
	Search map[string]string // and what its address says
}

// Found is what was found.
type Found struct {
	Hits []Hit // by kind, that of the best hit first
	More bool  // there are, or may be, others
}

// Service searches.
type Service struct{ cells *pg.Cells }

// New makes a Service.
func New(cells *pg.Cells) *Service { return &Service{cells} }

// Find returns what has all the words in its numbers, codes and names, or their beginnings. What
// matches exactly comes first, then codes, then names.
func (s *Service) Find(ctx context.Context, by auth.Principal, said string) (found Found, err error) {
	if err := by.Require(auth.Read); err != nil {
		return found, err
	}
	if err := check("q", said); err != nil {
		return found, err
	}
	err = s.cells.Reading(ctx, by.Tenant, timeout, func(tx pgx.Tx) error {
		look := newLook(tx, by, said, mostHits, kindsFor(by))
		if err := look.read(ctx); err != nil || len(look.words) == 0 {
			return err
		}
		found, err = look.found(ctx)
		return err
	})
	if pg.TookTooLong(err) {
		err = fault.New(fault.Invalid, "too_slow", "this search takes longer than %s; say more of what you look for",
			timeout).Because(err)
	}
	return found, err
}

// check refuses what cannot be searched for.
func check(argument, said string) error {
	if err := fault.CheckText(argument, said); err != nil {
		return err
	}
	if len([]rune(said)) > longest {
		return fault.InField(argument, "too_long", "search for at most %d characters", longest)
	}
	return nil
}

var (
	//go:embed beginning.sql
	beginningSQL string
	//go:embed rarest.sql
	rarestSQL string
	//go:embed found.sql
	foundSQL string
)

// key is one record.
type key struct {
	kind int16
	id   string
}

// rank says how well a record matches: the less, the better.
type rank struct {
	class int // exactly, by the beginning of a code, by that of a word, by several words
	token string
}

const (
	exactly = iota
	byCode
	byWord
	byWords
)

// look is one search under way.
type look struct {
	tx    pgx.Tx
	by    auth.Principal
	said  string
	most  int     // that many are wanted
	kinds []int16 // of these
	words []string
	ranks map[key]rank // of what may match
	cut   bool         // a range was not read to its end
}

func newLook(tx pgx.Tx, by auth.Principal, said string, most int, kinds []int16) *look {
	return &look{tx: tx, by: by, said: strings.TrimSpace(said), most: most, kinds: kinds, ranks: map[key]rank{}}
}

// wide is how much of a kind is read of one range: some of it is the same record again.
func (l *look) wide() int { return again * l.most }

// read cuts what was typed into words and finds what may match.
func (l *look) read(ctx context.Context) error {
	if err := l.tx.QueryRow(ctx, "SELECT workspace.words_of($1)", l.said).Scan(&l.words); err != nil || len(l.words) == 0 {
		return err
	}
	l.words = l.words[:min(len(l.words), mostWords)]
	for i, word := range l.words {
		l.words[i] = string([]rune(word)[:min(len([]rune(word)), longWord)])
	}
	if err := l.beginnings(ctx); err != nil || len(l.words) == 1 {
		return err
	}
	return l.rarest(ctx)
}

// kindsFor are the numbers of what the principal may see.
func kindsFor(by auth.Principal) []int16 {
	kinds := []int16{1, 2, 3, 4, 5}
	if by.Require(auth.ReadFailures) == nil {
		kinds = append(kinds, 6)
	}
	return kinds
}

// beginnings finds codes that begin with all that was typed and, of a single word, names.
func (l *look) beginnings(ctx context.Context) error {
	code := "#" + strings.Join(l.words, "")
	wanted := []string{code}
	if len(l.words) == 1 {
		wanted = append(wanted, l.words[0])
	}
	rows, err := l.tx.Query(ctx, beginningSQL, pgx.NamedArgs{"kinds": l.kinds, "beginnings": wanted, "tenant": l.by.Tenant,
		"workspace": l.by.Workspace, "most": l.wide()})
	if err != nil {
		return err
	}
	read := map[[2]any]int{}
	var at key
	var token string
	_, err = pgx.ForEachRow(rows, []any{&at.kind, &token, &at.id}, func() error {
		class := byWord
		switch {
		case token == code || token == l.words[0]:
			class = exactly
		case strings.HasPrefix(token, "#"):
			class = byCode
		}
		l.note(at, rank{class, token})
		of := [2]any{at.kind, strings.HasPrefix(token, "#")}
		read[of]++
		l.cut = l.cut || read[of] == l.wide()
		return nil
	})
	return err
}

// rarest finds what has the rarest of several words.
func (l *look) rarest(ctx context.Context) error {
	rows, err := l.tx.Query(ctx, rarestSQL,
		pgx.NamedArgs{"kinds": l.kinds, "words": l.words, "tenant": l.by.Tenant, "workspace": l.by.Workspace, "most": deep})
	if err != nil {
		return err
	}
	var at key
	var size int64
	_, err = pgx.ForEachRow(rows, []any{&at.kind, &size, &at.id}, func() error {
		l.note(at, rank{class: byWords})
		l.cut = l.cut || size > deep
		return nil
	})
	return err
}

func (l *look) note(at key, how rank) {
	if present, known := l.ranks[at]; !known || how.compare(present) < 0 {
		l.ranks[at] = how
	}
}

func (r rank) compare(other rank) int {
	return cmp.Or(cmp.Compare(r.class, other.class), strings.Compare(r.token, other.token))
}

// ranked is a hit and how well it matches.
type ranked struct {
	Hit
	kind int16
	rank rank
}

// found asks those that may match for all the words, and chooses.
func (l *look) found(ctx context.Context) (Found, error) {
	hits, err := l.hits(ctx)
	chosen := choose(hits)
	found := Found{More: l.cut || len(chosen) < len(hits)}
	for _, one := range chosen {
		found.Hits = append(found.Hits, one.Hit)
	}
	return found, err
}

// hits are those that may match and have all the words.
func (l *look) hits(ctx context.Context) (hits []ranked, err error) {
	ids := make([][]string, len(numbered)+1)
	for at := range l.ranks {
		ids[at.kind] = append(ids[at.kind], at.id)
	}
	most := 2 * l.wide() // all of one kind that may match
	if len(l.words) > 1 {
		most = l.most + 1 // enough to see that there are more: asking is what takes the time
	}
	rows, err := l.tx.Query(ctx, foundSQL, pgx.NamedArgs{
		"tenant": l.by.Tenant, "workspace": l.by.Workspace, "person": l.by.Person, "lists": l.by.Lists(), "words": l.words,
		"most": most,
		"ids1": ids[1], "ids2": ids[2], "ids3": ids[3], "ids4": ids[4], "ids5": ids[5], "ids6": toUUIDs(ids[6]),
	})
	if err != nil {
		return nil, err
	}
	var one ranked
	_, err = pgx.ForEachRow(rows, []any{&one.kind, &one.ID, &one.Table, &one.Label, &one.Code, &one.Detail, &one.Search},
		func() error {
			if one.List = ""; one.Search != nil {
				one.List, one.Table = one.Table, ""
			}
			one.Kind, one.rank = numbered[one.kind-1], l.ranks[key{one.kind, one.ID}]
			switch {
			case strings.EqualFold(one.Label, l.said):
				one.rank.class = exactly
			case one.Kind == Table || one.Kind == View:
				one.rank.class = byWord
			}
			hits = append(hits, one)
			one.Search = nil // the next row must not be read into the same map
			return nil
		})
	slices.SortFunc(hits, func(a, b ranked) int {
		return cmp.Or(a.rank.compare(b.rank), cmp.Compare(a.kind, b.kind), strings.Compare(a.Label, b.Label),
			strings.Compare(a.ID, b.ID))
	})
	return hits, err
}

// choose takes of hits in their order the best, and some of every kind; those of a kind stand together, the kind of
// the best hit first.
func choose(hits []ranked) []ranked {
	taken, first := map[int16]int{}, map[int16]int{}
	var chosen, rest []ranked
	for i, one := range hits {
		if _, seen := first[one.kind]; !seen {
			first[one.kind] = i
		}
		if taken[one.kind]++; taken[one.kind] <= ofOneKind && len(chosen) < mostHits {
			chosen = append(chosen, one)
		} else {
			rest = append(rest, one)
		}
	}
	chosen = append(chosen, rest[:min(len(rest), mostHits-len(chosen))]...)
	slices.SortStableFunc(chosen, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(first[a.kind], first[b.kind]), a.rank.compare(b.rank))
	})
	return chosen
}

func toUUIDs(texts []string) []uuid.UUID {
	ids := make([]uuid.UUID, 0, len(texts))
	for _, text := range texts {
		if id, err := uuid.Parse(text); err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}
