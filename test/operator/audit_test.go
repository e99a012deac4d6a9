package operator_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/test/rig"
)

// auditDesk is an operator of the audit of one company on one server.
type auditDesk struct {
	t      *testing.T
	server *rig.Server
	tenant string
}

func (d auditDesk) run(args ...string) rig.Result { return rig.Run(d.t, d.server.Env, args...) }

// exec runs a statement as a superuser.
func (d auditDesk) exec(sql string, args ...any) {
	d.t.Helper()
	admin, err := pgx.Connect(d.t.Context(), d.server.AdminURL())
	require.NoError(d.t, err)
	defer func() { _ = admin.Close(d.t.Context()) }()
	_, err = admin.Exec(d.t.Context(), sql, args...)
	require.NoError(d.t, err)
}

func (d auditDesk) key(label string) {
	d.t.Helper()
	made := d.run("key", "create", "--tenant", d.tenant, "--scope", "*", "--label", label)
	require.Zero(d.t, made.Code, made.Stderr)
}

// sealed serves with two processes until everything is sealed, and returns the output of
// verify.
func (d auditDesk) sealed() string {
	d.t.Helper()
	env := slices.Concat(d.server.Env, []string{"QUAYSIDE_SWEEP_EVERY=50ms"})
	processes := []*rig.Process{rig.Serve(d.t, env), rig.Serve(d.t, env)}
	var printed string
	require.Eventually(d.t, func() bool {
		result := d.run("audit", "verify")
		require.Zero(d.t, result.Code, result.Stdout+result.Stderr)
		printed = result.Stdout
		return strings.Contains(printed, " 0 waiting")
	}, 2*time.Minute, 20*time.Millisecond)
	head := strings.Fields(printed)[1]
	require.Contains(d.t, processes[0].Log()+processes[1].Log(), `"head":"`+head+`"`, "logs tell heads")
	for _, process := range processes {
		require.Zero(d.t, process.Terminate())
		require.NotContains(d.t, process.Log(), "chore failed")
	}
	return printed
}

func (d auditDesk) keep(name, text string) string {
	d.t.Helper()
	path := filepath.Join(d.t.TempDir(), name)
	require.NoError(d.t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// TestAuditVerify is an operator who keeps heads, moves to another server by pg_dump, and then
// somebody tampers with the owner's login.
func TestAuditVerify(t *testing.T) {
	t.Parallel()
	d := auditDesk{t: t, server: rig.NewMigrated(t)}
	// This server has counted more transactions than the next one will for a while.
	d.exec("DO $$ BEGIN SET synchronous_commit = off; FOR i IN 1..5000 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$")
	var tenant struct {
		TenantID string `json:"tenant_id"`
	}
	d.run("tenant", "create", "--name", "Acme", "--json").Decode(t, &tenant)
	d.tenant = tenant.TenantID
	d.key("First")
	require.Contains(t, d.run("audit", "verify").Stdout, d.tenant+"  -  2 rows, 2 waiting  ok")
	first := d.keep("first", d.sealed())
	d.key("Second")
	second := d.keep("second", d.sealed())
	d.key("Third") // not sealed before the move

	d.move()
	d.key("Fourth")
	printed := d.sealed()
	require.Contains(t, printed, " 5 rows, 0 waiting  ok")
	d.exec("SELECT 1 / count(*) FROM workspace.audit a JOIN workspace.audit b ON b.id > a.id AND b.xid < a.xid") // fails when the new server is not behind
	for _, heads := range []string{first, second} {
		require.Zero(t, d.run("audit", "verify", "--heads", heads).Code)
	}
	head := strings.Fields(printed)[1]
	require.Zero(t, d.run("audit", "verify", "--tenant", d.tenant, "--head", head).Code)

	// Tampering with the owner's login.
	d.exec("UPDATE workspace.audit SET data = '{}' WHERE subject = $1", d.tenant)
	altered := d.run("audit", "verify")
	require.Equal(t, 1, altered.Code)
	require.Contains(t, altered.Stdout, "is not as seal 1 found it")
	require.Contains(t, altered.Stderr, "1 problems, in the audits of 1 of 1 companies")
	d.exec(`UPDATE workspace.audit SET data = '{"name": "Acme"}' WHERE subject = $1`, d.tenant)
	require.Zero(t, d.run("audit", "verify").Code)
	d.exec("DELETE FROM workspace.audit USING workspace.audit_seals s WHERE id = row_id AND number = 5")
	d.exec("DELETE FROM workspace.audit_seals WHERE number = 5")
	require.Zero(t, d.run("audit", "verify", "--heads", second).Code,
		"only a head that was kept tells of an end that was taken away")
	var results []struct {
		Problems int
		Findings []struct{ Problem, Detail string }
	}
	cut := d.run("audit", "verify", "--tenant", d.tenant, "--head", head, "--json")
	require.Equal(t, 1, cut.Code)
	cut.Code = 0
	cut.Decode(t, &results)
	require.Equal(t, "head_missing", results[0].Findings[0].Problem)

	// Wrong usage.
	for says, args := range map[string][]string{
		"say whose head it is": {"--head", head},
		"is not a head":        {"--tenant", d.tenant, "--head", "abc"},
		"no such file":         {"--heads", "nowhere.txt"},
		"no tenant 0190":       {"--tenant", "0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e"},
		"holds no head":        {"--heads", d.keep("wrong", "acme\n")},
	} {
		result := d.run(append([]string{"audit", "verify"}, args...)...)
		require.Equal(t, 1, result.Code, says)
		require.Contains(t, result.Stderr, says)
	}
	gone := d.run("audit", "verify", "--heads", d.keep("gone", "0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e "+head+"\n"))
	require.Equal(t, 1, gone.Code, "a company that is gone was there when its head was kept")
}

// move takes the database to another server, as pg_dump writes it.
func (d *auditDesk) move() {
	d.t.Helper()
	dump, err := exec.Command("pg_dump", d.server.AdminURL()).Output()
	require.NoError(d.t, err)
	d.server = rig.NewServer(d.t)
	d.exec(`CREATE ROLE quayside_app NOLOGIN NOINHERIT; CREATE ROLE quayside_system NOLOGIN NOINHERIT; CREATE ROLE quayside_backup NOLOGIN NOINHERIT;
		GRANT quayside_system TO quayside_app; GRANT quayside_app TO quayside_login`)
	restore := exec.Command("psql", "-qX", "-v", "ON_ERROR_STOP=1", d.server.AdminURL())
	restore.Stdin = strings.NewReader(string(dump))
	out, err := restore.CombinedOutput()
	require.NoError(d.t, err, string(out))
}
