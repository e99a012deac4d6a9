// Package push_test pushes files with the built binary to a running Quayside on its own
// PostgreSQL, with and without a terminal, and disturbs it.
package push_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/test/rig"
)

// site is a served Quayside with one company and a Master Import Key.
type site struct {
	t       *testing.T
	server  *rig.Server
	tenant  string
	key     string
	process *rig.Process
	admin   *pgx.Conn
	folder  string // where the files are
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, server: rig.NewMigrated(t), folder: t.TempDir()}
	var tenant struct {
		ID string `json:"tenant_id"`
	}
	rig.Run(t, s.server.Env, "tenant", "create", "--name", "Acme", "--json").Decode(t, &tenant)
	s.tenant = tenant.ID
	s.key = s.newKey("*")
	s.process = rig.Serve(t, append(s.server.Env, "QUAYSIDE_SWEEP_EVERY=200ms"))
	s.connect()
	return s
}

func (s *site) newKey(scope string) string {
	s.t.Helper()
	var key struct{ Key string }
	rig.Run(s.t, s.server.Env, "key", "create", "--tenant", s.tenant, "--scope", scope, "--label", "test",
		"--json").Decode(s.t, &key)
	return key.Key
}

// limit sets the rate limit and the burst of all keys.
func (s *site) limit(perSecond int) {
	s.t.Helper()
	_, err := s.admin.Exec(s.t.Context(), "UPDATE workspace.api_keys SET rate_per_second = $1, rate_burst = $1", perSecond)
	require.NoError(s.t, err)
}

func (s *site) connect() {
	s.t.Helper()
	admin, err := pgx.Connect(s.t.Context(), s.server.AdminURL())
	require.NoError(s.t, err)
	s.admin = admin
	s.t.Cleanup(func() { _ = admin.Close(context.WithoutCancel(s.t.Context())) })
}

func (s *site) count(sql string) (n int) {
	s.t.Helper()
	require.NoError(s.t, s.admin.QueryRow(s.t.Context(), sql).Scan(&n))
	return n
}

// waitFor polls until there are at least this many.
func (s *site) waitFor(least int, sql string) {
	s.t.Helper()
	deadline := time.Now().Add(3 * time.Minute)
	for s.count(sql) < least {
		require.True(s.t, time.Now().Before(deadline), "not %d in time: %s", least, sql)
		time.Sleep(5 * time.Millisecond)
	}
}

// file writes a file to push.
func (s *site) file(name, content string) string {
	s.t.Helper()
	path := filepath.Join(s.folder, name)
	require.NoError(s.t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func (s *site) env(more ...string) []string {
	return append([]string{"QUAYSIDE_URL=" + s.process.URL, "QUAYSIDE_KEY=" + s.key, "TERM=xterm"}, more...)
}

// push runs 'quayside push' without a terminal. The environment has no database.
func (s *site) push(args ...string) rig.Result {
	s.t.Helper()
	return rig.Run(s.t, s.env(), append([]string{"push"}, args...)...)
}

// terminal is a 'quayside push' on a pseudo-terminal.
type terminal struct {
	t     *testing.T
	cmd   *exec.Cmd
	tty   *os.File
	mu    sync.Mutex
	shown bytes.Buffer
	ended chan struct{}
}

func (s *site) pushOnTerminal(env []string, args ...string) *terminal {
	s.t.Helper()
	cmd := rig.Command(s.t, env, append([]string{"push"}, args...)...)
	cmd.Dir = s.folder
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 120})
	require.NoError(s.t, err)
	p := &terminal{t: s.t, cmd: cmd, tty: tty, ended: make(chan struct{})}
	go func() {
		defer close(p.ended)
		buffer := make([]byte, 32<<10)
		for {
			n, err := tty.Read(buffer)
			p.mu.Lock()
			p.shown.Write(buffer[:n])
			p.mu.Unlock()
			if err != nil { // EIO: the other side is closed
				return
			}
		}
	}()
	s.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = tty.Close() })
	return p
}

// interrupt presses Ctrl-C.
func (p *terminal) interrupt() {
	p.t.Helper()
	_, err := p.tty.WriteString("\x03")
	require.NoError(p.t, err)
}

// wait returns the exit code and everything that was shown.
func (p *terminal) wait() (code int, shown string) {
	p.t.Helper()
	err := p.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(p.t, err)
	}
	<-p.ended
	return p.cmd.ProcessState.ExitCode(), strings.ReplaceAll(p.shown.String(), "\r\n", "\n")
}

// counter forwards connections and counts the largest number of open ones.
func counter(t *testing.T, to string) (address string, most *atomic.Int64) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	most = &atomic.Int64{}
	var open atomic.Int64
	go func() {
		for {
			inside, err := listener.Accept()
			if err != nil {
				return
			}
			most.Store(max(most.Load(), open.Add(1)))
			outside, err := (&net.Dialer{}).DialContext(context.WithoutCancel(t.Context()), "tcp",
				strings.TrimPrefix(to, "http://"))
			if err != nil {
				_ = inside.Close()
				continue
			}
			go func() { _, _ = io.Copy(outside, inside); open.Add(-1); _ = outside.Close() }()
			go func() { _, _ = io.Copy(inside, outside); _ = inside.Close() }()
		}
	}()
	return "http://" + listener.Addr().String(), most
}
