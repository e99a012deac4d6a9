package httpapi_test

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// These tests try to get into a company, or to stay in it, without the right to.

// invite invites somebody as an admin, and returns the link's token.
func (p *person) invite(tenant pgtest.Tenant, email string) string {
	p.w.t.Helper()
	got := p.call(http.MethodPost, "/api/app/tenants/"+tenant.ID.String()+"/invitations",
		map[string]string{"email": email, "role": "company_admin"})
	require.Equal(p.w.t, http.StatusCreated, got.status, got.body)
	return tokenOf(got.body)
}

func (p *person) passwordLink(tenant pgtest.Tenant, member *person) answer {
	p.w.t.Helper()
	return p.call(http.MethodPost, "/api/app/tenants/"+tenant.ID.String()+"/members/"+member.id.String()+"/password-link",
		nil)
}

func tokenOf(body string) string {
	_, rest, _ := strings.Cut(body, "#")
	token, _, _ := strings.Cut(rest, `"`)
	return token
}

func (w *world) accept(token string) answer {
	return w.nobody().call(http.MethodPost, "/api/app/invitations/accept",
		map[string]string{"token": token, "name": "Grace", "password": password})
}

func (w *world) reset(token, word string) answer {
	return w.nobody().call(http.MethodPost, "/api/app/password-resets/use",
		map[string]string{"token": token, "password": word})
}

func TestPasswordLinkEndsWhenItsReceiverJoinsAnotherCompany(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin, bob := w.join(w.tenant, auth.CompanyAdmin).enter(), w.join(w.tenant, auth.Buyer)
	token := tokenOf(admin.passwordLink(w.tenant, bob).body)
	other := pgtest.NewTenant(t, w.db)
	invitation := w.join(other, auth.CompanyAdmin).enter().invite(other, bob.email)
	require.Equal(t, http.StatusOK, w.accept(invitation).status)
	requireProblem(t, w.reset(token, "taken over by A"), http.StatusNotFound, "dead_link")
	requireProblem(t, admin.passwordLink(w.tenant, bob), http.StatusConflict, "member_elsewhere")
}

func TestRemovedAdminHasNoWayBack(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(admin, leaving *person) answer{
		"removed": func(admin, leaving *person) answer {
			return admin.call(http.MethodDelete, admin.w.members()+"/"+leaving.id.String(), nil, `If-Match: "1"`)
		},
		"demoted": func(admin, leaving *person) answer {
			return admin.call(http.MethodPatch, admin.w.members()+"/"+leaving.id.String(), map[string]string{"role": "viewer"},
				`If-Match: "1"`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			admin, leaving := w.join(w.tenant, auth.CompanyAdmin).enter(), w.join(w.tenant, auth.CompanyAdmin).enter()
			invitation := leaving.invite(w.tenant, fresh())
			link := tokenOf(leaving.passwordLink(w.tenant, admin).body)
			own := tokenOf(admin.passwordLink(w.tenant, leaving).body)
			require.Less(t, remove(admin, leaving).status, 300)
			requireProblem(t, w.accept(invitation), http.StatusNotFound, "dead_link")
			requireProblem(t, w.reset(link, "a few other words"), http.StatusNotFound, "dead_link")
			if name == "removed" {
				requireProblem(t, w.reset(own, "a few other words"), http.StatusNotFound, "dead_link")
			}
			decode[profile](t, admin.call(http.MethodGet, "/api/app/session", nil), http.StatusOK)
		})
	}
	t.Run("an invitation to who became a member in another way", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		admin := w.join(w.tenant, auth.CompanyAdmin).enter()
		email := fresh()
		invitation := admin.invite(w.tenant, email)
		_, _, err := w.app.Accounts.CreateUser(t.Context(), auth.Operator(w.tenant.ID), email, "", password, auth.Viewer)
		require.NoError(t, err)
		requireProblem(t, w.accept(invitation), http.StatusNotFound, "dead_link")
	})
}

// TestSlowCallIsJudgedWhenItArrives removes an admin between the first and the last byte of
// their call.
func TestSlowCallIsJudgedWhenItArrives(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin, leaving := w.join(w.tenant, auth.CompanyAdmin).enter(), w.join(w.tenant, auth.CompanyAdmin).enter()
	address, err := url.Parse(w.url)
	require.NoError(t, err)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address.Host)
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	body := `{"email":"later@example.com","role":"company_admin"}`
	_, err = fmt.Fprintf(conn,
		"POST /api/app/tenants/%s/invitations HTTP/1.1\r\nHost: x\r\nCookie: __Host-quayside=%s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
		w.tenant.ID, leaving.session, len(body), body[:5])
	require.NoError(t, err)
	removed := admin.call(http.MethodDelete, w.members()+"/"+leaving.id.String(), nil, `If-Match: "1"`)
	require.Equal(t, http.StatusNoContent, removed.status, removed.body)
	_, err = conn.Write([]byte(body[5:]))
	require.NoError(t, err)
	answer := make([]byte, 12)
	_, err = conn.Read(answer)
	require.NoError(t, err)
	require.Equal(t, "HTTP/1.1 401", string(answer))
}

// TestResetBeatsSignIn races a sign-in with the old password against a reset: no session of
// the old password survives.
func TestResetBeatsSignIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 8 {
		bob := w.join(w.tenant, auth.Buyer)
		link, err := w.app.Accounts.OperatorResetLink(t.Context(), bob.email)
		require.NoError(t, err)
		var racing sync.WaitGroup
		for range 3 {
			racing.Go(func() { (&person{w: w, email: bob.email, from: w.nobody().from}).signIn(password) })
		}
		racing.Go(func() {
			require.Equal(t, http.StatusNoContent, w.reset(link[strings.Index(link, "#")+1:], "a few other words").status)
		})
		racing.Wait()
		var left int
		require.NoError(t, w.admin.QueryRow(t.Context(), "SELECT count(*) FROM control.sessions WHERE user_id = $1",
			bob.id).Scan(&left))
		require.Zero(t, left)
	}
}

// TestAcceptAndInviteQueue accepts an invitation while it is sent anew.
func TestAcceptAndInviteQueue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin := w.join(w.tenant, auth.CompanyAdmin).enter()
	for range 10 {
		email := fresh()
		token := admin.invite(w.tenant, email)
		var (
			racing   sync.WaitGroup
			accepted answer
		)
		racing.Go(func() { accepted = w.accept(token) })
		racing.Go(func() {
			again := admin.call(http.MethodPost, "/api/app/tenants/"+w.tenant.ID.String()+"/invitations",
				map[string]string{"email": email, "role": "viewer"})
			require.Contains(t, []int{http.StatusCreated, http.StatusConflict}, again.status, again.body)
		})
		racing.Wait()
		require.Contains(t, []int{http.StatusOK, http.StatusNotFound}, accepted.status, accepted.body)
	}
}
