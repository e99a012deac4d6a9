package httpapi

import (
	"context"
	"log/slog"
	"net/netip"
	"sync"
	"time"
)

// mostRefused is how many addresses have a sum of their own; the calls of all others are one sum.
const mostRefused = 1000

// refusals sums the calls without a valid key or session by address, so that nobody fills the log with them.
// The zero value is empty.
type refusals struct {
	mu     sync.Mutex
	sums   map[netip.Addr]*refusedSum
	others refusedSum
}

type refusedSum struct {
	calls int64
	since time.Time
	last  refusedCall
}

type refusedCall struct {
	route     string
	status    int
	requestID string
}

func (r *refusals) add(client netip.Addr, now time.Time, call refusedCall) {
	r.mu.Lock()
	defer r.mu.Unlock()
	sum := r.sums[client]
	switch {
	case sum != nil:
	case len(r.sums) >= mostRefused:
		sum = &r.others
	default:
		if r.sums == nil {
			r.sums = map[netip.Addr]*refusedSum{}
		}
		sum = &refusedSum{}
		r.sums[client] = sum
	}
	if sum.calls++; sum.calls == 1 {
		sum.since = now
	}
	sum.last = call
}

// take returns the sums and begins anew.
func (r *refusals) take() (sums map[netip.Addr]*refusedSum, others refusedSum) {
	r.mu.Lock()
	defer r.mu.Unlock()
	sums, others = r.sums, r.others
	r.sums, r.others = nil, refusedSum{}
	return sums, others
}

// LogRefused writes one line for each address from which calls without a valid key or session came since it was
// last called.
func (s *Server) LogRefused(ctx context.Context) error {
	sums, others := s.refusals.take()
	for client, sum := range sums {
		s.logRefused(ctx, client.String(), sum)
	}
	if others.calls > 0 {
		s.logRefused(ctx, "others", &others)
	}
	return nil
}

func (s *Server) logRefused(ctx context.Context, client string, sum *refusedSum) {
	s.Log.LogAttrs(ctx, slog.LevelInfo, "calls refused", slog.String("client", client), slog.Int64("calls", sum.calls),
		slog.Time("since", sum.since), slog.String("last_route", sum.last.route), slog.Int("last_status", sum.last.status),
		slog.String("last_request_id", sum.last.requestID))
}
