package faults_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quayside/quayside/test/rig"
)

const (
	clients    = 20
	perClient  = 10  // records that a client changes again and again
	perSecond  = 140 // records of all clients together
	onceIn     = 5   // every fifth record is new, and is never sent again
	patience   = 30 * time.Second
	readPeriod = 50 * time.Millisecond
)

// kind is a table, and the column in which a record carries its number.
type kind struct{ slug, column, body string }

var kinds = []kind{
	{"customers", "note", `{"external_id":%q,"name":"Day","note":"%d"}`},
	{"products", "stock_on_hand", `{"external_id":%q,"sku":%[1]q,"name":"Day","stock_on_hand":%d}`},
	{"orders", "total", `{"external_id":%q,"ordered_at":"2026-11-01T00:00:00Z","status":"open","currency":"EUR","total":%d}`},
}

// record is one record of one client, who sends it with growing numbers.
type record struct {
	company *company
	kind    kind
	id      string
	sent    int          // the last number
	acked   atomic.Int64 // the last number that was acknowledged
	seen    int64        // the highest number that its reader has read
	once    bool
}

// outcome is what an answer says about a record.
type outcome int

const (
	stored  outcome = iota // 200
	kept                   // 422 or 500: a failed import, or in the spool
	refused                // 503: not stored, and not later either
	dropped                // 503: neither stored nor kept
	unknown                // no answer, or a 503 that says so
)

// attempt is one request of a client.
type attempt struct {
	record  *record
	request string
	number  int
	slot    int
	sentAt  time.Time
	took    time.Duration
	outcome outcome
	status  int
	answer  string // unless it was stored
}

func outcomeOf(a rig.Answer) outcome {
	switch {
	case a.Status == http.StatusOK:
		return stored
	case a.Status == http.StatusInternalServerError || a.Status == http.StatusUnprocessableEntity:
		return kept
	case a.Status == http.StatusServiceUnavailable && strings.Contains(a.Body, "not kept"):
		return dropped
	case a.Status == http.StatusServiceUnavailable && !strings.Contains(a.Body, "not known"):
		return refused
	}
	return unknown
}

// load is the clients, and everything that they were told.
type load struct {
	day     *day
	stop    chan struct{}
	working sync.WaitGroup

	mu       sync.Mutex
	records  []*record
	attempts []attempt
	reads    int
	stale    []string
}

func startLoad(d *day) *load {
	l := &load{day: d, stop: make(chan struct{})}
	own := make([][]*record, clients)
	for client := range clients {
		for n := range perClient {
			r := &record{company: d.companies[client%len(d.companies)], kind: kinds[n%len(kinds)],
				id: fmt.Sprintf("day-%d-%d", client, n)}
			own[client] = append(own[client], r)
			l.records = append(l.records, r)
		}
	}
	for client := range clients {
		l.working.Go(func() { l.send(client, own[client]) })
	}
	for reader, c := range d.companies {
		l.working.Go(func() { l.read(c, rand.New(rand.NewPCG(3, uint64(reader)))) })
	}
	return l
}

// send sends records at an even pace, each to an instance that accepts records, in turns. Nothing is sent twice: the
// next number follows, as from a shop that sends what is true now.
func (l *load) send(client int, own []*record) {
	caller := rig.NewCaller(patience)
	tick := time.NewTicker(time.Second * clients / perSecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-l.stop:
			return
		case <-tick.C:
		}
		r := own[n%len(own)]
		if n%onceIn == onceIn-1 {
			r = &record{company: r.company, kind: kinds[0], id: fmt.Sprintf("once-%d-%d", client, n), once: true}
			l.mu.Lock()
			l.records = append(l.records, r)
			l.mu.Unlock()
		}
		r.sent++
		slot, base := l.day.balance(client + n)
		a := attempt{record: r, number: r.sent, slot: slot, request: fmt.Sprintf("%s.%d", r.id, r.sent), sentAt: time.Now()}
		answer := caller.Post(base, r.kind.slug, r.company.key, a.request, fmt.Sprintf(r.kind.body, r.id, r.sent))
		a.took, a.outcome, a.status = time.Since(a.sentAt), outcomeOf(answer), answer.Status
		if a.outcome == stored {
			r.acked.Store(int64(r.sent))
		} else {
			a.answer = answer.Body
		}
		l.mu.Lock()
		l.attempts = append(l.attempts, a)
		l.mu.Unlock()
	}
}

// end stops the clients.
func (l *load) end() {
	close(l.stop)
	l.working.Wait()
}

// between returns the attempts that were sent in a time and answered so far.
func (l *load) between(from, to time.Time) []attempt {
	l.mu.Lock()
	defer l.mu.Unlock()
	var found []attempt
	for _, a := range l.attempts {
		if !a.sentAt.Before(from) && a.sentAt.Before(to) {
			found = append(found, a)
		}
	}
	return found
}

// acknowledged returns the last acknowledged number of each record, and the requests that were acknowledged.
func (l *load) acknowledged() (numbers map[*record]int64, requests []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	numbers = map[*record]int64{}
	for _, a := range l.attempts {
		if a.outcome == stored {
			numbers[a.record] = max(numbers[a.record], int64(a.number))
			requests = append(requests, a.request)
		}
	}
	return numbers, requests
}

// some returns a record that was acknowledged, or nil.
func (l *load) some(c *company, chance *rand.Rand) *record {
	l.mu.Lock()
	defer l.mu.Unlock()
	for range 10 {
		if r := l.records[chance.IntN(len(l.records))]; r.company == c && r.acked.Load() > 0 {
			return r
		}
	}
	return nil
}

// read reads records of a company through both instances. No number may be older than one that was acknowledged or
// read before.
func (l *load) read(c *company, chance *rand.Rand) {
	tick := time.NewTicker(readPeriod)
	defer tick.Stop()
	var person *rig.Person
	for n := 0; ; n++ {
		select {
		case <-l.stop:
			return
		case <-tick.C:
		}
		_, base := l.day.balance(n)
		if person == nil {
			person, _ = rig.SignIn(base, c.email, password) // it may be in the middle of a fault
			continue
		}
		r := l.some(c, chance)
		if r == nil {
			continue
		}
		least := max(r.acked.Load(), r.seen)
		found, status := readNumber(person, base, r)
		if status == http.StatusUnauthorized {
			person = nil // the clock was set, and the session is over
		}
		if status != http.StatusOK {
			continue
		}
		l.mu.Lock()
		l.reads++
		if found < least {
			l.stale = append(l.stale, fmt.Sprintf("%s %s: read %d after %d", r.kind.slug, r.id, found, least))
		}
		l.mu.Unlock()
		r.seen = max(r.seen, found)
	}
}

// readings returns how many records were read.
func (l *load) readings() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.reads
}

// median returns the answer time below which half of the attempts lie, and the longest.
func median(attempts []attempt) (half, longest time.Duration) {
	if len(attempts) == 0 {
		return 0, 0
	}
	var times []time.Duration
	for _, a := range attempts {
		times = append(times, a.took)
	}
	slices.Sort(times)
	return times[len(times)/2], times[len(times)-1]
}
