package httpapi_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/telemetry"
)

// TestRefusedCallsAreSummed sends calls without a valid key from two addresses. The log has one line for each address,
// one line for the call that was accepted as one, with its trace and the caller's address, and no secret.
func TestRefusedCallsAreSummed(t *testing.T) {
	t.Parallel()
	logged := &log{}
	w := newWorldWith(t, telemetry.NewLogger(logged, slog.LevelInfo))
	const canary = "canary5d1e"
	call := func(client, key string) int {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
			w.url+"/api/ingest/suppliers?token="+canary, nil)
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+key)
		request.Header.Set("X-Forwarded-For", canary+", "+client)
		request.Header.Set("X-Request-Id", w.keys["master"])
		request.Header.Set("Cookie", "__Host-quayside-session="+canary)
		request.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
		request.Header.Set("Tracestate", "x="+canary)
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		return response.StatusCode
	}
	for range 30 {
		require.Equal(t, http.StatusUnauthorized, call("203.0.113.7", "pk_"+canary))
		require.Equal(t, http.StatusUnauthorized, call("203.0.113.8", w.keys["unknown"]))
	}
	require.Equal(t, http.StatusOK, call("203.0.113.9", w.keys["master"]))
	require.Eventually(t, func() bool { return strings.Contains(logged.String(), "203.0.113.9") }, time.Minute, time.Millisecond,
		"a call may be logged after its answer has begun")
	require.NoError(t, w.app.HTTP.LogRefused(t.Context()))
	require.NoError(t, w.app.HTTP.LogRefused(t.Context()))

	refused, calls := map[string]float64{}, map[string]any{}
	for line := range strings.Lines(logged.String()) {
		var entry map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &entry), line)
		switch entry["msg"] {
		case "calls refused":
			client, _ := entry["client"].(string)
			require.NotContains(t, refused, client, "one line for each address")
			refused[client], _ = entry["calls"].(float64)
			require.EqualValues(t, http.StatusUnauthorized, entry["last_status"])
		case "request":
			client, _ := entry["client"].(string)
			calls[client] = entry["trace_id"]
		}
	}
	require.Equal(t, map[string]float64{"203.0.113.7": 30, "203.0.113.8": 30}, refused)
	require.Equal(t, map[string]any{"203.0.113.9": "0af7651916cd43dd8448eb211c80319c"}, calls)
	for what, secret := range map[string]string{"a canary": canary, "a key": w.keys["master"]} {
		require.NotContains(t, logged.String(), secret, what)
	}
}
