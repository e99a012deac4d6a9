package faults_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/test/rig"
)

const (
	watchPeriod = 250 * time.Millisecond
	// A statement takes milliseconds. One that takes longer than this does not work.
	sqlPatience = 2 * time.Second
	// No probe may take this long; it is promised to answer within 3 s.
	probePatience = 6 * time.Second
)

// sample is one observation: a probe's answer, or whether a write worked.
type sample struct {
	sent, got time.Time
	status    int // of HTTP; 0: no answer
	ok        bool
	text      string // unless it is ok
}

// timeline is what was observed, in the order in which it was sent.
type timeline struct {
	mu      sync.Mutex
	samples []sample
}

func (l *timeline) add(s sample) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.samples = append(l.samples, s)
}

func (l *timeline) all() []sample {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]sample(nil), l.samples...)
}

// fine reports whether the last observations were fine, of at least so many that began after a moment.
func (l *timeline) fine(since time.Time, least int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.samples)
	return n >= least && !slices.ContainsFunc(l.samples[n-least:], func(s sample) bool { return !s.ok || s.sent.Before(since) })
}

// life is a time in which a process had to answer.
type life struct{ from, to time.Time }

// slot is the place of one instance: a process, and after its end the next one.
type slot struct {
	name  string
	env   []string
	spool string

	process atomic.Pointer[rig.Process]
	accepts atomic.Bool

	mu    sync.Mutex
	lives []life // the last one has no end while the process is up

	live, ready, accept, own timeline
}

func (s *slot) url() string { return s.process.Load().URL }

// born notes that the process is ready.
func (s *slot) born(p *rig.Process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.process.Store(p)
	s.lives = append(s.lives, life{from: time.Now()})
}

// leave notes that the process is about to end.
func (s *slot) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lives[len(s.lives)-1].to = time.Now()
}

// lived returns the times in which the process had to answer, the last one until now.
func (s *slot) lived() []life {
	s.mu.Lock()
	defer s.mu.Unlock()
	lives := append([]life(nil), s.lives...)
	if last := &lives[len(lives)-1]; last.to.IsZero() {
		last.to = time.Now()
	}
	return lives
}

// watch asks the probes of both instances, and finds out by itself whether records are stored.
type watch struct {
	day     *day
	stop    chan struct{}
	working sync.WaitGroup
	truth   timeline // a statement of ours, without the service
	late    timeline // times in which this machine kept us waiting
}

func startWatch(d *day) *watch {
	w := &watch{day: d, stop: make(chan struct{})}
	for i, s := range d.slots {
		caller := rig.NewCaller(probePatience + time.Second)
		for path, line := range map[string]*timeline{"/livez": &s.live, "/readyz": &s.ready, "/acceptz": &s.accept} {
			w.every(func() { w.ask(caller, s, path, line) })
		}
		n := 0
		w.every(func() {
			n++
			w.write(caller, s, i, n)
		})
	}
	w.every(w.state())
	previous := time.Now()
	w.every(func() {
		if now := time.Now(); now.Sub(previous) > 2*watchPeriod {
			w.late.add(sample{sent: previous, got: now})
		}
		previous = time.Now()
	})
	return w
}

// every does something again and again, until the end.
func (w *watch) every(do func()) {
	w.working.Go(func() {
		tick := time.NewTicker(watchPeriod)
		defer tick.Stop()
		for {
			select {
			case <-w.stop:
				return
			case <-tick.C:
				do()
			}
		}
	})
}

func (w *watch) end() {
	close(w.stop)
	w.working.Wait()
}

// ask asks one probe. The balancer follows /acceptz.
func (w *watch) ask(caller rig.Caller, s *slot, path string, line *timeline) {
	one := sample{sent: time.Now()}
	one.status, one.text = caller.Get(s.url() + path)
	one.got, one.ok = time.Now(), one.status == http.StatusOK
	if one.ok {
		one.text = ""
	}
	line.add(one)
	if path == "/acceptz" {
		s.accepts.Store(one.ok)
	}
}

// write sends a record of the watcher's own through an instance.
func (w *watch) write(caller rig.Caller, s *slot, i, n int) {
	one := sample{sent: time.Now()}
	answer := caller.Post(s.url(), "suppliers", w.day.companies[0].key, fmt.Sprintf("probe-%d.%d", i, n),
		fmt.Sprintf(`{"external_id":"probe-%d","name":"Probe","note":"%d"}`, i, n))
	one.got, one.status, one.text, one.ok = time.Now(), answer.Status, answer.Body, answer.Status == http.StatusOK
	s.own.add(one)
}

// state returns a function that stores something with a statement of its own.
func (w *watch) state() func() {
	var conn *pgx.Conn
	address := w.day.probeURL()
	return func() {
		one := sample{sent: time.Now()}
		ctx, cancel := context.WithTimeout(context.Background(), sqlPatience)
		defer cancel()
		var err error
		if conn == nil || conn.IsClosed() {
			conn, err = pgx.Connect(ctx, address)
		}
		if err == nil {
			_, err = conn.Exec(ctx, "UPDATE public.probe SET n = n + 1")
		}
		one.got, one.ok = time.Now(), err == nil
		if err != nil {
			one.text = err.Error()
			if conn != nil {
				go closeQuietly(conn)
				conn = nil
			}
		}
		w.truth.add(one)
	}
}

// closeQuietly closes a connection to a server that may not answer.
func closeQuietly(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), sqlPatience)
	defer cancel()
	_ = conn.Close(ctx)
}

// hasPartition reports that a red probe names a missing partition of the outbox.
func (s sample) hasPartition() bool { return strings.Contains(s.text, "partition") }
