package operator_test

import (
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/test/rig"
)

// TestServiceHasNoOwner runs the service with the owner's address in its environment, where somebody forgot it: the
// service neither reads it nor connects to it, and says that it should not be there.
func TestServiceHasNoOwner(t *testing.T) {
	t.Parallel()
	server := rig.NewMigrated(t)
	service := []string{"QUAYSIDE_DATABASE_URL=" + server.URL("QUAYSIDE_DATABASE_URL")}
	plain := rig.Serve(t, service)
	require.NotContains(t, plain.Log(), "QUAYSIDE_MIGRATE_URL")
	require.Zero(t, plain.Terminate())

	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	var calls atomic.Int64
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			calls.Add(1)
			_ = conn.Close()
		}
	}()
	unreadable := filepath.Join(t.TempDir(), "owner")
	for _, forgotten := range []string{
		"QUAYSIDE_MIGRATE_URL=postgres://quayside_owner:canary-6d1f@" + listener.Addr().String() + "/quayside",
		"QUAYSIDE_MIGRATE_URL_FILE=" + unreadable,
	} {
		process := rig.Serve(t, append(service, forgotten))
		response, err := http.Get(process.URL + "/readyz")
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusOK, response.StatusCode)
		require.Contains(t, process.Log(), "QUAYSIDE_MIGRATE_URL is in the environment of 'quayside serve', which does not read it")
		require.NotContains(t, process.Log(), "canary")
		require.Zero(t, process.Terminate())
	}
	require.Zero(t, calls.Load())

	// Commands that need the owner's login say so.
	moved := rig.Run(t, append(service, "QUAYSIDE_MIGRATE_URL_FILE="+unreadable), "migrate")
	require.Equal(t, 1, moved.Code)
	require.Contains(t, moved.Stderr, "QUAYSIDE_MIGRATE_URL_FILE cannot be read")
}

// TestDoctorAndLogins gives the service logins that open the owner's.
func TestDoctorAndLogins(t *testing.T) {
	t.Parallel()
	server := rig.NewMigrated(t)
	service := []string{"QUAYSIDE_DATABASE_URL=" + server.URL("QUAYSIDE_DATABASE_URL")}
	doctor := func(environment []string, args ...string) rig.Result {
		return rig.Run(t, environment, append([]string{"doctor"}, args...)...)
	}
	const tries = `authentication failed for user "quayside_owner"`
	fine := doctor(service, "--no-logins")
	require.Zero(t, fine.Code, fine.Stdout)
	require.NotContains(t, server.Log(), tries, "a probe leaves no failed logins")
	fine = doctor(service)
	require.Zero(t, fine.Code, fine.Stdout)
	require.Contains(t, fine.Stdout, "and its password opens neither")
	require.NotContains(t, fine.Stdout, "QUAYSIDE_MIGRATE_URL")
	require.Contains(t, server.Log(), tries)
	both := doctor(server.Env)
	require.Zero(t, both.Code, both.Stdout)
	require.Contains(t, both.Stdout, "keep it out of the environment of 'quayside serve'")

	fails := func(environment []string, says string, args ...string) {
		t.Helper()
		found := doctor(environment, args...)
		require.Equal(t, 1, found.Code, found.Stdout)
		require.Contains(t, found.Stdout, "FAIL  login")
		require.Contains(t, found.Stdout, says)
	}
	admin := connect(t, server.AdminURL())
	exec := func(statement string) {
		_, err := admin.Exec(t.Context(), statement)
		require.NoError(t, err)
	}
	exec("GRANT quayside_owner TO quayside_login")
	fails(service, "may become quayside_owner", "--no-logins")
	exec("REVOKE quayside_owner FROM quayside_login")

	exec("GRANT quayside_app TO quayside_owner")
	fails([]string{"QUAYSIDE_DATABASE_URL=" + server.URL("QUAYSIDE_MIGRATE_URL")}, "is the owner of the schema", "--no-logins")

	address, err := url.Parse(server.URL("QUAYSIDE_DATABASE_URL"))
	require.NoError(t, err)
	password, _ := address.User.Password()
	for _, shared := range []string{"quayside_owner", "postgres"} {
		exec("ALTER ROLE " + shared + " PASSWORD '" + password + "'")
		fails(service, "also opens the login "+shared)
		require.Zero(t, doctor(service, "--no-logins").Code)
		exec("ALTER ROLE " + shared + " PASSWORD 'another'")
	}
}

// TestPasswordsDiffer checks the private PostgreSQL of this checkout, whose logins once had one password.
func TestPasswordsDiffer(t *testing.T) {
	t.Parallel()
	server := rig.NewServer(t)
	seen := map[string]bool{}
	for _, address := range []string{server.AdminURL(), server.URL("QUAYSIDE_MIGRATE_URL"), server.URL("QUAYSIDE_DATABASE_URL")} {
		parsed, err := url.Parse(address)
		require.NoError(t, err)
		password, _ := parsed.User.Password()
		require.NotEmpty(t, strings.TrimSpace(password))
		seen[password] = true
		connect(t, address)
	}
	require.Len(t, seen, 3)
}
