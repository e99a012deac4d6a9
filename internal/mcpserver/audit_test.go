package mcpserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
)

// TestNoCallWithoutItsAuditRow lets the audit refuse the row of a call: the call is then not made, whatever it would
// read or change. It is made when the audit takes rows again.
func TestNoCallWithoutItsAuditRow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	made := w.fill(w.tenant.ID, w.tenant.Workspace, "canary-ours")
	admin := w.connect(w.token(w.join(auth.CompanyAdmin), all...))
	w.exec(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'no space left'; END$$`)
	w.exec(`CREATE TRIGGER full_disk BEFORE INSERT ON workspace.audit FOR EACH ROW
		WHEN (NEW.action IN ('tool.called', 'resource.read')) EXECUTE FUNCTION full_disk()`)
	w.exec(`UPDATE workspace.tokens SET last_used_at = now() + interval '1 hour'`) // written once a minute otherwise
	before := w.everything("tenant_id", w.tenant.ID)
	for tool := range may {
		text, refused := admin.try(tool, about(tool, made))
		require.True(t, refused, "%s went on: %s", tool, text)
		require.NotContains(t, text, made.canary, tool)
	}
	_, err := admin.resource("quayside://sops/" + made.sop)
	require.Error(t, err)
	_, err = admin.resources()
	require.Error(t, err)
	require.Equal(t, before, w.everything("tenant_id", w.tenant.ID), "a call had an effect")

	w.exec(`DROP TRIGGER full_disk ON workspace.audit`)
	ask[any](admin, "failed_import_get", about("failed_import_get", made))
	require.Equal(t, []string{"failed_import_get"}, w.read(
		"SELECT subject FROM workspace.audit WHERE tenant_id = $1 AND action = 'tool.called'", w.tenant.ID))
}
