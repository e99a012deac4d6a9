package purchase

import (
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/plausible"
)

// largest is the greatest quantity, price and amount. The registry has the same bound for the records that systems send.
var largest = decimal.NewFromInt(plausible.Most)

func withinBound(field string, n decimal.Decimal) error {
	if n.GreaterThan(largest) {
		return fault.InField(field, "range", "%s is too much; give at most %s", n, largest)
	}
	return nil
}

// bounded refuses a new quantity or price above the bound: the sum of two receipts may be above it, although neither is.
// Whatever else of a line that is above it already can still be changed.
func bounded(before, after row) error {
	for _, one := range []struct {
		field    string
		was, now decimal.Decimal
	}{
		{"quantity_ordered", before.QuantityOrdered, after.QuantityOrdered},
		{"quantity_received", before.QuantityReceived, after.QuantityReceived},
		{"price_per_unit", before.price(), after.price()},
	} {
		if one.now.Equal(one.was) {
			continue
		}
		if err := withinBound(one.field, one.now); err != nil {
			return err
		}
	}
	return nil
}

// price is zero for a line without a price.
func (r row) price() decimal.Decimal {
	if r.PricePerUnit == nil {
		return decimal.Zero
	}
	return *r.PricePerUnit
}
