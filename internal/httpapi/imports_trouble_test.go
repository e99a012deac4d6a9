package httpapi_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"hash/crc32"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/app"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// suppliers returns a file with this many records; every tenth is refused.
func suppliers(count int) string {
	var file strings.Builder
	file.WriteString("external_id,name,lead_time_days\n")
	for i := range count {
		days := "7"
		if i%10 == 9 {
			days = "soon"
		}
		fmt.Fprintf(&file, "S%d,Supplier %d,%s\n", i, i, days)
	}
	return file.String()
}

// again runs the job of an import once more, as another process would.
func (w *world) again() {
	w.t.Helper()
	w.exec("INSERT INTO river.river_job (kind, args, max_attempts) SELECT DISTINCT kind, args, max_attempts FROM river.river_job WHERE kind = 'file_import'")
}

// TestImportSurvives resets an import to states in which a process could have died.
func TestImportSurvives(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		before string // how the database looked when it died
		counts [6]int64
	}{
		{
			"in a batch, before its note: the batch is sent again, and counts as unchanged",
			`UPDATE workspace.imports SET status = 'running', finished_at = NULL, position = 200, ahead = '{}', notes = 1, created = 180, unchanged = 0, refused = 20;
			 DELETE FROM workspace.import_rejects WHERE record > 200;
			 DELETE FROM workspace.failed_imports WHERE substr(record_key, 2)::int >= 200`,
			[6]int64{250, 180, 0, 45, 25, 0},
		},
		{
			"after the last note: nothing is sent again",
			"UPDATE workspace.imports SET status = 'running', finished_at = NULL",
			[6]int64{250, 225, 0, 0, 25, 0},
		},
		{
			"with a few records of a batch not done: only they are sent",
			`UPDATE workspace.imports SET status = 'running', finished_at = NULL, position = 2, ahead = ARRAY(SELECT generate_series(5, 250)), created = 223;
			 DELETE FROM workspace.suppliers WHERE external_id IN ('S2', 'S3')`,
			[6]int64{250, 225, 0, 0, 25, 0},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.work()
			q := w.quay(auth.Buyer)
			one := q.receive("a.csv", suppliers(250))
			w.exec("CREATE TABLE workspace.kept AS SELECT * FROM workspace.import_chunks")
			q.start(one.ID)
			require.Equal(t, [6]int64{250, 225, 0, 0, 25, 0}, q.ended(one.ID).counts())
			w.exec("INSERT INTO workspace.import_chunks SELECT * FROM workspace.kept")
			for statement := range strings.SplitSeq(tt.before, ";") {
				w.exec(statement)
			}
			w.again()
			ended := q.ended(one.ID)
			require.Equal(t, "done", ended.Status, ended.Message)
			require.Equal(t, tt.counts, ended.counts())
			require.Equal(t, []string{"1 | 225"}, w.read("workspace.suppliers GROUP BY version", "version, count(*)", "1"))
			require.Equal(t, []string{"1 | 25"}, w.read("workspace.failed_imports GROUP BY seen", "seen, count(*)", "1"),
				"no dead letter twice")
			require.Len(t, q.rejects(one.ID), 25)
			require.Empty(t, w.read("workspace.import_chunks", "n", "1"))
		})
	}
}

// TestImportByTwoAtOnce has several processes work on one import: each result is counted once.
func TestImportByTwoAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.quay(auth.Buyer)
	one := q.receive("a.csv", suppliers(2000))
	q.start(one.ID)
	w.again()
	w.again()
	w.work()
	w.work() // as another instance would
	ended := q.ended(one.ID)
	require.Equal(t, "done", ended.Status, ended.Message)
	require.Equal(t, int64(2000), ended.Done)
	require.Equal(t, int64(200), ended.Refused)
	require.Equal(t, int64(1800), ended.Created+ended.Unchanged)
	require.Equal(t, []string{"1 | 1800"}, w.read("workspace.suppliers GROUP BY version", "version, count(*)", "1"))
	require.Equal(t, []string{"1 | 200"}, w.read("workspace.failed_imports GROUP BY seen", "seen, count(*)", "1"))
	require.Len(t, q.rejects(one.ID), 200)
}

// TestImportIntoAFullService has the write path refuse most records at first: the import takes
// longer and loses nothing.
func TestImportIntoAFullService(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cfg := app.Config{DatabaseURL: w.db.ServiceURL, BaseURL: "https://quay.example", Lanes: 1, MaxQueued: 1,
		MaxBodyBytes: 1 << 20, MaxConns: 32}
	full, err := app.New(t.Context(), cfg, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(full.Close)
	(&world{t: t, app: full}).work()
	q := w.quay(auth.Buyer)
	one := q.receive("a.csv", suppliers(100))
	q.start(one.ID)
	require.Equal(t, [6]int64{100, 90, 0, 0, 10, 0}, q.ended(one.ID).counts())
	require.Equal(t, []string{"1 | 10"}, w.read("workspace.failed_imports GROUP BY seen", "seen, count(*)", "1"))
}

func TestImportIsCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.quay(auth.Buyer)
	cancel := func(id uuid.UUID) fileImport {
		return decode[fileImport](t, q.call(http.MethodPost, q.at(id, "/cancel"), nil), http.StatusOK)
	}
	discarded := q.receive("a.csv", suppliers(1))
	require.Equal(t, "cancelled", cancel(discarded.ID).Status)
	requireProblem(t, q.call(http.MethodPost, q.at(discarded.ID, "/start"), map[string]any{}), http.StatusConflict,
		"started")
	waiting := q.receive("a.csv", suppliers(1))
	q.start(waiting.ID)
	require.Equal(t, "cancelled", cancel(waiting.ID).Status)
	require.Empty(t, w.read("workspace.import_chunks", "n", "1"), "the files are deleted")

	running := q.receive("a.csv", suppliers(20_000))
	q.start(running.ID)
	w.work()
	require.Eventually(t, func() bool { return q.get(running.ID).Done > 0 }, 2*time.Minute, time.Millisecond)
	asked := cancel(running.ID)
	require.True(t, asked.Cancelling || asked.Status == "cancelled")
	ended := q.ended(running.ID)
	require.Equal(t, "cancelled", ended.Status)
	require.Positive(t, ended.Created)
	require.LessOrEqual(t, ended.Done, asked.Done+2*200, "it stops within a batch")
	require.Equal(t, []string{fmt.Sprint(ended.Created)}, w.read("workspace.suppliers", "count(*)", "1"),
		"what was stored is counted, and stays")
	require.Len(t, q.rejects(running.ID), int(ended.Refused))
	require.Equal(t, "cancelled", cancel(running.ID).Status, "twice is once")
	require.Empty(t, w.read("workspace.import_chunks", "n", "1"))
	require.Equal(t, []string{"import.cancelled | 3", "import.rejects_exported | 1", "import.started | 2"},
		w.read("workspace.audit WHERE action LIKE 'import.%' GROUP BY action", "action, count(*)", "1"))
}

func TestImportNeedsItsStarter(t *testing.T) {
	t.Parallel()
	for _, change := range []string{"UPDATE control.memberships SET role = 'approver' WHERE user_id = $1",
		"DELETE FROM control.memberships WHERE user_id = $1"} {
		w := newWorld(t)
		q, other := w.quay(auth.Buyer), w.quay(auth.CompanyAdmin)
		one := q.receive("a.csv", suppliers(10))
		q.start(one.ID)
		w.exec(change, q.id)
		w.work() // only now, or it could finish before the change
		ended := other.ended(one.ID)
		require.Equal(t, "failed", ended.Status)
		require.Contains(t, ended.Message, "may no longer import")
		require.Zero(t, ended.Done)
		require.Empty(t, w.read("workspace.suppliers", "name", "1"))
		require.Empty(t, w.read("workspace.import_chunks", "n", "1"))
	}
}

func TestImportsOfTwoTenants(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.work()
	q := w.quay(auth.Buyer)
	theirs := pgtest.NewTenant(t, w.db)
	stranger := quay{w.join(theirs, auth.CompanyAdmin).enter(), "/api/app/workspaces/" + theirs.Workspace.String()}
	one, other := q.receive("a.csv", suppliers(5)),
		stranger.receive("a.csv", strings.ReplaceAll(suppliers(5), "Supplier", "Stranger"))
	for _, rest := range []string{"", "/rejects.ndjson", "/reasons"} {
		requireProblem(t, stranger.call(http.MethodGet, stranger.at(one.ID, rest), nil), http.StatusNotFound,
			"unknown_import")
	}
	requireProblem(t, stranger.call(http.MethodPost, stranger.at(one.ID, "/start"), map[string]any{}), http.StatusNotFound,
		"unknown_import")
	q.start(one.ID)
	stranger.start(other.ID)
	require.Equal(t, int64(5), q.ended(one.ID).Created)
	require.Equal(t, int64(5), stranger.ended(other.ID).Created)
	require.Equal(t, []string{"Supplier", "Stranger"},
		w.read("workspace.suppliers GROUP BY tenant_id, split_part(name, ' ', 1)", "split_part(name, ' ', 1)",
			"tenant_id = '"+theirs.ID.String()+"'"))
	require.Len(t, decode[page[fileImport]](t, q.call(http.MethodGet, q.path+"/imports", nil), http.StatusOK).Items, 1)
}

// TestImportsOfHostileFiles uploads files that nobody uploads by accident, or that are no
// tables. Each is refused with a message, and nothing of it is stored.
func TestImportsOfHostileFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.quay(auth.Buyer)
	// Parts of a gzipped file may follow each other, so that only one needs to be compressed.
	// The text is not UTF-8: checking that takes minutes with the race detector.
	bomb := zipped(t, "external_id\n\xe9\n") + strings.Repeat(zipped(t, strings.Repeat(" ", 1<<20)+"\n"), 260)
	for _, tt := range []struct {
		name, content, code, says string
		status                    int
	}{
		{"bomb.csv.gz", bomb, "too_large", "larger than 256 MiB when it is decompressed", http.StatusRequestEntityTooLarge},
		{"bomb.xlsx", hugeBook(t, 110), "too_large", "larger than 100 MiB when it is unpacked",
			http.StatusRequestEntityTooLarge},
		{"wide.csv", "external_id" + strings.Repeat(",a", 1_000_000) + "\n1\n", "file", "has 1000001 columns; at most 2000",
			http.StatusBadRequest},
		{"long.csv", "external_id\n" + strings.Repeat("1\n", 1_000_001), "too_many", "more than 1000000 records",
			http.StatusRequestEntityTooLarge},
		{"open.csv", "external_id,name\n1,\"" + strings.Repeat("x", 4<<20), "file", "longer than 2 MiB",
			http.StatusBadRequest},
		{"picture.png", "\x89PNG\r\n\x1a\n\x00\x00", "file", "picture.png is not text", http.StatusBadRequest},
		{"old.xls", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "file", "save it as .xlsx", http.StatusBadRequest},
		{"empty.csv", "", "file", "empty.csv is empty", http.StatusBadRequest},
		{"header.csv", "external_id,name\n", "file", "header.csv has no records", http.StatusBadRequest},
		{"broken.xlsx", "PK\x03\x04 no archive", "file", "not readable as XLSX", http.StatusBadRequest},
		{"cut.csv.gz", bomb[:100], "file", "not readable as gzip", http.StatusBadRequest},
	} {
		got := requireProblem(t, q.upload("suppliers", tt.name, tt.content), tt.status, tt.code)
		require.Contains(t, got.Detail, tt.says)
	}
	requireProblem(t, q.upload("nothing", "a.csv", suppliers(1)), http.StatusNotFound, "unknown_table")
	require.Empty(t, w.read("workspace.imports", "file_name", "1"))
	require.Empty(t, w.read("workspace.import_chunks", "n", "1"))

	// Text that is not UTF-8 is read in the encoding of spreadsheets, and previewed so. A
	// record that is too large for the endpoint is too large here.
	w.work()
	one := q.receive("../odd\u202e.csv", "external_id,name\nS1,Caf\xe9 \x81\nS2,"+strings.Repeat("x", 1<<20)+"\n")
	require.Equal(t, []string{"windows-1252", "odd.csv"}, []string{one.Reading.Encoding, one.FileName})
	require.Equal(t, http.StatusRequestEntityTooLarge, q.preview(one.ID, map[string]any{}).Records[1].Status)
	q.start(one.ID)
	require.Equal(t, [6]int64{2, 1, 0, 0, 1, 0}, q.ended(one.ID).counts())
	require.Less(t, len(q.rejects(one.ID)[0]), 8<<10)
	require.Empty(t, w.read("workspace.failed_imports", "message", "1"), "as the endpoint has it")
}

// hugeBook returns an archive with a sheet of this many MiB, only one of which is compressed.
func hugeBook(t *testing.T, mebibytes int) string {
	t.Helper()
	spaces := bytes.Repeat([]byte(" "), 1<<20)
	var once, end, archive bytes.Buffer
	packed, err := flate.NewWriter(&once, flate.DefaultCompression)
	require.NoError(t, err)
	_, err = packed.Write(spaces)
	require.NoError(t, err)
	require.NoError(t, packed.Flush()) // blocks that another may follow
	packed.Reset(&end)
	require.NoError(t, packed.Close())
	content := append(bytes.Repeat(once.Bytes(), mebibytes), end.Bytes()...)
	checksum := uint32(0)
	for range mebibytes {
		checksum = crc32.Update(checksum, crc32.IEEETable, spaces)
	}
	writer := zip.NewWriter(&archive)
	part, err := writer.CreateRaw(&zip.FileHeader{
		Name: "xl/worksheets/sheet1.xml", Method: zip.Deflate, CRC32: checksum,
		CompressedSize64: uint64(len(content)), UncompressedSize64: uint64(mebibytes) << 20,
	})
	require.NoError(t, err)
	_, err = part.Write(content)
	require.NoError(t, err)
	require.NoError(t, writer.Close())

	read, err := zip.NewReader(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	require.NoError(t, err)
	sheet, err := read.File[0].Open()
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, sheet)
	require.NoError(t, err, "the archive is sound: its size is all that is wrong with it")
	return archive.String()
}

// TestFilesAreBounded uploads too large a file, and too many files.
func TestFilesAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.quay(auth.Buyer)
	large := strings.Repeat("external_id\n", 3<<20)
	requireProblem(t, q.upload("suppliers", "large.csv", large), http.StatusRequestEntityTooLarge, "too_large")

	// A file without a declared size.
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.url+q.path+"/sources/suppliers/imports",
		io.MultiReader(strings.NewReader(large)))
	require.NoError(t, err)
	request.Header.Set("Cookie", "__Host-quayside="+q.session)
	request.Header.Set("X-Forwarded-For", q.from)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	require.Equal(t, http.StatusRequestEntityTooLarge, response.StatusCode)
	require.Empty(t, w.read("workspace.imports", "file_name", "1"))

	for range 10 {
		q.receive("a.csv", suppliers(1))
	}
	requireProblem(t, q.upload("suppliers", "a.csv", suppliers(1)), http.StatusConflict, "many_files")
}

// untouchable is a body that fails the test if it is read.
type untouchable struct{ t *testing.T }

func (u untouchable) Read([]byte) (int, error) {
	u.t.Error("the body of somebody who may not send it was asked for")
	return 0, io.EOF
}

// TestFilesOfStrangersAreNotRead sends Expect: 100-continue: a caller without the right gets
// the refusal and never a 100.
func TestFilesOfStrangersAreNotRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	viewer := w.quay(auth.Viewer)
	for session, status := range map[string]int{"": http.StatusUnauthorized, viewer.session: http.StatusForbidden} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
			w.url+viewer.path+"/sources/suppliers/imports", untouchable{t})
		require.NoError(t, err)
		request.ContentLength = 20 << 20
		request.Header.Set("Expect", "100-continue")
		request.Header.Set("Cookie", "__Host-quayside="+session)
		response, err := (&http.Transport{ExpectContinueTimeout: time.Minute}).RoundTrip(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, status, response.StatusCode)
	}
}

func TestOldImportsAreTidiedUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.quay(auth.Buyer)
	forgotten, fresh, stuck := q.receive("a.csv", suppliers(1)), q.receive("a.csv", suppliers(1)),
		q.receive("a.csv", suppliers(1))
	q.start(stuck.ID)
	w.exec("UPDATE workspace.imports SET created_at = now() - interval '25 hours' WHERE id = $1", forgotten.ID)
	w.exec("UPDATE workspace.imports SET queued_at = now() - interval '25 hours', status = 'running' WHERE id = $1",
		stuck.ID)
	require.NoError(t, w.app.Uploads.Tidy(t.Context()))
	requireProblem(t, q.call(http.MethodGet, q.at(forgotten.ID, ""), nil), http.StatusNotFound, "unknown_import")
	require.Equal(t, "ready", q.get(fresh.ID).Status)
	require.Equal(t, "it did not end within a day", q.get(stuck.ID).Message)
	require.Equal(t, []string{fresh.ID.String()}, w.read("workspace.import_chunks", "import_id", "1"))

	w.work()
	refused := q.receive("a.csv", suppliers(10))
	q.start(refused.ID)
	require.NotNil(t, q.ended(refused.ID).RejectsUntil)
	require.NoError(t, w.app.Uploads.Tidy(t.Context()))
	require.Len(t, q.rejects(refused.ID), 1)
	w.exec("UPDATE workspace.imports SET finished_at = now() - interval '31 days' WHERE id = $1", refused.ID)
	require.NoError(t, w.app.Uploads.Tidy(t.Context()))
	require.Empty(t, q.rejects(refused.ID))
	require.Nil(t, q.get(refused.ID).RejectsUntil)
	require.Equal(t, int64(1), q.get(refused.ID).Refused)
}
