package sales

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/quayside/quayside/internal/forecast"
	"github.com/quayside/quayside/internal/pg/q"
)

// compute computes what some marked records of a workspace, or the next ones of a rebuild,
// change. It reports whether there is more to do. If another instance is at it, it does nothing.
func (s *Service) compute(ctx context.Context, tenant, workspace uuid.UUID, readerBegan time.Time) (more bool, err error) {
	err = s.cells.InTenant(ctx, tenant, func(tx pgx.Tx) error {
		c := &computation{tx: tx, queries: q.New(tx), tenant: tenant, workspace: workspace}
		free, err := c.queries.SalesLock(ctx, workspace)
		if err != nil || !free {
			return err
		}
		if err := c.prepare(ctx, readerBegan); err != nil {
			if errors.Is(err, pgx.ErrNoRows) {
				return nil // the workspace is gone
			}
			return err
		}
		if c.settings.Rebuilding != "" {
			more = true
			return c.rebuild(ctx)
		}
		more, err = c.changed(ctx)
		return err
	})
	return more, err
}

// computation is one transaction that computes figures of one workspace.
type computation struct {
	tx                pgx.Tx
	queries           *q.Queries
	tenant, workspace uuid.UUID
	settings          q.GetSalesSettingsRow
	oldest            time.Time // when the first of the marked records was changed
}

// prepare reads the workspace's settings, and begins a rebuild if its figures were computed by
// others.
func (c *computation) prepare(ctx context.Context, readerBegan time.Time) (err error) {
	if err := c.queries.SalesPlans(ctx); err != nil {
		return err
	}
	of := q.GetSalesSettingsParams{TenantID: c.tenant, WorkspaceID: c.workspace, ReaderBeganAt: readerBegan}
	if c.settings, err = c.queries.GetSalesSettings(ctx, of); err != nil || !c.settings.Outdated {
		return err
	}
	if err := c.queries.StartSalesRebuild(ctx,
		q.StartSalesRebuildParams{TenantID: c.tenant, WorkspaceID: c.workspace}); err != nil {
		return err
	}
	c.settings, err = c.queries.GetSalesSettings(ctx, of)
	return err
}

// changed computes what some marked records change.
func (c *computation) changed(ctx context.Context) (more bool, err error) {
	marks, err := c.queries.TakeSalesChanges(ctx,
		q.TakeSalesChangesParams{TenantID: c.tenant, WorkspaceID: c.workspace, Most: computedAtOnce})
	if err != nil {
		return false, err
	}
	marked := map[string][]string{}
	for _, m := range marks {
		marked[m.Slug] = append(marked[m.Slug], m.RecordID)
		if c.oldest.IsZero() || m.ChangedAt.Before(c.oldest) {
			c.oldest = m.ChangedAt
		}
	}
	more = len(marks) == computedAtOnce
	matched, err := c.articles(ctx, marked[products])
	if err != nil {
		return more, err
	}
	touched, err := c.queries.LinesTouched(ctx, matched)
	if err != nil {
		return more, err
	}
	touched, rest, err := c.postpone(ctx, touched)
	if err != nil {
		return more, err
	}
	more = more || rest
	ordered, err := c.queries.LinesOrdered(ctx, q.LinesOrderedParams{TenantID: c.tenant, Orders: marked[orders]})
	if err != nil {
		return more, err
	}
	t := newTouched()
	if err := c.lines(ctx, slices.Concat(touched, ordered, marked[lines]), false, t); err != nil {
		return more, err
	}
	t.addCustomers(marked[customers])
	return more, c.figures(ctx, marked[products], t)
}

// postpone marks the lines of articles beyond what one transaction computes: one that gets another SKU, or is merged, may have
// many.
func (c *computation) postpone(ctx context.Context, touched []string) (now []string, rest bool, err error) {
	if len(touched) <= computedAtOnce {
		return touched, false, nil
	}
	return touched[:computedAtOnce], true, c.queries.PostponeLines(ctx, q.PostponeLinesParams{
		TenantID: c.tenant, WorkspaceID: c.workspace, Lines: touched[computedAtOnce:], ChangedAt: c.oldest})
}

// articles notes what lines match these articles by now, and returns the variants, SKUs and merged articles whose
// lines may match another article than before. Who bought an article that has another name or
// family now is marked.
func (c *computation) articles(ctx context.Context, ids []string) (matched q.LinesTouchedParams, err error) {
	matched = q.LinesTouchedParams{TenantID: c.tenant, WorkspaceID: c.workspace}
	if len(ids) == 0 {
		return matched, nil
	}
	keys, err := c.queries.ArticleKeys(ctx,
		q.ArticleKeysParams{TenantID: c.tenant, WorkspaceID: c.workspace, Products: ids})
	if err != nil {
		return matched, err
	}
	before := map[string]q.ArticleKeysRow{}
	for _, key := range keys {
		before[key.ProductID] = key
	}
	gone, err := c.queries.ForgetArticles(ctx,
		q.ForgetArticlesParams{TenantID: c.tenant, WorkspaceID: c.workspace, Products: ids})
	if err != nil {
		return matched, err
	}
	for _, article := range gone {
		matched.Merged = append(matched.Merged, article.ProductID)
		if article.Sku != nil {
			matched.Skus = append(matched.Skus, *article.Sku)
		}
	}
	changed, err := c.queries.RefreshArticleKeys(ctx,
		q.RefreshArticleKeysParams{TenantID: c.tenant, WorkspaceID: c.workspace, Products: ids})
	if err != nil {
		return matched, err
	}
	renamed := q.MarkCustomersParams{TenantID: c.tenant, WorkspaceID: c.workspace, ChangedAt: c.oldest}
	for _, now := range changed {
		was, known := before[now.ProductID]
		if !known || !reflect.DeepEqual(was, q.ArticleKeysRow(now)) {
			renamed.Products = append(renamed.Products, now.ProductID)
		}
		for _, variant := range []*string{was.ExternalID, now.ExternalID} {
			if variant != nil {
				matched.Variants = append(matched.Variants, *variant)
			}
		}
		for _, sku := range []*string{was.Sku, now.Sku} {
			if sku != nil {
				matched.Skus = append(matched.Skus, *sku)
			}
		}
	}
	if len(renamed.Products) == 0 || c.settings.Rebuilding != "" { // a rebuild computes all customers
		return matched, nil
	}
	return matched, c.queries.MarkCustomers(ctx, renamed)
}

// lines computes lines, and notes what their old and new values are part of: for lines that
// changed or, for a rebuild, for all.
func (c *computation) lines(ctx context.Context, ids []string, all bool, t *touched) error {
	if len(ids) == 0 {
		return nil
	}
	keys, err := c.queries.LineKeys(ctx, q.LineKeysParams{TenantID: c.tenant, Lines: ids})
	if err != nil {
		return err
	}
	before := map[string]q.LineKeysRow{}
	for _, key := range keys {
		before[key.LineID] = key
		if all {
			t.add(key)
		}
	}
	changed, err := c.queries.RefreshLines(ctx, q.RefreshLinesParams{
		TenantID: c.tenant, WorkspaceID: c.workspace, Lines: ids, TimeZone: c.settings.TimeZone,
		WeekStart: int32(c.settings.WeekStart), BaseCurrency: c.settings.BaseCurrency,
	})
	for _, now := range changed {
		t.add(q.LineKeysRow(now))
		if was, known := before[now.LineID]; known {
			t.add(was)
		}
	}
	return err
}

// figures computes all that contains the touched lines, and the series of their articles and
// of those whose stock or family may have changed.
func (c *computation) figures(ctx context.Context, counted []string, t *touched) error {
	if err := c.sums(ctx, t); err != nil {
		return err
	}
	if err := c.customers(ctx, t); err != nil {
		return err
	}
	if len(counted) > 0 {
		if err := c.queries.MergeStock(ctx, q.MergeStockParams{
			TenantID: c.tenant, WorkspaceID: c.workspace, TimeZone: c.settings.TimeZone, Products: counted,
		}); err != nil {
			return err
		}
	}
	articles := t.articles(counted)
	if len(articles) == 0 {
		return nil
	}
	if err := c.queries.RefreshSeries(ctx, q.RefreshSeriesParams{
		TenantID: c.tenant, WorkspaceID: c.workspace, WeekStart: int32(c.settings.WeekStart), Products: articles,
	}); err != nil {
		return err
	}
	return forecast.Mark(ctx, c.tx, c.tenant, c.workspace, articles)
}

// sums computes the orders, days, weeks and totals that contain the touched lines.
func (c *computation) sums(ctx context.Context, t *touched) error {
	if len(t.orders) == 0 {
		return nil
	}
	orders := t.orderIDs()
	days, dayArticles := t.daysOf()
	weeks, weekArticles := t.weeksOf()
	start := int32(c.settings.WeekStart)
	queries, tenant, workspace := c.queries, c.tenant, c.workspace
	for _, step := range []func() error{
		func() error {
			return queries.RefreshOrders(ctx, q.RefreshOrdersParams{TenantID: tenant, WorkspaceID: workspace, Orders: orders})
		},
		func() error { return queries.DropOrders(ctx, q.DropOrdersParams{TenantID: tenant, Orders: orders}) },
		func() error {
			return queries.RefreshDays(ctx,
				q.RefreshDaysParams{TenantID: tenant, WorkspaceID: workspace, Products: dayArticles, Days: days})
		},
		func() error {
			return queries.DropDays(ctx,
				q.DropDaysParams{TenantID: tenant, WorkspaceID: workspace, Products: dayArticles, Days: days})
		},
		func() error {
			return queries.RefreshWeeks(ctx, q.RefreshWeeksParams{
				TenantID: tenant, WorkspaceID: workspace, Products: weekArticles, Weeks: weeks, WeekStart: start})
		},
		func() error {
			return queries.DropWeeks(ctx, q.DropWeeksParams{
				TenantID: tenant, WorkspaceID: workspace, Products: weekArticles, Weeks: weeks, WeekStart: start})
		},
		func() error { return c.totals(ctx, t.totals()) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// customers computes the touched customers.
func (c *computation) customers(ctx context.Context, t *touched) error {
	ids, days := t.customersOf()
	if len(ids) == 0 {
		return nil
	}
	if err := c.refreshCustomers(ctx, ids, days); err != nil {
		return err
	}
	if err := c.queries.EndCustomers(ctx, q.EndCustomersParams{
		TenantID: c.tenant, WorkspaceID: c.workspace, Customers: ids, Days: days}); err != nil {
		return err
	}
	return c.queries.DropCustomers(ctx, q.DropCustomersParams{
		TenantID: c.tenant, WorkspaceID: c.workspace, Customers: ids, Days: days})
}

// refreshCustomers computes customers since a day of each. Days without an order stay.
func (c *computation) refreshCustomers(ctx context.Context, ids []string, days []pgtype.Date) error {
	return c.queries.RefreshCustomers(ctx, q.RefreshCustomersParams{
		TenantID: c.tenant, WorkspaceID: c.workspace, Customers: ids, Days: days})
}

// totals computes the totals of weeks.
func (c *computation) totals(ctx context.Context, weeks []pgtype.Date) error {
	if err := c.queries.RefreshTotals(ctx,
		q.RefreshTotalsParams{TenantID: c.tenant, WorkspaceID: c.workspace, Weeks: weeks}); err != nil {
		return err
	}
	return c.queries.DropTotals(ctx, q.DropTotalsParams{TenantID: c.tenant, WorkspaceID: c.workspace, Weeks: weeks})
}
