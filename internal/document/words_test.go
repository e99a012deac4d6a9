package document

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
)

// TestEveryLanguageHasEveryWord compares all languages with English: no word is missing, and each takes
// the same values.
func TestEveryLanguageHasEveryWord(t *testing.T) {
	t.Parallel()
	require.Len(t, dictionary, len(Languages()))
	english := reflect.ValueOf(dictionary["en"])
	for _, code := range Languages() {
		words := reflect.ValueOf(dictionary[code])
		require.Equal(t, code, In(code).Language)
		for i := range words.NumField() {
			name := words.Type().Field(i).Name
			if name == "Language" {
				continue
			}
			if words.Field(i).Kind() == reflect.Slice {
				require.Equal(t, 12, words.Field(i).Len(), "%s %s", code, name)
				continue
			}
			word := words.Field(i).String()
			require.NotEmpty(t, word, "%s %s", code, name)
			require.Equal(t, strings.Count(english.Field(i).String(), "%"), strings.Count(word, "%"), "%s %s", code, name)
		}
	}
}

func TestLanguagesWriteDaysAndNumbers(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 8, 1, 0, 0, 0, 0, time.UTC)
	for code, want := range map[string][]string{
		"en":    {"1 August 2026", "1 Aug 2026", "1,234,567.5", "-1,000.00 EUR"},
		"de-CH": {"1. August 2026", "01.08.2026", "1.234.567,5", "-1.000,00 EUR"},
		"fr":    {"1 août 2026", "01/08/2026", "1\u00a0234\u00a0567,5", "-1\u00a0000,00 EUR"},
		"es":    {"1 de agosto de 2026", "01/08/2026", "1.234.567,5", "-1.000,00 EUR"},
		"it":    {"1 agosto 2026", "01/08/2026", "1.234.567,5", "-1.000,00 EUR"},
		"nl":    {"1 augustus 2026", "01-08-2026", "1.234.567,5", "-1.000,00 EUR"},
		"pl":    {"1 August 2026", "1 Aug 2026", "1,234,567.5", "-1,000.00 EUR"},
	} {
		words := In(code)
		require.Equal(t, want, []string{words.Day(day), words.ShortDay(day), words.Number(decimal.RequireFromString("1234567.5")),
			words.Amount(decimal.NewFromInt(-1000), "EUR")}, code)
	}
	english := In("en")
	require.Equal(t, "0.00", english.Amount(decimal.Zero, ""))
	require.Equal(t, "1.005 EUR", english.Amount(decimal.RequireFromString("1.005"), "EUR"))
	require.Equal(t, "999", english.Number(decimal.NewFromInt(999)))
}
