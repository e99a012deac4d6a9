//race:detect a backup reads what pg_dump writes meanwhile
package backup_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/backup"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// TestBackup dumps a database, restores it elsewhere with pg_restore, migrates and settles it.
func TestBackup(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	tenant, admin := pgtest.NewTenant(t, db), db.Admin(t)
	person := pgtest.NewUser(t, admin, "buyer@shop.example")
	for _, statement := range []string{
		`INSERT INTO workspace.customers (tenant_id, workspace_id, external_id, name)
			SELECT $1, $2, 'c' || n, E'two\nlines \\. ' || n FROM generate_series(1, 500) n`,
		`INSERT INTO workspace.events (tenant_id, workspace_id, subject, id, kind, slug, version, actor, request_id, data)
			SELECT $1, $2, 's', gen_random_uuid(), 'k', 'customers', 1, '{}', '', '{}' FROM generate_series(1, 70)`,
		`INSERT INTO workspace.order_mails (tenant_id, workspace_id, id, order_no, key, supplier, receivers, copies, reply_to, subject, document, file_name, lines, state)
			SELECT $1, $2, gen_random_uuid(), 'PO-1', gen_random_uuid(), 's', '{}', '{}', '', '', '', '', '[]', state FROM unnest(ARRAY['queued', 'sending', 'sent']) state`,
	} {
		_, err := admin.Exec(t.Context(), statement, tenant.ID, tenant.Workspace)
		require.NoError(t, err)
	}
	_, err := admin.Exec(t.Context(), "INSERT INTO control.memberships (tenant_id, user_id, role) VALUES ($1, $2, 'buyer')", tenant.ID, person)
	require.NoError(t, err)
	_, err = admin.Exec(t.Context(), "INSERT INTO control.sessions (id, user_id, token_hash, expires_at) VALUES (gen_random_uuid(), $1, sha256('x'), now() + interval '1 day')", person)
	require.NoError(t, err)

	file := filepath.Join(t.TempDir(), "nightly.dump")
	manifest, err := backup.Create(t.Context(), db.OwnerURL, file)
	require.NoError(t, err)
	require.EqualValues(t, 500, manifest.Rows["workspace.customers"])
	_, err = backup.Create(t.Context(), db.OwnerURL, file)
	require.True(t, fault.HasCode(err, "exists"), err)
	again, err := backup.Verify(t.Context(), file)
	require.NoError(t, err)
	require.Equal(t, manifest.Rows, again.Rows)

	restored := pgtest.NewEmpty(t)
	command := exec.CommandContext(t.Context(), "pg_restore", "--exit-on-error", "--no-owner", "--dbname="+restored.OwnerURL, file)
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
	_, err = pg.Migrate(t.Context(), restored.OwnerURL, restored.ServiceURL)
	require.NoError(t, err)
	cells, err := pg.Open(t.Context(), pg.Config{URL: restored.ServiceURL, MaxConns: 20})
	require.NoError(t, err)
	defer cells.Close()
	gaps, err := cells.CheckRowSecurity(t.Context())
	require.NoError(t, err)
	require.Empty(t, gaps)
	moved, err := cells.Moved(t.Context())
	require.NoError(t, err)
	require.True(t, moved, "nothing is sent before it is settled")

	require.NoError(t, backup.Check(t.Context(), restored.OwnerURL, manifest))
	there := restored.Admin(t)
	_, err = there.Exec(t.Context(), "DELETE FROM workspace.customers WHERE external_id = 'c7'")
	require.NoError(t, err)
	err = backup.Check(t.Context(), restored.OwnerURL, manifest)
	require.ErrorContains(t, err, "workspace.customers has 499 of 500 rows")

	settled, err := backup.Settle(t.Context(), cells, []uuid.UUID{tenant.ID}, manifest.MadeAt)
	require.NoError(t, err)
	require.Equal(t, backup.Settled{Companies: 1, Sessions: 1, Mails: 2}, settled)
	rows, err := there.Query(t.Context(), "SELECT state FROM workspace.order_mails ORDER BY state")
	require.NoError(t, err)
	states, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Equal(t, []string{"sent", "unknown", "unknown"}, states)
	moved, err = cells.Moved(t.Context())
	require.NoError(t, err)
	require.False(t, moved)
}

// TestIncomplete checks that a dump with fewer rows than the database, for whatever reason, is not called whole.
func TestIncomplete(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	tenant, admin := pgtest.NewTenant(t, db), db.Admin(t)
	_, err := admin.Exec(t.Context(), `INSERT INTO workspace.suppliers (tenant_id, workspace_id, external_id, name)
		SELECT $1, $2, 's' || n, 'n' FROM generate_series(1, 5) n`, tenant.ID, tenant.Workspace)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "a.dump")
	manifest, err := backup.Create(t.Context(), db.OwnerURL, file)
	require.NoError(t, err)

	manifest.Rows["workspace.suppliers"] = 6
	text, err := json.Marshal(manifest)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(backup.ManifestOf(file), text, 0o600))
	_, err = backup.Verify(t.Context(), file)
	require.ErrorContains(t, err, "workspace.suppliers has 5 of 6 rows")

	info, err := os.Stat(file)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(file, info.Size()*2/3))
	_, err = backup.Verify(t.Context(), file)
	require.True(t, fault.HasCode(err, "unreadable"), err)

	_, err = admin.Exec(t.Context(), "DROP POLICY backup ON workspace.suppliers")
	require.NoError(t, err)
	_, err = backup.Create(t.Context(), db.OwnerURL, file+"2")
	require.ErrorContains(t, err, "workspace.suppliers: a backup would leave its rows out")
	require.NoFileExists(t, file+"2")
}

// TestNobodyElseReads checks the modes of both files when pg_dump has written the first byte: a stand-in for it looks at
// them. Not in parallel, because it changes PATH.
func TestNobodyElseReads(t *testing.T) {
	db := pgtest.New(t)
	pgtest.NewTenant(t, db)
	programs, folder := t.TempDir(), t.TempDir()
	seen, file := filepath.Join(programs, "seen"), filepath.Join(folder, "nightly.dump")
	const standIn = `#!/bin/sh
umask 000
for argument; do case $argument in --file=*) exec >"${argument#--file=}";; esac; done # as pg_dump does
printf P
stat -c '%a %s' "$WATCHED"/nightly.dump > "$SEEN"
echo "the disk is full" >&2
exit 1
`
	require.NoError(t, os.WriteFile(filepath.Join(programs, "pg_dump"), []byte(standIn), 0o700))
	t.Setenv("PATH", programs+":"+os.Getenv("PATH"))
	t.Setenv("WATCHED", folder)
	t.Setenv("SEEN", seen)
	_, err := backup.Create(t.Context(), db.OwnerURL, file)
	require.ErrorContains(t, err, "the disk is full")
	modes, err := os.ReadFile(seen)
	require.NoError(t, err)
	require.Equal(t, "600 1\n", string(modes))
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, left, "nothing is left of a backup that failed")
}

// TestNothingIsWrittenTo checks that a backup makes its files, and does not write through a link that somebody else has put there.
func TestNothingIsWrittenTo(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	pgtest.NewTenant(t, db)
	folder := t.TempDir()
	elsewhere := filepath.Join(folder, "elsewhere")
	for _, name := range []string{"a.dump", "b.dump.manifest.json"} {
		link := filepath.Join(folder, name)
		require.NoError(t, os.Symlink(elsewhere, link))
		_, err := backup.Create(t.Context(), db.OwnerURL, filepath.Join(folder, name[:len("a.dump")]))
		require.True(t, fault.HasCode(err, "exists"), "%s: %v", name, err)
		require.NoFileExists(t, elsewhere)
		require.NoError(t, os.Remove(link))
	}
	file := filepath.Join(folder, "c.dump")
	_, err := backup.Create(t.Context(), db.OwnerURL, file)
	require.NoError(t, err)
	for _, name := range []string{file, backup.ManifestOf(file)} {
		info, err := os.Stat(name)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode(), name)
	}
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, left, 2)
}
