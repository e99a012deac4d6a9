package inventory

import (
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/purchase"
)

// scalars are the fields that have one value on each side and nothing else to them.
var scalars = []Field{FieldVariant, FieldSupplier, FieldCurrency, FieldQuantity, FieldPrice, FieldExpected}

// total is the quantity that the other side sees: rows that arrived and rows that are open. A line that
// was closed short has nothing open, and what arrived beyond the order counts as ordered.
func (l Line) total() decimal.Decimal {
	if l.Status == purchase.Received && l.Received.IsPositive() || l.Received.GreaterThan(l.Quantity) {
		return l.Received
	}
	return l.Quantity
}

const dateForm = "2006-01-02"

// Value returns a field as text, for people: as it is compared.
func (l Line) Value(f Field) string { return l.value(f) }

// value returns a scalar field as text. Equal values have equal texts; unknown ones are empty.
func (l Line) value(f Field) string {
	switch f {
	case FieldVariant:
		return l.Variant
	case FieldSupplier:
		return l.Supplier
	case FieldCurrency:
		return l.Currency
	case FieldQuantity:
		return l.total().String()
	case FieldPrice:
		if l.Price != nil {
			return l.Price.String()
		}
	case FieldExpected:
		if l.Expected != nil {
			return l.Expected.Format(dateForm)
		}
	case FieldStatus:
		return string(l.Status)
	case FieldReceipts:
		return l.Received.String()
	}
	return ""
}

// set copies a scalar field.
func (l *Line) set(f Field, from Line) {
	switch f {
	case FieldVariant:
		l.Variant = from.Variant
	case FieldSupplier:
		l.Supplier = from.Supplier
	case FieldCurrency:
		l.Currency = from.Currency
	case FieldQuantity:
		l.Quantity = from.total()
	case FieldPrice:
		l.Price = from.Price
	case FieldExpected:
		l.Expected = from.Expected
	case FieldStatus:
		l.Status = from.Status
	case FieldReceipts:
		l.Received = from.Received
	}
}
