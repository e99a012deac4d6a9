package pgtest

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/pg"
)

// statsTime is how long the figures of an idle backend may take to be reported.
const statsTime = 3 * time.Minute

// ReadsByIndex fails if fn scans one of the tables as a whole. At least the given number of rows must
// have been inserted into them, so that an index is worth its while. Connections report their figures when they have been
// idle for a while: scans of what was a small table before may be reported only now, so rows are counted instead of scans.
func ReadsByIndex(t *testing.T, db *DB, tables []string, inserted int64, fn func()) {
	t.Helper()
	admin := db.Admin(t)
	sum := func(column string) (n int64) {
		require.NoError(t, admin.QueryRow(t.Context(),
			"SELECT sum("+column+")::bigint FROM pg_stat_user_tables WHERE relname = ANY ($1)", tables).Scan(&n))
		return n
	}
	scanned := func(table string) (read, rows int64) {
		require.NoError(t, admin.QueryRow(t.Context(),
			"SELECT sum(seq_tup_read)::bigint, sum(n_tup_ins)::bigint FROM pg_stat_user_tables WHERE relname = $1", table).Scan(&read, &rows))
		return read, rows
	}
	becomes := func(why string, is func() bool) {
		t.Helper()
		require.Eventually(t, is, statsTime, 100*time.Millisecond, why)
	}
	becomes("the rows are there", func() bool { return sum("n_tup_ins") >= inserted })
	found, before := sum("idx_scan"), map[string]int64{}
	for _, table := range tables {
		before[table], _ = scanned(table)
	}
	fn()
	becomes("something was read", func() bool { return sum("idx_scan") > found })
	for _, table := range tables {
		read, rows := scanned(table)
		require.Less(t, read-before[table], rows/2, "%s was scanned", table)
	}

	_, err := admin.Exec(t.Context(), "SELECT count(*) FROM workspace."+tables[0]+" WHERE workspace_id::text = 'none'")
	require.NoError(t, err)
	becomes("the check can fail", func() bool { read, rows := scanned(tables[0]); return read-before[tables[0]] >= rows/2 })
}

// RowsRead returns how many rows of the tables fn reads. Connections report what they did when they end,
// so fn gets connections of its own.
func RowsRead(t testing.TB, db *DB, tables []string, fn func(*pg.Cells)) (rows int64) {
	t.Helper()
	admin := db.Admin(t)
	figure := func() (n int64) {
		require.NoError(t, admin.QueryRow(t.Context(), `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint
			FROM pg_stat_user_tables WHERE relname = ANY ($1)`, tables).Scan(&n))
		return n
	}
	backends := func() (pids []int32) {
		require.NoError(t, admin.QueryRow(t.Context(),
			`SELECT array_agg(pid) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'`).Scan(&pids))
		return pids
	}
	others, before := backends(), figure()
	cells, err := pg.Open(t.Context(), pg.Config{URL: db.ServiceURL, MaxConns: 12})
	require.NoError(t, err)
	fn(cells)
	cells.Close()
	require.Eventually(t, func() bool {
		return !slices.ContainsFunc(backends(), func(pid int32) bool { return !slices.Contains(others, pid) })
	}, statsTime, 10*time.Millisecond, "the connections end")
	return figure() - before
}
