package httpapi_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/app"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/pgtest"
	tokens "github.com/quayside/quayside/internal/token"
)

// guess tries a password for the person's account from another address.
func (p *person) guess(word string) answer {
	p.w.t.Helper()
	stranger := p.w.nobody()
	stranger.email = p.email
	return stranger.signIn(word)
}

// TestKnownBrowser checks that somebody who tries passwords for an account uses up their own
// attempts, not those of the browsers that its owner has signed in with.
func TestKnownBrowser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other, err := app.New(t.Context(), app.Config{DatabaseURL: w.db.ServiceURL, BaseURL: "https://quay.example", Lanes: 2, MaxWait: time.Minute,
		MaxQueued: 64, MaxBodyBytes: 1 << 20, MaxConns: 32,
		Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(other.Close)
	instance := httptest.NewServer(other.HTTP.Handler())
	t.Cleanup(instance.Close)

	ada, mallory := w.join(w.tenant, auth.Viewer), w.join(w.tenant, auth.Viewer)
	require.Equal(t, http.StatusOK, ada.signIn(password).status)
	require.Equal(t, http.StatusOK, mallory.signIn(password).status)
	laptop := *ada
	require.NotEmpty(t, laptop.browser)
	require.Empty(t, w.read("control.browsers b WHERE b::text LIKE '%"+laptop.browser+"%'", "1", "1"),
		"only its hash is kept")

	elsewhere := *w
	elsewhere.url = instance.URL
	for n := range 10 { // from ten addresses, at two instances
		at := *ada
		if n%2 > 0 {
			at.w = &elsewhere
		}
		requireProblem(t, at.guess("not the password"), http.StatusUnauthorized, "sign_in")
	}
	requireProblem(t, ada.guess(password), http.StatusTooManyRequests, "too_many_tries")
	mallory.email = ada.email
	requireProblem(t, mallory.signIn(password), http.StatusTooManyRequests, "too_many_tries")
	forged := w.nobody()
	forged.email, forged.browser = ada.email, strings.Repeat("A", 43)
	requireProblem(t, forged.signIn(password), http.StatusTooManyRequests, "too_many_tries")

	laptop.w = &elsewhere
	require.Equal(t, http.StatusOK, laptop.signIn(password).status, "the owner is not locked out, at any instance")
	require.Equal(t, ada.browser, laptop.browser, "a browser is known by one token")
	requireProblem(t, ada.guess(password), http.StatusTooManyRequests, "too_many_tries")
	require.Equal(t, http.StatusNoContent, laptop.call(http.MethodPost, "/api/app/password",
		map[string]string{"current_password": password, "new_password": "a few other words"}).status,
		"nor kept from choosing another password")

	t.Run("its tries are bounded too", func(t *testing.T) {
		for range 10 {
			requireProblem(t, laptop.signIn("not the password"), http.StatusUnauthorized, "sign_in")
		}
		requireProblem(t, laptop.signIn("a few other words"), http.StatusTooManyRequests, "too_many_tries")
	})
	t.Run("a browser that has expired is not known", func(t *testing.T) {
		grace := w.join(w.tenant, auth.Viewer)
		require.Equal(t, http.StatusOK, grace.signIn(password).status)
		for range 10 {
			grace.guess("not the password")
		}
		w.exec("UPDATE control.browsers SET expires_at = now() WHERE user_id = $1", grace.id)
		requireProblem(t, grace.signIn(password), http.StatusTooManyRequests, "too_many_tries")
	})
	t.Run("a reset link makes the browser known", func(t *testing.T) {
		grace := w.join(w.tenant, auth.Viewer)
		link, err := w.app.Accounts.OperatorResetLink(t.Context(), grace.email)
		require.NoError(t, err)
		got := grace.call(http.MethodPost, "/api/app/password-resets/use",
			map[string]any{"token": link[strings.Index(link, "#")+1:], "password": "a few other words"})
		require.Equal(t, http.StatusNoContent, got.status, got.body)
		grace.keep(got)
		require.Empty(t, grace.session)
		for range 10 {
			grace.guess("not the password")
		}
		requireProblem(t, grace.guess("a few other words"), http.StatusTooManyRequests, "too_many_tries")
		require.Equal(t, http.StatusOK, grace.signIn("a few other words").status)
	})
	t.Run("what is shown tells nobody who has an account", func(t *testing.T) {
		known, unknown := w.nobody(), w.nobody()
		known.browser, unknown.browser = strings.Repeat("A", 43), strings.Repeat("A", 43)
		known.email, unknown.email = w.join(w.tenant, auth.Viewer).email, fresh()
		require.Equal(t, masked(known.signIn("not the password")), masked(unknown.signIn("not the password")))
	})
}

// TestResetEndsTokens checks that a password reset revokes the person's tokens in all
// companies: an attacker may have made them.
func TestResetEndsTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	second := pgtest.NewTenant(t, w.db)
	grace := w.join(w.tenant, auth.Buyer)
	_, _, err := w.app.Accounts.CreateUser(t.Context(), auth.Operator(second.ID), grace.email, "", "", auth.Buyer)
	require.NoError(t, err)
	issue := func(at pgtest.Tenant, who uuid.UUID, agent bool) string {
		by := auth.Principal{Tenant: at.ID, Workspace: at.Workspace, Role: auth.CompanyAdmin, Person: who,
			Actor: auth.Actor{Type: auth.ByPerson, ID: who.String()}}
		_, secret, err := w.app.Tokens.Issue(t.Context(), by,
			tokens.Request{Label: "x", Agent: agent, Scopes: []auth.Scope{auth.ScopeRead}})
		require.NoError(t, err)
		return secret
	}
	reset := func(body map[string]any) {
		link, err := w.app.Accounts.OperatorResetLink(t.Context(), grace.email)
		require.NoError(t, err)
		body["token"], body["password"] = link[strings.Index(link, "#")+1:], "a few other words"
		got := w.nobody().call(http.MethodPost, "/api/app/password-resets/use", body)
		require.Equal(t, http.StatusNoContent, got.status, got.body)
	}
	here, there, agent := issue(w.tenant, grace.id, false), issue(second, grace.id, false), issue(w.tenant, grace.id, true)
	others := issue(w.tenant, w.join(w.tenant, auth.Viewer).id, false)
	lives := func(secret string) bool {
		_, err := w.app.Tokens.Verify(t.Context(), secret)
		return err == nil
	}
	reset(map[string]any{"end_tokens": false})
	require.True(t, lives(here) && lives(there), "they were to be kept")
	reset(map[string]any{})
	require.False(t, lives(here), "the token goes on")
	require.False(t, lives(there), "the token in another company goes on")
	require.True(t, lives(agent), "an agent is the workspace's, not a person's")
	require.True(t, lives(others))
	require.Equal(t, []string{"-", "1"},
		w.read("workspace.audit WHERE action = 'member.password_changed' AND tenant_id = '"+second.ID.String()+"'",
			"data->'tokens_ended'", "id"))
}
