package mcpserver_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/token"
)

// TestDoor checks who may call, and what the others are told.
func TestDoor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	secret := w.agent("one", all...)
	ping := []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	with := func(name, value string) http.Header {
		header := legacy{secret: secret, revision: "2025-06-18"}.header()
		header.Del(name)
		if value != "" {
			header.Set(name, value)
		}
		return header
	}
	two := with("X", "")
	two["Authorization"] = []string{"Bearer " + secret, "Bearer " + secret}
	metadata := `resource_metadata="https://quay.example/.well-known/oauth-protected-resource/mcp"`
	for _, tt := range []struct {
		name      string
		header    http.Header
		status    int
		challenge string
	}{
		{"a token", with("X", ""), http.StatusOK, ""},
		{"none", with("Authorization", ""), http.StatusUnauthorized, "Bearer " + metadata},
		{"two", two, http.StatusUnauthorized, "Bearer " + metadata},
		{"another scheme", with("Authorization", "Basic abc"), http.StatusUnauthorized, "Bearer " + metadata},
		{"an ingest key", with("Authorization", "Bearer "+w.key), http.StatusUnauthorized,
			"Bearer " + metadata + `, error="invalid_token"`},
		{"nobody's", with("Authorization", "Bearer qst_"+strings.Repeat("0", 48)), http.StatusUnauthorized,
			"Bearer " + metadata + `, error="invalid_token"`},
		{"another site", with("Origin", "https://evil.example"), http.StatusForbidden, ""},
		{"no JSON", with("Content-Type", "text/plain"), http.StatusUnsupportedMediaType, ""},
		{"an old Accept", with("Accept", "text/html"), http.StatusBadRequest, ""},
	} {
		status, header, text := w.post(t.Context(), "/mcp", ping, tt.header)
		require.Equal(t, tt.status, status, "%s: %s", tt.name, text)
		require.True(t, strings.HasPrefix(header.Get("WWW-Authenticate"), tt.challenge), "%s: %s", tt.name,
			header.Get("WWW-Authenticate"))
		require.NotEmpty(t, header.Get("X-Request-Id"))
	}
	// The token is accepted only in a header, and only at this address.
	status, _, _ := w.post(t.Context(), "/mcp?access_token="+secret, ping, with("Authorization", ""))
	require.Equal(t, http.StatusUnauthorized, status)
	status, _, text := w.post(t.Context(), "/api/ingest/suppliers", []byte(`{"external_id":"1","name":"x"}`),
		http.Header{"Authorization": {"Bearer " + secret}})
	require.Equal(t, http.StatusUnauthorized, status)
	require.JSONEq(t, `{"error":"invalid or revoked api key"}`, text)
	status, _, _ = w.post(t.Context(), "/api/app/session", []byte(`{}`),
		http.Header{"Authorization": {"Bearer " + secret}, "Content-Type": {"application/json"}})
	require.NotEqual(t, http.StatusOK, status)
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		request, err := http.NewRequestWithContext(t.Context(), method, w.url+"/mcp", nil)
		require.NoError(t, err)
		request.Header = with("X", "")
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusMethodNotAllowed, response.StatusCode, "there are no sessions")
	}
	require.NotContains(t, w.log.String(), secret)
	require.NotContains(t, w.log.String(), w.key)
}

// TestMetadata reads the metadata of RFC 9728 at both of its addresses.
func TestMetadata(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.url+path, nil)
		require.NoError(t, err)
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.JSONEq(t, `{"resource":"https://quay.example/mcp","resource_name":"Quayside","resource_documentation":"https://quay.example/docs",
			"scopes_supported":["read","write","failed_imports","admin"],"bearer_methods_supported":["header"]}`, string(text))
	}
}

// TestOwnTokens checks who may create, see and revoke which tokens.
func TestOwnTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin, buyer, viewer := w.join(auth.CompanyAdmin), w.join(auth.Buyer), w.join(auth.Viewer)
	issue := func(by auth.Principal, agent bool, scopes ...auth.Scope) (token.Token, error) {
		made, secret, err := w.app.Tokens.Issue(t.Context(), by, token.Request{Label: "mine", Agent: agent, Scopes: scopes})
		if err == nil {
			require.Regexp(t, `^qst_[0-9a-f]{48}$`, secret)
			require.True(t, strings.HasPrefix(secret, made.Prefix))
			require.Empty(t, w.read("SELECT id FROM workspace.tokens t WHERE t::text LIKE '%' || $1 || '%'",
				secret[len(made.Prefix):]), "only the hash is stored")
		}
		return made, err
	}
	mine, err := issue(viewer, false, auth.ScopeFailures, auth.ScopeRead, auth.ScopeRead)
	require.NoError(t, err)
	require.Equal(t, []auth.Scope{auth.ScopeRead, auth.ScopeFailures}, mine.Scopes)
	for _, refused := range []struct {
		by     auth.Principal
		agent  bool
		scopes []auth.Scope
		words  string
	}{
		{viewer, false, []auth.Scope{auth.ScopeWrite}, "your role allows nothing of the scope write"},
		{viewer, true, []auth.Scope{auth.ScopeRead}, "your role may not do this (manage_tokens)"},
		{buyer, true, []auth.Scope{auth.ScopeRead}, "your role may not do this (manage_tokens)"},
		{buyer, false, nil, "choose what the token may do"},
		{buyer, false, []auth.Scope{"approve"}, `there is no scope "approve"; there are read, write, failed_imports and admin`},
		{buyer, false, []auth.Scope{auth.ScopeAdmin}, "your role allows nothing of the scope admin"},
		{admin, true, []auth.Scope{auth.ScopeAdmin}, "your role allows nothing of the scope admin"},
	} {
		_, err := issue(refused.by, refused.agent, refused.scopes...)
		require.ErrorContains(t, err, refused.words)
	}
	agents, err := issue(admin, true, auth.ScopeRead, auth.ScopeWrite)
	require.NoError(t, err)
	again, err := issue(admin, true, auth.ScopeRead, auth.ScopeWrite)
	require.NoError(t, err)
	require.Equal(t, agents.Agent, again.Agent, "an agent is its name")
	_, err = w.app.Tokens.Revoke(t.Context(), buyer, mine.ID)
	require.ErrorContains(t, err, "not yours")
	_, err = w.app.Tokens.Revoke(t.Context(), viewer, mine.ID)
	require.NoError(t, err)
	require.Equal(t, []string{"token.issued", "token.issued", "token.issued", "token.revoked"},
		w.read("SELECT action FROM workspace.audit WHERE action LIKE 'token.%' ORDER BY id"))
}

// TestRate checks that a token has rate limits of its own for calls of tools and for requests,
// and that nothing bypasses them. The test uses the limits up directly, so that it does not
// depend on the machine's speed.
func TestRate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	secret := w.agent("flood", auth.ScopeRead)
	by, err := w.app.Tokens.Verify(t.Context(), secret)
	require.NoError(t, err)
	flood, calm := w.connect(secret), w.connect(w.agent("calm", auth.ScopeRead))
	// The limit recovers meanwhile: a slow machine tries more than once.
	until := func(take func() error, limited func() bool) {
		for range 100 {
			for range 10_000 {
				if take() != nil {
					break
				}
			}
			if limited() {
				return
			}
		}
		require.Fail(t, "there is no limit")
	}
	var told struct {
		Error struct {
			Code  string
			Retry int `json:"retry_after_seconds"`
		}
	}
	until(func() error { return w.app.Tokens.TakeCall(by.Token) }, func() bool {
		text, refused := flood.try("table_list", nil)
		require.NoError(t, json.Unmarshal([]byte(text), &told))
		return refused
	})
	require.Equal(t, "rate_limit", told.Error.Code)
	require.Positive(t, told.Error.Retry)
	ask[any](calm, "table_list", nil)

	var header http.Header
	until(func() error { return w.app.Tokens.TakeRequest(secret) }, func() bool {
		var status int
		status, header, _ = w.post(t.Context(), "/mcp", []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`),
			legacy{secret: secret, revision: "2025-06-18"}.header())
		return status == http.StatusTooManyRequests
	})
	require.NotEmpty(t, header.Get("Retry-After"))
	ask[any](calm, "table_list", nil)
}
