// Package httpapi is the service's HTTP edge: every route in one table, thin
// handlers, one error exit.
package httpapi

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/quayside/quayside/internal/fault"
)

// Server answers HTTP.
type Server struct {
	log      *slog.Logger
	ready    func(context.Context) error
	draining atomic.Bool
}

// New returns the server. ready says whether the service can do its work now.
func New(log *slog.Logger, ready func(context.Context) error) *Server {
	return &Server{log: log, ready: ready}
}

// handler answers a request, or returns why it could not.
type handler func(http.ResponseWriter, *http.Request) error

// Handler returns every route.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, h := range map[string]handler{
		"GET /healthz": s.healthz,
		"GET /readyz":  s.readyz,
	} {
		mux.HandleFunc(pattern, s.serve(h))
	}
	return mux
}

// Drain makes /readyz fail, so that load balancers stop sending before the
// listener closes.
func (s *Server) Drain() { s.draining.Store(true) }

// serve turns a handler's error into the one public answer.
func (s *Server) serve(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := h(w, r)
		if err == nil {
			return
		}
		status, public := fault.Public(err)
		if status >= http.StatusInternalServerError {
			s.log.ErrorContext(r.Context(), "request failed", "route", r.Pattern, "status", status, "err", err)
		}
		writeJSON(w, status, map[string]any{"ok": false, "error": public.Message})
	}
}

// healthz says that the process lives; it asks nothing else.
func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) error {
	writeJSON(w, http.StatusOK, map[string]any{"ok": true})
	return nil
}

// readyz says whether this instance should get traffic.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) error {
	if s.draining.Load() {
		return fault.New(fault.Unavailable, "draining", "shutting down")
	}
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	if err := s.ready(ctx); err != nil {
		return fault.New(fault.Unavailable, "not_ready", "not ready").Because(err)
	}
	writeJSON(w, http.StatusOK, map[string]any{"ok": true})
	return nil
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client is gone: nobody to tell
}
