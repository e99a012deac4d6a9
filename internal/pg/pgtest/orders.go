package pgtest

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"
)

// Rows is a connection or a transaction to read from.
type Rows interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// WrongOrders returns the orders of a company whose stored header or sums are not what their lines say,
// one message for each. The rules that triggers keep in SQL are written here a second time, in Go, so that a
// wrong rule cannot confirm itself.
func WrongOrders(ctx context.Context, db Rows, tenant uuid.UUID) ([]string, error) {
	lines, err := read[orderLine](ctx, db, linesSQL, tenant)
	if err != nil {
		return nil, err
	}
	headers, err := read[orderHeader](ctx, db, headersSQL, tenant)
	if err != nil || len(lines)+len(headers) == 0 {
		return nil, err
	}
	sums, err := read[orderSum](ctx, db, sumsSQL, tenant)
	if err != nil {
		return nil, err
	}
	return wrongOrders(lines, headers, sums), nil
}

func read[T any](ctx context.Context, db Rows, sql string, tenant uuid.UUID) ([]T, error) {
	rows, err := db.Query(ctx, sql, tenant)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[T])
}

const (
	linesSQL = `SELECT l.workspace_id, l.order_no, l.id, l.status, l.quantity_ordered, l.quantity_received,
			coalesce(l.expected_arrival_date::text, '') AS expected, coalesce(l.price_per_unit, 0) AS price,
			coalesce(l.currency, '') AS currency, coalesce(l.supplier_id, '') AS supplier_id,
			coalesce(l.supplier_name, '') AS supplier_name, l.product_name IS NOT NULL AS resolved,
			(SELECT count(*) FROM workspace.line_flags f WHERE f.tenant_id = l.tenant_id AND f.line_id = l.id AND f.seen_at IS NULL) AS flags
		FROM workspace.purchase_order_lines l WHERE l.tenant_id = $1`
	headersSQL = `SELECT workspace_id, order_no, sort_no, newest_id, lines, draft, pending_approval, ordered, partially_received, received,
			closed_short, cancelled, unresolved, flags, next_arrival::text AS next_arrival, supplier, suppliers
		FROM workspace.purchase_orders WHERE tenant_id = $1`
	sumsSQL = `SELECT workspace_id, order_no, supplier_id, supplier_name, currency, lines, live, binding, total, bound, ordered, received,
			given_up, expected
		FROM workspace.purchase_order_sums WHERE tenant_id = $1`
)

// orderLine is what a line contributes to its order. What is not known is empty.
type orderLine struct {
	WorkspaceID                        uuid.UUID
	OrderNo, ID, Status                string
	QuantityOrdered, QuantityReceived  decimal.Decimal
	Expected                           string // a date, as PostgreSQL prints it
	Price                              decimal.Decimal
	Currency, SupplierID, SupplierName string
	Resolved                           bool // its article is known
	Flags                              int64
}

// The statuses in which a line is ordered from its supplier.
var isOrdered = map[string]bool{"ordered": true, "partially_received": true, "received": true}

// awaited reports whether some of the line is still to come.
func (l orderLine) awaited() bool { return l.Status == "ordered" || l.Status == "partially_received" }

// rest is the value of what has not come of the line.
func (l orderLine) rest() decimal.Decimal {
	return l.Price.Mul(decimal.Max(l.QuantityOrdered.Sub(l.QuantityReceived), decimal.Zero))
}

// orderKey names an order.
type orderKey struct {
	WorkspaceID uuid.UUID
	OrderNo     string
}

// orderHeader is an order as it is stored.
type orderHeader struct {
	WorkspaceID                              uuid.UUID
	OrderNo, SortNo, NewestID                string
	Lines, Draft, PendingApproval, Ordered   int64
	PartiallyReceived, Received, ClosedShort int64
	Cancelled, Unresolved, Flags             int64
	NextArrival                              string // a date; infinity: nothing is to come
	Supplier                                 string // the first by name, in small letters
	Suppliers                                int64  // of what is not cancelled
}

// sumKey names what an order comes to for one supplier and currency.
type sumKey struct {
	orderKey
	SupplierID, SupplierName, Currency string
}

// orderSum is such a sum as it is stored.
type orderSum struct {
	WorkspaceID                                        uuid.UUID
	OrderNo, SupplierID, SupplierName, Currency        string
	Lines, Live, Binding                               int64
	Total, Bound, Ordered, Received, GivenUp, Expected decimal.Decimal
}

func (s orderSum) key() sumKey {
	return sumKey{orderKey{s.WorkspaceID, s.OrderNo}, s.SupplierID, s.SupplierName, s.Currency}
}

// String prints equal sums equally.
func (s orderSum) String() string {
	return fmt.Sprint("lines ", s.Lines, " live ", s.Live, " binding ", s.Binding, " total ", s.Total, " bound ", s.Bound,
		" ordered ", s.Ordered, " received ", s.Received, " given up ", s.GivenUp, " expected ", s.Expected)
}

// wrongOrders compares what is stored of orders with what their lines say.
func wrongOrders(lines []orderLine, headers []orderHeader, sums []orderSum) (wrong []string) {
	counted, summed := countOrders(lines), sumOrders(lines)
	for _, is := range headers {
		key := orderKey{is.WorkspaceID, is.OrderNo}
		should, has := counted[key]
		if !has { // it lost its lines
			should = orderHeader{WorkspaceID: is.WorkspaceID, OrderNo: is.OrderNo, SortNo: sortNumber(is.OrderNo), NextArrival: "infinity"}
		}
		if is != should {
			wrong = append(wrong, fmt.Sprintf("the order %s is kept as\n  %+v, and its lines say\n  %+v", is.OrderNo, is, should))
		}
		delete(counted, key)
	}
	for key := range counted {
		wrong = append(wrong, fmt.Sprintf("the order %s has lines and no header", key.OrderNo))
	}
	for _, is := range sums {
		if should := summed[is.key()].String(); is.String() != should {
			wrong = append(wrong, fmt.Sprintf("the order %s comes to\n  %s for %q %q in %q, and its lines say\n  %s", is.OrderNo, is,
				is.SupplierID, is.SupplierName, is.Currency, should))
		}
		delete(summed, is.key())
	}
	for key := range summed {
		wrong = append(wrong, fmt.Sprintf("the order %s has no sum for %q %q in %q", key.OrderNo, key.SupplierID, key.SupplierName, key.Currency))
	}
	return wrong
}

// countOrders returns the headers that orders should have.
func countOrders(lines []orderLine) map[orderKey]orderHeader {
	headers, named := map[orderKey]orderHeader{}, map[orderKey][]orderLine{}
	for _, l := range lines {
		key := orderKey{l.WorkspaceID, l.OrderNo}
		h, known := headers[key]
		if !known {
			h = orderHeader{WorkspaceID: l.WorkspaceID, OrderNo: l.OrderNo, SortNo: sortNumber(l.OrderNo), NextArrival: "infinity"}
		}
		h.Lines++
		h.NewestID = max(h.NewestID, l.ID)
		h.Flags += l.Flags
		*map[string]*int64{"draft": &h.Draft, "pending_approval": &h.PendingApproval, "ordered": &h.Ordered,
			"partially_received": &h.PartiallyReceived, "received": &h.Received, "cancelled": &h.Cancelled}[l.Status]++
		if l.Status == "received" && l.QuantityReceived.LessThan(l.QuantityOrdered) {
			h.ClosedShort++
		}
		if !l.Resolved {
			h.Unresolved++
		}
		if l.awaited() && l.Expected != "" {
			h.NextArrival = min(h.NextArrival, l.Expected)
		}
		headers[key], named[key] = h, append(named[key], l)
	}
	for key, h := range headers {
		h.Supplier, h.Suppliers = suppliersOf(named[key])
		headers[key] = h
	}
	return headers
}

// suppliersOf returns the first supplier of an order's lines by name, and how many suppliers there are. A
// supplier that some lines know by name alone is the one of that name that others know by its id.
func suppliersOf(lines []orderLine) (first string, count int64) {
	ids, names := map[string]bool{}, map[string]bool{}
	hasID := map[string]bool{} // names
	for _, l := range lines {
		name := cut(l.SupplierName)
		if lower := lowerASCII(name); name != "" && (first == "" || lower < first) {
			first = lower
		}
		switch {
		case l.Status == "cancelled":
		case l.SupplierID != "":
			ids[l.SupplierID], hasID[name] = true, true
		case name != "":
			names[name] = true
		}
	}
	maps.DeleteFunc(names, func(name string, _ bool) bool { return hasID[name] || ids[name] })
	return first, int64(len(ids) + len(names))
}

// lowerASCII folds as the collation "C" does: letters outside of ASCII stay as they are.
func lowerASCII(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}

// sumOrders returns the sums that orders should have.
func sumOrders(lines []orderLine) map[sumKey]orderSum {
	sums := map[sumKey]orderSum{}
	for _, l := range lines {
		key := sumKey{orderKey{l.WorkspaceID, l.OrderNo}, l.SupplierID, cut(l.SupplierName), l.Currency}
		s, ordered := sums[key], l.Price.Mul(l.QuantityOrdered)
		s.Lines++
		if l.Status != "cancelled" {
			s.Live++
			s.Total = s.Total.Add(ordered)
		}
		if l.Status == "pending_approval" || isOrdered[l.Status] {
			s.Binding++
			s.Bound = s.Bound.Add(ordered)
		}
		if isOrdered[l.Status] {
			s.Ordered, s.Received = s.Ordered.Add(ordered), s.Received.Add(l.Price.Mul(l.QuantityReceived))
		}
		if l.Status == "received" {
			s.GivenUp = s.GivenUp.Add(l.rest())
		}
		if l.awaited() {
			s.Expected = s.Expected.Add(l.rest())
		}
		sums[key] = s
	}
	return sums
}

// cut returns as much of a supplier's name as sums keep.
func cut(name string) string {
	runes := []rune(name)
	return string(runes[:min(len(runes), 120)])
}

var digits = regexp.MustCompile(`[0-9]+`)

// sortNumber returns by what an order's number is sorted: PO-999 comes before PO-1000.
func sortNumber(orderNo string) string {
	padded := digits.ReplaceAllStringFunc(strings.ToLower(orderNo), func(n string) string {
		return strings.Repeat("0", max(0, 12-len(n))) + n
	})
	return cut(padded)
}
