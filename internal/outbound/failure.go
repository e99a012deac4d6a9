package outbound

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quayside/quayside/internal/fault"
)

// errCancelled is returned when the caller's context ends before anything was sent.
var errCancelled = fault.New(fault.Unavailable, "outbound_cancelled", "the call was given up before it was made")

// unsent are the codes of calls of which nothing has left this machine.
var unsent = []string{
	"outbound_address", "outbound_plain", "outbound_request_too_large", "outbound_cancelled", "outbound_budget",
	"outbound_name", "outbound_tls", "outbound_unreachable", "outbound_networks",
}

// Unsent reports whether a failed call certainly did not reach the other system. After any other error
// the call may have had its effect.
func Unsent(err error) bool {
	return slices.ContainsFunc(unsent, func(code string) bool { return fault.HasCode(err, code) })
}

// OverBudget returns the error of a Pace that has no call left for the given time.
func OverBudget(wait time.Duration) error {
	return fault.New(fault.RateLimited, "outbound_budget", "no more calls are allowed for %s",
		max(wait.Round(time.Second), time.Second)).After(wait)
}

// explain returns the error of a failed call in words for an operator. sent says whether something may
// have arrived.
func (t *Transport) explain(ctx context.Context, host string, sent bool, err error) error {
	var refused *fault.Error
	if errors.As(err, &refused) { // the check of the dialled address
		return refused
	}
	if !sent {
		return t.explainUnsent(ctx, host, err)
	}
	failed := func(kind fault.Kind, code, format string, args ...any) error {
		return fault.New(kind, code, format, args...).Because(harmless(ctx, err))
	}
	switch {
	case timedOut(err):
		return failed(fault.Unavailable, "outbound_timeout",
			"%s did not answer in time; whether it did what was asked is unknown", host)
	case strings.Contains(err.Error(), "headers exceeded"): // net/http has no type for it
		return failed(fault.Invalid, "outbound_answer_too_large", "the header of %s's answer is larger than %d bytes", host,
			t.limits.HeaderBytes)
	}
	return failed(fault.Unavailable, "outbound_cut",
		"the connection to %s ended without a whole answer; whether it did what was asked is unknown", host)
}

// explainUnsent is explain for a call that never had a connection.
func (t *Transport) explainUnsent(ctx context.Context, host string, err error) error {
	var (
		name        *net.DNSError
		certificate *tls.CertificateVerificationError
		alert       tls.AlertError
		record      tls.RecordHeaderError
	)
	switch {
	case ctx.Err() != nil:
		return errCancelled.Because(ctx.Err())
	case errors.As(err, &name) && name.IsNotFound:
		return fault.New(fault.Unavailable, "outbound_name", "the name %s does not exist", fault.Shorten(host)).Because(err)
	case errors.As(err, &name):
		return fault.New(fault.Unavailable, "outbound_name", "the name %s could not be looked up",
			fault.Shorten(host)).Because(err)
	case errors.As(err, &certificate):
		return fault.New(fault.Unavailable, "outbound_tls", "the certificate of %s cannot be trusted", host).Because(err)
	case errors.As(err, &alert), errors.As(err, &record):
		return fault.New(fault.Unavailable, "outbound_tls", "%s does not agree on an encrypted connection",
			host).Because(harmless(ctx, err))
	case timedOut(err):
		return fault.New(fault.Unavailable, "outbound_unreachable", "%s took no connection within %s", host,
			t.limits.Connect).Because(harmless(ctx, err))
	}
	return fault.New(fault.Unavailable, "outbound_unreachable", "%s takes no connections", host).Because(harmless(ctx, err))
}

func timedOut(err error) bool {
	var timeout net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout()
}

// harmless returns a cause for the log. Errors about an answer's form quote what the other system sent,
// which may be the token that it got, so only their type is kept.
func harmless(ctx context.Context, err error) error {
	var network *net.OpError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &network):
		return network
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return err
	}
	return fmt.Errorf("%T", err)
}

// longestPause is the longest time for which a connection is held at the other system's request.
const longestPause = time.Hour

// pauseAsked returns how long the answer asks to wait with further calls.
func pauseAsked(resp *http.Response, now time.Time) (pause time.Duration, asked bool) {
	pause, asked = RetryAfter(resp.Header, now)
	switch {
	case resp.StatusCode == http.StatusTooManyRequests && !asked:
		return defaultPause, true
	case resp.StatusCode == http.StatusTooManyRequests, resp.StatusCode == http.StatusServiceUnavailable && asked:
		return pause, true
	}
	return 0, false
}

// RetryAfter reads the header of this name, in seconds or as a date. The result is between zero and an
// hour.
func RetryAfter(header http.Header, now time.Time) (wait time.Duration, given bool) {
	text := strings.TrimSpace(header.Get("Retry-After"))
	// A number that is too large is returned as the largest one.
	if seconds, err := strconv.ParseUint(text, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, uint64(longestPause/time.Second))) * time.Second, true
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	return min(max(at.Sub(now), 0), longestPause), true
}
