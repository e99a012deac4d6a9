package sheet

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/quayside/quayside/internal/fault"
)

// strict are limits for files from strangers.
var strict = Limits{Inflated: 8 << 20, Unpacked: 8 << 20, Records: 1000, Record: 1 << 20}

// part is a file in an archive.
type part struct {
	name, content string
	claims        uint64 // declared size; 0: the true one
}

// archive packs the parts into a ZIP archive.
func archive(t *testing.T, parts ...part) []byte {
	t.Helper()
	var packed bytes.Buffer
	writer := zip.NewWriter(&packed)
	for _, p := range parts {
		into, err := writer.Create(p.name)
		require.NoError(t, err)
		_, err = io.WriteString(into, p.content)
		require.NoError(t, err)
	}
	require.NoError(t, writer.Close())
	for _, p := range parts {
		if p.claims == 0 {
			continue
		}
		// The archive again, with a false size.
		read, err := zip.NewReader(bytes.NewReader(packed.Bytes()), int64(packed.Len()))
		require.NoError(t, err)
		var forged bytes.Buffer
		writer := zip.NewWriter(&forged)
		for _, file := range read.File {
			header := file.FileHeader
			if header.Name == p.name {
				header.UncompressedSize64 = p.claims
			}
			raw, err := file.OpenRaw()
			require.NoError(t, err)
			into, err := writer.CreateRaw(&header)
			require.NoError(t, err)
			_, err = io.Copy(into, raw)
			require.NoError(t, err)
		}
		require.NoError(t, writer.Close())
		return forged.Bytes()
	}
	return packed.Bytes()
}

// workbook returns an XLSX file whose only sheet has these rows, in XML.
func workbook(t *testing.T, rows string, others ...part) []byte {
	t.Helper()
	const sheetName = "xl/worksheets/sheet1.xml"
	book := excelize.NewFile()
	var content bytes.Buffer
	require.NoError(t, book.Write(&content))
	read, err := zip.NewReader(bytes.NewReader(content.Bytes()), int64(content.Len()))
	require.NoError(t, err)
	var parts []part
	for _, file := range read.File {
		if file.Name == sheetName {
			continue
		}
		opened, err := file.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(opened)
		require.NoError(t, err)
		parts = append(parts, part{name: file.Name, content: string(text)})
	}
	sheet := part{name: sheetName,
		content: `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>` + rows + `</sheetData></worksheet>`}
	for _, other := range others {
		if other.name == sheetName {
			sheet.claims = other.claims
		} else {
			parts = append(parts, other)
		}
	}
	return archive(t, append(parts, sheet)...)
}

// lying returns a workbook whose styles refer to a fill that does not exist.
func lying(t *testing.T) []byte {
	t.Helper()
	read, err := zip.NewReader(bytes.NewReader(workbook(t, header)), int64(len(workbook(t, header))))
	require.NoError(t, err)
	var parts []part
	for _, file := range read.File {
		opened, err := file.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(opened)
		require.NoError(t, err)
		parts = append(parts, part{name: file.Name, content: strings.ReplaceAll(string(text), `fillId="0"`, `fillId="-1"`)})
	}
	return archive(t, parts...)
}

const header = `<row r="1"><c r="A1" t="inlineStr"><is><t>id</t></is></c><c r="B1" t="inlineStr"><is><t>sum</t></is></c></row>`

// TestHostileFiles reads files that nobody sends by accident. Each is refused with a message,
// before it costs more than the limits allow.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	padding := strings.Repeat(" ", 32<<20)
	for _, tt := range []struct {
		name, file string
		content    []byte
		says       string
		kind       fault.Kind
	}{
		{"a gzip bomb", "a.csv.gz", []byte(gzipped(t, "id\n1\n"+padding)), "larger than 8 MiB when it is decompressed",
			fault.TooLarge},
		{"a workbook that unpacks to too much", "a.xlsx", workbook(t, header+padding),
			"larger than 8 MiB when it is unpacked", fault.TooLarge},
		{"many parts that do together", "a.xlsx", workbook(t, header, part{name: "a.bin", content: padding[:5<<20]},
			part{name: "b.bin", content: padding[:5<<20]}), "when it is unpacked", fault.TooLarge},
		{"a workbook that says it is small", "a.xlsx", workbook(t, header+padding,
			part{name: "xl/worksheets/sheet1.xml", claims: 300}), "not readable as XLSX", fault.BadRequest},
		{"a gzipped workbook bomb", "a.xlsx.gz",
			[]byte(gzipped(t, string(workbook(t, header, part{name: "z.bin", content: padding})))), "unpacked", fault.TooLarge},
		{"a row with more cells than there are columns", "a.xlsx",
			workbook(t, header+`<row r="2">`+strings.Repeat("<c><v>1</v></c>", 20_000)+`</row>`), "more than 16384 cells",
			fault.BadRequest},
		{"a long text that every cell shares", "a.xlsx", workbook(t, header+`<row r="2"><c r="A2" t="s"><v>0</v></c></row><row r="3">`+
			strings.Repeat(`<c t="s"><v> 0 </v></c>`, 30)+`</row>`, texts(1, 50_000)), "row 3 has more than 1 MiB of text up to its column U",
			fault.BadRequest},
		{"a long text in a cell", "a.xlsx", workbook(t, header+`<row r="9"><c r="A9"><v>1</v></c><c r="C9" t="inlineStr"><is><t>`+
			strings.Repeat("x", 2<<20)+`</t></is></c></row>`), "row 9 has more than 1 MiB of text up to its column C", fault.BadRequest},
		{"a long tag", "a.xlsx", workbook(t, header+`<row r="9" spans="`+strings.Repeat("x", 2<<20)+`"/>`),
			"a text or a tag is longer than 1 MiB", fault.BadRequest},
		{"a cell of many pieces", "a.xlsx", workbook(t, header+`<row r="9"><c r="C9" t="inlineStr"><is>`+
			strings.Repeat("<r><t>"+strings.Repeat("x", 1000)+"</t></r>", 1100)+`</is></c></row>`),
			"row 9 has more than 1 MiB of text up to its column C", fault.BadRequest},
		{"a sheet by another name", "a.xlsx", workbook(t, header, part{name: "xl/media/image1.png", content: `<worksheet><sheetData><row r="2">` +
			strings.Repeat(`<c t="s"><v>0</v></c>`, 30) + `</row></sheetData></worksheet>`}, texts(1, 50_000)), "row 2 has more than 1 MiB",
			fault.BadRequest},
		{"more texts than anybody writes", "a.xlsx", workbook(t, header, texts(1_000_001, 0)), "more than 1000000 shared texts",
			fault.BadRequest},
		{"nothing but empty rows", "a.xlsx", workbook(t, header+strings.Repeat("<row/>", 100_001)+`<row><c><v>1</v></c></row>`),
			"more than 100000 empty rows follow each other", fault.BadRequest},
		{"nothing but empty lines", "a.csv", []byte("id,a\n" + strings.Repeat(",\n", 100_001) + "1,2\n"),
			"more than 100000 empty rows follow each other", fault.BadRequest},
		{"rows behind something that is no XML", "a.xlsx", workbook(t,
			header+`<row r="2"><c r="A2"><v>1</v></c></row>`+"\x01"+`<row r="3"><c r="A3"><v>2</v></c></row>`),
			"not readable as XLSX", fault.BadRequest},
		{"a workbook that refers to what it does not have", "a.xlsx", lying(t), "contradicts itself", fault.BadRequest},
		{"a million columns", "a.csv", []byte("id" + strings.Repeat(",a", 1_000_000) + "\n1\n"), "the header cannot be read",
			fault.BadRequest},
		{"2,001 columns", "a.csv", []byte("id" + strings.Repeat(",a", 2000) + "\n1\n"),
			"has 2001 columns; at most 2000 can be read", fault.BadRequest},
		{"a quote that is never closed", "a.csv", []byte("id\n\"" + padding[:4<<20]),
			"longer than 1 MiB; is a quote or bracket left open?", fault.BadRequest},
		{"a line without end", "a.ndjson", []byte(`{"id":"` + padding[:4<<20]), "longer than 1 MiB", fault.BadRequest},
		{"an element without end", "a.json", []byte(`[{"id":"` + padding[:4<<20]), "longer than 1 MiB", fault.BadRequest},
		{"an array that is never closed", "a.json", []byte(strings.Repeat("[", 1<<20)), "is not JSON", fault.BadRequest},
		{"too many records", "a.csv", []byte("id\n" + strings.Repeat("1\n", 1001)), "more than 1000 records", fault.TooLarge},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			source, err := Recognise(t.Context(), memory(tt.file, tt.content), Reading{}, strict)
			if err == nil {
				_, err = source.Survey(t.Context())
			}
			require.ErrorContains(t, err, tt.says)
			require.True(t, fault.Is(err, tt.kind), "%v", err)
			require.Less(t, len(err.Error()), 500)
		})
	}
}

// texts returns the shared texts of a workbook, each of a length.
func texts(count, length int) part {
	one := "<si/>"
	if length > 0 {
		one = "<si><t>" + strings.Repeat("x", length) + "</t></si>"
	}
	return part{name: "xl/sharedStrings.xml", content: "<sst>" + strings.Repeat(one, count) + "</sst>"}
}

// TestOtherParts reads workbooks with parts that are no sheets and no readable XML: pictures without a tag in a megabyte, and queries
// as a spreadsheet stores them, long and in UTF-16.
func TestOtherParts(t *testing.T) {
	t.Parallel()
	const encoded = `<?xml version="1.0" encoding="utf-16"?><DataMashup>`
	for name, content := range map[string]string{
		"xl/media/image1.bmp":  strings.Repeat("\x00", 3<<20),
		"xl/media/image2.bmp":  "BM" + strings.Repeat("\xff", 3<<20),
		"customXml/item1.xml":  encoded + strings.Repeat("UEsDBBQAAg", 300_000) + "</DataMashup>",
		"customXml/item2.xml":  "<text>" + strings.Repeat("x", 3<<20) + "</text>",
		"docProps/custom.html": "<p>no end",
	} {
		_, records := readAll(t, "a.xlsx", workbook(t, header+`<row r="2"><c r="A2"><v>7</v></c></row>`, part{name: name, content: content}), Reading{})
		require.Equal(t, []string{`{"id":"7"}`}, records, name)
	}
}

// TestErrorsOfFormulas breaks a row whose column has an error instead of a value, if the column is imported and nobody said
// what the error stands for.
func TestErrorsOfFormulas(t *testing.T) {
	t.Parallel()
	content := workbook(t, header+`<row r="2"><c r="A2"><v>1</v></c><c r="B2" t="e"><f>1/0</f><v>#DIV/0!</v></c></row>`+
		`<row r="3"><c r="A3"><v>2</v></c><c r="B3"><v>7</v></c></row>`)
	table := &Table{Slug: "sums", Columns: []Column{{Name: "id", Type: "text", Accepted: true}, {Name: "sum", Type: "text", Accepted: true}}}
	for name, c := range map[string]struct {
		chosen []Override
		sent   []string
	}{
		"imported":   {nil, []string{"cell B2 is the error #DIV/0!; correct its formula, or say what stands for it", `{"id":"2","sum":"7"}`}},
		"left out":   {[]Override{{From: "sum"}}, []string{`{"id":"1"}`, `{"id":"2"}`}},
		"said so":    {[]Override{{From: "sum", To: "sum", Values: []Replacement{{From: `"#DIV/0!"`, To: "null"}}}}, []string{`{"id":"1","sum":null}`, `{"id":"2","sum":"7"}`}},
		"by another": {[]Override{{From: "sum", To: "sum", Values: []Replacement{{From: `"#N/A"`, To: "null"}}}}, []string{"cell B2 is the error #DIV/0!; correct its formula, or say what stands for it", `{"id":"2","sum":"7"}`}},
	} {
		source, err := Recognise(t.Context(), memory("a.xlsx", content), Reading{}, strict)
		require.NoError(t, err)
		reader, err := source.Open(t.Context())
		require.NoError(t, err)
		mapping, err := NewMapping(table, reader.Header(), c.chosen)
		require.NoError(t, err)
		for _, want := range c.sent {
			record, err := reader.Next()
			require.NoError(t, err)
			sent := string(Object(mapping.Apply(&record)))
			if record.Broken != "" {
				require.Equal(t, `{"id":"1","sum":"#DIV/0!"}`, record.Raw)
				sent = record.Broken
			}
			require.Equal(t, want, sent, name)
		}
		require.NoError(t, reader.Close())
	}
}

func TestFormulasAreTheirValues(t *testing.T) {
	t.Parallel()
	content := workbook(t, header+`<row r="2"><c r="A2" t="inlineStr"><is><t>=1+1</t></is></c><c r="B2"><f>SUM(A1:A9)*HYPERLINK("http://x")</f><v>42</v></c></row>`+
		`<row r="3"><c r="A3" t="str"><f>A2</f><v>text</v></c><c r="B3"><f>NOW()</f></c></row>`)
	_, records := readAll(t, "a.xlsx", content, Reading{})
	require.Equal(t, []string{`{"id":"=1+1","sum":"42"}`, `{"id":"text"}`}, records)
}

func TestNamesWithoutEnd(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	for i := range 1200 {
		fmt.Fprintf(&lines, "{\"id\":%d,\"field %d\":1,%q:2}\n", i, i, strings.Repeat("n", 300))
	}
	source, err := Recognise(t.Context(), memory("a.ndjson", []byte(lines.String())), Reading{}, Limits{})
	require.NoError(t, err)
	found, err := source.Survey(t.Context())
	require.NoError(t, err)
	require.Equal(t, int64(1200), found.Total)
	require.Len(t, found.Names, 1000)
	require.True(t, found.More)

	// Names that all fit the same column refer to each other, and must not fill memory.
	var names []string
	for i := range mostColumns {
		names = append(names, "note"+strings.Repeat("!", i%100)+strings.Repeat("?", i/100))
	}
	m, err := NewMapping(orders, names, nil)
	require.NoError(t, err)
	for _, pair := range m.Pairs[1:] { // the first matches exactly
		require.Equal(t, Dropped, pair.How)
		require.Less(t, len(pair.Why), 5000)
	}
	_, err = NewMapping(orders, names, []Override{{From: "nope", To: "note"}})
	require.ErrorContains(t, err, "and 1980 more")
}

// TestTroubleIsNotTheFiles checks that a read error is returned as it is, not as an error in
// the file.
func TestTroubleIsNotTheFiles(t *testing.T) {
	t.Parallel()
	trouble := errors.New("the disk is away")
	packed := gzipped(t, strings.Repeat("id\n", 100_000))
	for name, content := range map[string]string{
		"a.csv": "id\n1\n2\n", "a.ndjson": "{\"id\":1}\n", "a.json": `[{"id":1},`, "a.csv.gz": packed[:len(packed)/2],
		"a.xlsx": "PK\x03\x04",
	} {
		opened := 0
		file := File{Name: name, Open: func(context.Context) (io.ReadCloser, error) {
			opened++
			return io.NopCloser(io.MultiReader(strings.NewReader(content), failing{trouble})), nil
		}}
		_, err := Recognise(t.Context(), file, Reading{}, strict)
		require.ErrorIs(t, err, trouble, name)

		source := &Source{Name: name, Reading: Reading{Format: strings.TrimSuffix(name[2:], ".gz"), Delimiter: ","},
			open: file.Open}
		_, err = source.Survey(t.Context())
		require.ErrorIs(t, err, trouble, name)
		require.Equal(t, 2, opened)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
