//race:detect calls of all companies share the meter
package share

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
)

var (
	busy  = uuid.MustParse("00000000-0000-0000-0000-00000000000a")
	quiet = uuid.MustParse("00000000-0000-0000-0000-00000000000b")
)

// bubble gives a test its own time. In it, a call that sleeps stands for one that computes.
func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, test)
}

// call makes one call that computes for a while, and says whether its turn came.
func call(ctx context.Context, p *Processors, id uuid.UUID, compute time.Duration) error {
	_, one := p.Enter(ctx)
	defer one.Leave()
	if err := one.For(ctx, id); err != nil {
		return err
	}
	time.Sleep(compute)
	return nil
}

// loop makes calls of a company until stop is called, so many at a time. under returns how many are under way.
func loop(t *testing.T, p *Processors, id uuid.UUID, atOnce int, compute time.Duration) (under func() int, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for range atOnce {
		running.Go(func() {
			for ctx.Err() == nil {
				if err := call(ctx, p, id, compute); err != nil && ctx.Err() == nil {
					t.Errorf("a call waited too long: %v", err)
				}
			}
		})
	}
	under = func() int {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.companies[id].under
	}
	return under, func() { cancel(); running.Wait() }
}

// TestLoop lets one company call in a loop while another one comes and goes.
func TestLoop(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		p := New(2, 50)
		under, stop := loop(t, p, busy, 16, 40*time.Millisecond)
		defer stop()
		time.Sleep(5 * time.Second)
		require.LessOrEqual(t, under(), aloneFor*2, "alone, more would compute nothing sooner")
		require.Greater(t, under(), 2, "alone, it has all processors")

		began := time.Now()
		require.NoError(t, call(t.Context(), p, quiet, 40*time.Millisecond))
		require.Equal(t, 40*time.Millisecond, time.Since(began), "whoever is below their share waits for nobody")
		time.Sleep(100 * time.Millisecond)
		for range 50 {
			require.LessOrEqual(t, under(), 2, "of two processors, one is for others")
			began := time.Now()
			require.NoError(t, call(t.Context(), p, quiet, 40*time.Millisecond))
			require.Equal(t, 40*time.Millisecond, time.Since(began))
			time.Sleep(200 * time.Millisecond)
		}
		require.Positive(t, p.Waiting())
		time.Sleep(othersFor + time.Second)
		require.Greater(t, under(), 2, "when the other one has gone, it has all processors again")
	})
}

// TestBelowShare checks that companies which compute little wait for nobody, however many calls they make at once.
func TestBelowShare(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		p := New(2, 50)
		waits := func(ctx context.Context, id uuid.UUID) {
			ctx, one := p.Enter(ctx)
			defer one.Leave()
			require.NoError(t, one.For(ctx, id))
			back := Away(ctx)
			time.Sleep(500 * time.Millisecond) // for PostgreSQL
			back()
			time.Sleep(time.Millisecond)
		}
		var running sync.WaitGroup
		began := time.Now()
		for range 100 {
			for _, id := range []uuid.UUID{busy, quiet} {
				running.Go(func() {
					for range 20 {
						waits(t.Context(), id)
					}
				})
			}
		}
		running.Wait()
		require.Less(t, time.Since(began), 11*time.Second)
	})
}

// TestWaitingIsNotCounted: a call that waits for PostgreSQL computes nothing meanwhile, and after it goes on.
func TestWaitingIsNotCounted(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		p := New(1, 50)
		ctx, one := p.Enter(t.Context())
		require.NoError(t, one.For(ctx, busy))
		back := Away(ctx)
		require.Zero(t, p.computing, "others have the processor for themselves")
		time.Sleep(time.Minute)
		back()
		time.Sleep(time.Second)
		one.Leave()
		require.InDelta(t, 1, p.companies[busy].used, 0.001)
	})
}

// TestCounted compares what is counted with what processors can do, which are shared by all that compute.
func TestCounted(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		p := New(2, 100)
		var running sync.WaitGroup
		for i, id := range []uuid.UUID{busy, busy, busy, quiet} {
			running.Go(func() {
				if i == 0 {
					time.Sleep(time.Microsecond) // the first one in the list is not the first one under way
				}
				require.NoError(t, call(t.Context(), p, id, time.Second))
			})
		}
		running.Wait()
		p.mu.Lock()
		defer p.mu.Unlock()
		// Four calls on two processors for a second: half a second each.
		require.InDelta(t, 1.5, p.companies[busy].used, 0.001)
		require.InDelta(t, 0.5, p.companies[quiet].used, 0.001)
		require.InDelta(t, 1.5/2.718281828, p.companies[busy].faded(time.Now().Add(window)), 0.001)
		require.Zero(t, p.computing)
		p.sweep(time.Now().Add(time.Minute))
		require.Empty(t, p.companies)
	})
}

// TestPatience checks what becomes of calls whose turn does not come: the caller leaves, it takes too long, there are too many.
func TestPatience(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		p := New(1, 50)
		require.NoError(t, call(t.Context(), p, busy, 10*time.Second)) // far above its share
		other := func() { require.NoError(t, call(t.Context(), p, quiet, 0)) }
		other()
		_, first := p.Enter(t.Context())
		require.NoError(t, first.For(t.Context(), busy), "one call is always under way")
		stop := make(chan struct{})
		var running sync.WaitGroup
		running.Go(func() { // the first call goes on computing, and somebody else is always there
			for {
				select {
				case <-stop:
					return
				case <-time.After(time.Second):
					other()
				}
			}
		})

		left, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, call(left, p, busy, 0), context.DeadlineExceeded)
		require.Zero(t, p.Waiting())

		began := time.Now()
		err := call(t.Context(), p, busy, 0)
		require.True(t, fault.HasCode(err, "processors"), err)
		require.True(t, fault.Is(err, fault.Unavailable))
		require.Equal(t, patience, time.Since(began))

		ctx, leave := context.WithCancel(t.Context())
		var refused atomic.Int64
		for range mostWaiting + 5 {
			running.Go(func() {
				err := call(ctx, p, busy, 0)
				if err != nil && !errors.Is(err, context.Canceled) {
					refused.Add(1)
				}
			})
		}
		synctest.Wait()
		require.EqualValues(t, 5, refused.Load())
		require.Equal(t, mostWaiting, p.Waiting())
		require.NoError(t, call(t.Context(), p, quiet, 0), "others do not notice")
		leave()
		close(stop)
		running.Wait()
		require.Zero(t, p.Waiting())
		first.Leave()
		first.Leave()
		p.mu.Lock()
		defer p.mu.Unlock()
		require.Zero(t, p.companies[busy].under)
		require.Zero(t, p.computing)
	})
}

// TestRecordsAreCalls checks that a company which only sends records is one of the others.
func TestRecordsAreCalls(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		p := New(2, 50)
		under, stop := loop(t, p, busy, 16, 40*time.Millisecond)
		defer stop()
		time.Sleep(5 * time.Second)
		require.Greater(t, under(), 2)
		for range 20 {
			p.Record(quiet)
			time.Sleep(noteEvery)
		}
		require.LessOrEqual(t, under(), 2)
	})
}

// TestNobodyCounts checks that everything works without a meter, as in commands.
func TestNobodyCounts(t *testing.T) {
	t.Parallel()
	var p *Processors
	ctx, one := p.Enter(t.Context())
	require.NoError(t, one.For(ctx, busy))
	Away(ctx)()
	p.Record(busy)
	one.Leave()
}

// TestMany hammers the meter from many goroutines; afterwards nothing is left under way.
func TestMany(t *testing.T) {
	t.Parallel()
	p := New(2, 50)
	ids := []uuid.UUID{busy, quiet, uuid.New(), uuid.New()}
	var running sync.WaitGroup
	for i := range 32 {
		running.Go(func() {
			for n := range 200 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(n%7)*time.Millisecond)
				inside, one := p.Enter(ctx)
				if err := one.For(inside, ids[(i+n)%len(ids)]); err == nil {
					back := Away(inside)
					p.Record(ids[n%len(ids)])
					back()
				}
				one.Leave()
				cancel()
			}
		})
	}
	running.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	require.Zero(t, p.computing)
	require.Zero(t, p.waiting)
	for id, one := range p.companies {
		require.Zero(t, one.under, id)
	}
}

// BenchmarkCall is what counting costs one call that asks PostgreSQL three times.
func BenchmarkCall(b *testing.B) {
	p := New(2, 50)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			ctx, one := p.Enter(b.Context())
			_ = one.For(ctx, busy)
			for range 3 {
				Away(ctx)()
			}
			one.Leave()
		}
	})
}
