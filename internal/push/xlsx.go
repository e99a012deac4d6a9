package push

import (
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/quayside/quayside/internal/fault"
)

// sheetReader reads the rows of one sheet. Its first row that is not empty names the
// columns.
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
	book, err := excelize.OpenReader(content)
	if err != nil {
		return nil, fault.New(fault.BadRequest, "file", "%s: not readable as XLSX: %s", s.Base(), err)
	}
	r := &sheetReader{Closer: closer, book: book, zone: s.Zone, nulls: s.Empty == "null"}
	if r.zone == nil {
		r.zone = time.Local
	}
	sheet := s.Sheet
	if sheet == "" {
		sheet = book.GetSheetName(0)
	}
	plainFormats(book)
	if r.rows, err = book.Rows(sheet); err != nil {
		_ = book.Close()
		return nil, fault.New(fault.BadRequest, Misused, "%s has no sheet %q; it has %s", s.Base(), sheet, strings.Join(book.GetSheetList(), ", "))
	}
	header, err := r.nextCells()
	if err != nil {
		_ = book.Close()
		return nil, fault.New(fault.BadRequest, "file", "sheet %q of %s is empty", sheet, s.Base())
	}
	for _, name := range header {
		r.header = append(r.header, strings.TrimSpace(name))
	}
	return r, nil
}

func (r *sheetReader) Header() []string { return r.header }

func (r *sheetReader) Close() error {
	_ = r.rows.Close()
	_ = r.book.Close()
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
	if len(cells) > len(r.header) && !blank(cells[len(r.header):]) {
		record.Fields, record.Raw = nil, strings.Join(cells, "\t")
		record.Broken = "the row has cells beyond the header's last column"
	}
	return record, nil
}

// nextCells is the next row that is not empty.
func (r *sheetReader) nextCells() ([]string, error) {
	for r.rows.Next() {
		r.row++
		cells, err := r.rows.Columns()
		if err != nil {
			return nil, err
		}
		if !blank(cells) {
			return cells, nil
		}
	}
	if err := r.rows.Error(); err != nil {
		return nil, err
	}
	return nil, io.EOF
}

// stampFormat marks dates with a sign that no cell begins with by itself, so that
// plain knows them again.
const (
	stampMark   = "\u2063"
	stampFormat = `"` + stampMark + `"yyyy-mm-dd"T"hh:mm:ss`
	stampLayout = stampMark + "2006-01-02T15:04:05"
)

// plain turns a marked date into ISO 8601: the date alone at midnight, else the time in
// the zone, because a sheet has no zone and the endpoint wants one.
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
	zeros      = regexp.MustCompile(`^0{2,}$`)
)

// plainFormats makes the book show values, not looks: numbers without currency and
// grouping, dates in ISO. Formats such as 00000 stay, because they are how a sheet keeps
// leading zeros. The rows are streamed, so this is done to the styles beforehand.
func plainFormats(book *excelize.File) {
	if _, err := book.GetStyle(0); err != nil || book.Styles == nil || book.Styles.CellXfs == nil {
		return
	}
	stamp, err := book.NewStyle(&excelize.Style{CustomNumFmt: new(string(stampFormat))})
	if err != nil {
		return
	}
	formats := book.Styles.CellXfs.Xf
	general, dated := 0, formats[stamp].NumFmtID
	for i := range formats {
		if formats[i].NumFmtID == nil || i == stamp {
			continue
		}
		switch id, code := *formats[i].NumFmtID, formatCode(book, i); {
		case isDate(id, code):
			formats[i].NumFmtID = dated
		case !zeros.MatchString(code):
			formats[i].NumFmtID = &general
		}
	}
}

func formatCode(book *excelize.File, style int) string {
	if found, err := book.GetStyle(style); err == nil && found.CustomNumFmt != nil {
		return *found.CustomNumFmt
	}
	return ""
}

// isDate knows the built-in date formats by number and others by their letters.
func isDate(id int, code string) bool {
	if id >= 14 && id <= 17 || id == 22 || id >= 27 && id <= 31 || id == 36 || id >= 50 && id <= 58 {
		return true
	}
	return datePart.MatchString(quotedPart.ReplaceAllString(code, ""))
}
