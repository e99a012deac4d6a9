package purchase

import (
	"context"
	"encoding/json"
	"time"

	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// Arrival is the quantity of a line that arrived.
type Arrival struct {
	Ref
	Quantity string // empty: all that is still open
}

// Delivery is a set of arrivals at one time.
type Delivery struct {
	Arrivals []Arrival
	At       time.Time // zero: now
	Note     string
	Over     bool // confirms an over-receipt beyond the rules
}

// Receive books arrivals. The database sets the status: partially received, or received once
// the whole quantity has arrived.
func (s *Service) Receive(ctx context.Context, by auth.Principal, delivery Delivery) ([]Line, error) {
	quantities, refs, err := delivery.read()
	if err != nil {
		return nil, err
	}
	return s.change(ctx, by, Receive, refs, delivery.Note, func(ctx context.Context, c *change, r *row) error {
		came := quantities[r.ID]
		if came.IsZero() {
			came = r.QuantityOrdered.Sub(r.QuantityReceived)
		}
		if !came.IsPositive() {
			return fault.InField("quantity", "quantity", "nothing of it is still open; say how many arrived")
		}
		total := r.QuantityReceived.Add(came)
		if c.rules.overReceived(r.QuantityOrdered, total) && !delivery.Over {
			return fault.New(fault.Conflict, "over_receipt",
				"%s were ordered and with these %s have arrived; confirm that you received more than was ordered",
				r.QuantityOrdered, total)
		}
		if total.GreaterThanOrEqual(r.QuantityOrdered) && !delivery.At.IsZero() {
			r.ReceivedAt = &delivery.At
		}
		return c.book(ctx, r, total, delivery.At)
	})
}

// read checks the arrivals.
func (d Delivery) read() (quantities map[string]decimal.Decimal, refs []Ref, err error) {
	if d.At.After(time.Now().Add(24 * time.Hour)) {
		return nil, nil, fault.InField("at", "at", "it cannot have arrived in the future")
	}
	quantities = map[string]decimal.Decimal{}
	listed := map[string]bool{}
	for _, arrival := range d.Arrivals {
		if listed[arrival.ID] && (arrival.Quantity == "" || quantities[arrival.ID].IsZero()) {
			return nil, nil, fault.InField("quantity", "quantity", "a line is listed twice; give a quantity both times")
		}
		listed[arrival.ID] = true
		if arrival.Quantity != "" {
			quantity, err := number("quantity", arrival.Quantity)
			if err != nil {
				return nil, nil, err
			}
			if quantity.IsZero() {
				return nil, nil, fault.InField("quantity", "quantity", "say how many arrived: more than zero")
			}
			quantities[arrival.ID] = quantities[arrival.ID].Add(quantity)
		}
		refs = append(refs, arrival.Ref)
	}
	return quantities, refs, nil
}

// book sets the quantity received, and tells the receipts trigger who booked it, when and why. Without a time it is now, and
// what is taken back counts when what it takes back did.
func (c *change) book(ctx context.Context, r *row, total decimal.Decimal, at time.Time) error {
	said := map[string]any{"actor": json.RawMessage(c.by.Actor.JSON()), "note": c.reason}
	if at.IsZero() && total.GreaterThan(r.QuantityReceived) {
		at = time.Now()
	}
	if !at.IsZero() {
		said["at"] = at
	}
	receipt, err := json.Marshal(said)
	if err != nil {
		return err
	}
	r.QuantityReceived = total
	return c.queries.DescribeReceipt(ctx, string(receipt))
}

// CloseShort closes lines whose rest will not come. Their receipts stay, and the last of them is the day on which the line was
// delivered, as far as it was: the day on which somebody gives up the rest says nothing of the supplier.
func (s *Service) CloseShort(ctx context.Context, by auth.Principal, refs []Ref, reason string) ([]Line, error) {
	reason, err := checkReason(reason)
	if err != nil {
		return nil, err
	}
	return s.change(ctx, by, CloseShort, refs, reason, func(ctx context.Context, c *change, r *row) error {
		last, err := c.queries.LastReceipt(ctx, q.LastReceiptParams{TenantID: by.Tenant, LineID: r.ID})
		if missing(err) { // an external system said that a part of nothing has arrived
			last, err = time.Now(), nil
		}
		if err != nil {
			return err
		}
		r.Status, r.ReceivedAt = string(Received), &last
		return nil
	})
}

// ownFor is how long a buyer may take back a receipt of their own.
const ownFor = 24 * time.Hour

// Correct takes receipts back until the given quantity is left. Without the permission to correct
// any receipt, the caller takes back what they booked themselves, last and within a day.
func (s *Service) Correct(ctx context.Context, by auth.Principal, ref Ref, received, reason string) ([]Line, error) {
	reason, err := checkReason(reason)
	if err != nil {
		return nil, err
	}
	total, err := number("quantity_received", received)
	if err != nil {
		return nil, err
	}
	return s.change(ctx, by, Correct, []Ref{ref}, reason, func(ctx context.Context, c *change, r *row) error {
		if total.GreaterThanOrEqual(r.QuantityReceived) {
			return fault.InField("quantity_received", "quantity",
				"a correction takes receipts back; %s are received, give a smaller number", r.QuantityReceived)
		}
		if err := c.ownReceipts(ctx, *r, r.QuantityReceived.Sub(total)); err != nil {
			return err
		}
		switch {
		case total.IsZero():
			r.Status = string(Ordered)
		case total.LessThan(r.QuantityOrdered):
			r.Status = string(PartiallyReceived)
		}
		if r.Status != string(Received) {
			r.ReceivedAt = nil
		}
		if err := c.book(ctx, r, total, time.Time{}); err != nil || r.Status != string(Ordered) || r.approval.ApprovedQuantity == nil ||
			!r.draftedHere() {
			return err
		}
		return c.rules.judgeOrder(r, by.Actor, time.Now()) // an external system may have changed it since
	})
}

// ownReceipts refuses to take back more than the caller booked since anybody else did.
func (c *change) ownReceipts(ctx context.Context, r row, taken decimal.Decimal) error {
	if c.by.Require(auth.CorrectReceipts) == nil {
		return nil
	}
	receipts, err := c.queries.ListLastReceipts(ctx, q.ListLastReceiptsParams{
		TenantID: c.by.Tenant, LineID: r.ID, Since: time.Now().Add(-ownFor),
	})
	if err != nil {
		return err
	}
	own := decimal.Zero
	for _, receipt := range receipts {
		var actor auth.Actor
		if json.Unmarshal(receipt.Actor, &actor) != nil || actor != c.by.Actor {
			break
		}
		own = own.Add(receipt.Quantity)
	}
	if taken.GreaterThan(own) {
		return fault.New(fault.Forbidden, "not_your_receipt",
			"you can take back %s: what you booked yourself, last and within a day; a Company-Admin can correct the rest",
			decimal.Max(own, decimal.Zero))
	}
	return nil
}
