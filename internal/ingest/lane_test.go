//race:detect lanes and batches take records over from requests
package ingest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestABacklogHoldsItsOwnMemory passes 300,000 entries through a lane with a backlog of 128,
// with and without repeats. The lane holds memory for the backlog only.
func TestABacklogHoldsItsOwnMemory(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string]int{"distinct keys": 1000, "repeats": 40} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const backlog, passing = 128, 300_000
			l := newLane[int](limits{records: 10 * backlog, bytes: 1 << 30, wait: time.Hour, batch: mostRecords})
			var running sync.WaitGroup
			var identities []rowKey
			for i := range keys {
				identities = append(identities, testKey(1, strconv.Itoa(i)))
			}
			due, queued := time.Now().Add(time.Hour), 0
			for passed := 0; passed < passing; {
				for ; queued < backlog; queued++ {
					_, err := l.put(&entry[int]{key: identities[(passed+queued)%keys], size: 1, due: due}, &running)
					require.NoError(t, err)
				}
				taken := len(l.take())
				passed, queued = passed+taken, queued-taken
			}
			l.mu.Lock() // the lane's own timer may run
			q := l.queues[identities[0].tenant]
			slots, held, turns := len(q.entries.slots), cap(q.held), len(l.turns.slots)
			l.mu.Unlock()
			require.LessOrEqual(t, slots, 2*backlog)
			require.LessOrEqual(t, held, 4*mostRecords)
			require.LessOrEqual(t, turns, leastSlots)
			entries, bytes := l.queued()
			require.Equal(t, queued, entries)
			require.EqualValues(t, queued, bytes)
		})
	}
}

// TestOldest checks how long the oldest entry of a lane has waited: that of any tenant, and none once it is taken.
func TestOldest(t *testing.T) {
	t.Parallel()
	const wait = time.Hour
	l := newLane[int](limits{records: 100, bytes: 1 << 30, wait: wait, batch: mostRecords})
	now := time.Now()
	require.Zero(t, l.oldest(now))
	var running sync.WaitGroup
	for i, ago := range []time.Duration{time.Minute, 3 * time.Minute, 2 * time.Minute} {
		_, err := l.put(&entry[int]{key: testKey(byte(i+1), "1"), size: 1, due: now.Add(wait - ago)}, &running)
		require.NoError(t, err)
	}
	require.Equal(t, 3*time.Minute, l.oldest(now))
	require.Len(t, l.take(), 3)
	require.Zero(t, l.oldest(now))
}

// TestRoomIsShared checks that a tenant's backlog leaves room for others, by count and by
// bytes, and that an empty lane takes a record of any size.
func TestRoomIsShared(t *testing.T) {
	t.Parallel()
	var running sync.WaitGroup
	fill := func(l *lane[int], tenant byte, size int64) (queued int) {
		for {
			e := &entry[int]{key: testKey(tenant, strconv.Itoa(queued)), size: size, due: time.Now().Add(time.Hour)}
			if _, err := l.put(e, &running); err != nil {
				require.ErrorIs(t, err, errFull)
				return queued
			}
			queued++
		}
	}
	for _, tt := range []struct {
		name   string
		within limits
		size   int64
	}{
		{"entries", limits{records: 120, bytes: 1 << 30}, 1},
		{"bytes", limits{records: 1 << 30, bytes: 120 << 10}, 1 << 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLane[int](tt.within)
			require.Equal(t, 60, fill(l, 1, tt.size), "one tenant fills half of the lane")
			require.Equal(t, 30, fill(l, 2, tt.size), "and the next half of the rest")
			require.Equal(t, 0, fill(l, 1, tt.size))
			for tenant := byte(3); tenant < 8; tenant++ {
				require.NotZero(t, fill(l, tenant, tt.size), "tenant %d has nothing queued, so it gets in", tenant)
			}
			entries, bytes := l.queued()
			require.LessOrEqual(t, entries, tt.within.records)
			require.LessOrEqual(t, bytes, tt.within.bytes)
		})
	}
	large := newLane[int](limits{records: 10, bytes: 100})
	require.Equal(t, 1, fill(large, 1, 1000), "an empty lane takes a record of any size")
	require.Equal(t, 0, fill(large, 2, 1), "which then fills it")
}

// flooded returns the 99th percentile of the latency of 99 tenants, who send 340 records a
// second at random times, and the rate of a hundredth tenant, who sends without pause over
// the given number of connections. A batch takes as long as it would in PostgreSQL.
func flooded(t *testing.T, connections int) (p99 time.Duration, flood float64) {
	t.Helper()
	const duration, perSecond = 8 * time.Second, 340
	synctest.Test(t, func(t *testing.T) {
		b := newTestBatcher(2, 4096, mostRecords, func(batch []chan struct{}) func() {
			time.Sleep(300*time.Microsecond + time.Duration(len(batch))*29*time.Microsecond)
			return func() {
				for _, done := range batch {
					close(done)
				}
			}
		})
		store := func(tenant byte, identity string) time.Duration {
			start, done := time.Now(), make(chan struct{})
			if err := b.do(testKey(tenant, identity), 1, start, done); err != nil {
				t.Error(err)
			}
			<-done
			return time.Since(start)
		}
		var clients sync.WaitGroup
		end := time.Now().Add(duration)
		stored := make([]int, connections)
		for c := range connections {
			clients.Go(func() {
				for ; time.Now().Before(end); stored[c]++ {
					store(100, fmt.Sprintf("%d-%d", c, stored[c]))
				}
			})
		}
		var mu sync.Mutex
		var latencies []time.Duration
		random := rand.New(rand.NewPCG(1, 2))
		time.Sleep(time.Second) // until the flood's queue is full
		for n := 0; time.Now().Before(end); n++ {
			time.Sleep(time.Duration(random.ExpFloat64() * float64(time.Second) / perSecond))
			tenant := byte(random.IntN(99))
			clients.Go(func() {
				took := store(tenant, strconv.Itoa(n))
				mu.Lock()
				defer mu.Unlock()
				latencies = append(latencies, took)
			})
		}
		clients.Wait()
		b.close()
		slices.Sort(latencies)
		p99 = latencies[len(latencies)*99/100]
		for _, n := range stored {
			flood += float64(n) / duration.Seconds()
		}
	})
	return p99, flood
}

// TestInnocentsBesideAFlood checks that a tenant's flood hardly delays the other tenants.
func TestInnocentsBesideAFlood(t *testing.T) {
	t.Parallel()
	alone, _ := flooded(t, 0)
	beside, flood := flooded(t, 256)
	ratio := float64(beside) / float64(alone)
	t.Logf("p99 alone %s, beside the flood %s, ratio %.2f; the flood stored %.0f/s", alone, beside, ratio, flood)
	require.LessOrEqual(t, ratio, 1.6)
	require.Greater(t, flood, 10_000., "the flood is slowed, not stopped")
}
