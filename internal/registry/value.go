package registry

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
)

// This file defines the values of a type: how they are read from JSON, to be stored or
// compared, and their type in PostgreSQL.

const (
	// MaxDigits is how many digits a number may have, without leading zeros.
	MaxDigits   = 38
	maxExponent = 308 // in both directions: jsonb would print 1e131071 in full
	epochDigits = 12  // least digits of epoch milliseconds sent as text: fewer could be a date
)

// typeRules are the properties of a type.
type typeRules struct {
	sql      string
	expected string
	read     func(text string, kind jsontext.Kind, zone *time.Location) (canonical string, coerced bool)
}

var types = map[Type]typeRules{
	Text:     {"text", "text", readText},
	Number:   {"numeric", "a number", readNumber},
	Boolean:  {"boolean", "true or false", readBoolean},
	Date:     {"date", "a date such as 2026-03-14", readDate},
	Datetime: {"timestamptz", "a time such as 2026-03-14T09:30:00Z", readDatetime},
	UUID:     {"uuid", "a UUID", readUUID},
}

// Types returns all types.
func Types() []Type { return []Type{Text, Number, Boolean, Date, Datetime, UUID} }

// SQL returns the type's name in PostgreSQL.
func (t Type) SQL() string { return types[t].sql }

// Expected describes a value of the type, in words that follow "expected" or "is not".
func (t Type) Expected() string { return types[t].expected }

// Read turns the text of a JSON value into the type's canonical text, which PostgreSQL reads,
// and reports whether that changed it. An empty result means that the text is refused, unless
// the text is empty itself.
func (t Type) Read(text string, kind jsontext.Kind, zone *time.Location) (canonical string, coerced bool) {
	return types[t].read(text, kind, zone)
}

func readText(text string, kind jsontext.Kind, _ *time.Location) (string, bool) {
	if kind == jsontext.KindBeginObject || kind == jsontext.KindBeginArray {
		return "", false
	}
	return text, kind != jsontext.KindString // numbers and booleans keep their JSON spelling
}

func readNumber(text string, kind jsontext.Kind, _ *time.Location) (string, bool) {
	if (kind == jsontext.KindNumber || kind == jsontext.KindString) && IsDecimal(text) {
		return text, kind == jsontext.KindString
	}
	return "", false
}

// TooLongNumber reports whether text is written as a number, but has too many digits or too
// large an exponent.
func TooLongNumber(text string) bool { return numberPattern.MatchString(text) && !IsDecimal(text) }

// NumberBounds says what TooLongNumber refuses.
var NumberBounds = fmt.Sprintf("a number has at most %d digits and an exponent within %d", MaxDigits, maxExponent)

var numberPattern = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$`)

// IsDecimal accepts [+-]digits[.digits][e[+-]digits], with digits on at least one side of the
// point, within the limits.
func IsDecimal(text string) bool {
	mantissa, exponent, hasExponent := strings.Cut(strings.ToLower(text), "e")
	if hasExponent {
		n, err := strconv.Atoi(exponent)
		if err != nil || n > maxExponent || n < -maxExponent {
			return false
		}
	}
	if mantissa != "" && (mantissa[0] == '-' || mantissa[0] == '+') {
		mantissa = mantissa[1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	if digits == "" {
		return false
	}
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(strings.TrimLeft(digits, "0")) <= MaxDigits && len(digits) <= 2*maxExponent
}

// JSONNumber turns a decimal that IsDecimal has accepted into a JSON number: no
// plus sign, no leading zeros, digits on both sides of the point.
func JSONNumber(text string) string {
	mantissa, exponent, hasExponent := strings.Cut(strings.ToLower(text), "e")
	sign := ""
	if strings.HasPrefix(mantissa, "-") {
		sign = "-"
	}
	whole, fraction, _ := strings.Cut(strings.TrimLeft(mantissa, "+-"), ".")
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	number := sign + whole
	if fraction != "" {
		number += "." + fraction
	}
	if hasExponent {
		number += "e" + exponent
	}
	return number
}

func readBoolean(text string, kind jsontext.Kind, _ *time.Location) (string, bool) {
	switch {
	case kind == jsontext.KindTrue, kind == jsontext.KindFalse:
		return text, false
	case kind == jsontext.KindString && (text == "true" || text == "false"):
		return text, true
	case kind == jsontext.KindNumber && text == "1":
		return "true", true
	case kind == jsontext.KindNumber && text == "0":
		return "false", true
	}
	return "", false
}

// inRange reports whether the year of a time has four digits or fewer, as PostgreSQL and all
// readers can write it.
func inRange(at time.Time) bool { return at.Year() > 0 && at.Year() <= 9999 }

// readDate takes a timestamp's own calendar date, whatever its zone.
func readDate(text string, kind jsontext.Kind, _ *time.Location) (string, bool) {
	if kind != jsontext.KindString {
		return "", false
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil && inRange(day) {
		return text, false
	}
	if at, ok := parseTimestamp(text); ok && inRange(at) {
		return at.Format(time.DateOnly), true
	}
	return "", false
}

// readDatetime takes RFC 3339, a bare date as midnight in the workspace's zone, or
// epoch milliseconds, unless they are AmbiguousEpoch. PostgreSQL keeps microseconds; more is
// cut and reported.
func readDatetime(text string, kind jsontext.Kind, zone *time.Location) (string, bool) {
	if kind == jsontext.KindString {
		if at, ok := parseTimestamp(text); ok {
			micros := at.Truncate(time.Microsecond)
			return micros.UTC().Format(time.RFC3339Nano), !micros.Equal(at)
		}
		if day, err := time.ParseInLocation(time.DateOnly, text, zone); err == nil && inRange(day.UTC()) {
			return day.UTC().Format(time.RFC3339Nano), true
		}
	}
	if kind != jsontext.KindNumber && len(text) < epochDigits {
		return "", false
	}
	millis, err := strconv.ParseInt(text, 10, 64)
	if _, _, ambiguous := AmbiguousEpoch(text); ambiguous || err != nil || !inRange(time.UnixMilli(millis).UTC()) {
		return "", false
	}
	return time.UnixMilli(millis).UTC().Format(time.RFC3339Nano), true
}

// AmbiguousEpoch reads digits as a time since 1970, in seconds and in milliseconds. They are
// ambiguous if milliseconds give 1970 and seconds a later year until 2100: most often, seconds
// were sent instead of milliseconds.
func AmbiguousEpoch(text string) (seconds, millis time.Time, ambiguous bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, time.Time{}, false
	}
	seconds, millis = time.Unix(n, 0).UTC(), time.UnixMilli(n).UTC()
	return seconds, millis, millis.Year() == 1970 && seconds.Year() > 1970 && seconds.Year() <= 2100
}

var timestampPattern = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// parseTimestamp reads RFC 3339 only; time.Parse accepts more.
func parseTimestamp(text string) (time.Time, bool) {
	if !timestampPattern.MatchString(text) {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339Nano, strings.ToUpper(text))
	return at, err == nil && inRange(at.UTC())
}

// ReadTimestamp reads a time as RFC 3339 writes it, and nothing else.
func ReadTimestamp(text string) (time.Time, bool) { return parseTimestamp(text) }

func readUUID(text string, kind jsontext.Kind, _ *time.Location) (string, bool) {
	id, err := uuid.Parse(text)
	if kind != jsontext.KindString || len(text) != 36 || err != nil {
		return "", false
	}
	return id.String(), id.String() != text
}
