package ingest

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/registry"
)

const (
	// MaxDigits is how many digits a number may have, leading zeros apart.
	MaxDigits = 38
	// MaxKeyLength is how many characters a value may have that an index holds.
	MaxKeyLength = 500
	maxExponent  = 308 // either way: jsonb would print 1e131071 in full
	epochDigits  = 12  // of milliseconds sent as text: fewer could be a date
	shownLength  = 60  // characters of a refused value in its message
)

// value is what a column will hold: text in the form that PostgreSQL reads for the
// column's type, or null.
type value struct {
	text string
	null bool
}

// coerce turns a sent value into the column's type. It reports whether the value
// was written differently from how it is stored, and refuses what cannot be read
// without guessing: nothing is ever turned into null or rounded to fit.
func coerce(column *registry.Column, sent jsontext.Value, zone *time.Location) (got value, coerced bool, refusal *fault.Field) {
	kind := sent.Kind()
	if kind == jsontext.KindNull {
		return value{null: true}, false, nil
	}
	text := string(sent)
	if kind == jsontext.KindString {
		unquoted, err := jsontext.AppendUnquote(nil, sent)
		if err != nil {
			return value{}, false, mismatch(column, sent)
		}
		text = string(unquoted)
		// A reference is text, but no record is called "".
		if text == "" && (column.Type != registry.Text || column.Reference != nil) {
			return value{null: true}, true, nil
		}
	}
	if strings.ContainsRune(text, 0) {
		return value{}, false, &fault.Field{Field: column.Name, Code: "nul", Message: column.Name + ": text may not contain the character U+0000"}
	}
	got.text, coerced = readers[column.Type](text, kind, zone)
	if got.text == "" && (column.Type != registry.Text || kind != jsontext.KindString) {
		return value{}, false, mismatch(column, sent)
	}
	return got, coerced, nil
}

// readers turn a text of a JSON kind into a type's canonical text. An empty answer
// refuses.
var readers = map[registry.Type]func(text string, kind jsontext.Kind, zone *time.Location) (canonical string, coerced bool){
	registry.Text:     readText,
	registry.Number:   readNumber,
	registry.Boolean:  readBoolean,
	registry.Date:     readDate,
	registry.Datetime: readDatetime,
	registry.UUID:     readUUID,
}

func readText(text string, kind jsontext.Kind, _ *time.Location) (string, bool) {
	if kind == jsontext.KindBeginObject || kind == jsontext.KindBeginArray {
		return "", false
	}
	return text, kind != jsontext.KindString // numbers and booleans in their JSON spelling
}

func readNumber(text string, kind jsontext.Kind, _ *time.Location) (string, bool) {
	if (kind == jsontext.KindNumber || kind == jsontext.KindString) && isDecimal(text) {
		return text, kind == jsontext.KindString
	}
	return "", false
}

// isDecimal accepts [+-]digits[.digits][e[+-]digits], with digits on at least one
// side of the point, within the bounds.
func isDecimal(text string) bool {
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

// checkRules refuses a value that its column's choices, range or length forbid.
func checkRules(column *registry.Column, got value, isKey bool) *fault.Field {
	switch {
	case got.null && !column.Nullable:
		return &fault.Field{Field: column.Name, Code: "required", Message: column.Name + ": may not be null"}
	case got.null:
		return nil
	case column.Choices != nil && !slices.Contains(column.Choices, got.text):
		return &fault.Field{Field: column.Name, Code: "choice", Message: fmt.Sprintf("%s: %s is not one of %s", column.Name, shorten(strconv.Quote(got.text)), strings.Join(column.Choices, ", "))}
	case isKey && utf8.RuneCountInString(got.text) > MaxKeyLength:
		return &fault.Field{Field: column.Name, Code: "too_long", Message: fmt.Sprintf("%s: longer than %d characters", column.Name, MaxKeyLength)}
	case column.Minimum != "" && (column.Minimum != "0" || got.text[0] == '-') && compare(got.text, column.Minimum) < 0:
		return &fault.Field{Field: column.Name, Code: "range", Message: fmt.Sprintf("%s: %s is below %s", column.Name, shorten(got.text), column.Minimum)}
	case column.Maximum != "" && compare(got.text, column.Maximum) > 0:
		return &fault.Field{Field: column.Name, Code: "range", Message: fmt.Sprintf("%s: %s is above %s", column.Name, shorten(got.text), column.Maximum)}
	}
	return nil
}

// compare orders two decimals that isDecimal has accepted.
func compare(a, b string) int {
	x, okX := new(big.Rat).SetString(a)
	y, okY := new(big.Rat).SetString(b)
	if !okX || !okY {
		return 0
	}
	return x.Cmp(y)
}

var expectations = map[registry.Type]string{
	registry.Text:     "text",
	registry.Number:   fmt.Sprintf("a number of at most %d digits, exponent within %d", MaxDigits, maxExponent),
	registry.Boolean:  "true or false",
	registry.Date:     "a date such as 2026-03-14",
	registry.Datetime: "a time such as 2026-03-14T09:30:00Z",
	registry.UUID:     "a UUID",
}

// mismatch names the field, what was received and what was expected.
func mismatch(column *registry.Column, sent jsontext.Value) *fault.Field {
	return &fault.Field{
		Field: column.Name, Code: "type",
		Message: fmt.Sprintf("%s: expected %s, received %s", column.Name, expectations[column.Type], shorten(string(sent))),
	}
}

// shorten keeps messages readable, and whole in UTF-8.
func shorten(text string) string {
	if utf8.RuneCountInString(text) <= shownLength {
		return text
	}
	return string([]rune(text)[:shownLength]) + "…"
}

// jsonNumber spells a decimal that isDecimal has accepted as JSON does: no plus, no
// superfluous zeros in front, digits on both sides of a point.
func jsonNumber(text string) string {
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
