package ingest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quayside/quayside/internal/currency"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/registry"
)

const (
	// MaxDigits is how many digits a number may have, leading zeros apart.
	MaxDigits = registry.MaxDigits
	// MaxKeyLength is how many characters an identity or a reference may have.
	MaxKeyLength = registry.MaxKeyLength
)

// value is a column's value: text in PostgreSQL's input form of the column's type, or null.
type value struct {
	text string
	null bool
}

// coerce turns a sent value into the column's type. It reports whether the sent form
// differs from the stored one, and refuses ambiguous values and zero dates: it never rounds, and never
// turns an unreadable value into null. A zero date that can be read is returned with its refusal.
func coerce(column *registry.Column, sent jsontext.Value, zone *time.Location) (
	got value, coerced bool, refusal *fault.Field) {
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
		// No record and no currency is called "", so an empty reference or currency is null.
		if text == "" && (column.Type != registry.Text || column.Nullable &&
			(column.Reference != nil || column.Format != "")) {
			return value{null: true}, true, nil
		}
	}
	if strings.ContainsRune(text, 0) {
		return value{}, false, refuse(column, "nul", "text may not contain the character U+0000")
	}
	got.text, coerced = column.Type.Read(text, kind, zone)
	if zero, is := column.Type.ZeroTime(text, got.text); is {
		return got, coerced, refuseZero(column, zero)
	}
	if got.text == "" && (column.Type != registry.Text || kind != jsontext.KindString) {
		return value{}, false, mismatch(column, sent)
	}
	if column.Format == registry.Currency {
		if code, known := currency.Code(got.text); known {
			return value{text: code}, coerced || code != got.text, nil
		}
	}
	return got, coerced, nil
}

// checkRules refuses a value that its column's choices, range, length or form forbid.
func checkRules(column *registry.Column, got value) *fault.Field {
	switch {
	case got.null && !column.Nullable:
		return refuse(column, "required", "may not be null")
	case got.null:
		return nil
	case column.Choices != nil && !slices.Contains(column.Choices, got.text):
		return refuse(column, "choice", "%s is not one of %s", shownText(got), strings.Join(column.Choices, ", "))
	case column.MaxLength > 0 && len(got.text) > column.MaxLength && utf8.RuneCountInString(got.text) > column.MaxLength:
		return refuse(column, "too_long", "longer than %d characters", column.MaxLength)
	case column.Format == registry.Currency && !isCurrency(got.text):
		return refuse(column, "currency", "%s is not a currency code such as EUR", shownText(got))
	case registry.Below(got.text, column.Minimum):
		return refuse(column, "range", "%s is below %s", fault.Shorten(got.text), column.Minimum)
	case registry.Above(got.text, column.Maximum):
		return refuse(column, "range", "%s is above %s", fault.Shorten(got.text), column.Maximum)
	}
	return nil
}

// isBlank reports whether a value is empty text or white space.
func (v value) isBlank() bool { return !v.null && strings.TrimSpace(v.text) == "" }

func isCurrency(text string) bool {
	_, known := currency.Code(text)
	return known
}

func shownText(v value) string { return fault.Shorten(strconv.Quote(v.text)) }

// mismatch refuses a sent value that is not of the column's type.
func mismatch(column *registry.Column, sent jsontext.Value) *fault.Field {
	shown, text := fault.Shorten(string(sent)), strings.Trim(string(sent), `"`)
	if column.Type == registry.Number && registry.TooLongNumber(text) {
		return refuse(column, "type", "%s is too long: %s", shown, registry.NumberBounds)
	}
	if seconds, millis, ambiguous := registry.AmbiguousEpoch(text); ambiguous && column.Type == registry.Datetime {
		return refuse(column, "ambiguous_time",
			"%s is %s in seconds but %s in milliseconds (send milliseconds, or text such as %[2]s)",
			shown, seconds.Format(time.RFC3339), millis.Format(time.RFC3339Nano))
	}
	return refuse(column, "type", "%s is not %s", shown, column.Type.Expected())
}

// refuseZero refuses a date that programs send when they know none.
func refuseZero(column *registry.Column, zero string) *fault.Field {
	hint := "leave the field out, or send null, if the time is not known"
	if !column.Nullable {
		hint = "send the real time"
	}
	return refuse(column, "zero_date", "%s is a zero date: %s", fault.Shorten(zero), hint)
}

// refuse returns the refusal of a column's value. Its message begins with the column's name.
func refuse(column *registry.Column, code, format string, args ...any) *fault.Field {
	return &fault.Field{Field: column.Name, Code: code, Message: column.Name + ": " + fmt.Sprintf(format, args...)}
}
