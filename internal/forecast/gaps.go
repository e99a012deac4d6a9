package forecast

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/plausible"
)

// gapPart is the part of workspace.uncomputed_articles that this package keeps.
const gapPart = "demand"

// Why an article is not computed, apart from a number that is not plausible.
const (
	unreadable  = "a number of its sales is too large to compute with"
	unestimated = "its sales cannot be computed with"
	unshowable  = "its sales make a forecast that is not a number"
)

// add adds an article, or says why it cannot be computed.
func (k *known) add(row q.ReadSeriesRow) {
	reason := implausible(row)
	if reason == "" {
		var a demand.Article
		if fault.Recovered(func() error { a = newArticle(row, k.sales.End); return nil }) == nil {
			row.Units, row.EmptyDays = nil, nil
			k.rows, k.sales.Articles = append(k.rows, row), append(k.sales.Articles, a)
			return
		}
		reason = unestimated
	}
	k.gaps[row.ProductID] = reason
}

// implausible says what of a series cannot be true. It is empty if all can. Package sales leaves out
// such sales, so this is about series that were stored before it did.
func implausible(row q.ReadSeriesRow) string {
	if row.FirstSale.Valid && row.FirstSale.Time.Before(plausible.First) {
		return fmt.Sprintf("a sale in the year %d is not plausible", row.FirstSale.Time.Year())
	}
	for _, all := range [][]float64{row.Units, {row.Running, row.Units28, row.Units84, row.Units365}} {
		for _, units := range all {
			if !plausible.Number(units) {
				return fmt.Sprintf("the quantity %s that was sold in a week is not plausible", plausible.Show(units))
			}
		}
	}
	return ""
}

// believed reports whether an entry of the log can be true. Entries are never rewritten, so those
// that were made from what is left out today must not judge the others.
func believed(e demand.Entry) bool {
	for _, x := range append(e.Forecast[:], e.Strength, e.Units) {
		if !plausible.Number(x) {
			return false
		}
	}
	return math.Abs(e.SigmaDay2) <= plausible.Most*plausible.Most
}

// derived is what follows from what is known.
type derived struct {
	log          logged
	estimates    demand.Estimates
	calibrations map[demand.Class]demand.Calibration
}

// derive computes the demand of all articles; with logging from the extended log. Articles on which
// the arithmetic fails are left out.
func (k *known) derive(logging bool) (d derived, err error) {
	all := func() error {
		d = derived{log: logged{entries: k.log}}
		if logging {
			// Sales that came late are replayed once a day, when an import has probably ended.
			dayPassed := k.settings.AsOf.Valid && dayOf(k.settings.AsOf) < k.asOf
			d.log = extend(k.sales, slices.Clone(k.log), k.newestOrigin(), dayPassed)
		}
		d.estimates = demand.Estimate(k.sales, d.log.entries)
		d.calibrations = demand.Calibrate(d.log.entries, k.sales.End)
		return nil
	}
	if fault.Recovered(all) == nil {
		return d, nil
	}
	k.leaveOutBroken()
	return d, fault.Recovered(all)
}

// leaveOutBroken leaves out the articles that cannot be estimated even alone.
func (k *known) leaveOutBroken() {
	rows, articles := k.rows, k.sales.Articles
	k.rows, k.sales.Articles = nil, nil
	for i, a := range articles {
		if fault.Recovered(func() error { demand.Family{}.Estimate(a, k.sales.End); return nil }) != nil {
			k.gaps[a.ID] = unestimated
			continue
		}
		k.rows, k.sales.Articles = append(k.rows, rows[i]), append(k.sales.Articles, a)
	}
}

// estimateAlone computes each article with the stored values of its family. Articles on which the
// arithmetic fails are left out.
func (k *known) estimateAlone(families map[string]demand.Family) (demands []demand.Demand) {
	rows, articles := k.rows, k.sales.Articles
	k.rows, k.sales.Articles = nil, nil
	for i, a := range articles {
		var d demand.Demand
		if fault.Recovered(func() error { d = families[a.Family].Estimate(a, k.sales.End); return nil }) != nil {
			k.gaps[a.ID] = unestimated
			continue
		}
		k.rows, k.sales.Articles, demands = append(k.rows, rows[i]), append(k.sales.Articles, a), append(demands, d)
	}
	return demands
}

// saveGaps stores why articles have no figures, and drops the figures that they had. Of the other
// ones of these products, or of all if products is nil, it drops the gaps, and returns how many there
// were.
func (k *known) saveGaps(ctx context.Context, queries *q.Queries, products []string) (closed int64, err error) {
	failed := slices.AppendSeq([]string{}, maps.Keys(k.gaps))
	slices.Sort(failed)
	closed, err = queries.CloseGaps(ctx, q.CloseGapsParams{TenantID: k.at.tenant, WorkspaceID: k.at.workspace, Part: gapPart,
		Products: products, Failed: failed})
	if err != nil || len(failed) == 0 {
		return closed, err
	}
	of := q.KeepGapsParams{TenantID: k.at.tenant, WorkspaceID: k.at.workspace, Part: gapPart, Products: failed}
	for _, product := range failed {
		of.Reasons = append(of.Reasons, k.gaps[product])
	}
	if err := queries.KeepGaps(ctx, of); err != nil {
		return closed, err
	}
	return closed, queries.DropForecastsOf(ctx,
		q.DropForecastsOfParams{TenantID: k.at.tenant, WorkspaceID: k.at.workspace, Products: failed})
}
