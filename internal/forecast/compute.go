package forecast

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

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
	leftOut  map[string]int64  // by article: its sales that cannot be true and are in no figure
	gaps     map[string]string // by article: why it is in none of the above
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
		return k.read(ctx, tx, products)
	})
	if err != nil {
		return err
	}
	articles := len(k.rows)
	d, err := k.derive(logging)
	if err != nil {
		return err
	}
	state := q.SaveForecastStateParams{
		TenantID: at.tenant, WorkspaceID: at.workspace, AsOf: dateOf(asOf), NewestOrigin: k.settings.NewestOrigin,
		TimeZone: k.settings.TimeZone, WeekStart: k.settings.WeekStart, ComputedAt: now,
	}
	if logging {
		if state.NewestOrigin, err = s.keepLog(ctx, &k, d.log); err != nil {
			return err
		}
	}
	k.log = d.log.entries
	written, err := s.saveFigures(ctx, newFigures(&k, d.estimates.Articles, tau2Of(d.calibrations)))
	if err != nil {
		return err
	}
	err = s.write(ctx, at, func(queries *q.Queries) error {
		if _, err := k.saveGaps(ctx, queries, nil); err != nil {
			return err
		}
		return saveShared(ctx, queries, at, d.estimates, d.calibrations, state)
	})
	s.log.InfoContext(ctx, "demand computed", "workspace", at.workspace, "articles", articles, "written", written,
		"not_computed", len(k.gaps), "took", time.Since(began).Round(time.Millisecond))
	return err
}

// keepLog stores what the computation added to the log, and returns the origin up to which it is complete.
func (s *Service) keepLog(ctx context.Context, k *known, log logged) (newest pgtype.Date, err error) {
	if err := s.saveLog(ctx, k.at, log); err != nil {
		return newest, err
	}
	if newest = dateOf(log.newest); newest != k.settings.NewestOrigin {
		err = s.dropOld(ctx, k.at, k.asOf)
	}
	return newest, err
}

// update computes marked articles, and returns how many it took.
func (s *Service) update(ctx context.Context, tx pgx.Tx, at place) (int, error) {
	queries := q.New(tx)
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
	if err := k.read(ctx, tx, products); err != nil {
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
	demands := k.estimateAlone(families)
	written, err := newFigures(&k, demands, tau2).save(ctx, tx, 0, len(demands))
	if err == nil && written > 0 {
		err = queries.MarkForecastsStale(ctx,
			q.MarkForecastsStaleParams{TenantID: at.tenant, WorkspaceID: at.workspace})
	}
	if err != nil {
		return 0, err
	}
	closed, err := k.saveGaps(ctx, queries, products)
	if err == nil && (written > 0 || closed > 0 || len(k.gaps)+len(k.leftOut) > 0) {
		// What to order depends on the demand, and says what is missing in it.
		err = queries.MarkQueue(ctx, q.MarkQueueParams{TenantID: at.tenant, WorkspaceID: at.workspace, Products: products})
	}
	if len(k.gaps) > 0 {
		s.log.WarnContext(ctx, "articles whose demand cannot be computed", "workspace", at.workspace, "articles", len(k.gaps))
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
	k := known{at: at, settings: settings, asOf: asOf, leftOut: map[string]int64{}, gaps: map[string]string{}}
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
// logSince. Articles that cannot be read or whose sales cannot be true are left out.
func (k *known) read(ctx context.Context, tx pgx.Tx, products []string) error {
	origins := map[demand.Day][]demand.Entry{}
	texts := map[string]string{} // one copy of each
	k.rows = make([]q.ReadSeriesRow, 0, len(products))
	k.sales.Articles = make([]demand.Article, 0, len(products))
	for some := range slices.Chunk(products, chunk) {
		err := pg.InParts(ctx, tx, some, func(some []string) error {
			return k.readSome(ctx, q.New(tx), some, texts, origins)
		}, func(product string, _ error) { k.gaps[product] = unreadable })
		if err != nil {
			return err
		}
	}
	for _, origin := range slices.Sorted(maps.Keys(origins)) {
		k.log = append(k.log, origins[origin]...)
	}
	return nil
}

// readSome reads a chunk. It adds nothing before all of its statements have succeeded.
func (k *known) readSome(ctx context.Context, queries *q.Queries, products []string, texts map[string]string,
	origins map[demand.Day][]demand.Entry) error {
	rows, err := queries.ReadSeries(ctx, q.ReadSeriesParams{
		TenantID: k.at.tenant, WorkspaceID: k.at.workspace, Products: products, AsOf: dateOf(k.asOf),
		RunningWeek: dateOf(k.sales.End),
	})
	if err != nil {
		return err
	}
	leftOut, err := queries.CountLeftOut(ctx,
		q.CountLeftOutParams{TenantID: k.at.tenant, WorkspaceID: k.at.workspace, Products: products})
	if err != nil {
		return err
	}
	newest, entries := k.newestOrigin(), []q.ReadForecastLogRow{}
	if newest != nil {
		if entries, err = queries.ReadForecastLog(ctx, q.ReadForecastLogParams{
			TenantID: k.at.tenant, WorkspaceID: k.at.workspace, Products: products, Since: dateOf(k.logSince()),
		}); err != nil {
			return err
		}
	}
	for _, row := range leftOut {
		k.leftOut[row.ProductID] = row.Lines
	}
	for _, row := range rows {
		row.ProductID, row.Family = same(texts, row.ProductID), same(texts, row.Family)
		k.add(row)
	}
	for _, row := range entries {
		// A computation that was interrupted may have left entries of a later origin.
		if e := newEntry(row, texts); e.Origin <= *newest && believed(e) {
			origins[e.Origin] = append(origins[e.Origin], e)
		}
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
