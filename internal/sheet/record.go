// Package sheet reads files of records (CSV, NDJSON, JSON, XLSX, gzipped or not) and maps
// their columns to a table's.
//
// It recognises what a file is and says so; it never guesses what a column means. What is
// wrong with one record makes that record broken, what is wrong with the file ends its
// reading. Records are streamed: but for XLSX, memory does not grow with the file. Whoever
// reads files of strangers sets Limits.
package sheet

import (
	"bytes"
	"encoding/json"
	"regexp"
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

// Object is the record as the endpoint gets it. The order of the fields is the file's,
// so that a record that is sent again is the same bytes, and a refusal that repeats
// is counted instead of kept twice.
func Object(fields []Field) []byte {
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

// IsNote says whether a field is a note on a rejected record and not the record's.
func IsNote(name string) bool { return strings.HasPrefix(name, "_") }

// Note is what is added to a record that was refused.
type Note struct {
	Record  int64  `json:"_record"`
	Line    int    `json:"_line,omitempty"`
	Status  int    `json:"_status,omitempty"` // absent: the record was not sent
	Error   string `json:"_error"`
	Request string `json:"_request_id,omitempty"`
	Raw     string `json:"_raw,omitempty"`
}

// Reject is a line of a file of rejects: the record as it was sent, so that it can be
// corrected and sent again, with notes whose names start with "_", which mappings leave
// out.
func Reject(body []byte, note Note) ([]byte, error) {
	added, err := json.Marshal(note)
	if err != nil {
		return nil, err
	}
	line := append([]byte{}, body[:len(body)-1]...)
	if !bytes.Equal(body, []byte("{}")) {
		line = append(line, ',')
	}
	return append(line, added[1:]...), nil
}

var (
	quotedValue = regexp.MustCompile(`"(?:[^"\\…]|\\.)*(?:"|…|$)`)
	received    = regexp.MustCompile(`, received .*$`)
	bounded     = regexp.MustCompile(`: \S+ is (below|above) `)
	mismatched  = regexp.MustCompile(`: .* is (not|too long:) `)
	epoch       = regexp.MustCompile(`: \S+ is \S+ in seconds but .*$`)
	place       = regexp.MustCompile(`^(line|element) \d+:? `)
	numbered    = regexp.MustCompile(`\d+ cells|line \d+`)
)

// Reason is a refusal's message without the values that tell its records apart. Of
// several things that are wrong the first counts, as it does in the service.
func Reason(message string) string {
	first, _, _ := strings.Cut(quotedValue.ReplaceAllString(message, "…"), "; ")
	first = received.ReplaceAllString(first, "")
	first = epoch.ReplaceAllString(first, ": … is a time in seconds or in milliseconds")
	first = bounded.ReplaceAllString(first, ": is $1 ")
	first = mismatched.ReplaceAllString(first, ": … is $1 ")
	first = place.ReplaceAllString(first, "")
	return numbered.ReplaceAllStringFunc(first, func(part string) string {
		if strings.HasPrefix(part, "line") {
			return "a line"
		}
		return "other cells"
	})
}

// KeyOf is the value that a table with this identity will know the record by, or empty.
// Records with the same one must not overtake each other.
func KeyOf(fields []Field, identity []string) string {
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
