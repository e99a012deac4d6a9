package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/account"
	"github.com/quayside/quayside/internal/apikey"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

type auditEntry struct {
	ID        uuid.UUID
	At        time.Time
	ByType    string     `json:"by_type"`
	ByID      string     `json:"by_id"`
	ByName    string     `json:"by_name"`
	Workspace *uuid.UUID `json:"workspace_id"`
	Action    string
	Subject   string
	About     string `json:"subject_name"`
	Data      map[string]any
	RequestID string `json:"request_id"`
}

type auditPage struct {
	Items      []auditEntry
	NextCursor string `json:"next_cursor"`
}

// audit returns what an admin reads of their company, the newest first.
func (p *person) audit(tenant uuid.UUID, filter string) auditPage {
	p.w.t.Helper()
	return decode[auditPage](p.w.t,
		p.call(http.MethodGet, fmt.Sprintf("/api/app/tenants/%s/audit?%s", tenant, filter), nil), http.StatusOK)
}

// TestAudit does what a company's people and its operator do, and reads the audit of it.
func TestAudit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	acme, err := w.app.Accounts.CreateTenant(t.Context(), "Acme")
	require.NoError(t, err)
	place := pgtest.Tenant{ID: acme.ID, Workspace: acme.Workspace}
	ada := w.join(place, auth.CompanyAdmin).enter()
	w.exec("UPDATE control.users SET name = 'Ada' WHERE id = $1", ada.id)
	company, workspace := "/api/app/tenants/"+acme.ID.String(), "/api/app/workspaces/"+acme.Workspace.String()
	did := func(method, path string, body any) answer {
		t.Helper()
		got := ada.call(method, path, body, `If-Match: "1"`)
		require.Less(t, got.status, 300, got.body)
		return got
	}

	// Keys.
	key := decode[struct {
		Key    struct{ ID uuid.UUID }
		Secret string
	}](t, did(http.MethodPost, workspace+"/keys", map[string]any{"label": "Till 3", "scope": "orders"}),
		http.StatusCreated)
	did(http.MethodPost, workspace+"/keys/"+key.Key.ID.String()+"/rotate", map[string]any{"overlap": "24h"})
	revoke := workspace + "/keys/" + key.Key.ID.String() + "/revoke"
	did(http.MethodPost, revoke, nil)
	did(http.MethodPost, revoke, nil) // changes nothing, and is not recorded
	operated, _, err := w.app.Keys.Issue(t.Context(), auth.Operator(acme.ID), apikey.Request{Label: "Sync", Scope: "*"})
	require.NoError(t, err)

	// People.
	invited := decode[struct {
		Invitation struct{ ID uuid.UUID }
		Link       string
	}](t, did(http.MethodPost, company+"/invitations", map[string]any{"email": "grace@example.com", "role": "buyer"}),
		http.StatusCreated)
	token := invited.Link[strings.Index(invited.Link, "#")+1:]
	require.Less(t, w.nobody().call(http.MethodPost, "/api/app/invitations/accept",
		map[string]any{"token": token, "name": "Grace", "password": password}).status, 300)
	withdrawn := decode[struct{ Invitation struct{ ID uuid.UUID } }](t,
		did(http.MethodPost, company+"/invitations", map[string]any{"email": "mallory@example.com", "role": "viewer"}),
		http.StatusCreated)
	did(http.MethodDelete, company+"/invitations/"+withdrawn.Invitation.ID.String(), nil)
	grace := &person{w: w, id: uuid.MustParse(w.read("control.users WHERE email = 'grace@example.com'", "id", "1")[0]),
		email: "grace@example.com", from: "10.9.9.9"}
	member := company + "/members/" + grace.id.String()
	link := decode[struct{ Link string }](t, did(http.MethodPost, member+"/password-link", nil), http.StatusOK).Link
	require.Less(t, w.nobody().call(http.MethodPost, "/api/app/password-resets/use",
		map[string]any{"token": link[strings.Index(link, "#")+1:], "password": "another horse battery"}).status, 300)
	require.NoError(t, w.app.Accounts.ChangePassword(t.Context(), auth.Principal{Person: grace.id},
		"another horse battery", password, account.Device{}))
	operatorLink, err := w.app.Accounts.OperatorResetLink(t.Context(), "grace@example.com")
	require.NoError(t, err)
	retrying := grace.enter() // leaves something with her name
	require.Equal(t, http.StatusForbidden, retrying.call(http.MethodPost, company+"/invitations",
		map[string]any{"email": "eve@example.com", "role": "viewer"}).status)
	did(http.MethodPatch, member, map[string]any{"role": "approver"})
	require.Less(t, ada.call(http.MethodDelete, member, nil, `If-Match: "2"`).status, 300)

	// Workspaces.
	did(http.MethodPatch, workspace, map[string]any{"time_zone": "Europe/Berlin", "week_start": "sunday"})
	made := decode[struct{ ID uuid.UUID }](t,
		did(http.MethodPost, company+"/workspaces", map[string]any{"name": "Webshop DE"}), http.StatusCreated)

	var told []string
	entries := ada.audit(acme.ID, "limit=200").Items
	for _, entry := range entries {
		told = append([]string{strings.TrimSpace(fmt.Sprintf("%s %s %s", entry.ByType, entry.ByName, entry.Action))}, told...)
	}
	require.Equal(t, []string{
		"operator  company.created", "operator  member.added",
		"user Ada key.issued", "user Ada key.rotated", "user Ada key.revoked", "operator  key.issued",
		"user Ada invitation.made", "user Grace invitation.accepted", "user Grace session.started",
		"user Ada invitation.made", "user Ada invitation.withdrawn",
		"user Ada member.password_link_made", "user Grace member.password_changed", "user Grace member.password_changed",
		"operator  member.password_link_made",
		"user Ada member.role_changed", "user Ada member.removed",
		"user Ada workspace.changed", "user Ada workspace.created",
	}, told, "Grace has left and kept her name")

	// The data of each entry.
	for _, tt := range []struct {
		action  string
		subject fmt.Stringer
		data    map[string]any
	}{
		{"key.rotated", key.Key.ID, map[string]any{"label": "Till 3", "scope": "orders", "overlap_hours": 24.0}},
		{"key.issued", operated.ID, map[string]any{"label": "Sync", "scope": "*", "expires_at": nil}},
		{"invitation.made", invited.Invitation.ID, map[string]any{"email": "grace@example.com", "role": "buyer"}},
		{"invitation.withdrawn", withdrawn.Invitation.ID, map[string]any{"email": "mallory@example.com"}},
		{"invitation.accepted", grace.id, map[string]any{"email": "grace@example.com", "name": "Grace", "role": "buyer"}},
		{"member.role_changed", grace.id, map[string]any{"name": "Grace", "from": "buyer", "to": "approver"}},
		{"member.removed", grace.id, map[string]any{"name": "Grace", "role": "approver"}},
		{"workspace.created", made.ID, map[string]any{"name": "Webshop DE"}},
	} {
		found := ada.audit(acme.ID, "action="+tt.action+"&subject="+tt.subject.String()).Items
		require.Len(t, found, 1, tt.action)
		require.Subset(t, found[0].Data, tt.data, tt.action)
		require.Equal(t, found[0].ByType == "operator", found[0].RequestID == "", "what people do has a request")
	}
	changed := ada.audit(acme.ID, "action=workspace.changed").Items[0]
	require.Equal(t, acme.Workspace, *changed.Workspace)
	require.Subset(t, changed.Data["from"], map[string]any{"time_zone": "UTC", "week_start": "monday"})
	require.Subset(t, changed.Data["to"], map[string]any{"time_zone": "Europe/Berlin", "week_start": "sunday"})

	requireNoSecrets(t, w, key.Secret, token, link[strings.Index(link, "#")+1:],
		operatorLink[strings.Index(operatorLink, "#")+1:], password, "another horse battery", ada.session)
}

// requireNoSecrets looks for secrets in the whole audit.
func requireNoSecrets(t *testing.T, w *world, secrets ...string) {
	t.Helper()
	everything := strings.Join(w.read("workspace.audit a", "to_jsonb(a)", "1"), "\n")
	require.NotEmpty(t, everything)
	for _, secret := range secrets {
		require.Greater(t, len(secret), 10)
		require.NotContains(t, everything, secret)
	}
	require.NotRegexp(t, regexp.MustCompile(`pk_[0-9a-f]{48}|argon2id`), everything)
}

func TestAuditIsFiltered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ours := w.company("ours")
	ada, eve := ours.roles[auth.CompanyAdmin].enter(), ours.roles[auth.Buyer].enter()
	path := fmt.Sprintf("/api/app/workspaces/%s/keys", ours.Workspace)
	for i := range 7 {
		require.Equal(t, http.StatusCreated,
			ada.call(http.MethodPost, path, map[string]any{"label": fmt.Sprint("Key ", i), "scope": "*"}).status)
	}
	count := func(filter string) int { return len(ada.audit(ours.ID, "limit=200&"+filter).Items) }
	all := count("")
	require.Equal(t, 7, count("actor="+ada.id.String()))
	require.Equal(t, 7, count("actor=user"))
	require.Equal(t, all-7, count("actor=operator"))
	require.Zero(t, count("actor="+eve.id.String()))
	require.Equal(t, 8, count("action=key.issued"), "one by the operator")
	require.Equal(t, 7, count("action=key.issued&actor="+ada.id.String()))
	require.Zero(t, count("subject="+url.QueryEscape("no such thing")))

	// Times: at and after, and before.
	items := ada.audit(ours.ID, "limit=200").Items
	third := url.QueryEscape(items[2].At.Format(time.RFC3339Nano))
	require.Equal(t, 3, count("since="+third))
	require.Equal(t, all-3, count("until="+third))

	// Pages, the newest first, each entry once.
	var paged []uuid.UUID
	for cursor, more := "", true; more; more = cursor != "" {
		page := ada.audit(ours.ID, "limit=3&cursor="+cursor)
		for _, entry := range page.Items {
			paged = append(paged, entry.ID)
		}
		cursor = page.NextCursor
	}
	require.Len(t, paged, all)
	for i, entry := range items {
		require.Equal(t, entry.ID, paged[i])
	}
	requireProblem(t, eve.call(http.MethodGet, fmt.Sprintf("/api/app/tenants/%s/audit", ours.ID), nil),
		http.StatusForbidden, "forbidden")
}

// TestPasswordInEveryCompany has a person of two companies choose a new password: both
// companies see it, and neither sees the other.
func TestPasswordInEveryCompany(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one, two, third := w.company("one"), w.company("two"), w.company("third")
	grace := one.roles[auth.Buyer]
	_, _, err := w.app.Accounts.CreateUser(t.Context(), auth.Operator(two.ID), grace.email, "", "", auth.Viewer)
	require.NoError(t, err)
	require.Equal(t, http.StatusNoContent, grace.enter().call(http.MethodPost, "/api/app/password",
		map[string]any{"current_password": password, "new_password": "another horse battery"}).status)
	for _, c := range []company{one, two, third} {
		found := c.roles[auth.CompanyAdmin].enter().audit(c.ID, "action=member.password_changed").Items
		if c.ID == third.ID {
			require.Empty(t, found)
			continue
		}
		require.Len(t, found, 1)
		require.Equal(t, []string{grace.id.String(), grace.id.String()}, []string{found[0].ByID, found[0].Subject})
	}
}
