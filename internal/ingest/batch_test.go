package ingest

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if fuzzing := flag.Lookup("test.fuzz"); fuzzing.Value.String() != "" {
		os.Exit(m.Run()) // the fuzzing engine has goroutines of its own
	}
	// A cache's own goroutine ends when the cache is collected.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/maypok86/otter/v2.periodicCleanUp[...]"))
}

// sink stands in for PostgreSQL: a batch takes a second of the test's own time.
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

func keyed(tenant byte, identity string) lineKey {
	return lineKey{tenant: uuid.UUID{tenant}, table: "orders", identity: identity}
}

// putAll puts each item from a goroutine of its own, in order.
func putAll(t *testing.T, b *batcher[int], keys []lineKey) {
	t.Helper()
	for i, key := range keys {
		go func() {
			if err := b.put(key, i); err != nil {
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
		b := newBatcher(2, 10, 10, s.flush)
		start := time.Now()
		require.NoError(t, b.put(keyed(1, "a"), 0))
		require.Equal(t, time.Second, time.Since(start), "the write itself, and nothing else")
		require.Equal(t, []int{0}, s.answered)
		b.close()
	})
}

func TestArrivalsGather(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &sink{work: time.Second}
		b := newBatcher(1, 100, 4, s.flush)
		var keys []lineKey
		for i := range 8 {
			keys = append(keys, keyed(1, fmt.Sprint(i)))
		}
		putAll(t, b, keys)
		b.close()
		require.Equal(t, [][]int{{0}, {1, 2, 3, 4}, {5, 6, 7}}, s.batches, "the first goes alone, the others share, up to the bound")
		require.Len(t, s.answered, 8)
	})
}

func TestRepeatsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &sink{work: time.Second}
		b := newBatcher(1, 100, 10, s.flush)
		putAll(t, b, []lineKey{keyed(1, "x"), keyed(1, "a"), keyed(1, "a"), keyed(1, "b"), keyed(1, "a"), keyed(1, "c")})
		b.close()
		require.Equal(t, [][]int{{0}, {1, 3, 5}, {2}, {4}}, s.batches)
	})
}

func TestTenantsTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &sink{work: time.Second}
		b := newBatcher(1, 1000, 24, s.flush)
		keys := []lineKey{keyed(9, "first")}
		for i := range 40 { // a flood
			keys = append(keys, keyed(1, fmt.Sprint(i)))
		}
		keys = append(keys, keyed(2, "innocent"), keyed(3, "innocent"))
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
		s := &sink{work: time.Second}
		b := newBatcher(1, 1000, 16, s.flush)
		keys := []lineKey{keyed(2, "long ago")}
		for i := range 900 {
			keys = append(keys, keyed(1, fmt.Sprint(i)))
		}
		putAll(t, b, keys)
		b.close()
		require.Len(t, s.batches[2], 8, "a share, while the other tenant may come back")
		require.Len(t, s.batches[2*generation+1], 16, "all of it, when it has not")
	})
}

func TestAFullLaneRefuses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &sink{work: time.Second}
		b := newBatcher(1, 3, 2, s.flush)
		putAll(t, b, []lineKey{keyed(1, "0"), keyed(1, "1"), keyed(1, "2"), keyed(1, "3")})
		require.ErrorIs(t, b.put(keyed(2, "x"), 99), errFull)
		b.close()
		require.ErrorIs(t, b.put(keyed(2, "x"), 99), errFull, "and so does a closed one")
		require.Len(t, s.answered, 4, "what was taken is answered")
	})
}

func TestCloseDrains(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &sink{work: time.Second}
		b := newBatcher(4, 100, 2, s.flush)
		var keys []lineKey
		for i := range 50 {
			keys = append(keys, keyed(byte(i%5), fmt.Sprint(i)))
		}
		putAll(t, b, keys)
		b.close()
		require.Len(t, s.answered, 50)
	})
}

// TestAnyArrivals: every item is written once, in a batch within the bound in which
// no key stands twice, and repeats of a key are written in the order of their arrival.
func TestAnyArrivals(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		lanes, most := rapid.IntRange(1, 3).Draw(rt, "lanes"), rapid.IntRange(1, 6).Draw(rt, "most")
		keys := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) lineKey {
			return keyed(byte(rapid.IntRange(0, 3).Draw(rt, "tenant")), fmt.Sprint(rapid.IntRange(0, 4).Draw(rt, "identity")))
		}), 0, 60).Draw(rt, "keys")
		synctest.Test(t, func(t *testing.T) {
			s := &sink{work: time.Second}
			b := newBatcher(lanes, 1000, most, s.flush)
			putAll(t, b, keys)
			b.close()
			order := map[lineKey][]int{}
			for _, batch := range s.batches {
				seen := map[lineKey]bool{}
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
