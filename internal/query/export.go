package query

import (
	"bufio"
	"context"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
)

// exportBuffer is how much of an export is in memory. Nothing is written before the
// first rows have filled it, so that most failures are still an answer of their own.
const exportBuffer = 64 << 10

// Export writes the rows that a request's filters let through as CSV (RFC 4180, UTF-8, a
// header of field names), in the request's order, and returns how many there were. It
// holds a buffer and one row, however many there are. Limit and cursor do not matter. An
// error after something was written means that the file is not whole.
func (s *Service) Export(ctx context.Context, by auth.Principal, request Request, w io.Writer) (exported int64, err error) {
	select {
	case s.exports <- struct{}{}:
		defer func() { <-s.exports }()
	default:
		return 0, fault.New(fault.Unavailable, "exports", "other exports are under way; try again in a moment").After(10 * time.Second)
	}
	request.Limit, request.Cursor = 0, ""
	buffered := bufio.NewWriterSize(w, exportBuffer)
	err = s.reading(ctx, by, request, s.exportTimeout, func(tx pgx.Tx, p plan) error {
		stmt := p.all()
		rows, err := tx.Query(ctx, stmt.sql, stmt.parameters()...)
		if err != nil {
			return err
		}
		defer rows.Close()
		line := p.header(nil)
		for {
			if _, err := buffered.Write(line); err != nil {
				return err
			}
			if !rows.Next() {
				return rows.Err()
			}
			line = p.line(line[:0], rows.RawValues()[leading:])
			exported++
		}
	})
	if err != nil {
		return exported, err
	}
	return exported, buffered.Flush()
}

// header is the file's first line.
func (p plan) header(line []byte) []byte {
	for i, field := range p.fields {
		line = appendCell(line, i, field.Name)
	}
	return append(line, "\r\n"...)
}

// line is one row.
func (p plan) line(line []byte, values [][]byte) []byte {
	for i, field := range p.fields {
		line = appendCell(line, i, field.text(values[i]))
	}
	if len(p.fields) == 1 && len(line) == 0 {
		line = append(line, `""`...) // an empty line is none to many readers
	}
	return append(line, "\r\n"...)
}

func appendCell(line []byte, position int, text string) []byte {
	if position > 0 {
		line = append(line, ',')
	}
	text = defuse(text)
	if !strings.ContainsAny(text, "\",\r\n") {
		return append(line, text...)
	}
	line = append(line, '"')
	line = append(line, strings.ReplaceAll(text, `"`, `""`)...)
	return append(line, '"')
}

var plainNumber = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$`)

// defuse keeps a spreadsheet from running a cell that somebody sent us: text that it would
// take for a formula gets an apostrophe in front. A number is a number.
func defuse(text string) string {
	if text == "" || !strings.ContainsRune("=+-@\t\r\n", rune(text[0])) || plainNumber.MatchString(text) {
		return text
	}
	return "'" + text
}
