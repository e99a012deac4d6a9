package sheet

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

const (
	// longestRecord limits the memory for one record if Limits sets no other limit: a quote
	// that is never closed would otherwise swallow the rest of the file.
	longestRecord = 16 << 20
	mostColumns   = 2000 // no table has nearly as many
	longestName   = 200  // of a column, in bytes; longer ones are cut
)

// csvReader reads CSV with a header. Values stay text, so that leading zeros survive; the
// endpoint coerces them.
type csvReader struct {
	io.Closer
	rows   *csv.Reader
	guard  *guard
	header []string
	nulls  bool // empty cells become null instead of being left out
	before int  // lines before the CSV
	count  int64
}

func newCSVReader(s *Source, guarded *guard, closer io.Closer) (*csvReader, error) {
	buffered := bufio.NewReaderSize(guarded, sampled)
	delimiter, _ := utf8.DecodeRuneInString(s.Delimiter)
	r := &csvReader{Closer: closer, rows: csv.NewReader(buffered), guard: guarded, nulls: s.Empty == "null"}
	if first, _ := buffered.Peek(len("sep=;\r\n")); len(first) > 0 {
		if _, ok := separatorLine(first); ok {
			_, _ = buffered.ReadString('\n')
			r.before = 1
		}
	}
	r.rows.Comma, r.rows.FieldsPerRecord, r.rows.ReuseRecord = delimiter, -1, true
	header, err := r.rows.Read()
	switch {
	case errors.Is(err, io.EOF):
		return nil, bad("%s is empty", s.Base())
	case guarded.broke():
		return nil, guarded.err
	case err != nil:
		return nil, bad("%s: the header cannot be read: %s", s.Base(), err)
	}
	r.header, err = columnNames(s, header)
	return r, err
}

// columnNames returns the names in a file's first row.
func columnNames(s *Source, header []string) ([]string, error) {
	if len(header) > mostColumns {
		return nil, bad("%s has %d columns; at most %d can be read. Is its first row the header?", s.Base(), len(header),
			mostColumns)
	}
	names := make([]string, 0, len(header))
	for _, name := range header {
		if name = strings.TrimSpace(name); len(name) > longestName {
			name = name[:longestName] + "…"
		}
		names = append(names, strings.ToValidUTF8(name, "\uFFFD"))
	}
	return names, nil
}

func (r *csvReader) Header() []string { return r.header }

func (r *csvReader) Next() (Record, error) {
	for empty := 0; ; {
		r.guard.since = 0
		cells, err := r.rows.Read()
		var syntax *csv.ParseError
		switch {
		case errors.As(err, &syntax):
			r.count++
			line := r.before + syntax.StartLine
			return Record{Number: r.count, Line: line,
				Broken: fmt.Sprintf("the row that starts on line %d is not CSV: %s", line, syntax.Err)}, nil
		case err != nil:
			return Record{}, err
		case blank(cells): // spreadsheets leave empty rows at the end
			if empty++; empty > mostEmpty {
				return Record{}, tooEmpty()
			}
			continue
		}
		r.count++
		line, _ := r.rows.FieldPos(0)
		line += r.before
		record := Record{Number: r.count, Line: line, Fields: cellFields(r.header, cells, r.nulls)}
		// A row of another length may be shifted, so that none of its values can be trusted.
		if len(cells) != len(r.header) && (len(cells) < len(r.header) || !blank(cells[len(r.header):])) {
			record.Broken = fmt.Sprintf("line %d has %d cells, the header has %d", line, len(cells), len(r.header))
		} else if !utf8.ValidString(strings.Join(cells, "")) {
			record.Broken = fmt.Sprintf("line %d is not UTF-8; "+
				"if the file is from a spreadsheet, its encoding is probably windows-1252", line)
		}
		if record.Broken != "" {
			record.Fields, record.Raw = nil, strings.ToValidUTF8(strings.Join(cells, string(r.rows.Comma)), "\uFFFD")
		}
		return record, nil
	}
}

// cellFields pairs a row with its header. Columns without a name cannot be sent.
func cellFields(header, cells []string, nulls bool) []Field {
	fields := make([]Field, 0, len(header))
	for i, name := range header {
		switch {
		case name == "":
		case i < len(cells) && cells[i] != "":
			fields = append(fields, Field{name, quoted(cells[i])})
		case nulls:
			fields = append(fields, Field{name, []byte("null")})
		}
	}
	return fields
}

// mostEmpty is how many empty rows may follow each other: reading them takes time, and gives nothing.
const mostEmpty = 100_000

func tooEmpty() error {
	return bad("more than %d empty rows follow each other; delete them, also those at the end", mostEmpty)
}

func blank(cells []string) bool {
	for _, cell := range cells {
		if strings.TrimSpace(cell) != "" {
			return false
		}
	}
	return true
}

// guard fails when one record takes more than most bytes; since is set to zero before each
// record. It keeps read errors apart from errors in the file.
type guard struct {
	reader io.Reader
	most   int64
	since  int64
	err    error
}

func (g *guard) Read(p []byte) (int, error) {
	if g.since > g.most {
		return 0, endless(g.most)
	}
	n, err := g.reader.Read(p)
	g.since += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		g.err = err
	}
	return n, err
}

// broke reports whether reading failed before the file's end.
func (g *guard) broke() bool { return g.err != nil }

func endless(most int64) error {
	return bad("a record is longer than %d MiB; is a quote or bracket left open?", most>>20)
}
