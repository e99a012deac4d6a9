package procure

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/plausible"
)

// Why an article has no row, apart from a number that is not plausible.
const (
	unreadable  = "a number of its data is too large to compute with"
	uncountable = "its data cannot be computed with"
)

// rowOf computes the row of an article, or says why that is impossible.
func (c *computation) rowOf(k *known) (r row, reason string) {
	if reason = k.implausible(); reason != "" {
		return row{}, reason
	}
	if fault.Recovered(func() error { r = c.newRow(k); return nil }) != nil || !r.finite() {
		return row{}, uncountable
	}
	return r, ""
}

// implausible says what is known of the article and cannot be true. It is empty if all can.
func (k *known) implausible() string {
	if k.DemandGap != "" {
		return "its demand is not computed: " + k.DemandGap
	}
	if !plausible.Number(k.drafted) {
		return notPlausible("the drafted quantity", k.drafted)
	}
	return k.Article.implausible()
}

// implausible says which number of the article cannot be true. It is empty if all can.
func (a Article) implausible() string {
	for _, one := range []struct {
		what  string
		value *float64
	}{
		{"the stock", a.Available}, {"the minimum order quantity", &a.MOQ}, {"the order multiple", &a.Multiple},
		{"the safety stock", a.Own.SafetyStock}, {"the reorder point", a.Own.ReorderPoint},
		{"the demand of a day", &a.Demand.Velocity}, {"the spread of the lead time", &a.Lead.Sigma},
	} {
		if one.value != nil && !plausible.Number(*one.value) {
			return notPlausible(one.what, *one.value)
		}
	}
	if spread := a.Demand.SigmaDay2; !plausible.Finite(spread) { // a square may be larger
		return notPlausible("the spread of the demand", spread)
	}
	for _, s := range a.Supply {
		if !plausible.Number(s.Quantity) {
			return notPlausible("the open quantity of order "+s.OrderNo, s.Quantity)
		}
	}
	if days := a.Own.CoverDays; days != nil && *days > plausible.LongestDays {
		return fmt.Sprintf("a cover of more than %d days is not plausible", plausible.LongestDays)
	}
	return ""
}

func notPlausible(what string, value float64) string {
	return fmt.Sprintf("%s, %s, is not plausible", what, plausible.Show(value))
}

// finite reports whether all figures of the row are numbers.
func (r *row) finite() bool {
	all := []float64{r.MarginAtRisk, r.OnOrder, r.Drafted, r.Overdue, r.DemandPerDay, r.SafetyStock, r.ReorderPoint, r.TargetStock,
		r.Raw, r.Suggested, r.Overbuy}
	for _, maybe := range []*float64{r.Available, r.DaysOfCover, r.DaysOfCoverInclOpen} {
		if maybe != nil {
			all = append(all, *maybe)
		}
	}
	return !slices.ContainsFunc(all, func(x float64) bool { return !plausible.Finite(x) })
}

// believed reports whether what was learnt of a class are numbers.
func believed(class q.ReadForecastClassesRow) bool {
	all := []float64{class.Tau2, class.Z90, class.Z95, class.Z975, class.Z99}
	return !slices.ContainsFunc(all, func(x float64) bool { return !plausible.Finite(x) })
}

// believedTime returns the time of a count of stock, or nil if it cannot be true: it is too early, or was
// in the future when the article was last written. Zones differ from UTC by less than a day.
func (k *known) believedTime(at *time.Time) *time.Time {
	const day = 24 * time.Hour
	if at == nil || at.Before(plausible.First.Add(-day)) || at.After(k.UpdatedAt.Add(2*day)) {
		return nil
	}
	return at
}

// saveUncomputed stores why some of these articles have no row, and drops the rows that they had. The
// others have no such gap any more.
func (c *computation) saveUncomputed(ctx context.Context, products []string) error {
	failed, reasons := []string{}, []string{}
	for _, product := range products {
		if reason, ok := c.uncomputed[product]; ok {
			failed, reasons = append(failed, product), append(reasons, reason)
		}
	}
	_, err := c.queries.CloseGaps(ctx, q.CloseGapsParams{TenantID: c.at.tenant, WorkspaceID: c.at.workspace, Part: "queue",
		Products: products, Failed: failed})
	if err != nil || len(failed) == 0 {
		return err
	}
	if err := c.queries.KeepGaps(ctx, q.KeepGapsParams{TenantID: c.at.tenant, WorkspaceID: c.at.workspace, Part: "queue",
		Products: failed, Reasons: reasons}); err != nil {
		return err
	}
	return c.queries.DropQueueRowsOf(ctx,
		q.DropQueueRowsOfParams{TenantID: c.at.tenant, WorkspaceID: c.at.workspace, Products: failed})
}

// Uncomputed is an article that is neither forecast nor suggested, because of its data.
type Uncomputed struct {
	Product, SKU, Name string
	Reason             string // such as "the stock, 1e+308, is not plausible"
	Since              time.Time
}

// mostUncomputed is how many such articles are listed.
const mostUncomputed = 20

// listUncomputed returns the articles that are not computed, and whether there are more. With a product, it is
// about that one.
func listUncomputed(ctx context.Context, queries *q.Queries, by auth.Principal, product *string) (
	articles []Uncomputed, more bool, err error) {
	rows, err := queries.ListGaps(ctx,
		q.ListGapsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ProductID: product, Most: mostUncomputed + 1})
	for _, r := range rows[:min(len(rows), mostUncomputed)] {
		articles = append(articles, Uncomputed{Product: r.ProductID, SKU: r.Sku, Name: r.Name, Reason: r.Reason, Since: r.Since})
	}
	return articles, len(rows) > mostUncomputed, err
}

// UncomputedArticle returns why an article is not computed, or nil if it is, in the caller's transaction.
func UncomputedArticle(ctx context.Context, tx pgx.Tx, by auth.Principal, product string) (*Uncomputed, error) {
	found, _, err := listUncomputed(ctx, q.New(tx), by, &product)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// errUncomputed refuses to explain the suggestion for an article that has none.
func errUncomputed(reason string) error {
	return fault.New(fault.Conflict, "not_computed", "this article is not computed: %s", reason)
}
