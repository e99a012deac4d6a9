package purchase

import (
	"github.com/shopspring/decimal"
)

// Amounts splits the money of an ordered line: received, given up, or still expected. When
// more arrived than was ordered (an over-receipt), Received counts all of it and exceeds
// Ordered. In every other case Ordered = Received + GivenUp + Expected.
type Amounts struct {
	Ordered, Received, GivenUp, Expected decimal.Decimal
}

// Amounts returns the line's quantities multiplied by its price. They are zero for a line that
// is not ordered yet, is cancelled or has no price.
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

// ClosedShort reports whether the line was closed although less arrived than was ordered. Its
// stored status is received.
func (l Line) ClosedShort() bool {
	return l.Status == Received && l.QuantityReceived.LessThan(l.QuantityOrdered)
}

func (a Amounts) plus(b Amounts) Amounts {
	return Amounts{a.Ordered.Add(b.Ordered), a.Received.Add(b.Received), a.GivenUp.Add(b.GivenUp),
		a.Expected.Add(b.Expected)}
}
