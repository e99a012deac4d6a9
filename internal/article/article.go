// Package article gathers what is known about one article: its stock and who reported it, what is
// on its way, what it is expected to sell and when it runs out, how its supplier delivers, who
// bought it, and what happened to it.
//
// It only reads. Every read is of one article and bounded by dates or a number of rows, runs
// under the caller's row security, and sees one snapshot. A purchase order line belongs to the
// article that it names; a line that names none belongs to the article with its SKU.
package article

import (
	"context"
	"encoding/json"
	"math"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/forecast"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/playbook"
	"github.com/quayside/quayside/internal/query"
)

const (
	// readTimeout limits one statement.
	readTimeout = 10 * time.Second
	// judgedDays is how long a delivery or a sale counts.
	judgedDays = 365
	// mostJudged limits how many deliveries of a supplier are looked at, the latest first.
	mostJudged = 1000
	mostOpen   = 500
	pastWeeks  = 104
	nextWeeks  = 13
)

// Service reads articles.
type Service struct {
	cells *pg.Cells
	query *query.Service // names whoever acted
	now   func() time.Time
}

// New returns the service.
func New(cells *pg.Cells, reads *query.Service) *Service {
	return &Service{cells: cells, query: reads, now: time.Now}
}

// Money is an amount. Its currency is empty if none was sent.
type Money struct {
	Amount   decimal.Decimal
	Currency string
}

// Margin is what is left of the price after the cost.
type Margin struct {
	Money
	Percent float64 // of the price
}

// Supplier delivers the article.
type Supplier struct{ ID, Name string }

// Overview is the state of an article.
type Overview struct {
	ID, SKU, ExternalID, Name, Variant, Family, Category, Status, ImageURL string

	Supplier    *Supplier
	Price, Cost *Money
	Margin      *Margin // nil if price or cost is unknown, or their currencies differ
	Today       time.Time
	Stock       Stock
	Incoming    Incoming
	LeadTime    LeadTime
	Settings    []playbook.Setting // of the playbook, as they apply to the article
	Demand      *Demand            // nil before it was first computed
	DaysOfCover *float64
	RunsOut     *time.Time // nil: not within 400 days, or unknown
	Punctuality []Punctuality
	Projection  []StockDay // by day, from today on; empty if stock or demand is unknown
	StockWeeks  []StockDay // by the first day of the week; the stock at its end
	Reorder     *decimal.Decimal
}

// Demand is what the article is expected to sell.
type Demand struct {
	AsOf       time.Time
	PerDay     float64 // mean of the next 30 days
	Class      demand.Class
	Confidence demand.Confidence
	Trend      *float64 // percent
	Flags      []string
	Weeks      []ForecastWeek // from the running week on
}

// ForecastWeek is the expected demand of a week. It is between Low and High in eight of ten cases.
type ForecastWeek struct {
	Week             time.Time // its first day
	Units, Low, High float64
}

// Punctuality says how a supplier delivered in the last year. Lines without an expected day are
// not judged.
type Punctuality struct {
	Scope         string // article, or supplier: all of its articles
	Lines, OnTime int64
	DaysLate      float64 // mean of the late ones
	Leads         int64   // lines with a known lead time
	LeadDays      float64 // their median
}

// reading is one read of one article.
type reading struct {
	by      auth.Principal
	tx      pgx.Tx
	queries *q.Queries
	row     q.GetArticleRow
	today   time.Time // midnight, UTC, of the day in the workspace
}

// read runs fn in a read-only transaction, for an article that exists.
func (s *Service) read(ctx context.Context, by auth.Principal, id string, fn func(*reading) error) error {
	if err := by.Require(auth.Read); err != nil {
		return err
	}
	return s.cells.Reading(ctx, by.Tenant, readTimeout, func(tx pgx.Tx) error {
		r := &reading{by: by, tx: tx, queries: q.New(tx), today: dayOf(s.now().In(by.Zone))}
		row, err := r.queries.GetArticle(ctx,
			q.GetArticleParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ProductID: id})
		if fault.Is(pg.Translate(err), fault.NotFound) {
			return fault.New(fault.NotFound, "unknown_article", "there is no article with this id in this workspace")
		}
		if err != nil {
			return err
		}
		r.row = row
		return fn(r)
	})
}

// Get returns the state of an article.
func (s *Service) Get(ctx context.Context, by auth.Principal, id string) (o Overview, err error) {
	err = s.read(ctx, by, id, func(r *reading) error {
		o = r.header()
		if err := r.supply(ctx, &o); err != nil {
			return err
		}
		stored, err := forecast.Read(ctx, r.tx, by.Tenant, by.Workspace, id)
		if err != nil {
			return err
		}
		if stored != nil {
			o.Demand = r.demand(stored)
			project(&o, stored)
		}
		o.StockWeeks, err = r.stockWeeks(ctx)
		return err
	})
	if err != nil || o.Stock.By == nil {
		return o, err
	}
	names, err := s.query.Names(ctx, by.Tenant, []auth.Actor{*o.Stock.By})
	o.Stock.ByName = names[*o.Stock.By]
	return o, err
}

// header returns what the product's own row says.
func (r *reading) header() Overview {
	row := r.row
	o := Overview{
		ID: row.ID, SKU: text(row.Sku), ExternalID: text(row.ExternalID), Name: row.Name, Variant: text(row.VariantName),
		Family: text(row.Family), Category: text(row.Category), Status: text(row.Status), ImageURL: text(row.ImageUrl),
		Price: money(row.Price, row.Currency), Cost: money(row.UnitCost, row.CostCurrency), Today: r.today,
		Reorder: row.ReorderPoint,
	}
	if row.SupplierID != nil {
		o.Supplier = &Supplier{ID: *row.SupplierID, Name: text(row.SupplierName)}
	}
	o.Margin = margin(o.Price, o.Cost, text(row.BaseCurrency))
	return o
}

// margin compares price and cost. An amount without a currency is in the workspace's.
func margin(price, cost *Money, base string) *Margin {
	if price == nil || cost == nil || !price.Amount.IsPositive() {
		return nil
	}
	in := func(m *Money) string {
		if m.Currency == "" {
			return base
		}
		return m.Currency
	}
	if in(price) != in(cost) {
		return nil
	}
	left := price.Amount.Sub(cost.Amount)
	percent, _ := left.Div(price.Amount).Float64()
	return &Margin{Money{left, in(price)}, 100 * percent}
}

// supply reads the stock, what is on its way, and how the supplier delivers.
func (r *reading) supply(ctx context.Context, o *Overview) (err error) {
	if o.Stock, err = r.stock(ctx); err != nil {
		return err
	}
	if r.row.SupplierID != nil {
		rows, err := r.queries.JudgeSupplier(ctx, q.JudgeSupplierParams{
			TenantID: r.by.Tenant, WorkspaceID: r.by.Workspace, ProductID: r.row.ID, Sku: r.row.Sku, SupplierID: *r.row.SupplierID,
			Since: r.today.AddDate(0, 0, -judgedDays), Most: mostJudged, TimeZone: r.by.Zone.String(),
		})
		if err != nil {
			return err
		}
		for _, row := range rows {
			o.Punctuality = append(o.Punctuality, Punctuality(row))
		}
	}
	book, err := playbook.Read(ctx, r.tx, r.by.Tenant, r.by.Workspace, r.today)
	if err != nil {
		return err
	}
	config, origins := book.For(r.row.ID, text(r.row.SupplierID), text(r.row.Family))
	o.Settings = playbook.Planning(config, origins)
	o.LeadTime = leadTime(r.row, o.Punctuality, config.DefaultLeadTimeDays)
	lines, err := r.queries.ListArticleOpen(ctx, q.ListArticleOpenParams{
		TenantID: r.by.Tenant, WorkspaceID: r.by.Workspace, ProductID: r.row.ID, Sku: r.row.Sku, Most: mostOpen,
	})
	if err != nil {
		return err
	}
	o.Incoming = expectation{r.today, r.by.Zone, int(math.Ceil(o.LeadTime.Days)), config}.incoming(lines)
	return nil
}

// demand describes the stored demand, with a forecast for each of the next weeks.
func (r *reading) demand(stored *forecast.Stored) *Demand {
	from := demand.DayOf(r.today)
	d := &Demand{
		AsOf: r.at(stored.AsOf), PerDay: stored.Over(from, 30) / 30, Class: stored.Class, Confidence: stored.Confidence,
		Trend: stored.Trend, Flags: stored.Flags,
	}
	for week := range nextWeeks {
		first := r.week().AddDate(0, 0, 7*week)
		low, high := stored.Range(demand.DayOf(first), 7)
		d.Weeks = append(d.Weeks, ForecastWeek{Week: first, Units: stored.Over(demand.DayOf(first), 7), Low: low, High: high})
	}
	return d
}

// at returns a day of package demand as a date.
func (r *reading) at(day demand.Day) time.Time {
	return r.today.AddDate(0, 0, int(day-demand.DayOf(r.today)))
}

// week returns the first day of the running week.
func (r *reading) week() time.Time {
	start := int16(1)
	if r.row.WeekStart != nil {
		start = *r.row.WeekStart
	}
	return r.today.AddDate(0, 0, -(int(r.today.Weekday())+7-int(start))%7)
}

// stockWeeks returns the stock at the end of past weeks, from the first week with a count on.
func (r *reading) stockWeeks(ctx context.Context) (weeks []StockDay, err error) {
	var firsts []pgtype.Date
	for n := pastWeeks; n > 0; n-- {
		firsts = append(firsts, pgtype.Date{Time: r.week().AddDate(0, 0, -7*n), Valid: true})
	}
	rows, err := r.queries.ListStockWeeks(ctx, q.ListStockWeeksParams{
		TenantID: r.by.Tenant, WorkspaceID: r.by.Workspace, ProductID: r.row.ID, Weeks: firsts,
	})
	for _, row := range rows {
		if row.Closing != nil {
			left, _ := row.Closing.Float64()
			weeks = append(weeks, StockDay{Day: row.Week.Time, Left: left})
		}
	}
	return weeks, err
}

// actor reads an actor as events store it.
func actor(stored []byte) (by auth.Actor) {
	_ = json.Unmarshal(stored, &by) // without one, nobody is known
	return by
}

func money(amount *decimal.Decimal, currency *string) *Money {
	if amount == nil {
		return nil
	}
	return &Money{*amount, text(currency)}
}

func text(t *string) string {
	if t == nil {
		return ""
	}
	return *t
}

// dayOf returns the date of t in its own time zone, as midnight in UTC.
func dayOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}
