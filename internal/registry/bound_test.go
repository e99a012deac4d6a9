package registry

import (
	"math/big"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quayside/quayside/test/property"
)

// TestBelowAndAbove compares decimals as fractions do, whatever their spelling.
func TestBelowAndAbove(t *testing.T) {
	t.Parallel()
	compare := func(t require.TestingT, number, bound string) {
		n, _ := new(big.Rat).SetString(number)
		b, _ := new(big.Rat).SetString(bound)
		require.Equal(t, n.Cmp(b) < 0, Below(number, bound), "%s below %s", number, bound)
		require.Equal(t, n.Cmp(b) > 0, Above(number, bound), "%s above %s", number, bound)
	}
	known := []string{
		"0", "-0", "+0.0", "1000000000000", "1000000000000.0000001", "-1000000000000", "-1000000000000.1", "1000000000001",
		"999999999999.999999", "1e12", "1.0e12", "-1e12", "1e308", "-1e308", "1e-308", "000000000000001", ".5", "-.5", "3650", "3651", "-3651",
	}
	for _, number := range known {
		for _, bound := range known {
			compare(t, number, bound)
		}
	}
	decimal := rapid.StringMatching(`[+-]?[0-9]{1,15}(\.[0-9]{0,3})?([eE][+-]?[0-9]{1,2})?`)
	property.Check(t, func(t *rapid.T) { compare(t, decimal.Draw(t, "number"), decimal.Draw(t, "bound")) })
	require.False(t, Below("1", "") || Above("1", "") || Below("", "1") || Above("", "1"), "without a number or a bound")
}

// TestBoundsInEffect gives a number column the usual bounds, unless it names others.
func TestBoundsInEffect(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                string
		kind                Type
		minimum, maximum    string
		wantLeast, wantMost string
	}{
		{"neither", Number, "", "", "-1000000000000", "1000000000000"},
		{"a minimum", Number, "0", "", "0", "1000000000000"},
		{"a maximum", Number, "", "10", "-1000000000000", "10"},
		{"wider ones", Number, "-1e20", "1e20", "-1e20", "1e20"},
		{"a minimum beyond, from before there were bounds", Number, "2e12", "", "2e12", ""},
		{"a maximum beyond", Number, "", "-2e12", "", "-2e12"},
		{"no number", Text, "", "", "", ""},
	} {
		table := NewTable("gauges", "external_id", Column{Name: "n", Type: tt.kind, Minimum: tt.minimum, Maximum: tt.maximum})
		column, _ := table.Column("n")
		require.Equal(t, []string{tt.wantLeast, tt.wantMost}, []string{column.Minimum, column.Maximum}, tt.name)
	}
	// What people and senders are told is what is in effect.
	table := NewTable("gauges", "external_id", Column{Name: "n", Type: Number, Kind: "writable", Accepted: true})
	told := table.Columns[0].Describe()
	require.Equal(t, []string{"-1000000000000", "1000000000000"}, []string{told.Minimum.String(), told.Maximum.String()})
	schema := table.Columns[0].jsonSchema()
	require.Equal(t, []any{told.Minimum, told.Maximum}, []any{schema["minimum"], schema["maximum"]})
	tried := (&ColumnDefinition{Name: "n", Type: Number, Maximum: "1e15"}).column()
	require.Equal(t, []string{"-1000000000000", "1e15"}, []string{tried.Minimum, tried.Maximum}, "as a trial has them")
}

// TestZeroTime knows the zero times of .NET, Go and Unix in whatever spelling, and takes no other time for one.
func TestZeroTime(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		kind            Type
		text, canonical string
		shown           string // empty: not a zero time
	}{
		{Datetime, "0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"},
		{Datetime, "0001-01-01t00:00:00.0000000z", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"},
		{Datetime, "0001-01-01T05:30:00+05:30", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"},
		{Datetime, "0000-12-31T19:00:00-05:00", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"},
		{Datetime, "0001-01-01T00:00:00-05:00", "0001-01-01T05:00:00Z", "0001-01-01T00:00:00-05:00"},
		{Datetime, "0001-01-01T00:00:00+05:00", "", "0001-01-01T00:00:00+05:00"}, // the year 0 in UTC
		{Datetime, "0001-01-01", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"},
		{Datetime, "0001-01-01", "0001-01-01T05:00:00Z", "0001-01-01"}, // midnight in New York
		{Datetime, "0001-01-01", "", "0001-01-01"},                     // midnight in Berlin
		{Datetime, "1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"},
		{Datetime, "1970-01-01T01:00:00+01:00", "1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"},
		{Datetime, "1970-01-01T00:00:00.000+01:00", "1969-12-31T23:00:00Z", "1970-01-01T00:00:00.000+01:00"},
		{Datetime, "1970-01-01", "1969-12-31T23:00:00Z", "1970-01-01"},
		{Datetime, "0", "1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"},
		{Datetime, "-62135596800000", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"},
		{Date, "0001-01-01", "0001-01-01", "0001-01-01"},
		{Date, "0001-01-01T12:00:00Z", "0001-01-01", "0001-01-01"},
		{Date, "0000-12-31T19:00:00-05:00", "", "0000-12-31T19:00:00-05:00"},
		{Date, "1970-01-01", "1970-01-01", "1970-01-01"},
		{Date, "1969-12-31T19:00:00-05:00", "1969-12-31", "1969-12-31T19:00:00-05:00"},

		{Datetime, "1970-01-01T00:00:01Z", "1970-01-01T00:00:01Z", ""},
		{Datetime, "1970-01-01T09:30:00Z", "1970-01-01T09:30:00Z", ""},
		{Datetime, "1970-01-02", "1970-01-02T00:00:00Z", ""},
		{Datetime, "0001-01-02T00:00:00Z", "0001-01-02T00:00:00Z", ""},
		{Datetime, "1", "1970-01-01T00:00:00.001Z", ""},
		{Datetime, "1969-12-31T23:00:00Z", "1969-12-31T23:00:00Z", ""},
		{Date, "1969-12-31", "1969-12-31", ""},
		{Date, "1970-01-01?", "", ""},
		{Date, "1970-01-01T99:00:00Z", "", ""},
		{Datetime, "2026-03-14T00:00:00Z", "2026-03-14T00:00:00Z", ""},
		{Text, "0001-01-01", "0001-01-01", ""},
		{Number, "0", "0", ""},
	} {
		shown, zero := tt.kind.ZeroTime(tt.text, tt.canonical)
		require.Equal(t, tt.shown != "", zero, tt.text)
		if zero {
			require.Equal(t, tt.shown, shown, tt.text)
		}
	}
}

// BenchmarkBounds shows what the bounds of a number cost an ordinary one.
func BenchmarkBounds(b *testing.B) {
	for name, number := range map[string]string{"an ordinary number": "12.50", "a negative one": "-3", "one near the bound": "1000000000000"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if Below(number, LeastNumber) || Above(number, MostNumber) {
					b.Fatal(strconv.Quote(number))
				}
			}
		})
	}
}
