package purchase

import (
	"github.com/shopspring/decimal"
)

// Amounts tell apart what becomes of the money of a line: what was ordered has arrived, was
// given up, or is still expected. When more arrived than was ordered (an over-receipt),
// Received counts all of it, and is the larger by the value of the excess. In every other
// case Ordered = Received + GivenUp + Expected.
type Amounts struct {
	Ordered, Received, GivenUp, Expected decimal.Decimal
}

// Amounts are what the line comes to, at its price. A line that is not ordered yet (a draft,
// or pending approval), a cancelled line and a line without a price count nowhere.
func (l Line) Amounts() (a Amounts) {
	if l.Price == nil || l.Status != Ordered && l.Status != PartiallyReceived && l.Status != Received {
		return a
	}
	a.Ordered, a.Received = l.Price.Mul(l.QuantityOrdered), l.Price.Mul(l.QuantityReceived)
	rest := l.Price.Mul(decimal.Max(l.QuantityOrdered.Sub(l.QuantityReceived), decimal.Zero))
	if l.Status == Received {
		a.GivenUp = rest
	} else {
		a.Expected = rest
	}
	return a
}

// ClosedShort says that the line is at its end, and less arrived than was ordered. The
// stored status is received.
func (l Line) ClosedShort() bool {
	return l.Status == Received && l.QuantityReceived.LessThan(l.QuantityOrdered)
}

func (a Amounts) plus(b Amounts) Amounts {
	return Amounts{a.Ordered.Add(b.Ordered), a.Received.Add(b.Received), a.GivenUp.Add(b.GivenUp),
		a.Expected.Add(b.Expected)}
}
