package service_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/test/rig"
)

// TestAStalledLane has PostgreSQL take more than four seconds for one record. Records that
// wait behind it are refused after two, with a Retry-After, and not stored later. /readyz
// reports the problem while the lane is stalled, and success once it has moved on.
//
//race:detect
func TestAStalledLane(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	serve := rig.Serve(t, append(s.server.Env, "QUAYSIDE_LANES=1", "QUAYSIDE_MAX_WAIT=2s", "QUAYSIDE_SPOOL_DIR=off"))
	k := s.key("suppliers")
	s.exec(`CREATE FUNCTION public.dawdle() RETURNS trigger LANGUAGE plpgsql AS
		$$ BEGIN PERFORM pg_sleep(4.5); RETURN NEW; END $$;
		CREATE TRIGGER dawdle BEFORE INSERT ON workspace.suppliers FOR EACH ROW WHEN (NEW.external_id = 'slow')
		EXECUTE FUNCTION public.dawdle()`)
	var late, slow sent
	// A machine that stands still for seconds does not see the lane stalled, which is then
	// stalled again.
	waitFor(t, "red /readyz", func() bool {
		s.exec("DELETE FROM workspace.suppliers")
		var red bool
		red, late, slow = s.stall(serve, k)
		return red
	})
	require.Equal(t, http.StatusServiceUnavailable, late.status, late.answer)
	require.NotEmpty(t, late.retryAfter)
	require.Equal(t, http.StatusOK, slow.status)
	serve.WaitReady()
	require.Equal(t, http.StatusOK, send(serve.URL, k.Key, "after", true).status)
	var stored []string
	require.NoError(t, s.admin.QueryRow(t.Context(),
		"SELECT array_agg(external_id ORDER BY external_id) FROM workspace.suppliers").Scan(&stored))
	require.Equal(t, []string{"after", "slow"}, stored)
	require.Empty(t, s.failedImports(), "nothing of it was judged")
}

// stall sends a slow record and a late one behind it, and reports whether /readyz was red
// before the slow one was answered.
func (s *site) stall(serve *rig.Process, k key) (red bool, late, slow sent) {
	behind, ahead := make(chan sent, 1), make(chan sent, 1)
	go func() { ahead <- send(serve.URL, k.Key, "slow", true) }()
	waitFor(s.t, "slow record", func() bool {
		return len(ahead) > 0 || s.count("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") > 0
	})
	go func() { behind <- send(serve.URL, k.Key, "late", true) }()
	for len(ahead) == 0 && !red {
		status, text, _ := probe(s.t, serve, "/readyz")
		if red = status == http.StatusServiceUnavailable; red {
			require.Contains(s.t, text, "not ready: records wait, and a lane has taken none for")
		}
	}
	return red, <-behind, <-ahead
}
