package sheet

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding/unicode"
)

// scripts are texts that a reader has to hand on as they are.
var scripts = []string{
	"Größe", "a\u0308", "茶", "🍵", "👩\u200d👩\u200d👧", "شاي", "a\u00a0b", "a\u200bb", "𠀀", "ﬁ", "İ", "\u202eabc", "'007", "x; y",
}

// TestTextsOfFiles writes the same texts into files of each kind.
func TestTextsOfFiles(t *testing.T) {
	t.Parallel()
	rows, lines, book := "text\n", "", excelize.NewFile()
	require.NoError(t, book.SetCellValue("Sheet1", "A1", "text"))
	want, objects := []string{}, []json.RawMessage{}
	for i, text := range scripts {
		rows += text + "\n"
		object := string(Object([]Field{{"text", quoted(text)}}))
		lines += object + "\n"
		want, objects = append(want, object), append(objects, json.RawMessage(object))
		cell, err := excelize.CoordinatesToCellName(1, i+2)
		require.NoError(t, err)
		require.NoError(t, book.SetCellValue("Sheet1", cell, text))
	}
	array, err := json.Marshal(objects)
	require.NoError(t, err)
	var sheet bytes.Buffer
	require.NoError(t, book.Write(&sheet))
	comma := Reading{Delimiter: ","}
	for name, file := range map[string]struct {
		content string
		reading Reading
	}{
		"utf-8.csv":    {rows, comma},
		"marked.csv":   {"\ufeff" + rows, comma},
		"utf-16le.csv": {encoded(t, rows, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String), comma},
		"utf-16be.csv": {encoded(t, rows, unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder().String), comma},
		"a.ndjson":     {lines, Reading{}},
		"a.json":       {string(array), Reading{}},
		"a.xlsx":       {sheet.String(), Reading{}},
	} {
		_, got := readAll(t, name, []byte(file.content), file.reading)
		require.Equal(t, want, got, name)
	}
}

// TestSampleEndsWithinACharacter examines the beginning of a stream and of a file, cut after each byte of a character.
func TestSampleEndsWithinACharacter(t *testing.T) {
	t.Parallel()
	for _, one := range []string{"ä", "茶", "🍵"} {
		for cut := range len(one) {
			stream, err := RecogniseStream("-", io.MultiReader(strings.NewReader("id,name\n1,"+one[:cut]), strings.NewReader(one[cut:]+"\n")), Reading{})
			require.NoError(t, err)
			require.Equal(t, "CSV, comma", stream.Describe(), "%d bytes of %q", cut, one)
			require.Equal(t, []string{`{"id":"1","name":"` + one + `"}`}, drain(t, stream))

			rows := "id,text\n1," + strings.Repeat("x", sampled-len("id,text\n1,")-cut) + one + "\n"
			source, records := readAll(t, "a.csv", []byte(rows), Reading{})
			require.Equal(t, "CSV, comma", source.Describe(), "%d bytes of %q", cut, one)
			require.Len(t, records, 1)
			require.True(t, strings.HasSuffix(records[0], one+`"}`), "%d bytes of %q", cut, one)
		}
	}
}

// TestHeadersInOtherScripts reads names of columns as people write them, with all kinds of space around them.
func TestHeadersInOtherScripts(t *testing.T) {
	t.Parallel()
	_, records := readAll(t, "a.csv", []byte("\u00a0Größe ,茶,a\u0308\u3000\n1,2,3\n"), Reading{})
	require.Equal(t, []string{`{"Größe":"1","茶":"2","a` + "\u0308" + `":"3"}`}, records)
}
