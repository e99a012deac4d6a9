package supplier

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/plausible"
	"github.com/quayside/quayside/internal/purchase"
	"github.com/quayside/quayside/internal/subject"
)

const (
	mostDeliveries = 20
	mostPrices     = 20
	// mostLines is how many lines are looked at for what was done with them, the newest first.
	mostLines = 50
)

// Activity is what happened to a supplier.
type Activity struct {
	Prices     []Price    // the largest rises first
	Deliveries []Delivery // the latest first
	Notes      []subject.Note
	Failures   []subject.Mention // nil if the caller may not see failed imports
	Moments    []subject.Moment
}

// Price is the last price of an article, and the one before that was another.
type Price struct {
	SKU, Product, Name, Currency string
	Last, Before                 Paid
}

// Paid is a price of an order.
type Paid struct {
	Price           decimal.Decimal
	At              time.Time
	OrderNo, LineID string
}

// Activity returns what happened to a supplier.
func (s *Service) Activity(ctx context.Context, by auth.Principal, id string) (a Activity, err error) {
	err = s.read(ctx, by, id, func(r *reading) error {
		if a.Prices, err = r.prices(ctx); err != nil {
			return err
		}
		if a.Deliveries, err = r.deliveries(ctx); err != nil {
			return err
		}
		if a.Notes, err = r.Notes(ctx, id, ""); err != nil {
			return err
		}
		lines, err := r.Queries.ListSupplierLines(ctx, q.ListSupplierLinesParams{
			TenantID: by.Tenant, WorkspaceID: by.Workspace, SupplierID: id, Most: mostLines,
		})
		if err != nil {
			return err
		}
		orders := map[string]string{}
		for _, line := range lines {
			orders[line.ID] = line.OrderNo
		}
		if a.Moments, err = r.Moments(ctx, "suppliers", id, orders); err != nil {
			return err
		}
		a.Failures, err = r.Mentions(ctx, []string{r.row.ExternalID, id},
			"suppliers", "products", "purchase_order_lines", "meeting_notes")
		return err
	})
	if err != nil {
		return a, err
	}
	return a, subject.NameMoments(ctx, s.query, by.Tenant, a.Moments)
}

func (r *reading) prices(ctx context.Context) (prices []Price, err error) {
	rows, err := r.Queries.ListSupplierPrices(ctx, q.ListSupplierPricesParams{
		TenantID: r.By.Tenant, WorkspaceID: r.By.Workspace, SupplierID: r.row.ID, Searched: MostSearched, Most: mostPrices,
	})
	for _, row := range rows {
		prices = append(prices, Price{
			SKU: row.Sku, Product: subject.Text(row.ProductID), Name: subject.Text(row.ProductName), Currency: row.Currency,
			Last:   Paid{row.LastPrice, row.LastAt, row.LastOrderNo, row.LastID},
			Before: Paid{row.PriceBefore, row.BeforeAt, row.OrderNoBefore, row.IDBefore},
		})
	}
	return prices, err
}

func (r *reading) deliveries(ctx context.Context) (deliveries []Delivery, err error) {
	rows, err := r.Queries.ListDeliveries(ctx, q.ListDeliveriesParams{
		TenantID: r.By.Tenant, WorkspaceID: r.By.Workspace, SupplierID: r.row.ID, TimeZone: r.By.Zone.String(),
		Most: mostDeliveries,
	})
	for _, row := range rows {
		deliveries = append(deliveries, Delivery{
			Line: Line{ID: row.ID, OrderNo: row.OrderNo, SKU: row.Sku, Product: subject.Text(row.ProductID),
				Name: subject.Text(row.ProductName), Quantity: row.QuantityReceived},
			Promised: subject.Date(row.ExpectedArrivalDate), Came: row.CameOn.Time,
		})
	}
	return deliveries, err
}

// Article is an article that the supplier delivers.
type Article struct {
	ID, SKU, SupplierSKU, Name, Variant string
	Planned                             bool // the queue has it: it can be ordered
	Available, DaysOfCover              *float64
	Incoming, Suggested                 float64 // Suggested: to order now
	Price                               *subject.Money
}

// Articles returns a page of the supplier's articles by name, without archived ones, and whether more
// follow.
func (s *Service) Articles(ctx context.Context, by auth.Principal, id string, want page.Request) (
	articles []Article, more bool, err error) {
	err = s.read(ctx, by, id, func(r *reading) error {
		rows, err := r.Queries.ListArticlesOfSupplier(ctx, q.ListArticlesOfSupplierParams{
			TenantID: by.Tenant, WorkspaceID: by.Workspace, SupplierID: id, After: subject.After(want), Most: want.Limit(),
		})
		rows, more = page.Cut(want, rows)
		for _, row := range rows {
			articles = append(articles, newArticle(row))
		}
		return err
	})
	return articles, more, err
}

// newArticle prefers what the queue says: it knows what was received since the stock was reported.
func newArticle(row q.ListArticlesOfSupplierRow) Article {
	a := Article{
		ID: row.ID, SKU: subject.Text(row.Sku), SupplierSKU: subject.Text(row.SupplierSku), Name: row.Name,
		Variant: subject.Text(row.VariantName), Planned: row.Planned, Available: row.Available, DaysOfCover: row.DaysOfCover,
		Incoming: row.Incoming, Suggested: row.Suggested, Price: subject.MoneyOf(row.UnitPrice, row.Currency),
	}
	if a.SKU == "" {
		a.SKU = subject.Text(row.ExternalID)
	}
	if !row.Planned {
		a.Price = subject.MoneyOf(row.UnitCost, row.CostCurrency)
		if row.StockAvailable != nil {
			if left, _ := row.StockAvailable.Float64(); plausible.Number(left) {
				a.Available = &left
			}
		}
	}
	return a
}

// Order is an order of which nothing of the supplier is open any more.
type Order struct {
	ID             uuid.UUID // of its newest line of the supplier
	OrderNo        string
	At             time.Time
	Lines, Live    int64           // Live: not cancelled
	Total, Arrived []subject.Money // what was ordered and what came, by currency
	LeftOut        int64           // lines that are in neither, because their quantity or price cannot be true
}

// Orders returns a page of past orders, the latest first, and whether more follow.
func (s *Service) Orders(ctx context.Context, by auth.Principal, id string, want page.Request) (
	orders []Order, more bool, err error) {
	err = s.read(ctx, by, id, func(r *reading) error {
		rows, err := r.Queries.ListSupplierOrders(ctx, q.ListSupplierOrdersParams{
			TenantID: by.Tenant, WorkspaceID: by.Workspace, SupplierID: id, Before: subject.After(want), Most: want.Limit(),
		})
		if err != nil {
			return err
		}
		rows, more = page.Cut(want, rows)
		at := map[string]int{}
		numbers := []string{}
		for i, row := range rows {
			line, err := uuid.Parse(row.ID)
			if err != nil {
				return err
			}
			orders = append(orders, Order{ID: line, OrderNo: row.OrderNo, At: row.OrderedAt})
			at[row.OrderNo], numbers = i, append(numbers, row.OrderNo)
		}
		sums, err := purchase.SumsOfSupplier(ctx, r.Queries, by, id, numbers)
		for _, sum := range sums {
			order := &orders[at[sum.OrderNo]]
			order.Lines += sum.Lines
			order.Live += sum.Live
			order.LeftOut += sum.LeftOut
			if sum.Live > 0 {
				order.Total = append(order.Total, subject.Money{Amount: sum.Total, Currency: sum.Currency})
				order.Arrived = append(order.Arrived, subject.Money{Amount: sum.Received, Currency: sum.Currency})
			}
		}
		return err
	})
	return orders, more, err
}
