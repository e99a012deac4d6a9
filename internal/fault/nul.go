package fault

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// CheckText refuses text that PostgreSQL cannot store: broken UTF-8, and the character
// zero (NUL).
func CheckText(field, text string) error {
	switch {
	case strings.ContainsRune(text, 0):
		return nul(field)
	case !utf8.ValidString(text):
		return InField(field, "nul", "%s: the text is not valid UTF-8", Shorten(field))
	}
	return nil
}

// CheckJSON refuses a JSON text that holds the character zero in a name or a value, at any
// depth. A text that is not JSON passes: its decoder reports that.
func CheckJSON(text []byte) error {
	if !bytes.Contains(text, []byte(`\u0000`)) {
		return nil // a bare zero byte is not JSON
	}
	decoder := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true))
	for {
		token, err := decoder.ReadToken()
		if err != nil { // the end of the text, or a syntax error
			return nil //nolint:nilerr // the text's decoder reports syntax errors
		}
		if token.Kind() == jsontext.KindString && strings.ContainsRune(token.String(), 0) {
			return nul(strings.TrimPrefix(string(decoder.StackPointer()), "/"))
		}
	}
}

func nul(field string) error {
	field = strings.ReplaceAll(field, "\x00", "\uFFFD")
	if field == "" {
		return New(Invalid, "nul", "the text holds the character zero (NUL), which cannot be stored")
	}
	return InField(field, "nul", "%s: the text holds the character zero (NUL), which cannot be stored", Shorten(field))
}
