package written_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quayside/quayside/internal/written"
	"github.com/quayside/quayside/test/property"
)

// TestForms reads texts in every form. An empty result: the text is not in that form.
func TestForms(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]map[written.Form]string{
		"1.240":                   {written.PointDecimal: "1.240", written.CommaDecimal: "1240"},
		"1,240":                   {written.PointDecimal: "1240", written.CommaDecimal: "1.240"},
		"1.240,50":                {written.CommaDecimal: "1240.50"},
		"1,240.50":                {written.PointDecimal: "1240.50"},
		"1.234.567,8":             {written.CommaDecimal: "1234567.8"},
		"1,5":                     {written.CommaDecimal: "1.5"},
		"12":                      {written.PointDecimal: "12", written.CommaDecimal: "12"},
		"007":                     {written.PointDecimal: "7", written.CommaDecimal: "7"},
		"0,00":                    {written.CommaDecimal: "0.00"},
		"0.125":                   {written.PointDecimal: "0.125"}, // thousands do not begin with a zero
		"0,125":                   {written.CommaDecimal: "0.125"},
		" -1\u00a0240,5 ":         {written.CommaDecimal: "-1240.5"},
		"\u22121\u202f240.5":      {written.PointDecimal: "-1240.5"},
		"1'240.5":                 {written.PointDecimal: "1240.5"},
		"1\u2019240":              {written.PointDecimal: "1240", written.CommaDecimal: "1240"},
		"1 240'500":               {}, // two ways to part thousands
		"1,24,0":                  {},
		"12,40.5":                 {},
		"1.2.3":                   {},
		"1e5":                     {},
		"€ 5":                     {}, // a currency must not get lost
		"5 %":                     {},
		"":                        {},
		"31.12.2026":              {written.DayFirst: "2026-12-31"},
		"12/31/2026":              {written.MonthFirst: "2026-12-31"},
		"3/4/2026":                {written.DayFirst: "2026-04-03", written.MonthFirst: "2026-03-04"},
		"2026/3/4":                {written.YearFirst: "2026-03-04"},
		"20260304":                {written.YearFirst: "2026-03-04", written.PointDecimal: "20260304", written.CommaDecimal: "20260304"},
		"31.12.2026 9:30":         {written.DayFirst: "2026-12-31T09:30:00"},
		"31.12.2026, 09:30:15":    {written.DayFirst: "2026-12-31T09:30:15"},
		"20261231 9:30":           {written.YearFirst: "2026-12-31T09:30:00"},
		"20261231T09:30:15":       {written.YearFirst: "2026-12-31T09:30:15"},
		"31.12/2026":              {},
		"31.02.2026":              {},
		"31.12.26":                {}, // which century?
		"31.12.2026 25:00":        {},
		"2026111":                 {written.PointDecimal: "2026111", written.CommaDecimal: "2026111"},
		"00.00.0000":              {},
		"31.12.2026 or some time": {},
	} {
		for _, form := range append(append([]written.Form{}, written.Numbers...), written.Days...) {
			number, isNumber := form.Number(text)
			day, isDay := form.Day(text)
			require.False(t, isNumber && isDay, "%q as %s", text, form)
			got := ""
			if isNumber {
				got = number
			} else if isDay {
				got = day
			}
			require.Equal(t, want[form], got, "%q as %s", text, form)
		}
	}
}

// TestReadingsStay checks that what was read is read the same again.
func TestReadingsStay(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[+-]?[0-9]{0,4}[.,' /-]?[0-9]{0,3}[.,' /-]?[0-9]{0,4}`).Draw(t, "text")
		for _, form := range written.Numbers {
			if number, ok := form.Number(text); ok {
				again, ok := written.PointDecimal.Number(number)
				require.True(t, ok, number)
				require.Equal(t, number, again)
			}
		}
		for _, form := range written.Days {
			if day, ok := form.Day(text); ok {
				again, ok := written.YearFirst.Day(day)
				require.True(t, ok, day)
				require.Equal(t, day, again)
			}
		}
	})
}
