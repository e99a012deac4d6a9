package httpapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/account"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// password is everybody's password, and the one in the API's examples.
const password = pgtest.Password

var people atomic.Int64

// person is somebody with a browser.
type person struct {
	w       *world
	id      uuid.UUID
	email   string
	session string
	browser string // cookie by which the browser is known
	from    string // the address they call from
}

// join makes somebody a member of a company. They are not signed in.
func (w *world) join(tenant pgtest.Tenant, role auth.Role) *person {
	w.t.Helper()
	n := people.Add(1)
	email := fmt.Sprintf("%s-%d@example.com", role, n)
	pgtest.NewUser(w.t, w.admin, email)
	member, _, err := w.app.Accounts.CreateUser(w.t.Context(), auth.Operator(tenant.ID), email, "", "", role)
	require.NoError(w.t, err)
	return &person{w: w, id: member.ID, email: email, from: fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255)}
}

// enter gives the person a session without asking for the password.
func (p *person) enter() *person {
	p.w.t.Helper()
	token, _, err := p.w.app.Accounts.StartSession(p.w.t.Context(), p.id,
		account.Device{Address: netip.MustParseAddr(p.from), Agent: "test"})
	require.NoError(p.w.t, err)
	with := *p
	with.session = token
	return &with
}

// nobody returns a person who is not signed in.
func (w *world) nobody() *person {
	n := people.Add(1)
	return &person{w: w, from: fmt.Sprintf("10.%d.%d.%d", 128|n>>16&127, n>>8&255, n&255)}
}

// call makes a call of the app API. Headers come as "Name: value".
func (p *person) call(method, path string, body any, headers ...string) answer {
	p.w.t.Helper()
	var text []byte
	switch body := body.(type) {
	case nil:
	case string:
		text = []byte(body)
	default:
		var err error
		text, err = json.Marshal(body)
		require.NoError(p.w.t, err)
	}
	request, err := http.NewRequestWithContext(p.w.t.Context(), method, p.w.url+path, bytes.NewReader(text))
	require.NoError(p.w.t, err)
	request.Header.Set("X-Forwarded-For", p.from)
	if p.session != "" {
		request.Header.Add("Cookie", "__Host-quayside="+p.session)
	}
	if p.browser != "" {
		request.Header.Add("Cookie", "__Host-quayside-browser="+p.browser)
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(p.w.t, err)
	defer func() { _ = response.Body.Close() }()
	answered, err := io.ReadAll(response.Body)
	require.NoError(p.w.t, err)
	return answer{response.StatusCode, response.Header, string(answered)}
}

// signIn signs in like a browser, and returns the answer.
func (p *person) signIn(word string) answer {
	p.w.t.Helper()
	got := p.call(http.MethodPost, "/api/app/session", map[string]string{"email": p.email, "password": word})
	p.keep(got)
	return got
}

// keep stores an answer's cookies, like a browser.
func (p *person) keep(got answer) {
	for _, cookie := range (&http.Response{Header: got.header}).Cookies() {
		switch cookie.Name {
		case "__Host-quayside":
			p.session = cookie.Value
		case "__Host-quayside-browser":
			p.browser = cookie.Value
		}
	}
}

// decode reads an answer that must have this status.
func decode[T any](t *testing.T, got answer, status int) (into T) {
	t.Helper()
	require.Equal(t, status, got.status, got.body)
	require.NoError(t, json.Unmarshal([]byte(got.body), &into), got.body)
	return into
}

// problem is the part of an error that programs use.
type problem struct {
	Status    int    `json:"status"`
	Code      string `json:"code"`
	Detail    string `json:"detail"`
	RequestID string `json:"request_id"`
	Errors    []struct {
		Pointer string `json:"pointer"`
	} `json:"errors"`
}

// requireProblem checks that an answer is a problem with this status and code.
func requireProblem(t *testing.T, got answer, status int, code string) problem {
	t.Helper()
	found := decode[problem](t, got, status)
	require.Equal(t, "application/problem+json", got.header.Get("Content-Type"))
	require.Equal(t, code, found.Code, got.body)
	require.Equal(t, status, found.Status)
	require.Equal(t, got.header.Get("X-Request-Id"), found.RequestID)
	require.NotEmpty(t, found.Detail)
	return found
}
