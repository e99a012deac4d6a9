package currency_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/currency"
)

func TestCode(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		"EUR": "EUR", "eur": "EUR", "Gbp": "GBP", "CHF": "CHF", "XCG": "XCG", "HRK": "HRK",
		"": "", "EU": "", "EURO": "", "XQZ": "", "€": "", "978": "", " EUR": "", "EUR ": "", "eıR": "", "BTC": "",
	} {
		code, known := currency.Code(sent)
		require.Equal(t, want, code, sent)
		require.Equal(t, want != "", known, sent)
	}
}
