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
	// longestBackoff limits the pauses, so that a push resumes soon after a long outage.
	longestBackoff = 5 * time.Second
	quick          = 50 * time.Millisecond // a faster answer is never a sign of congestion
)

// pace decides how many requests may run at once: one more for every round of answers while
// latency stays low, half as many when the service asks for fewer.
type pace struct {
	most    int
	limit   float64
	latency float64 // recent, in seconds
	best    float64 // lowest so far
	cut     time.Time
}

func newPace(most int) *pace {
	return &pace{most: most, limit: float64(min(startingPace, most))}
}

func (p *pace) allowed() int { return int(p.limit) }

// answered takes the latency of a request that was accepted or refused.
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

// congested halves the limit, but only once for all requests that ran at the same time.
func (p *pace) congested(started, now time.Time) {
	if started.Before(p.cut) {
		return
	}
	p.limit, p.cut = max(1, math.Floor(p.limit/2)), now
}

// gate admits requests at the pace, and none while the service has asked to wait. It measures
// for how long no request has succeeded.
type gate struct {
	mu      sync.Mutex
	pace    *pace
	active  int
	until   time.Time // no request before this time
	trouble time.Time // start of the first request since the last success; zero: no trouble
	changed chan struct{}
}

func newGate(most int) *gate {
	return &gate{pace: newPace(most), changed: make(chan struct{})}
}

// enter waits for a free slot. An error means that the push is stopping.
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
			wait = time.Hour // only changed signals a free slot
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

// leave frees the slot and adapts the pace to the answer. It returns for how long no request
// has succeeded, or, if this answer ended such a period, how long that lasted.
func (g *gate) leave(got answer, started time.Time) (trouble, recovered time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	g.active--
	if got.verdict() != retryable {
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

// backoff grows with the attempts. Its jitter keeps requests that failed together from
// returning together.
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
