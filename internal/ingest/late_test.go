package ingest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
)

// TestLateRecords delays records beyond their deadline, with database clocks that are right,
// wrong or jump. A late record is never stored; a record in time is.
func TestLateRecords(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	admin := db.Admin(t)
	exec := func(sql string, args ...any) {
		_, err := admin.Exec(t.Context(), sql, args...)
		require.NoError(t, err)
	}
	// A clock with a skew, which the search path finds before PostgreSQL's own.
	exec(`CREATE SCHEMA wrong`)
	exec(`CREATE TABLE wrong.clock (skew interval)`)
	exec(`INSERT INTO wrong.clock VALUES ('0')`)
	exec(`CREATE FUNCTION wrong.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS 'SELECT pg_catalog.clock_timestamp() + skew FROM wrong.clock'`)
	exec(`GRANT USAGE ON SCHEMA wrong TO PUBLIC`)
	exec(`GRANT SELECT ON wrong.clock TO PUBLIC`)
	exec(fmt.Sprintf(`ALTER DATABASE %s SET search_path = wrong, pg_catalog, public`, admin.Config().Database))
	st := newStand(t, s, db)

	n := 0
	send := func(held time.Duration) string {
		n++
		tickets := st.tickets([]string{fmt.Sprintf(`{"external_id":"late","order_no":"1","sku":"TEA","quantity_ordered":%d}`,
			n)})
		tickets[0].record.taken = time.Now().Add(-held)
		s.flush(tickets)()
		require.NoError(t, tickets[0].err)
		outcome, err := tickets[0].verdict.outcome(tickets[0].clean)
		if err != nil {
			require.ErrorIs(t, err, errLate)
			return "late"
		}
		return string(outcome.Result)
	}
	stored := func() (quantity int) {
		require.NoError(t, admin.QueryRow(t.Context(),
			"SELECT quantity_ordered::int FROM workspace.purchase_order_lines WHERE external_id = 'late'").Scan(&quantity))
		return quantity
	}

	require.Equal(t, "created", send(0))
	require.Equal(t, "late", send(s.wait+time.Second))
	require.Equal(t, 1, stored())
	require.Equal(t, "updated", send(s.wait/2))
	for _, skew := range []string{"1 hour", "-1 hour", "0"} {
		exec("UPDATE wrong.clock SET skew = $1::text::interval", skew)
		jump := send(0) // the clock has jumped since the service last read it
		if skew == "1 hour" {
			require.Equal(t, "late", jump, "its deadline is in the past of the new clock")
		}
		require.Equal(t, "updated", send(0), "a wrong clock stops nobody: %s", skew)
		before := stored()
		require.Equal(t, "late", send(s.wait+time.Second), "and lets nothing late through: %s", skew)
		require.Equal(t, before, stored())
	}

	_, public := fault.Public(errLate)
	require.Equal(t, "temporarily unavailable", public.Message)
}
