package query

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/pg/pgtest"
)

// TestNumberKeys: numbers have keys in the order of the numbers, whichever sign, length and fraction they have.
func TestNumberKeys(t *testing.T) {
	t.Parallel()
	want := []string{"-1e30", "-1000", "-100.5", "-100", "-99", "-10.05", "-10", "-2", "-1.51", "-1.5", "-1.05", "-1", "-0.5", "-0.05", "-0.01",
		"0", "0.01", "0.05", "0.5", "1", "1.05", "1.5", "1.51", "2", "10", "10.05", "99", "100", "100.5", "1000", "1e30"}
	rows, err := pgtest.New(t).Admin(t).Query(t.Context(),
		`SELECT n FROM unnest($1::text[]) n ORDER BY workspace.number_key(n::numeric) COLLATE "C", random()`, want)
	require.NoError(t, err)
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Equal(t, want, got)
}
