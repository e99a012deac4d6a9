//race:detect calls share their transport and its limits
package outbound_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/outbound"
)

// TestHostileAnswers checks that no behaviour of the other system costs more than the limits, and how
// each is reported.
func TestHostileAnswers(t *testing.T) {
	t.Parallel()
	var bomb bytes.Buffer
	packed := gzip.NewWriter(&bomb)
	_, _ = packed.Write(make([]byte, 16<<20))
	require.NoError(t, packed.Close())
	hijack := func(w http.ResponseWriter) net.Conn {
		conn, _, _ := w.(http.Hijacker).Hijack() //nolint:forcetypeassert // a test
		return conn
	}
	for name, tt := range map[string]struct {
		answer func(http.ResponseWriter, *http.Request)
		code   string
	}{
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://elsewhere.example.com/?token="+token, http.StatusFound)
		}, "outbound_redirect"},
		"redirect that keeps the method": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/again", http.StatusTemporaryRedirect)
		}, "outbound_redirect"},
		"slow header": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "outbound_timeout"},
		"slow body": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil { // a byte now and then, for ever
				_, _ = io.WriteString(w, "x")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(20 * time.Millisecond)
			}
		}, "outbound_timeout"},
		"endless body": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 64<<10)); err != nil {
					return
				}
			}
		}, "outbound_answer_too_large"},
		"body one byte too large": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(make([]byte, short.AnswerBytes+1))
		}, "outbound_answer_too_large"},
		"large header": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Large", strings.Repeat("x", 1<<20))
		}, "outbound_answer_too_large"},
		"compressed": {func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Accept-Encoding") != "" {
				w.WriteHeader(http.StatusTeapot)
			}
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb.Bytes())
		}, "outbound_encoding"},
		"cut before the answer": {func(w http.ResponseWriter, _ *http.Request) { _ = hijack(w).Close() }, "outbound_cut"},
		"cut in the header": {func(w http.ResponseWriter, _ *http.Request) {
			conn := hijack(w)
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Le")
			_ = conn.Close()
		}, "outbound_cut"},
		"cut in the body": {func(w http.ResponseWriter, _ *http.Request) {
			conn := hijack(w)
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
			_ = conn.Close()
		}, "outbound_cut"},
		"no HTTP": {func(w http.ResponseWriter, _ *http.Request) {
			conn := hijack(w)
			_, _ = io.WriteString(conn, token+" is what I got\r\n\r\n")
			_ = conn.Close()
		}, "outbound_cut"},
		"another protocol": {func(w http.ResponseWriter, _ *http.Request) {
			conn := hijack(w)
			_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
			t.Cleanup(func() { _ = conn.Close() })
		}, "outbound_protocol"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				calls.Add(1)
				_, _ = io.Copy(io.Discard, r.Body) // only then does the server notice that the caller has gone
				tt.answer(w, r)
			}))
			t.Cleanup(server.Close)
			limits := patient()
			if tt.code == "outbound_timeout" {
				limits = short
			}
			transport := outbound.New(outbound.Config{Allow: here, Limits: limits})
			_, err := call(t, transport, &pace{}, http.MethodPost, server.URL, "{}")
			require.True(t, fault.HasCode(err, tt.code), "%v", err)
			require.False(t, outbound.Unsent(err), "it may have had an effect")
			require.EqualValues(t, 1, calls.Load(), "a call is made once")
		})
	}
}

// TestNothingSent checks the failures after which a call can be made again without a look.
func TestNothingSent(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	answer := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) })
	plain, secure := httptest.NewServer(answer), httptest.NewTLSServer(answer)
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	gone := httptest.NewServer(answer)
	gone.Close()
	silent, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0") // accepts, and says nothing
	require.NoError(t, err)
	t.Cleanup(func() { _ = silent.Close() })
	limits := short
	limits.Connect = 300 * time.Millisecond
	budget := outbound.OverBudget(90 * time.Second)
	for _, tt := range []struct {
		name, address, body, code string
		limits                    outbound.Limits
		budget                    error
	}{
		{name: "nobody listens", address: gone.URL, code: "outbound_unreachable", limits: patient()},
		{name: "a silent listener", address: "https://" + silent.Addr().String(), code: "outbound_unreachable", limits: limits},
		{name: "a foreign certificate", address: secure.URL, code: "outbound_tls", limits: patient()},
		{name: "no TLS", address: "https://" + plain.Listener.Addr().String(), code: "outbound_tls", limits: patient()},
		{name: "a password in the address", address: strings.Replace(plain.URL, "//", "//me:"+token+"@", 1),
			code: "outbound_address", limits: patient()},
		{name: "a large request", address: plain.URL, body: strings.Repeat("x", 1<<10), code: "outbound_request_too_large",
			limits: patient()},
		{name: "no budget", address: plain.URL, code: "outbound_budget", limits: patient(), budget: budget},
	} {
		transport := outbound.New(outbound.Config{Allow: here, Limits: tt.limits})
		_, err := call(t, transport, &pace{err: tt.budget}, http.MethodPost, tt.address, tt.body)
		require.True(t, fault.HasCode(err, tt.code), "%s: %v", tt.name, err)
		require.True(t, outbound.Unsent(err), tt.name)
	}
	require.Zero(t, calls.Load())
	_, public := fault.Public(budget)
	require.Equal(t, 90*time.Second, public.Wait)

	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	req, err := http.NewRequestWithContext(cancelled, http.MethodPost, plain.URL, nil)
	require.NoError(t, err)
	_, err = outbound.New(outbound.Config{Allow: here}).Client(&pace{wait: time.Hour}, nil).Do(req) //nolint:bodyclose // none
	require.True(t, outbound.Unsent(err), "%v", err)
	require.ErrorIs(t, err, context.Canceled)
}

// TestAnswers checks what a well-behaved system gets and what the caller gets.
func TestAnswers(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	spans := tracetest.NewSpanRecorder()
	before := otel.GetTracerProvider()
	otel.SetTracerProvider(trace.NewTracerProvider(trace.WithSpanProcessor(spans)))
	t.Cleanup(func() { otel.SetTracerProvider(before) })

	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, _ := io.ReadAll(r.Body)
		require.Empty(t, r.Header.Get("Cookie"))
		require.Empty(t, r.Header.Get("Traceparent"), "our traces are ours")
		http.SetCookie(w, &http.Cookie{Name: "session", Value: token})
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprintf(w, "%s %s %d", r.Method, content, r.ContentLength)
	}))
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	transport := outbound.New(outbound.Config{Allow: here, Roots: roots, Limits: patient()})
	p := &pace{wait: time.Millisecond}
	for range 2 {
		got, err := call(t, transport, p, http.MethodPatch, server.URL, "{}")
		require.NoError(t, err)
		require.Equal(t, answer{http.StatusTooManyRequests, "PATCH {}" + token + " 19"}, got)
	}
	require.EqualValues(t, 2, p.taken.Load())
	require.Equal(t, 7*time.Second, time.Duration(p.held.Load()))

	ended := spans.Ended()
	require.Len(t, ended, 2)
	require.Equal(t, "PATCH", ended[0].Name())
	text := fmt.Sprint(tracetest.SpanStubsFromReadOnlySpans(ended))
	require.Contains(t, text, "127.0.0.1")
	require.Contains(t, text, "429")
	require.NotContains(t, text, token)
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		text  string
		wait  time.Duration
		given bool
	}{
		{"", 0, false},
		{"soon", 0, false},
		{"-5", 0, false},
		{"1.5", 0, false},
		{"0", 0, true},
		{" 30 ", 30 * time.Second, true},
		{"86400", time.Hour, true},
		{"99999999999999999999999", time.Hour, true},
		{"Wed, 18 Nov 2026 12:00:20 GMT", 20 * time.Second, true},
		{"Wed, 18 Nov 2026 11:00:00 GMT", 0, true},
		{"Fri, 18 Nov 2225 12:00:00 GMT", time.Hour, true},
	} {
		wait, given := outbound.RetryAfter(http.Header{"Retry-After": {tt.text}}, now)
		require.Equal(t, tt.given, given, tt.text)
		require.Equal(t, tt.wait, wait, tt.text)
	}
}

// TestHold checks which answers hold a connection.
func TestHold(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		status int
		after  string
		want   time.Duration
	}{
		{http.StatusOK, "9", 0},
		{http.StatusTooManyRequests, "9", 9 * time.Second},
		{http.StatusTooManyRequests, "", time.Minute},
		{http.StatusServiceUnavailable, "9", 9 * time.Second},
		{http.StatusServiceUnavailable, "", 0},
		{http.StatusInternalServerError, "9", 0},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", tt.after)
			w.WriteHeader(tt.status)
		}))
		p := &pace{}
		_, err := call(t, outbound.New(outbound.Config{Allow: here, Limits: patient()}), p, http.MethodGet, server.URL, "")
		require.NoError(t, err)
		require.Equal(t, tt.want, time.Duration(p.held.Load()), "%d %q", tt.status, tt.after)
		server.Close()
	}
}
