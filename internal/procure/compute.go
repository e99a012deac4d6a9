package procure

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/plausible"
	"github.com/quayside/quayside/internal/playbook"
)

const (
	// learntDays is how long a delivery teaches something.
	learntDays = 365
	// mostDeliveries is how many deliveries of a supplier are looked at, the latest first.
	mostDeliveries = 1000
	// suppressedDays is the longest time for which a decision of the past can count.
	suppressedDays = 366
)

// computation computes rows of one workspace as of a day.
type computation struct {
	queries  *q.Queries
	at       place
	settings q.ReadQueueSettingsRow
	zone     *time.Location
	asOf     demand.Day
	book     playbook.Book
	classes  map[demand.Class]q.ReadForecastClassesRow
	refused  mentions
	waiting  mentions
	leads    map[string]learnt // of suppliers, as they are needed
	// uncomputed says why articles have no row.
	uncomputed map[string]string
}

// begin reads the settings of a workspace.
func begin(ctx context.Context, tx pgx.Tx, at place) (c *computation, err error) {
	c = &computation{queries: q.New(tx), at: at, leads: map[string]learnt{}, classes: map[demand.Class]q.ReadForecastClassesRow{},
		uncomputed: map[string]string{}}
	if err := c.queries.PlanForecasts(ctx); err != nil {
		return c, err
	}
	of := q.ReadQueueSettingsParams{TenantID: at.tenant, WorkspaceID: at.workspace}
	if c.settings, err = c.queries.ReadQueueSettings(ctx, of); err != nil {
		return c, err
	}
	if c.zone, err = time.LoadLocation(c.settings.TimeZone); err != nil {
		return c, err
	}
	return c, nil
}

// prepare reads what articles share, as of the computation's day.
func (c *computation) prepare(ctx context.Context, tx pgx.Tx) (err error) {
	if c.book, err = playbook.Read(ctx, tx, c.at.tenant, c.at.workspace, dateOf(c.asOf)); err != nil {
		return err
	}
	classes, err := c.queries.ReadForecastClasses(ctx,
		q.ReadForecastClassesParams{TenantID: c.at.tenant, WorkspaceID: c.at.workspace})
	for _, class := range classes {
		if believed(class) {
			c.classes[demand.Class(class.Class)] = class
		}
	}
	if err != nil {
		return err
	}
	if c.refused, err = c.readRefused(ctx); err != nil {
		return err
	}
	c.waiting, err = c.readWaiting(ctx)
	return err
}

// compute computes the rows of these articles, and returns how many were written. Articles that cannot
// be computed have no row afterwards.
func (c *computation) compute(ctx context.Context, tx pgx.Tx, products []string) (written int64, err error) {
	err = pg.InParts(ctx, tx, products, func(some []string) error {
		n, err := c.computeSome(ctx, some)
		if err == nil {
			written += n
		}
		return err
	}, func(product string, _ error) { c.uncomputed[product] = unreadable })
	if err != nil {
		return 0, err
	}
	return written, c.saveUncomputed(ctx, products)
}

func (c *computation) computeSome(ctx context.Context, products []string) (written int64, err error) {
	articles, err := c.read(ctx, products)
	if err != nil {
		return 0, err
	}
	rows, computed := make([]row, 0, len(articles)), make([]known, 0, len(articles))
	for i := range articles {
		r, reason := c.rowOf(&articles[i])
		if reason != "" {
			c.uncomputed[articles[i].ID] = reason
			continue
		}
		rows, computed = append(rows, r), append(computed, articles[i])
	}
	if _, err := c.queries.DropQueueRows(ctx,
		q.DropQueueRowsParams{TenantID: c.at.tenant, WorkspaceID: c.at.workspace, Products: products}); err != nil {
		return 0, err
	}
	if written, err = c.save(ctx, rows); err != nil {
		return 0, err
	}
	return written, c.keepAsked(ctx, computed, rows)
}

// keepAsked keeps for the track record which rows ask for an order: those that are listed as such, and
// not what is drafted or put off already.
func (c *computation) keepAsked(ctx context.Context, articles []known, rows []row) error {
	asked := q.KeepAskedParams{TenantID: c.at.tenant, WorkspaceID: c.at.workspace}
	for i := range rows {
		if rows[i].group() == GroupOrder {
			asked.Products = append(asked.Products, rows[i].ProductID)
			asked.Untils = append(asked.Untils, date(c.asOf+demand.Day(articles[i].horizon())))
		}
	}
	if len(asked.Products) == 0 {
		return nil
	}
	return c.queries.KeepAsked(ctx, asked)
}

// known is what is known of an article.
type known struct {
	q.ReadQueueArticlesRow
	Article
	config        playbook.Config
	drafted       float64
	learnt        learnt // from the article's own deliveries
	key, lockedBy string
	suppression   *q.ReadSuppressionsRow
	gaps          Gaps
}

// read reads what the rows of these articles depend on.
func (c *computation) read(ctx context.Context, products []string) ([]known, error) {
	rows, err := c.queries.ReadQueueArticles(ctx,
		q.ReadQueueArticlesParams{TenantID: c.at.tenant, WorkspaceID: c.at.workspace, Products: products})
	if err != nil {
		return nil, err
	}
	articles := make([]known, len(rows))
	for i, row := range rows {
		articles[i] = known{ReadQueueArticlesRow: row}
		k := &articles[i]
		k.AsOf = c.asOf
		k.Own = ownOf(row)
		k.MOQ, k.Multiple = amount(row.Moq), amount(row.OrderMultiple)
		c.readDemand(k)
	}
	for _, step := range []func(context.Context, []known) error{
		c.readStock, c.readSupply, c.readLeads, c.readKeys, c.readSuppressions, c.readGaps,
	} {
		if err := step(ctx, articles); err != nil {
			return nil, err
		}
	}
	for i := range articles {
		c.apply(&articles[i], c.book)
	}
	return articles, nil
}

// apply makes the rules of a book those of an article. Nothing else that is known of the article
// depends on the book.
func (c *computation) apply(k *known, book playbook.Book) {
	k.config, _ = book.For(k.ID, text(k.SupplierID), text(k.Family))
	k.Rule = ruleOf(k.config)
	k.Z = zAt(c.classes[k.Demand.Class], k.Rule.Service)
	k.Lead = chooseLead(k.LeadTimeDays, k.learnt, c.leads[text(k.SupplierID)], k.SupplierLeadTimeDays,
		k.config.DefaultLeadTimeDays)
}

// sameRules reports whether two configs agree in all that a row depends on.
func sameRules(a, b playbook.Config) bool {
	return ruleOf(a) == ruleOf(b) && a.DefaultLeadTimeDays == b.DefaultLeadTimeDays &&
		a.StockStaleHours == b.StockStaleHours && a.RejectionCooldownDays == b.RejectionCooldownDays &&
		a.ShortOrderCooldownDays == b.ShortOrderCooldownDays
}

func ruleOf(config playbook.Config) Rule {
	return Rule{
		Service: config.ServiceLevel, CoverDays: config.CoverDays, ReviewDays: config.ReviewDays,
		MaxSafetyDays: float64(config.MaxSafetyDays), LookaheadDays: config.LookaheadDays,
		OverduePush: config.OverduePushDays, StaleDays: config.StalePODays,
	}
}

func ownOf(row q.ReadQueueArticlesRow) (own Own) {
	own.SafetyStock, own.ReorderPoint = float(row.SafetyStock), float(row.ReorderPoint)
	if row.CoverDays != nil {
		days := int(math.Ceil(min(amount(row.CoverDays), plausible.LongestDays+1))) // more would be none
		own.CoverDays = &days
	}
	return own
}

// readDemand takes the stored demand of an article over. An article that never sold has none.
func (c *computation) readDemand(k *known) {
	k.Demand = demand.Demand{ID: k.ID, Class: demand.New, Confidence: demand.Low, Index: demand.Family{}.Index()}
	if k.Velocity != nil {
		family := demand.Family{Strength: demand.Strength{Value: *k.SeasonStrength}}
		if family.Season.Known = k.Indexed; k.Indexed {
			for m := range family.Season.Months {
				family.Season.Months[m].Index = k.Index[m]
			}
		}
		k.Demand = demand.Demand{
			ID: k.ID, Family: text(k.Family), Velocity: *k.Velocity, SigmaDay2: *k.SigmaDay * *k.SigmaDay,
			Class: demand.Class(*k.DemandClass), Index: family.Index(), Strength: *k.SeasonStrength,
			Confidence: demand.Confidence(*k.Confidence),
		}
		k.EmptyDays = int(*k.StockoutDays84)
		k.WAPE = k.Wape
	}
	k.Tau2 = c.classes[k.Demand.Class].Tau2
}

// zAt returns how many standard deviations cover the demand with a chance, from those of the four
// levels that are measured. Between and beyond them, what counts is how far the measured ones are
// from the normal distribution's.
func zAt(class q.ReadForecastClassesRow, service float64) float64 {
	levels := []float64{0.90, 0.95, 0.975, 0.99}
	measured := []float64{class.Z90, class.Z95, class.Z975, class.Z99}
	normal := demand.NormalZ(service)
	if class.Class == "" {
		return normal
	}
	i := max(1, min(len(levels)-1, slices.IndexFunc(levels, func(l float64) bool { return l >= service })))
	if service > levels[len(levels)-1] {
		i = len(levels) - 1
	}
	from, to := demand.NormalZ(levels[i-1]), demand.NormalZ(levels[i])
	share := min(max((normal-from)/(to-from), 0), 1)
	return normal * ((1-share)*measured[i-1]/from + share*measured[i]/to)
}

// readStock reads what is available: what was reported, and what was received since.
func (c *computation) readStock(ctx context.Context, articles []known) error {
	counted := q.ReadQueueReceiptsParams{TenantID: c.at.tenant, WorkspaceID: c.at.workspace}
	position := map[string]*known{}
	for i := range articles {
		k := &articles[i]
		position[k.ID] = k
		switch {
		case k.StockAvailable != nil:
			k.Available = float(k.StockAvailable)
		case k.StockOnHand != nil:
			left := amount(k.StockOnHand) - amount(k.StockCommitted)
			k.Available = &left
		default:
			continue
		}
		if at := k.countedAt(); at != nil {
			counted.Products = append(counted.Products, k.ID)
			counted.Skus = append(counted.Skus, text(k.Sku))
			counted.Counted = append(counted.Counted, *at)
		}
	}
	received, err := c.queries.ReadQueueReceipts(ctx, counted)
	for _, r := range received {
		*position[r.ProductID].Available += r.Received
	}
	return err
}

// countedAt returns when the stock was counted: when its report says so, or when it last changed. It
// is nil if neither is known. A time that cannot be true is not known, and a report that claimed to be of
// the future was made when it came, which is noted with the change.
func (k *known) countedAt() *time.Time {
	reported, changed := k.believedTime(k.StockUpdatedAt), k.believedTime(&k.StockChangedAt)
	if changed == nil || reported != nil && !k.StockReportNoted && reported.After(*changed) {
		return reported
	}
	return changed
}

// readSupply reads the open lines. Days that cannot be true are not known, and a gap.
func (c *computation) readSupply(ctx context.Context, articles []known) error {
	of := q.ReadQueueLinesParams{TenantID: c.at.tenant, WorkspaceID: c.at.workspace, TimeZone: c.settings.TimeZone}
	position := map[string]*known{}
	for i := range articles {
		k := &articles[i]
		position[k.ID] = k
		of.Products, of.Skus = append(of.Products, k.ID), append(of.Skus, text(k.Sku))
	}
	lines, err := c.queries.ReadQueueLines(ctx, of)
	for _, line := range lines {
		k := position[line.ProductID]
		if line.Status == "draft" || line.Status == "pending_approval" {
			k.drafted += line.Open
			continue
		}
		if line.Open > 0 {
			ordered, sure := c.believedDay(line.OrderedOn, plausible.Day)
			expected, certain := c.believedDay(line.ExpectedArrivalDate, plausible.Arrival)
			if !sure || !certain {
				k.gaps.Dates++
			}
			k.Supply = append(k.Supply, Supply{Line: line.ID, OrderNo: line.OrderNo, Quantity: line.Open, Ordered: ordered, Expected: expected})
		}
	}
	return err
}

// believedDay returns a date, or nil without one. It is nil too, and false, if by a rule of package plausible the date cannot be
// true on the computation's day.
func (c *computation) believedDay(date pgtype.Date, rule func(day, today time.Time) bool) (*demand.Day, bool) {
	if !date.Valid {
		return nil, true
	}
	if !rule(date.Time, dateOf(c.asOf)) {
		return nil, false
	}
	day := dayOf(date)
	return &day, true
}

func dayOf(date pgtype.Date) demand.Day { return demand.DayOf(date.Time) }

func text(t *string) string {
	if t == nil {
		return ""
	}
	return *t
}

func amount(d *decimal.Decimal) float64 {
	if d == nil {
		return 0
	}
	return d.InexactFloat64()
}

func float(d *decimal.Decimal) *float64 {
	if d == nil {
		return nil
	}
	f := d.InexactFloat64()
	return &f
}
