package account_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/token"
)

// invited is an open invitation of a buyer.
type invited struct {
	id           uuid.UUID
	email, token string
	by           somebody
}

func (st stage) invite(by somebody, email string, role auth.Role) invited {
	st.t.Helper()
	made, link, err := st.accounts.Invite(st.t.Context(), by.Principal, email, role)
	require.NoError(st.t, err)
	return invited{made.ID, email, after(link), by}
}

// accept uses an invitation as somebody without an account, and returns the code of the refusal.
func (st stage) accept(token string) string {
	st.t.Helper()
	entrance, err := st.accounts.Accept(st.t.Context(), token, "Grace", newWord, device)
	require.Equal(st.t, err == nil, entrance.Session != "")
	return code(err)
}

// invitationStates are what can become of an invitation, and whether it can then be read and accepted.
var invitationStates = []struct {
	name           string
	change         func(st stage, of invited)
	read, accepted string
}{
	{"open", func(stage, invited) {}, "", ""},
	{"about to expire", func(st stage, of invited) {
		st.exec("UPDATE control.invitations SET expires_at = now() + interval '1 minute' WHERE id = $1", of.id)
	}, "", ""},
	{"expired", func(st stage, of invited) {
		st.exec("UPDATE control.invitations SET expires_at = now() WHERE id = $1", of.id)
	}, "dead_link", "dead_link"},
	{"accepted", func(st stage, of invited) { require.Empty(st.t, st.accept(of.token)) }, "dead_link", "dead_link"},
	{"withdrawn", func(st stage, of invited) {
		require.NoError(st.t, st.accounts.Withdraw(st.t.Context(), of.by.Principal, of.id))
	}, "dead_link", "dead_link"},
	{"replaced by another", func(st stage, of invited) { st.invite(of.by, of.email, auth.Viewer) }, "dead_link", "dead_link"},
	{"its receiver became a member in another way", func(st stage, of invited) {
		_, _, err := st.accounts.CreateUser(st.t.Context(), auth.Operator(st.tenant.ID), of.email, "", newWord, auth.Viewer)
		require.NoError(st.t, err)
	}, "dead_link", "dead_link"},
	{"its author is no admin any more", func(st stage, of invited) { st.change(of.by.Person, auth.Buyer) }, "", "dead_link"},
	{"its author is no member any more", func(st stage, of invited) { st.change(of.by.Person, "") }, "", "dead_link"},
}

// TestInvitations uses an invitation in every state.
func TestInvitations(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.join(st.tenant, auth.CompanyAdmin) // one stays
	for _, state := range invitationStates {
		made := st.invite(st.join(st.tenant, auth.CompanyAdmin), uuid.NewString()+"@example.com", auth.Buyer)
		state.change(st, made)
		told, err := st.accounts.Invited(t.Context(), made.token)
		require.Equal(t, state.read, code(err), "%s: read", state.name)
		if state.read == "" {
			require.Equal(t, []any{made.email, auth.Buyer, false}, []any{told.Email, told.Role, told.Known}, state.name)
		}
		members := read[int64](st, "SELECT count(*) FROM control.memberships")
		require.Equal(t, state.accepted, st.accept(made.token), "%s: accepted", state.name)
		if state.accepted != "" {
			require.Equal(t, members, read[int64](st, "SELECT count(*) FROM control.memberships"), state.name)
			continue
		}
		role := read[string](st, `SELECT m.role FROM control.memberships m JOIN control.users u ON u.id = m.user_id
			WHERE m.tenant_id = $1 AND u.email = $2`, st.tenant.ID, made.email)
		require.Equal(t, string(auth.Buyer), role, state.name)
	}
}

// TestInvitationIsForOneAddress: an invitation makes nobody a member but the owner of its address, who proves the
// password of their account.
func TestInvitationIsForOneAddress(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	admin, elsewhere := st.join(st.tenant, auth.CompanyAdmin), pgtest.NewTenant(t, st.db)
	grace, eve := st.join(elsewhere, auth.Viewer), st.join(elsewhere, auth.Viewer)
	require.NoError(t, st.accounts.ChangePassword(t.Context(), eve.Principal, pgtest.Password, newWord, device))
	made := st.invite(admin, grace.email, auth.Buyer)
	told, err := st.accounts.Invited(t.Context(), made.token)
	require.NoError(t, err)
	require.True(t, told.Known)
	require.Equal(t, "sign_in", st.accept(made.token), "with Eve's password")

	entrance, err := st.accounts.Accept(t.Context(), made.token, "Somebody Else", pgtest.Password, device)
	require.NoError(t, err)
	by, err := st.accounts.Identify(t.Context(), entrance.Session, st.tenant.ID, uuid.Nil, device)
	require.NoError(t, err)
	require.Equal(t, []any{grace.Person, auth.Buyer}, []any{by.Person, by.Role})
	require.Equal(t, "unknown_place", st.identifyAs(eve, st.tenant.ID, uuid.Nil))
	require.NotEqual(t, "Somebody Else", read[string](st, "SELECT name FROM control.users WHERE id = $1", grace.Person))
}

// resetStates are what can become of a link for a new password that an admin made, and the code with which it is then
// refused.
var resetStates = []struct {
	name    string
	change  func(st stage, admin, who somebody, token string)
	refused string
}{
	{"fresh", func(stage, somebody, somebody, string) {}, ""},
	{"about to expire", func(st stage, _, who somebody, _ string) {
		st.exec("UPDATE control.password_resets SET expires_at = now() + interval '1 minute' WHERE user_id = $1", who.Person)
	}, ""},
	{"expired", func(st stage, _, who somebody, _ string) {
		st.exec("UPDATE control.password_resets SET expires_at = now() WHERE user_id = $1", who.Person)
	}, "dead_link"},
	{"used", func(st stage, _, _ somebody, token string) {
		require.Empty(st.t, st.reset(token, "yet some other words"))
	},
		"dead_link"},
	{"refused before for a short password", func(st stage, _, _ somebody, token string) {
		require.Equal(st.t, "password_short", st.reset(token, "short"))
	}, ""},
	{"another link was made", func(st stage, admin, who somebody, _ string) { st.link(admin, who) }, ""},
	{"another link was used", func(st stage, admin, who somebody, _ string) {
		require.Empty(st.t, st.reset(st.link(admin, who), "yet some other words"))
	}, "dead_link"},
	{"the password was changed", func(st stage, _, who somebody, _ string) {
		require.NoError(st.t, st.accounts.ChangePassword(st.t.Context(), who.Principal, pgtest.Password,
			"yet some other words", device))
	}, "dead_link"},
	{"its receiver has another role", func(st stage, _, who somebody, _ string) { st.change(who.Person, auth.Viewer) }, ""},
	{"its receiver is no member any more", func(st stage, _, who somebody, _ string) { st.change(who.Person, "") },
		"dead_link"},
	{"its receiver joined another company", func(st stage, _, who somebody, _ string) {
		other := auth.Operator(pgtest.NewTenant(st.t, st.db).ID)
		_, _, err := st.accounts.CreateUser(st.t.Context(), other, who.email, "", "", auth.Viewer)
		require.NoError(st.t, err)
	}, "dead_link"},
	{"its author is no admin any more", func(st stage, admin, _ somebody, _ string) { st.change(admin.Person, auth.Viewer) },
		"dead_link"},
	{"its author is no member any more", func(st stage, admin, _ somebody, _ string) { st.change(admin.Person, "") },
		"dead_link"},
}

// reset uses a link for a new password, and returns the code of the refusal.
func (st stage) reset(token, word string) string {
	st.t.Helper()
	entrance, err := st.accounts.Reset(st.t.Context(), token, word, true, device)
	require.Empty(st.t, entrance.Session, "the person signs in afterwards")
	return code(err)
}

// link makes a link for a new password.
func (st stage) link(by, member somebody) (token string) {
	st.t.Helper()
	link, _, err := st.accounts.ResetLink(st.t.Context(), by.Principal, member.Person)
	require.NoError(st.t, err)
	return after(link)
}

// TestResets uses a link for a new password in every state. A link that is refused leaves the password as it is.
func TestResets(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.join(st.tenant, auth.CompanyAdmin) // one stays
	for _, state := range resetStates {
		admin, who := st.join(st.tenant, auth.CompanyAdmin), st.join(st.tenant, auth.Buyer)
		token := st.link(admin, who)
		state.change(st, admin, who, token)
		hash := func() string {
			return read[string](st, "SELECT hash FROM control.passwords WHERE user_id = $1", who.Person)
		}
		before := hash()
		require.Equal(t, state.refused, st.reset(token, newWord), state.name)
		require.Equal(t, state.refused != "", before == hash(), state.name)
	}
}

// TestResetEndsWhatAnIntruderHas checks what a reset ends: every session, the other links and, unless the person keeps
// them, their tokens in every company. Agents' tokens and other people's stay.
func TestResetEndsWhatAnIntruderHas(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	tokens, ctx := token.New(st.db.Cells), t.Context()
	for _, endTokens := range []bool{true, false} {
		who, other := st.join(st.tenant, auth.CompanyAdmin), st.join(st.tenant, auth.Buyer)
		issue := func(by somebody, agent bool) (shown string) {
			_, shown, err := tokens.Issue(ctx, by.Principal,
				token.Request{Label: "x", Agent: agent, Scopes: []auth.Scope{auth.ScopeRead}})
			require.NoError(t, err)
			return shown
		}
		own, agents, others := issue(who, false), issue(who, true), issue(other, false)
		session := st.enter(who.Person)
		link, err := st.accounts.OperatorResetLink(ctx, who.email)
		require.NoError(t, err)
		_, err = st.accounts.Reset(ctx, after(link), newWord, endTokens, device)
		require.NoError(t, err)

		for _, ended := range []string{session, who.session} {
			require.Equal(t, "no_session", st.identify(ended, uuid.Nil, uuid.Nil))
		}
		require.Empty(t, st.identify(other.session, uuid.Nil, uuid.Nil))
		for shown, ended := range map[string]bool{own: endTokens, agents: false, others: false} {
			_, err := tokens.Verify(ctx, shown)
			require.Equal(t, ended, err != nil, "%v", err)
		}
	}
}
