package purchase

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// OnItsWay is an open line of an article: drafted, pending approval, or ordered and not fully
// received.
type OnItsWay struct {
	SKU      string `json:"sku"`
	OrderNo  string `json:"order_no,omitempty"` // empty: another line of the same call
	LineID   string `json:"line_id,omitempty"`
	Status   Status `json:"status"`
	Quantity string `json:"quantity"` // still to come
	Expected string `json:"expected_arrival_date,omitempty"`
	Overdue  bool   `json:"overdue,omitempty"`
}

// mostOpen is how many open lines are read for one article.
const mostOpen = 20

// Words describes the line, such as "12 overdue on PO-3131".
func (o OnItsWay) Words() string {
	state := map[Status]string{Draft: "drafted", PendingApproval: "pending approval"}[o.Status]
	switch {
	case o.OrderNo == "":
		return o.Quantity + " in another line of this call"
	case o.Overdue:
		state = "overdue"
	case state == "" && o.Expected != "":
		return fmt.Sprintf("%s expected on %s on %s", o.Quantity, o.Expected, o.OrderNo)
	case state == "":
		state = "ordered"
	}
	return fmt.Sprintf("%s %s on %s", o.Quantity, state, o.OrderNo)
}

// Underway describes the open lines of an article, such as "12 overdue on PO-3131, 5 drafted
// on PO-3140". It is empty if there are none.
func Underway(lines []OnItsWay) string {
	var said []string
	for _, one := range lines[:min(len(lines), mostNamed)] {
		said = append(said, one.Words())
	}
	switch more := len(lines) - len(said); {
	case len(lines) >= mostOpen:
		said = append(said, "and more")
	case more > 0:
		said = append(said, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(said, ", ")
}

// article identifies what a line orders. Two lines order the same article when they name the
// same product or, if one of them names none, the same SKU.
type article struct{ sku, product string }

func (a article) same(b article) bool {
	if a.product != "" && b.product != "" {
		return a.product == b.product
	}
	return a.sku == b.sku
}

// onItsWay reads the open lines of articles, for each article by expected arrival, and what is still to come of all of them.
func onItsWay(ctx context.Context, queries *q.Queries, by auth.Principal, articles []article) (
	lines map[article][]OnItsWay, sums map[article]decimal.Decimal, err error) {
	params := q.ListOnItsWayParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Skus: []string{}, Products: []string{},
		Most: mostOpen}
	for _, one := range articles {
		params.Skus, params.Products = append(params.Skus, one.sku), append(params.Products, one.product)
	}
	found, err := queries.ListOnItsWay(ctx, params)
	now := today(by).Time
	lines, sums = map[article][]OnItsWay{}, map[article]decimal.Decimal{}
	for _, one := range found {
		line := OnItsWay{
			SKU: fault.Shorten(one.WantedSku), OrderNo: fault.Shorten(one.OrderNo), LineID: one.ID, Status: Status(one.Status),
			Quantity: decimal.Max(one.QuantityOrdered.Sub(one.QuantityReceived), decimal.Zero).String(),
		}
		if day := one.ExpectedArrivalDate; day.Valid {
			line.Expected = day.Time.Format(time.DateOnly)
			line.Overdue = day.Time.Before(now) && (line.Status == Ordered || line.Status == PartiallyReceived)
		}
		of := article{one.WantedSku, one.WantedProduct}
		lines[of], sums[of] = append(lines[of], line), one.Open
	}
	return lines, sums, err
}

// OpenLines returns the open lines of articles, by their index. Each is named by its SKU and its product.
func OpenLines(ctx context.Context, queries *q.Queries, by auth.Principal, skus, products []string) ([][]OnItsWay, error) {
	articles := make([]article, len(skus))
	for i := range skus {
		articles[i] = article{skus[i], products[i]}
	}
	found, _, err := onItsWay(ctx, queries, by, articles)
	lines := make([][]OnItsWay, len(articles))
	for i, of := range articles {
		lines[i] = found[of]
	}
	return lines, err
}

// Counted is what a recommendation knew when it was computed.
type Counted struct {
	Open      float64 // what was on its way, or drafted
	Suggested float64 // what to order beside that
}

// covers reports whether a quantity is what was suggested beside all that is open now.
func (k *Counted) covers(quantity, open decimal.Decimal) bool {
	if k == nil || open.IsZero() {
		return k != nil
	}
	return !open.GreaterThan(decimal.NewFromFloat(k.Open)) && !quantity.GreaterThan(decimal.NewFromFloat(k.Suggested))
}

// refuseDuplicates refuses lines of articles that already have open lines, unless a recommendation counted them, or that the
// call itself has twice. It locks the articles, so that of two simultaneous drafts the second sees the first.
func (c *change) refuseDuplicates(ctx context.Context, rows []row, wanted []NewLine, confirmed bool) error {
	var skus []string
	var articles []article
	for _, r := range rows {
		skus = append(skus, r.Sku)
		if one := (article{r.Sku, deref(r.ProductID)}); !slices.Contains(articles, one) {
			articles = append(articles, one)
		}
	}
	slices.Sort(skus)
	err := c.queries.LockArticles(ctx,
		q.LockArticlesParams{Workspace: c.by.Workspace.String(), Skus: slices.Compact(skus)})
	if err != nil {
		return err
	}
	if err := c.refuseMerged(ctx, articles); err != nil || confirmed {
		return err
	}
	open, sums, err := onItsWay(ctx, c.queries, c.by, articles)
	if err != nil {
		return err
	}
	var said []string
	details := []OnItsWay{}
	for i, of := range articles {
		if slices.ContainsFunc(articles[:i], of.same) {
			continue // reported with the first
		}
		again := repeats(rows, of)
		one := slices.IndexFunc(rows, func(r row) bool { return of.same(article{r.Sku, deref(r.ProductID)}) })
		if len(again) == 0 && wanted[one].Counted.covers(rows[one].QuantityOrdered, sums[of]) {
			continue
		}
		if lines := slices.Concat(open[of], again); len(lines) > 0 {
			said = append(said, fmt.Sprintf("%s: %s", fault.Shorten(of.sku), Underway(lines)))
			details = append(details, lines...)
		}
	}
	if len(said) == 0 {
		return nil
	}
	if more := len(said) - mostNamed; more > 0 {
		said = append(said[:mostNamed], fmt.Sprintf("and %d more articles", more))
	}
	return fault.New(fault.Conflict, "already_on_its_way", "already on its way: %s; confirm that more is wanted",
		strings.Join(said, "; ")).
		With(details[:min(len(details), mostListed)])
}

// refuseMerged refuses articles that were merged into others since they were looked up, under their lock.
func (c *change) refuseMerged(ctx context.Context, articles []article) error {
	var ids []string
	for _, one := range articles {
		if one.product != "" {
			ids = append(ids, one.product)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	there, err := c.queries.CountArticles(ctx, q.CountArticlesParams{TenantID: c.by.Tenant, WorkspaceID: c.by.Workspace, Ids: ids})
	if err == nil && there < int64(len(ids)) {
		return fault.New(fault.Conflict, "article_merged", "an article was merged into another in the meantime; look again, then draft it")
	}
	return err
}

// repeats returns the lines of a call, after the first, that order this article.
func repeats(rows []row, of article) (lines []OnItsWay) {
	seen := false
	for _, r := range rows {
		if !of.same(article{r.Sku, deref(r.ProductID)}) {
			continue
		}
		if seen {
			lines = append(lines, OnItsWay{SKU: fault.Shorten(r.Sku), Status: Draft, Quantity: r.QuantityOrdered.String()})
		}
		seen = true
	}
	return lines
}
