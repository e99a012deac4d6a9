package sheet

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// memory returns a file in memory.
func memory(name string, content []byte) File {
	return File{Name: name, Open: func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content)), nil
	}}
}

// readAll reads a file and returns each record as JSON, or its error.
func readAll(t *testing.T, name string, content []byte, reading Reading) (source *Source, records []string) {
	t.Helper()
	source, err := Recognise(t.Context(), memory(name, content), reading, Limits{})
	require.NoError(t, err)
	return source, drain(t, source)
}

func drain(t *testing.T, source *Source) (records []string) {
	t.Helper()
	reader, err := source.Open(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, reader.Close()) }()
	for number := int64(1); ; number++ {
		record, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return records
		}
		require.NoError(t, err)
		require.Equal(t, number, record.Number)
		if record.Broken != "" {
			records = append(records, "broken: "+record.Broken)
		} else {
			records = append(records, string(Object(record.Fields)))
		}
	}
}

func encoded(t *testing.T, text string, with func(string) (string, error)) string {
	t.Helper()
	out, err := with(text)
	require.NoError(t, err)
	return out
}

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	_, err := writer.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	return packed.String()
}

func TestReaders(t *testing.T) {
	t.Parallel()
	ansi := charmap.Windows1252.NewEncoder().String
	wide := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String
	for _, tt := range []struct {
		name, file, content string
		reading             Reading
		want                []string
		describe            string
	}{
		{name: "comma", file: "a.csv", content: "id,name\n007,Tea\n8,\n",
			want: []string{`{"id":"007","name":"Tea"}`, `{"id":"8"}`}, describe: "CSV, comma"},
		{name: "byte order mark and CRLF", file: "a.csv", content: "\xef\xbb\xbfid,name\r\n1,Tea\r\n",
			want: []string{`{"id":"1","name":"Tea"}`}, describe: "CSV, comma"},
		{name: "semicolon with decimal commas", file: "a.csv", content: "id;price\n1;1,50\n2;2,50\n",
			want: []string{`{"id":"1","price":"1,50"}`, `{"id":"2","price":"2,50"}`}, describe: "CSV, semicolon"},
		{name: "tab", file: "a.txt", content: "id\tname\n1\tTea, green\n", want: []string{`{"id":"1","name":"Tea, green"}`},
			describe: "CSV, tab"},
		{name: "bar, told", file: "a.csv", content: "id|na,me\n1|Tea\n", reading: Reading{Delimiter: "|"},
			want: []string{`{"id":"1","na,me":"Tea"}`}, describe: "CSV, bar"},
		{name: "a spreadsheet's separator line", file: "a.csv", content: "sep=;\nid;a,b\n1;x\n",
			want: []string{`{"id":"1","a,b":"x"}`}, describe: "CSV, semicolon"},
		{name: "one column", file: "a.csv", content: "id\n1\n2\n", want: []string{`{"id":"1"}`, `{"id":"2"}`}},
		{name: "quoted newlines and quotes", file: "a.csv", content: "id,note\n1,\"two\nlines, \"\"so\"\"\"\n2,x\n",
			want: []string{`{"id":"1","note":"two\nlines, \"so\""}`, `{"id":"2","note":"x"}`}},
		{name: "Windows-1252", file: "a.csv", content: encoded(t, "id;name\n1;Müller – 5 €\n", ansi),
			want: []string{`{"id":"1","name":"Müller – 5 €"}`}, describe: "CSV, semicolon, windows-1252"},
		{name: "Windows-1252 far behind", file: "a.csv", content: encoded(t,
			"id,name\n"+strings.Repeat("1,x\n", 40000)+"2,é\n", ansi), describe: "CSV, comma, windows-1252"},
		{name: "UTF-16", file: "a.csv", content: encoded(t, "id\tname\n1\tMüller\n", wide),
			want: []string{`{"id":"1","name":"Müller"}`}, describe: "CSV, tab, utf-16"},
		{name: "an encoding that was told", file: "a.csv", content: "id,name\n1,\xa4\n",
			reading: Reading{Encoding: "ISO-8859-15"}, want: []string{`{"id":"1","name":"€"}`},
			describe: "CSV, comma, iso-8859-15"},
		{name: "empty cells as null", file: "a.csv", content: "id,name\n1,\n", reading: Reading{Empty: "null"},
			want: []string{`{"id":"1","name":null}`}},
		{name: "rows of nothing", file: "a.csv", content: "id,name\n1,a\n,\n\n2,b\n , \n",
			want: []string{`{"id":"1","name":"a"}`, `{"id":"2","name":"b"}`}},
		{
			name: "rows of another length", file: "a.csv", content: "id,name\n1,a\n2\n3,c,d\n4,d,\n",
			want: []string{`{"id":"1","name":"a"}`, "broken: line 3 has 1 cells, the header has 2",
				"broken: line 4 has 3 cells, the header has 2", `{"id":"4","name":"d"}`},
		},
		{
			name: "a stray quote", file: "a.csv", content: "id,name\n1,a\"b\n2,c\n",
			want: []string{"broken: the row that starts on line 2 is not CSV: bare \" in non-quoted-field",
				`{"id":"2","name":"c"}`},
		},
		{
			name: "NDJSON", file: "a.ndjson", content: "{\"id\":1.50,\"x\":null}\n\n  \n{\"id\":\"2\",\"deep\":{\"a\":[1, 2]}}",
			want: []string{`{"id":1.50,"x":null}`, `{"id":"2","deep":{"a":[1, 2]}}`}, describe: "NDJSON",
		},
		{
			name: "NDJSON with broken lines", file: "a.jsonl",
			content: "{\"id\":1}\n{\"id\":\n[1]\n{\"a\":1,\"a\":2}\n{} {}\n{\"id\":2}\n",
			want: []string{
				`{"id":1}`, `broken: line 2: not a JSON object: unexpected EOF within "/id" after offset 6`,
				"broken: line 3: not a JSON object",
				`broken: line 4: not a JSON object: duplicate object member name "a"`,
				"broken: line 5: something follows the object", `{"id":2}`,
			},
		},
		{name: "a JSON array", file: "a.json", content: "\xef\xbb\xbf [ {\"id\": 1},\n 7, {\"id\": 1e400}\n]\n",
			want: []string{`{"id":1}`, "broken: element 2: not a JSON object", `{"id":1e400}`}, describe: "JSON"},
		{name: "an empty array", file: "a.json", content: "[]", want: nil},
		{name: "one object over lines", file: "a.json", content: "{\n \"id\": 1\n}\n", want: []string{`{"id":1}`}},
		{name: "an array by its content", file: "data", content: `[{"id":1}]`, want: []string{`{"id":1}`}, describe: "JSON"},
		{name: "an array called NDJSON", file: "a.ndjson", content: `[{"id":1}]`, want: []string{`{"id":1}`},
			describe: "JSON"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			source, records := readAll(t, tt.file, []byte(tt.content), tt.reading)
			if tt.describe != "" {
				require.Equal(t, tt.describe, source.Describe())
			}
			if tt.name == "Windows-1252 far behind" {
				tt.want = slices.Concat(records[:40000], []string{`{"id":"2","name":"é"}`})
			}
			require.Equal(t, tt.want, records)

			// The same file compressed, under any name, and as a stream.
			packed := gzipped(t, tt.content)
			zipped, records := readAll(t, tt.file+".gz", []byte(packed), tt.reading)
			require.Equal(t, tt.want, records)
			require.True(t, zipped.Gzip)
			if tt.name == "Windows-1252 far behind" || filepath.Ext(tt.file) == ".json" &&
				!strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(tt.content, "\xef\xbb\xbf")), "[") {
				return // a stream has no name; only its beginning is examined
			}
			stream, err := RecogniseStream("-", strings.NewReader(packed), tt.reading)
			require.NoError(t, err)
			require.Equal(t, tt.want, drain(t, stream))
		})
	}
}

func TestStreamThatTurnsOutNotToBeUTF8(t *testing.T) {
	t.Parallel()
	content := "id,name\n" + strings.Repeat("1,x\n", 40000) + "2,\xe9\n"
	source, err := RecogniseStream("-", strings.NewReader(content), Reading{})
	require.NoError(t, err)
	records := drain(t, source)
	require.Contains(t, records[len(records)-1],
		"is not UTF-8; if the file is from a spreadsheet, its encoding is probably windows-1252")
}

func TestSheets(t *testing.T) {
	t.Parallel()
	book := excelize.NewFile()
	_, err := book.NewSheet("Second")
	require.NoError(t, err)
	money, err := book.NewStyle(&excelize.Style{NumFmt: 4})
	require.NoError(t, err)
	date, err := book.NewStyle(&excelize.Style{NumFmt: 14})
	require.NoError(t, err)
	moment, err := book.NewStyle(&excelize.Style{CustomNumFmt: new("dd.mm.yyyy hh:mm")})
	require.NoError(t, err)
	padded, err := book.NewStyle(&excelize.Style{CustomNumFmt: new("00000")})
	require.NoError(t, err)
	set := func(sheet, cell string, value any, style int) {
		require.NoError(t, book.SetCellValue(sheet, cell, value))
		require.NoError(t, book.SetCellStyle(sheet, cell, cell, style))
	}
	day := time.Date(2026, 3, 14, 0, 0, 0, 0, time.UTC)
	for i, name := range []string{" id ", "price", "day", "at", "zip", "ok", "text"} {
		set("Sheet1", string(rune('A'+i))+"2", name, 0) // the first row is empty
	}
	set("Sheet1", "A3", "007", 0)
	set("Sheet1", "B3", 1234.5, money)
	set("Sheet1", "C3", day, date)
	set("Sheet1", "D3", day.Add(9*time.Hour+30*time.Minute+15*time.Second), moment)
	set("Sheet1", "E3", 1234, padded)
	set("Sheet1", "F3", true, 0)
	set("Sheet1", "G3", "Müller", 0)
	set("Sheet1", "A5", 0.1+0.2, 0) // after an empty row
	set("Sheet1", "A6", "x", 0)
	set("Sheet1", "J6", "beyond", 0)
	set("Second", "A1", "id", 0)
	set("Second", "A2", 8, 0)
	var content bytes.Buffer
	require.NoError(t, book.Write(&content))

	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	source, records := readAll(t, "a.xlsx", content.Bytes(), Reading{Zone: berlin})
	require.Equal(t, []string{
		`{"id":"007","price":"1234.5","day":"2026-03-14","at":"2026-03-14T09:30:15+01:00","zip":"01234","ok":"TRUE","text":"Müller"}`,
		`{"id":"0.3"}`,
		"broken: the row has cells beyond the header's last column",
	}, records)
	require.Equal(t, "XLSX", source.Describe())
	_, records = readAll(t, "download", content.Bytes(), Reading{Sheet: "Second"})
	require.Equal(t, []string{`{"id":"8"}`}, records)

	stream, err := RecogniseStream("-", bytes.NewReader(content.Bytes()), Reading{Zone: berlin})
	require.NoError(t, err)
	require.Len(t, drain(t, stream), 3)

	source, err = Recognise(t.Context(), memory("a.xlsx", content.Bytes()), Reading{Sheet: "Third"}, Limits{})
	require.NoError(t, err)
	require.Equal(t, []string{"Sheet1", "Second"}, source.Sheets)
	_, err = source.Open(t.Context())
	require.ErrorContains(t, err, `"Third" is none of a.xlsx; it has Sheet1, Second`)
}

func TestFilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, content, says string
		reading             Reading
	}{
		{"empty.csv", "", "is empty", Reading{}},
		{"blank.csv", " \n\n", "is empty", Reading{}},
		{"picture.png", "\x89PNG\x00\x00", "is not text", Reading{}},
		{"old.xls", "\xd0\xcf\x11\xe0\xa1\xb1", "save it as .xlsx", Reading{}},
		{"a.xlsx", "PK\x03\x04nothing", "not readable as XLSX", Reading{}},
		{"a.csv", "id\n", "is csv, tsv", Reading{Format: "xml"}},
		{"a.csv", "id\n", "is one character", Reading{Delimiter: "::"}},
		{"a.csv", "id\n", "\"klingon\" is not known", Reading{Encoding: "klingon"}},
		{"a.csv", "id\n", "is skip or null", Reading{Empty: "zero"}},
		{"a.csv.gz", "\x1f\x8bnot", "not readable as gzip", Reading{}},
		{"cut.csv.gz", gzipped(t, strings.Repeat("id\n", 1000))[:20], "not readable as gzip", Reading{}},
	} {
		_, err := Recognise(t.Context(), memory(tt.name, []byte(tt.content)), tt.reading, Limits{})
		require.ErrorContains(t, err, tt.says, tt.name)
	}
	source, err := Recognise(t.Context(), memory("a.csv", []byte("id\n")), Reading{}, Limits{})
	require.NoError(t, err)
	_, err = source.Survey(t.Context())
	require.ErrorContains(t, err, "a.csv has no records")
	_, records := readAll(t, "a.xlsx", []byte("id,name\n1,a\n"), Reading{})
	require.Equal(t, []string{`{"id":"1","name":"a"}`}, records, "whatever it is called")

	// A quote that is never closed ends the reading before memory is full.
	source, err = RecogniseStream("-", io.MultiReader(strings.NewReader("id,name\n1,\""), unending{}), Reading{})
	require.NoError(t, err)
	reader, err := source.Open(t.Context())
	require.NoError(t, err)
	_, err = reader.Next()
	require.ErrorContains(t, err, "a record is longer than 16 MiB")

	// An array that breaks off ends the reading, too.
	for _, text := range []string{`[{"id":1},{"id`, `[{"id":1}`, `[{"id":1},`, `[{"id":1}} `} {
		source, err = RecogniseStream("-", strings.NewReader(text), Reading{})
		require.NoError(t, err)
		reader, err = source.Open(t.Context())
		require.NoError(t, err)
		_, err = reader.Next()
		require.NoError(t, err)
		_, err = reader.Next()
		require.ErrorContains(t, err, "is not JSON after record 1", text)
	}
}

type unending struct{}

func (unending) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}
