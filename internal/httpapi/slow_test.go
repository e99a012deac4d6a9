package httpapi_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSlowBody sends half a body and stops: the answer is 408, and a caller who hangs up is
// not logged as an error.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	server := httptest.NewUnstartedServer(w.app.HTTP.Handler())
	server.Config.ReadTimeout = 200 * time.Millisecond
	server.Start()
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	_, err = fmt.Fprintf(conn,
		"POST /api/ingest/suppliers HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: 500\r\n\r\n{\"external_id\":", w.keys["master"])
	require.NoError(t, err)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	require.Equal(t, http.StatusRequestTimeout, response.StatusCode)
	require.Empty(t, w.read("workspace.failed_imports", "code", "1"))
}

// deadlines is a ResponseWriter that records its read deadlines.
type deadlines struct {
	*httptest.ResponseRecorder
	set []time.Time
}

func (d *deadlines) SetReadDeadline(at time.Time) error {
	d.set = append(d.set, at)
	return nil
}

// TestBodyLeavesNoDeadline calls an operation with a body. A read deadline that stayed set
// would end the call, and every later call on the same connection: net/http keeps reading, and
// takes the deadline for a caller who has gone.
func TestBodyLeavesNoDeadline(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/app/session",
		strings.NewReader(`{"email":"nobody@example.com","password":"wrong password"}`))
	request.Header.Set("Content-Type", "application/json")
	answered := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	w.app.HTTP.Handler().ServeHTTP(answered, request)
	require.Equal(t, http.StatusUnauthorized, answered.Code, answered.Body.String())
	require.NotEmpty(t, answered.set)
	require.True(t, answered.set[len(answered.set)-1].IsZero(), "a read deadline of %s is left",
		answered.set[len(answered.set)-1])
}
