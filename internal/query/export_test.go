package query

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
)

func TestDefuse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "tea": "tea", "a=b": "a=b", " =1": " =1", "=1+1": "'=1+1", "+1+1": "'+1+1", "-1+1": "'-1+1",
		"@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t'=1", "\r=1": "'\r'=1", "\n=1": "'\n'=1",
		// Texts that another spreadsheet would split.
		"a;=1+1": "a;'=1+1", "a;;=1": "a;;'=1", "a\t@x": "a\t'@x", "a\n=1": "a\n'=1", "a\r\n+1": "a\r\n'+1",
		"10;-5": "10;'-5", "a; =1": "a;' =1", `a;"=1&"`: `a;'"=1&"`, "=1;=2": "'=1;'=2",
		"a;b": "a;b", "a\tb": "a\tb", "a;b=1": "a;b=1", "a;": "a;", "a,=1": "a,=1",
		"-5": "-5", "+5": "+5", "-1.50": "-1.50", "-.5e-3": "-.5e-3", "+49 30 1234567": "'+49 30 1234567", "-": "'-",
		"--": "'--", "-5\n": "'-5\n", "-2026-01-01": "'-2026-01-01", "=cmd|' /C calc'!A0": "'=cmd|' /C calc'!A0",
	} {
		require.Equal(t, want, defuse(text), "%q", text)
	}
}

// TestExport checks that an export is CSV that others can read, with the stored values cell by
// cell, in the order of the pages, and without formulas.
func TestExport(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	cells := []string{"=1+1", "+1", "-1", "@x", "a,b", "say \"hi\"", "two\nlines", "two\r\nlines", "", "ä€😀", "'", "\ttab",
		"-SUM(A1)", "a;=1+1", "a\t@x", `a;"=1+1&"`, "x\n=1", "plain"}
	for _, slug := range stored {
		for i, cell := range cells {
			st.write(slug, fmt.Sprintf(`{"external_id":"%02d","words":%q,"amount":"-%d.50","flag":true,"day":"2026-01-01","moment":"2026-01-01T10:00:00Z"}`, i, cell, i))
		}
		st.write(slug, `{"external_id":"99"}`)
		var file bytes.Buffer
		n, err := st.s.Export(t.Context(), st.by(), Request{ViewSlug: slug, SortBy: "amount", SortDesc: true,
			SelectFields: []string{"external_id", "words", "amount", "flag", "day", "moment"}, Limit: 1}, &file)
		require.NoError(t, err)
		require.Equal(t, int64(len(cells)+1), n)
		require.True(t, strings.HasPrefix(file.String(), "external_id,words,amount,flag,day,moment\r\n"))
		require.Contains(t, file.String(), "\"two\nlines\"", "a line's end within a cell stays as it was")
		require.Contains(t, file.String(), "\"two\r\nlines\"")
		for _, piece := range strings.FieldsFunc(file.String(),
			func(r rune) bool { return strings.ContainsRune(";\t\r\n", r) }) {
			require.NotRegexp(t, `^[" ]*[=+@-]`, piece, "a spreadsheet that splits otherwise would run this")
		}
		read, err := csv.NewReader(&file).ReadAll()
		require.NoError(t, err)
		for i, cell := range cells {
			want := strings.ReplaceAll(defuse(cell), "\r\n", "\n") // as encoding/csv reads them
			require.Equal(t, []string{fmt.Sprintf("%02d", i), want, fmt.Sprintf("-%d.50", i), "true", "2026-01-01",
				"2026-01-01T10:00:00Z"}, read[i+1])
			require.NotRegexp(t, `^[=@\t\r\n]|^[+-]\D`, read[i+1][1])
		}
		require.Equal(t, []string{"99", "", "", "", "", ""}, read[len(read)-1], "nothing to order by comes last")

		file.Reset()
		_, err = st.s.Export(t.Context(), st.by(),
			Request{ViewSlug: slug, SelectFields: []string{"words"}, Filters: []byte(`{"words":null}`)}, &file)
		require.NoError(t, err)
		require.Equal(t, "words\r\n\"\"\r\n\"\"\r\n", file.String(), "a line for every row, empty or not")
	}
	_, err := st.s.Export(t.Context(), st.by(), Request{ViewSlug: "gauges", SortBy: "nothing"}, io.Discard)
	require.True(t, fault.Is(err, fault.BadRequest))
}

// TestExportsAreFew checks that one tenant's exports do not take all connections: each holds one, even if
// nobody reads it.
func TestExportsAreFew(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.fill(5_000)
	request := Request{ViewSlug: "gauges"}
	share := int(st.db.Sizes().Files) / 2
	held, ended := make(chan struct{}), make(chan error, share)
	for range share {
		reader, writer := io.Pipe()
		go func() {
			_, err := st.s.Export(t.Context(), st.by(), request, writer)
			ended <- err
		}()
		_, err := reader.Read(make([]byte, 1)) // the export runs
		require.NoError(t, err)
		go func() {
			<-held
			_ = reader.CloseWithError(errHungUp)
		}()
	}
	_, err := st.s.Export(t.Context(), st.by(), request, io.Discard)
	require.True(t, fault.HasCode(err, "exports"), err)
	require.True(t, fault.Is(err, fault.Unavailable))
	var noted int
	require.NoError(t, st.admin.QueryRow(t.Context(), "SELECT count(*) FROM workspace.audit WHERE tenant_id = $1 AND action = 'table.exported'",
		st.tenant.ID).Scan(&noted))
	require.Equal(t, share, noted, "the audit has exports that were not made")
	_, err = st.s.Rows(t.Context(), st.by(), request)
	require.NoError(t, err, "pages do not wait for exports")
	close(held)
	for range share {
		require.ErrorIs(t, <-ended, errHungUp)
	}
	n, err := st.s.Export(t.Context(), st.by(), request, io.Discard)
	require.NoError(t, err)
	require.Equal(t, int64(5_000), n)
}

var errHungUp = errors.New("the reader hung up")

// slowReader reads in small pieces and samples the memory in use.
type slowReader struct {
	read           int64
	sips           int
	peak           uint64
	lines, defused int64
}

func (r *slowReader) Write(p []byte) (int, error) {
	for sip := range slices.Chunk(p, 4<<10) {
		runtime.Gosched()
		r.lines += int64(bytes.Count(sip, []byte("\n")))
	}
	r.defused += int64(bytes.Count(p, []byte("'")))
	if r.sips++; r.sips%64 == 0 {
		var memory runtime.MemStats
		runtime.GC() // count only live memory
		runtime.ReadMemStats(&memory)
		r.peak = max(r.peak, memory.HeapAlloc)
	}
	r.read += int64(len(p))
	return len(p), nil
}

// TestExportTakesConstantMemory exports 100,000 rows: the heap grows by far less than the
// file's size. It is not parallel because it measures the process.
func TestExportTakesConstantMemory(t *testing.T) { //nolint:paralleltest // it measures the process
	st := newStage(t)
	st.fillWith(100_000, "'=' || repeat('x', 400)") // rows of half a kilobyte, each with a formula
	for _, slug := range stored {
		runtime.GC()
		runtime.GC() // pools are emptied by the second collection
		var before runtime.MemStats
		runtime.ReadMemStats(&before)
		reader := &slowReader{}
		n, err := st.s.Export(t.Context(), st.by(), Request{ViewSlug: slug}, reader)
		require.NoError(t, err)
		require.Equal(t, int64(100_000), n)
		require.Equal(t, n+1, reader.lines)
		require.Equal(t, n, reader.defused)
		require.Greater(t, reader.read, int64(50_000_000))
		grown := int64(reader.peak) - int64(before.HeapAlloc)
		t.Logf("%s: %d rows, %.1f MB, the heap grew by %.1f MB", slug, n, float64(reader.read)/1e6, float64(grown)/1e6)
		require.Less(t, grown, int64(6<<20), "the file was collected in memory")
	}
}
