package plausible_test

import (
	"math"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/plausible"
)

// TestNumber asks for both kinds of numbers.
func TestNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"0": true, "-3.5": true, "1000000000000": true, "-1000000000000": true, "1000000000000.01": false, "-1e13": false,
		"1e308": false, "98765431211434745.89": false,
	} {
		d := decimal.RequireFromString(text)
		require.Equal(t, want, plausible.Amount(d), text)
		require.Equal(t, want, plausible.Number(d.InexactFloat64()), text)
	}
	require.False(t, plausible.Amount(decimal.RequireFromString("9e308")), "more than a float holds")
	for _, x := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
		require.False(t, plausible.Number(x))
		require.False(t, plausible.Finite(x))
	}
	require.True(t, plausible.Finite(1e308))
}

// TestDay asks for days around the bounds.
func TestDay(t *testing.T) {
	t.Parallel()
	day := func(text string) time.Time {
		d, err := time.Parse(time.DateOnly, text)
		require.NoError(t, err)
		return d
	}
	for text, want := range map[string]bool{
		"0001-01-01": false, "1970-01-01": false, "1999-12-31": false, "2000-01-01": true, "2026-03-02": true, "2026-03-03": true,
		"2026-03-04": false, "9999-12-31": false,
	} {
		require.Equal(t, want, plausible.Day(day(text), day("2026-03-02")), text)
	}
}

// TestShow writes numbers as people can read them.
func TestShow(t *testing.T) {
	t.Parallel()
	for x, want := range map[float64]string{5e12: "5000000000000", -2.5: "-2.5", 1e308: "1e+308", 98765431211434745.89: "9.87654e+16",
		math.Inf(1): "+Inf"} {
		require.Equal(t, want, plausible.Show(x))
	}
}
