// Package httpapi is the service's HTTP edge: every route in one table, thin
// handlers, one error exit.
package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/quayside/quayside/internal/account"
	"github.com/quayside/quayside/internal/alert"
	"github.com/quayside/quayside/internal/apikey"
	"github.com/quayside/quayside/internal/article"
	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/connection"
	"github.com/quayside/quayside/internal/customer"
	"github.com/quayside/quayside/internal/double"
	"github.com/quayside/quayside/internal/exchange"
	"github.com/quayside/quayside/internal/failed"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/inbox"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/playbook"
	"github.com/quayside/quayside/internal/procure"
	"github.com/quayside/quayside/internal/purchase"
	"github.com/quayside/quayside/internal/query"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/sales"
	"github.com/quayside/quayside/internal/search"
	"github.com/quayside/quayside/internal/sending"
	"github.com/quayside/quayside/internal/share"
	"github.com/quayside/quayside/internal/source"
	"github.com/quayside/quayside/internal/supplier"
	"github.com/quayside/quayside/internal/telemetry"
	"github.com/quayside/quayside/internal/thread"
	"github.com/quayside/quayside/internal/today"
	"github.com/quayside/quayside/internal/token"
	"github.com/quayside/quayside/internal/unknown"
	"github.com/quayside/quayside/internal/upload"
)

// Server serves HTTP.
type Server struct {
	Log         *slog.Logger
	Metrics     *telemetry.Metrics
	Accounts    *account.Service
	Keys        *apikey.Service
	Tokens      *token.Service
	Tables      *registry.Service
	Records     *ingest.Service
	Sources     *source.Service
	Failures    *failed.Service
	Purchase    *purchase.Service
	Threads     *thread.Service
	Playbook    *playbook.Service
	Articles    *article.Service
	Doubles     *double.Service
	Suppliers   *supplier.Service
	Customers   *customer.Service
	Connections *connection.Service
	Inbox       *inbox.Service
	Sending     *sending.Service
	Exchange    *exchange.Service
	Hints       *exchange.Hints
	Today       *today.Service
	Procure     *procure.Service
	Alerts      *alert.Service
	Query       *query.Service
	Sales       *sales.Service
	Search      *search.Service
	Uploads     *upload.Service
	Unknown     *unknown.Service
	Audit       *audit.Service
	Meter       *source.Meter
	Site        fs.FS                       // the built web app
	Docs        fs.FS                       // the documentation: Markdown files, and its site below dist
	Mounted     map[string]http.Handler     // routes of other edges, by pattern
	BaseURL     string                      // as callers see it
	Proxies     []netip.Prefix              // proxies whose X-Forwarded-For is trusted
	MaxBody     int64                       // bytes of one record, uncompressed
	Ready       func(context.Context) error // nil: this instance can do everything
	Accepts     func() bool                 // although not ready, it can keep records until it is

	OperatorToken string // opens the operator's routes; empty: there are none

	Processors *share.Processors // divided among companies; nil: nobody waits

	draining   atomic.Bool
	refusals   refusals
	encoded    *encodings
	siteOnce   sync.Once
	siteFiles  map[string]siteFile
	guidesOnce sync.Once
	guides     guides
}

// handler answers a request, or returns an error.
type handler func(http.ResponseWriter, *http.Request) error

// Handler returns all routes with their middleware.
func (s *Server) Handler() http.Handler {
	return s.observed(s.probesOnly(s.sameOrigin(s.mux())))
}

// mux returns all routes.
func (s *Server) mux() *routes {
	mux := &routes{}
	for pattern, h := range s.bare() {
		mux.HandleFunc(pattern, s.serve(h))
	}
	for pattern, h := range s.operatorRoutes() {
		mux.HandleFunc(pattern, s.serve(h))
	}
	for pattern, h := range s.Mounted {
		mux.HandleFunc(pattern, h.ServeHTTP)
	}
	api := s.newAppAPI(mux)
	mux.HandleFunc(appPrefix,
		appProblem(fault.NotFound, "no_operation", "the API has no such operation; /docs/reference lists them"))
	s.docs(mux, api)
	return mux
}

// routes is a ServeMux that remembers its patterns, so that tests can walk through them.
type routes struct {
	http.ServeMux
	patterns []string
}

// HandleFunc registers a handler.
func (r *routes) HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request)) {
	r.patterns = append(r.patterns, pattern)
	r.ServeMux.HandleFunc(pattern, handler)
}

// bare returns the routes that are not operations of the app API.
func (s *Server) bare() map[string]handler {
	return map[string]handler{
		"POST /api/ingest/{slug}":            s.ingest,
		"GET /api/ingest/{slug}":             s.discover,
		"/api/ingest/{slug}":                 allow("GET, HEAD, POST"),
		"POST /hooks/inventory/{connection}": s.hook,
		"/hooks/":                            allow("POST"),
		"GET /healthz":                       s.healthz,
		"GET /livez":                         s.healthz,
		"GET /readyz":                        s.readyz,
		"GET /acceptz":                       s.acceptz,
		"/":                                  s.site,
	}
}

// serve turns a handler's error into the one public answer.
func (s *Server) serve(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := h(w, r)
		if err == nil {
			return
		}
		status, public := fault.Public(err)
		s.logFailure(r.Context(), "route", r.Pattern, status, err)
		writeFault(w, status, public)
		drain(w, r)
	}
}

// writeFault answers with a refusal. The bodies of 400 and 401 have no "ok", as the
// specification requires.
func writeFault(w http.ResponseWriter, status int, public *fault.Error) {
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="quayside"`)
	}
	if later := status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests; later && w.Header().Get("Retry-After") == "" {
		w.Header().Set("Retry-After", strconv.Itoa(max(1, seconds(public.Wait))))
	}
	writeJSON(w, status, refusal(status, public))
}

// refusalJSON is the body of a refusal at the endpoint for records.
type refusalJSON struct {
	OK    *bool  `json:"ok,omitempty"`
	Error string `json:"error"`
}

func refusal(status int, public *fault.Error) refusalJSON {
	body := refusalJSON{Error: public.Message}
	if status != http.StatusBadRequest && status != http.StatusUnauthorized {
		body.OK = new(bool)
	}
	return body
}

// allow refuses methods that a path does not have.
func allow(methods string) handler {
	return func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Allow", methods)
		return fault.New(fault.MethodNotAllowed, "method", "method not allowed")
	}
}

// writeJSON answers with JSON, without escaping HTML characters.
func writeJSON(w http.ResponseWriter, status int, body any) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(body); err != nil {
		panic(err) // these types always marshal
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	text := bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write(text) // a write error means that the client is gone
}
