package inventory

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/purchase"
)

// Key finds a line in an order: by its root row, or if that was deleted, by variant and group.
type Key struct{ Root, Variant, Group string }

// Remote is a line as the inventory system has it.
type Remote struct {
	Line
	Key      Key
	Rows     []Row     // all of the line's rows, root first
	Receipts []Receipt // the rows that arrived
	Fixed    []Field   // what can no longer be changed there
	Version  time.Time // the order's UpdatedAt
}

// Open returns the rows that have not arrived.
func (r Remote) Open() (open []Row) {
	for _, row := range r.Rows {
		if row.Received == nil {
			open = append(open, row)
		}
	}
	return open
}

// Fold returns the lines of an order. Rows with the same variant and group are one line: a partial
// receipt there shrinks a row to the rest, and adds rows for what arrived. The root is the row with
// the lowest id. A line's status comes from its own rows; of the order's state only the draft counts.
func Fold(order Order) []Remote {
	if order.Deleted {
		return nil
	}
	type key struct{ variant, group string }
	lines, at := []Remote{}, map[key]int{}
	rows := slices.Clone(order.Rows)
	slices.SortStableFunc(rows, func(a, b Row) int { return compareIDs(a.ID, b.ID) })
	for _, row := range rows {
		if row.Deleted {
			continue
		}
		k := key{row.Variant, row.Group}
		if _, known := at[k]; !known {
			at[k] = len(lines)
			lines = append(lines, Remote{Key: Key{Root: row.ID, Variant: row.Variant, Group: row.Group},
				Version: order.UpdatedAt, Line: Line{Variant: row.Variant, Supplier: order.Supplier, Currency: order.Currency}})
		}
		line := &lines[at[k]]
		line.Rows = append(line.Rows, row)
	}
	for i := range lines {
		lines[i].sum(order.State)
	}
	return lines
}

// sum computes the line from its rows.
func (r *Remote) sum(order State) {
	for _, row := range r.Rows {
		r.Quantity = r.Quantity.Add(row.Quantity)
		if row.Received != nil {
			r.Received = r.Received.Add(row.Quantity)
			r.Receipts = append(r.Receipts, Receipt{ID: row.ID, Quantity: row.Quantity, At: *row.Received})
		}
	}
	// What is open has the price and the day that still matter.
	current := r.Open()
	if len(current) == 0 {
		current = r.Rows[len(r.Rows)-1:]
	}
	r.Price = current[0].Price
	for _, row := range current {
		if row.Expected != nil && (r.Expected == nil || row.Expected.Before(*r.Expected)) {
			r.Expected = row.Expected
		}
	}
	r.Status = StatusOf(r.state(order))
	r.Fixed = r.fixed(order)
}

func (r *Remote) state(order State) State {
	switch open := r.Quantity.Sub(r.Received); {
	case order == Draft:
		return Draft
	case r.Received.IsZero():
		return NotReceived
	case open.IsPositive():
		return PartiallyReceived
	}
	return Received
}

// fixed returns what can no longer be changed: supplier and currency once a part of the order has
// arrived, the article once a part of the line has, price and day once all of it has.
func (r *Remote) fixed(order State) (fixed []Field) {
	if order == PartiallyReceived || order == Received {
		fixed = append(fixed, FieldSupplier, FieldCurrency)
	}
	if r.Received.IsPositive() {
		fixed = append(fixed, FieldVariant)
	}
	if len(r.Open()) == 0 {
		fixed = append(fixed, FieldPrice, FieldExpected)
	}
	if order == Received {
		fixed = append(fixed, FieldQuantity)
	}
	return fixed
}

// Find returns the line of an order that a key means, or nil.
func Find(lines []Remote, key Key) *Remote {
	for i := range lines {
		if slices.ContainsFunc(lines[i].Rows, func(row Row) bool { return row.ID == key.Root }) {
			return &lines[i]
		}
	}
	for i := range lines {
		if lines[i].Key.Variant == key.Variant && lines[i].Key.Group == key.Group && key.Group != "" {
			return &lines[i]
		}
	}
	return nil
}

// compareIDs orders numbers as numbers, and before other ids.
func compareIDs(a, b string) int {
	x, badA := strconv.ParseInt(a, 10, 64)
	y, badB := strconv.ParseInt(b, 10, 64)
	switch {
	case badA == nil && badB == nil:
		return cmp.Compare(x, y)
	case badA == nil:
		return -1
	case badB == nil:
		return 1
	}
	return cmp.Compare(a, b)
}

// Field is a part of a line that both sides know.
type Field string

// The fields. Their order is the order in which they are compared and shown.
const (
	FieldStatus   Field = "status"
	FieldVariant  Field = "variant"
	FieldSupplier Field = "supplier"
	FieldCurrency Field = "currency"
	FieldQuantity Field = "quantity"
	FieldPrice    Field = "price"
	FieldExpected Field = "expected_arrival"
	FieldReceipts Field = "receipts"
)

// Line is a line as both sides can know it. What only exists here (who made and approved it, its
// recommendation, its note) is no part of it, and is therefore never touched.
type Line struct {
	Status     purchase.Status
	Variant    string
	Supplier   string
	Currency   string
	Quantity   decimal.Decimal // ordered
	Price      *decimal.Decimal
	Expected   *time.Time // a date
	Received   decimal.Decimal
	ReceivedAt time.Time // of the latest receipt here
}
