package pg_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// TestMigrateRepairs takes all rights and policies of our roles away, as a restore on a server without the roles
// does, and checks that a migration puts back exactly those.
func TestMigrateRepairs(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	admin := db.Admin(t)
	access := func() (all string) {
		require.NoError(t, admin.QueryRow(t.Context(), `SELECT concat_ws(E'\n',
			(SELECT string_agg(concat(c.oid::regclass, ' ', g.grantee::regrole, ' ', g.privilege_type), E'\n' ORDER BY c.oid::regclass::text, g.grantee::regrole::text, g.privilege_type)
			 FROM pg_class c, aclexplode(c.relacl) g WHERE c.relnamespace IN ('control'::regnamespace, 'workspace'::regnamespace)),
			(SELECT string_agg(concat(p.oid::regprocedure, ' ', g.grantee, ' ', g.privilege_type), E'\n' ORDER BY p.oid::regprocedure::text, g.grantee)
			 FROM pg_proc p, aclexplode(p.proacl) g WHERE p.pronamespace IN ('control'::regnamespace, 'workspace'::regnamespace)),
			(SELECT string_agg(concat(a.attrelid::regclass, '.', a.attname, ' ', g.grantee::regrole, ' ', g.privilege_type), E'\n' ORDER BY a.attrelid::regclass::text, a.attname, g.grantee::regrole::text, g.privilege_type)
			 FROM pg_attribute a, aclexplode(a.attacl) g),
			(SELECT string_agg(concat(schemaname, '.', tablename, ' ', policyname, ' ', permissive, ' ', roles, ' ', cmd, ' ', qual, ' ', with_check), E'\n' ORDER BY schemaname, tablename, policyname)
			 FROM pg_policies))`).Scan(&all))
		return all
	}
	whole := access()
	again, err := pg.Migrate(t.Context(), db.OwnerURL, db.ServiceURL)
	require.NoError(t, err)
	require.Empty(t, again)

	_, err = admin.Exec(t.Context(), "DROP OWNED BY quayside_app, quayside_system, quayside_backup")
	require.NoError(t, err)
	require.NotEqual(t, whole, access())
	repaired, err := pg.Migrate(t.Context(), db.OwnerURL, db.ServiceURL)
	require.NoError(t, err)
	require.Equal(t, []string{"rights and policies that were missing"}, repaired)
	require.Equal(t, whole, access())
}
