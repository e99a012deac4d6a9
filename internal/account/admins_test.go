package account_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/account"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// TestAdminDuringTheirDemotion lets somebody go on who was an admin when their request began and no longer is: their
// principal still says so, but every change of the company's people asks again in its own transaction.
func TestAdminDuringTheirDemotion(t *testing.T) {
	t.Parallel()
	st, ctx := newStage(t), t.Context()
	other := st.join(st.tenant, auth.CompanyAdmin)
	member := st.join(st.tenant, auth.Buyer)
	open, _, err := st.accounts.Invite(ctx, other.Principal, "later@example.com", auth.Viewer)
	require.NoError(t, err)
	state := func() (rows []string) {
		for _, sql := range []string{
			"SELECT coalesce(string_agg(m::text, E'\n' ORDER BY m::text), '') FROM control.memberships m",
			"SELECT coalesce(string_agg(i::text, E'\n' ORDER BY i::text), '') FROM control.invitations i",
			"SELECT count(*)::text FROM workspace.audit",
		} {
			rows = append(rows, read[string](st, sql))
		}
		return rows
	}
	for _, now := range []auth.Role{auth.Approver, auth.Buyer, auth.Viewer, ""} {
		was := st.join(st.tenant, auth.CompanyAdmin)
		st.change(was.Person, now)
		require.NoError(t, was.Require(auth.ManageMembers), "the request has begun")
		before := state()
		for door, try := range map[string]func() error{
			"invite": func() error {
				_, link, err := st.accounts.Invite(ctx, was.Principal, uuid.NewString()+"@example.com", auth.CompanyAdmin)
				require.Empty(t, link)
				return err
			},
			"withdraw": func() error { return st.accounts.Withdraw(ctx, was.Principal, open.ID) },
			"change a role": func() error {
				_, err := st.accounts.ChangeRole(ctx, was.Principal, member.Person, auth.CompanyAdmin, 1)
				return err
			},
			"take the own role back": func() error {
				_, err := st.accounts.ChangeRole(ctx, was.Principal, was.Person, auth.CompanyAdmin, 2)
				return err
			},
			"remove": func() error { return st.accounts.RemoveMember(ctx, was.Principal, member.Person, 1) },
		} {
			require.Equal(t, "unknown_place", code(try()), "%s as %q", door, now)
		}
		require.Equal(t, before, state(), "something was changed as %q", now)

		// A link for a new password is not refused, but it opens nothing.
		link, _, err := st.accounts.ResetLink(ctx, was.Principal, member.Person)
		require.NoError(t, err)
		_, err = st.accounts.Reset(ctx, after(link), newWord, false, device)
		require.Equal(t, "dead_link", code(err), "as %q", now)
	}
}

// TestLastAdmin checks that a company keeps an admin, whoever else belongs to it.
func TestLastAdmin(t *testing.T) {
	t.Parallel()
	st, ctx := newStage(t), t.Context()
	admin := st.join(st.tenant, auth.CompanyAdmin)
	for _, role := range []auth.Role{auth.Approver, auth.Buyer, auth.Viewer} {
		st.join(st.tenant, role)
	}
	st.join(pgtest.NewTenant(t, st.db), auth.CompanyAdmin)
	for _, by := range []auth.Principal{admin.Principal, auth.Operator(st.tenant.ID)} {
		_, err := st.accounts.ChangeRole(ctx, by, admin.Person, auth.Approver, 1)
		require.Equal(t, "last_admin", code(err))
		require.Equal(t, "last_admin", code(st.accounts.RemoveMember(ctx, by, admin.Person, 1)))
	}
	second := st.join(st.tenant, auth.CompanyAdmin)
	_, err := st.accounts.ChangeRole(ctx, admin.Principal, admin.Person, auth.Viewer, 1)
	require.NoError(t, err)
	require.Equal(t, "last_admin", code(st.accounts.RemoveMember(ctx, second.Principal, second.Person, 1)))
}

// TestOnlyAdminsManagePeople tries everything that is done with people in every other role, with a token of an
// admin, and as the admin of another company.
func TestOnlyAdminsManagePeople(t *testing.T) {
	t.Parallel()
	st, ctx := newStage(t), t.Context()
	member := st.join(st.tenant, auth.Buyer)
	open, _, err := st.accounts.Invite(ctx, auth.Operator(st.tenant.ID), "later@example.com", auth.Viewer)
	require.NoError(t, err)
	doors := map[string]func(auth.Principal) error{
		"invite": func(by auth.Principal) error {
			_, _, err := st.accounts.Invite(ctx, by, uuid.NewString()+"@example.com", auth.Viewer)
			return err
		},
		"list invitations": func(by auth.Principal) error {
			_, _, err := st.accounts.Invitations(ctx, by, page.Request{})
			return err
		},
		"withdraw": func(by auth.Principal) error { return st.accounts.Withdraw(ctx, by, open.ID) },
		"create": func(by auth.Principal) error {
			_, _, err := st.accounts.CreateUser(ctx, by, member.email, "", "", auth.Viewer)
			return err
		},
		"change": func(by auth.Principal) error {
			_, err := st.accounts.ChangeRole(ctx, by, member.Person, auth.CompanyAdmin, 1)
			return err
		},
		"remove": func(by auth.Principal) error { return st.accounts.RemoveMember(ctx, by, member.Person, 1) },
		"link":   func(by auth.Principal) error { _, _, err := st.accounts.ResetLink(ctx, by, member.Person); return err },
		"add a workspace": func(by auth.Principal) error {
			name := "Second"
			_, err := st.accounts.CreateWorkspace(ctx, by, account.WorkspaceChange{Name: &name})
			return err
		},
	}
	token := st.join(st.tenant, auth.CompanyAdmin).Principal
	token.Token, token.Scopes = uuid.New(), auth.Scopes()
	callers := []auth.Principal{token}
	for _, role := range []auth.Role{auth.Agent, auth.Sync, ""} {
		callers = append(callers, auth.Principal{Tenant: st.tenant.ID, Role: role})
	}
	for _, role := range []auth.Role{auth.Approver, auth.Buyer, auth.Viewer} {
		callers = append(callers, st.join(st.tenant, role).Principal)
	}
	for door, try := range doors {
		for _, by := range callers {
			require.Equal(t, "forbidden", code(try(by)), "%s as %q", door, by.Role)
		}
	}
	stranger := st.join(pgtest.NewTenant(t, st.db), auth.CompanyAdmin).Principal
	for door, want := range map[string]string{
		"withdraw": "unknown_invitation", "change": "unknown_member", "remove": "unknown_member", "link": "unknown_member",
	} {
		require.Equal(t, want, code(doors[door](stranger)), door)
	}
}
