package unknown

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quayside/quayside/internal/registry"
)

// This file looks at names and values: what kind a value is of, how it is shown without saying what it is, and which
// names are counted.

// kind is what a value looks like: a registry.Type, or one of two more.
type kind string

const (
	nested kind = "nested" // an object or an array, which no column takes
	empty  kind = "empty"  // null, or an empty text
)

// kinds are all of them.
var kinds = []kind{
	kind(registry.Text), kind(registry.Number), kind(registry.Boolean), kind(registry.Date), kind(registry.Datetime),
	kind(registry.UUID), nested, empty,
}

const (
	// longestName is how many characters a name has that is counted by itself.
	longestName = 100
	// longestSample is how many characters of a value a sample shows.
	longestSample = 40
	// longestNumber is how many digits a text has that is taken for a number. Longer ones are mostly codes.
	longestNumber = 15
)

// kindOf returns what kind a sent value is of. Texts that only look like numbers are texts: 00042 is a code, and
// +49 30 a telephone number.
func kindOf(value jsontext.Value) kind {
	switch {
	case isOf(value, jsontext.KindNull):
		return empty
	case isOf(value, jsontext.KindBeginObject, jsontext.KindBeginArray):
		return nested
	case isOf(value, jsontext.KindTrue, jsontext.KindFalse):
		return kind(registry.Boolean)
	case isOf(value, jsontext.KindNumber):
		if isPlausible(string(value)) {
			return kind(registry.Number)
		}
		return kind(registry.Text)
	}
	text := textOf(value)
	if strings.TrimSpace(text) == "" {
		return empty
	}
	return kind(typeOfText(text))
}

func isOf(value jsontext.Value, kinds ...jsontext.Kind) bool {
	return slices.Contains(kinds, value.Kind())
}

func typeOfText(text string) registry.Type {
	reads := func(t registry.Type) bool {
		read, coerced := t.Read(text, jsontext.KindString, time.UTC)
		return read != "" && (!coerced || t == registry.UUID || t == registry.Boolean)
	}
	switch first := text[0]; {
	case len(text) == 36 && reads(registry.UUID):
		return registry.UUID
	case text == "true", text == "false":
		return registry.Boolean
	case first >= '0' && first <= '9' && reads(registry.Date):
		return registry.Date
	case first >= '0' && first <= '9' && strings.ContainsAny(text, "Tt") && looksLikeTime(text):
		return registry.Datetime
	case looksLikeNumber(text):
		return registry.Number
	}
	return registry.Text
}

func looksLikeTime(text string) bool {
	read, _ := registry.Datetime.Read(text, jsontext.KindString, time.UTC)
	return read != ""
}

// isPlausible reports whether a new column of numbers would take the number. Larger ones are mostly codes, and times in
// milliseconds.
func isPlausible(number string) bool {
	return registry.IsDecimal(number) && !registry.Below(number, registry.LeastNumber) && !registry.Above(number, registry.MostNumber)
}

// looksLikeNumber reports whether a text is a number as people write one: few digits, no needless zero in front.
func looksLikeNumber(text string) bool {
	if !isPlausible(text) {
		return false
	}
	digits := strings.TrimPrefix(text, "-")
	leading := len(digits) > 1 && digits[0] == '0' && digits[1] != '.'
	return digits[0] >= '0' && digits[0] <= '9' && !leading && len(digits) <= longestNumber && !strings.ContainsAny(digits, "eE")
}

// textOf returns the text of a JSON string.
func textOf(value jsontext.Value) string {
	text, err := jsontext.AppendUnquote(nil, value)
	if err != nil {
		return ""
	}
	return string(text)
}

// masked shows the shape of a value: letters become x or X, digits 9, and everything else but the usual signs a dot.
// It is empty for an empty value.
func masked(value jsontext.Value) string {
	switch {
	case isOf(value, jsontext.KindNull):
		return ""
	case isOf(value, jsontext.KindTrue, jsontext.KindFalse):
		return string(value)
	case isOf(value, jsontext.KindBeginObject):
		return "{…}"
	case isOf(value, jsontext.KindBeginArray):
		return "[…]"
	}
	text := string(value)
	if isOf(value, jsontext.KindString) {
		text = strings.TrimSpace(textOf(value))
	}
	var shape strings.Builder
	n := 0
	for _, r := range text {
		if n == longestSample-1 && utf8.RuneCountInString(text) > longestSample {
			shape.WriteRune('…')
			break
		}
		n++
		shape.WriteRune(mask(r))
	}
	return shape.String()
}

func mask(r rune) rune {
	switch {
	case unicode.IsUpper(r):
		return 'X'
	case unicode.IsLetter(r), unicode.IsMark(r):
		return 'x'
	case unicode.IsDigit(r), unicode.IsNumber(r):
		return '9'
	case r >= ' ' && r < unicode.MaxASCII:
		return r
	}
	return '·'
}

// countable reports whether a name is counted by itself: names that are long, empty or hold characters that nobody can
// see are not.
func countable(name string) bool {
	if len(name) > longestName*utf8.UTFMax || !utf8.ValidString(name) || utf8.RuneCountInString(name) > longestName {
		return false
	}
	hidden := func(r rune) bool { return !unicode.IsPrint(r) || unicode.Is(unicode.Bidi_Control, r) }
	return strings.TrimSpace(name) != "" && !strings.ContainsFunc(name, hidden)
}

// guess returns the type that fits every value, and none if no column can hold them. Text fits every value that is not
// nested.
func guess(counts map[kind]int64) (registry.Type, bool) {
	found := registry.Type("")
	for _, t := range registry.Types() {
		if counts[kind(t)] == 0 {
			continue
		}
		switch {
		case found == "":
			found = t
		case found == registry.Date && t == registry.Datetime: // a day is taken as its midnight
			found = registry.Datetime
		default:
			found = registry.Text
		}
	}
	if found == "" && counts[nested] > 0 {
		return "", false
	}
	if found == "" {
		found = registry.Text
	}
	return found, true
}

// longestColumn is how many characters a column's name has.
const longestColumn = 63

// columnFor suggests a column's name for a field: its own, if a column can have it. It is empty if the name has no
// Latin letter to begin with.
func columnFor(name string) string {
	suggested := registry.SlugOf(name, longestColumn)
	if registry.IsSystem(suggested) || suggested == "external_id" {
		return ""
	}
	return suggested
}
