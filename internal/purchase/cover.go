package purchase

import (
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/fault"
)

// This file is the rule of what an approval covers: functions of values alone. Edits, splits, suppliers' confirmations and
// records (edit.go, split.go, confirm.go, gate.go) ask it, and so does the list of lines above their approval.

// deal is what an approval is given for.
type deal struct {
	orderNo, sku                    string
	productID, supplierID, currency *string
	quantity                        decimal.Decimal
	price                           *decimal.Decimal
}

// exceeds reports whether a deal needs a new approval.
func (d deal) exceeds(approved deal, percent decimal.Decimal) bool {
	return len(d.excess(approved, percent)) > 0
}

// excess names what needs a new approval: article, supplier, currency and order that are not the approved ones, and a
// quantity and price that are higher by more than a percentage.
func (d deal) excess(approved deal, percent decimal.Decimal) (columns []string) {
	for _, is := range []struct {
		column string
		other  bool
	}{
		{"sku", d.sku != approved.sku}, {"product_id", !equal(d.productID, approved.productID)},
		{"supplier_id", !equal(d.supplierID, approved.supplierID)}, {"currency", !equal(d.currency, approved.currency)},
		{"order_no", d.orderNo != approved.orderNo}, {"quantity_ordered", risen(approved.quantity, d.quantity, percent)},
		{"price_per_unit", priceRisen(approved.price, d.price, percent)},
	} {
		if is.other {
			columns = append(columns, is.column)
		}
	}
	return columns
}

// risen reports whether a number is higher than the approved one by more than a percentage. It does not divide, so it is exact.
func risen(approved, now, percent decimal.Decimal) bool {
	return now.Mul(hundred).GreaterThan(approved.Mul(hundred.Add(percent)))
}

func priceRisen(approved, now *decimal.Decimal, percent decimal.Decimal) bool {
	if approved == nil || now == nil {
		return (approved == nil) != (now == nil)
	}
	return risen(*approved, *now, percent)
}

// standing returns the status of an ordered line that has become a deal: the same, or pending approval if it exceeds
// what was approved. A line that arrived in part cannot go back for approval; it is refused.
func standing(now Status, is, approved deal, percent decimal.Decimal) (Status, error) {
	switch {
	case !is.exceeds(approved, percent):
		return now, nil
	case now == PartiallyReceived:
		return now, fault.New(fault.Conflict, "partly_received",
			"a part of it has arrived, so it cannot go back for approval; close it short and order the rest anew")
	}
	return PendingApproval, nil
}

// divide divides an approved quantity when a part is split off a line of which so many were ordered. The part gets its
// share in proportion, rounded down to a unit that the part is a whole number of; the rest stays with the line. So
// both together are approved as the line was, and a line of which no more was ordered than approved has parts of which
// no more is ordered than approved.
func divide(approved, ordered, part, multiple decimal.Decimal) (rest, of decimal.Decimal) {
	unit := unitOf(part, multiple)
	units, _ := approved.Mul(part).QuoRem(ordered.Mul(unit), 0)
	of = units.Mul(unit)
	return approved.Sub(of), of
}

// finest is the smallest step between two quantities; number() accepts six decimals.
var finest = decimal.New(1, -6)

// unitOf returns the largest unit that a quantity is a whole number of: what the article is ordered in, one piece, or the
// finest step for goods that are sold by weight or length.
func unitOf(quantity, multiple decimal.Decimal) decimal.Decimal {
	switch {
	case multiple.IsPositive() && quantity.Mod(multiple).IsZero():
		return multiple
	case quantity.IsInteger():
		return decimal.NewFromInt(1)
	}
	return finest
}

// deal returns what the line is now.
func (r row) deal() deal {
	return deal{orderNo: r.OrderNo, sku: r.Sku, productID: r.ProductID, supplierID: r.SupplierID, currency: r.Currency,
		quantity: r.QuantityOrdered, price: r.PricePerUnit}
}

// deal returns what was approved; there must be an approval.
func (a approval) deal() deal {
	return deal{orderNo: deref(a.ApprovedOrderNo), sku: deref(a.ApprovedSku), productID: a.ApprovedProductID,
		supplierID: a.ApprovedSupplierID, currency: a.ApprovedCurrency, quantity: *a.ApprovedQuantity, price: a.ApprovedPrice}
}
