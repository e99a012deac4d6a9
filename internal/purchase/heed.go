package purchase

import (
	"time"

	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
)

// This file has the rules for what external systems say about lines that people work on: how far receipts that people
// booked hold, and what a key may order. They depend only on the line as it is, on what is said of it, and on what the key
// may. KeyGate applies them.

// Floor returns the quantity received to store when an external system says one: not less than what people have booked
// here. The line may have less than that, since a sync with an inventory system may take receipts back; then that is
// the least.
func Floor(here *decimal.Decimal, received, said decimal.Decimal) decimal.Decimal {
	if here == nil {
		return said
	}
	return decimal.Max(said, decimal.Min(*here, received))
}

// draftedHere reports whether a person or an agent made the line.
func (r row) draftedHere() bool { return r.CreatedByType != nil }

// unordered reports whether nobody has ordered the line yet, or not again since it was taken back. A line that was cancelled
// as a draft is still unordered: cancelling it is no way to order it.
func (r row) unordered() bool {
	status := Status(r.Status)
	return status == Draft || status == PendingApproval || status == Cancelled && r.approval.ApprovedQuantity == nil
}

// admits reports whether a record moves the line to a status if its key may not order what was drafted here.
func (r row) admits(to Status) bool {
	return !isOrdered(to) || !r.draftedHere() || !r.unordered()
}

// told is what an external system's record says about a line.
type told struct {
	row                // the line with the record's values
	status        bool // whether the record names a status
	ordersDrafted bool // whether its key may order what was drafted here
	by            auth.Actor
	at            time.Time
}

// heeded is a line as it is stored after an external system's record.
type heeded struct {
	row
	jumped bool // the record gave the line another status
	moved  bool // the rules gave the line another status than the record did
	sealed bool // its approval has changed
	above  bool // the record's deal is above the approval, and the line cannot go back for approval
}

// heed returns the line to store after a record. Without the right to order what was drafted here, the record does not
// order such a line, and other values than the approved ones have the consequences of a person's edit. An edit that a person
// would be refused is stored as it is said, and flagged.
func (r Rules) heed(before row, said told) heeded {
	after := said.row
	after.leaveNeed(before)
	after.QuantityReceived = Floor(before.ReceivedHere, before.QuantityReceived, said.QuantityReceived)
	if said.ordersDrafted || !before.draftedHere() {
		return heeded{row: after}
	}
	if !before.admits(Status(after.Status)) {
		after.Status = before.Status
	}
	was, edited := before, after
	was.Status, edited.Status = string(before.settled(before, false)), string(after.settled(before, said.status))
	status := edited.Status
	if err := r.follow(was, &edited, said.by, said.at); err != nil {
		return heeded{row: after, above: status != string(Cancelled) && r.surpasses(before, after)}
	}
	moved := edited.Status != status
	if !moved {
		edited.Status = after.Status // the triggers settle it
	}
	return heeded{row: edited, jumped: status != was.Status, moved: moved,
		sealed: moved || string(edited.approval.MoneyHash) != string(before.approval.MoneyHash)}
}

// surpasses reports whether another deal, or one that counts again, is above what was approved, or above what it was if an
// external system ordered the line.
func (r Rules) surpasses(before, after row) bool {
	again := Status(before.Status) == Cancelled
	if !again && string(before.moneyHash()) == string(after.moneyHash()) && before.OrderNo == after.OrderNo {
		return false
	}
	if before.approval.ApprovedQuantity == nil {
		before.approval.seal(before)
	}
	return after.deal().exceeds(before.approval.deal(), r.Reapproval)
}

// settled returns the status by which a line is judged: the one that follows from its receipts, as the database gives it. A line
// of which nothing has arrived is an order, whatever a record calls it. Receipts that are taken back open a received line again,
// unless the record names the status.
func (r row) settled(before row, named bool) Status {
	status := Status(r.Status)
	if status == Received && before.Status == r.Status && !named &&
		r.QuantityReceived.LessThan(before.QuantityReceived) && r.QuantityReceived.LessThan(r.QuantityOrdered) {
		status = Ordered
	}
	switch {
	case status != Ordered && status != PartiallyReceived:
		return status
	case r.QuantityReceived.IsPositive():
		return arrived(r.QuantityOrdered, r.QuantityReceived)
	}
	return Ordered
}
