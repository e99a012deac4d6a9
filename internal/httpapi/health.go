package httpapi

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/quayside/quayside/internal/fault"
)

// readyTimeout is within which /readyz and /acceptz answer.
const readyTimeout = 2500 * time.Millisecond

// told are the reasons that /readyz gives to everybody. Other reasons are only logged.
var told = []string{"draining", "lanes_stalled", "database_away", "database_read_only", "commits_unanswered",
	"migrations_missing", "partition_missing"}

// Drain makes /readyz and /acceptz fail, so that load balancers stop sending before the listener
// closes, and ends each connection with its next answer, so that none is closed under a request.
func (s *Server) Drain() { s.draining.Store(true) }

// healthz reports that the process is alive; it checks nothing else. /livez is the same.
func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) error {
	writeJSON(w, http.StatusOK, map[string]any{"ok": true})
	return nil
}

// readyz reports whether this instance can do everything, and if not, why.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) error {
	if err := s.ready(r.Context()); err != nil {
		why := "not ready"
		if _, public := fault.Public(err); slices.Contains(told, public.Code) {
			why += ": " + public.Message
		}
		return fault.New(fault.Unavailable, "not_ready", "%s", why).Because(err)
	}
	writeJSON(w, http.StatusOK, map[string]any{"ok": true})
	return nil
}

// acceptz reports whether records should be sent here: they are stored, or kept until they can be. A
// load balancer that follows it does not turn records away while PostgreSQL is down.
func (s *Server) acceptz(w http.ResponseWriter, r *http.Request) error {
	err := s.ready(r.Context())
	if err != nil && (fault.HasCode(err, "draining") || fault.HasCode(err, "lanes_stalled") || !s.Accepts()) {
		return fault.New(fault.Unavailable, "not_accepting", "records are not accepted here").Because(err)
	}
	writeJSON(w, http.StatusOK, map[string]any{"ok": true, "stored": err == nil})
	return nil
}

func (s *Server) ready(ctx context.Context) error {
	if s.draining.Load() {
		return fault.New(fault.Unavailable, "draining", "shutting down")
	}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	return s.Ready(ctx)
}
