package query

import (
	"bufio"
	"context"
	"io"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg"
)

// exportBuffer is how much of an export is in memory. Nothing is sent before the first rows
// have filled it, so that most failures can still be answered with an error.
const exportBuffer = 64 << 10

// Export writes the rows that match a request's filters as CSV (RFC 4180, UTF-8, a header of
// field names), in the request's order, and returns their number. It holds a buffer and one
// row in memory. Limit and cursor are ignored. An error after the first write means that the
// file is incomplete.
func (s *Service) Export(ctx context.Context, by auth.Principal, request Request, w io.Writer) (
	exported int64, err error) {
	request.Limit, request.Cursor = 0, ""
	buffered := bufio.NewWriterSize(w, exportBuffer)
	err = s.reading(pg.ForFile(ctx), by, request, s.exportTimeout, func(tx pgx.Tx, p plan) (err error) {
		if err := s.noteExport(ctx, by, request, p); err != nil {
			return err
		}
		if p.access, err = p.gathering(ctx, tx, p.size()/gatherShare); err != nil {
			return err
		}
		stmt := p.all()
		rows, err := tx.Query(ctx, stmt.sql, stmt.parameters()...)
		if err != nil {
			return err
		}
		defer rows.Close()
		line := p.header(nil)
		pacer := s.cells.Pacer(pg.ForFile(ctx), by.Tenant)
		for {
			if err := pacer.Rest(ctx); err != nil {
				return err
			}
			if _, err := buffered.Write(line); err != nil {
				return err
			}
			if !rows.Next() {
				return rows.Err()
			}
			line = p.line(line[:0], rows.RawValues()[leadingColumns:])
			exported++
		}
	})
	if err != nil {
		return exported, err
	}
	return exported, buffered.Flush()
}

// noteExport records an export in the audit before its first row leaves, in a transaction of its own. The filters'
// values are left out, since they may be personal data.
func (s *Service) noteExport(ctx context.Context, by auth.Principal, request Request, p plan) error {
	fields := make([]string, len(p.fields))
	for i, field := range p.fields {
		fields[i] = field.Name
	}
	data := audit.Data{"fields": fields, "filtered": len(request.Filters) > 0 || request.Search != ""}
	return s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		return audit.Record(ctx, tx, by, "table.exported", request.ViewSlug, data)
	})
}

// header appends the header line.
func (p plan) header(line []byte) []byte {
	for i, field := range p.fields {
		line = appendCell(line, i, field.Name)
	}
	return append(line, "\r\n"...)
}

// line appends one row.
func (p plan) line(line []byte, values [][]byte) []byte {
	for i, field := range p.fields {
		line = appendCell(line, i, field.text(values[i]))
	}
	if len(p.fields) == 1 && len(line) == 0 {
		line = append(line, `""`...) // many readers skip an empty line
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

const (
	formulaStarts = "=+-@"
	// splitters are characters at which some spreadsheets, depending on language and
	// settings, begin another cell, even inside quotes.
	splitters = ";\t\r\n"
)

// defuse keeps a spreadsheet from running a cell as a formula. A text that looks like one gets
// an apostrophe in front, at the start and after every character at which a spreadsheet may
// split. Numbers stay as they are.
func defuse(text string) string {
	starts := text != "" && strings.IndexByte(formulaStarts+splitters, text[0]) >= 0
	if !starts && !strings.ContainsAny(text, splitters) || plainNumber.MatchString(text) {
		return text
	}
	var safe strings.Builder
	if starts {
		safe.WriteByte('\'')
	}
	for i, r := range text {
		safe.WriteRune(r)
		if strings.ContainsRune(splitters, r) {
			// A spreadsheet that splits here may drop quotes and spaces.
			rest := strings.TrimLeft(text[i+1:], "\" ")
			if rest != "" && strings.ContainsAny(rest[:1], formulaStarts) {
				safe.WriteByte('\'')
			}
		}
	}
	return safe.String()
}
