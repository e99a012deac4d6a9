package plausible_test

import (
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/plausible"
)

// TestDatabase compares the rules of the database with those of this package, for random numbers and days around the
// bounds.
func TestDatabase(t *testing.T) {
	t.Parallel()
	admin := pgtest.New(t).Admin(t)
	random := rand.New(rand.NewPCG(38, 1))
	number := func() decimal.Decimal {
		switch random.IntN(3) {
		case 0:
			return decimal.NewFromInt(plausible.Most + random.Int64N(3) - 1)
		case 1:
			return decimal.NewFromInt(1_000_000 + random.Int64N(3) - 1)
		}
		return decimal.NewFromBigInt(big.NewInt(random.Int64N(1_000_000)-500_000), int32(random.IntN(620)-310))
	}
	for range 300 {
		quantity, price := number(), number()
		known := plausible.First.AddDate(0, 0, random.IntN(4))
		day := known.AddDate(0, 0, random.IntN(8)-4)
		expected := []time.Time{plausible.First, known.AddDate(0, 0, plausible.LongestDays)}[random.IntN(2)].AddDate(0, 0, random.IntN(5)-2)
		var amount, cost, unpriced, happened, awaited bool
		require.NoError(t, admin.QueryRow(t.Context(), `SELECT workspace.plausible($1::text::numeric),
			workspace.plausible_cost($1::text::numeric, $2::text::numeric), workspace.plausible_cost($1::text::numeric, NULL),
			workspace.plausible_day($3::text::date, $4::text::date), workspace.plausible_arrival($5::text::date, $4::text::date)`,
			quantity.String(), price.String(), day.Format(time.DateOnly), known.Format(time.DateOnly), expected.Format(time.DateOnly)).
			Scan(&amount, &cost, &unpriced, &happened, &awaited))
		require.Equal(t, plausible.Amount(quantity), amount, "%s", quantity)
		require.Equal(t, plausible.Cost(quantity, &price), cost, "%s × %s", quantity, price)
		require.Equal(t, plausible.Cost(quantity, nil), unpriced, "%s", quantity)
		require.Equal(t, plausible.Day(day, known), happened, "%s known on %s", day, known)
		require.Equal(t, plausible.Arrival(expected, known), awaited, "%s expected on %s", expected, known)
	}
	var unknown bool
	require.NoError(t, admin.QueryRow(t.Context(), "SELECT workspace.plausible(NULL)").Scan(&unknown))
	require.True(t, unknown)
}
