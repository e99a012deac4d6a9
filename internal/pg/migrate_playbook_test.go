package pg_test

import (
	"io/fs"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// TestRulesBecomeConfig checks that the purchasing rules of workspaces become the first version of
// their config.
func TestRulesBecomeConfig(t *testing.T) {
	t.Parallel()
	db := pgtest.NewEmpty(t)
	owner, admin := db.Owner(t), db.Admin(t)
	files, err := fs.Glob(pg.Migrations(), "*.sql")
	require.NoError(t, err)
	tenant, set, untouched := uuid.New(), uuid.New(), uuid.New()
	for _, file := range files {
		if file == "0040_playbook.sql" {
			_, err := admin.Exec(t.Context(), `INSERT INTO workspace.purchasing_rules
				(tenant_id, workspace_id, four_eyes, agents_submit, over_receipt_percent, reapproval_percent, version)
				VALUES ($1, $2, false, true, 2.5, 5, 7), ($1, $3, true, true, 10, 5, 1)`, tenant, set, untouched)
			require.NoError(t, err)
		}
		text, err := fs.ReadFile(pg.Migrations(), file)
		require.NoError(t, err)
		// One text of many statements is one transaction.
		_, err = owner.PgConn().Exec(t.Context(), string(text)).ReadAll()
		require.NoError(t, err, file)
		if file == "0040_playbook.sql" {
			break
		}
	}
	for workspace, want := range map[uuid.UUID]string{
		set:       `{"values": {"over_receipt_pct": 2.5, "require_four_eyes": false}}`,
		untouched: `{"values": {}}`,
	} {
		var version, revision int64
		var content string
		require.NoError(t, admin.QueryRow(t.Context(), `SELECT v.version, s.revision, v.content::text
			FROM workspace.playbook_versions v JOIN workspace.playbook_state s USING (tenant_id, workspace_id)
			WHERE v.tenant_id = $1 AND v.workspace_id = $2 AND v.kind = 'config' AND v.document_id = $2`, tenant, workspace).
			Scan(&version, &revision, &content))
		require.Equal(t, int64(1), version)
		require.Equal(t, int64(1), revision)
		require.Equal(t, want, content)
	}
}
