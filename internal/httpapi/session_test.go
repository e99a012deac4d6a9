package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
)

type profile struct {
	ID      uuid.UUID `json:"id"`
	Email   string    `json:"email"`
	Tenants []struct {
		ID          uuid.UUID `json:"id"`
		Role        string    `json:"role"`
		Permissions []string  `json:"permissions"`
		Workspaces  []struct {
			ID uuid.UUID `json:"id"`
		} `json:"workspaces"`
	} `json:"tenants"`
}

type page[T any] struct {
	Items      []T    `json:"items"`
	NextCursor string `json:"next_cursor"`
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.join(w.tenant, auth.CompanyAdmin)

	got := ada.signIn(password)
	who := decode[profile](t, got, http.StatusOK)
	require.Equal(t, ada.id, who.ID)
	require.Equal(t, w.tenant.ID, who.Tenants[0].ID)
	require.Len(t, who.Tenants[0].Workspaces, 2)
	require.Contains(t, who.Tenants[0].Permissions, "manage_keys")
	cookies := got.header.Values("Set-Cookie")
	require.Len(t, cookies, 2, "the session's and the browser's")
	for i, name := range []string{"__Host-quayside=", "__Host-quayside-browser="} {
		for _, want := range []string{name, "Path=/", "Secure", "HttpOnly", "SameSite=Lax"} {
			require.Contains(t, cookies[i], want)
		}
		require.NotContains(t, cookies[i], "Domain")
	}
	require.Equal(t, "no-store", got.header.Get("Cache-Control"))
	set := (&http.Response{Header: got.header}).Cookies()[0]
	require.WithinDuration(t, time.Now().Add(30*24*time.Hour), set.Expires, time.Minute,
		"the cookie lives as long as the session may")
	require.Equal(t, who, decode[profile](t, ada.call(http.MethodGet, "/api/app/session", nil), http.StatusOK))

	t.Run("the token is new each time and only its hash is kept", func(t *testing.T) {
		first := ada.session
		ada.signIn(password)
		require.NotEqual(t, first, ada.session)
		var plain int
		require.NoError(t, w.admin.QueryRow(t.Context(),
			"SELECT count(*) FROM control.sessions s WHERE s::text LIKE '%' || $1 || '%'", ada.session).Scan(&plain))
		require.Zero(t, plain)
	})
	t.Run("signing out ends the session", func(t *testing.T) {
		leaving := ada.enter()
		got := leaving.call(http.MethodDelete, "/api/app/session", nil)
		require.Equal(t, http.StatusNoContent, got.status)
		require.Contains(t, got.header.Get("Set-Cookie"), "Max-Age=0")
		requireProblem(t, leaving.call(http.MethodGet, "/api/app/session", nil), http.StatusUnauthorized, "no_session")
	})
	t.Run("two cookies are no cookie", func(t *testing.T) {
		got := ada.enter().call(http.MethodGet, "/api/app/session", nil,
			"Cookie: __Host-quayside="+ada.session+"; __Host-quayside="+ada.session)
		requireProblem(t, got, http.StatusUnauthorized, "no_session")
	})
	t.Run("a session that is not used expires", func(t *testing.T) {
		idle := ada.enter()
		w.exec("UPDATE control.sessions SET expires_at = now() WHERE user_id = $1", ada.id)
		requireProblem(t, idle.call(http.MethodGet, "/api/app/session", nil), http.StatusUnauthorized, "no_session")
	})
	t.Run("one that is used lives on, but not for ever", func(t *testing.T) {
		used := ada.enter()
		w.exec("UPDATE control.sessions SET created_at = now() - interval '29 days', last_seen_at = now() - interval '1 day', expires_at = now() + interval '1 hour' WHERE user_id = $1", ada.id)
		decode[profile](t, used.call(http.MethodGet, "/api/app/session", nil), http.StatusOK)
		var left float64
		require.NoError(t, w.admin.QueryRow(t.Context(),
			"SELECT extract(epoch FROM max(expires_at) - now()) FROM control.sessions WHERE user_id = $1", ada.id).Scan(&left))
		require.InDelta(t, 24*3600, left, 60)
	})
}

// TestSignInTellsNothing checks that nobody can find out who has an account.
func TestSignInTellsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.join(w.tenant, auth.Viewer)
	unknown := func() *person {
		p := w.nobody()
		p.email = fresh()
		return p
	}
	wrong := ada.signIn("not the password")
	requireProblem(t, wrong, http.StatusUnauthorized, "sign_in")
	require.Equal(t, masked(wrong), masked(unknown().signIn("not the password")), "the answers differ")

	// The medians of interleaved times are compared: without the decoy's hash, an unknown
	// address would be answered about ten times as fast.
	require.Eventually(t, func() bool {
		var known, nobody []time.Duration
		for range 9 {
			w.exec("DELETE FROM control.throttles")
			known = append(known, took(func() { ada.signIn("not the password") }))
			nobody = append(nobody, took(func() { unknown().signIn("not the password") }))
		}
		slices.Sort(known)
		slices.Sort(nobody)
		ratio := float64(known[4]) / float64(nobody[4])
		t.Logf("known %s, unknown %s, ratio %.2f", known[4], nobody[4], ratio)
		return ratio > 0.7 && ratio < 1.4
	}, time.Minute, time.Millisecond, "the times differ")

	t.Run("a forgotten password", func(t *testing.T) {
		ask := func(email string) answer {
			return w.nobody().call(http.MethodPost, "/api/app/password-resets", map[string]string{"email": email})
		}
		known := ask(ada.email)
		require.Equal(t, http.StatusAccepted, known.status)
		require.Equal(t, masked(known), masked(ask(fresh())))
	})
}

func took(do func()) time.Duration {
	start := time.Now()
	do()
	return time.Since(start)
}

func TestSignInIsThrottled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.join(w.tenant, auth.Viewer)

	t.Run("by account, wherever the tries come from", func(t *testing.T) {
		for _, email := range []string{ada.email, "nobody@example.com"} {
			try := func(word string) answer {
				p := w.nobody()
				p.email = email
				return p.signIn(word)
			}
			for range 10 {
				requireProblem(t, try("not the password"), http.StatusUnauthorized, "sign_in")
			}
			got := try(password)
			requireProblem(t, got, http.StatusTooManyRequests, "too_many_tries")
			require.NotEmpty(t, got.header.Get("Retry-After"))
		}
		require.Equal(t, http.StatusOK, w.join(w.tenant, auth.Viewer).signIn(password).status, "others are not held up")
	})
	t.Run("also when the tries are made at once", func(t *testing.T) {
		grace := w.join(w.tenant, auth.Viewer)
		var (
			running sync.WaitGroup
			mu      sync.Mutex
			held    int
		)
		for range 30 {
			running.Go(func() {
				p := w.nobody()
				p.email = grace.email
				if p.signIn("not the password").status == http.StatusTooManyRequests {
					mu.Lock()
					held++
					mu.Unlock()
				}
			})
		}
		running.Wait()
		require.Equal(t, 20, held, "ten of thirty were judged, or had to wait too long for it")
	})
	t.Run("by address, whatever account is tried", func(t *testing.T) {
		p := w.nobody()
		w.exec("INSERT INTO control.throttles (subject, tries) VALUES (sha256(convert_to('sign-in address', 'UTF8') || '\\x00' || convert_to($1, 'UTF8')), 99)", p.from)
		p.email = fresh()
		requireProblem(t, p.signIn("not the password"), http.StatusUnauthorized, "sign_in")
		p.email = fresh()
		requireProblem(t, p.signIn("not the password"), http.StatusTooManyRequests, "too_many_tries")
	})
	t.Run("for a while", func(t *testing.T) {
		w.exec("UPDATE control.throttles SET since = now() - interval '1 hour'")
		require.Equal(t, http.StatusOK, ada.signIn(password).status)
	})
	t.Run("success forgives", func(t *testing.T) {
		for range 3 {
			for range 9 {
				ada.signIn("not the password")
			}
			require.Equal(t, http.StatusOK, ada.signIn(password).status)
		}
	})
}

// TestStolenSession ends a session that somebody else uses.
func TestStolenSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.join(w.tenant, auth.Viewer)
	stolen, owner := ada.enter(), ada.enter()
	decode[profile](t, stolen.call(http.MethodGet, "/api/app/session", nil), http.StatusOK)

	type session struct {
		ID      uuid.UUID `json:"id"`
		Current bool      `json:"current"`
		Address string    `json:"address"`
	}
	sessions := decode[page[session]](t, owner.call(http.MethodGet, "/api/app/sessions", nil), http.StatusOK).Items
	require.Len(t, sessions, 2)
	require.False(t, sessions[0].Current)
	require.True(t, sessions[1].Current)
	require.Equal(t, ada.from, sessions[0].Address)
	require.Equal(t, http.StatusNoContent,
		owner.call(http.MethodDelete, "/api/app/sessions/"+sessions[0].ID.String(), nil).status)
	requireProblem(t, stolen.call(http.MethodGet, "/api/app/session", nil), http.StatusUnauthorized, "no_session")
	decode[profile](t, owner.call(http.MethodGet, "/api/app/session", nil), http.StatusOK)

	t.Run("all others", func(t *testing.T) {
		second, third := ada.enter(), ada.enter()
		require.Equal(t, http.StatusNoContent, owner.call(http.MethodDelete, "/api/app/sessions", nil).status)
		for _, gone := range []*person{second, third} {
			requireProblem(t, gone.call(http.MethodGet, "/api/app/session", nil), http.StatusUnauthorized, "no_session")
		}
		decode[profile](t, owner.call(http.MethodGet, "/api/app/session", nil), http.StatusOK)
	})
	t.Run("a new password", func(t *testing.T) {
		second := ada.enter()
		change := map[string]string{"current_password": "wrong", "new_password": "a few other words"}
		requireProblem(t, owner.call(http.MethodPost, "/api/app/password", change), http.StatusUnprocessableEntity,
			"wrong_password")
		change["current_password"], change["new_password"] = password, "short"
		requireProblem(t, owner.call(http.MethodPost, "/api/app/password", change), http.StatusUnprocessableEntity,
			"password_short")
		change["new_password"] = "a few other words"
		require.Equal(t, http.StatusNoContent, owner.call(http.MethodPost, "/api/app/password", change).status)
		requireProblem(t, second.call(http.MethodGet, "/api/app/session", nil), http.StatusUnauthorized, "no_session")
		decode[profile](t, owner.call(http.MethodGet, "/api/app/session", nil), http.StatusOK)
		requireProblem(t, ada.signIn(password), http.StatusUnauthorized, "sign_in")
		require.Equal(t, http.StatusOK, ada.signIn("a few other words").status)
	})
}

func TestCrossSiteCallsAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.join(w.tenant, auth.CompanyAdmin).enter()
	rename := func(headers ...string) answer {
		return ada.call(http.MethodPatch, "/api/app/profile", map[string]string{"name": "Ada"}, headers...)
	}
	for _, header := range []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site",
		"Origin: https://evil.example", "Origin: null"} {
		requireProblem(t, rename(header), http.StatusForbidden, "cross_origin")
		login := w.nobody().call(http.MethodPost, "/api/app/session",
			map[string]string{"email": ada.email, "password": password}, header)
		requireProblem(t, login, http.StatusForbidden, "cross_origin")
	}
	for _, header := range []string{"Sec-Fetch-Site: same-origin", "Origin: https://quay.example", "Origin: " + w.url,
		"Accept: */*"} {
		require.Equal(t, http.StatusOK, rename(header).status, header)
	}
	require.Empty(t, ada.call(http.MethodGet, "/api/app/session", nil,
		"Origin: https://evil.example").header.Get("Access-Control-Allow-Origin"))
}

// TestBadInput checks the errors that callers of the app API get.
func TestBadInput(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.join(w.tenant, auth.CompanyAdmin).enter()
	at := "/api/app/workspaces/" + w.tenant.Workspace.String()
	for _, tt := range []struct {
		name, method, path, body string
		status                   int
		code, detail             string
	}{
		{"no JSON", "POST", at + "/keys", `{`, 400, "invalid_input", ""},
		{"a name twice", "POST", at + "/keys", `{"label":"a","label":"b","scope":"orders"}`, 400, "invalid_input", ""},
		{"a field missing", "POST", at + "/keys", `{"label":"a"}`, 422, "invalid_input", "scope is missing"},
		{"a field too many", "POST", at + "/keys", `{"label":"a","scope":"orders","admin":true}`, 422, "invalid_input",
			"admin: there is no such field"},
		{"another spelling", "POST", at + "/keys", `{"Label":"a","scope":"orders"}`, 422, "invalid_input", ""},
		{"an unknown scope", "POST", at + "/keys", `{"label":"a","scope":"nothing"}`, 422, "unknown_scope", "nothing"},
		{"an expiry in the past", "POST", at + "/keys", `{"label":"a","scope":"orders","expires_at":"2020-01-01T00:00:00Z"}`,
			422, "expires_at", "past"},
		{"no id", "GET", "/api/app/workspaces/nothing", ``, 404, "unknown_place", ""},
		{"orders in another table", "POST", at + "/keys", `{"label":"a","scope":"orders","order_drafted_here":true}`, 422,
			"order_drafted_here", "purchase_order_lines"},
		{"no id of a key", "GET", at + "/keys/nothing", ``, 422, "invalid_input", "key"},
		{"a limit too high", "GET", at + "/keys?limit=201", ``, 422, "invalid_input", "limit: expected 200 or less"},
		{"an unknown parameter", "GET", at + "/keys?offset=1", ``, 422, "invalid_input", "offset"},
		{"a cursor of somebody else's", "GET", at + "/keys?cursor=abc", ``, 400, "cursor", ""},
		{"no such operation", "GET", "/api/app/nothing", ``, 404, "no_operation", ""},
		{"no such method", "PUT", at, `{}`, 404, "no_operation", ""},
		{"no version", "PATCH", at, `{"name":"x"}`, 428, "if_match", "If-Match"},
		{"too large", "POST", at + "/keys", `{"label":"` + strings.Repeat("a", 70<<10) + `"}`, 413, "too_large", "64 KiB"},
		{"a NUL in a label", "POST", at + "/keys", `{"label":"a\u0000b","scope":"orders"}`, 422, "nul", "label"},
		{"a NUL in a scope", "POST", at + "/keys", `{"label":"a","scope":"\u0000"}`, 422, "nul", "scope"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ada.call(tt.method, tt.path, tt.body)
			require.Contains(t, requireProblem(t, got, tt.status, tt.code).Detail, tt.detail)
			t.Log(got.body[:min(len(got.body), 300)])
		})
	}
}
