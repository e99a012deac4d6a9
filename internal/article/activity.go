package article

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/subject"
)

const (
	mostLines    = 100
	mostReceipts = 100
	mostBuyers   = 10
	mostCosts    = 100
)

// Activity is what happened to an article.
type Activity struct {
	Lines    []Line // the latest first
	Receipts []Receipt
	Costs    []Cost
	Buyers   Buyers
	Failures []subject.Mention // nil if the caller may not see failed imports
	Moments  []subject.Moment
}

// Line is a purchase order line of the article.
type Line struct {
	ID, OrderNo, Status, Supplier string
	Ordered, Received             decimal.Decimal
	Price                         *subject.Money
	Expected                      *time.Time
	OrderedAt, ReceivedAt         *time.Time
	CreatedAt                     time.Time
}

// Receipt is an entry of the ledger of receipts.
type Receipt struct {
	ID, LineID, OrderNo string
	Quantity            decimal.Decimal // negative: a correction
	At                  time.Time
	By                  auth.Actor
	ByName, Note        string
}

// Cost is a cost that was reported for the article.
type Cost struct {
	At       time.Time
	Amount   string // empty: it was taken away
	Currency string
}

// Buyers are the customers of the last 12 months.
type Buyers struct {
	Units, Returned, Net decimal.Decimal // Units without what was returned
	Currency             string
	Orders, Customers    int64
	Unconverted          int64 // order lines without a rate, which are in no amount
	Top                  []Buyer
}

// Buyer is a customer.
type Buyer struct {
	ID, Name   string
	Units, Net decimal.Decimal
	Orders     int64
	Last       time.Time
}

// Activity returns what happened to an article.
func (s *Service) Activity(ctx context.Context, by auth.Principal, id string) (a Activity, err error) {
	err = s.read(ctx, by, id, func(r *reading) error {
		ids, orders, err := r.lines(ctx, &a)
		if err != nil {
			return err
		}
		if err := r.receipts(ctx, &a, ids, orders); err != nil {
			return err
		}
		if err := r.costs(ctx, &a); err != nil {
			return err
		}
		if err := r.buyers(ctx, &a); err != nil {
			return err
		}
		if a.Moments, err = r.Moments(ctx, "products", r.row.ID, orders); err != nil {
			return err
		}
		a.Failures, err = r.Mentions(ctx, []string{subject.Text(r.row.Sku), subject.Text(r.row.ExternalID), r.row.ID})
		return err
	})
	if err != nil {
		return a, err
	}
	actors := make([]auth.Actor, 0, len(a.Receipts))
	for _, receipt := range a.Receipts {
		actors = append(actors, receipt.By)
	}
	names, err := s.query.Names(ctx, by.Tenant, actors)
	for i := range a.Receipts {
		a.Receipts[i].ByName = names[a.Receipts[i].By]
	}
	if err != nil {
		return a, err
	}
	return a, subject.NameMoments(ctx, s.query, by.Tenant, a.Moments)
}

// lines reads the latest lines, and returns their ids and, by id, the numbers of their orders.
func (r *reading) lines(ctx context.Context, a *Activity) (ids []string, orders map[string]string, err error) {
	rows, err := r.Queries.ListArticleLines(ctx, q.ListArticleLinesParams{
		TenantID: r.By.Tenant, WorkspaceID: r.By.Workspace, ProductID: r.row.ID, Sku: r.row.Sku, Most: mostLines,
	})
	orders = map[string]string{}
	for _, row := range rows {
		ids, orders[row.ID] = append(ids, row.ID), row.OrderNo
		line := Line{
			ID: row.ID, OrderNo: row.OrderNo, Status: row.Status, Supplier: subject.Text(row.SupplierName),
			Ordered: row.QuantityOrdered, Received: row.QuantityReceived, Price: subject.MoneyOf(row.PricePerUnit, row.Currency),
			OrderedAt: row.OrderedAt, ReceivedAt: row.ReceivedAt, CreatedAt: row.CreatedAt,
			Expected: subject.Date(row.ExpectedArrivalDate),
		}
		a.Lines = append(a.Lines, line)
	}
	return ids, orders, err
}

func (r *reading) receipts(ctx context.Context, a *Activity, ids []string, orders map[string]string) error {
	rows, err := r.Queries.ListArticleReceipts(ctx,
		q.ListArticleReceiptsParams{TenantID: r.By.Tenant, Lines: ids, Most: mostReceipts})
	for _, row := range rows {
		a.Receipts = append(a.Receipts, Receipt{
			ID: row.ID, LineID: row.LineID, OrderNo: orders[row.LineID], Quantity: row.Quantity, At: row.ReceivedAt,
			By: subject.ActorOf(row.Actor), Note: subject.Text(row.Note),
		})
	}
	return err
}

func (r *reading) costs(ctx context.Context, a *Activity) error {
	rows, err := r.Queries.ListArticleCosts(ctx, q.ListArticleCostsParams{
		TenantID: r.By.Tenant, WorkspaceID: r.By.Workspace, ProductID: r.row.ID, Most: mostCosts,
	})
	for i, row := range rows {
		if i+1 < len(rows) && rows[i+1].UnitCost == row.UnitCost && rows[i+1].Currency == row.Currency {
			continue // sent again
		}
		a.Costs = append(a.Costs, Cost{At: row.CreatedAt, Amount: row.UnitCost, Currency: row.Currency})
	}
	return err
}

func (r *reading) buyers(ctx context.Context, a *Activity) error {
	a.Buyers.Currency = subject.Text(r.row.BaseCurrency)
	rows, err := r.Queries.ListBuyers(ctx, q.ListBuyersParams{
		TenantID: r.By.Tenant, WorkspaceID: r.By.Workspace, ProductID: r.row.ID, Most: mostBuyers,
		Since: pgtype.Date{Time: r.Today.AddDate(-1, 0, 0), Valid: true}, Until: pgtype.Date{Time: r.Today, Valid: true},
	})
	for _, row := range rows {
		b := &a.Buyers
		b.Units, b.Returned, b.Net, b.Orders = row.AllUnits, row.AllReturned, row.AllNet, row.AllOrders
		b.Customers, b.Unconverted = row.Customers, row.Unconverted
		if row.CustomerID != nil {
			b.Top = append(b.Top, Buyer{
				ID: *row.CustomerID, Name: row.Name, Units: row.Units, Net: row.Net, Orders: row.Orders, Last: row.LastDay.Time,
			})
		}
	}
	return err
}
