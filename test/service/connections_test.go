package service_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/test/rig"
)

// TestHeldConnections holds 300 connections open on a process that may open 256 files. The probes are answered all
// the same, and so is a record, unless requests are under way on all the others.
//
//race:detect
func TestHeldConnections(t *testing.T) {
	t.Parallel()
	const files, held, longest = 256, 300, 6 * time.Second
	s := newSite(t)
	key := s.key("*").Key
	for name, tt := range map[string]struct {
		sent   string // on each connection
		answer string // and waited for
		busy   bool   // a request is under way on each, as far as they are let in
	}{
		"silent":                 {},
		"idle after an answer":   {sent: "GET /livez HTTP/1.1\r\nHost: q\r\n\r\n", answer: "200"},
		"in the middle of heads": {sent: "GET /livez HTTP/1.1\r\nHost: q\r\nX-Slow: "},
		"in the middle of records": {busy: true, answer: "100 Continue", sent: "POST /api/ingest/suppliers HTTP/1.1\r\nHost: q\r\nAuthorization: Bearer " + key +
			"\r\nContent-Type: application/json\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := rig.ServeWithFiles(t, s.server.Env, files)
			for range held {
				conn, err := (&net.Dialer{Timeout: longest}).DialContext(t.Context(), "tcp", strings.TrimPrefix(p.URL, "http://"))
				require.NoError(t, err)
				t.Cleanup(func() { _ = conn.Close() })
				_, err = conn.Write([]byte(tt.sent))
				require.NoError(t, err)
				if tt.answer != "" {
					require.NoError(t, conn.SetReadDeadline(time.Now().Add(longest)))
					line, err := bufio.NewReader(conn).ReadString('\n')
					require.NoError(t, err)
					if !tt.busy || !strings.Contains(line, "503") { // beyond the limit
						require.Contains(t, line, tt.answer)
					}
				}
			}
			client := &http.Client{Timeout: longest, Transport: &http.Transport{DisableKeepAlives: true}}
			for range 5 {
				for _, path := range []string{"/livez", "/readyz", "/acceptz"} {
					response, err := client.Get(p.URL + path)
					require.NoError(t, err, "%s: %s", path, p.Log())
					require.NoError(t, response.Body.Close())
					require.Equal(t, http.StatusOK, response.StatusCode, path)
				}
			}
			status, answer := post(p.URL, "suppliers", key, fmt.Sprintf(`{"external_id":%q,"name":"x"}`, name))
			if tt.busy {
				require.Equal(t, http.StatusServiceUnavailable, status, answer)
				require.Contains(t, answer, "too many connections are open")
			} else {
				require.Equal(t, http.StatusOK, status, answer)
			}
		})
	}
}
