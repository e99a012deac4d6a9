package purchase

import (
	"context"
	_ "embed"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/q"
)

// Order is the lines that share an order number, as a whole. PostgreSQL keeps it with every
// write to a line.
type Order struct {
	ID          uuid.UUID // of its newest line: where a listing goes on
	OrderNo     string
	Version     int64
	Lines       int64
	ByStatus    map[Status]int64
	ClosedShort int64    // of those received
	Suppliers   []string // the first three
	SupplierNum int64
	NextArrival *time.Time // of what is still to come
	Totals      []Total
	Flags       int64 // what somebody should look at
	UpdatedAt   time.Time
}

// Total is what lines come to in one currency. Without a currency it is of lines that name
// none.
type Total struct {
	Currency string
	Amount   decimal.Decimal // what is cancelled left out
	Amounts
}

// OrderFilter says which orders are meant. Zero values stand for any.
type OrderFilter struct {
	Status      Status
	Overdue     bool   // something of it should have arrived before today
	ClosedShort bool   // it has a line that was closed short
	Words       string // in its number, articles and suppliers
}

// OrderSort is an order of orders.
type OrderSort string

// The sorts. All but the first rise.
const (
	ByNewest   OrderSort = "newest"
	ByNumber   OrderSort = "number"
	BySupplier OrderSort = "supplier"
	ByArrival  OrderSort = "arrival"
)

//go:embed orders.sql
var ordersSQL string

var (
	filterSQL = map[string]string{
		"": "true", string(Draft): "o.draft > 0", string(PendingApproval): "o.pending_approval > 0", string(Ordered): "o.ordered > 0",
		string(PartiallyReceived): "o.partially_received > 0", string(Received): "o.received > 0", string(Cancelled): "o.cancelled > 0",
		overdue: "o.next_arrival < @today", closedShort: "o.closed_short > 0",
	}
	sortSQL = map[OrderSort]struct{ after, sort string }{
		ByNewest:   {"o.newest_id < @newest", "o.newest_id DESC"},
		ByNumber:   {"(o.sort_no, o.order_no) > (@sort_no, @order_no)", "o.sort_no, o.order_no"},
		BySupplier: {"(o.supplier, o.order_no) > (@supplier, @order_no)", "o.supplier, o.order_no"},
		ByArrival:  {"(o.next_arrival, o.order_no) > (@next_arrival, @order_no)", "o.next_arrival, o.order_no"},
	}
)

const (
	overdue     = "overdue"
	closedShort = "closed_short"
)

// which is the filter's name, or none when it says two things at once.
func (f OrderFilter) which() (name string, known bool) {
	names := []string{}
	for name, meant := range map[string]bool{string(f.Status): f.Status != "", overdue: f.Overdue, closedShort: f.ClosedShort} {
		if meant {
			names = append(names, name)
		}
	}
	name = strings.Join(names, " ")
	_, known = filterSQL[name]
	return name, known
}

// statement is the one for a filter and a sort. On the first page nothing came before.
func statement(filter OrderFilter, sort OrderSort, first bool) string {
	which, _ := filter.which()
	by := sortSQL[sort]
	after := by.after
	if first {
		after = "true"
	}
	return strings.NewReplacer("/*filter*/", filterSQL[which], "/*after*/", after, "/*sort*/", by.sort).Replace(ordersSQL)
}

// Orders lists orders.
func (s *Service) Orders(ctx context.Context, by auth.Principal, filter OrderFilter, sort OrderSort, want page.Request) (orders []Order, more bool, err error) {
	if err := by.Require(auth.Read); err != nil {
		return nil, false, err
	}
	if sort == "" {
		sort = ByNewest
	}
	if _, known := filter.which(); !known || sortSQL[sort].sort == "" {
		return nil, false, fault.InField("status", "filter", "orders are filtered by one status, or by being overdue or closed short, and sorted by newest, number, supplier or arrival")
	}
	args := pgx.NamedArgs{
		"tenant": by.Tenant, "workspace": by.Workspace, "words": searched(filter.Words), "today": today(by), "most": want.Limit(),
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		if want.After != uuid.Nil {
			last, err := queries.FindOrderOfLine(ctx, q.FindOrderOfLineParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ID: want.After.String()})
			if err != nil {
				return err
			}
			args["newest"], args["sort_no"], args["supplier"] = want.After.String(), last.SortNo, last.Supplier
			args["next_arrival"], args["order_no"] = last.NextArrival, last.OrderNo
		}
		rows, _ := tx.Query(ctx, statement(filter, sort, want.After == uuid.Nil), args) // the error is in the rows
		found, err := pgx.CollectRows(rows, pgx.RowToStructByName[orderRow])
		if err != nil {
			return err
		}
		found, more = page.Cut(want, found)
		orders, err = withSums(ctx, queries, by, found)
		return err
	})
	if missing(err) {
		return nil, false, fault.InField("cursor", "cursor", "the page goes on after an order that is not here")
	}
	return orders, more, err
}

// Order returns one order as a whole.
func (s *Service) Order(ctx context.Context, by auth.Principal, orderNo string) (order Order, err error) {
	if err := by.Require(auth.Read); err != nil {
		return Order{}, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		found, err := queries.GetOrder(ctx, q.GetOrderParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, OrderNo: orderNo})
		if missing(err) {
			return fault.New(fault.NotFound, "unknown_order", "there is no purchase order with this number")
		}
		if err != nil {
			return err
		}
		orders, err := withSums(ctx, queries, by, []orderRow{orderRow(found)})
		if err == nil {
			order = orders[0]
		}
		return err
	})
	return order, err
}

// orderRow is an order as it is kept, by the names of its columns.
type orderRow q.GetOrderRow

// withSums puts beside orders whom they are from and what they come to.
func withSums(ctx context.Context, queries *q.Queries, by auth.Principal, found []orderRow) (orders []Order, err error) {
	at := map[string]int{}
	numbers := []string{}
	for i, one := range found {
		orders = append(orders, one.order())
		numbers = append(numbers, one.OrderNo)
		at[one.OrderNo] = i
	}
	sums, err := queries.ListOrderSums(ctx, q.ListOrderSumsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, OrderNos: numbers})
	for _, sum := range sums {
		orders[at[sum.OrderNo]].add(sum)
	}
	return orders, err
}

const mostSuppliers = 3

// add counts what is from one supplier in one currency.
func (o *Order) add(sum q.ListOrderSumsRow) {
	if name := sum.SupplierName; name != "" && len(o.Suppliers) < mostSuppliers && !slices.Contains(o.Suppliers, name) {
		o.Suppliers = append(o.Suppliers, name)
	}
	at := slices.IndexFunc(o.Totals, func(t Total) bool { return t.Currency == sum.Currency })
	if at < 0 {
		at = len(o.Totals)
		o.Totals = append(o.Totals, Total{Currency: sum.Currency})
	}
	total := &o.Totals[at]
	total.Amount = total.Amount.Add(sum.Total)
	total.Amounts = total.plus(Amounts{sum.Ordered, sum.Received, sum.GivenUp, sum.Expected})
}

func (r orderRow) order() Order {
	order := Order{
		OrderNo: r.OrderNo, Version: r.Version, Lines: int64(r.Lines), ClosedShort: int64(r.ClosedShort), SupplierNum: int64(r.Suppliers),
		Flags: int64(r.Flags), UpdatedAt: r.UpdatedAt,
		ByStatus: map[Status]int64{
			Draft: int64(r.Draft), PendingApproval: int64(r.PendingApproval), Ordered: int64(r.Ordered),
			PartiallyReceived: int64(r.PartiallyReceived), Received: int64(r.Received), Cancelled: int64(r.Cancelled),
		},
	}
	order.ID, _ = uuid.Parse(r.NewestID) // new_id and the app make nothing else
	if r.NextArrival.Valid {
		order.NextArrival = &r.NextArrival.Time
	}
	return order
}

// today is the workspace's.
func today(by auth.Principal) pgtype.Date {
	now := time.Now()
	if by.Zone != nil {
		now = now.In(by.Zone)
	}
	return pgtype.Date{Time: time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC), Valid: true}
}

// Counts are how many orders have lines in each status, and how many are late or near. None
// is counted beyond MostCounted.
type Counts struct {
	Orders       int64
	ByStatus     map[Status]int64
	ClosedShort  int64 // orders with a line that was closed short
	Overdue      int64
	ArrivingSoon int64 // next, within a week
}

// MostCounted stands for as many and more: beyond it, nobody reads the number.
const MostCounted = 10_000

// Counts counts orders.
func (s *Service) Counts(ctx context.Context, by auth.Principal) (counts Counts, err error) {
	if err := by.Require(auth.Read); err != nil {
		return Counts{}, err
	}
	now, soon := today(by), today(by)
	soon.Time = soon.Time.AddDate(0, 0, 7)
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		found, err := q.New(tx).CountOrders(ctx, q.CountOrdersParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Today: now, Soon: soon, Most: MostCounted})
		counts = Counts{Orders: found.Orders, ClosedShort: found.ClosedShort, Overdue: found.Overdue, ArrivingSoon: found.ArrivingSoon, ByStatus: map[Status]int64{
			Draft: found.Draft, PendingApproval: found.PendingApproval, Ordered: found.Ordered,
			PartiallyReceived: found.PartiallyReceived, Received: found.Received, Cancelled: found.Cancelled,
		}}
		return err
	})
	return counts, err
}
