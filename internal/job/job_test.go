//race:detect jobs run at the same time
package job

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
)

// ledger stands in for the database: it holds which items are done and how many were counted.
// Delivering an item twice has no effect, as with records that are sent again.
type ledger struct {
	mu        sync.Mutex
	total     int
	position  int   // all items before it are done
	ahead     []int // later items that are done
	notes     int
	counted   int
	cancel    bool
	end       *End
	message   string
	delivered []int
}

// fake is a process that works on the ledger's job.
type fake struct {
	*ledger
	size    int // items in a batch
	key     func(item int) string
	deliver func(ctx context.Context, item, attempt int) (bool, error)
	onNote  func() error // called before each note; its error replaces the note
	seen    int          // number of notes when the batch began
	deny    error
}

func (f *fake) Begin(context.Context) (State, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen = f.notes
	switch {
	case f.deny != nil:
		return Ended, f.deny
	case f.end != nil:
		return Ended, nil
	case f.cancel:
		return Cancelling, nil
	}
	return Open, nil
}

func (f *fake) Next(context.Context) (items []int, _ error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for item := f.position; item < f.total && len(items) < f.size; item++ {
		if !slices.Contains(f.ahead, item) {
			items = append(items, item)
		}
	}
	return items, nil
}

func (f *fake) Order(item int) string {
	if f.key == nil {
		return ""
	}
	return f.key(item)
}

func (f *fake) Deliver(ctx context.Context, item, attempt int) (bool, error) {
	if f.deliver != nil {
		if done, err := f.deliver(ctx, item, attempt); !done {
			return false, err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.delivered = append(f.delivered, item)
	return true, nil
}

func (f *fake) Note(ctx context.Context, items []int, done []bool) error {
	if f.onNote != nil {
		if err := f.onNote(); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.notes != f.seen {
		return ErrOvertaken
	}
	f.notes++
	for i, item := range items {
		if done[i] {
			f.counted++
			f.ahead = append(f.ahead, item)
		}
	}
	for slices.Contains(f.ahead, f.position) {
		f.position++
	}
	return nil
}

func (f *fake) End(_ context.Context, how End, message string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.end == nil {
		f.end, f.message = &how, message
	}
	return nil
}

// runs runs a job until nothing is left to do, and returns how many runs that took.
func runs(t *testing.T, work *fake) (count int) {
	t.Helper()
	for more := true; more; count++ {
		var err error
		more, err = Run(t.Context(), work)
		require.NoError(t, err)
		require.Less(t, count, 1000, "it never ends")
	}
	return count
}

func TestEveryItemOnce(t *testing.T) {
	t.Parallel()
	for _, total := range []int{0, 1, 16, 200, 450} {
		work := &fake{ledger: &ledger{total: total}, size: 200}
		require.Equal(t, 1, runs(t, work))
		require.Equal(t, total, work.counted)
		require.Equal(t, Done, *work.end)
		slices.Sort(work.delivered)
		require.Len(t, slices.Compact(work.delivered), total)
	}
}

// TestOrder delivers items with random delays. Items with the same key keep their order and
// are never delivered at the same time.
func TestOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var underWay [7]atomic.Int32
		work := &fake{ledger: &ledger{total: 500}, size: 60, key: func(item int) string { return strconv.Itoa(item % 7) }}
		work.deliver = func(_ context.Context, item, _ int) (bool, error) {
			require.Equal(t, int32(1), underWay[item%7].Add(1))
			time.Sleep(time.Duration(item*7919%13) * time.Millisecond)
			underWay[item%7].Add(-1)
			return true, nil
		}
		runs(t, work)
		last := map[int]int{}
		for _, item := range work.delivered {
			require.GreaterOrEqual(t, item, last[item%7])
			last[item%7] = item
		}
	})
}

// TestOrderWithoutKeys checks that items without a key do not wait for each other.
func TestOrderWithoutKeys(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		work := &fake{ledger: &ledger{total: 160}, size: 160}
		work.deliver = func(context.Context, int, int) (bool, error) { time.Sleep(time.Second); return true, nil }
		start := time.Now()
		runs(t, work)
		require.Equal(t, 10*time.Second, time.Since(start))
	})
}

// TestSlices checks that a run ends when its time is up and that later runs do the rest.
func TestSlices(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		work := &fake{ledger: &ledger{total: 160}, size: 16}
		work.deliver = func(context.Context, int, int) (bool, error) { time.Sleep(9 * time.Second); return true, nil }
		require.Equal(t, 4, runs(t, work), "three batches to a slice")
		require.Equal(t, 160, work.counted)
	})
}

// TestSlicesMakeRoom checks that a run ends early, after a batch, as soon as another company waits; but never at once,
// so that a job gets on although others wait all the time.
func TestSlicesMakeRoom(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		waits time.Duration // from when on another company waits
		takes time.Duration // a batch
		want  time.Duration
	}{
		"from the beginning": {0, 300 * time.Millisecond, 1200 * time.Millisecond},
		"later":              {5 * time.Second, 300 * time.Millisecond, 5100 * time.Millisecond},
		"too late":           {time.Hour, 3 * time.Second, 21 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				ctx := Shared(t.Context(), func(context.Context) bool { return time.Since(start) >= tt.waits })
				work := &fake{ledger: &ledger{total: 10_000}, size: 16}
				work.deliver = func(context.Context, int, int) (bool, error) { time.Sleep(tt.takes); return true, nil }
				more, err := Run(ctx, work)
				require.NoError(t, err)
				require.True(t, more)
				require.Equal(t, tt.want, time.Since(start))
			})
		})
	}
}

// TestTroubleMakesRoom checks that an item that is tried again and again does not keep other companies waiting.
func TestTroubleMakesRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := Shared(t.Context(), func(context.Context) bool { return true })
		work := &fake{ledger: &ledger{total: 40}, size: 40}
		work.deliver = func(context.Context, int, int) (bool, error) { return false, nil }
		start := time.Now()
		more, err := Run(ctx, work)
		require.NoError(t, err)
		require.True(t, more)
		require.Less(t, time.Since(start), 3*time.Second)
	})
}

// TestTrouble checks that an item that cannot be delivered is tried again, with pauses, even
// in a later run, and that later items with its key wait for it.
func TestTrouble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		tries := 0
		work := &fake{ledger: &ledger{total: 40}, size: 40, key: func(item int) string { return strconv.Itoa(item % 2) }}
		work.deliver = func(_ context.Context, item, _ int) (bool, error) {
			if item != 4 || time.Since(start) > 50*time.Second {
				return true, nil
			}
			tries++
			return false, nil
		}
		more, err := Run(t.Context(), work)
		require.NoError(t, err)
		require.True(t, more)
		require.Equal(t, 22, work.counted, "the other key's, and two before the one in trouble")
		require.Less(t, tries, 15, "it does not hammer")
		require.Greater(t, tries, 4)
		runs(t, work)
		require.Equal(t, 40, work.counted)
		require.Len(t, work.delivered, 40, "nothing that was noted goes out again")
		require.Equal(t, 4, work.delivered[22])
	})
}

// TestCrash has a process die before and after every note of a job. No item is counted twice
// and none is left out.
func TestCrash(t *testing.T) {
	t.Parallel()
	died := errors.New("died")
	for point := range 6 {
		for _, noted := range []bool{false, true} {
			shared := &ledger{total: 50}
			work := &fake{ledger: shared, size: 10}
			notes := 0
			work.onNote = func() error {
				if notes++; notes == point+1 && !noted {
					return died
				}
				return nil
			}
			if noted { // the process dies after its note, in the next batch
				work.deliver = func(_ context.Context, item, _ int) (bool, error) {
					if item == point*10 {
						return false, died
					}
					return true, nil
				}
			}
			_, err := Run(t.Context(), work)
			if point < 5 {
				require.ErrorIs(t, err, died)
			}
			runs(t, &fake{ledger: shared, size: 7})
			require.Equal(t, 50, shared.counted, "died at %d, noted %t", point, noted)
			require.Equal(t, Done, *shared.end)
		}
	}
}

// TestTwoAtOnce checks that of two processes, one is overtaken and ends, and that every item
// is counted once.
func TestTwoAtOnce(t *testing.T) {
	t.Parallel()
	shared := &ledger{total: 1000}
	var working sync.WaitGroup
	for range 4 {
		working.Go(func() {
			if _, err := Run(t.Context(), &fake{ledger: shared, size: 10}); err != nil {
				t.Error(err)
			}
		})
	}
	working.Wait()
	runs(t, &fake{ledger: shared, size: 10})
	require.Equal(t, 1000, shared.counted)
}

func TestCancel(t *testing.T) {
	t.Parallel()
	work := &fake{ledger: &ledger{total: 100}, size: 10}
	work.deliver = func(_ context.Context, item, _ int) (bool, error) {
		if item == 25 {
			work.mu.Lock()
			defer work.mu.Unlock()
			work.cancel = true
		}
		return true, nil
	}
	require.Equal(t, 1, runs(t, work))
	require.Equal(t, Cancelled, *work.end)
	require.Equal(t, 30, work.counted, "it stops within a batch, and what was done is counted")
}

// TestStop checks that a process told to stop finishes the items that it has begun, notes
// them and leaves the rest to a later run.
func TestStop(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	work := &fake{ledger: &ledger{total: 100}, size: 50}
	work.deliver = func(_ context.Context, item, _ int) (bool, error) {
		if item == 0 {
			stop()
		}
		return true, nil
	}
	more, err := Run(ctx, work)
	require.NoError(t, err)
	require.True(t, more)
	require.Equal(t, len(work.delivered), work.counted)
	require.Less(t, work.counted, 50)
	runs(t, work)
	require.Equal(t, 100, work.counted)
}

func TestErrors(t *testing.T) {
	t.Parallel()
	refusal := fault.New(fault.Forbidden, "missing_scope", "you may not")
	away := fault.New(fault.Unavailable, "database_away", "away")
	for _, tt := range []struct {
		err     error
		broken  string
		returns error
	}{
		{Hopeless("the file is gone"), "the file is gone", nil},
		{fmt.Errorf("row 3: %w", Hopeless("no")), "no", nil},
		{Final(refusal), "you may not", nil},
		{Final(away), "", away},
		{errors.New("some fault"), "", errors.New("some fault")},
	} {
		for _, where := range []string{"begin", "deliver"} {
			work := &fake{ledger: &ledger{total: 40}, size: 20}
			if where == "begin" {
				work.deny = tt.err
			} else {
				work.deliver = func(_ context.Context, item, _ int) (bool, error) { return item != 30, tt.err }
			}
			more, err := Run(t.Context(), work)
			require.False(t, more)
			if tt.returns != nil {
				require.ErrorContains(t, err, tt.returns.Error())
				require.Nil(t, work.end, "it is tried again")
			} else {
				require.NoError(t, err)
				require.Equal(t, Broken, *work.end)
				require.True(t, strings.HasSuffix(tt.broken, work.message) && work.message != "", work.message)
			}
			if where == "deliver" {
				require.Equal(t, len(work.delivered), work.counted, "what was delivered is noted")
			}
		}
	}
}
