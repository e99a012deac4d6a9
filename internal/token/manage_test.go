package token_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/token"
)

// TestIssue tries every scope in every role, for the person and for an agent: a token never has a scope in which
// its owner may do nothing.
func TestIssue(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	const read, write, failures, admin = auth.ScopeRead, auth.ScopeWrite, auth.ScopeFailures, auth.ScopeAdmin
	for role, may := range map[auth.Role]struct{ own, agents []auth.Scope }{
		auth.CompanyAdmin: {own: []auth.Scope{read, write, failures, admin}, agents: []auth.Scope{read, write, failures}},
		auth.Approver:     {own: []auth.Scope{read, write, failures}},
		auth.Buyer:        {own: []auth.Scope{read, write, failures}},
		auth.Viewer:       {own: []auth.Scope{read, failures}},
	} {
		by := st.join(role)
		for _, scope := range append(auth.Scopes(), "approve", "*", "") {
			for agent, scopes := range map[bool][]auth.Scope{false: may.own, true: may.agents} {
				want := token.Request{Label: "mine", Agent: agent, Scopes: []auth.Scope{scope}, ExpiresAt: later()}
				made, shown, err := st.tokens.Issue(t.Context(), by, want)
				if slices.Contains(scopes, scope) {
					require.NoError(t, err, "%s for %s, agent %t", scope, role, agent)
					require.Equal(t, want.Scopes, made.Scopes)
					require.Equal(t, []bool{!agent, agent}, []bool{made.Person != nil, made.Agent != nil})
					continue
				}
				require.Error(t, err, "%s for %s, agent %t", scope, role, agent)
				require.Empty(t, shown, "a secret is shown with a refusal")
			}
		}
	}
}

// TestIssueRefuses checks what no token can be made with, and by whom none can be made.
func TestIssueRefuses(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	past, buyer := time.Now(), st.join(auth.Buyer)
	with := buyer
	with.Token, with.Scopes = uuid.New(), auth.Scopes()
	admin := st.join(auth.CompanyAdmin)
	admin.Token, admin.Scopes = uuid.New(), auth.Scopes()
	stranger, scopes := auth.Principal{Tenant: st.tenant.ID, Person: uuid.New()}, []auth.Scope{auth.ScopeRead}
	for name, tt := range map[string]struct {
		by   auth.Principal
		want token.Request
		code string
	}{
		"no label":                      {buyer, token.Request{Label: " ", Scopes: scopes}, "label"},
		"an end right now":              {buyer, token.Request{Label: "x", Scopes: scopes, ExpiresAt: &past}, "expires_at"},
		"no scope":                      {buyer, token.Request{Label: "x"}, "scopes"},
		"nobody's":                      {st.operator(), token.Request{Label: "x", Scopes: scopes}, "owner"},
		"no member":                     {stranger, token.Request{Label: "x", Scopes: scopes}, "forbidden"},
		"an agent, by an admin's token": {admin, token.Request{Label: "x", Agent: true, Scopes: scopes}, "forbidden"},
		"an agent, by a buyer":          {buyer, token.Request{Label: "x", Agent: true, Scopes: scopes}, "forbidden"},
	} {
		_, shown, err := st.tokens.Issue(t.Context(), tt.by, tt.want)
		require.True(t, fault.HasCode(err, tt.code), "%s: %v", name, err)
		require.Empty(t, shown, name)
	}
}

// TestWhoseTokens checks whose tokens everybody sees and may revoke: their own, and Company-Admins everybody's in
// the workspace in which they are.
func TestWhoseTokens(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	second := uuid.Must(uuid.NewV7())
	_, err := st.admin.Exec(t.Context(),
		"INSERT INTO control.workspaces (tenant_id, id, name, time_zone) VALUES ($1, $2, 'Second', 'UTC')", st.tenant.ID, second)
	require.NoError(t, err)
	admin, buyer, viewer := st.join(auth.CompanyAdmin), st.join(auth.Buyer), st.join(auth.Viewer)
	elsewhere := admin
	elsewhere.Workspace = second
	stranger := auth.Operator(pgtest.NewTenant(t, st.db).ID)
	agent := auth.Principal{Tenant: st.tenant.ID, Workspace: st.tenant.Workspace, Role: auth.Agent, Token: uuid.New(),
		Scopes: auth.Scopes()}
	for _, tt := range []struct {
		name         string
		by           auth.Principal
		buyers, mine bool // may see and revoke the buyer's, and the viewer's
	}{
		{"the buyer", buyer, true, false},
		{"the viewer", viewer, false, true},
		{"an approver", st.join(auth.Approver), false, false},
		{"an agent", agent, false, false},
		{"an admin", admin, true, true},
		{"an admin in another workspace", elsewhere, false, false},
		{"the admin of another company", stranger, false, false},
	} {
		for owner, may := range map[*auth.Principal]bool{&buyer: tt.buyers, &viewer: tt.mine} {
			made, shown := st.issue(*owner, false)
			listed, _, err := st.tokens.List(t.Context(), tt.by, page.Request{Most: 200})
			require.NoError(t, err)
			require.Equal(t, may, slices.ContainsFunc(listed, func(one token.Token) bool { return one.ID == made.ID }),
				"%s sees one of a %s", tt.name, owner.Role)
			_, err = st.tokens.Revoke(t.Context(), tt.by, made.ID)
			require.Equal(t, may, err == nil, "%s revokes one of a %s: %v", tt.name, owner.Role, err)
			require.True(t, may || fault.HasCode(err, "unknown_token"), "%v", err)
			_, err = st.tokens.Verify(t.Context(), shown)
			require.Equal(t, !may, err == nil, tt.name)
		}
	}
}

// TestRates checks that every token has limits of its own, for requests and for calls.
func TestRates(t *testing.T) {
	t.Parallel()
	tokens := token.New(nil)
	one, other := uuid.New(), uuid.New()
	for name, take := range map[string]struct{ one, other func() error }{
		"calls": {func() error { return tokens.TakeCall(one) }, func() error { return tokens.TakeCall(other) }},
		"requests": {func() error { return tokens.TakeRequest(one.String()) },
			func() error { return tokens.TakeRequest(other.String()) }},
	} {
		var err error
		for range 10_000 { // a limit recovers meanwhile
			if err = take.one(); err != nil {
				break
			}
		}
		require.True(t, fault.HasCode(err, "rate_limit"), "%s have no limit: %v", name, err)
		require.NoError(t, take.other(), "%s of one token hold up another", name)
	}
}
