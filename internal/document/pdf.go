package document

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
)

// Numbers of the objects that exist once per file. Each page adds two: itself and its content.
const (
	pageTree = iota + 1
	resources
	textFont
	glyphFont
	fontDescriptor
	toUnicode
	toGlyphs
	fontProgram
	pageCount
	information
	catalog
	firstPage
)

// file writes a PDF while its content is made. Each page is written when it is full; the parts
// that are known only at the end, such as the used characters and the number of pages, come
// last. Only the offset of a written page is kept.
type file struct {
	out      *bufio.Writer
	plain    bool // streams are not compressed
	written  int64
	offsets  []int64 // by object number
	pages    int
	font     *font
	used     [planeSize]bool
	packed   bytes.Buffer
	deflater *zlib.Writer
	err      error
}

func newFile(w io.Writer, plain bool) *file {
	f := &file{out: bufio.NewWriterSize(w, 64<<10), plain: plain, offsets: make([]int64, firstPage), font: loadSans()}
	f.deflater = zlib.NewWriter(&f.packed)
	// The second line marks the file as binary.
	f.printf("%%PDF-1.5\n%%\xe2\xe3\xcf\xd3\n")
	return f
}

func (f *file) printf(format string, args ...any) {
	if f.err == nil {
		var n int
		n, f.err = fmt.Fprintf(f.out, format, args...)
		f.written += int64(n)
	}
}

func (f *file) object(number int, format string, args ...any) {
	if more := number + 1 - len(f.offsets); more > 0 {
		f.offsets = append(f.offsets, make([]int64, more)...)
	}
	f.offsets[number] = f.written
	f.printf("%d 0 obj\n", number)
	f.printf(format, args...)
	f.printf("\nendobj\n")
}

// stream writes an object with content, compressed unless plain is set.
func (f *file) stream(number int, dictionary string, content []byte, plain bool) {
	if !plain {
		f.packed.Reset()
		f.deflater.Reset(&f.packed)
		_, _ = f.deflater.Write(content) // writing to a buffer never fails
		_ = f.deflater.Close()
		content, dictionary = f.packed.Bytes(), dictionary+" /Filter /FlateDecode"
	}
	f.object(number, "<<%s /Length %d>>\nstream\n%s\nendstream", dictionary, len(content), content)
}

// page writes a page.
func (f *file) page(content []byte) {
	number := firstPage + 2*f.pages
	f.pages++
	f.object(number, "<</Type /Page\n/Parent %d 0 R /Contents %d 0 R>>", pageTree, number+1)
	f.stream(number+1, "", content, f.plain)
}

// show returns the operand that shows a text. Characters are encoded as UTF-16, which toGlyphs
// and toUnicode translate.
func (f *file) show(text string) string {
	var out strings.Builder
	out.WriteByte('(')
	for _, char := range text {
		f.used[char] = true
		for _, code := range binary.BigEndian.AppendUint16(nil, uint16(char)) { //nolint:gosec // of the first plane
			switch code {
			case '\\', '(', ')':
				out.WriteByte('\\')
				out.WriteByte(code)
			case '\r':
				out.WriteString(`\r`)
			default:
				out.WriteByte(code)
			}
		}
	}
	out.WriteByte(')')
	return out.String()
}

// facts are the file's metadata.
type facts struct {
	title, author string
	at            time.Time
}

// close writes the parts that are known only at the end.
func (f *file) close(about facts) error {
	// Every page shows this object in its footer. The number of pages is known only now.
	total := fmt.Sprintf("BT /F1 %.2f Tf %s %s Tj ET", footerSize, muted, f.show(strconv.Itoa(f.pages)))
	f.stream(pageCount, fmt.Sprintf("/Type /XObject /Subtype /Form /BBox [0 -10 100 20] /Resources %d 0 R", resources),
		[]byte(total), f.plain)
	f.object(resources, "<</Font <</F1 %d 0 R>> /XObject <</Pages %d 0 R>>>>", textFont, pageCount)
	f.embedFont()
	var kids strings.Builder
	for page := range f.pages {
		fmt.Fprintf(&kids, "%d 0 R ", firstPage+2*page)
	}
	f.object(pageTree, "<</Type /Pages /Count %d /Resources %d 0 R /MediaBox [0 0 %.2f %.2f] /Kids [%s]>>",
		f.pages, resources, pageWidth*point, pageHeight*point, kids.String())
	day := about.at.UTC().Format("D:20060102150405Z")
	f.object(information, "<</Producer %s /Title %s /Author %s /CreationDate (%s) /ModDate (%s)>>",
		hexText("Quayside"), hexText(about.title), hexText(about.author), day, day)
	f.object(catalog, "<</Type /Catalog /Pages %d 0 R>>", pageTree)
	f.crossReference()
	if f.err != nil {
		return f.err
	}
	return f.out.Flush()
}

func (f *file) crossReference() {
	start, count := f.written, firstPage+2*f.pages
	f.printf("xref\n0 %d\n0000000000 65535 f \n", count)
	for number := 1; number < count; number++ {
		f.printf("%010d 00000 n \n", f.offsets[number])
	}
	f.printf("trailer\n<</Size %d /Root %d 0 R /Info %d 0 R>>\nstartxref\n%d\n%%%%EOF\n", count, catalog, information,
		start)
}

// toUnicodeMap declares that character codes are Unicode, so that readers can search and copy
// text.
const toUnicodeMap = `/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000> <FFFF>
endcodespacerange
1 beginbfrange
<0000> <FFFF> <0000>
endbfrange
endcmap
CMapName currentdict /CMap defineresource pop
end
end`

// embedFont writes the font, reduced to the used characters.
func (f *file) embedFont() {
	const name = "QUAYSD+DejaVuSansCondensed"
	var used []rune
	var widths strings.Builder
	translation := make([]byte, 2*planeSize)
	for char, shown := range f.used {
		if !shown {
			continue
		}
		glyph := f.font.glyphs[char]
		used = append(used, rune(char))
		binary.BigEndian.PutUint16(translation[2*char:], glyph)
		fmt.Fprintf(&widths, "%d [%d] ", char, f.font.widths[glyph])
	}
	f.object(textFont, "<</Type /Font /Subtype /Type0 /BaseFont /%s /Encoding /Identity-H /DescendantFonts [%d 0 R] /ToUnicode %d 0 R>>", name, glyphFont, toUnicode)
	f.object(glyphFont, "<</Type /Font /Subtype /CIDFontType2 /BaseFont /%s /CIDSystemInfo <</Registry (Adobe) /Ordering (Identity) /Supplement 0>> "+
		"/FontDescriptor %d 0 R /DW %d /W [%s] /CIDToGIDMap %d 0 R>>", name, fontDescriptor, f.font.widths[0],
		widths.String(), toGlyphs)
	head, heights := f.font.tables["head"], f.font.tables["hhea"]
	signed := func(table []byte, at int) int {
		return f.font.thousandths(int(int16(u16(table, at)))) //nolint:gosec // the font's numbers are signed
	}
	f.object(fontDescriptor,
		"<</Type /FontDescriptor /FontName /%s /Flags 4 /FontBBox [%d %d %d %d] /Ascent %d /Descent %d /CapHeight %d /ItalicAngle 0 /StemV 87 /FontFile2 %d 0 R>>",
		name, signed(head, 36), signed(head, 38), signed(head, 40), signed(head, 42), signed(heights, 4), signed(heights, 6),
		signed(heights, 4), fontProgram)
	f.stream(toUnicode, "", []byte(toUnicodeMap), f.plain)
	f.stream(toGlyphs, "", translation, false)
	program := f.font.subset(used)
	f.stream(fontProgram, fmt.Sprintf("/Length1 %d", len(program)), program, false)
}

// hexText returns a text as a hexadecimal string, for texts outside of pages.
func hexText(text string) string {
	codes := []byte{0xFE, 0xFF}
	for _, unit := range utf16.Encode([]rune(text)) {
		codes = binary.BigEndian.AppendUint16(codes, unit)
	}
	return "<" + hex.EncodeToString(codes) + ">"
}
