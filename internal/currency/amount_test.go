package currency_test

import (
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/currency"
)

func TestShow(t *testing.T) {
	t.Parallel()
	for amount, want := range map[string]string{
		"0": "EUR 0.00", "0.5": "EUR 0.50", "12.5": "EUR 12.50", "999.99": "EUR 999.99", "1000": "EUR 1,000.00",
		"1788.48": "EUR 1,788.48", "123456.7": "EUR 123,456.70", "1234567.000": "EUR 1,234,567.00", "0.0125": "EUR 0.0125",
		"1234.5670": "EUR 1,234.5670", "-1788.48": "EUR -1,788.48", "-100": "EUR -100.00", "1e6": "EUR 1,000,000.00",
	} {
		require.Equal(t, want, currency.Show(decimal.RequireFromString(amount), "EUR"), amount)
	}
	require.Equal(t, "1,000.00", currency.Show(decimal.NewFromInt(1000), ""))
}
