package operator_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/test/rig"
)

// TestDoctorNamesStaleWorkspaces lets records of one of two workspaces wait. doctor names it, with since when, and is
// content again when nothing waits.
func TestDoctorNamesStaleWorkspaces(t *testing.T) {
	t.Parallel()
	server := rig.NewMigrated(t)
	for _, name := range []string{"Acme", "Still"} {
		require.Zero(t, rig.Run(t, server.Env, "tenant", "create", "--name", name).Code)
	}
	admin := connect(t, server.AdminURL())
	exec := func(sql string) {
		t.Helper()
		_, err := admin.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	doctor := func() rig.Result { return rig.Run(t, server.Env, "doctor") }
	require.Contains(t, doctor().Stdout, "ok    figures")
	exec(`INSERT INTO workspace.sales_changed (tenant_id, workspace_id, slug, record_id, changed_at)
		SELECT w.tenant_id, w.id, 'orders', 'o', '2026-07-06T14:02:00Z' FROM control.workspaces w
		JOIN control.tenants t ON t.id = w.tenant_id WHERE t.name = 'Acme'`)
	found := doctor()
	require.Equal(t, 1, found.Code)
	require.Contains(t, found.Stdout, "FAIL  figures")
	require.Contains(t, found.Stdout, `of "Acme" since 2026-07-06T14:02:00Z`)
	require.NotContains(t, found.Stdout, "Still")
	exec("DELETE FROM workspace.sales_changed")
	require.Contains(t, doctor().Stdout, "ok    figures")
}

// TestDoctorNamesTheServer makes PostgreSQL store nothing in three ways. doctor names each of them, and the setting or
// the standby that it is about.
func TestDoctorNamesTheServer(t *testing.T) {
	t.Parallel()
	server := rig.NewMigrated(t)
	doctor := func() rig.Result { return rig.Run(t, server.Env, "doctor") }
	fails := func(words ...string) {
		t.Helper()
		found := doctor()
		require.Equal(t, 1, found.Code, found.Stdout)
		require.Contains(t, found.Stdout, "FAIL  server")
		for _, word := range words {
			require.Contains(t, found.Stdout, word)
		}
	}
	fine := doctor()
	require.Zero(t, fine.Code, fine.Stdout)
	require.Contains(t, fine.Stdout, "ok    server        a primary; commits wait for no standby")

	server.Configure("default_transaction_read_only", "on")
	fails("default_transaction_read_only is on (source: configuration file)")
	server.Configure("default_transaction_read_only", "")

	server.Configure("synchronous_standby_names", "FIRST 1 (berlin)")
	fails(`"FIRST 1 (berlin)"`, "no standby is connected")
	stop := receiveWAL(t, server, "paris")
	fails("connected are only: paris")
	stop()
	stop = receiveWAL(t, server, "berlin")
	fine = doctor()
	require.Zero(t, fine.Code, fine.Stdout)
	require.Contains(t, fine.Stdout, "the synchronous standby is connected: berlin")
	stop()
	server.Configure("synchronous_standby_names", "")

	server.Stop()
	server.Standby(true)
	server.Start()
	fails("hot standby (pg_is_in_recovery)", "QUAYSIDE_DATABASE_URL")
	server.Stop()
	server.Standby(false)
	server.Start()
	require.Zero(t, doctor().Code)
}

// receiveWAL connects a standby of this name, which confirms commits, and returns when the server knows it.
func receiveWAL(t *testing.T, server *rig.Server, name string) (stop func()) {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/pg_receivewal")
	require.NoError(t, err)
	require.NotEmpty(t, found, "Debian's postgresql-client has it")
	slices.Sort(found)
	cmd := exec.CommandContext(t.Context(), found[len(found)-1], "--synchronous", "--no-loop", "-D", t.TempDir(), "-d",
		server.AdminURL()+"?application_name="+name)
	require.NoError(t, cmd.Start())
	streaming := func(count int) {
		t.Helper()
		ctx := context.WithoutCancel(t.Context())
		admin, err := pgx.Connect(ctx, server.AdminURL())
		require.NoError(t, err)
		defer func() { _ = admin.Close(ctx) }()
		require.Eventually(t, func() bool {
			var streams int
			err := admin.QueryRow(ctx, "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'").Scan(&streams)
			return err == nil && streams == count
		}, time.Minute, 20*time.Millisecond)
	}
	streaming(1)
	return func() {
		t.Helper()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		streaming(0)
	}
}
