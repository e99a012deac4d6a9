package ingest

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/registry"
)

const (
	// MaxDigits is how many digits a number may have, leading zeros apart.
	MaxDigits = registry.MaxDigits
	// MaxKeyLength is how many characters a value may have that an index holds.
	MaxKeyLength = 500
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
	got.text, coerced = column.Type.Read(text, kind, zone)
	if got.text == "" && (column.Type != registry.Text || kind != jsontext.KindString) {
		return value{}, false, mismatch(column, sent)
	}
	return got, coerced, nil
}

// checkRules refuses a value that its column's choices, range or length forbid.
func checkRules(column *registry.Column, got value, isKey bool) *fault.Field {
	switch {
	case got.null && !column.Nullable:
		return &fault.Field{Field: column.Name, Code: "required", Message: column.Name + ": may not be null"}
	case got.null:
		return nil
	case column.Choices != nil && !slices.Contains(column.Choices, got.text):
		return &fault.Field{Field: column.Name, Code: "choice", Message: fmt.Sprintf("%s: %s is not one of %s", column.Name, fault.Shorten(strconv.Quote(got.text)), strings.Join(column.Choices, ", "))}
	case isKey && utf8.RuneCountInString(got.text) > MaxKeyLength:
		return &fault.Field{Field: column.Name, Code: "too_long", Message: fmt.Sprintf("%s: longer than %d characters", column.Name, MaxKeyLength)}
	case column.Minimum != "" && (column.Minimum != "0" || got.text[0] == '-') && compare(got.text, column.Minimum) < 0:
		return &fault.Field{Field: column.Name, Code: "range", Message: fmt.Sprintf("%s: %s is below %s", column.Name, fault.Shorten(got.text), column.Minimum)}
	case column.Maximum != "" && compare(got.text, column.Maximum) > 0:
		return &fault.Field{Field: column.Name, Code: "range", Message: fmt.Sprintf("%s: %s is above %s", column.Name, fault.Shorten(got.text), column.Maximum)}
	}
	return nil
}

// compare orders two decimals that registry.IsDecimal has accepted.
func compare(a, b string) int {
	x, okX := new(big.Rat).SetString(a)
	y, okY := new(big.Rat).SetString(b)
	if !okX || !okY {
		return 0
	}
	return x.Cmp(y)
}

// mismatch names the field, what was received and what was expected.
func mismatch(column *registry.Column, sent jsontext.Value) *fault.Field {
	return &fault.Field{
		Field: column.Name, Code: "type",
		Message: fmt.Sprintf("%s: expected %s, received %s", column.Name, column.Type.Expected(), fault.Shorten(string(sent))),
	}
}

// jsonNumber spells a decimal that registry.IsDecimal has accepted as JSON does: no plus, no
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
