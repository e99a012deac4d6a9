// Package search finds records by the beginnings of their numbers, codes and names.
//
// PostgreSQL updates the words and codes of a record (workspace.search_tokens) with every
// write to it, and defines what a word is (workspace.words_of). A search text goes through the
// same function, so that both are split in the same way.
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
	ofOneKind = 5 // this many hits of one kind come before more of another
	longest   = 200
	mostWords = 8
	longWord  = 64 // largest number of characters of a token
	// tokensPerRecord is about how often a record occurs in one range.
	tokensPerRecord = 3
	// deep is how many records with the rarest of several words are checked for the other
	// words.
	deep    = 500
	timeout = 5 * time.Second
)

// Kind is the kind of a hit.
type Kind string

// The kinds, in their default order.
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

// numbered lists the kinds by their numbers in the database, from 1. The numbers of tables and
// views occur only in found.sql.
var numbered = []Kind{PurchaseOrder, Supplier, Product, Customer, Order, FailedImport, Table, View}

// Hit is something that was found.
type Hit struct {
	Kind   Kind
	ID     string // of a purchase order its number, of a table its slug
	Table  string // slug of the table that holds it, or that it was meant for; empty for a view of a list
	Label  string
	Code   string            // empty: only the label identifies it
	Detail string            // what else distinguishes it
	List   string            // of a view of a list: the list
	Search map[string]string // of a view of a list: its query parameters
}

// Found is the result of a search.
type Found struct {
	Hits []Hit // grouped by kind, the kind of the best hit first
	More bool  // there may be other hits
}

// Service searches.
type Service struct{ cells *pg.Cells }

// New returns a Service.
func New(cells *pg.Cells) *Service { return &Service{cells} }

// Find returns what has all the words, or words that begin with them, in its numbers, codes
// and names. Exact matches come first, then codes, then names.
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
		err = fault.New(fault.Invalid, "too_slow", "this search takes longer than %s; search for more words or longer ones",
			timeout).Because(err)
	}
	return found, err
}

// check refuses a text that cannot be searched for.
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

// key identifies one record.
type key struct {
	kind int16
	id   string
}

// rank says how well a record matches; smaller is better.
type rank struct {
	class int // exact, beginning of a code, beginning of a word, several words
	token string
}

const (
	exactly = iota
	byCode
	byWord
	byWords
)

// look is a running search.
type look struct {
	tx    pgx.Tx
	by    auth.Principal
	said  string
	most  int     // number of hits wanted
	kinds []int16 // kinds to search
	words []string
	ranks map[key]rank // of candidates
	cut   bool         // a range was not read to its end
}

func newLook(tx pgx.Tx, by auth.Principal, said string, most int, kinds []int16) *look {
	return &look{tx: tx, by: by, said: strings.TrimSpace(said), most: most, kinds: kinds, ranks: map[key]rank{}}
}

// wide is how many tokens of a kind are read from one range; several may be of the same
// record.
func (l *look) wide() int { return tokensPerRecord * l.most }

// read splits the text into words and finds candidates.
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

// kindsFor returns the numbers of the kinds that the principal may see.
func kindsFor(by auth.Principal) []int16 {
	kinds := []int16{1, 2, 3, 4, 5}
	if by.Require(auth.ReadFailures) == nil {
		kinds = append(kinds, 6)
	}
	return kinds
}

// beginnings finds codes that begin with the whole text and, if it is a single word, names.
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

// rarest finds records that have the rarest of several words.
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

// ranked is a hit and its rank.
type ranked struct {
	Hit
	kind int16
	rank rank
}

// found keeps the candidates that have all the words, and chooses among them.
func (l *look) found(ctx context.Context) (Found, error) {
	hits, err := l.hits(ctx)
	chosen := choose(hits)
	found := Found{More: l.cut || len(chosen) < len(hits)}
	for _, one := range chosen {
		found.Hits = append(found.Hits, one.Hit)
	}
	return found, err
}

// hits returns the candidates that have all the words.
func (l *look) hits(ctx context.Context) (hits []ranked, err error) {
	ids := make([][]string, len(numbered)+1)
	for at := range l.ranks {
		ids[at.kind] = append(ids[at.kind], at.id)
	}
	most := 2 * l.wide() // all candidates of one kind
	if len(l.words) > 1 {
		most = l.most + 1 // one more shows that there are others; checking takes most of the time
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
			one.Search = nil // the next row must not reuse the map
			return nil
		})
	slices.SortFunc(hits, ranked.compare)
	return hits, err
}

// compare orders hits, the best first. Equally good ones are ordered by their kinds and labels.
func (a ranked) compare(b ranked) int {
	return cmp.Or(a.rank.compare(b.rank), cmp.Compare(a.kind, b.kind), strings.Compare(a.Label, b.Label),
		strings.Compare(a.ID, b.ID))
}

// choose returns the best hits, with some of every kind, grouped by kind; the kind of the best
// hit comes first.
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
