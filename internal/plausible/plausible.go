// Package plausible says which quantities, amounts of money and days can be true.
//
// A record that is beyond these bounds may be stored all the same: it came before there were bounds, or
// it is a date, which is only warned of. Whoever sums, averages or projects stored values leaves such a
// row out and says so. Limits that protect money never leave a row out.
//
// The functions workspace.plausible, workspace.plausible_cost, workspace.plausible_day and workspace.plausible_arrival of
// the database have the same rules.
package plausible

import (
	"math"
	"strconv"
	"time"

	"github.com/shopspring/decimal"
)

// Most is the greatest quantity, and the greatest amount of money, that is believed.
const Most = 1_000_000_000_000

// LongestDays is the longest time, in days, that is planned with.
const LongestDays = 3650

var most = decimal.NewFromInt(Most)

// Number reports whether x can be a quantity or an amount. Infinity and NaN cannot.
func Number(x float64) bool { return math.Abs(x) <= Most }

// Finite reports whether x is a number: neither infinite nor NaN.
func Finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// Amount is Number for a decimal.
func Amount(d decimal.Decimal) bool { return !d.Abs().GreaterThan(most) }

// Cost reports whether a line with this quantity and price can be true, and what it costs. A line without a
// price costs nothing.
func Cost(quantity decimal.Decimal, price *decimal.Decimal) bool {
	return Amount(quantity) && (price == nil || Amount(*price) && Amount(quantity.Mul(*price)))
}

// First is the first day that is believed: before it, a date is a default of some system or a mistake.
var First = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// Day reports whether something that is known since a day can have happened on another one: not before
// First, and not after the day after it became known. Both are midnights in UTC.
func Day(day, known time.Time) bool {
	return !day.Before(First) && !day.After(known.AddDate(0, 0, 1))
}

// Arrival reports whether something that is on order on a day can be expected on another one: not before First, and not
// after the longest time that is planned with. Both are midnights in UTC.
func Arrival(expected, today time.Time) bool {
	return !expected.Before(First) && !expected.After(today.AddDate(0, 0, LongestDays))
}

// Show writes a number for a sentence that says that it is not plausible: 5000000000000, or 1e+308.
func Show(x float64) string {
	if math.Abs(x) < 1e15 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}
