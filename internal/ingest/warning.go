package ingest

import (
	"cmp"
	"slices"
	"time"
)

// A Warning says that a record was stored, but is probably not what its sender meant. It never refuses anything.
type Warning struct {
	Code  string // one of the codes below
	Field string // the field that is meant; empty: the record as a whole
}

// The codes of warnings. They are part of the endpoint's contract: docs/ingest.md lists them, and none is ever reused for
// another meaning.
const (
	// WarnDate says that a column which records the past has a date before 2000 or after tomorrow.
	WarnDate = "date_implausible"
)

// warn adds a warning, once for each code and field.
func (r *sanitized) warn(code, field string) {
	warning := Warning{Code: code, Field: field}
	if !slices.Contains(r.warnings, warning) {
		r.warnings = append(r.warnings, warning)
	}
}

// earliest is the first year of a plausible time in a column that records the past.
const earliest = 2000

// implausible reports whether a time in a column that records the past is before 2000 or after tomorrow, by the calendar of
// the workspace.
func implausible(v value, zone *time.Location, now time.Time) bool {
	if v.null {
		return false
	}
	zone = cmp.Or(zone, time.UTC) // an operator has none
	at, err := time.Parse(time.RFC3339Nano, v.text)
	if err != nil {
		at, err = time.ParseInLocation(time.DateOnly, v.text, zone)
	}
	year, month, day := now.In(zone).Date()
	return err == nil && (at.In(zone).Year() < earliest || !at.Before(time.Date(year, month, day+2, 0, 0, 0, 0, zone)))
}
