package push

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Record is one record of a file, with the names that the file uses.
type Record struct {
	Number int64 // from 1, in the order of the file
	Line   int   // where it starts in the file, if the format has lines
	Fields []Field
	Broken string // why it cannot be sent at all; empty when it can
	Raw    string // what stood in the file, when it is broken and small enough to show
}

// Field is one value of a record as JSON. Numbers of JSON files keep their spelling.
type Field struct {
	Name  string
	Value jsontext.Value
}

// quoted is text as a JSON value. Text that is not UTF-8 does not get here: readers
// call such a record broken.
func quoted(text string) jsontext.Value {
	value, _ := jsontext.AppendQuote(nil, text)
	return value
}

// object is the record as the endpoint gets it. The order of the fields is the file's,
// so that a record that is pushed again is the same bytes, and a refusal that repeats
// is counted instead of kept twice.
func object(fields []Field) []byte {
	body := []byte{'{'}
	for i, field := range fields {
		if i > 0 {
			body = append(body, ',')
		}
		body, _ = jsontext.AppendQuote(body, field.Name)
		body = append(body, ':')
		body = append(body, field.Value...)
	}
	return append(body, '}')
}

// ours says whether a field is push's own note on a rejected record and not the
// record's.
func ours(name string) bool { return strings.HasPrefix(name, "_") }

// keyOf is the value that the table will know the record by, or empty. Records with
// the same one must not overtake each other.
func keyOf(fields []Field, identity []string) string {
	for _, name := range identity {
		at := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
		if at < 0 {
			continue
		}
		if value := string(fields[at].Value); value != "null" && value != `""` {
			return name + "=" + strings.Trim(value, `"`) // 7 and "7" are one key
		}
	}
	return ""
}
