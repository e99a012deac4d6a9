// Package outbound calls other systems over HTTP. Every integration uses it, and nothing else does.
//
// Both the address and the system behind it may be hostile. Each address is checked when it is dialled:
// only public ones are reached, and those that the operator allows. Calls are encrypted, follow no
// redirect, use no proxy and keep no cookie. All times and sizes are bounded, and an answer is returned
// only when it has been read whole. Neither errors nor traces contain a query, a header or a body.
package outbound

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/quayside/quayside/internal/fault"
)

// Config says what may be reached, and within which limits.
type Config struct {
	Allow    []netip.Prefix // the operator's own networks: may be reached, also without TLS
	Roots    *x509.CertPool // whose certificates are trusted; nil: the machine's
	Resolver *net.Resolver  // looks names up; nil: the machine's
	Limits   Limits         // the zero value means Defaults

	Away func(context.Context) (back func()) // says that the caller waits meanwhile; nil: nobody is told
}

// Limits bound one call.
type Limits struct {
	Wait    time.Duration // for the connection's turn
	Connect time.Duration // looking up the name, connecting and agreeing on TLS
	Header  time.Duration // from the request to the answer's header
	Whole   time.Duration // the call from its turn to the answer's last byte

	RequestBytes int64 // of a request's body
	HeaderBytes  int64 // of an answer's header
	AnswerBytes  int64 // of an answer's body
}

// Defaults are the limits that the service uses.
var Defaults = Limits{
	Wait: 20 * time.Second, Connect: 10 * time.Second, Header: 20 * time.Second, Whole: 40 * time.Second,
	RequestBytes: 1 << 20, HeaderBytes: 64 << 10, AnswerBytes: 8 << 20,
}

const (
	idleFor      = 30 * time.Second
	mostIdle     = 100
	defaultPause = time.Minute // after a 429 that does not say how long
)

// Transport reaches other systems. All connections to systems share one, and one more for each list to which companies are
// narrowed.
type Transport struct {
	cfg      Config
	allow    []netip.Prefix
	narrowed bool
	only     []netip.Prefix // if narrowed, what is in both may be reached
	limits   Limits
	http     *http.Transport

	mu     sync.Mutex
	narrow map[string]*Transport // by list
}

// New returns a transport.
func New(cfg Config) *Transport {
	if cfg.Limits == (Limits{}) {
		cfg.Limits = Defaults
	}
	t := &Transport{cfg: cfg, allow: cfg.Allow, limits: cfg.Limits, narrow: map[string]*Transport{}}
	t.open()
	return t
}

// open makes the connections' pool.
func (t *Transport) open() {
	secure := &tls.Dialer{
		NetDialer: t.dialer(t.cfg, true), // its time limit includes the handshake
		Config:    &tls.Config{RootCAs: t.cfg.Roots, MinVersion: tls.VersionTLS12},
	}
	// There is no proxy, also not from the environment: it would look names up and dial for us, unchecked.
	// There is only HTTP/1.1: each call has a connection of its own while it lasts. There is no
	// compression: a small answer could become a huge one.
	t.http = &http.Transport{
		DialContext: t.dialer(t.cfg, false).DialContext, DialTLSContext: secure.DialContext,
		DisableCompression: true, ResponseHeaderTimeout: t.limits.Header, MaxResponseHeaderBytes: t.limits.HeaderBytes,
		MaxIdleConns: mostIdle, IdleConnTimeout: idleFor,
	}
}

// mostLists bounds how many lists have connections of their own at a time.
const mostLists = 200

// within returns a transport that reaches of the operator's own networks only those that are also in the list; nil: all
// of them. It shares no open connection with other lists: an address is checked when it is dialled, not when a
// connection to it is used again.
func (t *Transport) within(list []netip.Prefix) *Transport {
	if list == nil {
		return t
	}
	name := fmt.Sprint(list)
	t.mu.Lock()
	defer t.mu.Unlock()
	if known := t.narrow[name]; known != nil {
		return known
	}
	if len(t.narrow) >= mostLists {
		for _, known := range t.narrow {
			known.http.CloseIdleConnections()
		}
		clear(t.narrow)
	}
	made := &Transport{cfg: t.cfg, allow: t.allow, narrowed: true, only: list, limits: t.limits}
	made.open()
	t.narrow[name] = made
	return made
}

// Networks returns which of the operator's own networks may be reached, at the time of a call; nil: all that the
// installation allows.
type Networks func(context.Context) ([]netip.Prefix, error)

// find returns the transport for the networks that may be reached now.
func (t *Transport) find(ctx context.Context, networks Networks) (*Transport, error) {
	if networks == nil {
		return t, nil
	}
	list, err := networks(ctx)
	if err != nil {
		return nil, fault.New(fault.Unavailable, "outbound_networks",
			"which networks may be reached could not be read; nothing was sent").Because(err)
	}
	return t.within(list), nil
}

// Close ends the connections that are not in use.
func (t *Transport) Close() {
	t.http.CloseIdleConnections()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, narrow := range t.narrow {
		narrow.http.CloseIdleConnections()
	}
}

// Pace keeps the calls of one connection within its budget, across all instances of the service.
type Pace interface {
	// Take reserves the next call and returns how long to wait before it is made. If that is longer than
	// patience, it reserves nothing and returns a RateLimited fault that says when to try again.
	Take(ctx context.Context, patience time.Duration) (wait time.Duration, err error)
	// Hold lets nobody call for a while, because the other system asks for it.
	Hold(ctx context.Context, pause time.Duration)
}

// Client calls one system for one connection.
type Client struct {
	transport *Transport
	pace      Pace
	networks  Networks
}

// Client returns a client whose calls keep to the pace and reach, of the operator's own networks, only those that
// networks returns when the call is made; without it, all of them.
func (t *Transport) Client(pace Pace, networks Networks) *Client { return &Client{t, pace, networks} }

// Do makes a call and returns its answer, whose body has been read whole. A status of 400 or more is an
// answer too; a redirect is an error. Unsent reports whether a failed call can have had an effect.
func (c *Client) Do(req *http.Request) (*http.Response, error) {
	if away := c.transport.cfg.Away; away != nil {
		defer away(req.Context())()
	}
	content, err := c.transport.readRequest(req)
	if err != nil {
		return nil, err
	}
	if err := c.await(req.Context()); err != nil {
		return nil, err
	}
	transport, err := c.transport.find(req.Context(), c.networks)
	if err != nil {
		return nil, err
	}
	ctx, span := otel.Tracer("quayside/outbound").Start(req.Context(), req.Method,
		trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
			attribute.String("http.request.method", req.Method), attribute.String("server.address", req.URL.Hostname())))
	defer span.End()
	resp, err := transport.exchange(ctx, req, content)
	if err != nil {
		_, public := fault.Public(err)
		span.SetAttributes(attribute.String("error.type", public.Code))
		span.SetStatus(codes.Error, public.Code)
		return nil, err
	}
	span.SetAttributes(attribute.Int("http.response.status_code", resp.StatusCode))
	if pause, asked := pauseAsked(resp, time.Now()); asked {
		c.pace.Hold(ctx, pause)
	}
	return resp, nil
}

// await waits for the connection's turn.
func (c *Client) await(ctx context.Context) error {
	patience := c.transport.limits.Wait
	if deadline, set := ctx.Deadline(); set {
		patience = min(patience, time.Until(deadline))
	}
	wait, err := c.pace.Take(ctx, patience)
	if err != nil || wait <= 0 {
		return err
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return errCancelled.Because(ctx.Err())
	}
}

// readRequest checks a request and reads its body.
func (t *Transport) readRequest(req *http.Request) ([]byte, error) {
	if req.Body == nil {
		req.Body = http.NoBody
	}
	defer func() { _ = req.Body.Close() }()
	// The address came through Address; what was added to it did not.
	if req.URL.Scheme != "https" && req.URL.Scheme != "http" || req.URL.Hostname() == "" || req.URL.User != nil {
		return nil, fault.New(fault.Invalid, "outbound_address", "only https addresses without a password can be called")
	}
	content, err := io.ReadAll(io.LimitReader(req.Body, t.limits.RequestBytes+1))
	if err != nil {
		return nil, err
	}
	if int64(len(content)) > t.limits.RequestBytes {
		return nil, fault.New(fault.Invalid, "outbound_request_too_large",
			"the request is larger than %d bytes and was not sent", t.limits.RequestBytes)
	}
	return content, nil
}

// exchange sends a request and reads the whole answer.
func (t *Transport) exchange(ctx context.Context, req *http.Request, content []byte) (*http.Response, error) {
	var sent atomic.Bool
	limited, cancel := context.WithTimeout(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }, // from here on, something may have arrived
	}), t.limits.Whole)
	defer cancel()
	call := req.Clone(limited)
	call.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }
	call.Body, _ = call.GetBody()
	if call.ContentLength = int64(len(content)); call.ContentLength == 0 {
		call.Body, call.GetBody = http.NoBody, nil
	}
	// The transport itself, without http.Client around it, knows neither redirects nor cookies.
	resp, err := t.http.RoundTrip(call)
	if err != nil {
		return nil, t.explain(ctx, req.URL.Hostname(), sent.Load(), err)
	}
	defer func(body io.Closer) { _ = body.Close() }(resp.Body)
	if err := acceptable(req.URL.Hostname(), resp); err != nil {
		return nil, err
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, t.limits.AnswerBytes+1))
	switch {
	case err != nil:
		return nil, t.explain(ctx, req.URL.Hostname(), true, err)
	case int64(len(answer)) > t.limits.AnswerBytes:
		return nil, fault.New(fault.Invalid, "outbound_answer_too_large", "the answer of %s is larger than %d bytes",
			req.URL.Hostname(), t.limits.AnswerBytes)
	}
	resp.Body, resp.ContentLength, resp.Request = io.NopCloser(bytes.NewReader(answer)), int64(len(answer)), req
	return resp, nil
}

// acceptable refuses answers that no integration can use.
func acceptable(host string, resp *http.Response) error {
	switch {
	case resp.StatusCode < 200:
		return fault.New(fault.Invalid, "outbound_protocol", "%s wants to change to another protocol", host)
	case resp.StatusCode >= 300 && resp.StatusCode < 400 && resp.StatusCode != http.StatusNotModified:
		return fault.New(fault.Invalid, "outbound_redirect",
			"%s answers with a redirect (%d), which is not followed; enter the address that it leads to", host,
			resp.StatusCode)
	}
	if encoding := resp.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return fault.New(fault.Invalid, "outbound_encoding", "%s sent a compressed answer that nobody asked for", host)
	}
	return nil
}
