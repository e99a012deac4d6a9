package main

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// source makes requests. It is used by all connections at once.
type source interface {
	request(buf []byte, random *rand.Rand) []byte
}

// mix describes the records that are sent.
type mix struct {
	kind     // order lines, if none is named
	tenants  int
	products int
	lines    int     // existing lines per tenant: half of the records update one
	refused  float64 // share that only the database can refuse
	raised   bool    // refused by a raised error instead of a classified one
	first    int     // the first tenant that is used
}

// of returns the same mix of another kind of records.
func (m mix) of(k kind) mix {
	m.kind = k
	return m
}

// sample holds the measurements of a run.
type sample struct {
	PerSecond float64
	P50, P99  time.Duration
	Statuses  map[int]int64
}

// newKeys makes new external ids unique over all runs of the program.
var newKeys atomic.Int64

// request appends one HTTP request.
func (m mix) request(buf []byte, random *rand.Rand) []byte {
	k := m.kind
	if k.slug == "" {
		k = orderLines
	}
	tenant := m.first + 1 + random.IntN(m.tenants)
	key := "L-" + strconv.Itoa(1+random.IntN(max(1, m.lines)))
	if m.lines == 0 || random.IntN(2) == 0 {
		key = "N-" + strconv.FormatInt(newKeys.Add(1), 36) + "-" + strconv.FormatUint(random.Uint64(), 36)
	}
	extra := ""
	if m.refused > 0 && random.Float64() < m.refused {
		extra = `,"supplier_id":"nobody"`
		if m.raised {
			extra = `,"note":"refuse me"`
		}
	}
	body := fmt.Appendf(nil, `{"external_id":"%s",`, key)
	body = append(fmt.Appendf(body, k.body, 1+random.IntN(m.products), 1+random.IntN(500)), extra+"}"...)
	buf = fmt.Appendf(buf, "POST /api/ingest/%s HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		k.slug, keyOfCached(tenant), len(body))
	return append(buf, body...)
}

var keyCache sync.Map

func keyOfCached(n int) string {
	if key, ok := keyCache.Load(n); ok {
		return key.(string) //nolint:forcetypeassert // only strings are stored
	}
	key := keyOf(n)
	keyCache.Store(n, key)
	return key
}

// client is one connection that speaks just enough HTTP to be cheap.
type client struct {
	conn   net.Conn
	reader *bufio.Reader
	buf    []byte
	random *rand.Rand
}

func dial(addr string) (*client, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &client{conn: conn, reader: bufio.NewReaderSize(conn, 4096),
		random: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))}, nil
}

// do sends one record and returns the answer's status.
func (c *client) do(m source) (int, error) {
	c.buf = m.request(c.buf[:0], c.random)
	if _, err := c.conn.Write(c.buf); err != nil {
		return 0, err
	}
	status, length := 0, 0
	for first := true; ; first = false {
		line, err := c.reader.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		if first {
			status, _ = strconv.Atoi(string(line[9:12]))
			continue
		}
		if len(line) == 2 {
			break
		}
		if len(line) > 16 && string(line[:16]) == "Content-Length: " {
			length, _ = strconv.Atoi(string(line[16 : len(line)-2]))
		}
	}
	_, err := c.reader.Discard(length)
	return status, err
}

// closed runs one client per connection, each of which sends when it was answered. What it sends first, until every
// connection is warm, does not count.
func closed(ctx context.Context, addr string, m source, connections int, duration time.Duration) (sample, error) {
	return drive(ctx, addr, m, connections, warmUp, duration, nil)
}

const warmUp = 500 * time.Millisecond

// open sends at a fixed rate, independently of the answers. A latency counts from when the
// record should have been sent, so that a stall is included.
func open(ctx context.Context, addr string, m source, perSecond float64, duration time.Duration) (sample, error) {
	due := make(chan time.Time, 1<<16)
	go func() {
		defer close(due)
		start := time.Now()
		for n := 0; ; n++ {
			at := start.Add(time.Duration(float64(n) / perSecond * float64(time.Second)))
			if at.Sub(start) > duration {
				return
			}
			time.Sleep(time.Until(at))
			due <- at
		}
	}()
	return drive(ctx, addr, m, 256, 0, duration, due)
}

func drive(ctx context.Context, addr string, m source, connections int, warm, duration time.Duration, due <-chan time.Time) (
	sample, error) {
	var (
		mu        sync.Mutex
		latencies []time.Duration
		statuses  = map[int]int64{}
		failed    error
		wait      sync.WaitGroup
		start     = time.Now().Add(warm)
		until     = start.Add(duration)
	)
	for range connections {
		c, err := dial(addr)
		if err != nil {
			return sample{}, err
		}
		wait.Go(func() {
			defer func() { _ = c.conn.Close() }()
			var own []time.Duration
			seen := map[int]int64{}
			var err error
			for ctx.Err() == nil {
				before := time.Now()
				if due != nil {
					at, more := <-due
					if !more {
						break
					}
					before = at
				} else if before.After(until) {
					break
				}
				var status int
				if status, err = c.do(m); err != nil {
					break
				}
				seen[status]++
				if !before.Before(start) {
					own = append(own, time.Since(before))
				}
			}
			mu.Lock()
			defer mu.Unlock()
			latencies = append(latencies, own...)
			for status, n := range seen {
				statuses[status] += n
			}
			if err != nil && failed == nil {
				failed = err
			}
		})
	}
	wait.Wait()
	return summarise(latencies, statuses, time.Since(start)), failed
}

func summarise(latencies []time.Duration, statuses map[int]int64, took time.Duration) sample {
	slices.Sort(latencies)
	s := sample{PerSecond: float64(len(latencies)) / took.Seconds(), Statuses: statuses}
	if len(latencies) > 0 {
		s.P50 = latencies[len(latencies)/2]
		s.P99 = latencies[min(len(latencies)-1, len(latencies)*99/100)]
	}
	return s
}
