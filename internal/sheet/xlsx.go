package sheet

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"
)

// sheetReader reads the rows of one sheet. The first row that is not empty names the columns.
type sheetReader struct {
	io.Closer
	book   *excelize.File
	rows   *excelize.Rows
	zone   *time.Location
	header []string
	nulls  bool
	count  int64
	row    int
}

func newSheetReader(s *Source, content io.Reader, closer io.Closer) (*sheetReader, error) {
	book, err := s.openBook(content)
	if err != nil {
		return nil, err
	}
	r := &sheetReader{Closer: closer, book: book, zone: s.Zone, nulls: s.Empty == "null"}
	if r.zone == nil {
		r.zone = time.Local
	}
	if err := recoverPanics(func() error { return r.begin(s) }); err != nil {
		_ = r.book.Close()
		return nil, err
	}
	return r, nil
}

// begin finds the sheet and reads its header.
func (r *sheetReader) begin(s *Source) (err error) {
	sheet := s.Sheet
	if sheet == "" {
		sheet = r.book.GetSheetName(0)
	}
	if err := plainFormats(r.book); err != nil {
		return bad("%s: not readable as XLSX: %s", s.Base(), err)
	}
	if r.rows, err = r.book.Rows(sheet); err != nil {
		return misused("sheet", "%q is none of %s; it has %s", sheet, s.Base(), listed(r.book.GetSheetList()))
	}
	header, err := r.nextCells()
	if err != nil && !ended(err) {
		return err
	}
	if err != nil {
		return bad("sheet %q of %s is empty", sheet, s.Base())
	}
	r.header, err = columnNames(s, header)
	return err
}

func (r *sheetReader) Header() []string { return r.header }

func (r *sheetReader) Close() error {
	_ = r.rows.Close()
	_ = r.book.Close() // removes its temporary files
	return r.Closer.Close()
}

func (r *sheetReader) Next() (Record, error) {
	cells, err := r.nextCells()
	if err != nil {
		return Record{}, err
	}
	for i, cell := range cells {
		cells[i] = r.plain(cell)
	}
	r.count++
	record := Record{Number: r.count, Line: r.row, Fields: cellFields(r.header, cells, r.nulls)}
	for i, name := range r.header[:min(len(r.header), len(cells))] {
		if isErrorCell(cells[i]) {
			record.fail(name, i, r.row)
		}
	}
	if len(cells) > len(r.header) && !blank(cells[len(r.header):]) {
		record.Fields, record.Raw = nil, strings.Join(cells, "\t")
		record.Broken = "the row has cells beyond the header's last column"
	}
	return record, nil
}

// fail notes that the value of a column is the error of a formula.
func (r *Record) fail(name string, at, row int) {
	if r.Failed == nil {
		r.Failed = map[string]string{}
	}
	column, _ := excelize.ColumnNumberToName(at + 1)
	r.Failed[name] = fmt.Sprintf("%s%d", column, row)
}

// isErrorCell reports whether a formula had no result.
func isErrorCell(cell string) bool {
	return strings.HasPrefix(cell, "#") && slices.Contains([]string{"#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NUM!",
		"#NULL!", "#SPILL!", "#CALC!", "#FIELD!", "#BLOCKED!", "#CONNECT!", "#UNKNOWN!", "#BUSY!", "#GETTING_DATA"}, cell)
}

// nextCells returns the next row that is not empty.
func (r *sheetReader) nextCells() (cells []string, err error) {
	err = recoverPanics(func() error {
		for empty := 0; r.rows.Next(); {
			r.row++
			if cells, err = r.rows.Columns(); err != nil || !blank(cells) {
				return err
			}
			if empty++; empty > mostEmpty {
				return tooEmpty()
			}
		}
		return cmp.Or(r.rows.Error(), io.EOF)
	})
	return cells, err
}

// stampFormat marks dates with a character that no cell begins with, so that plain can
// recognise them.
const (
	stampMark   = "\u2063"
	stampFormat = `"` + stampMark + `"yyyy-mm-dd"T"hh:mm:ss`
	stampLayout = stampMark + "2006-01-02T15:04:05"
)

// plain turns a marked date into ISO 8601: the date alone at midnight, otherwise the time in
// the zone, since a sheet has no zone and the endpoint requires one.
func (r *sheetReader) plain(cell string) string {
	at, err := time.ParseInLocation(stampLayout, cell, r.zone)
	switch {
	case err != nil:
		return strings.TrimPrefix(cell, stampMark)
	case at.Hour() == 0 && at.Minute() == 0 && at.Second() == 0:
		return at.Format(time.DateOnly)
	}
	return at.Format(time.RFC3339)
}

var (
	quotedPart = regexp.MustCompile(`"[^"]*"|\[[^\]]*\]|\\.`)
	datePart   = regexp.MustCompile(`[yYdD]|[mM]{3,}`)
	zeros      = regexp.MustCompile(`^0{2,255}$`)
)

// plainFormats makes the book print values without their display format: numbers without
// currency and grouping, dates in ISO 8601. Formats such as 00000 stay, because a sheet keeps
// leading zeros in them. The rows are streamed, so the styles are changed beforehand.
func plainFormats(book *excelize.File) error {
	if style, _ := book.GetStyle(0); style == nil || book.Styles == nil || book.Styles.CellXfs == nil {
		return nil // it has none
	}
	codes, err := formatCodes(book)
	if err != nil {
		return err
	}
	stamp, err := book.NewStyle(&excelize.Style{CustomNumFmt: new(string(stampFormat))})
	if err != nil {
		return err
	}
	formats := book.Styles.CellXfs.Xf
	general, dated := 0, formats[stamp].NumFmtID
	for i := range formats {
		if formats[i].NumFmtID == nil || i == stamp {
			continue
		}
		switch id := *formats[i].NumFmtID; {
		case isDate(id, codes[id]):
			formats[i].NumFmtID = dated
		case !zeros.MatchString(codes[id]):
			formats[i].NumFmtID = &general
		}
	}
	return nil
}

const (
	mostStyles  = 65_430 // as in Excel
	mostFormats = 5_000  // far more than Excel allows
)

// formatCodes returns the book's own number formats. Their number is limited because every
// cell is looked up in them.
func formatCodes(book *excelize.File) (map[int]string, error) {
	codes := map[int]string{}
	if len(book.Styles.CellXfs.Xf) > mostStyles {
		return nil, fmt.Errorf("it has more than %d styles", mostStyles)
	}
	if book.Styles.NumFmts == nil {
		return codes, nil
	}
	if len(book.Styles.NumFmts.NumFmt) > mostFormats {
		return nil, fmt.Errorf("it has more than %d number formats", mostFormats)
	}
	for _, format := range book.Styles.NumFmts.NumFmt {
		codes[format.NumFmtID] = format.FormatCode
	}
	return codes, nil
}

// isDate recognises built-in date formats by number and others by their letters.
func isDate(id int, code string) bool {
	if id >= 14 && id <= 17 || id == 22 || id >= 27 && id <= 31 || id == 36 || id >= 50 && id <= 58 {
		return true
	}
	return datePart.MatchString(quotedPart.ReplaceAllString(code, ""))
}
