package article

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/q"
)

const (
	mostLines    = 100
	mostReceipts = 100
	mostBuyers   = 10
	mostFailures = 20
	mostMoments  = 50
	mostCosts    = 100
	// MostSearched is how many open failed imports are searched, the latest first.
	MostSearched = 2000
)

// Activity is what happened to an article.
type Activity struct {
	Lines    []Line // the latest first
	Receipts []Receipt
	Costs    []Cost
	Buyers   Buyers
	Failures []Failure // nil if the caller may not see failed imports
	Moments  []Moment
}

// Line is a purchase order line of the article.
type Line struct {
	ID, OrderNo, Status, Supplier string
	Ordered, Received             decimal.Decimal
	Price                         *Money
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

// Failure is an open failed import that mentions the article.
type Failure struct {
	ID                             uuid.UUID
	Table, Code, Field, Key, Error string
	At                             time.Time
	Seen                           int64
}

// Moment is something that a person, an agent or a key did.
type Moment struct {
	At              time.Time
	By              auth.Actor
	ByName          string
	What            string
	LineID, OrderNo string   // of a purchase order line
	Fields          []string // that were written
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
		if err = r.moments(ctx, &a, ids, orders); err != nil {
			return err
		}
		if by.Require(auth.ReadFailures) == nil {
			err = r.failures(ctx, &a)
		}
		return err
	})
	if err != nil {
		return a, err
	}
	actors := make([]auth.Actor, 0, len(a.Receipts)+len(a.Moments))
	for _, receipt := range a.Receipts {
		actors = append(actors, receipt.By)
	}
	for _, moment := range a.Moments {
		actors = append(actors, moment.By)
	}
	names, err := s.query.Names(ctx, by.Tenant, actors)
	for i := range a.Receipts {
		a.Receipts[i].ByName = names[a.Receipts[i].By]
	}
	for i := range a.Moments {
		a.Moments[i].ByName = names[a.Moments[i].By]
	}
	return a, err
}

// lines reads the latest lines, and returns their ids and, by id, the numbers of their orders.
func (r *reading) lines(ctx context.Context, a *Activity) (ids []string, orders map[string]string, err error) {
	rows, err := r.queries.ListArticleLines(ctx, q.ListArticleLinesParams{
		TenantID: r.by.Tenant, WorkspaceID: r.by.Workspace, ProductID: r.row.ID, Sku: r.row.Sku, Most: mostLines,
	})
	orders = map[string]string{}
	for _, row := range rows {
		ids, orders[row.ID] = append(ids, row.ID), row.OrderNo
		line := Line{
			ID: row.ID, OrderNo: row.OrderNo, Status: row.Status, Supplier: text(row.SupplierName),
			Ordered: row.QuantityOrdered, Received: row.QuantityReceived, Price: money(row.PricePerUnit, row.Currency),
			OrderedAt: row.OrderedAt, ReceivedAt: row.ReceivedAt, CreatedAt: row.CreatedAt,
		}
		if row.ExpectedArrivalDate.Valid {
			line.Expected = &row.ExpectedArrivalDate.Time
		}
		a.Lines = append(a.Lines, line)
	}
	return ids, orders, err
}

func (r *reading) receipts(ctx context.Context, a *Activity, ids []string, orders map[string]string) error {
	rows, err := r.queries.ListArticleReceipts(ctx,
		q.ListArticleReceiptsParams{TenantID: r.by.Tenant, Lines: ids, Most: mostReceipts})
	for _, row := range rows {
		a.Receipts = append(a.Receipts, Receipt{
			ID: row.ID, LineID: row.LineID, OrderNo: orders[row.LineID], Quantity: row.Quantity, At: row.ReceivedAt,
			By: actor(row.Actor), Note: text(row.Note),
		})
	}
	return err
}

func (r *reading) costs(ctx context.Context, a *Activity) error {
	rows, err := r.queries.ListArticleCosts(ctx, q.ListArticleCostsParams{
		TenantID: r.by.Tenant, WorkspaceID: r.by.Workspace, ProductID: r.row.ID, Most: mostCosts,
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
	a.Buyers.Currency = text(r.row.BaseCurrency)
	rows, err := r.queries.ListBuyers(ctx, q.ListBuyersParams{
		TenantID: r.by.Tenant, WorkspaceID: r.by.Workspace, ProductID: r.row.ID, Most: mostBuyers,
		Since: pgtype.Date{Time: r.today.AddDate(-1, 0, 0), Valid: true}, Until: pgtype.Date{Time: r.today, Valid: true},
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

func (r *reading) moments(ctx context.Context, a *Activity, ids []string, orders map[string]string) error {
	rows, err := r.queries.ListArticleActivity(ctx, q.ListArticleActivityParams{
		TenantID: r.by.Tenant, WorkspaceID: r.by.Workspace, ProductID: r.row.ID, Lines: ids, Most: mostMoments,
	})
	for _, row := range rows {
		a.Moments = append(a.Moments, Moment{
			At: row.At, By: actor(row.Actor), What: row.Action, LineID: row.LineID, OrderNo: orders[row.LineID],
			Fields: row.Fields,
		})
	}
	return err
}

// failures finds open failed imports whose record has the article's SKU, external id or id as a
// value.
func (r *reading) failures(ctx context.Context, a *Activity) error {
	var mentions [][]byte
	for _, code := range []string{text(r.row.Sku), text(r.row.ExternalID), r.row.ID} {
		if quoted, err := json.Marshal(code); err == nil && code != "" {
			mentions = append(mentions, quoted)
		}
	}
	rows, err := r.queries.ListArticleFailures(ctx, q.ListArticleFailuresParams{
		TenantID: r.by.Tenant, WorkspaceID: r.by.Workspace, Mentions: mentions, Searched: MostSearched, Most: mostFailures,
	})
	a.Failures = make([]Failure, 0, len(rows))
	for _, row := range rows {
		a.Failures = append(a.Failures, Failure{
			ID: row.ID, Table: row.Slug, Code: row.Code, Field: text(row.Field), Key: text(row.RecordKey), Error: row.Message,
			At: row.LastSeenAt, Seen: row.Seen,
		})
	}
	return err
}
