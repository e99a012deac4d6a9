package ingest

import (
	"flag"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/test/property"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if fuzzing := flag.Lookup("test.fuzz"); fuzzing.Value.String() != "" {
		os.Exit(m.Run()) // the fuzzing engine has its own goroutines
	}
	// A cache's goroutine ends when the cache is garbage-collected.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/maypok86/otter/v2.periodicCleanUp[...]"))
}

// sink stands in for PostgreSQL: each batch takes the duration work of synctest's clock.
type sink struct {
	mu       sync.Mutex
	batches  [][]int
	answered []int
	work     time.Duration
}

func (s *sink) flush(batch []int) func() {
	time.Sleep(s.work)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batches = append(s.batches, batch)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.answered = append(s.answered, batch...)
	}
}

// newTestBatcher returns a batcher whose other limits are never reached.
func newTestBatcher[T any](lanes, records, batch int, flush func([]T) func()) *batcher[T] {
	return newBatcher("items", lanes, limits{records: records, bytes: 1 << 30, wait: time.Hour, batch: batch},
		slog.New(slog.DiscardHandler), flush)
}

func testKey(tenant byte, identity string) rowKey {
	return rowKey{tenant: uuid.UUID{tenant}, table: "orders", identity: identity}
}

// putAll puts the items in order, each from its own goroutine.
func putAll(t *testing.T, b *batcher[int], keys []rowKey) {
	t.Helper()
	for i, key := range keys {
		go func() {
			if err := b.do(key, 1, time.Now(), i); err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
	}
}

func TestALoneItemDoesNotWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &sink{work: time.Second}
		b := newTestBatcher(2, 10, 10, s.flush)
		start := time.Now()
		require.NoError(t, b.do(testKey(1, "a"), 1, time.Now(), 0))
		require.Equal(t, time.Second, time.Since(start), "the write itself, and nothing else")
		require.Equal(t, []int{0}, s.answered)
		b.close()
	})
}

func TestArrivalsGather(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &sink{work: time.Second}
		b := newTestBatcher(1, 100, 4, s.flush)
		var keys []rowKey
		for i := range 8 {
			keys = append(keys, testKey(1, fmt.Sprint(i)))
		}
		putAll(t, b, keys)
		b.close()
		require.Equal(t, [][]int{{0}, {1, 2, 3, 4}, {5, 6, 7}}, s.batches,
			"the first goes alone, the others share, up to the bound")
		require.Len(t, s.answered, 8)
	})
}

func TestRepeatsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &sink{work: time.Second}
		b := newTestBatcher(1, 100, 10, s.flush)
		putAll(t, b, []rowKey{testKey(1, "x"), testKey(1, "a"), testKey(1, "a"), testKey(1, "b"), testKey(1, "a"),
			testKey(1, "c")})
		b.close()
		require.Equal(t, [][]int{{0}, {1, 3, 5}, {2}, {4}}, s.batches)
	})
}

func TestTenantsTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &sink{work: time.Second}
		b := newTestBatcher(1, 1000, 24, s.flush)
		keys := []rowKey{testKey(9, "first")}
		for i := range 40 { // a flood
			keys = append(keys, testKey(1, fmt.Sprint(i)))
		}
		keys = append(keys, testKey(2, "innocent"), testKey(3, "innocent"))
		putAll(t, b, keys)
		b.close()
		require.Contains(t, s.batches[1], 41, "tenant 2 is in the next batch, whatever tenant 1 has queued")
		require.Contains(t, s.batches[1], 42)
		require.Len(t, s.batches[1], 6+2, "and tenant 1 has its share of it, a quarter, no more")
	})
}

func TestALaneOfOnesOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &sink{work: 100 * time.Millisecond}
		b := newTestBatcher(1, 2000, 16, s.flush)
		keys := []rowKey{testKey(2, "long ago")}
		for i := range 900 {
			keys = append(keys, testKey(1, fmt.Sprint(i)))
		}
		putAll(t, b, keys)
		b.close()
		require.Len(t, s.batches[1], 8, "a share, while the other tenant may come back")
		require.Len(t, s.batches[25], 16, "all of it, when it has not for two seconds")
	})
}

func TestAFullLaneRefuses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &sink{work: time.Second}
		b := newTestBatcher(1, 3, 2, s.flush)
		putAll(t, b, []rowKey{testKey(1, "0"), testKey(1, "1"), testKey(1, "2"), testKey(2, "3")})
		require.ErrorIs(t, b.do(testKey(2, "x"), 1, time.Now(), 99), errFull)
		b.close()
		require.ErrorIs(t, b.do(testKey(2, "x"), 1, time.Now(), 99), errFull, "and so does a closed one")
		require.Len(t, s.answered, 4, "what was taken is answered")
	})
}

// TestLateEntriesAreNotWritten blocks a lane with a batch that takes a minute. Entries that
// wait too long are refused when they become late, although the lane is blocked, and are
// never written. Entries that came later are.
func TestLateEntriesAreNotWritten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &sink{work: time.Minute}
		b := newTestBatcher(1, 100, 10, s.flush)
		b.lanes[0].wait = 5 * time.Second
		start := time.Now()
		var refused atomic.Int32
		put := func(identity string, taken time.Time, item int) {
			go func() {
				if err := b.do(testKey(1, identity), 1, taken, item); err != nil {
					assert.ErrorIs(t, err, errLate)
					assert.True(t, fault.Is(err, fault.Unavailable))
					assert.InDelta(t, 5, time.Since(taken).Seconds(), lateCheckInterval.Seconds())
					refused.Add(1)
				}
			}()
			synctest.Wait()
		}
		put("first", start, 0) // holds the lane up
		put("a", start, 1)
		put("a", start, 2) // a repeat
		time.Sleep(2 * time.Second)
		put("b", start, 3) // whose request began two seconds ago
		require.Zero(t, refused.Load())
		time.Sleep(3*time.Second + lateCheckInterval)
		synctest.Wait()
		require.EqualValues(t, 3, refused.Load(), "refused when they were due")
		require.Equal(t, 5*time.Second+lateCheckInterval, b.stalled(time.Now()),
			"nothing is queued any more, but the lane does not move")
		time.Sleep(54 * time.Second)
		put("c", time.Now(), 4)
		b.close()
		require.Equal(t, [][]int{{0}, {4}}, s.batches)
		entries, bytes := b.lanes[0].queued()
		require.Zero(t, entries)
		require.Zero(t, bytes)
	})
}

// TestALaneRefusesLateEntries checks that a lane refuses a late entry instead of taking it.
func TestALaneRefusesLateEntries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLane[int](limits{records: 10, bytes: 100, batch: 10})
		var running sync.WaitGroup
		late := &entry[int]{key: testKey(1, "late"), size: 1, due: time.Now(), done: make(chan struct{})}
		inTime := &entry[int]{key: testKey(1, "in time"), size: 1, due: time.Now().Add(time.Second),
			done: make(chan struct{})}
		for _, e := range []*entry[int]{late, inTime} {
			_, err := l.put(e, &running)
			require.NoError(t, err)
		}
		require.Equal(t, []*entry[int]{inTime}, l.take())
		<-late.done
		require.ErrorIs(t, late.err, errLate)
		require.False(t, l.more())
		require.Empty(t, l.take(), "nothing is left")
	})
}

// TestEitherLateOrWritten checks that every record is either written or refused.
func TestEitherLateOrWritten(t *testing.T) {
	t.Parallel()
	const records = 2000
	var written, refused [records]atomic.Int32
	b := newTestBatcher(1, 2*records, 16, func(batch []int) func() {
		for _, item := range batch {
			written[item].Add(1)
		}
		return func() {}
	})
	b.lanes[0].wait = 200 * time.Microsecond
	stop, looking := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(looking)
		for {
			select {
			case <-stop:
				return
			default:
				b.lanes[0].refuseAllLate()
			}
		}
	}()
	var clients sync.WaitGroup
	for i := range records {
		clients.Go(func() {
			if b.do(testKey(1, fmt.Sprint(i)), 1, time.Now(), i) != nil {
				refused[i].Add(1)
			}
		})
	}
	clients.Wait()
	close(stop)
	<-looking
	b.close()
	for i := range records {
		require.EqualValues(t, 1, written[i].Load()+refused[i].Load(), "record %d", i)
	}
}

// TestAPanicCostsItsBatch checks that the entries of a batch that panics get an error and that
// the lane goes on. The log has the stack, but not the panic's value.
func TestAPanicCostsItsBatch(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"flush", "answer"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &sink{work: time.Second}
				b := newTestBatcher(1, 100, 2, func(batch []int) func() {
					answer := s.flush(batch)
					if !slices.Contains(batch, 2) {
						return answer
					}
					if where == "flush" {
						panic("payload")
					}
					return func() { panic("payload") }
				})
				log := &strings.Builder{}
				b.log = slog.New(slog.NewTextHandler(log, nil))
				errs := make([]error, 6)
				var clients sync.WaitGroup
				for i := range errs {
					clients.Go(func() { errs[i] = b.do(testKey(1, fmt.Sprint(i)), 1, time.Now(), i) })
					synctest.Wait()
				}
				clients.Wait()
				require.NoError(t, b.do(testKey(1, "later"), 1, time.Now(), 7), "the lane goes on")
				b.close()
				for i, err := range errs {
					if i == 1 || i == 2 {
						require.ErrorContains(t, err, "panic while writing items")
						_, judged := classifyFailure(err)
						require.True(t, judged, "it is a fault of ours: 500, and a dead letter")
						continue
					}
					require.NoError(t, err)
				}
				require.Contains(t, log.String(), "TestAPanicCostsItsBatch", "the stack")
				require.NotContains(t, log.String(), "payload")
				require.Equal(t, 1, strings.Count(log.String(), "a batch panicked"))
			})
		})
	}
}

// TestStalled checks that a lane with queued entries is stalled until it takes a batch.
func TestStalled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &sink{work: time.Minute}
		b := newTestBatcher(2, 100, 10, s.flush)
		putAll(t, b, []rowKey{testKey(1, "a")})
		time.Sleep(10 * time.Second)
		require.Zero(t, b.stalled(time.Now()), "nobody waits but whoever is written")
		putAll(t, b, []rowKey{testKey(1, "a")})
		require.Equal(t, 10*time.Second, b.stalled(time.Now()))
		time.Sleep(50 * time.Second)
		synctest.Wait()
		require.Zero(t, b.stalled(time.Now()))
		b.close()
		require.Zero(t, b.stalled(time.Now()))
	})
}

func TestCloseDrains(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &sink{work: time.Second}
		b := newTestBatcher(4, 100, 2, s.flush)
		var keys []rowKey
		for i := range 50 {
			keys = append(keys, testKey(byte(i%5), fmt.Sprint(i)))
		}
		putAll(t, b, keys)
		b.close()
		require.Len(t, s.answered, 50)
	})
}

// TestAnyArrivals checks that every item is written once, in a batch within the limit that
// holds each key once, and that repeats of a key are written in the order of their arrival.
func TestAnyArrivals(t *testing.T) {
	t.Parallel()
	property.Check(t, func(rt *rapid.T) {
		lanes, most := rapid.IntRange(1, 3).Draw(rt, "lanes"), rapid.IntRange(1, 6).Draw(rt, "most")
		keys := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) rowKey {
			return testKey(byte(rapid.IntRange(0, 3).Draw(rt, "tenant")), fmt.Sprint(rapid.IntRange(0, 4).Draw(rt, "identity")))
		}), 0, 60).Draw(rt, "keys")
		synctest.Test(t, func(t *testing.T) {
			s := &sink{work: time.Second}
			b := newTestBatcher(lanes, 1000, most, s.flush)
			putAll(t, b, keys)
			b.close()
			order := map[rowKey][]int{}
			for _, batch := range s.batches {
				seen := map[rowKey]bool{}
				require.LessOrEqual(t, len(batch), most)
				for _, item := range batch {
					require.False(t, seen[keys[item]], "a key is in a batch twice")
					seen[keys[item]] = true
					order[keys[item]] = append(order[keys[item]], item)
				}
			}
			written := 0
			for _, items := range order {
				require.True(t, slices.IsSorted(items), "repeats were written out of order: %v", items)
				written += len(items)
			}
			require.Equal(t, len(keys), written)
			require.Len(t, s.answered, len(keys))
		})
	})
}
