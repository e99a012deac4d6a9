// Package sheet reads files of records (CSV, NDJSON, JSON, XLSX, gzipped or not) and maps
// their columns to a table's.
//
// It detects a file's format and says so; it never guesses what a column means. An error in
// one record makes that record broken; an error in the file ends the reading. Records are
// streamed: except for XLSX, memory does not grow with the file. Set Limits to read files from
// strangers.
package sheet

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Record is one record of a file, with the file's column names.
type Record struct {
	Number int64 // from 1, in the order of the file
	Line   int   // first line in the file, if the format has lines
	Fields []Field
	Broken string            // why it cannot be sent; empty if it can
	Raw    string            // its text in the file, if it is broken and small enough to show
	Failed map[string]string // where fields are the errors of formulas: the cell, by column
}

// Field is one value of a record as JSON. Numbers of JSON files keep their spelling.
type Field struct {
	Name  string
	Value jsontext.Value
}

// quoted returns text as a JSON value. The text is UTF-8: readers call other records broken.
func quoted(text string) jsontext.Value {
	value, _ := jsontext.AppendQuote(nil, text)
	return value
}

// Object returns the record as it is sent. The fields keep the order of the file, so that a
// record that is sent again has the same bytes, and a repeated refusal is counted instead of
// stored twice.
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

// IsNote reports whether a field is a note on a rejected record instead of a value.
func IsNote(name string) bool { return strings.HasPrefix(name, "_") }

// Note is added to a record that was refused.
type Note struct {
	Record  int64  `json:"_record"`
	Line    int    `json:"_line,omitempty"`
	Status  int    `json:"_status,omitempty"` // absent: the record was not sent
	Error   string `json:"_error"`
	Request string `json:"_request_id,omitempty"`
	// Sequence orders the deliveries of the record. Absent: it was sent without.
	Sequence string `json:"_sequence,omitempty"`
	Raw      string `json:"_raw,omitempty"`
}

// Reject returns a line of a rejects file: the record as it was sent, so that it can be
// corrected and sent again, plus notes whose names start with "_", which mappings leave out.
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

// Reason returns a refusal's message without the values of the record, so that equal reasons
// can be counted. If several fields are wrong, the first counts, as in the service.
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

// KeyOf returns the value that identifies the record in a table with this identity, or nothing. Records with the same key must
// stay in order. Whichever field says it, a value names the same row; aliases say which row's a key became, as the table does.
func KeyOf(fields []Field, identity []string, aliases map[string]string) string {
	for i, name := range identity {
		at := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
		if at < 0 || fields[at].Value.Kind() == jsontext.KindNull {
			continue
		}
		key := string(fields[at].Value) // 7 and "7" are the same key
		if text, err := jsontext.AppendUnquote(nil, fields[at].Value); err == nil {
			key = string(text)
		}
		if key = strings.TrimSpace(key); key == "" {
			continue
		}
		if other, merged := aliases[key]; merged && i > 0 {
			return other
		}
		return key
	}
	return ""
}
