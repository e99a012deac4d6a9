package rig

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// Configure changes a setting of the running server; "" resets it. Connections that have seen the old value may go
// on as before.
func (s *Server) Configure(setting, value string) {
	s.t.Helper()
	ctx := context.WithoutCancel(s.t.Context())
	conn, err := pgx.Connect(ctx, s.AdminURL())
	require.NoError(s.t, err)
	defer func() { _ = conn.Close(ctx) }()
	change := "ALTER SYSTEM RESET " + setting
	if value != "" {
		change = fmt.Sprintf("ALTER SYSTEM SET %s = '%s'", setting, value)
	}
	// The change must not be affected by what it sets.
	for _, statement := range []string{"SET synchronous_commit = local", "SET default_transaction_read_only = off", change,
		"SELECT pg_reload_conf()"} {
		_, err := conn.Exec(ctx, statement)
		require.NoError(s.t, err)
	}
}

// Standby makes the stopped server a hot standby, or a primary again.
func (s *Server) Standby(standby bool) {
	s.t.Helper()
	mark := filepath.Join(s.dir, "data", "standby.signal")
	if standby {
		require.NoError(s.t, os.WriteFile(mark, nil, 0o644))
		return
	}
	require.NoError(s.t, os.Remove(mark))
}

// Freeze stops all of the server's processes until Thaw: connections stay open, and nothing is answered.
func (s *Server) Freeze() { s.signal(syscall.SIGSTOP) }

// Thaw continues a frozen server.
func (s *Server) Thaw() { s.signal(syscall.SIGCONT) }

// Crash kills all of the server's processes, as if the machine had lost its power. Start recovers it.
func (s *Server) Crash() {
	s.t.Helper()
	killed := s.signal(syscall.SIGKILL)
	deadline := time.Now().Add(time.Minute)
	for _, pid := range killed {
		for _, state := parentOf(pid); state != "" && state != "Z"; _, state = parentOf(pid) {
			require.True(s.t, time.Now().Before(deadline), "process %d of PostgreSQL did not end", pid)
			time.Sleep(5 * time.Millisecond)
		}
	}
	// Otherwise pg_ctl takes a dead process that nobody has waited for for a running server.
	require.NoError(s.t, os.Remove(filepath.Join(s.dir, "data", "postmaster.pid")))
}

// signal sends a signal to the server's first process and to its children.
func (s *Server) signal(signal syscall.Signal) (pids []int) {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, "data", "postmaster.pid"))
	require.NoError(s.t, err)
	first, _, _ := strings.Cut(string(text), "\n")
	postmaster, err := strconv.Atoi(first)
	require.NoError(s.t, err)
	pids = []int{postmaster}
	entries, err := os.ReadDir("/proc")
	require.NoError(s.t, err)
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil {
			if parent, _ := parentOf(pid); parent == postmaster {
				pids = append(pids, pid)
			}
		}
	}
	for _, pid := range pids {
		if err := syscall.Kill(pid, signal); err != nil {
			require.ErrorIs(s.t, err, syscall.ESRCH)
		}
	}
	return pids
}

// parentOf returns a process's parent and state; "" means that there is no such process.
func parentOf(pid int) (parent int, state string) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, ""
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(after)
	if len(fields) < 2 {
		return 0, ""
	}
	parent, _ = strconv.Atoi(fields[1])
	return parent, fields[0]
}

// fakeTime returns libfaketime of Debian's package, or "".
func fakeTime() string {
	found, _ := filepath.Glob("/usr/lib/*/faketime/libfaketime.so.1")
	if len(found) == 0 {
		return ""
	}
	return found[0]
}

// FakeClock has the next Start run the server with a clock that SetClock can set. It reports whether libfaketime is
// installed.
func (s *Server) FakeClock() bool {
	s.t.Helper()
	library := fakeTime()
	if library == "" {
		return false
	}
	s.SetClock("+0")
	s.more = []string{"LD_PRELOAD=" + library, "FAKETIME_TIMESTAMP_FILE=" + s.clock(), "FAKETIME_CACHE_DURATION=1",
		"FAKETIME_DONT_FAKE_MONOTONIC=1"}
	return true
}

// SetClock sets the server's clock ahead or back by an offset, such as "+40d", within about a second.
func (s *Server) SetClock(offset string) {
	s.t.Helper()
	next := s.clock() + ".next"
	require.NoError(s.t, os.WriteFile(next, []byte(offset+"\n"), 0o644))
	require.NoError(s.t, os.Rename(next, s.clock()))
}

func (s *Server) clock() string { return filepath.Join(s.dir, "clock") }

// TrueClock has the next Start run the server with the machine's clock again.
func (s *Server) TrueClock() { s.more = nil }
