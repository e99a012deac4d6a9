package ingest

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
)

// verdict is the statement's result for one record.
type verdict struct {
	ord       int
	keyLive   bool
	current   bool
	late      bool     // the record is past its deadline
	elsewhere bool     // the key belongs to a row of another workspace
	newer     bool     // the row does not meet the record's conditions: changed since, or another version
	stale     bool     // a delivery with a greater sequence is stored
	fresh     bool     // the row did not exist
	unknown   []string // references that were not found
	guarded   bool     // the record would change what a gate has rules for: that decides
	warned    string   // the codes of the statement's warnings, separated by spaces
	nearKey   bool     // the row is new, and its key differs from a stored one only by white space or case
	sure      bool     // false if a concurrent writer changed the row between read and write
	created   *bool    // whether the written row is new; nil if no row was written
	waits     *bool    // whether the written row waits for another record
	version   *int64   // the row's present version

	ruled []string // sent fields that a gate has stored with another value
}

// outcome returns the answer to the sender, or the error why the record was not stored.
func (v verdict) outcome(clean sanitized) (Outcome, error) {
	if err := v.refusal(clean); err != nil {
		return Outcome{}, err
	}
	if !v.sure {
		return Outcome{}, errRaced
	}
	outcome := Outcome{Result: v.result(), EventType: clean.table.EventType()}
	if !v.stale { // of a stale record nothing was stored in any form
		outcome.Dropped, outcome.Passed = slices.Concat(clean.dropped, v.ruled), clean.passed
		outcome.Coerced, outcome.Warnings = clean.coerced, v.warnings(clean)
	}
	if v.version != nil {
		outcome.Version = *v.version
	}
	return outcome, nil
}

// result returns what an accepted record did to its row.
func (v verdict) result() Result {
	switch {
	case v.stale:
		return Stale
	case v.created == nil:
		return Unchanged
	case *v.created:
		return Created
	}
	return Updated
}

// refusal returns all reasons against the record as one error, or nil.
func (v verdict) refusal(clean sanitized) error {
	switch {
	case !v.keyLive:
		return auth.ErrDeadKey
	case v.late:
		return errLate
	case !v.current:
		return errStale
	}
	refused := clean.refused
	if v.elsewhere {
		refused = append(refused, fault.Field{Field: clean.key, Code: "duplicate_key",
			Message: fmt.Sprintf("duplicate key: %s %s belongs to another workspace", clean.key,
				fault.Shorten(strconv.Quote(clean.identity)))})
	}
	if v.fresh {
		refused = append(refused, clean.missingFields()...)
	}
	for _, name := range v.unknown {
		refused = append(refused, fault.Field{Field: name, Code: "unknown_reference", Message: "unknown reference: " + name})
	}
	if len(refused) > 0 {
		return invalid(refused)
	}
	if v.stale { // what stands in the row is what a later delivery said
		return nil
	}
	if v.newer && v.version != nil {
		return errNewer.At(*v.version)
	}
	if v.newer {
		return errNewer
	}
	return nil
}
