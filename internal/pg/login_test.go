package pg_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/pg/q"
)

// TestLogin checks logins of a service that get around row security, each in one way, and one that does not.
func TestLogin(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, rights, member, code, says string }{
		{name: "a login of its own"},
		{name: "a superuser", rights: "SUPERUSER", code: "login_powerful", says: "is a superuser"},
		{name: "bypasses row security", rights: "BYPASSRLS", code: "login_powerful", says: "bypasses row security"},
		{name: "may make roles", rights: "CREATEROLE", code: "login_powerful", says: "may make others"},
		{name: "may become the owner", member: "quayside_owner", code: "login_member", says: "the owner of the schema"},
		{name: "inherits nothing, but may become the owner", rights: "NOINHERIT", member: "quayside_owner", code: "login_member",
			says: "REVOKE \"quayside_owner\" FROM"},
		{name: "may make backups", member: "quayside_backup", code: "login_member", says: "reads every row"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			db := pgtest.New(t)
			login, password := "login_"+uuid.NewString()[:8], uuid.NewString()
			admin := db.Admin(t)
			exec := func(statement string) {
				_, err := admin.Exec(context.WithoutCancel(t.Context()), statement)
				require.NoError(t, err, statement)
			}
			exec("CREATE ROLE " + login + " LOGIN " + tt.rights + " PASSWORD '" + password + "'")
			t.Cleanup(func() { exec("DROP ROLE " + login) })
			exec("GRANT quayside_app TO " + login)
			if tt.member != "" {
				exec("GRANT " + tt.member + " TO " + login)
			}
			address, err := url.Parse(db.ServiceURL)
			require.NoError(t, err)
			address.User = url.UserPassword(login, password)
			cells, err := pg.Open(t.Context(), pg.Config{URL: address.String(), MaxConns: 20})
			require.NoError(t, err)
			defer cells.Close()
			for _, try := range []bool{false, true} {
				err = cells.CheckLogin(t.Context(), address.String(), try)
				if tt.code == "" {
					require.NoError(t, err)
					continue
				}
				require.True(t, fault.HasCode(err, tt.code), err)
				require.Contains(t, err.Error(), tt.says)
				require.NotContains(t, err.Error(), password)
			}
		})
	}
}

// TestSharedPassword checks that a password which also opens the owner's login is found out, by trying it.
func TestSharedPassword(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t) // its logins share one
	require.NoError(t, db.CheckLogin(t.Context(), db.ServiceURL, false))
	err := db.CheckLogin(t.Context(), db.ServiceURL, true)
	require.True(t, fault.HasCode(err, "login_shared"), err)
	require.Contains(t, err.Error(), "quayside_owner")
	secret, err := url.Parse(db.ServiceURL)
	require.NoError(t, err)
	password, _ := secret.User.Password()
	require.False(t, strings.Contains(db.CheckLogin(t.Context(), db.ServiceURL, true).Error(), password))
}

// TestEightLoginsAreTried puts the owner's login, which has the service's password here, behind others that refuse it: it is
// found out as the eighth, and not tried as the ninth. Roles that do not log in do not count.
func TestEightLoginsAreTried(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	roles := []q.PowerfulRolesRow{{Name: "quayside_owner", What: "the owner of the schema", LogsIn: true}}
	for before := 1; before <= 8; before++ {
		other := q.PowerfulRolesRow{Name: fmt.Sprintf("superuser_%d", before), What: "a superuser", LogsIn: true}
		group := q.PowerfulRolesRow{Name: "quayside_owner", What: "a superuser"}
		roles = append([]q.PowerfulRolesRow{other, group}, roles...)
		err := pg.TryLogins(t.Context(), db.ServiceURL, roles...)
		if before == 8 {
			require.NoError(t, err)
			continue
		}
		require.True(t, fault.HasCode(err, "login_shared"), "behind %d: %v", before, err)
	}
}
