// Package inventory holds what the service and an external inventory system say to each other about
// purchase orders: the System that a vendor's folder implements, the mapping of statuses, and the
// rules by which two versions of a line become one.
//
// Everything here is pure. A System does the talking, Fold turns its rows into lines, Merge compares
// a line on both sides with what they last agreed on, and Plan does so for a whole order. Nothing
// trusts what was said before: a caller reads the order, plans, writes, and reads again, so that a
// lost answer, an echo or a message out of order changes nothing.
//
// Quantities and prices are in the units in which articles are stocked here. Ids of suppliers,
// variants and locations are those of the inventory system; whoever calls translates them.
package inventory

import (
	"context"
	"time"

	"github.com/shopspring/decimal"
)

// System is one connected inventory system. Each vendor has a folder below this one.
//
// Calls do not retry and do not wait; the error says what may be done next (see errors.go). Writes
// are not atomic over several rows: after an error, read the order again before writing again.
type System interface {
	// Name is what lines store as external_system.
	Name() string
	// Changed returns one page of the orders that changed at or after a moment, deleted ones
	// included. An order may appear on two pages; none is left out.
	Changed(ctx context.Context, from Cursor) (Changes, error)
	// Get returns one order. A deleted one is NotFound or marked as deleted.
	Get(ctx context.Context, id string) (Order, error)
	// Find returns the order with this number and our reference. It is NotFound if no order has the
	// number, and Taken if one has it without our reference: then a person must look.
	Find(ctx context.Context, number, reference string) (Order, error)
	// Create makes an order. It does not look for one that exists: call Find before.
	Create(ctx context.Context, order NewOrder) (Order, error)
	// Change changes an order and returns it as it is then.
	Change(ctx context.Context, change Change) (Order, error)
	// Receive books what arrived of an order's lines. It refuses more than is open.
	Receive(ctx context.Context, order string, arrivals []Arrival) error
	// Delete deletes an order. One that does not exist is NotFound.
	Delete(ctx context.Context, order string) error

	// Suppliers, Variants, Variant and Locations are for the maps of ids. Variants returns those with one of
	// these SKUs; a SKU may have none, one or several. Variant returns the one with an id.
	Suppliers(ctx context.Context) ([]Supplier, error)
	Variants(ctx context.Context, skus []string) ([]Variant, error)
	Variant(ctx context.Context, id string) (Variant, error)
	Locations(ctx context.Context) ([]Location, error)
}

// Order is a purchase order of the inventory system.
type Order struct {
	ID        string
	Number    string
	Reference string // ours, if it carries one
	State     State
	Supplier  string
	Location  string
	Currency  string
	Rows      []Row
	UpdatedAt time.Time // by the other system's clock; includes changes of rows
	Deleted   bool
}

// Row is a row of an order. One line of ours can be several rows: see Fold.
type Row struct {
	ID       string
	Variant  string
	Group    string // shared by the rows that one row was split into
	Quantity decimal.Decimal
	Price    *decimal.Decimal // of one unit
	Expected *time.Time       // a date
	Received *time.Time       // nil: it has not arrived
	Deleted  bool
}

// NewOrder is an order to create.
type NewOrder struct {
	Number, Reference            string
	State                        State // Draft or NotReceived
	Supplier, Location, Currency string
	Rows                         []NewRow
}

// NewRow is a row to create.
type NewRow struct {
	Variant  string
	Quantity decimal.Decimal
	Price    *decimal.Decimal
	Expected *time.Time
}

// Change is what to change about an order. Empty and nil fields stay as they are.
type Change struct {
	Order     string
	Reference string // written again if somebody wiped it
	State     State
	Supplier  string
	Currency  string
	Lines     []LineChange
	Add       []NewRow
}

// LineChange is what to change about one line of an order.
type LineChange struct {
	Key      Key
	Delete   bool             // all of its rows; refused if one was received
	Quantity *decimal.Decimal // the whole line, what was received included
	Price    *decimal.Decimal // of what is still open
	Expected *time.Time
	Variant  string
}

// Arrival is what arrived of a line.
type Arrival struct {
	Key      Key
	Quantity decimal.Decimal
	At       time.Time
}

// Receipt is one arrival that is booked.
type Receipt struct {
	ID       string // of the row there; empty for a correction that only exists here
	Quantity decimal.Decimal
	At       time.Time
}

// Supplier is a supplier of the inventory system.
type Supplier struct{ ID, Name, Currency string }

// Variant is an article of the inventory system.
type Variant struct{ ID, SKU, Name string }

// Location is a warehouse of the inventory system.
type Location struct{ ID, Name string }

// Cursor is a place in the list of changed orders.
type Cursor struct {
	Since time.Time
	Page  int // from 1; 0 is the first
}

// Changes is a page of changed orders.
type Changes struct {
	Orders []Order
	Next   *Cursor // nil: this was the last page
}

// Overlap is how far polling goes back behind the newest change that it has seen: changes become
// visible late and out of order.
const Overlap = 5 * time.Minute

// Watermark returns where the next poll begins, after a poll from since that returned these orders to
// its last page. It uses the other system's clock only, and never goes back.
func Watermark(since time.Time, orders []Order) time.Time {
	for _, order := range orders {
		if from := order.UpdatedAt.Add(-Overlap); from.After(since) {
			since = from
		}
	}
	return since
}
