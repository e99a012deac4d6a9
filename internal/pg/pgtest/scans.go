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
// have been inserted into them, so that an index is worth its while.
func ReadsByIndex(t *testing.T, db *DB, tables []string, inserted int64, fn func()) {
	t.Helper()
	admin := db.Admin(t)
	figure := func(column string) (n int64) {
		require.NoError(t, admin.QueryRow(t.Context(),
			"SELECT sum("+column+")::bigint FROM pg_stat_user_tables WHERE relname = ANY ($1)", tables).Scan(&n))
		return n
	}
	becomes := func(column string, most int64, why string) {
		t.Helper()
		require.Eventually(t, func() bool { return figure(column) > most }, statsTime, 100*time.Millisecond, why)
	}
	becomes("n_tup_ins", inserted-1, "the rows are there")
	before, found := figure("seq_scan"), figure("idx_scan")
	fn()
	becomes("idx_scan", found, "something was read")
	require.Equal(t, before, figure("seq_scan"), "a table was scanned")

	_, err := admin.Exec(t.Context(), "SELECT count(*) FROM workspace."+tables[0]+" WHERE workspace_id::text = 'none'")
	require.NoError(t, err)
	becomes("seq_scan", before, "the check can fail")
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
