// Package fault holds the errors that callers may see, and the one mapping from
// any error to what they do see.
//
// Domain code returns *Error, or wraps one with %w. Whatever is not an *Error is
// internal: its text goes to the log and never to a caller.
package fault

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Kind says what sort of refusal an error is. The edges turn it into a status.
type Kind uint8

// The kinds, in the order of their HTTP statuses.
const (
	Internal         Kind = iota // a fault of ours; safe to retry
	BadRequest                   // the request cannot be read
	Unauthenticated              // nobody, or nobody we know
	Forbidden                    // known, but not allowed
	NotFound                     // no such thing
	MethodNotAllowed             // not in this way
	Timeout                      // the caller took too long
	Conflict                     // the thing is not in a state for this
	Stale                        // the thing has changed since the caller saw it
	TooLarge                     // the body exceeds its limit
	Unsupported                  // the body's encoding is not understood
	Invalid                      // read and refused: the data breaks a rule
	Unconditional                // the caller must say which version they mean
	RateLimited                  // too many calls; later is fine
	Unavailable                  // not now; nothing was done
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

// Error is a refusal with words fit for the caller.
type Error struct {
	Kind    Kind
	Code    string // stable and machine-readable, such as "unknown_reference"
	Message string // one sentence for a person
	Fields  []Field
	Wait    time.Duration // after which it is worth trying again, when that is known
	Version int64         // of something Stale: the one that it has now, when that is known
	Details any           // what the message tells, for programs: a list or a struct with JSON names; bounded in size
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

// InField makes a refusal of one field of the caller's input.
func InField(field, code, format string, args ...any) *Error {
	e := New(Invalid, code, format, args...)
	e.Fields = []Field{{Field: field, Code: code, Message: e.Message}}
	return e
}

// shownLength is how many characters of a caller's value a message shows.
const shownLength = 60

// Shorten is what a message shows of a caller's value: short, and whole in UTF-8.
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

// After returns a copy of e that says when it is worth trying again.
func (e *Error) After(wait time.Duration) *Error {
	with := *e
	with.Wait = wait
	return &with
}

// At returns a copy of e that says which version the thing has now.
func (e *Error) At(version int64) *Error {
	with := *e
	with.Version = version
	return &with
}

// With returns a copy of e that tells programs what its message tells people.
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

// Public is what a caller is told about err: a status and an *Error without its
// cause. Anything unclassified is internal, in words that give nothing away.
func Public(err error) (status int, public *Error) {
	var e *Error
	if !errors.As(err, &e) {
		e = New(Internal, "internal", "internal error")
	}
	shown := *e
	shown.cause = nil
	return statuses[e.Kind], &shown
}

// Is reports whether err is a fault of this kind.
func Is(err error, kind Kind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == kind
}

// HasCode reports whether err is a fault with this code.
func HasCode(err error, code string) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}
