// Package supplier gathers what is known about one supplier: what is on its way from it and what is
// late, what is to be ordered, what was bought, how it delivers and how long it takes, its articles and
// their prices, and what happened to it.
//
// It only reads, as package subject does. A purchase order line belongs to the supplier that it names;
// a line that names none is in no figure.
package supplier

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/procure"
	"github.com/quayside/quayside/internal/query"
	"github.com/quayside/quayside/internal/subject"
)

// MostSearched is how many of a supplier's lines are searched, the newest first, for what was bought
// and for prices.
const MostSearched = 20_000

// Service reads suppliers.
type Service struct {
	cells *pg.Cells
	query *query.Service // names whoever acted
	now   func() time.Time
}

// New returns the service.
func New(cells *pg.Cells, reads *query.Service) *Service {
	return &Service{cells: cells, query: reads, now: time.Now}
}

// Overview is the state of a supplier.
type Overview struct {
	ID, ExternalID, Name                           string
	Contact, Email, Phone, Country, Currency, Note string
	Active                                         *bool // nil: not said
	LeadDays, CycleDays, PaymentDays               *decimal.Decimal
	MinOrderValue, FreeShippingValue               *decimal.Decimal
	Today                                          time.Time
	Open                                           Open
	ToOrder                                        *ToOrder // nil: the queue was not computed yet
	Bought                                         Bought
	Punctuality                                    *Punctuality     // nil: nothing came in the last year
	Learnt                                         *demand.LeadTime // nil: too few deliveries
}

// ToOrder is what the queue suggests to order from the supplier.
type ToOrder struct {
	AsOf               time.Time
	Articles, Critical int64
	Cost               []subject.Money // an article without a price costs nothing here
	LeftOut            int64           // articles that are in no cost, because theirs cannot be true
}

// Bought is what was ordered in the last 12 months, without what was cancelled or never came.
type Bought struct {
	Amounts         []subject.Money // by currency
	Lines, Unpriced int64
	LeftOut         int64 // lines that are in no amount, because their quantity or price cannot be true
	Cut             bool  // only the newest MostSearched lines were looked at
}

// reading is one read of one supplier.
type reading struct {
	subject.Reading
	row q.GetSupplierRow
}

// read runs fn in a read-only transaction, for a supplier that exists.
func (s *Service) read(ctx context.Context, by auth.Principal, id string, fn func(*reading) error) error {
	return subject.Read(ctx, s.cells, by, s.now(), func(r subject.Reading) error {
		row, err := r.Queries.GetSupplier(ctx,
			q.GetSupplierParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, SupplierID: id})
		if err != nil {
			return subject.Missing(err,
				fault.New(fault.NotFound, "unknown_supplier", "there is no supplier with this id in this workspace"))
		}
		return fn(&reading{r, row})
	})
}

// Get returns the state of a supplier.
func (s *Service) Get(ctx context.Context, by auth.Principal, id string) (o Overview, err error) {
	err = s.read(ctx, by, id, func(r *reading) error {
		o = r.header()
		if o.Open, err = r.open(ctx); err != nil {
			return err
		}
		if o.ToOrder, err = r.toOrder(ctx); err != nil {
			return err
		}
		if o.Bought, err = r.bought(ctx); err != nil {
			return err
		}
		judged, err := Judge(ctx, r.Reading, id, "", nil)
		if err != nil {
			return err
		}
		if len(judged) > 0 {
			o.Punctuality = &judged[0]
		}
		lead, enough, err := procure.LearntLead(ctx, r.Queries, by, id, r.Today)
		if enough {
			o.Learnt = &lead
		}
		return err
	})
	return o, err
}

// header returns what the supplier's own row says.
func (r *reading) header() Overview {
	row := r.row
	return Overview{
		ID: row.ID, ExternalID: row.ExternalID, Name: row.Name, Contact: subject.Text(row.ContactName),
		Email: subject.Text(row.Email), Phone: subject.Text(row.Phone), Country: subject.Text(row.Country),
		Currency: subject.Text(row.Currency), Note: subject.Text(row.Note), Active: row.Active, LeadDays: row.LeadTimeDays,
		CycleDays: row.OrderCycleDays, PaymentDays: row.PaymentTermsDays, MinOrderValue: row.MinOrderValue,
		FreeShippingValue: row.FreeShippingValue, Today: r.Today,
	}
}

func (r *reading) toOrder(ctx context.Context) (*ToOrder, error) {
	state, err := r.Queries.QueueComputedAt(ctx,
		q.QueueComputedAtParams{TenantID: r.By.Tenant, WorkspaceID: r.By.Workspace})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	sums, err := procure.SumsOf(ctx, r.Queries, r.By, r.row.ID)
	order := &ToOrder{AsOf: state.AsOf.Time}
	for _, sum := range sums {
		order.Articles += sum.Lines
		order.Critical += sum.Critical
		order.LeftOut += sum.LeftOut
		if sum.Cost.IsPositive() {
			order.Cost = append(order.Cost, subject.Money{Amount: sum.Cost, Currency: sum.Currency})
		}
	}
	return order, err
}

func (r *reading) bought(ctx context.Context) (b Bought, err error) {
	rows, err := r.Queries.SumBought(ctx, q.SumBoughtParams{
		TenantID: r.By.Tenant, WorkspaceID: r.By.Workspace, SupplierID: r.row.ID, Searched: MostSearched,
		Since: time.Date(r.Today.Year()-1, r.Today.Month(), r.Today.Day(), 0, 0, 0, 0, r.By.Zone),
	})
	for _, row := range rows {
		b.Lines += row.Lines
		b.Unpriced += row.Unpriced
		b.LeftOut += row.LeftOut
		b.Cut = row.Searched == MostSearched
		if row.Amount.IsPositive() {
			b.Amounts = append(b.Amounts, subject.Money{Amount: row.Amount, Currency: row.Currency})
		}
	}
	return b, err
}
