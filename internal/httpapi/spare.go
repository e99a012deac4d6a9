package httpapi

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/quayside/quayside/internal/fault"
)

// probes are answered on every connection.
var probes = []string{"/livez", "/healthz", "/readyz", "/acceptz"}

type forProbesKey struct{}

// ForProbes marks a connection that was accepted beyond the limit of connections: it gets one answer, and is refused
// unless it asks for a probe.
func ForProbes(ctx context.Context) context.Context {
	return context.WithValue(ctx, forProbesKey{}, true)
}

// spareTime is how long a refused caller may go on sending, so that it can read the answer. The connection is
// needed for others.
const spareTime = 200 * time.Millisecond

// probesOnly refuses what came on a connection for probes and is none.
func (s *Server) probesOnly(next http.Handler) http.Handler {
	busy := fault.New(fault.Unavailable, "connections", "too many connections are open; try again in a moment")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Context().Value(forProbesKey{}) == nil {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Connection", "close")
		if slices.Contains(probes, r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(spareTime))
		w.Header().Set("Retry-After", "1")
		if strings.HasPrefix(r.URL.Path, appPrefix) {
			w.Header().Set("Content-Type", "application/problem+json")
			writeJSON(w, http.StatusServiceUnavailable, toProblem(r.Context(), http.StatusServiceUnavailable, busy))
			return
		}
		writeFault(w, http.StatusServiceUnavailable, busy)
	})
}
