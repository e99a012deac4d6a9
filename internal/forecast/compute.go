package forecast

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
)

// noSales is the code of the error that there is nothing to compute from.
const noSales = "no_sales"

// readTimeout limits one statement that reads a chunk of articles.
const readTimeout = 30 * time.Second

// known is what a computation starts from: the sales of articles before a day, and the log.
type known struct {
	at       place
	settings q.ReadForecastSettingsRow
	asOf     demand.Day
	rows     []q.ReadSeriesRow // by article, without the weeks
	sales    demand.Sales      // articles in the order of rows
	log      []demand.Entry    // sorted by origin and article
}

// compute computes all articles as of a day and stores them. With logging, it also extends the
// log.
func (s *Service) compute(ctx context.Context, at place, asOf demand.Day, now time.Time, logging bool) error {
	began := time.Now()
	var k known
	err := s.cells.Reading(ctx, at.tenant, readTimeout, func(tx pgx.Tx) (err error) {
		queries := q.New(tx)
		if err := queries.PlanForecasts(ctx); err != nil {
			return err
		}
		if k, err = begin(ctx, queries, at, asOf); err != nil {
			return err
		}
		products, err := queries.ListSeries(ctx, q.ListSeriesParams{TenantID: at.tenant, WorkspaceID: at.workspace})
		if err != nil {
			return err
		}
		return k.read(ctx, queries, products)
	})
	if err != nil {
		return err
	}
	state := q.SaveForecastStateParams{
		TenantID: at.tenant, WorkspaceID: at.workspace, AsOf: dateOf(asOf), NewestOrigin: k.settings.NewestOrigin,
		TimeZone: k.settings.TimeZone, WeekStart: k.settings.WeekStart, ComputedAt: now,
	}
	if logging {
		// Sales that came late are replayed once a day, when an import has probably ended.
		dayPassed := k.settings.AsOf.Valid && dayOf(k.settings.AsOf) < asOf
		log := extend(k.sales, k.log, k.newestOrigin(), dayPassed)
		if err := s.saveLog(ctx, at, log); err != nil {
			return err
		}
		k.log, state.NewestOrigin = log.entries, dateOf(log.newest)
		if state.NewestOrigin != k.settings.NewestOrigin {
			if err := s.dropOld(ctx, at, asOf); err != nil {
				return err
			}
		}
	}
	estimates := demand.Estimate(k.sales, k.log)
	calibrations := demand.Calibrate(k.log, k.sales.End)
	written, err := s.saveFigures(ctx, newFigures(&k, estimates.Articles, tau2Of(calibrations)))
	if err != nil {
		return err
	}
	err = s.write(ctx, at, func(queries *q.Queries) error {
		return saveShared(ctx, queries, at, estimates, calibrations, state)
	})
	s.log.InfoContext(ctx, "demand computed", "workspace", at.workspace, "articles", len(k.rows), "written", written,
		"took", time.Since(began).Round(time.Millisecond))
	return err
}

// update computes marked articles, and returns how many it took.
func update(ctx context.Context, queries *q.Queries, at place) (int, error) {
	settings, err := readSettings(ctx, queries, at)
	if err != nil || !settings.AsOf.Valid || settings.Outdated {
		return 0, err // Daily computes all of them first
	}
	if err := queries.PlanForecasts(ctx); err != nil {
		return 0, err
	}
	products, err := queries.TakeForecastMarks(ctx,
		q.TakeForecastMarksParams{TenantID: at.tenant, WorkspaceID: at.workspace, Most: updatedAtOnce})
	if err != nil || len(products) == 0 {
		return 0, err
	}
	slices.Sort(products)
	k := newKnown(at, settings, dayOf(settings.AsOf))
	if err := k.read(ctx, queries, products); err != nil {
		return 0, err
	}
	families, err := readFamilies(ctx, queries, at)
	if err != nil {
		return 0, err
	}
	tau2, err := readTau2(ctx, queries, at)
	if err != nil {
		return 0, err
	}
	var demands []demand.Demand
	for _, a := range k.sales.Articles {
		demands = append(demands, families[a.Family].Estimate(a, k.sales.End))
	}
	written, err := newFigures(&k, demands, tau2).save(ctx, queries, 0, len(demands))
	if err == nil && written > 0 {
		err = queries.MarkForecastsStale(ctx,
			q.MarkForecastsStaleParams{TenantID: at.tenant, WorkspaceID: at.workspace})
	}
	if err == nil && written > 0 { // what to order depends on the demand
		err = queries.MarkQueue(ctx, q.MarkQueueParams{TenantID: at.tenant, WorkspaceID: at.workspace, Products: products})
	}
	return len(products), err
}

// begin reads the settings of a workspace's sales.
func begin(ctx context.Context, queries *q.Queries, at place, asOf demand.Day) (known, error) {
	settings, err := readSettings(ctx, queries, at)
	return newKnown(at, settings, asOf), err
}

func readSettings(ctx context.Context, queries *q.Queries, at place) (q.ReadForecastSettingsRow, error) {
	settings, err := queries.ReadForecastSettings(ctx,
		q.ReadForecastSettingsParams{TenantID: at.tenant, WorkspaceID: at.workspace})
	if fault.Is(pg.Translate(err), fault.NotFound) {
		return settings, fault.New(fault.NotFound, noSales, "the sales of this workspace were not computed yet")
	}
	return settings, err
}

func newKnown(at place, settings q.ReadForecastSettingsRow, asOf demand.Day) known {
	k := known{at: at, settings: settings, asOf: asOf}
	k.sales.End = weekOf(asOf, settings.WeekStart)
	return k
}

// newestOrigin returns the origin up to which the log is complete, or nil.
func (k *known) newestOrigin() *demand.Day {
	if !k.settings.NewestOrigin.Valid {
		return nil
	}
	newest := dayOf(k.settings.NewestOrigin)
	return &newest
}

// logSince returns the oldest origin whose entries count, or did when the next origin passed.
func (k *known) logSince() demand.Day {
	since := k.sales.End
	if newest := k.newestOrigin(); newest != nil {
		since = min(since, *newest)
	}
	return since - logWeeks*week
}

// read reads the sales of the products, which are sorted, and their entries of the log since
// logSince.
func (k *known) read(ctx context.Context, queries *q.Queries, products []string) error {
	newest := k.newestOrigin()
	origins := map[demand.Day][]demand.Entry{}
	texts := map[string]string{} // one copy of each
	k.rows = make([]q.ReadSeriesRow, 0, len(products))
	k.sales.Articles = make([]demand.Article, 0, len(products))
	for some := range slices.Chunk(products, chunk) {
		rows, err := queries.ReadSeries(ctx, q.ReadSeriesParams{
			TenantID: k.at.tenant, WorkspaceID: k.at.workspace, Products: some, AsOf: dateOf(k.asOf),
			RunningWeek: dateOf(k.sales.End),
		})
		if err != nil {
			return err
		}
		for _, row := range rows {
			row.ProductID, row.Family = same(texts, row.ProductID), same(texts, row.Family)
			k.sales.Articles = append(k.sales.Articles, newArticle(row, k.sales.End))
			row.Units, row.EmptyDays = nil, nil
			k.rows = append(k.rows, row)
		}
		if newest == nil {
			continue
		}
		entries, err := queries.ReadForecastLog(ctx, q.ReadForecastLogParams{
			TenantID: k.at.tenant, WorkspaceID: k.at.workspace, Products: some, Since: dateOf(k.logSince()),
		})
		if err != nil {
			return err
		}
		for _, row := range entries {
			// A computation that was interrupted may have left entries of a later origin.
			if e := newEntry(row, texts); e.Origin <= *newest {
				origins[e.Origin] = append(origins[e.Origin], e)
			}
		}
	}
	for _, origin := range slices.Sorted(maps.Keys(origins)) {
		k.log = append(k.log, origins[origin]...)
	}
	return nil
}

// same returns the first text that was equal to this one.
func same(texts map[string]string, text string) string {
	if first, ok := texts[text]; ok {
		return first
	}
	texts[text] = text
	return text
}
