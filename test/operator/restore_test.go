package operator_test

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/test/rig"
)

// TestRestore is an operator who loses a server and restores last night's backup on a new one, which has none of the
// roles, and who is told at every step what comes next.
func TestRestore(t *testing.T) {
	t.Parallel()
	lost := rig.NewMigrated(t)
	var tenant struct {
		TenantID string `json:"tenant_id"`
	}
	rig.Run(t, lost.Env, "tenant", "create", "--name", "Acme", "--json").Decode(t, &tenant)
	var key struct{ Key string }
	rig.Run(t, lost.Env, "key", "create", "--tenant", tenant.TenantID, "--scope", "*", "--label", "Shop", "--json").Decode(t, &key)
	push := func(process *rig.Process, id string) int {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, process.URL+"/api/ingest/customers",
			strings.NewReader(`{"external_id": "`+id+`"}`))
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+key.Key)
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		return response.StatusCode
	}
	process := rig.Serve(t, lost.Env)
	require.Equal(t, http.StatusOK, push(process, "before"))
	file := filepath.Join(t.TempDir(), "nightly.dump")
	made := rig.Run(t, lost.Env, "backup", "create", file)
	require.Zero(t, made.Code, made.Stderr)
	require.Contains(t, made.Stdout, "is whole")
	require.Equal(t, http.StatusOK, push(process, "after"), "the service goes on")
	require.Zero(t, process.Terminate())
	lost.Stop()
	require.Contains(t, rig.Run(t, nil, "backup", "verify", file).Stdout, "is whole", "without a database")

	fresh := rig.NewServer(t)
	run := func(args ...string) rig.Result { return rig.Run(t, fresh.Env, args...) }
	// The roles are not there, so rights and policies cannot be restored; pg_restore goes on, and says so.
	out, err := exec.CommandContext(t.Context(), "pg_restore", "--no-owner", "--dbname="+fresh.URL("QUAYSIDE_MIGRATE_URL"), file).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), `role "quayside_app" does not exist`)
	require.Contains(t, run("serve").Stderr, "run 'quayside migrate'")
	require.Contains(t, run("migrate").Stdout, "rights and policies that were missing")

	doctor := run("doctor")
	require.Contains(t, doctor.Stdout, "FAIL  place")
	require.Contains(t, doctor.Stdout, "quayside backup restored")
	restored := run("backup", "restored", "--manifest", file+".manifest.json")
	require.Zero(t, restored.Code, restored.Stderr)
	require.Contains(t, restored.Stdout, "1 keys and 0 tokens are alive")
	require.Zero(t, run("doctor").Code, run("doctor").Stdout)
	require.Zero(t, run("audit", "verify").Code)
	serving := rig.Serve(t, fresh.Env)
	require.NotContains(t, serving.Log(), "nothing is sent")
	require.Equal(t, http.StatusOK, push(serving, "after"))
	admin := connect(t, fresh.AdminURL())
	require.Equal(t, int64(2), read[int64](t, admin, "SELECT count(*) FROM workspace.customers"))
	require.Zero(t, serving.Terminate())

	// Whoever starts it without a word about the restore gets a service that answers and sends nothing.
	_, err = admin.Exec(t.Context(), "UPDATE control.origin SET system = 'the one that was lost'")
	require.NoError(t, err)
	held := rig.Serve(t, fresh.Env)
	require.Contains(t, held.Log(), "nothing is sent")
	require.Equal(t, http.StatusOK, push(held, "after"))
	enqueue := func(kind, queue string) { // for a company that is gone, so the job is looked at and then waits
		_, err := admin.Exec(t.Context(), `INSERT INTO river.river_job (kind, queue, max_attempts, args)
			VALUES ($1, $2, 25, jsonb_build_object('tenant', gen_random_uuid()))`, kind, queue)
		require.NoError(t, err)
	}
	untouched := func() string {
		return read[string](t, admin, "SELECT coalesce(string_agg(kind, ', ' ORDER BY kind), '') FROM river.river_job WHERE attempted_at IS NULL")
	}
	enqueue("order_mail", "mails")
	enqueue("exchange_order", "exchanges")
	for range 3 { // all queues are looked at every half a second
		enqueue("bulk_retry", "retries")
		require.Eventually(t, func() bool { return !strings.Contains(untouched(), "bulk_retry") }, time.Minute, 10*time.Millisecond)
	}
	require.Equal(t, "exchange_order, order_mail", untouched())
	require.Zero(t, held.Terminate())

	require.Contains(t, run("backup", "restored", "--nothing-lost").Stdout, "belongs here now")
	require.Zero(t, run("doctor").Code)
	rig.Serve(t, fresh.Env)
	require.Eventually(t, func() bool { return untouched() == "" }, time.Minute, 10*time.Millisecond)
}
