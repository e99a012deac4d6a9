// Package customer gathers what is known about one customer: what they ordered and when they are
// expected again, what they usually buy and what they return, and what happened to their record.
//
// It only reads, as package subject does. Orders are those that count as sales: no cancelled ones,
// drafts or tests. When a customer is due, and what they were worth so far, is what the computed view
// customer_reorder_due says.
package customer

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/query"
	"github.com/quayside/quayside/internal/subject"
)

const (
	// months is how many are returned, the running one included.
	months = 24
	// MostSearched is how many of a customer's orders are searched for what they usually buy and
	// return, the latest first.
	MostSearched = 500
	mostUsual    = 20
	// MostLines is how many lines of an order are returned.
	MostLines = 20
)

// Service reads customers.
type Service struct {
	cells *pg.Cells
	query *query.Service // says when the customer is due, and names whoever acted
	now   func() time.Time
}

// New returns the service.
func New(cells *pg.Cells, reads *query.Service) *Service {
	return &Service{cells: cells, query: reads, now: time.Now}
}

// Overview is the state of a customer.
type Overview struct {
	ID, ExternalID, Called                                 string // Called: the name, else the company, the mail or the external id
	Name, Company, Email, Phone, Country, City, Tags, Note string
	Since                                                  *time.Time // in the source
	Currency                                               string     // of all amounts: the workspace's; empty: not known yet
	Today                                                  time.Time
	Due                                                    *Due // nil: no order before today
	Months                                                 []Month
	LeftOut                                                int64 // lines that are in no figure, because they cannot be true
	Usual                                                  Usual
}

// Due is a row of customer_reorder_due. It counts the days before today.
type Due struct {
	Orders      int64            `json:"orders,string"`
	First       string           `json:"first_order_date"`
	Last        string           `json:"last_order_date"`
	MedianGap   *decimal.Decimal `json:"median_gap_days"`
	Cadence     *decimal.Decimal `json:"cadence_days"`
	Next        *string          `json:"expected_next_date"`
	DaysOverdue *int64           `json:"days_overdue,string"`
	Status      *string          `json:"status"` // nil: too few orders to say
	Confidence  string           `json:"confidence"`
	Expected    *decimal.Decimal `json:"expected_value"`
	Lifetime    *decimal.Decimal `json:"lifetime_value"`
	Reason      string           `json:"reason"`
}

// Month is what was sold in a month.
type Month struct {
	First               time.Time // its first day
	Orders, Unconverted int64     // Unconverted: orders without a rate, which are in no amount
	Net                 decimal.Decimal
}

// Usual is what the latest orders were of.
type Usual struct {
	Orders          int64 // that were looked at
	Units, Returned decimal.Decimal
	Articles        []Article // the most usual first
	Cut             bool      // there are older orders
}

// Article is an article that the customer buys.
type Article struct {
	ID, SKU, Name, Variant string
	Orders                 int64
	Units                  decimal.Decimal // without what was returned
	Last                   time.Time
}

// reading is one read of one customer.
type reading struct {
	subject.Reading
	row q.GetCustomerRow
}

// read runs fn in a read-only transaction, for a customer who exists.
func (s *Service) read(ctx context.Context, by auth.Principal, id string, fn func(*reading) error) error {
	return subject.Read(ctx, s.cells, by, s.now(), func(r subject.Reading) error {
		row, err := r.Queries.GetCustomer(ctx,
			q.GetCustomerParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, CustomerID: id})
		if err != nil {
			return subject.Missing(err,
				fault.New(fault.NotFound, "unknown_customer", "there is no customer with this id in this workspace"))
		}
		return fn(&reading{r, row})
	})
}

// Get returns the state of a customer.
func (s *Service) Get(ctx context.Context, by auth.Principal, id string) (o Overview, err error) {
	err = s.read(ctx, by, id, func(r *reading) error {
		o = r.header()
		if o.Months, err = r.months(ctx); err != nil {
			return err
		}
		if o.LeftOut, err = r.Queries.CountCustomerLeftOut(ctx,
			q.CountCustomerLeftOutParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, CustomerID: id}); err != nil {
			return err
		}
		o.Usual, err = r.usual(ctx)
		return err
	})
	if err == nil {
		o.Due, err = s.due(ctx, by, id)
	}
	return o, err
}

// header returns what the customer's own row says.
func (r *reading) header() Overview {
	row := r.row
	return Overview{
		ID: row.ID, ExternalID: row.ExternalID, Called: row.Called, Name: subject.Text(row.Name),
		Company: subject.Text(row.Company), Email: subject.Text(row.Email), Phone: subject.Text(row.Phone),
		Country: subject.Text(row.Country), City: subject.Text(row.City), Tags: subject.Text(row.Tags),
		Note: subject.Text(row.Note), Since: row.SourceCreatedAt, Currency: subject.Text(row.BaseCurrency), Today: r.Today,
	}
}

// due reads the customer's row of the computed view.
func (s *Service) due(ctx context.Context, by auth.Principal, id string) (*Due, error) {
	row, err := s.query.Get(ctx, by, "customer_reorder_due", id, query.Parameters{})
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	due := &Due{}
	return due, json.Unmarshal(row.Values, due)
}

// months returns every month from the first with an order on.
func (r *reading) months(ctx context.Context) (all []Month, err error) {
	first := r.Today.AddDate(0, 1-months, 1-r.Today.Day())
	rows, err := r.Queries.ListCustomerMonths(ctx, q.ListCustomerMonthsParams{
		TenantID: r.By.Tenant, WorkspaceID: r.By.Workspace, CustomerID: r.row.ID, Since: pgtype.Date{Time: first, Valid: true},
	})
	for _, row := range rows {
		for n := len(all); n > 0 && all[n-1].First.AddDate(0, 1, 0).Before(row.Month.Time); n = len(all) {
			all = append(all, Month{First: all[n-1].First.AddDate(0, 1, 0)})
		}
		all = append(all, Month{First: row.Month.Time, Orders: row.Orders, Unconverted: row.Unconverted, Net: row.Net})
	}
	return all, err
}

func (r *reading) usual(ctx context.Context) (u Usual, err error) {
	rows, err := r.Queries.ListUsualArticles(ctx, q.ListUsualArticlesParams{
		TenantID: r.By.Tenant, WorkspaceID: r.By.Workspace, CustomerID: r.row.ID, Searched: MostSearched, Most: mostUsual,
	})
	for _, row := range rows {
		u.Orders, u.Units, u.Returned = row.AllOrders, row.AllUnits, row.AllReturned
		if row.ProductID != "" {
			u.Articles = append(u.Articles, Article{
				ID: row.ProductID, SKU: subject.Text(row.Sku), Name: row.Name, Variant: subject.Text(row.VariantName),
				Orders: row.Orders, Units: row.Units, Last: row.LastDay.Time,
			})
		}
	}
	u.Cut = u.Orders == MostSearched
	return u, err
}

// Activity is what happened to a customer's record.
type Activity struct {
	Notes    []subject.Note
	Failures []subject.Mention // nil if the caller may not see failed imports
	Moments  []subject.Moment
}

// Activity returns what happened to a customer's record.
func (s *Service) Activity(ctx context.Context, by auth.Principal, id string) (a Activity, err error) {
	err = s.read(ctx, by, id, func(r *reading) error {
		if a.Notes, err = r.Notes(ctx, "", id); err != nil {
			return err
		}
		if a.Moments, err = r.Moments(ctx, "customers", id, nil); err != nil {
			return err
		}
		a.Failures, err = r.Mentions(ctx, []string{r.row.ExternalID, id, subject.Text(r.row.Email)},
			"customers", "orders", "meeting_notes")
		return err
	})
	if err != nil {
		return a, err
	}
	return a, subject.NameMoments(ctx, s.query, by.Tenant, a.Moments)
}

// Order is an order of the customer.
type Order struct {
	ID                             uuid.UUID
	Number                         string // else the external id
	At                             time.Time
	Status, Financial, Fulfillment string
	Total                          subject.Money
	Lines                          []Line
	Cut                            bool // it has more than MostLines lines
}

// Line is a line of an order.
type Line struct {
	ID, Product, SKU, Name string // Product: empty if the line matches none
	Quantity, Returned     decimal.Decimal
	Price                  decimal.Decimal
}

// Orders returns a page of the customer's orders, the latest first, and whether more follow.
func (s *Service) Orders(ctx context.Context, by auth.Principal, id string, want page.Request) (
	orders []Order, more bool, err error) {
	err = s.read(ctx, by, id, func(r *reading) error {
		rows, err := r.Queries.ListCustomerOrders(ctx, q.ListCustomerOrdersParams{
			TenantID: by.Tenant, WorkspaceID: by.Workspace, CustomerID: id, After: subject.After(want), Most: want.Limit(),
		})
		if err != nil {
			return err
		}
		rows, more = page.Cut(want, rows)
		at, ids := map[string]int{}, make([]string, 0, len(rows))
		for i, row := range rows {
			order, err := newOrder(row)
			if err != nil {
				return err
			}
			orders = append(orders, order)
			at[row.OrderID], ids = i, append(ids, row.OrderID)
		}
		lines, err := r.Queries.ListSoldLines(ctx,
			q.ListSoldLinesParams{TenantID: by.Tenant, Orders: ids, Most: MostLines + 1})
		for _, line := range lines {
			orders[at[line.OrderID]].add(Line{ID: line.LineID, Product: line.ProductID, SKU: subject.Text(line.Sku), Name: line.Name,
				Quantity: line.Quantity, Returned: line.Returned, Price: line.UnitPrice})
		}
		return err
	})
	return orders, more, err
}

func newOrder(row q.ListCustomerOrdersRow) (Order, error) {
	id, err := uuid.Parse(row.OrderID)
	order := Order{
		ID: id, Number: subject.Text(row.OrderNumber), At: row.OrderedAt, Status: row.Status,
		Financial: subject.Text(row.FinancialStatus), Fulfillment: subject.Text(row.FulfillmentStatus),
		Total: subject.Money{Amount: row.Total, Currency: row.Currency},
	}
	if order.Number == "" {
		order.Number = row.ExternalID
	}
	return order, err
}

func (o *Order) add(line Line) {
	if o.Cut = len(o.Lines) == MostLines; !o.Cut {
		o.Lines = append(o.Lines, line)
	}
}
