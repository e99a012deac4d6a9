package httpapi_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/telemetry"
)

type connectionAnswer struct {
	ID          uuid.UUID `json:"id"`
	State       string    `json:"state"`
	TokenEnding string    `json:"token_ending"`
	Version     int64     `json:"version"`
	Test        *struct {
		Passed  bool   `json:"passed"`
		Failure string `json:"failure"`
	} `json:"test"`
}

// log is a text that several writers add to.
type log struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (l *log) Write(line []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.Write(line)
}

func (l *log) String() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.String()
}

// TestTokenNeverComesBack lives a connection's life, with an other system that repeats the token wherever it
// can, and looks for the token in every answer, in the log and in the database.
func TestTokenNeverComesBack(t *testing.T) {
	t.Parallel()
	logged := &log{}
	w := newWorldWith(t, telemetry.NewLogger(logged, slog.LevelDebug))
	admin := w.join(w.tenant, auth.CompanyAdmin).enter()
	tokens := []string{"canary-5f1e0c9a2e5b", "canary-0b7d8f6a1f0c"}

	var mutex sync.Mutex
	way := "ok"
	other := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		mutex.Lock()
		defer mutex.Unlock()
		token := r.Header.Get("Authorization")
		switch way {
		case "refused":
			rw.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(rw, `{"error":%q}`, token)
		case "redirect":
			rw.Header().Set("Location", "https://example.com/?token="+token)
			rw.WriteHeader(http.StatusFound)
		case "garbage":
			conn, _, _ := rw.(http.Hijacker).Hijack() //nolint:forcetypeassert // a test
			fmt.Fprintf(conn, "%s\r\n\r\n", token)
			_ = conn.Close()
		case "failing":
			rw.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(rw, token)
		case "another":
			fmt.Fprintf(rw, "<title>%s</title>", token)
		case "ok":
			rw.Header().Set("X-Pagination", `{"last_page":"true"}`)
			fmt.Fprintf(rw, `{"data":[{"id":1,"name":%q}]}`, token)
		}
	}))
	t.Cleanup(other.Close)

	var answers strings.Builder
	base := "/api/app/workspaces/" + w.tenant.Workspace.String() + "/connections"
	call := func(method, path string, body any, headers ...string) answer {
		got := admin.call(method, base+path, body, headers...)
		fmt.Fprintln(&answers, got.status, got.header, got.body)
		return got
	}
	settings := func(token string) map[string]any {
		return map[string]any{"system": "katana", "name": "Katana", "address": other.URL + "/v1", "token": token, "may_load": true}
	}
	for _, wrong := range []any{tokens[0] + " " + tokens[0], strings.Repeat(tokens[0], 500), map[string]any{tokens[0]: 1}, 5} {
		body := settings("")
		body["token"] = wrong
		require.GreaterOrEqual(t, call(http.MethodPost, "", body).status, 400)
	}
	body := settings(tokens[0])
	body["unknown"] = tokens[0]
	require.Equal(t, http.StatusUnprocessableEntity, call(http.MethodPost, "", body).status)
	body = settings(tokens[0])
	body["address"] = "https://10.0.0.5"
	require.Contains(t, call(http.MethodPost, "", body).body, "the address 10.0.0.5 is in a private network")

	made := decode[connectionAnswer](t, call(http.MethodPost, "", settings(tokens[0])), http.StatusCreated)
	require.Equal(t, "2e5b", made.TokenEnding)
	this := "/" + made.ID.String()
	for _, tt := range []struct{ way, failure string }{
		{"refused", "does not accept the token"}, {"redirect", "redirect"}, {"garbage", "without a whole answer"},
		{"failing", "cannot be reached"}, {"another", "unexpected answer"}, {"ok", ""},
	} {
		mutex.Lock()
		way = tt.way
		mutex.Unlock()
		tested := decode[connectionAnswer](t, call(http.MethodPost, this+"/test", nil), http.StatusOK)
		require.Equal(t, tt.failure == "", tested.Test.Passed, tt.way)
		require.Contains(t, tested.Test.Failure, tt.failure)
	}
	require.Equal(t, http.StatusOK, call(http.MethodPost, this+"/resume", nil).status)
	call(http.MethodPost, this+"/token", map[string]any{"token": tokens[1] + "\n" + tokens[1]})
	replaced := decode[connectionAnswer](t, call(http.MethodPost, this+"/token", map[string]any{"token": tokens[1]}),
		http.StatusOK)
	require.Equal(t, "paused", replaced.State)
	require.Equal(t, http.StatusPreconditionFailed,
		call(http.MethodPatch, this, map[string]any{"token": tokens[0]}, `If-Match: "1"`).status)
	require.Equal(t, http.StatusOK, call(http.MethodPatch, this, map[string]any{"name": "K", "token": tokens[0]},
		fmt.Sprintf(`If-Match: "%d"`, replaced.Version)).status)
	call(http.MethodGet, "", nil)
	call(http.MethodGet, this, nil)
	fmt.Fprintln(&answers, admin.call(http.MethodGet, "/api/app/tenants/"+w.tenant.ID.String()+"/audit", nil).body)
	require.Contains(t, answers.String(), "connection.token_replaced")
	stored := strings.Join(w.rowsOf(w.tenant.Workspace), "\n") +
		strings.Join(w.read("workspace.secrets s", "s::text, encode(s.sealed, 'escape')", "1"), "\n")
	require.Equal(t, http.StatusNoContent, call(http.MethodDelete, this, nil).status)

	require.Contains(t, logged.String(), "test of a connection failed")
	for place, text := range map[string]string{"answer": answers.String(), "log": logged.String(), "database": stored} {
		for _, token := range tokens {
			for _, form := range []string{token, hex.EncodeToString([]byte(token)), base64.StdEncoding.EncodeToString([]byte(token)),
				token[:15]} {
				require.NotContains(t, text, form, "a token is in the %s", place)
			}
		}
	}
}
