package push

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPace(t *testing.T) {
	t.Parallel()
	p := newPace(16)
	require.Equal(t, startingPace, p.allowed())
	for range 1000 {
		p.answered(10 * time.Millisecond)
	}
	require.Equal(t, 16, p.allowed(), "it grows to the most")

	// Half, and only once for requests that ran together.
	now := time.Now()
	p.congested(now.Add(-time.Second), now)
	require.Equal(t, 8, p.allowed())
	p.congested(now.Add(-time.Second), now.Add(time.Millisecond))
	require.Equal(t, 8, p.allowed(), "the same news")
	for range 5 {
		now = now.Add(time.Second)
		p.congested(now, now)
	}
	require.Equal(t, 1, p.allowed(), "never none")

	// One more for each round, not for each answer.
	p.answered(10 * time.Millisecond)
	require.Equal(t, 2, p.allowed())
	p.answered(10 * time.Millisecond)
	require.Equal(t, 2, p.allowed())
	p.answered(10 * time.Millisecond)
	p.answered(10 * time.Millisecond)
	require.Equal(t, 3, p.allowed())

	// No more while latency rises.
	for range 100 {
		p.answered(200 * time.Millisecond)
	}
	held := p.allowed()
	for range 1000 {
		p.answered(200 * time.Millisecond)
	}
	require.Equal(t, held, p.allowed())
	require.Less(t, held, 16)
	require.Equal(t, 1, newPace(1).allowed())
}

func TestGate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate(16)
		require.NoError(t, g.enter(t.Context()))
		require.NoError(t, g.enter(t.Context()))
		third := make(chan time.Time)
		go func() {
			if g.enter(t.Context()) == nil {
				third <- time.Now()
			}
		}()
		synctest.Wait()
		started := time.Now()
		time.Sleep(time.Second)

		// A 429 frees a slot, but no request may take it before the time that was asked for.
		trouble, _ := g.leave(answer{status: 429, retryAfter: 7 * time.Second}, started)
		require.Equal(t, time.Second, trouble)
		g.leave(answer{status: 500}, started)
		require.Equal(t, 7*time.Second, (<-third).Sub(time.Now().Add(-7*time.Second)))
		require.Equal(t, 8*time.Second, time.Since(started))

		// Now one at a time, until one succeeds.
		stopped, stop := context.WithCancel(t.Context())
		fourth := make(chan error)
		go func() { fourth <- g.enter(stopped) }()
		synctest.Wait()
		stop()
		require.Error(t, <-fourth)
		_, recovered := g.leave(answer{status: 422}, time.Now())
		require.Equal(t, 8*time.Second, recovered)
		require.NoError(t, g.enter(t.Context()))
	})
}

func TestBackoff(t *testing.T) {
	t.Parallel()
	for attempt, most := range map[int]time.Duration{1: firstBackoff, 2: 2 * firstBackoff, 3: 4 * firstBackoff,
		9: longestBackoff, 500: longestBackoff} {
		for range 100 {
			wait := backoff(attempt)
			require.LessOrEqual(t, wait, most)
			require.GreaterOrEqual(t, wait, most/2)
		}
	}
}
