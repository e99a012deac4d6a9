package service_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/test/rig"
)

const password = "correct horse battery"

// browser is a signed-in person, who may call any process.
type browser struct {
	t *testing.T
	*rig.Person
	workspace string
}

// user creates a member at the command line.
func (s *site) user(email, role string) {
	s.t.Helper()
	made := rig.RunWith(s.t, s.server.Env, password+"\n", "user", "create", "--tenant", s.tenant, "--email", email,
		"--role", role)
	require.Zero(s.t, made.Code, made.Stderr)
	require.Contains(s.t, made.Stdout, email)
}

func signIn(t *testing.T, at *rig.Process, email string) *browser {
	t.Helper()
	person, err := rig.SignIn(at.URL, email, password)
	require.NoError(t, err)
	return &browser{t, person, person.Workspace}
}

func (b *browser) do(at *rig.Process, method, path string, body any) (status int, answered string) {
	b.t.Helper()
	status, answered, err := b.Do(at.URL, method, path, body)
	require.NoError(b.t, err)
	return status, answered
}

// secretKey is a new key with its secret.
type secretKey struct {
	Key    apiKey
	Secret string
}

type apiKey struct {
	ID, Prefix, Status string
	Calls              int64   `json:"calls_24h"`
	LastUsedFrom       *string `json:"last_used_from"`
	ReplacedBy         string  `json:"replaced_by"`
}

// TestKeyLife takes a key through its whole life: created and revoked at one process, used at
// another.
func TestKeyLife(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("ada@example.com", "company_admin")
	one, two := rig.Serve(t, s.server.Env), rig.Serve(t, s.server.Env)
	ada := signIn(t, one, "ada@example.com")
	keys := "workspaces/" + ada.workspace + "/keys"
	change := func(at *rig.Process, path string, body any) (made secretKey) {
		t.Helper()
		status, text := ada.do(at, http.MethodPost, path, body)
		require.Equal(t, http.StatusCreated, status, text)
		require.NoError(t, json.Unmarshal([]byte(text), &made))
		return made
	}
	n := 0
	send := func(at *rig.Process, key string) int {
		n++
		status, _ := post(at.URL, "suppliers", key, fmt.Sprintf(`{"external_id":"S%d","name":"x"}`, n))
		return status
	}

	first := change(one, keys, map[string]string{"label": "Shop sync", "scope": "suppliers"})
	require.Equal(t, http.StatusOK, send(two, first.Secret))
	require.Equal(t, http.StatusOK, send(one, first.Secret))
	status, _ := post(two.URL, "orders", first.Secret, `{}`)
	require.Equal(t, http.StatusForbidden, status)

	read := func(at *rig.Process, id string) (key apiKey) {
		t.Helper()
		status, text := ada.do(at, http.MethodGet, keys+"/"+id, nil)
		require.Equal(t, http.StatusOK, status, text)
		require.NotContains(t, text, first.Secret, "the key is shown once")
		require.NoError(t, json.Unmarshal([]byte(text), &key))
		return key
	}
	// Each process flushes its counts within seconds.
	require.Eventually(t, func() bool { return read(one, first.Key.ID).Calls == 3 }, 2*time.Minute, 200*time.Millisecond)
	require.Equal(t, "127.0.0.1", *read(two, first.Key.ID).LastUsedFrom)

	second := change(two, keys+"/"+first.Key.ID+"/rotate", map[string]string{"overlap": "1h"})
	require.Equal(t, second.Key.ID, read(one, first.Key.ID).ReplacedBy)
	for _, at := range []*rig.Process{one, two} {
		require.Equal(t, http.StatusOK, send(at, first.Secret), "the old key lives on")
		require.Equal(t, http.StatusOK, send(at, second.Secret))
	}
	s.exec("UPDATE workspace.api_keys SET expires_at = now() WHERE id = '" + first.Key.ID + "'") // an hour later
	for _, at := range []*rig.Process{one, two} {
		require.Equal(t, http.StatusUnauthorized, send(at, first.Secret))
	}
	require.Equal(t, "expired", read(one, first.Key.ID).Status)

	third := change(one, keys+"/"+second.Key.ID+"/rotate", map[string]string{"overlap": "none"})
	for _, at := range []*rig.Process{one, two} {
		require.Equal(t, http.StatusUnauthorized, send(at, second.Secret), "without an overlap the old key ends at once")
		require.Equal(t, http.StatusOK, send(at, third.Secret))
	}
	status, text := ada.do(two, http.MethodPost, keys+"/"+second.Key.ID+"/rotate", map[string]string{"overlap": "none"})
	require.Equal(t, http.StatusConflict, status, text)

	status, text = ada.do(two, http.MethodPost, keys+"/"+third.Key.ID+"/revoke", nil)
	require.Equal(t, http.StatusOK, status, text)
	for _, at := range []*rig.Process{one, two} {
		require.Equal(t, http.StatusUnauthorized, send(at, third.Secret))
	}
	require.Equal(t, "revoked", read(one, third.Key.ID).Status)
}

// TestSessionEndsEverywhere ends a session at one process that another has seen, and looks for
// secrets in the logs of both.
func TestSessionEndsEverywhere(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("ada@example.com", "company_admin")
	again := rig.RunWith(t, s.server.Env, "another password\n", "user", "create", "--tenant", s.tenant, "--email",
		"ADA@example.com", "--role", "viewer")
	require.Equal(t, 1, again.Code)
	require.Contains(t, again.Stderr, "belongs to this company already")
	silent := rig.RunWith(t, s.server.Env, "", "user", "create", "--tenant", s.tenant, "--email", "alan@example.com",
		"--role", "viewer")
	require.Equal(t, 1, silent.Code)
	require.Contains(t, silent.Stderr, "no password came on standard input")

	env := append([]string{"QUAYSIDE_LOG_LEVEL=debug"}, s.server.Env...)
	one, two := rig.Serve(t, env), rig.Serve(t, env)
	stolen, owner := signIn(t, one, "ada@example.com"), signIn(t, two, "ada@example.com")
	status, _ := stolen.do(two, http.MethodGet, "session", nil)
	require.Equal(t, http.StatusOK, status)
	status, _ = owner.do(one, http.MethodDelete, "sessions", nil)
	require.Equal(t, http.StatusNoContent, status)
	status, _ = stolen.do(two, http.MethodGet, "session", nil)
	require.Equal(t, http.StatusUnauthorized, status)

	var link struct{ Link string }
	rig.Run(t, s.server.Env, "user", "reset", "--email", "ada@example.com", "--json").Decode(t, &link)
	_, token, _ := strings.Cut(link.Link, "#")
	status, text := owner.do(two, http.MethodPost, "password-resets/use",
		map[string]string{"token": token, "password": "a few other words"})
	require.Equal(t, http.StatusNoContent, status, text)
	status, _ = owner.do(one, http.MethodGet, "session", nil)
	require.Equal(t, http.StatusUnauthorized, status, "a new password ends every session")

	for _, process := range []*rig.Process{one, two} {
		require.Zero(t, process.Terminate())
		for _, mark := range []string{password, "a few other words", stolen.Cookie, owner.Cookie, token} {
			require.NotContains(t, process.Log(), mark)
		}
	}
}
