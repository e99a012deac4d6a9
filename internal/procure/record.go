package procure

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// RecordBy is what the track record is grouped by.
type RecordBy string

// The groupings.
const (
	ByBuyer    RecordBy = "buyer"
	BySupplier RecordBy = "supplier"
	ByMonth    RecordBy = "month"
)

// recordMonths are the months of the track record unless others are asked for.
const recordMonths = 12

// Span is the days on which suggestions were first made. Nil: the last 12 months.
type Span struct{ From, To *time.Time }

// days returns the span as dates.
func (s Span) days(by auth.Principal) (from, to pgtype.Date, err error) {
	today := time.Now().In(by.Zone)
	from = pgtype.Date{Time: time.Date(today.Year(), today.Month()-recordMonths+1, 1, 0, 0, 0, 0, time.UTC), Valid: true}
	to = pgtype.Date{Time: time.Date(today.Year(), today.Month(), today.Day(), 0, 0, 0, 0, time.UTC), Valid: true}
	if s.From != nil {
		from.Time = *s.From
	}
	if s.To != nil {
		to.Time = *s.To
	}
	if to.Time.Before(from.Time) {
		return from, to, fault.InField("to", "range", "the last day must not be before the first one")
	}
	return from, to, nil
}

// Record is the track record: the figures of all suggestions, and of each group.
type Record struct {
	From, To time.Time
	AsOf     *time.Time // all days before it are judged; nil: the queue was not computed yet
	Total    RecordFigures
	Groups   []RecordFigures
}

// RecordFigures say what was suggested, decided, and what happened. Suggested is the sum of the seven
// decisions. Judged and NotKnown leave out suggestions of which no day has passed yet.
type RecordFigures struct {
	Group                                           string     // as CaseFilter takes it
	Buyer                                           auth.Actor // of a buyer's group; empty: nobody
	SupplierName                                    string
	Suggested                                       int64
	AsSuggested, Less, More                         int64
	TurnedDown, PutOff, Undecided, TakenBack        int64
	MedianDays                                      *float64 // from the suggestion to the decision; nil: none was made
	Judged, NotKnown, Prevented, RanOut, Overbought int64
	Empty                                           EmptyDays
	Overbuy                                         []Overbuy // by currency
}

// Overbuy is what was bought beyond what was needed, in one currency. Lines without a price are in none.
type Overbuy struct {
	Currency      string
	Value, Beyond decimal.Decimal // Beyond is the part that was ordered beyond the suggestions
	LeftOut       int64           // suggestions that are in neither, because their amount cannot be true
}

// Nobody is the group of suggestions that nobody has decided, and None that of articles without a
// supplier.
const (
	Nobody = "nobody"
	None   = "none"
)

// TrackRecord returns the figures of the caller's workspace.
func (s *Service) TrackRecord(ctx context.Context, by auth.Principal, grouped RecordBy, span Span) (record Record, err error) {
	if err := by.Require(auth.Read); err != nil {
		return record, err
	}
	from, to, err := span.days(by)
	if err != nil {
		return record, err
	}
	record = Record{From: from.Time, To: to.Time, Groups: []RecordFigures{}}
	err = s.cells.Reading(ctx, by.Tenant, readTimeout, func(tx pgx.Tx) error {
		queries := q.New(tx)
		state, err := queries.QueueComputedAt(ctx, q.QueueComputedAtParams{TenantID: by.Tenant, WorkspaceID: by.Workspace})
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		record.AsOf = at(state.AsOf)
		sum := func(grouped RecordBy) ([]RecordFigures, error) {
			return sumRecord(ctx, queries, q.SumRecordParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ByGroup: string(grouped),
				FromDay: from, ToDay: to})
		}
		total, err := sum("")
		if err != nil || len(total) == 0 {
			return err
		}
		record.Total = total[0]
		record.Groups, err = sum(grouped)
		return err
	})
	return record, err
}

// sumRecord returns the figures by group: months from the newest on, others by how much was suggested.
func sumRecord(ctx context.Context, queries *q.Queries, of q.SumRecordParams) ([]RecordFigures, error) {
	rows, err := queries.SumRecord(ctx, of)
	if err != nil {
		return nil, err
	}
	over, err := queries.SumOverbuy(ctx, q.SumOverbuyParams(of))
	groups := make([]RecordFigures, len(rows))
	for i, r := range rows {
		groups[i] = newRecordFigures(r)
		for _, o := range over {
			if o.InGroup == r.InGroup {
				groups[i].Overbuy = append(groups[i].Overbuy, Overbuy{Currency: o.Currency, Value: o.Value, Beyond: o.Beyond, LeftOut: o.LeftOut})
			}
		}
		groups[i].name(RecordBy(of.ByGroup))
	}
	slices.SortFunc(groups, func(a, b RecordFigures) int {
		if n := b.Suggested - a.Suggested; n != 0 && of.ByGroup != string(ByMonth) {
			return int(n)
		}
		return strings.Compare(b.Group, a.Group)
	})
	return groups, err
}

func newRecordFigures(r q.SumRecordRow) RecordFigures {
	f := RecordFigures{Group: r.InGroup, SupplierName: r.SupplierName, Suggested: r.Suggested, AsSuggested: r.AsSuggested, Less: r.Less,
		More: r.More, TurnedDown: r.TurnedDown, PutOff: r.PutOff, Undecided: r.Undecided, TakenBack: r.TakenBack, Judged: r.Judged,
		NotKnown: r.NotKnown, Prevented: r.Prevented, RanOut: r.RanOut, Overbought: r.Overbought,
		Empty: EmptyDays{TooLate: int(r.TooLate), Waiting: int(r.Waiting), Supplier: int(r.Supplier), TooFew: int(r.TooFew)}}
	if r.Decided > 0 {
		f.MedianDays = &r.MedianDays
	}
	return f
}

// name names the group.
func (f *RecordFigures) name(grouped RecordBy) {
	switch {
	case grouped == ByBuyer && f.Group == "":
		f.Group = Nobody
	case grouped == ByBuyer:
		kind, id, _ := strings.Cut(f.Group, ":")
		f.Buyer = auth.Actor{Type: auth.ActorType(kind), ID: id}
	case grouped == BySupplier && f.Group == "":
		f.Group = None
	}
}

// CaseFilter says which cases are wanted. Empty fields do not restrict.
type CaseFilter struct {
	Span
	Buyer    string // type:id of an actor, or Nobody
	Supplier string // an id, or None
	Outcome  string // a Decided, or prevented, empty, overbuy or not_known
	After    string // the cursor of the page before
	Most     int
}

// Case is one case of the track record.
type Case struct {
	Key                    string
	Product, SKU, Name     string
	Supplier, SupplierName string
	FirstOn, Until         time.Time
	Urgency                Urgency
	Suggested              float64
	Decision               Decided
	DecidedOn              *time.Time
	By                     auth.Actor // empty: nobody, or it is not known
	Line, OrderNo          string
	Ordered                *float64
	Known                  *bool // nil: no day has passed yet
	PreventedOn            *time.Time
	EmptyFrom              *time.Time
	Empty                  EmptyDays
	Overbuy, Beyond        *float64 // nil: until has not passed, or the stock is not known
	OverbuyValue           *decimal.Decimal
	Currency               string
	JudgedOn               time.Time // all days before it are judged
	Closed                 bool      // the verdict is final
}

// Cases returns a page of cases, the newest first, and the cursor of the next page, which is empty
// after the last.
func (s *Service) Cases(ctx context.Context, by auth.Principal, f CaseFilter) (cases []Case, next string, err error) {
	if err := by.Require(auth.Read); err != nil {
		return nil, "", err
	}
	of, err := f.params(by)
	if err != nil {
		return nil, "", err
	}
	var rows []q.ListSuggestionsRow
	err = s.cells.Reading(ctx, by.Tenant, readTimeout, func(tx pgx.Tx) error {
		queries := q.New(tx)
		if err := queries.PlanForFilters(ctx); err != nil {
			return err
		}
		rows, err = queries.ListSuggestions(ctx, of)
		return err
	})
	if len(rows) == int(of.Most) {
		rows = rows[:len(rows)-1]
		last := rows[len(rows)-1]
		next = base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, caseCursor, last.FirstOn.Time.Format(time.DateOnly), last.RecommendationKey))
	}
	for _, r := range rows {
		cases = append(cases, newCase(r))
	}
	return cases, next, err
}

// caseCursor is what a cursor is made of: where its row is in the order of the list.
const caseCursor = "%s %s"

// params returns the filter as the statement takes it: with one row more than wanted, which tells
// whether another page follows.
func (f CaseFilter) params(by auth.Principal) (of q.ListSuggestionsParams, err error) {
	if f.Most <= 0 || f.Most > MostListed {
		f.Most = MostListed
	}
	of = q.ListSuggestionsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Outcome: f.Outcome,
		Most: int32(f.Most) + 1} //nolint:gosec // bounded
	if of.FromDay, of.ToDay, err = f.days(by); err != nil {
		return of, err
	}
	if f.Buyer != "" {
		of.Buyer = new(strings.TrimPrefix(f.Buyer, Nobody))
	}
	if f.Supplier != "" {
		of.Supplier = new(strings.TrimPrefix(f.Supplier, None))
	}
	if f.After == "" {
		return of, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(f.After)
	var day string
	if err == nil {
		_, err = fmt.Sscanf(string(text), caseCursor, &day, &of.AfterKey)
	}
	if err == nil {
		of.AfterDay.Time, err = time.Parse(time.DateOnly, day)
	}
	if err != nil || !utf8.Valid(text) || strings.ContainsRune(of.AfterKey, 0) {
		return of, fault.InField("cursor", "cursor", "this cursor is not one that the list has returned")
	}
	of.AfterDay.Valid = true
	return of, nil
}

func newCase(r q.ListSuggestionsRow) Case {
	one := Case{
		Key: r.RecommendationKey, Product: r.ProductID, SKU: r.Sku, Name: r.Name, Supplier: text(r.SupplierID),
		SupplierName: r.SupplierName, FirstOn: r.FirstOn.Time, Until: r.Until.Time, Urgency: Urgency(r.Urgency),
		Suggested: r.SuggestedQuantity, Decision: Decided(r.Decision), DecidedOn: at(r.DecidedOn), Line: text(r.LineID),
		OrderNo: r.OrderNo, Ordered: r.OrderedQuantity, Known: r.Known, PreventedOn: at(r.PreventedOn), EmptyFrom: at(r.EmptyFrom),
		Empty: EmptyDays{TooLate: int(r.EmptyTooLate), Waiting: int(r.EmptyWaiting), Supplier: int(r.EmptySupplier),
			TooFew: int(r.EmptyTooFew)},
		Overbuy: r.OverbuyQuantity, Beyond: r.OverbuyBeyond, JudgedOn: r.JudgedOn.Time, Closed: r.Closed,
	}
	if r.DecidedBy != nil {
		_ = json.Unmarshal(r.DecidedBy, &one.By) // as it was written
	}
	if r.OverbuyQuantity != nil && r.LinePrice != nil && r.LineCurrency != nil {
		value := r.LinePrice.Mul(decimal.NewFromFloat(*r.OverbuyQuantity))
		one.OverbuyValue, one.Currency = &value, *r.LineCurrency
	}
	return one
}
