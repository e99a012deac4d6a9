package sheet

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
)

const (
	// mostCells is how many cells a row may have, as in Excel.
	mostCells = 16_384
	// mostTexts is how many shared texts a workbook may have.
	mostTexts = 1_000_000
	// longestToken limits a piece of XML: a text, a tag or a comment.
	longestToken = 1 << 20
)

// contents judges what a workbook contains before it is read: a row is kept in memory as a whole, and a cell may be a few
// bytes that stand for a long text which all cells share.
type contents struct {
	most   int64   // bytes of text in a row
	shared []int32 // bytes of each shared text
}

// check reads all parts to their ends, which verifies their checksums, and judges the rows in them: a workbook may call any part
// a sheet. A part that cannot be read as XML is a fault only where a sheet belongs; others are pictures, or in another encoding.
func (c *contents) check(parts []*zip.File) error {
	for _, texts := range []bool{true, false} {
		for _, part := range parts {
			if isStrings(part.Name) != texts {
				continue
			}
			if err := c.read(part, texts); err != nil {
				return fmt.Errorf("%s: %w", part.Name, err)
			}
		}
	}
	return nil
}

func (c *contents) read(part *zip.File, texts bool) error {
	content, err := part.Open()
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }()
	pieces := &guard{reader: content, most: longestToken}
	tokens := &pieceReader{xml.NewDecoder(pieces), pieces}
	if texts {
		err = c.readTexts(tokens)
	} else {
		err = c.readRows(tokens)
	}
	if err != nil && (texts || isSheet(part.Name) || !errors.Is(err, errNotXML)) {
		return err
	}
	_, err = io.Copy(io.Discard, content) //nolint:gosec // its size is limited, and it is discarded
	return err
}

// pieceReader reads the pieces of an XML part. io.EOF is its end.
type pieceReader struct {
	decoder *xml.Decoder
	guard   *guard
}

// errNotXML is in the error of a part that cannot be read to its end.
var errNotXML = errors.New("it is not XML")

func (r *pieceReader) next() (xml.Token, error) {
	r.guard.since = 0
	token, err := r.decoder.RawToken()
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return token, err
	case r.guard.since > r.guard.most:
		return nil, fmt.Errorf("%w: a text or a tag is longer than %d MiB", errNotXML, longestToken>>20)
	}
	return nil, fmt.Errorf("%w: %w", errNotXML, err)
}

// readTexts measures the shared texts.
func (c *contents) readTexts(pieces *pieceReader) error {
	size := int32(0)
	for {
		token, err := pieces.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local == "si" {
				size = 0
			}
		case xml.CharData:
			size += int32(len(token)) //nolint:gosec // the part is smaller
		case xml.EndElement:
			if token.Name.Local == "si" {
				if c.shared = append(c.shared, size); len(c.shared) > mostTexts {
					return fmt.Errorf("it has more than %d shared texts", mostTexts)
				}
			}
		}
	}
}

// readRows measures the rows.
func (c *contents) readRows(pieces *pieceReader) error {
	at := cell{most: c.most}
	for {
		token, err := pieces.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.StartElement:
			err = at.enter(token)
		case xml.CharData:
			err = at.add(token)
		case xml.EndElement:
			if token.Name.Local == "c" {
				err = at.leave(c.shared)
			}
		}
		if err != nil {
			return err
		}
	}
}

// cell is the cell of a sheet that is being read.
type cell struct {
	row, cells int
	column     string // as the cell says it; may be empty
	shares     bool   // its text is the number of a shared one
	text       []byte // of a cell that shares one
	size, most int64  // of the texts of the row
}

func (c *cell) enter(element xml.StartElement) error {
	switch element.Name.Local {
	case "row":
		c.row, c.cells, c.size = c.row+1, 0, 0
		if said, err := strconv.Atoi(attribute(element, "r")); err == nil {
			c.row = said
		}
	case "c":
		c.column, c.shares, c.text = strings.TrimRight(attribute(element, "r"), "0123456789"), attribute(element, "t") == "s", c.text[:0]
		if c.cells++; c.cells > mostCells {
			return fmt.Errorf("a row has more than %d cells", mostCells)
		}
	}
	return nil
}

func (c *cell) add(text xml.CharData) error {
	switch {
	case c.shares && len(c.text) < len("1000000000"):
		c.text = append(c.text, text...)
	case !c.shares:
		c.size += int64(len(text))
	}
	return c.judge()
}

// leave ends a cell.
func (c *cell) leave(shared []int32) error {
	if !c.shares {
		return nil
	}
	c.shares = false
	if number, err := strconv.Atoi(strings.TrimSpace(string(c.text))); err == nil && number >= 0 && number < len(shared) {
		c.size += int64(shared[number])
	}
	return c.judge()
}

func (c *cell) judge() error {
	if c.size <= c.most {
		return nil
	}
	column := c.column
	if column == "" {
		column, _ = excelize.ColumnNumberToName(max(c.cells, 1))
	}
	return fmt.Errorf("row %d has more than %d MiB of text up to its column %s", c.row, c.most>>20, column)
}

func attribute(element xml.StartElement, name string) string {
	for _, one := range element.Attr {
		if one.Name.Local == name {
			return one.Value
		}
	}
	return ""
}
