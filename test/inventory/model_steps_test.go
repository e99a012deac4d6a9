package inventory_test

import (
	"fmt"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/quayside/quayside/internal/inventory"
	"github.com/quayside/quayside/internal/purchase"
)

// actHere does something that a person may do with a line in its status.
func (m *model) actHere(t *rapid.T) {
	line := m.lines[rapid.IntRange(0, len(m.lines)-1).Draw(t, "line")]
	deeds := map[purchase.Status][]string{
		purchase.Draft:             {"price", "quantity", "day", "submit", "submit", "cancel"},
		purchase.PendingApproval:   {"approve", "approve", "day", "send back", "cancel"},
		purchase.Ordered:           {"price", "quantity", "day", "receive", "receive", "raise", "cancel"},
		purchase.PartiallyReceived: {"price", "day", "receive", "close short", "correct", "quantity"},
		purchase.Received:          {"correct"},
		purchase.Cancelled:         {"reopen"},
	}
	l := &line.line
	switch rapid.SampledFrom(deeds[l.Status]).Draw(t, "deed") {
	case "price":
		l.Price = price(fmt.Sprint(rapid.IntRange(1, 9).Draw(t, "price")))
	case "quantity":
		l.Quantity = l.Received.Add(decimal.NewFromInt(rapid.Int64Range(1, 20).Draw(t, "quantity")))
	case "day":
		l.Expected = aDay(t)
	case "submit":
		l.Status = purchase.PendingApproval
	case "approve":
		l.Status = purchase.Ordered
		follow(l)
	case "send back", "reopen":
		l.Status = purchase.Draft
	case "raise":
		l.Price, l.Status = price("50"), purchase.PendingApproval
	case "cancel":
		if l.Received.IsZero() {
			l.Status = purchase.Cancelled
		}
	case "receive":
		line.book(inventory.Receipt{Quantity: decimal.NewFromInt(rapid.Int64Range(1, 12).Draw(t, "arrived")), At: m.when()})
		follow(l)
	case "close short":
		l.Status = purchase.Received
	case "correct":
		back := decimal.Min(l.Received, decimal.NewFromInt(rapid.Int64Range(1, 12).Draw(t, "taken back")))
		line.book(inventory.Receipt{Quantity: back.Neg(), At: m.when()})
		l.Status = purchase.Ordered
		follow(l)
	}
}

// follow sets an ordered line's status by what has arrived, as the database does.
func follow(l *inventory.Line) {
	switch {
	case l.Received.IsZero():
	case l.Received.LessThan(l.Quantity):
		l.Status = purchase.PartiallyReceived
	default:
		l.Status = purchase.Received
	}
}

func aDay(t *rapid.T) *time.Time {
	return day(fmt.Sprintf("2026-12-%02d", rapid.IntRange(1, 28).Draw(t, "day")))
}

// actThere does something that a person may do in the inventory system. What it refuses is not done.
func (m *model) actThere(t *rapid.T) {
	sku := rapid.SampledFrom(skus).Draw(t, "line")
	m.unreliable(false)
	some := func() decimal.Decimal { return decimal.NewFromInt(rapid.Int64Range(1, 9).Draw(t, "number")) }
	switch rapid.SampledFrom([]string{"receive", "receive", "receive", "day", "price", "quantity", "drop", "delete", "order",
		"set back", "take back"}).Draw(t, "deed") {
	case "receive":
		_ = m.server.Receive(number, sku, some(), m.when())
	case "day":
		_ = m.server.SetArrival(number, sku, *aDay(t))
	case "price":
		_ = m.server.SetPrice(number, sku, some())
	case "quantity":
		_ = m.server.SetQuantity(number, sku, some())
	case "drop":
		_ = m.server.Drop(number, sku)
	case "delete":
		if rapid.IntRange(0, 3).Draw(t, "really") == 0 {
			_ = m.server.Remove(number)
		}
	case "order":
		m.orderedThere = m.server.SetStatus(number, "NOT_RECEIVED") == nil || m.orderedThere
	case "set back":
		_ = m.server.SetStatus(number, "DRAFT")
	case "take back":
		if rapid.IntRange(0, 2).Draw(t, "really") == 0 {
			m.orderedThere = m.server.SetStatus(number, "NOT_RECEIVED") == nil || m.orderedThere
		}
	}
}
