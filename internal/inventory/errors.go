package inventory

import (
	"errors"
	"time"

	"github.com/quayside/quayside/internal/fault"
)

// The codes of a System's errors, and what a caller may do after each.
const (
	CodeNotFound     = "inventory_not_found"     // it does not exist there
	CodeTaken        = "inventory_number_taken"  // another order has the number; a person must look
	CodeRefused      = "inventory_refused"       // the data is refused, with details; the same call fails again
	CodeDraftRefused = "inventory_draft_refused" // it takes no drafts: hold the export until the line is ordered
	CodeToken        = "inventory_token"         // the token is refused; no call succeeds
	CodeLimited      = "inventory_limited"       // nothing was done; wait, then call again
	CodeUnreachable  = "inventory_unreachable"   // nothing was done; call again later
	CodeUncertain    = "inventory_uncertain"     // it may have been done: look before calling again
	CodeChanged      = "inventory_changed"       // nothing was done: the order is no longer as it was planned for
	CodeAnswer       = "inventory_answer"        // a read was answered with something else than documented
)

// NotFound says that something does not exist there.
func NotFound(format string, args ...any) *fault.Error {
	return fault.New(fault.NotFound, CodeNotFound, format, args...)
}

// Taken says that an order there has the number, but not our reference.
func Taken(number string) *fault.Error {
	return fault.New(fault.Conflict, CodeTaken,
		"the inventory system has an order %s that Quayside did not make; give one of the two another number", number)
}

// Refused says that the inventory system refuses the data of a call.
func Refused(message string, fields []fault.Field) *fault.Error {
	e := fault.New(fault.Invalid, CodeRefused, "the inventory system refuses this: %s", message)
	e.Fields = fields
	return e
}

// DraftRefused says that the inventory system takes no drafts.
func DraftRefused(fields []fault.Field) *fault.Error {
	e := fault.New(fault.Invalid, CodeDraftRefused,
		"the inventory system takes no drafts; the order is sent when it is ordered")
	e.Fields = fields
	return e
}

// TokenRefused says that the inventory system does not accept the token.
func TokenRefused() *fault.Error {
	return fault.New(fault.Unauthenticated, CodeToken,
		"the inventory system does not accept the token; a Company-Admin can enter a new one")
}

// Limited says that the call would exceed the rate limit, and nothing was done.
func Limited(wait time.Duration) *fault.Error {
	return fault.New(fault.RateLimited, CodeLimited, "the inventory system asks to wait").After(wait)
}

// Unreachable says that nothing was done, and why if that can be said.
func Unreachable(cause error) *fault.Error {
	why := ""
	if told := (*fault.Error)(nil); errors.As(cause, &told) {
		why = ": " + told.Message
	}
	return fault.New(fault.Unavailable, CodeUnreachable, "the inventory system cannot be reached%s", why).Because(cause)
}

// Uncertain says that a write was sent, and that its outcome is not known.
func Uncertain(cause error) *fault.Error {
	return fault.New(fault.Internal, CodeUncertain,
		"the inventory system did not answer; it may have done what was asked").Because(cause)
}

// BadAnswer says that a read was answered with something that the protocol does not contain.
func BadAnswer(format string, args ...any) *fault.Error {
	return fault.New(fault.Unavailable, CodeAnswer, "the inventory system gave an unexpected answer: "+format, args...)
}
