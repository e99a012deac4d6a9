package registry

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
)

// TestDefinitionsCountCharacters fills every text of a definition to the last character, and beyond it by one.
func TestDefinitionsCountCharacters(t *testing.T) {
	t.Parallel()
	column := func(c ColumnDefinition) Definition {
		c.Type = Text
		if c.Name == "" {
			c.Name = "tea"
		}
		return Definition{Title: "Teas", Columns: []ColumnDefinition{c}}
	}
	for name, tt := range map[string]struct {
		longest int
		define  func(text string) Definition
	}{
		"name":               {100, func(text string) Definition { return Definition{Title: text, Slug: "teas"} }},
		"description":        {2000, func(text string) Definition { return Definition{Title: "Teas", Description: text} }},
		"column description": {2000, func(text string) Definition { return column(ColumnDefinition{Description: text}) }},
		"choice":             {200, func(text string) Definition { return column(ColumnDefinition{Choices: []string{text}}) }},
		"default":            {1000, func(text string) Definition { return column(ColumnDefinition{Default: &text}) }},
		"limited default":    {5, func(text string) Definition { return column(ColumnDefinition{Default: &text, MaxLength: 5}) }},
		"example of a key":   {500, func(text string) Definition { return column(ColumnDefinition{Name: "external_id", Example: &text}) }},
		"example of another": {500, func(text string) Definition { return column(ColumnDefinition{References: "suppliers", Example: &text}) }},
	} {
		for _, one := range []string{"x", "ä", "茶", "🍵", "\u0308", "\u200b"} {
			_, err := tt.define(strings.Repeat(one, tt.longest)).check(nil)
			require.NoError(t, err, "%s of %d times %q", name, tt.longest, one)
			_, err = tt.define(strings.Repeat(one, tt.longest+1)).check(nil)
			require.ErrorContains(t, err, "longer than", "%s of %d times %q", name, tt.longest+1, one)
		}
	}
}

// TestNumbers reads decimals to the last digit and the last power of ten, and changes none.
func TestNumbers(t *testing.T) {
	t.Parallel()
	nines := strings.Repeat("9", 38)
	for text, want := range map[string]bool{
		nines: true, nines + "9": false, "0." + nines: true, "0.0" + nines: true, "-" + nines: true, "+" + nines: true,
		"1" + strings.Repeat("0", 37): true, "1" + strings.Repeat("0", 38): false, strings.Repeat("0", 100) + nines: true,
		nines[:20] + "." + nines[:18]: true, nines[:20] + "." + nines[:19]: false,
		"1e308": true, "1e309": false, "1e-308": true, "1e-309": false, "1E+5": true, "1e0005": true,
		".5": true, "5.": true, ".": false, "": false, "-": false, "e5": false, "1e": false, "1e5.0": false, "1.2.3": false,
		"--1": false, "1" + " ": false, "1,5": false, "٣": false, "１": false, "0x1": false, "Inf": false, "1_0": false,
	} {
		require.Equal(t, want, IsDecimal(text), text)
		for _, kind := range []jsontext.Kind{jsontext.KindString, jsontext.KindNumber} {
			got, coerced := Number.Read(text, kind, nil)
			if want {
				require.Equal(t, text, got, "exactly as it was sent")
				require.Equal(t, kind == jsontext.KindString, coerced)
			} else {
				require.Empty(t, got, text)
			}
		}
	}
	for text, want := range map[string]string{
		"+007.50": "7.50", "-0": "-0", ".5": "0.5", "5.": "5", "1E5": "1e5", "-.5e-3": "-0.5e-3", "000": "0", nines: nines,
		"0.10000000000000000000000000000000000001": "0.10000000000000000000000000000000000001",
	} {
		require.Equal(t, want, JSONNumber(text), text)
	}
	require.Equal(t, -1, Compare("0.99999999999999999999999999999999999998", "0.99999999999999999999999999999999999999"))
	require.Equal(t, 1, Compare("1e-2", "0.00999999999999999999999999999999999999"))
	require.Equal(t, 0, Compare("1.50", "15e-1"))
	require.Equal(t, 1, Compare("10", "9"), "as numbers, not as texts")
}
