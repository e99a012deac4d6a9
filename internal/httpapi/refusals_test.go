package httpapi_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/secret"
	"github.com/quayside/quayside/internal/telemetry"
)

// TestRefusedCallsAreSummed sends calls without a valid key from two addresses, and so many unknown ones from a third that
// it is slowed down. The log has one line for each address, one line for the call that was accepted as one, with its trace
// and the caller's address, none for an accepted record, and no secret.
func TestRefusedCallsAreSummed(t *testing.T) {
	t.Parallel()
	logged := &log{}
	w := newWorldWith(t, telemetry.NewLogger(logged, slog.LevelInfo))
	const canary = "canary5d1e"
	send := func(client, key, method, body string) int {
		request, err := http.NewRequestWithContext(t.Context(), method, w.url+"/api/ingest/suppliers?token="+canary, strings.NewReader(body))
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+key)
		request.Header.Set("X-Forwarded-For", canary+", "+client)
		request.Header.Set("X-Request-Id", w.keys["master"])
		request.Header.Set("Cookie", "__Host-quayside-session="+canary)
		request.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
		request.Header.Set("Tracestate", "x="+canary)
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, response.Body) // so that the next call uses this connection
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		return response.StatusCode
	}
	call := func(client, key string) int { return send(client, key, http.MethodGet, "") }
	for range 30 {
		require.Equal(t, http.StatusUnauthorized, call("203.0.113.7", "pk_"+canary))
		require.Equal(t, http.StatusUnauthorized, call("203.0.113.8", w.keys["unknown"]))
	}
	slowed := float64(0)
	for status := 0; status != http.StatusTooManyRequests; slowed++ {
		for err := error(nil); !fault.Is(err, fault.RateLimited); { // it may try some again soon
			_, err = w.app.Keys.Verify(t.Context(), secret.New("pk_"), netip.MustParseAddr("203.0.113.10"))
		}
		status = call("203.0.113.10", secret.New("pk_"))
	}
	// One connection takes the calls one after the other: when the second of these is in the log, the first would be.
	require.Equal(t, http.StatusOK, send("203.0.113.11", w.keys["master"], http.MethodPost, `{"external_id":"S1","name":"`+canary+`"}`))
	require.Equal(t, http.StatusOK, call("203.0.113.9", w.keys["master"]))
	require.Eventually(t, func() bool { return strings.Contains(logged.String(), "203.0.113.9") }, time.Minute, time.Millisecond,
		"a call may be logged after its answer has begun")
	require.NoError(t, w.app.HTTP.LogRefused(t.Context()))
	require.NoError(t, w.app.HTTP.LogRefused(t.Context()))

	refused, calls := map[string]float64{}, map[string]any{}
	lastStatus := map[string]int{"203.0.113.7": http.StatusUnauthorized, "203.0.113.8": http.StatusUnauthorized,
		"203.0.113.10": http.StatusTooManyRequests}
	for line := range strings.Lines(logged.String()) {
		var entry map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &entry), line)
		switch entry["msg"] {
		case "calls refused":
			client, _ := entry["client"].(string)
			require.NotContains(t, refused, client, "one line for each address")
			refused[client], _ = entry["calls"].(float64)
			require.EqualValues(t, lastStatus[client], entry["last_status"])
		case "request":
			client, _ := entry["client"].(string)
			calls[client] = entry["trace_id"]
		}
	}
	require.Equal(t, map[string]float64{"203.0.113.7": 30, "203.0.113.8": 30, "203.0.113.10": slowed}, refused)
	require.Equal(t, map[string]any{"203.0.113.9": "0af7651916cd43dd8448eb211c80319c"}, calls)
	for what, secret := range map[string]string{"a canary": canary, "a key": w.keys["master"]} {
		require.NotContains(t, logged.String(), secret, what)
	}
}
