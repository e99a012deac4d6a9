package purchase

import (
	"context"
	_ "embed"
	"errors"
	"slices"
	"strconv"
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

// Order summarises the lines that share an order number. PostgreSQL updates it with every
// write to a line.
type Order struct {
	ID          uuid.UUID // of its newest line; the page cursor
	OrderNo     string
	Version     int64
	Lines       int64
	ByStatus    map[Status]int64
	ClosedShort int64    // lines closed short, counted in Received too
	Suppliers   []string // the first three
	SupplierNum int64
	NextArrival *time.Time // of what is still to come
	Totals      []Total
	LeftOut     int64 // lines that are in no total, because their quantity or price cannot be true
	Flags       int64 // of its lines, not seen yet
	UpdatedAt   time.Time
}

// Total is the sum of lines in one currency. Currency is empty for lines that name none.
type Total struct {
	Currency string
	Amount   decimal.Decimal // without cancelled lines
	Amounts
}

// OrderFilter selects orders. Zero values select all.
type OrderFilter struct {
	Status      Status
	Overdue     bool   // a line should have arrived before today
	ClosedShort bool   // a line was closed short
	ToApprove   bool   // waits for approval, and the caller may approve it
	Mine        bool   // a draft line that the caller made
	SentBack    bool   // a draft line that was sent back to the caller
	Undated     bool   // an ordered line has no expected day
	Open        bool   // a line is drafted, waits for approval, or is still expected
	Supplier    string // the id of one of its suppliers
	Words       string // in its number, articles and suppliers
}

// OrderSort is the sequence in which orders are listed.
type OrderSort string

// The sorts. All but the first are ascending.
const (
	ByNewest   OrderSort = "newest"
	ByNumber   OrderSort = "number"
	BySupplier OrderSort = "supplier"
	ByArrival  OrderSort = "arrival"
)

var (
	//go:embed orders.sql
	ordersSQL string
	//go:embed order_words.sql
	wordsSQL string
)

var (
	filterSQL = map[string]string{
		"": "true", string(Draft): "o.draft > 0", string(PendingApproval): "o.pending_approval > 0",
		string(Ordered):           "o.ordered > 0",
		string(PartiallyReceived): "o.partially_received > 0", string(Received): "o.received > 0",
		string(Cancelled): "o.cancelled > 0",
		overdue:           "o.next_arrival < @today", closedShort: "o.closed_short > 0",
		toApprove: numberedSQL, mine: numberedSQL, sentBack: numberedSQL, undated: numberedSQL,
		open: "(o.draft > 0 OR o.pending_approval > 0 OR o.ordered > 0 OR o.partially_received > 0)",
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
	toApprove   = "to_approve"
	mine        = "mine"
	sentBack    = "sent_back"
	undated     = "undated"
	open        = "open"

	// numberedSQL filters by what partOf has found.
	numberedSQL = "o.order_no = ANY (@order_nos)"

	supplierSQL = "EXISTS (SELECT FROM workspace.purchase_order_sums f WHERE f.tenant_id = o.tenant_id " +
		"AND f.workspace_id = o.workspace_id AND f.order_no = o.order_no AND f.supplier_id = @supplier_id AND f.live > 0)"
)

// which returns the filter's name; known is false if two filters are set.
func (f OrderFilter) which() (name string, known bool) {
	names := []string{}
	for name, meant := range map[string]bool{string(f.Status): f.Status != "", overdue: f.Overdue,
		closedShort: f.ClosedShort, toApprove: f.ToApprove, mine: f.Mine, sentBack: f.SentBack, undated: f.Undated, open: f.Open} {
		if meant {
			names = append(names, name)
		}
	}
	name = strings.Join(names, " ")
	_, known = filterSQL[name]
	return name, known
}

// statement returns the SQL for a filter, a sort and a page.
func statement(filter OrderFilter, sort OrderSort, want page.Request) string {
	which, _ := filter.which()
	by := sortSQL[sort]
	after := by.after
	if want.After == uuid.Nil {
		after = "true"
	}
	words := "true"
	if filter.Words != "" {
		words = wordsSQL
	}
	if filter.Supplier != "" {
		words += " AND " + supplierSQL
	}
	return strings.NewReplacer("/*filter*/", filterSQL[which], "/*after*/", after, "/*words*/", words, "/*sort*/", by.sort,
		"/*most*/", strconv.Itoa(int(want.Limit()))).Replace(ordersSQL)
}

// Orders lists orders.
func (s *Service) Orders(ctx context.Context, by auth.Principal, filter OrderFilter, sort OrderSort,
	want page.Request) (orders []Order, more bool, err error) {
	if err := by.Require(auth.Read); err != nil {
		return nil, false, err
	}
	if sort == "" {
		sort = ByNewest
	}
	which, known := filter.which()
	if !known || sortSQL[sort].sort == "" {
		return nil, false, fault.InField("status", "filter",
			"filter orders by one status, or by overdue, closed_short, to_approve, mine, sent_back, undated or open; "+
				"sort them by newest, number, supplier or arrival")
	}
	filter.Words = searched(filter.Words)
	args := pgx.NamedArgs{
		"tenant": by.Tenant, "workspace": by.Workspace, "words": filter.Words, "today": today(by),
		"supplier_id": filter.Supplier,
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		if filterSQL[which] == numberedSQL {
			part, err := partOf(ctx, queries, by, which)
			if err != nil {
				return err
			}
			args["order_nos"] = part.orderNos
		}
		if want.After != uuid.Nil {
			last, err := queries.FindOrderOfLine(ctx,
				q.FindOrderOfLineParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ID: want.After.String()})
			if err != nil {
				return err
			}
			args["newest"], args["sort_no"], args["supplier"] = want.After.String(), last.SortNo, last.Supplier
			args["next_arrival"], args["order_no"] = last.NextArrival, last.OrderNo
		}
		rows, _ := tx.Query(ctx, statement(filter, sort, want), args) // CollectRows returns the error
		found, err := pgx.CollectRows(rows, pgx.RowToStructByName[orderRow])
		if err != nil {
			return err
		}
		found, more = page.Cut(want, found)
		orders, err = toOrders(ctx, queries, by, found)
		return err
	})
	if missing(err) {
		return nil, false, fault.InField("cursor", "cursor",
			"the order at which the last page ended no longer exists; begin again")
	}
	return orders, more, err
}

// Numbered returns the orders with these numbers.
func (s *Service) Numbered(ctx context.Context, by auth.Principal, orderNos []string) (orders []Order, err error) {
	if err := by.Require(auth.Read); err != nil || len(orderNos) == 0 {
		return nil, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		sql := strings.NewReplacer("/*filter*/", numberedSQL, "/*after*/", "true", "/*words*/", "true",
			"/*sort*/", "o.order_no", "/*most*/", strconv.Itoa(len(orderNos))).Replace(ordersSQL)
		rows, _ := tx.Query(ctx, sql, // CollectRows returns the error
			pgx.NamedArgs{"tenant": by.Tenant, "workspace": by.Workspace, "order_nos": orderNos})
		found, err := pgx.CollectRows(rows, pgx.RowToStructByName[orderRow])
		if err != nil {
			return err
		}
		orders, err = toOrders(ctx, q.New(tx), by, found)
		return err
	})
	return orders, err
}

// Order returns one order.
func (s *Service) Order(ctx context.Context, by auth.Principal, orderNo string) (order Order, err error) {
	if err := by.Require(auth.Read); err != nil {
		return Order{}, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		sql := strings.NewReplacer("/*filter*/", "o.order_no = @order_no", "/*after*/", "true", "/*words*/", "true",
			"/*sort*/", "o.order_no", "/*most*/", "1").Replace(ordersSQL)
		rows, _ := tx.Query(ctx, sql, // CollectExactlyOneRow returns the error
			pgx.NamedArgs{"tenant": by.Tenant, "workspace": by.Workspace, "order_no": orderNo})
		found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[orderRow])
		if missing(err) {
			return fault.New(fault.NotFound, "unknown_order", "there is no purchase order with this number")
		}
		if err != nil {
			return err
		}
		orders, err := toOrders(ctx, q.New(tx), by, []orderRow{found})
		if err == nil {
			order = orders[0]
		}
		return err
	})
	return order, err
}

// orderRow is an order as it is stored, by the names of its columns.
type orderRow struct {
	OrderNo, NewestID                        string
	Version, Lines                           int64
	Draft, PendingApproval                   int64
	Ordered, PartiallyReceived, Received     int64
	ClosedShort, Cancelled, Flags, Suppliers int64
	NextArrival                              pgtype.Date
	UpdatedAt                                time.Time
	Sums                                     []orderSum
}

// orderSum is the part of an order from one supplier in one currency.
type orderSum struct {
	SupplierName string          `json:"supplier_name"`
	Currency     string          `json:"currency"`
	Total        decimal.Decimal `json:"total"`
	Ordered      decimal.Decimal `json:"ordered"`
	Received     decimal.Decimal `json:"received"`
	GivenUp      decimal.Decimal `json:"given_up"`
	Expected     decimal.Decimal `json:"expected"`
	leftOut      int64
}

const mostSuppliers = 3

// add adds the sums of one supplier in one currency.
func (o *Order) add(sum orderSum) {
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
	o.LeftOut += sum.leftOut
}

// toOrders returns orders as people are shown them: their totals leave out lines that cannot be true.
func toOrders(ctx context.Context, queries *q.Queries, by auth.Principal, rows []orderRow) (orders []Order, err error) {
	doubtful := []string{}
	for _, row := range rows {
		if slices.ContainsFunc(row.Sums, func(s orderSum) bool { return !s.believed() }) {
			doubtful = append(doubtful, row.OrderNo)
		}
	}
	sums, err := believedSums(ctx, queries, by, doubtful)
	for _, row := range rows {
		if without, ok := sums[row.OrderNo]; ok {
			row.Sums = without
		}
		orders = append(orders, row.order())
	}
	return orders, err
}

func (r orderRow) order() Order {
	order := Order{
		OrderNo: r.OrderNo, Version: r.Version, Lines: r.Lines, ClosedShort: r.ClosedShort, SupplierNum: r.Suppliers,
		Flags: r.Flags, UpdatedAt: r.UpdatedAt,
		ByStatus: map[Status]int64{
			Draft: r.Draft, PendingApproval: r.PendingApproval, Ordered: r.Ordered, PartiallyReceived: r.PartiallyReceived,
			Received: r.Received, Cancelled: r.Cancelled,
		},
	}
	for _, sum := range r.Sums {
		order.add(sum)
	}
	order.ID, _ = uuid.Parse(r.NewestID) // line ids are always UUIDs
	if r.NextArrival.Valid {
		order.NextArrival = &r.NextArrival.Time
	}
	return order
}

// nowOf returns the time in the workspace's zone.
func nowOf(by auth.Principal) time.Time {
	now := time.Now()
	if by.Zone != nil {
		now = now.In(by.Zone)
	}
	return now
}

// today returns the current day in the workspace's time zone.
func today(by auth.Principal) pgtype.Date {
	now := nowOf(by)
	return pgtype.Date{Time: time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC), Valid: true}
}

// Counts are the numbers of orders with lines in each status, and of orders that are overdue
// or arrive soon. Each stops at MostCounted.
type Counts struct {
	Orders       int64
	ByStatus     map[Status]int64
	ClosedShort  int64 // orders with a line that was closed short
	Overdue      int64
	ArrivingSoon int64 // the next arrival is within a week
	ToApprove    int64 // orders that wait for approval, and that the caller may approve
	Mine         int64 // orders with a draft line that the caller made
	SentBack     int64 // orders with a draft line that was sent back to the caller
	Undated      int64 // orders with an ordered line that has no expected day
}

// MostCounted stands for this number or more.
const MostCounted = 10_000

// Counts counts orders.
func (s *Service) Counts(ctx context.Context, by auth.Principal) (counts Counts, err error) {
	if err := by.Require(auth.Read); err != nil {
		return Counts{}, err
	}
	now, soon := today(by), today(by)
	soon.Time = soon.Time.AddDate(0, 0, 7)
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		found, err := queries.CountOrders(ctx,
			q.CountOrdersParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Today: now, Soon: soon, Most: MostCounted})
		counts = Counts{Orders: found.Orders, ClosedShort: found.ClosedShort, Overdue: found.Overdue,
			ArrivingSoon: found.ArrivingSoon, ByStatus: map[Status]int64{
				Draft: found.Draft, PendingApproval: found.PendingApproval, Ordered: found.Ordered,
				PartiallyReceived: found.PartiallyReceived, Received: found.Received, Cancelled: found.Cancelled,
			}}
		for which, count := range map[string]*int64{toApprove: &counts.ToApprove, mine: &counts.Mine,
			sentBack: &counts.SentBack, undated: &counts.Undated} {
			part, failed := partOf(ctx, queries, by, which)
			*count, err = part.Orders, errors.Join(err, failed)
		}
		return err
	})
	return counts, err
}
