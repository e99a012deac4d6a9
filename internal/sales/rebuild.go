package sales

import (
	"context"

	"github.com/quayside/quayside/internal/pg/q"
)

// The parts of a rebuild.
const (
	rebuildLines     = "lines"
	rebuildArticles  = "articles"
	rebuildCustomers = "customers"
)

// rebuild computes the next lines, articles or customers of a rebuild, and stores how far it is. A rebuild
// that stopped goes on there.
func (c *computation) rebuild(ctx context.Context) error {
	next, last, err := c.rebuildSome(ctx)
	if err != nil {
		return err
	}
	return c.queries.MoveSalesRebuild(ctx, q.MoveSalesRebuildParams{
		TenantID: c.tenant, WorkspaceID: c.workspace, Rebuilding: next, RebuiltTo: last,
	})
}

func (c *computation) rebuildSome(ctx context.Context) (next, last string, err error) {
	var ids []string
	after, t := c.settings.RebuiltTo, newTouched()
	switch part := c.settings.Rebuilding; part {
	case rebuildLines:
		if after == "" {
			if err := c.noteKeys(ctx); err != nil {
				return "", "", err
			}
		}
		if ids, err = c.queries.LinesAfter(ctx, q.LinesAfterParams{
			TenantID: c.tenant, WorkspaceID: c.workspace, After: after, Most: rebuiltAtOnce}); err != nil {
			return "", "", err
		}
		if len(ids) == 0 {
			return rebuildArticles, "", nil
		}
		if err := c.lines(ctx, ids, true, t); err != nil {
			return "", "", err
		}
		return part, ids[len(ids)-1], c.sums(ctx, t)
	case rebuildArticles:
		if ids, err = c.queries.ProductsAfter(ctx, q.ProductsAfterParams{
			TenantID: c.tenant, WorkspaceID: c.workspace, After: after, Most: rebuiltAtOnce}); err != nil {
			return "", "", err
		}
		if len(ids) == 0 {
			return rebuildCustomers, "", nil
		}
		return part, ids[len(ids)-1], c.rebuildArticles(ctx, ids)
	default:
		if ids, err = c.queries.CustomersAfter(ctx, q.CustomersAfterParams{
			TenantID: c.tenant, WorkspaceID: c.workspace, After: after, Most: customersAtOnce}); err != nil {
			return "", "", err
		}
		if len(ids) == 0 {
			return "", "", c.dropStrays(ctx)
		}
		t.addCustomers(ids)
		customers, days := t.customersOf()
		return part, ids[len(ids)-1], c.refreshCustomers(ctx, customers, days) // strays are dropped at the end
	}
}

// noteKeys notes what lines match all articles by now. All lines are computed afterwards, so that none is touched.
func (c *computation) noteKeys(ctx context.Context) error {
	for after := ""; ; {
		ids, err := c.queries.ProductsAfter(ctx, q.ProductsAfterParams{
			TenantID: c.tenant, WorkspaceID: c.workspace, After: after, Most: rebuiltAtOnce})
		if err != nil || len(ids) == 0 {
			return err
		}
		if _, err := c.queries.RefreshArticleKeys(ctx,
			q.RefreshArticleKeysParams{TenantID: c.tenant, WorkspaceID: c.workspace, Products: ids}); err != nil {
			return err
		}
		after = ids[len(ids)-1]
	}
}

// rebuildArticles counts the stock of articles again, and computes their series.
func (c *computation) rebuildArticles(ctx context.Context, ids []string) error {
	matched, err := c.articles(ctx, ids)
	if err != nil {
		return err
	}
	touchedLines, err := c.queries.LinesTouched(ctx, matched)
	if err != nil {
		return err
	}
	t := newTouched()
	if err := c.lines(ctx, touchedLines, false, t); err != nil {
		return err
	}
	if err := c.queries.ForgetStock(ctx,
		q.ForgetStockParams{TenantID: c.tenant, WorkspaceID: c.workspace, Products: ids}); err != nil {
		return err
	}
	if err := c.queries.ForgetStockVersions(ctx,
		q.ForgetStockVersionsParams{TenantID: c.tenant, WorkspaceID: c.workspace, Products: ids}); err != nil {
		return err
	}
	return c.figures(ctx, ids, t)
}

// dropStrays drops figures that no line is part of, and computes all totals. Without faults there
// are no such figures.
func (c *computation) dropStrays(ctx context.Context) error {
	if err := c.queries.DropStrayDays(ctx,
		q.DropStrayDaysParams{TenantID: c.tenant, WorkspaceID: c.workspace}); err != nil {
		return err
	}
	if err := c.queries.DropStrayWeeks(ctx, q.DropStrayWeeksParams{
		TenantID: c.tenant, WorkspaceID: c.workspace, WeekStart: int32(c.settings.WeekStart)}); err != nil {
		return err
	}
	if err := c.queries.DropStrayCustomers(ctx,
		q.DropStrayCustomersParams{TenantID: c.tenant, WorkspaceID: c.workspace}); err != nil {
		return err
	}
	weeks, err := c.queries.SalesWeeks(ctx, q.SalesWeeksParams{TenantID: c.tenant, WorkspaceID: c.workspace})
	if err != nil {
		return err
	}
	return c.totals(ctx, weeks)
}
