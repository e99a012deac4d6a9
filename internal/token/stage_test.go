package token_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/account"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/mail"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/token"
)

// stage is a company whose tokens are tried, and a superuser who sees what is stored of them.
type stage struct {
	t        *testing.T
	db       *pgtest.DB
	admin    *pgx.Conn
	tokens   *token.Service
	accounts *account.Service
	tenant   pgtest.Tenant
}

func newStage(t *testing.T) stage {
	t.Helper()
	db := pgtest.New(t)
	post, err := mail.New("")
	require.NoError(t, err)
	return stage{t: t, db: db, admin: db.Admin(t), tokens: token.New(db.Cells), tenant: pgtest.NewTenant(t, db),
		accounts: account.New(db.Cells, post, nil, "https://quay.example")}
}

// operator returns who runs the service, in the company's workspace.
func (st stage) operator() auth.Principal {
	by := auth.Operator(st.tenant.ID)
	by.Workspace = st.tenant.Workspace
	return by
}

// join makes a new member of the company.
func (st stage) join(role auth.Role) auth.Principal {
	st.t.Helper()
	email := uuid.NewString() + "@example.com"
	pgtest.NewUser(st.t, st.admin, email)
	member, _, err := st.accounts.CreateUser(st.t.Context(), auth.Operator(st.tenant.ID), email, "", "", role)
	require.NoError(st.t, err)
	return auth.Principal{Tenant: st.tenant.ID, Workspace: st.tenant.Workspace, Role: role, Person: member.ID,
		Actor: auth.Actor{Type: auth.ByPerson, ID: member.ID.String()}}
}

// issue makes a token with the scope read.
func (st stage) issue(by auth.Principal, agent bool) (token.Token, string) {
	st.t.Helper()
	made, shown, err := st.tokens.Issue(st.t.Context(), by,
		token.Request{Label: "mine", Agent: agent, Scopes: []auth.Scope{auth.ScopeRead}})
	require.NoError(st.t, err)
	return made, shown
}

// set changes a token in the database, behind the service's back.
func (st stage) set(of token.Token, assignments string) {
	st.t.Helper()
	_, err := st.admin.Exec(st.t.Context(), "UPDATE workspace.tokens SET "+assignments+" WHERE id = $1", of.ID)
	require.NoError(st.t, err)
}

// now returns a member's role, as the door of the tools asks for it after a token was verified.
func (st stage) now(by auth.Principal) auth.Role {
	st.t.Helper()
	present, err := st.accounts.CurrentPrincipal(st.t.Context(), by.Person, by.Tenant, by.Workspace)
	require.NoError(st.t, err)
	return present.Role
}

// version is that of a member whose role has never changed.
const version = 1

// later is an end that no test reaches.
func later() *time.Time { at := time.Now().Add(time.Hour); return &at }
