//race:detect senders share the progress, the pace and the ledger
package push

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
)

// service is an endpoint whose answers the test chooses. The tests on the real service are in
// test/push.
type service struct {
	*httptest.Server
	mu       sync.Mutex
	bodies   []string
	byID     map[string][]string // bodies sent for each record, in order
	order    []string            // of each request: the record's id and its sequence
	under    int                 // running requests
	most     int                 // largest number of them
	answer   func(n int, record map[string]any) (status int, headers map[string]string, body string)
	describe func() int
}

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{
		byID:     map[string][]string{},
		answer:   func(int, map[string]any) (int, map[string]string, string) { return 200, nil, `{"ok":true}` },
		describe: func() int { return 200 },
	}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Request-Id", "req-1")
	if r.Method == http.MethodGet {
		s.mu.Lock()
		status := s.describe()
		s.mu.Unlock()
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(orders)
		return
	}
	body, _ := io.ReadAll(r.Body)
	var record map[string]any
	_ = json.Unmarshal(body, &record)
	s.mu.Lock()
	s.bodies = append(s.bodies, string(body))
	if id, ok := record["external_id"].(string); ok {
		s.byID[id] = append(s.byID[id], fmt.Sprint(record["note"]))
		s.order = append(s.order, strings.TrimSpace(id+" "+strings.Join(r.Header.Values("Ingest-Sequence"), ",")))
	}
	n := len(s.bodies)
	s.under++
	s.most = max(s.most, s.under)
	status, headers, text := s.answer(n, record)
	s.mu.Unlock()
	time.Sleep(time.Millisecond) // lets requests overlap
	s.mu.Lock()
	s.under--
	s.mu.Unlock()
	if status == 200 {
		w.Header().Set("Ingest-Result", "created")
	}
	for name, value := range headers {
		w.Header().Set(name, value)
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text)
}

// job returns a push of a file with this content.
func (s *service) job(t *testing.T, content string) (Job, *bytes.Buffer) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.csv")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	messages := &bytes.Buffer{}
	return Job{File: path, URL: s.URL, Key: "pk_x", Table: "orders", Concurrency: 8, MaxWait: time.Minute,
		Messages: messages}, messages
}

func lines(n int, line func(i int) string) string {
	var text strings.Builder
	text.WriteString("external_id,note\n")
	for i := range n {
		text.WriteString(line(i) + "\n")
	}
	return text.String()
}

func TestRecordsWithOneKeyDoNotOvertake(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.answer = func(n int, _ map[string]any) (int, map[string]string, string) {
		if n%7 == 0 { // a retry must not let the next record pass
			return 503, nil, `{"ok":false,"error":"temporarily unavailable"}`
		}
		return 200, nil, `{"ok":true}`
	}
	job, _ := s.job(t, lines(60, func(i int) string { return fmt.Sprintf("K%d,%d", i%5, i) }))
	summary, err := Run(t.Context(), job)
	require.NoError(t, err)
	require.EqualValues(t, 60, summary.Accepted)
	require.Positive(t, summary.Retries)
	require.Greater(t, s.most, 1, "others were under way meanwhile")
	require.LessOrEqual(t, s.most, job.Concurrency)
	for id, notes := range s.byID {
		notes = slices.Compact(notes) // a retry repeats
		require.True(t, slices.IsSortedFunc(notes,
			func(a, b string) int { return len(a)*100 + strings.Compare(a, b) - len(b)*100 }), "%s: %v", id, notes)
		require.Len(t, notes, 12)
	}
	require.NoFileExists(t, job.File+".push-state")
}

func TestRefusalsAreWrittenDown(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.answer = func(_ int, record map[string]any) (int, map[string]string, string) {
		switch record["note"] {
		case "bad":
			return 422, nil, `{"ok":false,"error":"note: bad"}`
		case "big":
			return 413, nil, `{"ok":false,"error":"request body too large"}`
		}
		return 200, nil, `{"ok":true}`
	}
	job, messages := s.job(t, "External ID,note,Shoe Size\n1,ok,43\n2,bad,43\n3,big,43\n4\n")
	summary, err := Run(t.Context(), job)
	require.ErrorIs(t, err, ErrRejected)
	require.Equal(t, "rejected", summary.Outcome)
	require.EqualValues(t, 3, summary.Rejected)
	require.Len(t, summary.Groups, 3)
	require.Contains(t, messages.String(), "External ID → external_id\n")
	require.Contains(t, messages.String(), "Shoe Size     dropped: the table has no such column\n")
	require.Contains(t, messages.String(),
		"The file has no ordered_at: records that are not in the table yet will be refused.")
	text, err := os.ReadFile(job.File + ".rejects.ndjson")
	require.NoError(t, err)
	rejects := slices.Sorted(strings.Lines(string(text)))
	require.Equal(t, []string{
		`{"_record":4,"_line":5,"_error":"line 5 has 1 cells, the header has 3","_raw":"4"}` + "\n",
		`{"external_id":"2","note":"bad","_record":2,"_line":3,"_status":422,"_error":"note: bad","_request_id":"req-1"}` + "\n",
		`{"external_id":"3","note":"big","_record":3,"_line":4,"_status":413,"_error":"request body too large","_request_id":"req-1"}` + "\n",
	}, rejects)

	// The rejects file, corrected, can be pushed like any other.
	require.NoError(t, os.WriteFile(job.File+".rejects.ndjson",
		[]byte(strings.ReplaceAll(rejects[1], `"note":"bad"`, `"note":"good"`)), 0o600))
	again := job
	again.File += ".rejects.ndjson"
	summary, err = Run(t.Context(), again)
	require.NoError(t, err)
	require.EqualValues(t, 1, summary.Accepted)
	require.Equal(t, `{"external_id":"2","note":"good"}`, s.bodies[len(s.bodies)-1])
	require.NoFileExists(t, again.File+".rejects.ndjson")
}

// TestOneRecordThatAlwaysFaults checks that one record does not hold up a push for ever: if
// the service still describes its table, a 500 is blamed on the record.
func TestOneRecordThatAlwaysFaults(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.answer = func(_ int, record map[string]any) (int, map[string]string, string) {
		if record["external_id"] == "2" {
			return 500, nil, `{"ok":false,"error":"temporary failure, safe to retry"}`
		}
		return 200, nil, `{"ok":true}`
	}
	job, _ := s.job(t, "external_id\n1\n2\n3\n")
	summary, err := Run(t.Context(), job)
	require.ErrorIs(t, err, ErrRejected)
	require.EqualValues(t, 2, summary.Accepted)
	require.Equal(t, 500, summary.Groups[0].Status)
	require.Len(t, s.byID["2"], faultsBeforeAsking+faultsWhileWell-1)
}

func TestWhatEndsAPush(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, location string
		status         int
		kind           fault.Kind
		says           string
	}{
		{"a dead key", "", 401, fault.Unauthenticated, "the key is refused: told (request req-1). Check QUAYSIDE_KEY"},
		{"another table's key", "", 403, fault.Forbidden, "may not write this table: told"},
		{"no table", "", 404, fault.NotFound, "told (request req-1). Check --table"},
		{"a redirect", "https://elsewhere.example/x", 308, fault.BadRequest, "redirects to https://elsewhere.example/x"},
		{"a teapot", "", 418, fault.Internal, "answered 418 told (request req-1), which push does not understand"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			s.answer = func(n int, _ map[string]any) (int, map[string]string, string) {
				if n <= 10 {
					return 200, nil, `{"ok":true}`
				}
				return tt.status, map[string]string{"Location": tt.location}, `{"error":"told"}`
			}
			job, _ := s.job(t, lines(500, func(i int) string { return fmt.Sprintf("K%d,x", i) }))
			summary, err := Run(t.Context(), job)
			require.True(t, fault.Is(err, tt.kind), err)
			require.ErrorContains(t, err, tt.says)
			require.EqualValues(t, 10, summary.Accepted)
			require.Less(t, len(s.bodies), 40, "it ends at once")
			require.True(t, summary.Resumable)

			// Once the cause is gone, the push resumes and sends no accepted record twice.
			s.answer = func(int, map[string]any) (int, map[string]string, string) { return 200, nil, `{"ok":true}` }
			job.Resume = true
			summary, err = Run(t.Context(), job)
			require.NoError(t, err)
			require.EqualValues(t, 500, summary.Accepted)
			require.EqualValues(t, 10, summary.Resumed)
			require.Len(t, s.byID, 500)
			require.NoFileExists(t, job.File+".push-state")
		})
	}
}

func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	s := newService(t)
	job, messages := s.job(t, "external_id\n1\n2\n")
	job.MaxWait = 300 * time.Millisecond
	s.answer = func(int, map[string]any) (int, map[string]string, string) { return 502, nil, "<html>" }
	summary, err := Run(t.Context(), job)
	require.True(t, fault.Is(err, fault.Unavailable), err)
	require.ErrorContains(t, err, "the last answer was: 502 Bad Gateway")
	require.True(t, summary.Resumable)
	require.Zero(t, summary.Done())

	// A service that asks to wait longer than the limit ends the push.
	s.answer = func(int, map[string]any) (int, map[string]string, string) {
		return 503, map[string]string{"Retry-After": "3600"}, `{"error":"closed"}`
	}
	_, err = Run(t.Context(), job)
	require.ErrorContains(t, err, "the last answer was: 503 closed")

	// Discovery waits for a service that is busy, but not long if nothing answers.
	busy := 2
	s.describe = func() int {
		if busy--; busy >= 0 {
			return 503
		}
		return 200
	}
	s.answer = func(int, map[string]any) (int, map[string]string, string) { return 200, nil, "{}" }
	job.MaxWait = time.Minute
	_, err = Run(t.Context(), job)
	require.NoError(t, err)
	require.Contains(t, messages.String(), "the service answers 503 Service Unavailable; asking again in")
	s.Close()
	_, err = Run(t.Context(), job)
	require.ErrorContains(t, err, "does not answer")
	require.ErrorContains(t, err, "Check QUAYSIDE_URL")
}

// TestStopping stops a push that waits for a silent pipe, and one whose requests wait for a
// retry.
func TestStopping(t *testing.T) {
	t.Parallel()
	s := newService(t)
	arrived := make(chan struct{}, 100)
	s.answer = func(int, map[string]any) (int, map[string]string, string) {
		arrived <- struct{}{}
		return 200, nil, `{"ok":true}`
	}
	read, write := io.Pipe()
	stop := make(chan struct{})
	job := Job{File: "-", Stdin: read, URL: s.URL, Key: "pk_x", Table: "orders", Concurrency: 4, MaxWait: time.Minute,
		Messages: io.Discard, Stop: stop}
	job.RejectsPath = filepath.Join(t.TempDir(), "rejects")
	go func() {
		_, _ = io.WriteString(write,
			`{"external_id":"1","Order No":"7"}`+"\n"+`{"external_id":"2","Status":"open","size":1}`+"\n")
		<-arrived
		<-arrived
		close(stop)
	}()
	summary, err := Run(t.Context(), job)
	require.ErrorIs(t, err, ErrInterrupted)
	require.EqualValues(t, 2, summary.Accepted)
	require.False(t, summary.Resumable)
	require.ElementsMatch(t, []string{`{"external_id":"1","order_number":"7"}`, `{"external_id":"2","status":"open"}`},
		s.bodies)

	s.answer = func(n int, _ map[string]any) (int, map[string]string, string) {
		if n > 20 {
			arrived <- struct{}{}
			return 503, map[string]string{"Retry-After": "50"}, ""
		}
		return 200, nil, `{"ok":true}`
	}
	file, _ := s.job(t, lines(100, func(i int) string { return fmt.Sprintf("S%d,x", i) }))
	stop = make(chan struct{})
	file.Stop = stop
	go func() {
		<-arrived
		close(stop)
	}()
	summary, err = Run(t.Context(), file)
	require.ErrorIs(t, err, ErrInterrupted)
	require.True(t, summary.Resumable)
	require.EqualValues(t, 18, summary.Accepted)

	dead, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Run(dead, file)
	require.ErrorIs(t, err, ErrInterrupted)
	file.File, file.Resume, file.Stdin, file.Stop = "-", true, read, nil
	_, err = Run(t.Context(), file)
	require.ErrorContains(t, err, "standard input cannot be resumed")
}

func TestDryRunLeavesNothing(t *testing.T) {
	t.Parallel()
	s := newService(t)
	job, _ := s.job(t, lines(30, func(i int) string { return fmt.Sprintf("K%d,x", i) }))
	job.DryRun = true
	s.answer = func(_ int, record map[string]any) (int, map[string]string, string) {
		if strings.HasSuffix(fmt.Sprint(record["external_id"]), "7") {
			return 422, nil, `{"ok":false,"error":"no sevens"}`
		}
		return 200, nil, `{"ok":true}`
	}
	summary, err := Run(t.Context(), job)
	require.ErrorIs(t, err, ErrRejected)
	require.EqualValues(t, 3, summary.Rejected)
	files, err := os.ReadDir(filepath.Dir(job.File))
	require.NoError(t, err)
	require.Len(t, files, 1, "nothing but the file itself")
	require.False(t, summary.Resumable)
	require.Len(t, slices.Collect(maps.Keys(s.byID)), 30)
}

// TestWarningsAreCounted counts accepted records by the codes of their answers' warnings, each code once for a record.
func TestWarningsAreCounted(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.answer = func(_ int, record map[string]any) (int, map[string]string, string) {
		warning, _ := record["note"].(string)
		return 200, map[string]string{"Ingest-Warning": warning}, `{"ok":true}`
	}
	job, _ := s.job(t, "external_id,note\n"+
		"1,sku_unknown;sku\n"+
		"2,\"sku_padded;sku, sku_unknown;sku\"\n"+
		"3,\"date_implausible;ordered_at, date_implausible;received_at\"\n"+
		"4,sku_unknown\n"+
		"5,\n")
	summary, err := Run(t.Context(), job)
	require.NoError(t, err)
	require.Equal(t, map[string]int64{"sku_unknown": 3, "sku_padded": 1, "date_implausible": 1}, summary.Warned)
	var said strings.Builder
	summary.Print(&said)
	_, counted, _ := strings.Cut(said.String(), "\n")
	require.Equal(t, "       3 × accepted with the warning sku_unknown\n"+
		"       1 × accepted with the warning date_implausible\n"+
		"       1 × accepted with the warning sku_padded\n", counted)
}
