package push

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	startingPace = 2
	firstBackoff = 200 * time.Millisecond
	// longestBackoff bounds the pauses, so that a push is soon under way again after a
	// long outage.
	longestBackoff = 5 * time.Second
	quick          = 50 * time.Millisecond // an answer within it is no sign of congestion
)

// pace decides how many requests may be under way: one more for every round of answers
// while latency holds, half when the service asks for less.
type pace struct {
	most    int
	limit   float64
	latency float64 // of late, in seconds
	best    float64 // the lowest that latency has been
	cut     time.Time
}

func newPace(most int) *pace {
	return &pace{most: most, limit: float64(min(startingPace, most))}
}

func (p *pace) allowed() int { return int(p.limit) }

// answered takes the latency of a request that was dealt with.
func (p *pace) answered(took time.Duration) {
	const weight = 0.1
	seconds := took.Seconds()
	if p.latency == 0 {
		p.latency = seconds
	}
	p.latency += weight * (seconds - p.latency)
	if p.best == 0 || p.latency < p.best {
		p.best = p.latency
	}
	if p.latency <= max(2*p.best, quick.Seconds()) {
		p.limit = min(p.limit+1/p.limit, float64(p.most))
	}
}

// congested halves the limit, once for all requests that were under way when it
// was halved last: they are the same news.
func (p *pace) congested(started, now time.Time) {
	if started.Before(p.cut) {
		return
	}
	p.limit, p.cut = max(1, math.Floor(p.limit/2)), now
}

// gate lets requests through at the pace, and holds all of them back while the service
// has asked to wait. It knows how long nothing has succeeded.
type gate struct {
	mu      sync.Mutex
	pace    *pace
	active  int
	until   time.Time // nobody passes before
	trouble time.Time // since when no request has been dealt with; zero: all is well
	changed chan struct{}
}

func newGate(most int) *gate {
	return &gate{pace: newPace(most), changed: make(chan struct{})}
}

// enter waits for a place. An error means that the push is stopping.
func (g *gate) enter(ctx context.Context) error {
	for {
		g.mu.Lock()
		wait, changed := time.Until(g.until), g.changed
		if wait <= 0 && g.active < g.pace.allowed() && ctx.Err() == nil {
			g.active++
			g.mu.Unlock()
			return nil
		}
		g.mu.Unlock()
		if wait <= 0 {
			wait = time.Hour // a place becomes free by change only
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-changed:
			timer.Stop()
		case <-timer.C:
		}
	}
}

// leave gives the place back and learns from the answer. It returns how long nothing has
// succeeded, and how long it had not when this answer ended it.
func (g *gate) leave(got answer, started time.Time) (trouble, recovered time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	g.active--
	if got.verdict() != again {
		if !g.trouble.IsZero() {
			recovered = now.Sub(g.trouble)
		}
		g.trouble = time.Time{}
		g.pace.answered(now.Sub(started))
	} else {
		if g.trouble.IsZero() {
			g.trouble = started
		}
		trouble = now.Sub(g.trouble)
		if got.congested() {
			g.pace.congested(started, now)
		}
		if until := now.Add(got.retryAfter); until.After(g.until) {
			g.until = until
		}
	}
	close(g.changed)
	g.changed = make(chan struct{})
	return trouble, recovered
}

// backoff grows with the attempts, with jitter, so that those who failed together do not
// come back together.
func backoff(attempt int) time.Duration {
	full := min(longestBackoff, firstBackoff<<min(attempt-1, 10))
	return full/2 + rand.N(full/2+1) //nolint:gosec // jitter needs no secrecy
}

// pause waits, unless the push is stopped meanwhile.
func pause(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
