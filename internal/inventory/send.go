package inventory

import (
	"context"
	"slices"

	"github.com/quayside/quayside/internal/fault"
)

// Header is what a new order needs besides its lines.
type Header struct{ Number, Reference, Location string }

// Send carries out what a plan writes there, in an order in which each step may be the last: read the
// order again and plan again after an error, and after success too. Nothing is created without looking
// for it first, so an order that was created in a call without an answer is found, not made again.
func (p Planned) Send(ctx context.Context, system System, header Header, order *Order, pairs []Pair) error {
	if p.Stale || p.Paused {
		return nil
	}
	if order == nil || order.Deleted {
		return p.create(ctx, system, header, pairs)
	}
	if p.writes() {
		if err := unchanged(ctx, system, *order); err != nil {
			return err
		}
	}
	if p.DeleteOrder {
		return system.Delete(ctx, order.ID)
	}
	change := Change{Order: order.ID, Reference: header.Reference, State: p.State}
	arrivals := []Arrival{}
	for i, pair := range pairs {
		w := p.Lines[i].There
		switch {
		case w.Create:
			change.Add = append(change.Add, newRow(w.Line))
			continue
		case w.Empty():
			continue
		}
		if w.Has(FieldSupplier) {
			change.Supplier = w.Line.Supplier
		}
		if w.Has(FieldCurrency) {
			change.Currency = w.Line.Currency
		}
		if line, some := w.change(pair.Theirs.Key); some {
			change.Lines = append(change.Lines, line)
		}
		for _, r := range w.Receipts {
			arrivals = append(arrivals, Arrival{Key: pair.Theirs.Key, Quantity: r.Quantity, At: r.At})
		}
	}
	if !change.empty() {
		if _, err := system.Change(ctx, change); err != nil {
			return err
		}
	}
	if len(arrivals) == 0 {
		return nil
	}
	return system.Receive(ctx, order.ID, arrivals)
}

// writes reports whether there is anything to write there.
func (p Planned) writes() bool {
	return p.State != Gone || slices.ContainsFunc(p.Lines, func(r Result) bool { return !r.There.Empty() })
}

// unchanged refuses a plan that was made from an older version of the order. Booking a receipt twice is
// worse than reading once more.
func unchanged(ctx context.Context, system System, planned Order) error {
	current, err := system.Get(ctx, planned.ID)
	if err != nil {
		return err
	}
	if !current.UpdatedAt.Equal(planned.UpdatedAt) {
		return fault.New(fault.Stale, CodeChanged, "the order has changed in the inventory system; plan again")
	}
	return nil
}

func (p Planned) create(ctx context.Context, system System, header Header, pairs []Pair) error {
	order := NewOrder{Number: header.Number, Reference: header.Reference, Location: header.Location, State: p.State}
	for i := range pairs {
		if w := p.Lines[i].There; w.Create {
			order.Supplier, order.Currency = w.Line.Supplier, w.Line.Currency
			order.Rows = append(order.Rows, newRow(w.Line))
		}
	}
	if len(order.Rows) == 0 {
		return nil
	}
	_, err := system.Find(ctx, header.Number, header.Reference)
	if !fault.HasCode(err, CodeNotFound) {
		return err // it exists after all: it is read and planned again
	}
	_, err = system.Create(ctx, order)
	return err
}

func newRow(l Line) NewRow {
	return NewRow{Variant: l.Variant, Quantity: l.total(), Price: l.Price, Expected: l.Expected}
}

// change returns the part of a write that changes a line's rows.
func (w Write) change(key Key) (line LineChange, some bool) {
	line = LineChange{Key: key, Delete: w.Delete}
	some = w.Delete
	for _, f := range w.Fields {
		switch f {
		case FieldQuantity:
			line.Quantity, some = &w.Line.Quantity, true
		case FieldPrice:
			line.Price, some = w.Line.Price, true
		case FieldExpected:
			line.Expected, some = w.Line.Expected, true
		case FieldVariant:
			line.Variant, some = w.Line.Variant, true
		case FieldStatus, FieldSupplier, FieldCurrency, FieldReceipts: // of the order, or received
		}
	}
	return line, some
}

func (c Change) empty() bool {
	return c.State == Gone && c.Supplier == "" && c.Currency == "" && len(c.Lines) == 0 && len(c.Add) == 0
}
