package service_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/test/rig"
)

// storeUnlinked stores an order as a process does that dies before it links the line that waits for it.
func (s *site) storeUnlinked(order string) {
	s.t.Helper()
	s.exec(fmt.Sprintf(`WITH stored AS (
		INSERT INTO workspace.orders (tenant_id, workspace_id, external_id, ordered_at, status, currency, total)
		SELECT tenant_id, id, '%s', now(), 'open', 'EUR', 1 FROM control.workspaces WHERE tenant_id = '%s' RETURNING *)
		INSERT INTO workspace.events (tenant_id, subject, id, workspace_id, kind, slug, version, actor, request_id, data)
		SELECT tenant_id, id, gen_random_uuid(), workspace_id, 'ingest.orders.received', 'orders', 1, '{}', '', '{"record": {}}' FROM stored`,
		order, s.tenant))
}

// TestOneInstanceLeads runs two instances. One of them does the chores for both; when it dies, the other does.
//
//race:detect
func TestOneInstanceLeads(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	key := s.key("*").Key
	var processes []*rig.Process
	var metrics []string
	for range 2 {
		address := rig.FreeAddr(t)
		processes = append(processes, rig.Serve(t, append(s.server.Env, "QUAYSIDE_METRICS_ADDR="+address)))
		metrics = append(metrics, "http://"+address+"/metrics")
	}
	read := func(i int) string {
		answer, err := http.Get(metrics[i])
		require.NoError(t, err)
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		return string(body)
	}
	leads := func(i int) bool { return strings.Contains(read(i), "\nquayside_leader 1\n") }
	linked := func(order string) bool {
		return s.count("SELECT count(*) FROM workspace.order_line_items WHERE order_id IS NOT NULL AND external_id = '"+order+"'") == 1
	}
	for _, order := range []string{"before", "after"} {
		status, body := post(processes[0].URL, "order_line_items", key,
			fmt.Sprintf(`{"external_id":%q,"order_id":%[1]q,"name":"x","quantity":2,"unit_price":10}`, order))
		require.Equal(t, http.StatusOK, status, body)
	}
	sweeps := func(i int) bool {
		return strings.Contains(read(i), `quayside_chore_last_success_timestamp_seconds{chore="link late records"}`)
	}
	waitFor(t, "leader", func() bool { return sweeps(0) || sweeps(1) })
	leader, other := 0, 1
	if sweeps(1) {
		leader, other = 1, 0
	}
	s.storeUnlinked("before")
	waitFor(t, "link", func() bool { return linked("before") })
	require.True(t, leads(leader))
	require.False(t, leads(other))
	require.False(t, sweeps(other), "only one instance sweeps")

	processes[leader].Kill()
	s.exec("UPDATE river.river_leader SET expires_at = now()") // as after a quarter of a minute
	waitFor(t, "another leader", func() bool { return leads(other) })
	s.storeUnlinked("after")
	waitFor(t, "link", func() bool { return linked("after") })
}
