package httpapi_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

type member struct {
	ID      uuid.UUID `json:"id"`
	Email   string    `json:"email"`
	Role    string    `json:"role"`
	Version int64     `json:"version"`
}

func (w *world) members() string { return "/api/app/tenants/" + w.tenant.ID.String() + "/members" }

func TestRoles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin := w.join(w.tenant, auth.CompanyAdmin).enter()
	bob := w.join(w.tenant, auth.Buyer)
	at := w.members() + "/" + bob.id.String()

	t.Run("a change of role ends sessions", func(t *testing.T) {
		working := bob.enter()
		got := admin.call(http.MethodGet, at, nil)
		require.Equal(t, `"1"`, got.header.Get("ETag"))
		got = admin.call(http.MethodPatch, at, map[string]string{"role": "approver"}, "If-Match: "+got.header.Get("ETag"))
		require.Equal(t, "approver", decode[member](t, got, http.StatusOK).Role)
		require.Equal(t, `"2"`, got.header.Get("ETag"))
		requireProblem(t, working.call(http.MethodGet, "/api/app/session", nil), http.StatusUnauthorized, "no_session")
		decode[profile](t, admin.call(http.MethodGet, "/api/app/session", nil), http.StatusOK)
	})
	t.Run("who saw another version is told", func(t *testing.T) {
		requireProblem(t, admin.call(http.MethodPatch, at, map[string]string{"role": "viewer"}, `If-Match: "1"`),
			http.StatusPreconditionFailed, "stale")
		requireProblem(t, admin.call(http.MethodDelete, at, nil), http.StatusPreconditionRequired, "if_match")
	})
	t.Run("removing ends sessions and takes the company away", func(t *testing.T) {
		working := bob.enter()
		require.Equal(t, http.StatusNoContent, admin.call(http.MethodDelete, at, nil, `If-Match: "2"`).status)
		requireProblem(t, working.call(http.MethodGet, "/api/app/session", nil), http.StatusUnauthorized, "no_session")
		require.Empty(t, decode[profile](t, bob.enter().call(http.MethodGet, "/api/app/session", nil), http.StatusOK).Tenants)
		requireProblem(t, bob.enter().call(http.MethodGet, w.members(), nil), http.StatusNotFound, "unknown_place")
	})
	t.Run("the last admin stays", func(t *testing.T) {
		own := w.members() + "/" + admin.id.String()
		requireProblem(t, admin.call(http.MethodPatch, own, map[string]string{"role": "viewer"}, `If-Match: "1"`),
			http.StatusConflict, "last_admin")
		requireProblem(t, admin.call(http.MethodDelete, own, nil, `If-Match: "1"`), http.StatusConflict, "last_admin")
	})
	t.Run("two admins cannot demote each other", func(t *testing.T) {
		for range 10 {
			tenant := pgtest.NewTenant(t, w.db)
			pair := []*person{w.join(tenant, auth.CompanyAdmin).enter(), w.join(tenant, auth.CompanyAdmin).enter()}
			var racing sync.WaitGroup
			for i, p := range pair {
				racing.Go(func() {
					other := "/api/app/tenants/" + tenant.ID.String() + "/members/" + pair[1-i].id.String()
					p.call(http.MethodPatch, other, map[string]string{"role": "viewer"}, `If-Match: "1"`)
				})
			}
			racing.Wait()
			var admins int
			require.NoError(t, w.admin.QueryRow(t.Context(),
				"SELECT count(*) FROM control.memberships WHERE tenant_id = $1 AND role = 'company_admin'",
				tenant.ID).Scan(&admins))
			require.Positive(t, admins)
		}
	})
}

func TestPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin := w.join(w.tenant, auth.CompanyAdmin).enter()
	for range 4 {
		w.join(w.tenant, auth.Viewer)
	}
	var seen []uuid.UUID
	cursor := ""
	for pages := 1; ; pages++ {
		got := decode[page[member]](t, admin.call(http.MethodGet, w.members()+"?limit=2&cursor="+cursor, nil), http.StatusOK)
		for _, m := range got.Items {
			require.NotContains(t, seen, m.ID)
			seen = append(seen, m.ID)
		}
		if cursor = got.NextCursor; cursor == "" {
			require.Equal(t, 3, pages)
			break
		}
	}
	require.Len(t, seen, 5)
}

func TestInvitations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin := w.join(w.tenant, auth.CompanyAdmin).enter()
	invitations := "/api/app/tenants/" + w.tenant.ID.String() + "/invitations"
	type made struct {
		Invitation struct {
			ID uuid.UUID `json:"id"`
		} `json:"invitation"`
		Link string `json:"link"`
	}
	invite := func(email string) (made, string) {
		got := decode[made](t, admin.call(http.MethodPost, invitations, map[string]string{"email": email, "role": "buyer"}),
			http.StatusCreated)
		address, token, _ := strings.Cut(got.Link, "#")
		require.Equal(t, "https://quay.example/invitation", address)
		return got, token
	}
	accept := func(token, word string) answer {
		return w.nobody().call(http.MethodPost, "/api/app/invitations/accept",
			map[string]string{"token": token, "name": "Grace", "password": word})
	}

	t.Run("somebody new", func(t *testing.T) {
		email := strings.ToUpper(fresh())
		_, token := invite(email)
		read := w.nobody().call(http.MethodPost, "/api/app/invitations/read", map[string]string{"token": token})
		require.Contains(t, read.body, `"has_account":false`)
		requireProblem(t, accept(token, "short"), http.StatusUnprocessableEntity, "password_short")
		got := decode[profile](t, accept(token, password), http.StatusOK)
		require.Equal(t, strings.ToLower(email), got.Email)
		require.Equal(t, "buyer", got.Tenants[0].Role)
		requireProblem(t, accept(token, password), http.StatusNotFound, "dead_link")
		requireProblem(t, admin.call(http.MethodPost, invitations, map[string]string{"email": email, "role": "buyer"}),
			http.StatusConflict, "already_member")
	})
	t.Run("somebody with an account shows its password", func(t *testing.T) {
		elsewhere := w.join(pgtest.NewTenant(t, w.db), auth.Viewer)
		_, token := invite(elsewhere.email)
		requireProblem(t, accept(token, "another password"), http.StatusUnauthorized, "sign_in")
		require.Len(t, decode[profile](t, accept(token, password), http.StatusOK).Tenants, 2)

		// Whoever has the link controls the account, and the other company has not agreed to
		// that.
		link := w.members() + "/" + elsewhere.id.String() + "/password-link"
		requireProblem(t, admin.call(http.MethodPost, link, nil), http.StatusConflict, "member_elsewhere")
	})
	t.Run("inviting again replaces the link, withdrawing ends it", func(t *testing.T) {
		email := fresh()
		_, first := invite(email)
		again, second := invite(email)
		requireProblem(t, accept(first, password), http.StatusNotFound, "dead_link")
		require.Equal(t, http.StatusNoContent,
			admin.call(http.MethodDelete, invitations+"/"+again.Invitation.ID.String(), nil).status)
		requireProblem(t, accept(second, password), http.StatusNotFound, "dead_link")
	})
	t.Run("a link works once, also when it is used twice at once", func(t *testing.T) {
		_, token := invite(fresh())
		var (
			racing sync.WaitGroup
			mu     sync.Mutex
			in     int
		)
		for range 4 {
			racing.Go(func() {
				if accept(token, password).status == http.StatusOK {
					mu.Lock()
					in++
					mu.Unlock()
				}
			})
		}
		racing.Wait()
		require.Equal(t, 1, in)
	})
	t.Run("a link for a new password", func(t *testing.T) {
		bob := w.join(w.tenant, auth.Buyer)
		working := bob.enter()
		got := decode[made](t, admin.call(http.MethodPost, w.members()+"/"+bob.id.String()+"/password-link", nil),
			http.StatusOK)
		_, token, _ := strings.Cut(got.Link, "#")
		use := func() answer {
			return w.nobody().call(http.MethodPost, "/api/app/password-resets/use",
				map[string]string{"token": token, "password": "a few other words"})
		}
		require.Equal(t, http.StatusNoContent, use().status)
		requireProblem(t, use(), http.StatusNotFound, "dead_link")
		requireProblem(t, working.call(http.MethodGet, "/api/app/session", nil), http.StatusUnauthorized, "no_session")
		require.Equal(t, http.StatusOK, bob.signIn("a few other words").status)
	})
}

func TestWorkspaces(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin := w.join(w.tenant, auth.CompanyAdmin).enter()
	type workspace struct {
		ID       uuid.UUID `json:"id"`
		Name     string    `json:"name"`
		TimeZone string    `json:"time_zone"`
		Week     string    `json:"week_start"`
		Version  int64     `json:"version"`
	}
	all := "/api/app/tenants/" + w.tenant.ID.String() + "/workspaces"
	made := decode[workspace](t, admin.call(http.MethodPost, all,
		map[string]string{"name": "Webshop", "time_zone": "Europe/Berlin", "week_start": "saturday"}), http.StatusCreated)
	require.Equal(t, "saturday", made.Week)
	items := decode[page[workspace]](t, admin.call(http.MethodGet, all, nil), http.StatusOK).Items
	require.Len(t, items, 3)
	require.Equal(t, "monday", items[0].Week, "unless somebody says otherwise")

	one := "/api/app/workspaces/" + made.ID.String()
	for _, wrong := range []map[string]string{{"time_zone": "Mars/Olympus"}, {"time_zone": "Local"},
		{"base_currency": "euro"}, {"locale": "DE!"}, {"name": " "}, {"week_start": "someday"}, {"week_start": ""}} {
		got := admin.call(http.MethodPatch, one, wrong, `If-Match: "1"`)
		require.Equal(t, http.StatusUnprocessableEntity, got.status, got.body)
	}
	got := admin.call(http.MethodPatch, one, map[string]string{"name": "Shop", "week_start": "sunday"}, `If-Match: "1"`)
	changed := decode[workspace](t, got, http.StatusOK)
	require.Equal(t, workspace{made.ID, "Shop", "Europe/Berlin", "sunday", 2}, changed)
	me := decode[struct {
		Tenants []struct{ Workspaces []workspace }
	}](t, admin.call(http.MethodGet, "/api/app/session", nil), http.StatusOK)
	require.Contains(t, me.Tenants[0].Workspaces, workspace{made.ID, "Shop", "Europe/Berlin", "sunday", 0})
	requireProblem(t, admin.call(http.MethodPatch, one, map[string]string{"name": "Late"}, `If-Match: "1"`),
		http.StatusPreconditionFailed, "stale")
	requireProblem(t, admin.call(http.MethodPatch, one, map[string]string{"name": "Late"}, `If-Match: W/"2"`),
		http.StatusPreconditionFailed, "stale")
}
