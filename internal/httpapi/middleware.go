package httpapi

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/secret"
	"github.com/quayside/quayside/internal/share"
	"github.com/quayside/quayside/internal/telemetry"
)

var requestIDPattern = regexp.MustCompile(`^[A-Za-z0-9._-]{1,128}$`)

// requestID returns the caller's id if it is valid, or a new one. An id that looks like a key
// is replaced, because ids are logged.
func requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); requestIDPattern.MatchString(id) && !secret.In(id) {
		return id
	}
	return uuid.Must(uuid.NewV7()).String()
}

// hstsPolicy tells browsers to use HTTPS for this host for a year. It leaves out subdomains,
// which may belong to somebody else.
const hstsPolicy = "max-age=31536000"

// secure reports whether callers reach the service by HTTPS.
func (s *Server) secure() bool { return strings.HasPrefix(s.BaseURL, "https://") }

// observed wraps every route: it adds a request id, a line in the log and a count in the
// metrics, and answers even if a handler panics. Neither URL nor headers nor body are logged,
// since any of them may contain a secret. Calls without a valid key or session are summed: see LogRefused.
func (s *Server) observed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		s.Metrics.Began()
		id := requestID(r)
		r, span := traced(r)
		defer span.End()
		w.Header().Set("X-Request-Id", id)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if s.draining.Load() {
			w.Header().Set("Connection", "close")
		}
		if s.secure() {
			w.Header().Set("Strict-Transport-Security", hstsPolicy)
		}
		r = r.WithContext(telemetry.WithRequestID(r.Context(), id))
		recorder := &recorder{ResponseWriter: w, status: http.StatusOK}
		defer func() {
			cause := recover()
			if cause == http.ErrAbortHandler { //nolint:errorlint // the very value: the handler breaks the connection on purpose
				s.finish(r, recorder, time.Since(start))
				panic(cause)
			}
			if cause != nil {
				s.Log.ErrorContext(r.Context(), "panic", "route", r.Pattern, "kind", fmt.Sprintf("%T", cause), "stack",
					string(debug.Stack()))
				if !recorder.wrote {
					writeFault(recorder, http.StatusInternalServerError, fault.New(fault.Internal, "internal", "internal error"))
				}
			}
			s.finish(r, recorder, time.Since(start))
		}()
		next.ServeHTTP(recorder, r)
		span.SetName(r.Pattern)
		span.SetAttributes(attribute.Int("http.response.status_code", recorder.status), attribute.String("request_id", id))
	})
}

// sameOrigin refuses calls of the app API that a browser makes for another site, since the
// browser would add the session's cookie. Other programs send no Origin, and pass.
func (s *Server) sameOrigin(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	if err := protection.AddTrustedOrigin(s.BaseURL); err != nil {
		s.Log.Error("the base URL is no origin; behind a proxy that changes Host, browsers will be refused", "err", err)
	}
	refuse := appProblem(fault.Forbidden, "cross_origin", "this call comes from another site")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, appPrefix) {
			w.Header().Set("Cache-Control", "no-store") // answers belong to one person, and some are secrets
			if protection.Check(r) != nil {
				refuse(w, r)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// traced starts the request's span, in the caller's trace if there is one: that is in the log even if no traces
// are sent. Its name and attributes come from the route, not from the URL.
func traced(r *http.Request) (*http.Request, trace.Span) {
	ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, span := otel.Tracer("quayside/httpapi").Start(ctx, "http", trace.WithSpanKind(trace.SpanKindServer))
	return r.WithContext(ctx), span
}

func (s *Server) finish(r *http.Request, recorder *recorder, took time.Duration) {
	route := r.Pattern
	if route == "" {
		route = "none"
	}
	s.Metrics.Request(route, recorder.status, took)
	client := s.clientAddr(r)
	attrs := []slog.Attr{
		slog.String("route", route), slog.Int("status", recorder.status), slog.String("client", client.String()),
		slog.Int64("took_us", took.Microseconds()), slog.Int64("bytes", recorder.bytes),
	}
	if recorder.slug != "" {
		s.Metrics.Ingest(recorder.slug, recorder.status, took)
	}
	level := slog.LevelInfo
	if recorder.slug != "" && recorder.status == http.StatusOK {
		level = slog.LevelDebug // an accepted record has its event
	}
	if recorder.status == http.StatusUnauthorized || recorder.stranger {
		level = slog.LevelDebug // LogRefused tells the sum
		s.refusals.add(client, time.Now(), refusedCall{route, recorder.status, telemetry.RequestID(r.Context())})
	}
	s.Log.LogAttrs(r.Context(), level, "request", append(attrs, recorder.attrs...)...)
}

// recorder remembers the answer's status, and what a handler adds to the log.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
	wrote  bool
	slug   string // a bounded name of the table, for metrics
	attrs  []slog.Attr
	read   bool // reading of the body has begun

	stranger bool // refused because of too many unknown keys from this address

	call *share.Call // computes, but not while it writes to the caller's line; nil: nobody counts
}

// waits says whose time it is that is not spent computing while the caller's line takes the answer.
func waits(w http.ResponseWriter, call *share.Call) {
	if recorder, ok := w.(*recorder); ok {
		recorder.call = call
	}
}

// slowBody is a body that is read while a call computes; waiting for it is not computing.
type slowBody struct {
	io.ReadCloser
	call *share.Call
}

func (b slowBody) Read(p []byte) (int, error) {
	defer b.call.Away()()
	return b.ReadCloser.Read(p)
}

// reading records that reading of the body has begun.
func reading(w http.ResponseWriter) {
	if recorder, ok := w.(*recorder); ok {
		recorder.read = true
	}
}

func wasRead(w http.ResponseWriter) bool {
	recorder, ok := w.(*recorder)
	return ok && recorder.read
}

// note adds to the request's line in the log.
func note(w http.ResponseWriter, slug string, attrs ...slog.Attr) {
	if recorder, ok := w.(*recorder); ok {
		if slug != "" {
			recorder.slug = slug
		}
		recorder.attrs = append(recorder.attrs, attrs...)
	}
}

func (r *recorder) WriteHeader(status int) {
	if !r.wrote {
		r.status, r.wrote = status, true
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(p []byte) (int, error) {
	r.wrote = true
	defer r.call.Away()()
	n, err := r.ResponseWriter.Write(p)
	r.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
