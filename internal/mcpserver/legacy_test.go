package mcpserver_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// legacy is a handwritten client of an older revision: one POST for each message, a handshake
// first, and the revision in a header.
type legacy struct {
	w        *world
	t        *testing.T
	secret   string
	revision string
}

func (l legacy) header() http.Header {
	return http.Header{
		"Authorization": {"Bearer " + l.secret}, "Content-Type": {"application/json"},
		"Accept":               {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {l.revision},
	}
}

// rpc sends a request that must be answered with a result.
func (l legacy) rpc(method string, params any) map[string]any {
	l.t.Helper()
	body, err := json.Marshal(arguments{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	require.NoError(l.t, err)
	status, header, text := l.w.post(l.t.Context(), "/mcp", body, l.header())
	require.Equal(l.t, http.StatusOK, status, text)
	require.Equal(l.t, "application/json", header.Get("Content-Type"))
	require.Empty(l.t, header.Get("Mcp-Session-Id"), "there are no sessions")
	var answer struct {
		Result map[string]any
		Error  any
	}
	require.NoError(l.t, json.Unmarshal([]byte(text), &answer))
	require.Nil(l.t, answer.Error, text)
	return answer.Result
}

// notify sends a notification, which has no answer.
func (l legacy) notify(method string) {
	l.t.Helper()
	body, err := json.Marshal(arguments{"jsonrpc": "2.0", "method": method})
	require.NoError(l.t, err)
	status, _, text := l.w.post(l.t.Context(), "/mcp", body, l.header())
	require.Equal(l.t, http.StatusAccepted, status, text)
	require.Empty(l.t, text)
}
