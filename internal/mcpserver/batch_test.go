package mcpserver_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
)

// TestBatch counts every message of a batch against the token's rate, and takes no more than ten. White space before the batch
// hides nothing, and what is no batch is answered as before.
func TestBatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	secret := w.agent("flood", auth.ScopeRead)
	const message = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	send := func(body string) (int, string) {
		t.Helper()
		status, _, answer := w.post(t.Context(), "/mcp", []byte(body), legacy{secret: secret, revision: "2025-03-26"}.header())
		return status, answer
	}
	batch := func(messages int) string { return " \n[" + strings.Repeat(message+",", messages-1) + message + "]" }
	status, answer := send(batch(11))
	require.Equal(t, http.StatusBadRequest, status, answer)
	require.Contains(t, answer, "a batch has at most 10 messages")
	for _, odd := range []string{"", " ", "[", "[]", "[1", `{"a":1}`, "[" + message} {
		status, _ := send(odd)
		require.Less(t, status, http.StatusInternalServerError, odd)
	}
	for sent := 0; ; sent++ {
		require.Less(t, sent, 100, "there is no limit")
		if status, _ = send(batch(10)); status == http.StatusTooManyRequests {
			return
		}
		require.Equal(t, http.StatusOK, status)
	}
}
