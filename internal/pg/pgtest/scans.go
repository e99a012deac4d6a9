package pgtest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
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
