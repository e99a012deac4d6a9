package purchase

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// External is where a line is in another system.
type External struct {
	System string
	Order  string // its id there
	Line   string // its id there
}

// Booking is a receipt that another system reports. A negative one takes an earlier one back.
type Booking struct {
	Quantity decimal.Decimal
	At       time.Time
}

// Taken is what another system says about a line. What is nil stays as it is.
type Taken struct {
	ID       string // empty: the line is new here
	External External
	Status   *Status
	SKU      *string
	Product  *string // with the SKU
	Supplier *string
	Currency *string
	Quantity *decimal.Decimal
	Price    *decimal.Decimal
	Expected *time.Time
	Bookings []Booking // each becomes a receipt of its own
}

// CodeStale is the code of the error that Take returns when a line is not as the caller saw it.
const CodeStale = "stale"

// Take writes what another system says about the lines of an order, in the caller's transaction, and returns
// their ids in the same sequence.
//
// It locks the order's lines first, in the sequence of their ids. Unless they are exactly those that the caller
// has seen, in these versions, it writes nothing and returns a Stale fault: what a person did meanwhile counts.
// It writes as external systems do, so the triggers flag what people could not have done. Approvals,
// recommendations, makers and notes stay as they are.
func Take(ctx context.Context, tx pgx.Tx, by auth.Principal, order string, seen []Ref, taken []Taken) ([]string, error) {
	if err := by.Require(auth.ReceiveLines); err != nil {
		return nil, err
	}
	t := &taking{change: change{by: by, queries: q.New(tx), tx: tx}, order: order}
	lines, err := t.lockSeen(ctx, seen)
	if err != nil {
		return nil, err
	}
	ids, made := make([]string, len(taken)), 0
	for i, one := range taken {
		r, known := lines[one.ID]
		switch {
		case one.ID == "":
			r, err = t.create(ctx, one)
			made++
		case !known:
			return nil, fault.New(fault.Stale, CodeStale, "the line %s is no longer part of the order %s", one.ID, order)
		}
		if err != nil {
			return nil, err
		}
		if err := t.take(ctx, &r, one); err != nil {
			return nil, err
		}
		ids[i] = r.ID
	}
	if made == 0 {
		return ids, nil
	}
	return ids, t.countNew(ctx, made)
}

// taking is what another system says about one order, on its way into the lines.
type taking struct {
	change
	order string
}

// lockSeen locks the order's lines and compares them with those that the caller has seen.
func (t *taking) lockSeen(ctx context.Context, seen []Ref) (map[string]row, error) {
	locked, err := t.queries.LockOrderLines(ctx,
		q.LockOrderLinesParams{TenantID: t.by.Tenant, WorkspaceID: t.by.Workspace, OrderNo: t.order})
	if err != nil {
		return nil, err
	}
	versions, lines := map[string]int64{}, map[string]row{}
	for _, ref := range seen {
		versions[ref.ID] = ref.Version
	}
	for _, line := range locked {
		if version, known := versions[line.ID]; !known || version != line.Version {
			return nil, fault.New(fault.Stale, CodeStale, "the line %s was changed meanwhile", line.ID)
		}
		lines[line.ID] = row{WorkspacePurchaseOrderLine: line}
	}
	if len(lines) < len(versions) {
		return nil, fault.New(fault.Stale, CodeStale, "a line was taken out of the order %s meanwhile", t.order)
	}
	return lines, nil
}

// create stores a line that exists only there so far. Its receipts follow.
func (t *taking) create(ctx context.Context, one Taken) (r row, err error) {
	if one.SKU == nil || one.Quantity == nil || one.Status == nil {
		return r, fault.New(fault.Internal, "taken", "a new line needs a SKU, a quantity and a status")
	}
	r.Status, r.OrderNo = string(*one.Status), t.order
	if isOrdered(*one.Status) {
		now := time.Now()
		r.Status, r.OrderedAt = string(Ordered), &now
	}
	one.apply(&r)
	if err := bounded(row{}, r); err != nil {
		return r, err
	}
	r.WorkspacePurchaseOrderLine, err = t.queries.InsertTakenLine(ctx, q.InsertTakenLineParams{
		TenantID: t.by.Tenant, WorkspaceID: t.by.Workspace, ID: uuid.Must(uuid.NewV7()).String(),
		ExternalID: one.External.System + ":" + one.External.Line, OrderNo: t.order, Sku: r.Sku, Status: r.Status,
		QuantityOrdered: r.QuantityOrdered, ExpectedArrivalDate: r.ExpectedArrivalDate, PricePerUnit: r.PricePerUnit,
		Currency: r.Currency, SupplierID: r.SupplierID, ProductID: r.ProductID, OrderedAt: r.OrderedAt,
		ExternalSystem: r.ExternalSystem, ExternalPoID: r.ExternalPoID, ExternalLineID: r.ExternalLineID,
	})
	if err != nil {
		return r, err
	}
	t.action = Create
	return r, t.record(ctx, row{}, r)
}

// take brings a line to what the other system says: its fields, then each receipt, then a status that does not
// follow from the receipts, such as cancelled or closed short. Each step has its own version and event.
func (t *taking) take(ctx context.Context, r *row, one Taken) error {
	want, before := Status(r.Status), *r
	if one.Status != nil {
		want = *one.Status
	}
	one.apply(r)
	switch {
	case isOrdered(want) && !isOrdered(Status(r.Status)):
		r.Status = string(Ordered)
		if r.OrderedAt == nil {
			now := time.Now()
			r.OrderedAt = &now
		}
	case want == Draft && r.Status != string(Draft):
		r.Status, r.OrderedAt = string(Draft), nil
	case want == Cancelled && len(one.Bookings) == 0:
		r.Status = string(Cancelled)
	}
	if err := t.step(ctx, before, r); err != nil {
		return err
	}
	last := time.Time{}
	for _, booking := range sequence(r.QuantityReceived, one.Bookings) {
		if err := t.bookTaken(ctx, r, booking, want); err != nil {
			return err
		}
		if booking.Quantity.IsPositive() && booking.At.After(last) {
			last = booking.At
		}
	}
	return t.close(ctx, r, want, last)
}

// close gives a line the status that does not follow from its receipts. A line that was closed short was so when
// the last of them arrived, as far as is known.
func (t *taking) close(ctx context.Context, r *row, want Status, last time.Time) error {
	if Status(r.Status) == want {
		return nil
	}
	before := *r
	r.Status, r.ReceivedAt = string(want), nil
	if want == Received {
		if last.IsZero() {
			last = time.Now()
		}
		r.ReceivedAt = &last
	}
	return t.step(ctx, before, r)
}

// bookTaken books one receipt. The status follows, except that a line which was closed and stays so is not opened
// in between.
func (t *taking) bookTaken(ctx context.Context, r *row, booking Booking, want Status) error {
	before, total := *r, r.QuantityReceived.Add(booking.Quantity)
	if total.IsNegative() {
		return fault.New(fault.Conflict, "receipts", "%s of %s are received, so %s cannot be taken back", r.QuantityReceived,
			r.Sku, booking.Quantity.Neg())
	}
	if isOrdered(Status(r.Status)) && (r.Status != string(Received) || want != Received) {
		r.Status, r.ReceivedAt = string(arrived(r.QuantityOrdered, total)), nil
	}
	if r.Status == string(Received) && booking.Quantity.IsPositive() {
		r.ReceivedAt = &booking.At
	}
	if err := t.book(ctx, r, total, booking.At); err != nil {
		return err
	}
	return t.step(ctx, before, r)
}

// arrived is the status of an ordered line by what has arrived.
func arrived(ordered, received decimal.Decimal) Status {
	switch {
	case !received.IsPositive():
		return Ordered
	case received.LessThan(ordered):
		return PartiallyReceived
	}
	return Received
}

func isOrdered(status Status) bool {
	return status == Ordered || status == PartiallyReceived || status == Received
}

// sequence returns receipts in their sequence, or with those first that add to the sum if it would be negative
// in between.
func sequence(received decimal.Decimal, bookings []Booking) []Booking {
	for _, booking := range bookings {
		if received = received.Add(booking.Quantity); received.IsNegative() {
			bookings = slices.Clone(bookings)
			slices.SortStableFunc(bookings, func(a, b Booking) int { return cmp.Compare(b.Quantity.Sign(), a.Quantity.Sign()) })
			break
		}
	}
	return bookings
}

// apply sets the fields that the other system names. A line keeps its place there.
func (one Taken) apply(r *row) {
	if one.SKU != nil {
		r.Sku, r.ProductID = *one.SKU, one.Product
	}
	if one.Supplier != nil {
		r.SupplierID = one.Supplier
	}
	if one.Currency != nil {
		r.Currency = one.Currency
	}
	if one.Quantity != nil {
		r.QuantityOrdered = *one.Quantity
	}
	if one.Price != nil {
		r.PricePerUnit = one.Price
	}
	if one.Expected != nil {
		r.ExpectedArrivalDate = date(one.Expected)
	}
	if one.External != (External{}) {
		r.ExternalSystem = &one.External.System
		r.ExternalPoID, r.ExternalLineID = some(one.External.Order), some(one.External.Line)
	}
}

func some(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// step stores one change with its event and audit row, unless there is none.
func (t *taking) step(ctx context.Context, before row, r *row) error {
	if was, _ := differences(before, *r); len(was) == 0 {
		return nil
	}
	if err := bounded(before, *r); err != nil {
		return err
	}
	stored, err := t.queries.UpdateTakenLine(ctx, q.UpdateTakenLineParams{
		TenantID: t.by.Tenant, ID: r.ID, Sku: r.Sku, Status: r.Status, QuantityOrdered: r.QuantityOrdered,
		QuantityReceived: r.QuantityReceived, ExpectedArrivalDate: r.ExpectedArrivalDate, PricePerUnit: r.PricePerUnit,
		Currency: r.Currency, SupplierID: r.SupplierID, ProductID: r.ProductID, OrderedAt: r.OrderedAt,
		ReceivedAt: r.ReceivedAt, ExternalSystem: r.ExternalSystem, ExternalPoID: r.ExternalPoID,
		ExternalLineID: r.ExternalLineID,
	})
	if err != nil {
		return err
	}
	r.WorkspacePurchaseOrderLine = stored
	t.action = deed(before, *r)
	return t.record(ctx, before, *r)
}

// deed names what a step did, in the words of what people do.
func deed(before, after row) Action {
	was, is := Status(before.Status), Status(after.Status)
	switch {
	case after.QuantityReceived.GreaterThan(before.QuantityReceived):
		return Receive
	case after.QuantityReceived.LessThan(before.QuantityReceived):
		return Correct
	case was != is && is == Cancelled:
		return Cancel
	case was == Cancelled && is != Cancelled:
		return Reopen
	case was != is && is == Received:
		return CloseShort
	}
	return Edit
}
