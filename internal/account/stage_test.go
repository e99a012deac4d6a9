package account_test

import (
	"log/slog"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/account"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/mail"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// stage is a company whose people are tried, and a superuser who sees what is stored of them. No mail server is
// configured, so links are shown.
type stage struct {
	t        *testing.T
	db       *pgtest.DB
	admin    *pgx.Conn
	accounts *account.Service
	tenant   pgtest.Tenant
}

// device is the browser of everybody.
var device = account.Device{Address: netip.MustParseAddr("192.0.2.1"), Agent: "test"}

// newWord is a password that nobody has yet.
const newWord = "a few other words"

func newStage(t *testing.T) stage {
	t.Helper()
	db := pgtest.New(t)
	post, err := mail.New("")
	require.NoError(t, err)
	accounts := account.New(db.Cells, post, slog.New(slog.DiscardHandler), "https://quay.example")
	t.Cleanup(accounts.Close)
	return stage{t: t, db: db, admin: db.Admin(t), accounts: accounts, tenant: pgtest.NewTenant(t, db)}
}

// somebody is a member who has signed in.
type somebody struct {
	auth.Principal
	email, session string
}

// join makes a member of a company, and signs them in.
func (st stage) join(tenant pgtest.Tenant, role auth.Role) somebody {
	st.t.Helper()
	email := uuid.NewString() + "@example.com"
	pgtest.NewUser(st.t, st.admin, email)
	member, _, err := st.accounts.CreateUser(st.t.Context(), auth.Operator(tenant.ID), email, "", "", role)
	require.NoError(st.t, err)
	who := somebody{email: email, session: st.enter(member.ID)}
	who.Principal, err = st.accounts.Identify(st.t.Context(), who.session, uuid.Nil, tenant.Workspace, device)
	require.NoError(st.t, err)
	require.Equal(st.t, role, who.Role)
	return who
}

// enter starts another session of a person.
func (st stage) enter(person uuid.UUID) (session string) {
	st.t.Helper()
	session, _, err := st.accounts.StartSession(st.t.Context(), person, device)
	require.NoError(st.t, err)
	return session
}

// identify shows a session somewhere, and returns the code of the refusal.
func (st stage) identify(session string, tenant, workspace uuid.UUID) string {
	st.t.Helper()
	by, err := st.accounts.Identify(st.t.Context(), session, tenant, workspace, device)
	if err != nil {
		require.Equal(st.t, auth.Principal{}, by, "a refusal names somebody")
	}
	return code(err)
}

// code returns the code of an error, or "" if there is none.
func code(err error) string {
	if err == nil {
		return ""
	}
	_, public := fault.Public(err)
	return public.Code
}

func (st stage) exec(sql string, args ...any) {
	st.t.Helper()
	_, err := st.admin.Exec(st.t.Context(), sql, args...)
	require.NoError(st.t, err)
}

// read returns a single value.
func read[T any](st stage, sql string, args ...any) (value T) {
	st.t.Helper()
	require.NoError(st.t, st.admin.QueryRow(st.t.Context(), sql, args...).Scan(&value))
	return value
}

// change gives a member another role, or none, as the operator does.
func (st stage) change(who uuid.UUID, role auth.Role) {
	st.t.Helper()
	by := auth.Operator(st.tenant.ID)
	member, err := st.accounts.Member(st.t.Context(), by, who)
	require.NoError(st.t, err)
	if role == "" {
		require.NoError(st.t, st.accounts.RemoveMember(st.t.Context(), by, who, member.Version))
		return
	}
	_, err = st.accounts.ChangeRole(st.t.Context(), by, who, role, member.Version)
	require.NoError(st.t, err)
}

// after returns the token of a link.
func after(link string) string { return link[strings.Index(link, "#")+1:] }
