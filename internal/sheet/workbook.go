package sheet

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"

	"github.com/xuri/excelize/v2"

	"github.com/quayside/quayside/internal/fault"
)

const (
	// partInMemory is how large a sheet may be before it is read from a temporary file.
	partInMemory = 4 << 20
	// largestPart limits the parts of a workbook that are parsed in memory, where they take
	// many times their size: the list of sheets, the styles.
	largestPart = 8 << 20
	// largestStrings limits the shared texts of a workbook, all of which are kept in memory.
	largestStrings = 32 << 20
)

// judgeBook refuses a workbook with a damaged part or invalid XML, which excelize would
// silently read only in part. It also reads the names of the sheets.
func (s *Source) judgeBook(content io.Reader) error {
	book, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	parts, err := s.parts(book)
	if err != nil {
		return err
	}
	if err := (&contents{most: s.longestRecord()}).check(parts.File); err != nil {
		return bad("%s: not readable as XLSX: %s", s.Base(), err)
	}
	opened, err := s.openBook(bytes.NewReader(book))
	if err != nil {
		return err
	}
	s.Sheets = opened.GetSheetList()
	return opened.Close()
}

// recoverPanics turns a panic of excelize into a bad-file error: excelize does not check that the
// parts to which a workbook refers exist.
func recoverPanics(call func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = bad("the workbook contradicts itself; save it again, or as CSV")
		}
	}()
	return call()
}

func isSheet(name string) bool {
	return strings.HasPrefix(strings.ToLower(strings.ReplaceAll(name, `\`, "/")), "xl/worksheets/sheet")
}

func isStrings(name string) bool {
	return strings.EqualFold(strings.ReplaceAll(name, `\`, "/"), "xl/sharedStrings.xml")
}

// parts opens the workbook's archive, and refuses it if it would unpack to too much. It checks
// the declared sizes; reading a part that is larger fails.
func (s *Source) parts(book []byte) (*zip.Reader, error) {
	parts, err := zip.NewReader(bytes.NewReader(book), int64(len(book)))
	if err != nil {
		return nil, bad("%s: not readable as XLSX: %s", s.Base(), err)
	}
	if s.limits.Unpacked == 0 {
		return parts, nil
	}
	most, left := uint64(s.limits.Unpacked), uint64(s.limits.Unpacked) //nolint:gosec // above zero
	for _, part := range parts.File {
		size := part.UncompressedSize64
		if size > left {
			return nil, fault.New(fault.TooLarge, "too_large",
				"%s is larger than %d MiB when it is unpacked; save the sheet as CSV, or split it", s.Base(), most>>20)
		}
		left -= size
		if most := largest(part.Name); most > 0 && size > most {
			return nil, fault.New(fault.TooLarge, "too_large", "%s: %s is larger than %d MiB; save the sheet as CSV", s.Base(),
				part.Name, most>>20)
		}
	}
	return parts, nil
}

// largest returns how large a part that is kept in memory may be, or 0 for other parts.
func largest(name string) uint64 {
	switch {
	case isStrings(name):
		return largestStrings
	case isSheet(name) || !strings.HasSuffix(strings.ToLower(name), ".xml") &&
		!strings.HasSuffix(strings.ToLower(name), ".rels"):
		return 0
	}
	return largestPart
}

// openBook opens a workbook within the limits.
func (s *Source) openBook(content io.Reader) (*excelize.File, error) {
	text, err := io.ReadAll(content)
	if err != nil {
		return nil, err
	}
	if _, err := s.parts(text); err != nil {
		return nil, err
	}
	var book *excelize.File
	err = recoverPanics(func() (err error) {
		if book, err = excelize.OpenReader(bytes.NewReader(text),
			excelize.Options{UnzipXMLSizeLimit: partInMemory}); err != nil {
			return bad("%s: not readable as XLSX: %s", s.Base(), err)
		}
		return nil
	})
	return book, err
}
