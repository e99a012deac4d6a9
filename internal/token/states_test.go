package token_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/account"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/secret"
	"github.com/quayside/quayside/internal/token"
)

// states are what can become of a token that worked, or of its person.
var states = []struct {
	name    string
	change  func(st stage, owner auth.Principal, made token.Token)
	refused error
	role    auth.Role // of the person afterwards; a person without one has no rights
}{
	{"live", func(stage, auth.Principal, token.Token) {}, nil, auth.Buyer},
	{"expires later", func(st stage, _ auth.Principal, made token.Token) {
		st.set(made, "expires_at = now() + interval '1 minute'")
	}, nil, auth.Buyer},
	{"expired", func(st stage, _ auth.Principal, made token.Token) { st.set(made, "expires_at = now()") }, token.ErrDead,
		auth.Buyer},
	{"revoked", func(st stage, owner auth.Principal, made token.Token) {
		_, err := st.tokens.Revoke(st.t.Context(), owner, made.ID)
		require.NoError(st.t, err)
	}, token.ErrDead, auth.Buyer},
	{"revoked, and would have expired later", func(st stage, _ auth.Principal, made token.Token) {
		st.set(made, "revoked_at = now(), expires_at = now() + interval '1 day'")
	}, token.ErrDead, auth.Buyer},
	{"of a person with fewer rights than before", func(st stage, owner auth.Principal, _ token.Token) {
		_, err := st.accounts.ChangeRole(st.t.Context(), st.operator(), owner.Person, auth.Viewer, version)
		require.NoError(st.t, err)
	}, nil, auth.Viewer},
	{"of a person who left", func(st stage, owner auth.Principal, _ token.Token) {
		require.NoError(st.t, st.accounts.RemoveMember(st.t.Context(), st.operator(), owner.Person, version))
	}, token.ErrDead, ""},
	{"of a person who left and came back", func(st stage, owner auth.Principal, _ token.Token) {
		member, err := st.accounts.Member(st.t.Context(), st.operator(), owner.Person)
		require.NoError(st.t, err)
		require.NoError(st.t, st.accounts.RemoveMember(st.t.Context(), st.operator(), owner.Person, version))
		_, _, err = st.accounts.CreateUser(st.t.Context(), st.operator(), member.Email, "", "", auth.Buyer)
		require.NoError(st.t, err)
	}, token.ErrDead, auth.Buyer},
	{"gone from the directory", func(st stage, _ auth.Principal, made token.Token) {
		_, err := st.admin.Exec(st.t.Context(), "DELETE FROM control.key_directory WHERE key_id = $1", made.ID)
		require.NoError(st.t, err)
	}, token.ErrDead, auth.Buyer},
	{"of a suspended company", func(st stage, _ auth.Principal, _ token.Token) { // the last one
		_, err := st.accounts.Suspend(st.t.Context(), st.tenant.ID, "unpaid")
		require.NoError(st.t, err)
	}, auth.ErrSuspended, ""},
}

// TestStates verifies a token in every state, with the service that has just let it in: nothing is cached.
func TestStates(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	for _, state := range states {
		owner := st.join(auth.Buyer)
		made, shown := st.issue(owner, false)
		_, err := st.tokens.Verify(t.Context(), shown)
		require.NoError(t, err, state.name)
		state.change(st, owner, made)
		by, err := st.tokens.Verify(t.Context(), shown)
		require.ErrorIs(t, err, state.refused, state.name)
		if state.refused != nil {
			require.Equal(t, auth.Principal{}, by, state.name)
			continue
		}
		require.Equal(t, state.role, st.now(by), state.name)
	}
}

// TestPasswordChangeKeepsTokens checks that somebody who changes their password by entering the present one keeps their
// tokens, and that those of agents which they have made go on.
func TestPasswordChangeKeepsTokens(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	admin := st.join(auth.CompanyAdmin)
	_, own := st.issue(admin, false)
	_, agents := st.issue(admin, true)
	require.NoError(t, st.accounts.ChangePassword(t.Context(), admin, pgtest.Password, "a few other words", account.Device{}))
	for name, shown := range map[string]string{"their own": own, "the agent's": agents} {
		_, err := st.tokens.Verify(t.Context(), shown)
		require.NoError(t, err, name)
	}
}

// TestMalformed shows what is no token, or not quite one.
func TestMalformed(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	_, shown := st.issue(st.operator(), true)
	for _, wrong := range []string{
		"", "qst_", shown[:len(shown)-1], shown + "0", shown + "\n", strings.ToUpper(shown), shown[:12],
		strings.Replace(shown, "qst_", "pk_", 1), strings.TrimPrefix(shown, "qst_"), secret.New("qst_"), secret.New("pk_"),
	} {
		by, err := st.tokens.Verify(t.Context(), wrong)
		require.ErrorIs(t, err, token.ErrDead, "%q", wrong)
		require.Equal(t, auth.Principal{}, by)
	}
}

// TestPrincipal checks what a token says of its caller: a person's has no role, because the caller of Verify reads it
// at the time of the call; an agent's has the role of agents and nothing of whoever made it.
func TestPrincipal(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	admin := st.join(auth.CompanyAdmin)
	mine, shown := st.issue(admin, false)
	by, err := st.tokens.Verify(t.Context(), shown)
	require.NoError(t, err)
	require.Equal(t, auth.Role(""), by.Role)
	require.Equal(t, []any{admin.Tenant, admin.Workspace, admin.Person, mine.ID, admin.Actor},
		[]any{by.Tenant, by.Workspace, by.Person, by.Token, by.Actor})
	require.Equal(t, []auth.Scope{auth.ScopeRead}, by.Scopes)
	require.Error(t, by.Require(auth.Read), "it has no rights without a role")

	agents, shown := st.issue(admin, true)
	by, err = st.tokens.Verify(t.Context(), shown)
	require.NoError(t, err)
	require.Equal(t, auth.Agent, by.Role)
	require.Equal(t, uuid.Nil, by.Person)
	require.Equal(t, auth.Actor{Type: auth.ByAgent, ID: agents.Agent.String()}, by.Actor)
	require.NoError(t, by.Require(auth.Read))
	require.Error(t, by.Require(auth.DraftLines), "the token has only the scope read")
}

// TestUsedAt checks that the time of the last use is written, and at most once a minute.
func TestUsedAt(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	made, shown := st.issue(st.operator(), true)
	used := func(change string) (ago float64) {
		st.set(made, change)
		_, err := st.tokens.Verify(t.Context(), shown)
		require.NoError(t, err)
		require.NoError(t, st.admin.QueryRow(t.Context(),
			"SELECT extract(epoch FROM now() - last_used_at) FROM workspace.tokens WHERE id = $1", made.ID).Scan(&ago))
		return ago
	}
	require.GreaterOrEqual(t, used("last_used_at = NULL"), 0.0)
	require.GreaterOrEqual(t, used("last_used_at = now() - interval '5 seconds'"), 5.0, "it was written within a minute")
	require.Less(t, used("last_used_at = now() - interval '1 hour'"), 3000.0)
}
