// Package rig runs the built binary from outside, like an operator: a private PostgreSQL that
// can be stopped and started, commands with their exit codes, and serve processes.
package rig

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Root returns the checkout's folder: the nearest parent of the working directory with a
// go.mod. The compiler's file names are no help, since -trimpath removes the checkout's path.
func Root() string {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	panic("rig: no go.mod above the working directory")
}

// build compiles the binary once for all test processes, with the race detector if the tests
// run with it. The go tool does nothing if the file is current, so that later processes only
// wait.
var build = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(Root(), "bin", "rig")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	binary, args := filepath.Join(dir, "quayside"), []string{"build", "-ldflags=-s -w"}
	if raceEnabled {
		binary, args = binary+"-race", append(args, "-race")
	}
	return binary, locked(binary+".lock", func() error {
		cmd := exec.Command("go", append(args, "-o", binary, "./cmd/quayside")...)
		cmd.Dir = Root()
		if out, err := cmd.CombinedOutput(); err != nil {
			return errors.New(string(out))
		}
		return nil
	})
})

// locked runs fn while no other process does so with the same file.
func locked(file string, fn func() error) error {
	lock, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }() // also releases the lock
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	return fn()
}

// Server is a test's own PostgreSQL.
type Server struct {
	t    testing.TB
	dir  string
	from string   // the folder of the cluster that this one is a copy of, or ""
	more []string // environment of the server itself
	Env  []string // as an operator would export it
}

// NewServer starts a PostgreSQL with an empty database and the two logins.
func NewServer(t testing.TB) *Server {
	t.Helper()
	return newServer(t, "")
}

// NewMigrated is NewServer and 'quayside migrate' in a fraction of the time: the cluster is a copy of one that
// was prepared for all tests. All copies have the same system identifier.
func NewMigrated(t testing.TB) *Server {
	t.Helper()
	from, err := prepare(Binary(t))
	require.NoError(t, err)
	return newServer(t, from)
}

func newServer(t testing.TB, from string) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "quayside-rig-")
	require.NoError(t, err)
	s := &Server{t: t, dir: dir, from: from}
	t.Cleanup(func() { s.script("drop") })
	s.Start()
	return s
}

// Start starts the server, also after Stop.
func (s *Server) Start() {
	s.t.Helper()
	s.Env = nil
	for line := range strings.Lines(s.script("start")) {
		name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		if ok {
			s.Env = append(s.Env, name+"="+strings.Trim(value, "'"))
		}
	}
	require.Len(s.t, s.Env, 2, "the printed environment")
}

// Stop stops the server; its data stays.
func (s *Server) Stop() { s.script("stop") }

// URL returns one of the printed addresses.
func (s *Server) URL(name string) string {
	for _, entry := range s.Env {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	s.t.Fatalf("%s was not printed", name)
	return ""
}

// Log returns everything that the server has logged so far.
func (s *Server) Log() string {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, "server.log"))
	require.NoError(s.t, err)
	return string(text)
}

// AdminURL returns the database's address for a superuser.
func (s *Server) AdminURL() string {
	s.t.Helper()
	password, err := os.ReadFile(filepath.Join(s.dir, "password"))
	require.NoError(s.t, err)
	address, err := url.Parse(s.URL("QUAYSIDE_MIGRATE_URL"))
	require.NoError(s.t, err)
	address.User = url.UserPassword("postgres", strings.TrimSpace(string(password)))
	return address.String()
}

func (s *Server) script(command string) string {
	s.t.Helper()
	out, err := run(s.dir, append([]string{"QUAYSIDE_RUN_FROM=" + s.from}, s.more...),
		filepath.Join(Root(), "scripts", "postgres"), command)
	require.NoError(s.t, err)
	return out
}

// Result is the result of a command.
type Result struct {
	Code           int
	Stdout, Stderr string
}

// Decode reads the command's JSON.
func (r Result) Decode(t testing.TB, into any) {
	t.Helper()
	require.Zero(t, r.Code, r.Stderr)
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), into), r.Stdout)
}

// Run runs one command of the binary with only the given environment.
func Run(t testing.TB, env []string, args ...string) Result {
	t.Helper()
	return RunWith(t, env, "", args...)
}

// RunWith is Run for a command that reads its standard input.
func RunWith(t testing.TB, env []string, stdin string, args ...string) Result {
	t.Helper()
	cmd := Command(t, env, args...)
	cmd.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return Result{Code: cmd.ProcessState.ExitCode(), Stdout: stdout.String(), Stderr: stderr.String()}
}

// Binary returns the path of the built binary.
func Binary(t testing.TB) string {
	t.Helper()
	binary, err := build()
	require.NoError(t, err)
	return binary
}

// Command returns one command of the binary with only the given environment, not started.
func Command(t testing.TB, env []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(Binary(t), args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, env...)
	return cmd
}

// Process is a running 'quayside serve', or another command that serves.
type Process struct {
	t    testing.TB
	cmd  *exec.Cmd
	URL  string
	log  *lockedBuffer
	done chan struct{}
}

// Serve starts a process on a free port and waits until it is ready.
func Serve(t testing.TB, env []string) *Process {
	t.Helper()
	return ServeWith(t, env, "serve")
}

// ServeWith is Serve for another command that serves.
func ServeWith(t testing.TB, env []string, args ...string) *Process {
	t.Helper()
	return start(t, Command(t, env, args...))
}

// ServeWithFiles is Serve for a process that may open only so many files.
func ServeWithFiles(t testing.TB, env []string, files int) *Process {
	t.Helper()
	cmd := Command(t, env)
	cmd.Args = []string{"sh", "-c", fmt.Sprintf(`ulimit -n %d && exec "$0" serve`, files), cmd.Path}
	cmd.Path = "/bin/sh"
	return start(t, cmd)
}

// start starts a command that serves, and waits until it is ready.
func start(t testing.TB, cmd *exec.Cmd) *Process {
	t.Helper()
	addr := FreeAddr(t)
	p := &Process{t: t, URL: "http://" + addr, log: &lockedBuffer{}, done: make(chan struct{}), cmd: cmd}
	p.cmd.Env = append(p.cmd.Env, "QUAYSIDE_ADDR="+addr)
	p.cmd.Stderr = p.log
	p.cmd.Stdout = p.log
	require.NoError(t, p.cmd.Start())
	go func() {
		_ = p.cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(func() { _ = p.cmd.Process.Kill(); <-p.done })
	p.WaitReady()
	return p
}

// WaitReady returns once /readyz succeeds.
func (p *Process) WaitReady() {
	p.t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for {
		response, err := http.Get(p.URL + "/readyz")
		if err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case <-p.done:
			p.t.Fatalf("serve ended: %s", p.Log())
		case <-time.After(20 * time.Millisecond):
		}
		require.True(p.t, time.Now().Before(deadline), "serve was not ready in time: %s", p.Log())
	}
}

// Terminate asks the process to drain and returns its exit code.
func (p *Process) Terminate() int {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGTERM))
	select {
	case <-p.done:
	case <-time.After(2 * time.Minute):
		p.t.Fatalf("serve did not end: %s", p.Log())
	}
	return p.cmd.ProcessState.ExitCode()
}

// Kill ends the process like a crash.
func (p *Process) Kill() {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Kill())
	<-p.done
}

// Freeze stops the process until Thaw.
func (p *Process) Freeze() {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGSTOP))
}

// Thaw continues a frozen process.
func (p *Process) Thaw() {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGCONT))
}

// Log returns everything that the process has written so far.
func (p *Process) Log() string { return p.log.String() }

// FreeAddr returns an address on which nobody listens.
func FreeAddr(t testing.TB) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// Lines returns the lines of the log.
func (p *Process) Lines() []string {
	var lines []string
	scanner := bufio.NewScanner(strings.NewReader(p.Log()))
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	return lines
}
