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
	"math"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/forecast"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/plausible"
	"github.com/quayside/quayside/internal/playbook"
	"github.com/quayside/quayside/internal/procure"
	"github.com/quayside/quayside/internal/query"
	"github.com/quayside/quayside/internal/subject"
	"github.com/quayside/quayside/internal/supplier"
)

const (
	mostOpen  = 500
	pastWeeks = 104
	nextWeeks = 13
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

// Margin is what is left of the price after the cost.
type Margin struct {
	subject.Money
	Percent float64 // of the price
}

// Supplier delivers the article.
type Supplier struct{ ID, Name string }

// Overview is the state of an article.
type Overview struct {
	ID, SKU, ExternalID, Name, Variant, Family, Category, Status, ImageURL string

	Supplier    *Supplier
	Price, Cost *subject.Money
	Margin      *Margin // nil if price or cost is unknown, or their currencies differ
	Today       time.Time
	Stock       Stock
	Incoming    Incoming
	LeadTime    LeadTime
	Settings    []playbook.Setting  // of the playbook, as they apply to the article
	Demand      *Demand             // nil before it was first computed
	Uncomputed  *procure.Uncomputed // why it is neither forecast nor suggested; nil: it is computed
	DaysOfCover *float64
	RunsOut     *time.Time // nil: not within 400 days, or unknown
	Punctuality []supplier.Punctuality
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

// reading is one read of one article.
type reading struct {
	subject.Reading
	row q.GetArticleRow
}

// read runs fn in a read-only transaction, for an article that exists.
func (s *Service) read(ctx context.Context, by auth.Principal, id string, fn func(*reading) error) error {
	return subject.Read(ctx, s.cells, by, s.now(), func(r subject.Reading) error {
		row, err := r.Queries.GetArticle(ctx,
			q.GetArticleParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ProductID: id})
		if err != nil {
			return subject.Missing(err,
				fault.New(fault.NotFound, "unknown_article", "there is no article with this id in this workspace"))
		}
		return fn(&reading{r, row})
	})
}

// Get returns the state of an article: of the other one if it was merged.
func (s *Service) Get(ctx context.Context, by auth.Principal, id string) (o Overview, err error) {
	err = s.read(ctx, by, id, func(r *reading) error {
		o = r.header()
		if err := r.supply(ctx, &o); err != nil {
			return err
		}
		if o.Uncomputed, err = procure.UncomputedArticle(ctx, r.Tx, by, r.row.ID); err != nil {
			return err
		}
		stored, err := forecast.Read(ctx, r.Tx, by.Tenant, by.Workspace, r.row.ID)
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
		ID: row.ID, SKU: subject.Text(row.Sku), ExternalID: subject.Text(row.ExternalID), Name: row.Name, Variant: subject.Text(row.VariantName),
		Family: subject.Text(row.Family), Category: subject.Text(row.Category), Status: subject.Text(row.Status), ImageURL: subject.Text(row.ImageUrl),
		Price: subject.MoneyOf(row.Price, row.Currency), Cost: subject.MoneyOf(row.UnitCost, row.CostCurrency), Today: r.Today,
		Reorder: row.ReorderPoint,
	}
	if row.SupplierID != nil {
		o.Supplier = &Supplier{ID: *row.SupplierID, Name: subject.Text(row.SupplierName)}
	}
	o.Margin = margin(o.Price, o.Cost, subject.Text(row.BaseCurrency))
	return o
}

// margin compares price and cost. An amount without a currency is in the workspace's.
func margin(price, cost *subject.Money, base string) *Margin {
	if price == nil || cost == nil || !price.Amount.IsPositive() {
		return nil
	}
	in := func(m *subject.Money) string {
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
	if !plausible.Number(percent) {
		return nil
	}
	return &Margin{subject.Money{Amount: left, Currency: in(price)}, 100 * percent}
}

// supply reads the stock, what is on its way, and how the supplier delivers.
func (r *reading) supply(ctx context.Context, o *Overview) (err error) {
	if o.Stock, err = r.stock(ctx); err != nil {
		return err
	}
	if r.row.SupplierID != nil {
		o.Punctuality, err = supplier.Judge(ctx, r.Reading, *r.row.SupplierID, r.row.ID, r.row.Sku)
		if err != nil {
			return err
		}
	}
	book, err := playbook.Read(ctx, r.Tx, r.By.Tenant, r.By.Workspace, r.Today)
	if err != nil {
		return err
	}
	config, origins := book.For(r.row.ID, subject.Text(r.row.SupplierID), subject.Text(r.row.Family))
	o.Settings = playbook.Planning(config, origins)
	o.LeadTime = leadTime(r.row, o.Punctuality, config.DefaultLeadTimeDays)
	lines, err := r.Queries.ListArticleOpen(ctx, q.ListArticleOpenParams{
		TenantID: r.By.Tenant, WorkspaceID: r.By.Workspace, ProductID: r.row.ID, Sku: r.row.Sku, Most: mostOpen,
	})
	if err != nil {
		return err
	}
	o.Incoming = expectation{r.Today, r.By.Zone, int(math.Ceil(o.LeadTime.Days)), config}.incoming(lines)
	return nil
}

// demand describes the stored demand, with a forecast for each of the next weeks.
func (r *reading) demand(stored *forecast.Stored) *Demand {
	from := demand.DayOf(r.Today)
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
	return r.Today.AddDate(0, 0, int(day-demand.DayOf(r.Today)))
}

// week returns the first day of the running week.
func (r *reading) week() time.Time {
	start := int16(1)
	if r.row.WeekStart != nil {
		start = *r.row.WeekStart
	}
	return r.Today.AddDate(0, 0, -(int(r.Today.Weekday())+7-int(start))%7)
}

// stockWeeks returns the stock at the end of past weeks, from the first week with a count on.
func (r *reading) stockWeeks(ctx context.Context) (weeks []StockDay, err error) {
	var firsts []pgtype.Date
	for n := pastWeeks; n > 0; n-- {
		firsts = append(firsts, pgtype.Date{Time: r.week().AddDate(0, 0, -7*n), Valid: true})
	}
	rows, err := r.Queries.ListStockWeeks(ctx, q.ListStockWeeksParams{
		TenantID: r.By.Tenant, WorkspaceID: r.By.Workspace, ProductID: r.row.ID, Weeks: firsts,
	})
	for _, row := range rows {
		if row.Closing != nil && plausible.Amount(*row.Closing) {
			left, _ := row.Closing.Float64()
			weeks = append(weeks, StockDay{Day: row.Week.Time, Left: left})
		}
	}
	return weeks, err
}
