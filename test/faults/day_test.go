// Package faults_test runs a scripted day of faults on two real 'quayside serve' processes and their PostgreSQL, under a
// steady load, and compares at the end what clients and probes were told with what is true.
//
//race:detect a service with all of its goroutines, under load and in trouble
package faults_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/test/rig"
)

const (
	password = "correct horse battery"
	// wholeDay is how long 'make faults' may take.
	wholeDay = 15 * time.Minute
	// healed is how many observations in a row have to be fine after a fault: those of a second.
	healed = 4
	// longestWait bounds everything that is waited for.
	longestWait = 3 * time.Minute
)

// company is one of two whose records are sent.
type company struct{ tenant, key, email string }

// day is the site, and what happens to it.
type day struct {
	t         *testing.T
	whole     bool
	began     time.Time
	server    *rig.Server
	companies []*company
	slots     []*slot
	load      *load
	watch     *watch
	done      []done
	dump      dump
	faked     bool // PostgreSQL's clock can be set
}

// done is a step that is over.
type done struct {
	name     string
	from, to time.Time
	note     string // how the step was made, if not as its name says
}

// step is one fault. Its function makes it for a time, mends it, and fails if it had no effect.
type step struct {
	name         string
	whole, short time.Duration // how long the fault lasts; 0: it is not part of that day
	do           func(d *day, lasts time.Duration) (note string)
}

// TestDay lets one fault follow another. Nothing that was acknowledged may be lost, nothing may be there twice, nobody
// may read an older value again, and no probe may say what is not true. QUAYSIDE_DAY=whole runs the whole day.
func TestDay(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	d.watch = startWatch(d)
	d.load = startLoad(d)
	d.settle()
	for _, s := range steps {
		lasts := s.short
		if d.whole {
			lasts = s.whole
		}
		if lasts > 0 {
			d.run(s, lasts)
		}
	}
	d.load.end()
	d.settle()
	d.watch.end()
	d.retry()
	d.verdict()
	if d.whole {
		require.Less(t, time.Since(d.began), wholeDay, "the whole day")
	}
}

func newDay(t *testing.T) *day {
	t.Helper()
	rig.Binary(t) // building it is not part of the day
	d := &day{t: t, whole: os.Getenv("QUAYSIDE_DAY") == "whole", began: time.Now(), server: rig.NewMigrated(t)}
	for _, name := range []string{"one", "two"} {
		c := &company{email: name + "@example.com"}
		var tenant struct {
			ID string `json:"tenant_id"`
		}
		rig.Run(t, d.server.Env, "tenant", "create", "--name", name, "--json").Decode(t, &tenant)
		c.tenant = tenant.ID
		var key struct{ Key string }
		rig.Run(t, d.server.Env, "key", "create", "--tenant", c.tenant, "--scope", "*", "--label", "day", "--json").Decode(t, &key)
		c.key = key.Key
		made := rig.RunWith(t, d.server.Env, password+"\n", "user", "create", "--tenant", c.tenant, "--email", c.email, "--role", "buyer")
		require.Zero(t, made.Code, made.Stderr)
		d.companies = append(d.companies, c)
	}
	d.exec("UPDATE workspace.api_keys SET rate_per_second = 1000000, rate_burst = 1000000")
	probe, err := pgx.Connect(t.Context(), d.probeURL())
	require.NoError(t, err)
	defer closeQuietly(probe)
	_, err = probe.Exec(t.Context(), "CREATE TABLE public.probe AS SELECT 0 AS n")
	require.NoError(t, err)
	for _, name := range []string{"A", "B"} {
		s := &slot{name: name, spool: d.disk(name)}
		s.env = []string{"QUAYSIDE_SPOOL_DIR=" + filepath.Join(s.spool, "spool")}
		d.slots = append(d.slots, s)
		d.serve(s)
	}
	return d
}

// probeURL is the address of a database of the watcher's own, on the same server.
func (d *day) probeURL() string {
	return strings.TrimSuffix(d.server.AdminURL(), "quayside") + "postgres"
}

// serve starts the process of a slot.
func (d *day) serve(s *slot, more ...string) {
	d.t.Helper()
	s.born(rig.Serve(d.t, slices.Concat(d.server.Env, s.env, more)))
}

// balance returns where the n-th record goes: to the instances in turns, but only to those that accept records, if any.
func (d *day) balance(n int) (slot int, base string) {
	slot = n % len(d.slots)
	if other := (slot + 1) % len(d.slots); !d.slots[slot].accepts.Load() && d.slots[other].accepts.Load() {
		slot = other
	}
	return slot, d.slots[slot].url()
}

// run makes a fault, and waits until everything works again.
func (d *day) run(s step, lasts time.Duration) {
	d.t.Helper()
	one := done{name: s.name, from: time.Now()}
	one.note = s.do(d, lasts)
	d.settle()
	one.to = time.Now()
	d.done = append(d.done, one)
	d.t.Logf("%s: %s took %s. %s", time.Since(d.began).Round(time.Second), s.name, one.to.Sub(one.from).Round(time.Second), one.note)
}

// last lets a fault last.
func (d *day) last(lasts time.Duration) {
	select {
	case <-time.After(lasts):
	case <-d.t.Context().Done():
	}
}

// settle waits until both instances are ready and store records, for a second.
func (d *day) settle() {
	d.t.Helper()
	since := time.Now()
	d.waitFor("stored records and green probes", func() bool {
		for _, s := range d.slots {
			if !s.ready.fine(since, healed) || !s.accept.fine(since, healed) || !s.own.fine(since, healed) {
				return false
			}
		}
		return d.watch.truth.fine(since, healed)
	})
}

func (d *day) waitFor(what string, condition func() bool) {
	d.t.Helper()
	deadline := time.Now().Add(longestWait)
	for !condition() {
		if !time.Now().Before(deadline) {
			d.report()
			for _, s := range d.slots {
				lines := s.process.Load().Lines()
				d.t.Logf("%s: %v", s.name, lines[max(0, len(lines)-20):])
			}
			require.Fail(d.t, "no "+what+" in time")
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// connect opens a connection for a statement of the script.
func (d *day) connect(server *rig.Server) *pgx.Conn {
	d.t.Helper()
	conn, err := pgx.Connect(d.t.Context(), server.AdminURL())
	require.NoError(d.t, err)
	return conn
}

func (d *day) exec(sql string) {
	d.t.Helper()
	conn := d.connect(d.server)
	defer closeQuietly(conn)
	_, err := conn.Exec(d.t.Context(), sql)
	require.NoError(d.t, err)
}

// ask returns the one value of a query.
func ask[T any](d *day, server *rig.Server, sql string, args ...any) (value T) {
	d.t.Helper()
	conn := d.connect(server)
	defer closeQuietly(conn)
	require.NoError(d.t, conn.QueryRow(context.WithoutCancel(d.t.Context()), sql, args...).Scan(&value))
	return value
}

// readNumber reads the number of a record through the app API. A record that is not there has the number 0.
func readNumber(person *rig.Person, base string, r *record) (number int64, status int) {
	path := fmt.Sprintf("workspaces/%s/tables/%s/rows?%s", person.Workspace, r.kind.slug, r.query())
	status, text, err := person.Do(base, http.MethodGet, path, nil)
	if err != nil || status != http.StatusOK {
		return 0, status
	}
	return r.parse(text), status
}
