package sheet

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/quayside/quayside/internal/fault"
)

// The formats.
const (
	CSV    = "csv"
	NDJSON = "ndjson"
	JSON   = "json"
	XLSX   = "xlsx"
)

const (
	utf8Name    = "utf-8"
	utf16Name   = "utf-16"
	windows1252 = "windows-1252"
)

var utf8BOM = []byte("\xef\xbb\xbf")

// checkReading refuses a Reading that cannot be applied.
func (s *Source) checkReading() error {
	switch s.Format {
	case "", CSV, NDJSON, JSON, XLSX:
	case "tsv":
		s.Format, s.Delimiter = CSV, "\t"
	case "jsonl":
		s.Format = NDJSON
	default:
		return misused("format", "is csv, tsv, ndjson, json or xlsx, not %q", s.Format)
	}
	switch strings.ToLower(s.Delimiter) {
	case "tab", `\t`:
		s.Delimiter = "\t"
	}
	if r, size := utf8.DecodeRuneInString(s.Delimiter); s.Delimiter != "" &&
		(size != len(s.Delimiter) || strings.ContainsRune("\"\r\n\uFFFD", r)) {
		return misused("delimiter", "is one character, or tab, not %q", s.Delimiter)
	}
	if s.Empty != "" && s.Empty != "skip" && s.Empty != "null" {
		return misused("empty", "is skip or null, not %q", s.Empty)
	}
	if asked := s.Encoding; asked != "" && !s.setEncoding(asked) {
		return misused("encoding", "%q is not known; there are utf-8, utf-16, windows-1252, iso-8859-15 and their likes",
			asked)
	}
	return nil
}

// misused refuses one part of a Reading or a mapping. The message is printed after the part's
// name.
func misused(part, format string, args ...any) *fault.Error {
	refused := fault.InField(part, Misused, format, args...)
	refused.Kind = fault.BadRequest
	return refused
}

// setEncoding sets an encoding by any of its names.
func (s *Source) setEncoding(name string) bool {
	plain := normalise(name)
	switch plain {
	case "utf8":
		s.Encoding, s.charm = utf8Name, nil
		return true
	case "utf16", "utf16le":
		s.Encoding, s.charm = utf16Name, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
		return true
	case "cp1252", "latin1": // files labelled Latin-1 are nearly always this
		plain = "windows1252"
	}
	for _, known := range charmap.All {
		chart, ok := known.(*charmap.Charmap)
		if ok && normalise(chart.String()) == plain {
			s.Encoding, s.charm = strings.ReplaceAll(strings.ToLower(chart.String()), " ", "-"), chart
			return true
		}
	}
	return false
}

// recognise detects the file's properties from its beginning. more says that the file
// continues after the head.
func (s *Source) recognise(head []byte, more bool) error {
	if len(bytes.TrimSpace(bytes.TrimPrefix(head, utf8BOM))) == 0 && !more {
		return bad("%s is empty", s.Base())
	}
	if s.Encoding == "" {
		switch {
		case bytes.HasPrefix(head, utf8BOM):
			s.setEncoding(utf8Name)
		case bytes.HasPrefix(head, []byte{0xff, 0xfe}), bytes.HasPrefix(head, []byte{0xfe, 0xff}):
			s.setEncoding(utf16Name)
		}
	}
	if bytes.HasPrefix(head, []byte("\xd0\xcf\x11\xe0")) {
		return bad("%s is an old or an encrypted Excel workbook; save it as .xlsx without a password, or as CSV", s.Base())
	}
	if s.Format == "" {
		s.Format = formatOf(s.Name, head)
	}
	if s.Format == XLSX {
		return nil
	}
	if s.charm == nil && bytes.IndexByte(head, 0) >= 0 {
		return bad("%s is not text; CSV, NDJSON, JSON and XLSX can be read", s.Base())
	}
	text, _ := io.ReadAll(s.text(bytes.NewReader(head)))
	if s.Format != CSV && firstByte(text) == '[' {
		s.Format = JSON // whatever the name's extension
	}
	if s.Format == CSV && s.Delimiter == "" {
		s.Delimiter = delimiterOf(text, more)
	}
	return nil
}

// formatOf goes by the file's extension, or by its content if the extension is unknown. A
// workbook is always detected by its content, because people rename files.
func formatOf(name string, head []byte) string {
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		return XLSX
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	switch filepath.Ext(name) {
	case ".csv", ".tsv":
		return CSV
	case ".ndjson", ".jsonl":
		return NDJSON
	case ".json":
		return JSON
	}
	switch firstByte(bytes.TrimPrefix(head, utf8BOM)) {
	case '[':
		return JSON
	case '{':
		return NDJSON
	}
	return CSV
}

func firstByte(text []byte) byte {
	if text = bytes.TrimSpace(text); len(text) > 0 {
		return text[0]
	}
	return 0
}

// text decodes the content to UTF-8 without a byte order mark.
func (s *Source) text(content io.Reader) io.Reader {
	if s.charm != nil {
		return transform.NewReader(content, s.charm.NewDecoder())
	}
	// Not the decoder that replaces invalid bytes: a record that is not UTF-8 is refused, not
	// changed.
	return transform.NewReader(content, unicode.BOMOverride(encoding.Nop.NewDecoder()))
}

// startsUTF8 reports whether the sample is UTF-8, apart from a character cut off at its end.
func startsUTF8(sample []byte) bool {
	for cut := range min(utf8.UTFMax, len(sample)+1) {
		if utf8.Valid(sample[:len(sample)-cut]) {
			return true
		}
	}
	return false
}

// delimiterOf returns the delimiter that gives the first rows equally many cells, and the most
// of them.
func delimiterOf(sample []byte, more bool) string {
	if mark, ok := separatorLine(sample); ok {
		return mark
	}
	if last := bytes.LastIndexByte(sample, '\n'); more && last > 0 {
		sample = sample[:last]
	}
	best, most := ",", 1
	for _, candidate := range []string{",", ";", "\t", "|"} {
		if cells := agreedCells(sample, rune(candidate[0])); cells > most {
			best, most = candidate, cells
		}
	}
	if most > 1 {
		return best
	}
	// No delimiter gives equal rows: the header decides.
	header, _, _ := bytes.Cut(sample, []byte("\n"))
	for _, candidate := range []string{",", ";", "\t", "|"} {
		if cells := bytes.Count(header, []byte(candidate)) + 1; cells > most {
			best, most = candidate, cells
		}
	}
	return best
}

// agreedCells returns how many cells each of the first rows has, or 0 if they differ.
func agreedCells(sample []byte, delimiter rune) int {
	reader := csv.NewReader(bytes.NewReader(sample))
	reader.Comma, reader.FieldsPerRecord, reader.ReuseRecord = delimiter, -1, true
	cells := 0
	for range 20 {
		row, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || cells != 0 && len(row) != cells {
			return 0
		}
		cells = len(row)
	}
	return cells
}

// separatorLine reads the line "sep=;" that some spreadsheets write first.
func separatorLine(sample []byte) (string, bool) {
	line, _, _ := strings.Cut(string(sample), "\n")
	mark, ok := strings.CutPrefix(strings.TrimRight(line, "\r"), "sep=")
	return mark, ok && utf8.RuneCountInString(mark) == 1
}
