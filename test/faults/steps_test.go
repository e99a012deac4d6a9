package faults_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// steps is the day. Each fault has ended before the next begins.
var steps = []step{
	{"nothing", 20 * time.Second, time.Second, func(d *day, lasts time.Duration) string { d.last(lasts); return "" }},
	{"an instance is killed", 5 * time.Second, time.Second, (*day).kill},
	{"an instance is stopped", 5 * time.Second, time.Second, (*day).drain},
	{"a table is locked", 15 * time.Second, 4 * time.Second, (*day).lockTable},
	{"a row is locked", 15 * time.Second, 0, (*day).lockRow},
	{"PostgreSQL is read-only", 25 * time.Second, 5 * time.Second, (*day).readOnly},
	{"the standby is lost", 30 * time.Second, 7 * time.Second, (*day).loseStandby},
	{"a backup is made", time.Second, time.Second, (*day).backUp},
	{"PostgreSQL is frozen", 30 * time.Second, 9 * time.Second, (*day).freeze},
	{"PostgreSQL is stopped", 30 * time.Second, 0, (*day).stop},
	{"stopped, and the disk is full", 20 * time.Second, 6 * time.Second, (*day).fillDisk},
	{"PostgreSQL's clock is ahead", 60 * time.Second, 4 * time.Second, (*day).setClock},
	{"PostgreSQL crashes", 15 * time.Second, 4 * time.Second, (*day).crash},
	{"the other instance is killed", 5 * time.Second, 0, (*day).killOther},
	{"the backup is restored", time.Second, time.Second, (*day).restore},
}

func (d *day) kill(lasts time.Duration) string      { return d.killSlot(d.slots[0], lasts) }
func (d *day) killOther(lasts time.Duration) string { return d.killSlot(d.slots[1], lasts) }

// killSlot ends an instance in the middle of its requests, and starts it again.
func (d *day) killSlot(s *slot, lasts time.Duration) string {
	d.t.Helper()
	from := time.Now()
	s.leave()
	s.process.Load().Kill()
	d.last(lasts)
	d.waitFor("/livez without an answer", func() bool {
		live := s.live.all()
		return live[len(live)-1].status == 0 && live[len(live)-1].sent.After(from)
	})
	again := time.Now()
	d.serve(s)
	return fmt.Sprintf("The next process was ready after %s.", time.Since(again).Round(100*time.Millisecond))
}

// drain stops each instance in turn, as for an upgrade. No client may meet a closed connection.
func (d *day) drain(lasts time.Duration) string {
	d.t.Helper()
	from, stopped := time.Now(), d.slots
	if !d.whole {
		stopped = stopped[:1]
	}
	for i, s := range stopped {
		s.leave()
		asked := time.Now()
		require.Zero(d.t, s.process.Load().Terminate(), "the exit code of %s", s.name)
		ended := time.Now()
		accept := s.accept.all()
		require.False(d.t, accept[len(accept)-1].ok && accept[len(accept)-1].sent.After(asked.Add(watchPeriod)), "/acceptz is red")
		d.last(lasts)
		d.serve(s)
		d.settle()
		for _, a := range d.load.between(asked.Add(-patience), ended) {
			open := a.sentAt.Add(a.took).After(asked)
			require.False(d.t, a.slot == i && open && a.status == 0, "a client of %s got no answer: %s", s.name, a.answer)
		}
	}
	require.NotZero(d.t, len(d.load.between(from, time.Now())))
	return ""
}

// lock holds a lock for a while. Its own records are refused, and no other is.
func (d *day) lock(lasts time.Duration, sql string, locked func(*record) bool) string {
	d.t.Helper()
	conn := d.connect(d.server)
	defer closeQuietly(conn)
	tx, err := conn.Begin(d.t.Context())
	require.NoError(d.t, err)
	_, err = tx.Exec(d.t.Context(), sql)
	require.NoError(d.t, err)
	from := time.Now()
	d.last(lasts)
	to := time.Now()
	require.NoError(d.t, tx.Rollback(d.t.Context()))
	d.settle()
	refusals := 0
	for _, a := range d.load.between(from, to) {
		if locked(a.record) && a.outcome == refused {
			refusals++
		}
		require.True(d.t, locked(a.record) || a.outcome == stored, "%s got %d %s", a.request, a.status, a.answer)
	}
	require.NotZero(d.t, refusals, "the lock had no effect")
	return fmt.Sprintf("%d of its records were refused, and none of the others", refusals)
}

func (d *day) lockTable(lasts time.Duration) string {
	return d.lock(lasts, "LOCK TABLE workspace.orders IN ACCESS EXCLUSIVE MODE", func(r *record) bool { return r.kind.slug == "orders" })
}

func (d *day) lockRow(lasts time.Duration) string {
	return d.lock(lasts, "SELECT FROM workspace.products WHERE external_id = 'day-0-1' FOR UPDATE",
		func(r *record) bool { return r.id == "day-0-1" })
}

// outage breaks PostgreSQL for a while, and returns how many statements failed and how many records were kept.
func (d *day) outage(lasts time.Duration, broken, mend func()) (failed, keptOnes int) {
	d.t.Helper()
	mended := false
	defer func() {
		if !mended { // so that the server can be removed
			mend()
		}
	}()
	from := time.Now()
	broken()
	d.last(lasts)
	to := time.Now()
	mended = true
	mend()
	d.settle()
	for _, s := range d.watch.truth.all() {
		if s.sent.After(from) && s.sent.Before(to) && !s.ok {
			failed++
		}
	}
	for _, a := range d.load.between(from, to) {
		if a.outcome == kept {
			keptOnes++
		}
	}
	require.NotZero(d.t, failed, "statements worked all the time")
	return failed, keptOnes
}

// away breaks PostgreSQL for a while, in which records have to be kept.
func (d *day) away(lasts time.Duration, broken, mend func()) string {
	d.t.Helper()
	failed, keptOnes := d.outage(lasts, broken, mend)
	require.NotZero(d.t, keptOnes, "no record was kept")
	return fmt.Sprintf("%d statements failed", failed)
}

func (d *day) readOnly(lasts time.Duration) string {
	return d.away(lasts, func() { d.server.Configure("default_transaction_read_only", "on") },
		func() { d.server.Configure("default_transaction_read_only", "") })
}

func (d *day) loseStandby(lasts time.Duration) string {
	return d.away(lasts, func() { d.server.Configure("synchronous_standby_names", "gone") },
		func() { d.server.Configure("synchronous_standby_names", "") })
}

func (d *day) freeze(lasts time.Duration) string {
	return d.away(lasts, d.server.Freeze, d.server.Thaw)
}

func (d *day) stop(lasts time.Duration) string { return d.away(lasts, d.server.Stop, d.server.Start) }

func (d *day) crash(lasts time.Duration) string {
	d.t.Helper()
	d.server.TrueClock()
	const recovers = "automatic recovery in progress"
	before := strings.Count(d.server.Log(), recovers)
	note := d.away(lasts, d.server.Crash, d.server.Start)
	require.Greater(d.t, strings.Count(d.server.Log(), recovers), before, "PostgreSQL recovered from a crash")
	return note
}
