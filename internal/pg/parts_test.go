package pg_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// TestInParts lets PostgreSQL refuse some of many values: the others are kept, each once.
func TestInParts(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	tenant := pgtest.NewTenant(t, db)
	var items []string
	for i := range 100 {
		items = append(items, fmt.Sprint(i))
	}
	items[0], items[41], items[42], items[99] = "1e309", "2e308", "-2e308", "5e400"
	var kept []float64
	refused := map[string]error{}
	runs := 0
	require.NoError(t, db.InTenant(t.Context(), tenant.ID, func(tx pgx.Tx) error {
		return pg.InParts(t.Context(), tx, items, func(some []string) error {
			runs++
			rows, _ := tx.Query(t.Context(), "SELECT unnest($1::text[]::numeric[])::double precision", some)
			found, err := pgx.CollectRows(rows, pgx.RowTo[float64])
			if err == nil {
				kept = append(kept, found...)
			}
			return err
		}, func(one string, err error) { refused[one] = err })
	}))
	require.Len(t, kept, 96)
	require.Len(t, refused, 4)
	for _, one := range []string{"1e309", "2e308", "-2e308", "5e400"} {
		require.True(t, pg.BadData(refused[one]), one)
	}
	require.Less(t, runs, 60, "most are done together")

	broken := errors.New("broken")
	require.ErrorIs(t, db.InTenant(t.Context(), tenant.ID, func(tx pgx.Tx) error {
		return pg.InParts(t.Context(), tx, items, func([]string) error { return broken },
			func(string, error) { t.Error("this is no fault of the items") })
	}), broken)
}
