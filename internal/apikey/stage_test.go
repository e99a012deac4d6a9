package apikey_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/account"
	"github.com/quayside/quayside/internal/apikey"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// stage is a company whose keys are tried, and a superuser who sees what is stored of them.
type stage struct {
	t      *testing.T
	db     *pgtest.DB
	admin  *pgx.Conn
	keys   *apikey.Service
	tenant pgtest.Tenant
	by     auth.Principal // a Company-Admin in the company's workspace
}

func newStage(t *testing.T) stage {
	t.Helper()
	db := pgtest.New(t)
	st := stage{t: t, db: db, admin: db.Admin(t), keys: apikey.New(db.Cells), tenant: pgtest.NewTenant(t, db)}
	st.by = auth.Operator(st.tenant.ID)
	st.by.Workspace = st.tenant.Workspace
	return st
}

// issue makes a key, and returns it with its secret.
func (st stage) issue(want apikey.Request) (apikey.Key, string) {
	st.t.Helper()
	if want.Label == "" {
		want.Label = "Shop"
	}
	if want.Scope == "" {
		want.Scope = "orders"
	}
	want.Workspace = st.tenant.Workspace
	key, shown, err := st.keys.Issue(st.t.Context(), st.by, want)
	require.NoError(st.t, err)
	return key, shown
}

// set changes a key in the database, behind the service's back.
func (st stage) set(key apikey.Key, assignments string) {
	st.t.Helper()
	_, err := st.admin.Exec(st.t.Context(), "UPDATE workspace.api_keys SET "+assignments+" WHERE id = $1", key.ID)
	require.NoError(st.t, err)
}

// suspend suspends the company.
func (st stage) suspend() {
	st.t.Helper()
	_, err := account.New(st.db.Cells, nil, nil, "").Suspend(st.t.Context(), st.tenant.ID, "unpaid")
	require.NoError(st.t, err)
}

// audited returns what the audit has of a key, in the order in which it happened.
func (st stage) audited(key apikey.Key) (rows []string) {
	st.t.Helper()
	found, err := st.admin.Query(st.t.Context(),
		"SELECT action FROM workspace.audit WHERE tenant_id = $1 AND subject = $2 ORDER BY id", st.tenant.ID, key.ID.String())
	require.NoError(st.t, err)
	rows, err = pgx.CollectRows(found, pgx.RowTo[string])
	require.NoError(st.t, err)
	return rows
}
