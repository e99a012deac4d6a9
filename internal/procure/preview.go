package procure

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/plausible"
	"github.com/quayside/quayside/internal/playbook"
)

const (
	// mostPreviews is how many previews run at once. Each holds a connection and a processor.
	mostPreviews = 2
	// previewTime is how long a preview computes articles. A chunk that has begun is completed.
	previewTime = 20 * time.Second
	// previewChunk is how many articles a preview computes before it looks at the time.
	previewChunk = 500
	// mostChanges is how many articles a preview names.
	mostChanges = 20
)

// Effect is what a change of the playbook would do to the queue. It is about the articles to which
// other values would apply: the rows of all others stay as they are.
type Effect struct {
	AsOf            *time.Time // the day of the queue; nil: the queue was not computed yet
	Articles, Total int        // articles that were computed, and those to which other values would apply
	Groups          map[Group]Lines
	Costs           []CostChange // of what to order, by currency
	// BecomeCritical counts articles that ask for action and become critical, StopCritical those that
	// were critical. What is drafted or put off asks for none.
	BecomeCritical, StopCritical int
	Changed                      int             // articles whose group, urgency or quantity would be another
	Largest                      []ArticleChange // of the changed articles, at most 20
}

// Lines is how many articles a group has, before and after.
type Lines struct{ Before, After int }

// CostChange is what the articles to order cost in one currency. An article without a price costs
// nothing here.
type CostChange struct {
	Currency      string
	Before, After decimal.Decimal
}

// ArticleChange is how the row of an article would change.
type ArticleChange struct {
	Product, SKU, Name, Currency string
	Before, After                Suggestion
}

// Suggestion is what a row suggests.
type Suggestion struct {
	Group    Group
	Action   Action
	Urgency  Urgency
	Quantity float64
	Cost     *decimal.Decimal // nil: without a price
}

// Preview computes what a change of the playbook would do to the queue if it were in force on the
// queue's day. Nothing is written. What saving the change would refuse is refused.
//
// Rows are computed with the playbook as it is and as it would be, from the same snapshot; stored
// rows may be older. If there are too many articles to compute in time, Articles is less than Total.
func (s *Service) Preview(ctx context.Context, by auth.Principal, p playbook.Trial) (e Effect, err error) {
	if err := by.Require(auth.ManagePurchasing); err != nil {
		return e, err
	}
	select {
	case s.previews <- struct{}{}:
		defer func() { <-s.previews }()
	default:
		return e, fault.New(fault.Unavailable, "previews", "other previews are under way; try again in a moment").
			After(10 * time.Second)
	}
	err = s.cells.Reading(ctx, by.Tenant, readTimeout, func(tx pgx.Tx) error {
		e, err = s.preview(ctx, tx, by, p)
		return err
	})
	return e, err
}

func (s *Service) preview(ctx context.Context, tx pgx.Tx, by auth.Principal, p playbook.Trial) (e Effect, err error) {
	e.Groups = map[Group]Lines{}
	c, err := begin(ctx, tx, place{by.Tenant, by.Workspace})
	if errors.Is(err, pgx.ErrNoRows) || err == nil && !c.settings.AsOf.Valid {
		_, err = playbook.Book{}.With(ctx, tx, by, p)
		return e, err
	}
	if err != nil {
		return e, err
	}
	c.asOf, e.AsOf = dayOf(c.settings.AsOf), &c.settings.AsOf.Time
	if err := c.prepare(ctx, tx); err != nil {
		return e, err
	}
	proposed, err := c.book.With(ctx, tx, by, p)
	if err != nil {
		return e, err
	}
	touched, err := c.touched(ctx, proposed)
	if err != nil {
		return e, err
	}
	e.Total = len(touched)
	for began := time.Now(); len(touched) > 0 && time.Since(began) < s.patience; {
		n := min(previewChunk, len(touched))
		err := pg.InParts(ctx, tx, touched[:n], func(some []string) error { return c.compare(ctx, some, proposed, &e) },
			func(string, error) {}) // it is not computed, as in the queue
		if err != nil {
			return e, err
		}
		e.Articles, touched = e.Articles+n, touched[n:]
	}
	return e, nil
}

// touched returns the articles to which other values apply in another book.
func (c *computation) touched(ctx context.Context, other playbook.Book) (products []string, err error) {
	articles, err := c.queries.ListOrderableArticles(ctx,
		q.ListOrderableArticlesParams{TenantID: c.at.tenant, WorkspaceID: c.at.workspace})
	for _, a := range articles {
		is, _ := c.book.For(a.ID, a.SupplierID, a.Family)
		would, _ := other.For(a.ID, a.SupplierID, a.Family)
		if !sameRules(is, would) {
			products = append(products, a.ID)
		}
	}
	return products, err
}

// compare computes the rows of these articles with both books, and adds the differences to the
// effect.
func (c *computation) compare(ctx context.Context, products []string, other playbook.Book, e *Effect) error {
	articles, err := c.read(ctx, products)
	if err != nil {
		return err
	}
	for i := range articles {
		k := &articles[i]
		before, failed := c.rowOf(k)
		c.apply(k, other)
		after, failedToo := c.rowOf(k)
		if failed == "" && failedToo == "" {
			e.add(&before, &after)
		}
	}
	slices.SortFunc(e.Largest, func(a, b ArticleChange) int {
		return cmp.Or(b.cost().Cmp(a.cost()), cmp.Compare(b.quantity(), a.quantity()), cmp.Compare(a.Product, b.Product))
	})
	e.Largest = e.Largest[:min(mostChanges, len(e.Largest))]
	return nil
}

// add counts an article.
func (e *Effect) add(before, after *row) {
	change := ArticleChange{Product: before.ProductID, SKU: text(before.SKU), Name: before.Name,
		Currency: text(before.Currency), Before: newSuggestion(before), After: newSuggestion(after)}
	e.count(change.Before.Group, Lines{Before: 1})
	e.count(change.After.Group, Lines{After: 1})
	e.spend(change.Currency, change.Before.spent(), change.After.spent())
	switch was, is := change.Before.critical(), change.After.critical(); {
	case is && !was:
		e.BecomeCritical++
	case was && !is:
		e.StopCritical++
	}
	if change.Before.differs(change.After) {
		e.Changed++
		e.Largest = append(e.Largest, change)
	}
}

func newSuggestion(r *row) Suggestion {
	return Suggestion{Group: r.group(), Action: r.Action, Urgency: r.Urgency, Quantity: r.Suggested, Cost: r.LineCost}
}

func (e *Effect) count(group Group, n Lines) {
	if group != GroupNone {
		sum := e.Groups[group]
		e.Groups[group] = Lines{sum.Before + n.Before, sum.After + n.After}
	}
}

func (e *Effect) spend(currency string, before, after decimal.Decimal) {
	if before.IsZero() && after.IsZero() {
		return
	}
	at, found := slices.BinarySearchFunc(e.Costs, currency,
		func(c CostChange, name string) int { return cmp.Compare(c.Currency, name) })
	if !found {
		e.Costs = slices.Insert(e.Costs, at, CostChange{Currency: currency})
	}
	e.Costs[at].Before, e.Costs[at].After = e.Costs[at].Before.Add(before), e.Costs[at].After.Add(after)
}

// ordered returns the quantity that is to be ordered now.
func (s Suggestion) ordered() float64 {
	if s.Group != GroupOrder {
		return 0
	}
	return s.Quantity
}

// spent returns the cost of what is to be ordered now. One that cannot be true is in no sum.
func (s Suggestion) spent() decimal.Decimal {
	if s.Group != GroupOrder || s.Cost == nil || !plausible.Amount(*s.Cost) {
		return decimal.Zero
	}
	return *s.Cost
}

func (s Suggestion) critical() bool {
	return s.Urgency == UrgencyCritical && slices.Contains([]Group{GroupOrder, GroupExpedite, GroupUpcoming}, s.Group)
}

// differs reports whether people would see another suggestion. What is not listed is not seen.
func (s Suggestion) differs(o Suggestion) bool {
	return s.Group != o.Group || s.Group != GroupNone && (s.Urgency != o.Urgency || s.Quantity != o.Quantity)
}

// cost returns by how much the cost of what to order changes. Amounts are not converted, so that
// articles with prices in different currencies are compared by their numbers alone.
func (a ArticleChange) cost() decimal.Decimal { return a.After.spent().Sub(a.Before.spent()).Abs() }

func (a ArticleChange) quantity() float64 { return math.Abs(a.After.ordered() - a.Before.ordered()) }
