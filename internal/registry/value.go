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
	Number:   {"numeric", fmt.Sprintf("a number of at most %d digits, exponent within %d", MaxDigits, maxExponent), readNumber},
	Boolean:  {"boolean", "true or false", readBoolean},
	Date:     {"date", "a date such as 2026-03-14", readDate},
	Datetime: {"timestamptz", "a time such as 2026-03-14T09:30:00Z", readDatetime},
	UUID:     {"uuid", "a UUID", readUUID},
}

// Types are all the types.
func Types() []Type { return []Type{Text, Number, Boolean, Date, Datetime, UUID} }

// SQL is what PostgreSQL calls the type.
func (t Type) SQL() string { return types[t].sql }

// Expected is what a value of the type looks like, in words.
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

// readDate takes a timestamp's own calendar date, whatever its zone.
func readDate(text string, kind jsontext.Kind, _ *time.Location) (string, bool) {
	if kind != jsontext.KindString {
		return "", false
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil && day.Year() > 0 {
		return text, false
	}
	if at, ok := parseTimestamp(text); ok {
		return at.Format(time.DateOnly), true
	}
	return "", false
}

// readDatetime takes RFC 3339, a bare date as midnight in the workspace's zone, or
// epoch milliseconds. PostgreSQL keeps microseconds; more is cut and reported.
func readDatetime(text string, kind jsontext.Kind, zone *time.Location) (string, bool) {
	if kind == jsontext.KindString {
		if at, ok := parseTimestamp(text); ok {
			micros := at.Truncate(time.Microsecond)
			return micros.UTC().Format(time.RFC3339Nano), !micros.Equal(at)
		}
		if day, err := time.ParseInLocation(time.DateOnly, text, zone); err == nil && day.Year() > 0 {
			return day.UTC().Format(time.RFC3339Nano), true
		}
	}
	if kind == jsontext.KindNumber || len(text) >= epochDigits {
		millis, err := strconv.ParseInt(text, 10, 64)
		if at := time.UnixMilli(millis).UTC(); err == nil && at.Year() > 0 && at.Year() <= 9999 {
			return at.Format(time.RFC3339Nano), true
		}
	}
	return "", false
}

var timestampPattern = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// parseTimestamp reads RFC 3339 and nothing else; time.Parse alone is laxer.
func parseTimestamp(text string) (time.Time, bool) {
	if !timestampPattern.MatchString(text) {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339Nano, strings.ToUpper(text))
	utc := at.UTC().Year()
	return at, err == nil && utc > 0 && utc <= 9999
}

func readUUID(text string, kind jsontext.Kind, _ *time.Location) (string, bool) {
	id, err := uuid.Parse(text)
	if kind != jsontext.KindString || len(text) != 36 || err != nil {
		return "", false
	}
	return id.String(), id.String() != text
}
