// Package fault holds the errors that callers may see, and maps every error to its
// public form.
//
// Domain code returns *Error, or wraps one with %w. Any other error is internal:
// its text goes to the log and never to a caller.
package fault

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Kind classifies an error. The HTTP edge maps it to a status.
type Kind uint8

// The kinds, in the order of their HTTP statuses.
const (
	Internal         Kind = iota // a bug or an unexpected failure of the service; safe to retry
	BadRequest                   // the request cannot be parsed
	Unauthenticated              // missing or unknown credentials
	Forbidden                    // the caller is known, but not allowed to do this
	NotFound                     // no such object
	MethodNotAllowed             // the path exists, but not with this method
	Timeout                      // the caller took too long to send the request
	Conflict                     // the object's state does not permit this
	Stale                        // the object has changed since the caller read it
	TooLarge                     // the body exceeds its limit
	Unsupported                  // the body's encoding is not supported
	Invalid                      // the request was parsed, but its data breaks a rule
	Unconditional                // the caller must name the version they mean
	RateLimited                  // too many calls; safe to retry later
	Unavailable                  // temporarily unavailable; nothing was done
)

var statuses = [...]int{
	Internal:         http.StatusInternalServerError,
	BadRequest:       http.StatusBadRequest,
	Unauthenticated:  http.StatusUnauthorized,
	Forbidden:        http.StatusForbidden,
	NotFound:         http.StatusNotFound,
	MethodNotAllowed: http.StatusMethodNotAllowed,
	Timeout:          http.StatusRequestTimeout,
	Conflict:         http.StatusConflict,
	Stale:            http.StatusPreconditionFailed,
	TooLarge:         http.StatusRequestEntityTooLarge,
	Unsupported:      http.StatusUnsupportedMediaType,
	Invalid:          http.StatusUnprocessableEntity,
	Unconditional:    http.StatusPreconditionRequired,
	RateLimited:      http.StatusTooManyRequests,
	Unavailable:      http.StatusServiceUnavailable,
}

// Error is an error whose text may be shown to the caller.
type Error struct {
	Kind    Kind
	Code    string // stable and machine-readable, such as "unknown_reference"
	Message string // one sentence for a person
	Fields  []Field
	Wait    time.Duration // when to retry, if known
	Version int64         // the current version of a Stale object, if known
	Details any           // the message's content for programs: a list or a struct with JSON names; bounded in size
	cause   error
}

// Field says what is wrong with one field of the caller's input.
type Field struct {
	Field   string `json:"field"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// New makes an error whose message is for the caller.
func New(kind Kind, code, format string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Message: fmt.Sprintf(format, args...)}
}

// InField makes an Invalid error about one field of the caller's input.
func InField(field, code, format string, args ...any) *Error {
	e := New(Invalid, code, format, args...)
	e.Fields = []Field{{Field: field, Code: code, Message: e.Message}}
	return e
}

// shownLength is how many characters of a caller's value a message shows.
const shownLength = 60

// Shorten cuts a caller's value to the length that messages show, as valid UTF-8.
func Shorten(value string) string {
	value = strings.ToValidUTF8(value, "\uFFFD")
	if characters := []rune(value); len(characters) > shownLength {
		return string(characters[:shownLength]) + "…"
	}
	return value
}

// Because returns a copy of e that keeps cause for the log.
func (e *Error) Because(cause error) *Error {
	with := *e
	with.cause = cause
	return &with
}

// After returns a copy of e that says how long to wait before a retry.
func (e *Error) After(wait time.Duration) *Error {
	with := *e
	with.Wait = wait
	return &with
}

// At returns a copy of e with the object's current version.
func (e *Error) At(version int64) *Error {
	with := *e
	with.Version = version
	return &with
}

// With returns a copy of e with the message's content in a form for programs.
func (e *Error) With(details any) *Error {
	with := *e
	with.Details = details
	return &with
}

func (e *Error) Error() string {
	if e.cause != nil {
		return e.Message + ": " + e.cause.Error()
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.cause }

// Public returns what a caller may see of err: a status, and an *Error without its
// cause. An error without a Kind becomes Internal, with a generic message.
func Public(err error) (status int, public *Error) {
	var e *Error
	if !errors.As(err, &e) {
		e = New(Internal, "internal", "internal error")
	}
	shown := *e
	shown.cause = nil
	return statuses[e.Kind], &shown
}

// Refusal returns the error with which the rules refuse something, which would be the same the next
// time. It is nil for internal errors and for those that pass.
func Refusal(err error) *Error {
	var refused *Error
	if !errors.As(err, &refused) || refused.Kind == Internal || refused.Kind == Unavailable {
		return nil
	}
	return refused
}

// Is reports whether err is an *Error of this kind.
func Is(err error, kind Kind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == kind
}

// HasCode reports whether err is an *Error with this code.
func HasCode(err error, code string) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}
