// Package operator_test does what an operator does, with the built binary on its own
// PostgreSQL, from an empty database to a working key, and reads the messages when something
// is missing.
package operator_test

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/test/rig"
)

func TestOperator(t *testing.T) {
	t.Parallel()
	server := rig.NewServer(t)
	run := func(args ...string) rig.Result { return rig.Run(t, server.Env, args...) }
	refused := func(code int, says string, args ...string) {
		t.Helper()
		result := run(args...)
		require.Equal(t, code, result.Code, result.Stderr)
		require.Contains(t, result.Stderr, says)
		require.Empty(t, result.Stdout)
	}

	// Which binary is it?
	require.Regexp(t, `^quayside \S+`, run("version").Stdout)
	require.Equal(t, run("version").Stdout, run("--version").Stdout)
	var build struct{ Version, Go string }
	run("version", "--json").Decode(t, &build)
	require.NotEmpty(t, build.Version)
	require.NotEmpty(t, build.Go)

	// Before anything is there.
	result := rig.Run(t, nil, "serve")
	require.Equal(t, 1, result.Code)
	require.Contains(t, result.Stderr, "QUAYSIDE_DATABASE_URL is not set")
	refused(1, "run 'quayside migrate'", "serve")
	refused(1, "run 'quayside migrate'", "tenant", "create", "--name", "Acme")
	doctor := run("doctor")
	require.Equal(t, 1, doctor.Code)
	require.Contains(t, doctor.Stdout, "FAIL  connection")

	// Secrets come from files too.
	secret := filepath.Join(t.TempDir(), "database-url")
	require.NoError(t, os.WriteFile(secret, []byte("postgres://nobody@127.0.0.1:1/none\n"), 0o600))
	result = rig.Run(t, []string{"QUAYSIDE_DATABASE_URL_FILE=" + secret}, "doctor")
	require.Contains(t, result.Stdout, "127.0.0.1:1")
	result = rig.Run(t, []string{"QUAYSIDE_DATABASE_URL=x", "QUAYSIDE_DATABASE_URL_FILE=" + secret}, "doctor")
	require.Contains(t, result.Stderr, "both set")

	// Migrate.
	var migrated struct{ Applied []string }
	run("migrate", "--json").Decode(t, &migrated)
	require.NotEmpty(t, migrated.Applied)
	require.Contains(t, run("migrate").Stdout, "nothing to do")

	// A company and its keys.
	var tenant struct {
		TenantID    string `json:"tenant_id"`
		WorkspaceID string `json:"workspace_id"`
	}
	run("tenant", "create", "--name", "Acme", "--json").Decode(t, &tenant)
	refused(1, "a tenant needs a name", "tenant", "create", "--name", " ")
	refused(2, "at least one of the flags in the group [name file] is required", "tenant", "create")

	type key struct {
		ID, Key, Prefix, Scope, Label string
		WorkspaceID                   string  `json:"workspace_id"`
		RevokedAt                     *string `json:"revoked_at"`
	}
	var made key
	run("key", "create", "--tenant", tenant.TenantID, "--workspace", tenant.WorkspaceID, "--scope", "orders", "--label",
		"Shop", "--json").Decode(t, &made)
	require.Regexp(t, regexp.MustCompile(`^pk_[0-9a-f]{48}$`), made.Key)
	require.Equal(t, made.Key[:11], made.Prefix)
	require.Equal(t, []string{"orders", "Shop", tenant.WorkspaceID}, []string{made.Scope, made.Label, made.WorkspaceID})
	shown := run("key", "create", "--tenant", tenant.TenantID, "--scope", "*", "--label", "Master")
	require.Contains(t, shown.Stdout, "key    pk_")
	require.Contains(t, shown.Stderr, "cannot be shown again")

	const stranger = "0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e"
	refused(1, `no ingest table "ordrs"`, "key", "create", "--tenant", tenant.TenantID, "--scope", "ordrs", "--label", "x")
	refused(1, "no tenant "+stranger, "key", "create", "--tenant", stranger, "--scope", "*", "--label", "x")
	refused(1, "no workspace "+stranger, "key", "create", "--tenant", tenant.TenantID, "--workspace", stranger, "--scope",
		"*", "--label", "x")
	refused(1, "needs a label", "key", "create", "--tenant", tenant.TenantID, "--scope", "*", "--label", "")
	refused(2, "is not an id", "key", "list", "--tenant", "acme")
	refused(2, "is not an id", "key", "revoke", "acme")
	refused(1, "no key has the id", "key", "revoke", stranger)
	refused(2, "unknown command", "keys")

	var keys []key
	run("key", "list", "--tenant", tenant.TenantID, "--json").Decode(t, &keys)
	require.Len(t, keys, 2)
	require.Empty(t, keys[0].Key, "a key is shown once")
	var revoked, again key
	run("key", "revoke", made.ID, "--json").Decode(t, &revoked)
	run("key", "revoke", made.ID, "--json").Decode(t, &again)
	require.NotNil(t, revoked.RevokedAt)
	require.Equal(t, revoked.RevokedAt, again.RevokedAt)
	listed := run("key", "list", "--tenant", tenant.TenantID).Stdout
	require.Contains(t, listed, "revoked 20")
	require.Contains(t, listed, "live")
	require.NotContains(t, listed, made.Key)

	// Serve and drain.
	require.Zero(t, run("doctor").Code)

	// How long history is kept is one number for all instances.
	require.Contains(t, run("history").Stdout, "kept       30 days")
	require.Contains(t, run("history", "keep", "90").Stdout, "kept       90 days")
	refused(2, "give a number of days", "history", "keep", "soon")
	refused(1, "1 to 36500 days", "history", "keep", "0")
	require.Contains(t, run("history", "--json").Stdout, `"kept_days": 90`)
	require.Contains(t, rig.Run(t, append(server.Env, "QUAYSIDE_EVENTS_KEPT_DAYS=7"), "history").Stdout, "held       QUAYSIDE_EVENTS_KEPT_DAYS differs")

	process := rig.Serve(t, server.Env)
	response, err := http.Get(process.URL + "/healthz")
	require.NoError(t, err)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.JSONEq(t, `{"ok":true}`, string(body))
	taken := rig.Run(t, append(server.Env, "QUAYSIDE_ADDR="+strings.TrimPrefix(process.URL, "http://")), "serve")
	require.Equal(t, 1, taken.Code)
	require.Contains(t, taken.Stderr, "cannot listen on")
	require.Zero(t, process.Terminate())
	require.Contains(t, process.Log(), `"msg":"stopped"`)

	// Roles that row security does not bind.
	admin, err := pgx.Connect(t.Context(), server.AdminURL())
	require.NoError(t, err)
	defer func() { _ = admin.Close(t.Context()) }()
	for _, tt := range []struct{ set, unset, says string }{
		{"SUPERUSER", "NOSUPERUSER", "a superuser"},
		{"BYPASSRLS", "NOBYPASSRLS", "bypasses row security"},
	} {
		_, err = admin.Exec(t.Context(), "ALTER ROLE quayside_app "+tt.set)
		require.NoError(t, err)
		refused(4, tt.says, "serve")
		require.Contains(t, run("doctor").Stdout, tt.says)
		_, err = admin.Exec(t.Context(), "ALTER ROLE quayside_app "+tt.unset)
		require.NoError(t, err)
	}
	// Secrets whose key is missing.
	refused(1, "set QUAYSIDE_SECRET_KEYS", "secrets", "rotate")
	_, err = admin.Exec(t.Context(), `INSERT INTO workspace.secrets (tenant_id, owner_id, purpose, key_id, sealed, ending)
		VALUES ($1, $1, 'token', '2025', '\x00', '')`, tenant.TenantID)
	require.NoError(t, err)
	withKey := append(slices.Clone(server.Env), "QUAYSIDE_SECRET_KEYS=2026:"+strings.Repeat("A", 43)+"=")
	for _, args := range [][]string{{"doctor"}, {"secrets", "rotate"}} {
		lacking := rig.Run(t, withKey, args...)
		require.Equal(t, 1, lacking.Code)
		require.Contains(t, lacking.Stdout+lacking.Stderr, "needs the key 2025, which QUAYSIDE_SECRET_KEYS does not list")
	}
	_, err = admin.Exec(t.Context(), "DELETE FROM workspace.secrets")
	require.NoError(t, err)
	require.Contains(t, rig.Run(t, withKey, "doctor").Stdout, "all 0 are encrypted with the newest key")

	_, err = admin.Exec(t.Context(), "CREATE TABLE workspace.careless (tenant_id uuid)")
	require.NoError(t, err)
	refused(4, "workspace.careless: row security is not enabled", "serve")

	server.Stop()
	refused(1, "PostgreSQL does not answer at 127.0.0.1", "serve")
}

// shellBlocks returns the commands of a page, in order.
func shellBlocks(t *testing.T, page string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(rig.Root(), page))
	require.NoError(t, err)
	var blocks []string
	for _, found := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllSubmatch(text, -1) {
		blocks = append(blocks, string(found[1]))
	}
	require.NotEmpty(t, blocks, page)
	return blocks
}

// copied returns a shell with the commands of a page, on its own PostgreSQL; the service it
// starts is at addr.
func copied(t *testing.T, commands string) (cmd *exec.Cmd, addr string) {
	t.Helper()
	addr = rig.FreeAddr(t)
	dir, err := os.MkdirTemp("/var/tmp", "quayside-quickstart-")
	require.NoError(t, err)
	cmd = exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", commands)
	cmd.Dir = rig.Root()
	cmd.Env = append(os.Environ(), "QUAYSIDE_RUN_DIR="+dir, "QUAYSIDE_ADDR="+addr, "QUAYSIDE_SPOOL_DIR="+t.TempDir())
	t.Cleanup(func() {
		drop := exec.Command(filepath.Join(rig.Root(), "scripts", "postgres"), "drop")
		drop.Env = append(os.Environ(), "QUAYSIDE_RUN_DIR="+dir)
		require.NoError(t, drop.Run())
	})
	return cmd, addr
}

// TestQuickstart runs the README's command until it serves the demo, and then every code block
// of docs/quickstart.md in one shell. Not in parallel, since both build the binary.
func TestQuickstart(t *testing.T) {
	t.Parallel()
	blocks := shellBlocks(t, "README.md")
	require.Len(t, blocks, 1)
	// The full demo would take minutes beside other tests.
	require.Contains(t, blocks[0], "bin/quayside demo\n")
	demo, addr := copied(t, strings.Replace(blocks[0], "bin/quayside demo", "bin/quayside demo --small", 1))
	demo.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var said strings.Builder
	demo.Stdout = &said
	require.NoError(t, demo.Start())
	ended := make(chan error, 1)
	go func() { ended <- demo.Wait() }()
	require.Eventually(t, func() bool {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+addr+"/readyz", nil)
		require.NoError(t, err)
		answer, err := http.DefaultClient.Do(request)
		return err == nil && answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
	}, 5*time.Minute, 100*time.Millisecond)
	require.NoError(t, syscall.Kill(-demo.Process.Pid, syscall.SIGTERM))
	<-ended
	require.Contains(t, said.String(), "http://"+addr)

	quickstart, _ := copied(t, strings.Join(shellBlocks(t, "docs/quickstart.md"), "\n"))
	out, err := quickstart.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "Ingest-Result: created")
	require.Contains(t, string(out), `{"ok":true,"event_type":"ingest.suppliers.received"}`)
	require.Regexp(t, `SUP-7 +\| Harbour Teas +\| +21 +\| +1`, string(out))
	require.Contains(t, string(out), "you@example.com")
}
