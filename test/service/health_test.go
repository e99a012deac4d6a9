package service_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/test/rig"
)

// probe returns the answer of a probe, and how long it took.
func probe(t *testing.T, p *rig.Process, path string) (status int, text string, took time.Duration) {
	t.Helper()
	began := time.Now()
	response, err := http.Get(p.URL + path)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(body), time.Since(began)
}

// TestHealthIsTrue makes PostgreSQL useless in three ways. /readyz says so within seconds and names the
// reason, /acceptz stays green because records are kept in files, and /livez because the process lives.
// Every record gets an answer, nothing acknowledged is lost, and the process ends when it is asked to.
//
//race:detect
func TestHealthIsTrue(t *testing.T) {
	t.Parallel()
	// A probe answers within 3 s on an idle machine.
	const longestProbe, firstAnswer, nextAnswer = 6 * time.Second, 20 * time.Second, 3 * time.Second
	for name, tt := range map[string]struct {
		says   string
		broken func(*site)
		mend   func(*site)
	}{
		"read-only": {
			says:   "PostgreSQL is read-only",
			broken: func(s *site) { s.server.Configure("default_transaction_read_only", "on") },
			mend:   func(s *site) { s.server.Configure("default_transaction_read_only", "") },
		},
		"standby gone": {
			says:   "does not answer commits",
			broken: func(s *site) { s.server.Configure("synchronous_standby_names", "gone") },
			mend:   func(s *site) { s.server.Configure("synchronous_standby_names", "") },
		},
		"frozen": {
			says:   "PostgreSQL does not answer",
			broken: func(s *site) { s.server.Freeze() },
			mend:   func(s *site) { s.server.Thaw() },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			p := rig.Serve(t, append(s.server.Env, "QUAYSIDE_SPOOL_DIR="+t.TempDir()))
			other := rig.Serve(t, s.server.Env)
			key := s.key("*").Key
			status, answer := post(p.URL, "suppliers", key, `{"external_id":"before","name":"x"}`)
			require.Equal(t, http.StatusOK, status, answer)

			tt.broken(s)
			t.Cleanup(func() {
				if t.Failed() { // so that the server can be removed
					tt.mend(s)
				}
			})
			var text string
			waitFor(t, "red /readyz", func() bool {
				var took time.Duration
				status, text, took = probe(t, p, "/readyz")
				require.Less(t, took, longestProbe)
				return status == http.StatusServiceUnavailable
			})
			require.Contains(t, text, tt.says)
			for _, path := range []string{"/acceptz", "/livez", "/healthz"} {
				status, text, took := probe(t, p, path)
				require.Equal(t, http.StatusOK, status, "%s: %s", path, text)
				require.Less(t, took, longestProbe, path)
			}
			began := time.Now()
			status, answer = post(p.URL, "suppliers", key, `{"external_id":"meanwhile","name":"x"}`)
			require.Equal(t, http.StatusInternalServerError, status, answer)
			require.Less(t, time.Since(began), firstAnswer)
			began = time.Now()
			status, answer = post(p.URL, "suppliers", key, `{"external_id":"meanwhile too","name":"x"}`)
			require.Equal(t, http.StatusInternalServerError, status, answer)
			require.Less(t, time.Since(began), nextAnswer, "whoever comes later does not wait")
			began = time.Now()
			other.Terminate()
			require.Less(t, time.Since(began), time.Minute, "SIGTERM ends the process: %s", other.Log())

			tt.mend(s)
			p.WaitReady()
			waitFor(t, "the kept record", func() bool {
				return s.count("SELECT count(*) FROM workspace.failed_imports WHERE convert_from(payload, 'UTF8') LIKE '%meanwhile%'") == 2
			})
			require.Zero(t, p.Terminate())
			require.EqualValues(t, 1, s.count("SELECT count(*) FROM workspace.suppliers WHERE external_id = 'before'"))
		})
	}
}

// TestDraining stops an instance under clients that keep their connections. None of their requests
// meets a closed connection.
//
//race:detect
func TestDraining(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := rig.Serve(t, append(s.server.Env, "QUAYSIDE_DRAIN_DELAY=2s"))
	key := s.key("*").Key
	s.unlimited()
	var clients sync.WaitGroup
	var mu sync.Mutex
	var failures []error
	warm, draining := make(chan struct{}, 24), make(chan struct{})
	for client := range 24 {
		clients.Go(func() {
			c := &http.Client{Transport: &http.Transport{}, Timeout: time.Minute}
			for n := 0; ; n++ {
				body := fmt.Sprintf(`{"external_id":"D%d-%d","name":"x"}`, client, n)
				request, _ := http.NewRequest(http.MethodPost, p.URL+"/api/ingest/suppliers", strings.NewReader(body))
				request.Header.Set("Authorization", "Bearer "+key)
				response, err := c.Do(request)
				if err != nil {
					mu.Lock()
					failures = append(failures, err)
					mu.Unlock()
					return
				}
				_, _ = io.Copy(io.Discard, response.Body)
				_ = response.Body.Close()
				if n == 0 {
					warm <- struct{}{}
				}
				select {
				case <-draining:
					if response.Close { // it was told to connect anew, and finds another instance
						return
					}
				default:
				}
			}
		})
	}
	for range 24 {
		<-warm
	}
	close(draining)
	require.Zero(t, p.Terminate())
	clients.Wait()
	require.Empty(t, failures)
}
