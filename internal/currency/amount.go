package currency

import (
	"strings"

	"github.com/shopspring/decimal"
)

// Show writes an amount for a sentence, such as "EUR 1,788.48": with two decimals, or all that it
// has if these are more. Without a code it is the number alone.
func Show(amount decimal.Decimal, code string) string {
	text := amount.StringFixed(max(2, -amount.Exponent()))
	if cents := amount.Round(2); cents.Equal(amount) {
		text = cents.StringFixed(2)
	}
	sign, digits := "", text
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		sign, digits = "-", rest
	}
	for at := strings.IndexByte(digits, '.') - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return strings.TrimSpace(code + " " + sign + digits)
}
