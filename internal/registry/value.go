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

// This file says what a value of a type is: how it is read from JSON, by whoever stores
// it and by whoever looks for it, and what PostgreSQL calls its type.

const (
	// MaxDigits is how many digits a number may have, leading zeros apart.
	MaxDigits   = 38
	maxExponent = 308 // either way: jsonb would print 1e131071 in full
	epochDigits = 12  // of milliseconds sent as text: fewer could be a date
)

// typeRules is everything that is said of a type.
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

// Types are all the types.
func Types() []Type { return []Type{Text, Number, Boolean, Date, Datetime, UUID} }

// SQL is what PostgreSQL calls the type.
func (t Type) SQL() string { return types[t].sql }

// Expected is what a value of the type is, in words that follow "expected" or "is not".
func (t Type) Expected() string { return types[t].expected }

// Read turns a text of a JSON kind into the type's canonical text, which PostgreSQL
// reads, and says whether that is another form. An empty answer refuses, but for a text
// that is empty.
func (t Type) Read(text string, kind jsontext.Kind, zone *time.Location) (canonical string, coerced bool) {
	return types[t].read(text, kind, zone)
}

func readText(text string, kind jsontext.Kind, _ *time.Location) (string, bool) {
	if kind == jsontext.KindBeginObject || kind == jsontext.KindBeginArray {
		return "", false
	}
	return text, kind != jsontext.KindString // numbers and booleans in their JSON spelling
}

func readNumber(text string, kind jsontext.Kind, _ *time.Location) (string, bool) {
	if (kind == jsontext.KindNumber || kind == jsontext.KindString) && IsDecimal(text) {
		return text, kind == jsontext.KindString
	}
	return "", false
}

// TooLongNumber says whether text is written as a number is, but has more digits or a larger
// exponent than a number may have.
func TooLongNumber(text string) bool { return numberPattern.MatchString(text) && !IsDecimal(text) }

// NumberBounds says what TooLongNumber refuses, in words.
var NumberBounds = fmt.Sprintf("a number has at most %d digits and an exponent within %d", MaxDigits, maxExponent)

var numberPattern = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$`)

// IsDecimal accepts [+-]digits[.digits][e[+-]digits], with digits on at least one
// side of the point, within the bounds.
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

// inRange says whether a time is one that PostgreSQL and everybody who reads it can write
// with four digits for the year.
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
// ambiguous when milliseconds make it 1970 and seconds a later year until 2100: most often,
// seconds were sent for milliseconds.
func AmbiguousEpoch(text string) (seconds, millis time.Time, ambiguous bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, time.Time{}, false
	}
	seconds, millis = time.Unix(n, 0).UTC(), time.UnixMilli(n).UTC()
	return seconds, millis, millis.Year() == 1970 && seconds.Year() > 1970 && seconds.Year() <= 2100
}

var timestampPattern = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// parseTimestamp reads RFC 3339 and nothing else; time.Parse alone is laxer.
func parseTimestamp(text string) (time.Time, bool) {
	if !timestampPattern.MatchString(text) {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339Nano, strings.ToUpper(text))
	return at, err == nil && inRange(at.UTC())
}

func readUUID(text string, kind jsontext.Kind, _ *time.Location) (string, bool) {
	id, err := uuid.Parse(text)
	if kind != jsontext.KindString || len(text) != 36 || err != nil {
		return "", false
	}
	return id.String(), id.String() != text
}
