package query

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quayside/quayside/internal/registry"
)

// printedTime is the form in which PostgreSQL prints a time in UTC.
const printedTime = "2006-01-02 15:04:05.999999-07"

// text formats a value for people: decimals in full, times as RFC 3339 in UTC, dates as ISO
// dates. A value in a generic table that is older than its column's type is returned
// unchanged.
func (f *Field) text(printed []byte) string {
	switch f.Type {
	case registry.Boolean:
		switch string(printed) {
		case "t":
			return "true"
		case "f":
			return "false"
		}
	case registry.Datetime:
		return timestamp(string(printed))
	case registry.Text, registry.Number, registry.Date, registry.UUID:
	}
	return string(printed)
}

// timestamp formats a time as RFC 3339.
func timestamp(printed string) string {
	for _, layout := range []string{printedTime, time.RFC3339Nano} {
		if at, err := time.Parse(layout, printed); err == nil {
			return at.UTC().Format(time.RFC3339Nano)
		}
	}
	return printed
}

// appendJSON appends a value as JSON. Decimals are strings, as everywhere in the API: a client
// that reads numbers as floats would change them.
func (f *Field) appendJSON(object, printed []byte) []byte {
	if printed == nil {
		return append(object, "null"...)
	}
	text := f.text(printed)
	if f.Type == registry.Boolean && (text == "true" || text == "false") {
		return append(object, text...)
	}
	return appendQuoted(object, text)
}

// appendQuoted appends a JSON string.
func appendQuoted(object []byte, text string) []byte {
	quoted, err := jsontext.AppendQuote(object, text)
	if err != nil { // not UTF-8, which PostgreSQL does not accept
		quoted, _ = jsontext.AppendQuote(object, strings.ToValidUTF8(text, "\uFFFD"))
	}
	return quoted
}
