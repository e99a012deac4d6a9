package service_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/test/rig"
)

// sent is a record as its client knows it. Its external_id is also its request id.
type sent struct {
	id, body   string
	status     int
	answer     string
	retryAfter string
}

// send sends a valid or an invalid supplier.
func send(base, key, id string, fine bool) sent {
	s := sent{id: id, body: fmt.Sprintf(`{"external_id":%q,"name":"x"}`, id)}
	if !fine {
		s.body = fmt.Sprintf(`{"external_id":%q,"name":"x","lead_time_days":"canary"}`, id)
	}
	answer := everybody.Post(base, "suppliers", key, id, s.body)
	s.status, s.retryAfter = answer.Status, answer.RetryAfter
	if s.status != 0 { // otherwise the outcome is unknown
		s.answer = answer.Body
	}
	return s
}

// everybody has no limit to its patience.
var everybody = rig.NewCaller(0)

func (s sent) kept() bool { return s.status == 422 || s.status == 500 }

// failedImport is a stored dead letter.
type failedImport struct {
	payload string
	status  int
	seen    int
	at      time.Time
}

// failedImports returns the stored dead letters by request.
func (s *site) failedImports() map[string]failedImport {
	s.t.Helper()
	rows, err := s.admin.Query(s.t.Context(),
		"SELECT request_id, convert_from(payload, 'UTF8'), http_status, seen, first_seen_at FROM workspace.failed_imports")
	require.NoError(s.t, err)
	defer rows.Close()
	found := map[string]failedImport{}
	for rows.Next() {
		var id string
		var f failedImport
		require.NoError(s.t, rows.Scan(&id, &f.payload, &f.status, &f.seen, &f.at))
		require.NotContains(s.t, found, id)
		found[id] = f
	}
	require.NoError(s.t, rows.Err())
	return found
}

// requireKept compares what clients saw with what is stored: every 422 and 500 is stored once
// as it was sent, every 200 is a row, and there is nothing else.
func (s *site) requireKept(all []sent) {
	s.t.Helper()
	waitFor(s.t, "loading", func() bool {
		found := s.failedImports()
		return !slices.ContainsFunc(all, func(one sent) bool { _, ok := found[one.id]; return one.kept() && !ok })
	})
	found := s.failedImports()
	var stored []string
	for _, one := range all {
		f, ok := found[one.id]
		switch {
		case one.kept():
			require.Equal(s.t, failedImport{one.body, one.status, 1, f.at}, f)
		case ok:
			require.Zero(s.t, one.status, "%s was answered %d", one.id, one.status)
		case one.status == http.StatusOK:
			stored = append(stored, one.id)
		}
	}
	var rows int
	require.NoError(s.t, s.admin.QueryRow(s.t.Context(),
		"SELECT count(*) FROM workspace.suppliers WHERE external_id = ANY ($1)", stored).Scan(&rows))
	require.Equal(s.t, len(stored), rows, "something acknowledged was lost")
}

// traffic is a set of clients that send suppliers, a third of which are refused, until
// stopped.
type traffic struct {
	mu      sync.Mutex
	all     []sent
	stop    chan struct{}
	clients sync.WaitGroup
}

func startTraffic(base, key string) *traffic {
	tr := &traffic{stop: make(chan struct{})}
	for client := range 6 {
		tr.clients.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-tr.stop:
					return
				default:
				}
				one := send(base, key, fmt.Sprintf("S-%d-%d", client, n), n%3 > 0)
				tr.mu.Lock()
				tr.all = append(tr.all, one)
				tr.mu.Unlock()
			}
		})
	}
	return tr
}

func (tr *traffic) sent() int {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return len(tr.all)
}

// count returns how many requests got this status, not counting the first ones.
func (tr *traffic) count(status, after int) (n int) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	for _, one := range tr.all[after:] {
		if one.status == status {
			n++
		}
	}
	return n
}

// TestSpoolUnderLoad stops PostgreSQL under load and starts it again: nothing that was
// acknowledged or refused is lost, and nothing is stored twice.
//
//race:detect
func TestSpoolUnderLoad(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	env := slices.Concat(s.server.Env, []string{"QUAYSIDE_SPOOL_DIR=" + filepath.Join(t.TempDir(), "spool")})
	p := rig.Serve(t, env)
	key := s.key("*").Key
	s.exec("UPDATE workspace.api_keys SET rate_per_second = 100000, rate_burst = 100000")
	tr := startTraffic(p.URL, key)
	waitFor(t, "traffic", func() bool { return tr.count(200, 0) > 40 && tr.count(422, 0) > 20 })
	for range 2 {
		gone := tr.sent()
		s.server.Stop()
		waitFor(t, "failures", func() bool { return tr.count(500, gone) > 150 })
		back := time.Now()
		s.server.Start()
		s.connect()
		returned := tr.sent()
		waitFor(t, "recovery", func() bool { return tr.count(200, returned) > 40 && tr.count(422, returned) > 20 })
		waitFor(t, "letters that carry the time at which they happened", func() bool {
			var early int
			require.NoError(t, s.admin.QueryRow(t.Context(),
				"SELECT count(*) FROM workspace.failed_imports WHERE http_status = 500 AND last_seen_at < $1", back).Scan(&early))
			return early > 100
		})
	}
	close(tr.stop)
	tr.clients.Wait()
	s.requireKept(tr.all)
	statuses := map[int]int{}
	for _, one := range tr.all {
		require.Contains(t, []int{200, 422, 500, 503}, one.status, one.answer)
		statuses[one.status]++
	}
	t.Logf("answers: %v", statuses)
	require.Zero(t, p.Terminate())
	require.Contains(t, p.Log(), "they are spooled")
	require.Contains(t, p.Log(), "spooled dead letters are loaded")
	require.NotContains(t, p.Log(), "canary")
	require.Zero(t, rig.Run(t, env, "doctor").Code)
}

// base64s finds what may be bytes in JSON.
var base64s = regexp.MustCompile(`"([A-Za-z0-9+/]+=*)"`)

// readFolder returns what is in a folder's files, one after the other.
func readFolder(t *testing.T, root string) string {
	t.Helper()
	var all strings.Builder
	require.NoError(t, filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		all.Write(content)
		return err
	}))
	return all.String()
}

// TestSpoolOutlivesTheProcess kills two services that share a folder while dead letters wait
// there: the next one loads them all. What is in the folder meanwhile has every record, and not the key it came with.
//
//race:detect
func TestSpoolOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	key := s.key("*").Key
	folder := filepath.Join(t.TempDir(), "spool")
	env := slices.Concat(s.server.Env, []string{"QUAYSIDE_SPOOL_DIR=" + folder})
	metrics := rig.FreeAddr(t)
	processes := []*rig.Process{rig.Serve(t, slices.Concat(env, []string{"QUAYSIDE_METRICS_ADDR=" + metrics})),
		rig.Serve(t, env)}
	for i, p := range processes {
		require.Equal(t, 200, send(p.URL, key, fmt.Sprintf("warm-%d", i), true).status)
	}
	s.server.Stop()
	var all []sent
	for n := range 30 {
		for i, p := range processes {
			one := send(p.URL, key, fmt.Sprintf("%d-%d", i, n), n%2 == 0)
			require.Equal(t, 500, one.status, one.answer)
			all = append(all, one)
		}
	}
	doctor := rig.Run(t, env, "doctor")
	require.Equal(t, 1, doctor.Code)
	require.Contains(t, doctor.Stdout, "60 dead letters")
	require.Contains(t, doctor.Stdout, folder)
	response, err := http.Get("http://" + metrics + "/metrics")
	require.NoError(t, err)
	figures, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Contains(t, string(figures), "\nquayside_spool_entries 30\n")
	require.Contains(t, string(figures), "\nquayside_spooled_total 30\n")

	for _, p := range processes {
		p.Kill()
		require.NotContains(t, p.Log(), "canary")
	}
	files := readFolder(t, folder)
	require.NotContains(t, files, strings.TrimPrefix(key, "pk_"))
	bodies := 0
	for _, text := range base64s.FindAllStringSubmatch(files, -1) { // bytes in JSON
		decoded, err := base64.StdEncoding.DecodeString(text[1])
		if err != nil {
			continue // a word
		}
		require.NotContains(t, string(decoded), strings.TrimPrefix(key, "pk_"))
		bodies += strings.Count(string(decoded), "external_id")
	}
	require.Equal(t, len(all), bodies)
	s.server.Start()
	s.connect()
	again := rig.Serve(t, env) // takes over one part of the folder, and adopts the other
	require.Contains(t, again.Log(), "spooled dead letters are loaded", "before it is ready")
	s.requireKept(all)
	require.Zero(t, rig.Run(t, env, "doctor").Code)
}

// TestNothingIsClaimedToBeKept stops PostgreSQL under services whose spool is full, deleted or
// off: the answer says that the record was not kept.
//
//race:detect
func TestNothingIsClaimedToBeKept(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	key := s.key("*").Key
	folder := t.TempDir()
	env := func(spool string, more ...string) []string {
		return slices.Concat(s.server.Env, []string{"QUAYSIDE_SPOOL_DIR=" + spool}, more)
	}
	blocked := filepath.Join(folder, "file")
	require.NoError(t, os.WriteFile(blocked, nil, 0o600))
	refused := rig.Run(t, env(blocked), "serve")
	require.Equal(t, 1, refused.Code)
	require.Contains(t, refused.Stderr, "set QUAYSIDE_SPOOL_DIR")

	small := rig.Serve(t, env(filepath.Join(folder, "small"), "QUAYSIDE_SPOOL_MAX_BYTES=1500"))
	deleted := rig.Serve(t, env(filepath.Join(folder, "deleted")))
	off := rig.Serve(t, env("off"))
	for i, p := range []*rig.Process{small, deleted, off} {
		require.Equal(t, 200, send(p.URL, key, fmt.Sprintf("warm-%d", i), true).status)
	}
	s.server.Stop()
	one := send(small.URL, key, "small-0", false)
	require.Equal(t, 500, one.status, one.answer)
	var all []sent
	for n := 1; one.status == 500; n++ {
		all = append(all, one)
		one = send(small.URL, key, fmt.Sprintf("small-%d", n), false)
	}
	require.NoError(t, os.RemoveAll(filepath.Join(folder, "deleted")))
	for _, p := range []*rig.Process{deleted, off} {
		// The first call uses a connection that was just cut: whether it is stored is
		// unknown, and the answer may say so. The following calls find no connection.
		first := send(p.URL, key, "cut", false)
		require.Equal(t, 503, first.status, first.answer)
		all = append(all, first)
	}
	for _, one := range []sent{one, send(deleted.URL, key, "deleted", false), send(off.URL, key, "off", false)} {
		require.Equal(t, 503, one.status, one.answer)
		require.JSONEq(t, `{"ok":false,"error":"temporarily unavailable; the record was not kept, send it again"}`,
			one.answer)
		require.Equal(t, "1", one.retryAfter)
		all = append(all, one)
	}
	require.Zero(t, small.Terminate(), "it ends though PostgreSQL is away, and leaves what waits")
	for _, p := range []*rig.Process{small, deleted, off} {
		require.NotContains(t, p.Log(), "canary")
	}
	s.server.Start()
	s.connect()
	rig.Serve(t, env(filepath.Join(folder, "small")))
	s.requireKept(all)
}
