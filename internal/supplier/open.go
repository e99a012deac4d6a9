package supplier

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/plausible"
	"github.com/quayside/quayside/internal/subject"
)

const (
	// MostOpen is how many open lines are read, those that are expected first.
	MostOpen = 2000
	// MostShown is how many open orders are returned, and of each how many lines.
	MostShown = 50
)

// Line is a purchase order line.
type Line struct {
	ID, OrderNo, SKU string
	Product, Name    string // empty: the line names no article, or an unknown one
	Quantity         decimal.Decimal
}

// Open is what was not delivered yet.
type Open struct {
	Lines, Late, Drafted int64           // ordered lines, those of them that are late, and lines not ordered yet
	Orders, LateOrders   int64           // with ordered lines
	Value                []subject.Money // what is still expected of ordered lines, by currency
	LeftOut              int64           // lines that are in no value, because their quantity or price cannot be true
	Next                 *time.Time      // the next expected day that has not passed
	List                 []OpenOrder     // those that are expected first, overdue ones included; drafts at the end
	Cut                  bool            // there are more than MostOpen lines: the others are in no figure
}

// OpenOrder is what is open of an order.
type OpenOrder struct {
	OrderNo              string
	Lines, Late, Drafted int64
	Next                 *time.Time // its first expected day, passed or not
	Value                []subject.Money
	List                 []OpenLine // by expected arrival; at most MostShown
}

// OpenLine is a line that was not fully received.
type OpenLine struct {
	Line     // with the quantity that is still open
	Status   string
	Expected *time.Time
	Late     bool
}

// open reads the open lines, and sums them up.
func (r *reading) open(ctx context.Context) (o Open, err error) {
	rows, err := r.Queries.ListSupplierOpen(ctx, q.ListSupplierOpenParams{
		TenantID: r.By.Tenant, WorkspaceID: r.By.Workspace, SupplierID: r.row.ID, Most: MostOpen + 1,
	})
	if o.Cut = len(rows) > MostOpen; o.Cut {
		rows = rows[:MostOpen]
	}
	orders := map[string]*OpenOrder{}
	value := map[string]decimal.Decimal{}
	worth := map[string]map[string]decimal.Decimal{} // by order and currency
	var numbers []string                             // in the order of their first lines
	for _, row := range rows {
		order := orders[row.OrderNo]
		if order == nil {
			order = &OpenOrder{OrderNo: row.OrderNo}
			orders[row.OrderNo], worth[row.OrderNo] = order, map[string]decimal.Decimal{}
			numbers = append(numbers, row.OrderNo)
		}
		line := newOpenLine(row, r.Today)
		order.add(line)
		switch {
		case row.PricePerUnit == nil || !line.ordered():
		case !plausible.Cost(row.QuantityOrdered, row.PricePerUnit) || !plausible.Cost(line.Quantity, row.PricePerUnit):
			o.LeftOut++
		default:
			cost, currency := line.Quantity.Mul(*row.PricePerUnit), subject.Text(row.Currency)
			value[currency] = value[currency].Add(cost)
			worth[row.OrderNo][currency] = worth[row.OrderNo][currency].Add(cost)
		}
		if o.Next == nil && line.ordered() && line.Expected != nil && !line.Late {
			o.Next = line.Expected // they are sorted by it
		}
	}
	for _, number := range numbers {
		order := orders[number]
		order.Value = byCurrency(worth[number])
		o.count(order)
	}
	o.Value = byCurrency(value)
	// Orders without an ordered line are no supply: they come last.
	slices.SortStableFunc(o.List, func(a, b OpenOrder) int { return min(int(b.Lines), 1) - min(int(a.Lines), 1) })
	o.List = o.List[:min(len(o.List), MostShown)]
	return o, err
}

func newOpenLine(row q.ListSupplierOpenRow, today time.Time) OpenLine {
	line := OpenLine{
		Line: Line{ID: row.ID, OrderNo: row.OrderNo, SKU: row.Sku, Product: subject.Text(row.ProductID),
			Name: subject.Text(row.ProductName), Quantity: decimal.Max(row.QuantityOrdered.Sub(row.QuantityReceived), decimal.Zero)},
		Status: row.Status, Expected: subject.Date(row.ExpectedArrivalDate),
	}
	line.Late = line.ordered() && line.Expected != nil && line.Expected.Before(today)
	return line
}

// ordered reports whether the line is supply, and no draft.
func (l OpenLine) ordered() bool { return l.Status == "ordered" || l.Status == "partially_received" }

func (o *OpenOrder) add(line OpenLine) {
	switch {
	case !line.ordered():
		o.Drafted++
	case line.Late:
		o.Late++
		fallthrough
	default:
		o.Lines++
		if o.Next == nil {
			o.Next = line.Expected
		}
	}
	if len(o.List) < MostShown {
		o.List = append(o.List, line)
	}
}

func (o *Open) count(order *OpenOrder) {
	o.Lines += order.Lines
	o.Late += order.Late
	o.Drafted += order.Drafted
	if order.Lines > 0 {
		o.Orders++
	}
	if order.Late > 0 {
		o.LateOrders++
	}
	o.List = append(o.List, *order)
}

// byCurrency returns sums in the order of their currencies. Amounts are never added across them.
func byCurrency(sums map[string]decimal.Decimal) (amounts []subject.Money) {
	for currency, amount := range sums {
		amounts = append(amounts, subject.Money{Amount: amount, Currency: currency})
	}
	slices.SortFunc(amounts, func(a, b subject.Money) int { return strings.Compare(a.Currency, b.Currency) })
	return amounts
}
