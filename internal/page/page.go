// Package page cuts lists into pages. A page starts after an id. Ids rise with time, so
// new rows do not shift the pages before them.
package page

import "github.com/google/uuid"

// Request says which part of a list is wanted.
type Request struct {
	After uuid.UUID // uuid.Nil: from the start
	Most  int
}

// All asks for everything that a list can be expected to hold.
var All = Request{Most: 100_000}

// Before returns the id before which a list that shows the newest first continues.
func (r Request) Before() uuid.UUID {
	if r.After == uuid.Nil {
		return uuid.Max
	}
	return r.After
}

// Limit returns how many rows to read: one more than asked for, which tells whether
// another page follows.
func (r Request) Limit() int32 { return int32(min(r.Most, 1<<20)) + 1 } //nolint:gosec // bounded

// Cut returns the page from rows that were read with Limit, and whether more follow.
func Cut[T any](r Request, rows []T) (items []T, more bool) {
	if len(rows) > r.Most {
		return rows[:r.Most], true
	}
	return rows, false
}
