package alert_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/alert"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// computed writes the state of a workspace whose figures were computed, and are again every midnight of the coming days.
func (k *quay) computed(tenant pgtest.Tenant, at time.Time) {
	k.t.Helper()
	k.exec(`INSERT INTO workspace.sales_settings (tenant_id, workspace_id, time_zone, week_start, base_currency, rebuild_began_at)
		VALUES ($1, $2, 'UTC', 1, 'EUR', $3)`, tenant.ID, tenant.Workspace, at)
	k.exec(`INSERT INTO workspace.forecast_state (tenant_id, workspace_id, as_of, time_zone, week_start, computed_at, stale, queue_waits_since)
		VALUES ($1, $2, $3::date + 7, 'UTC', 1, $3, false, $3)`, tenant.ID, tenant.Workspace, at)
	k.exec(`INSERT INTO workspace.queue_state (tenant_id, workspace_id, as_of, forecasts_at, playbook_revision, computed_at)
		VALUES ($1, $2, $3::date + 7, $3, 0, $3)`, tenant.ID, tenant.Workspace, at)
}

// TestNotComputed lets records of one company wait for its demand, and then a row for its queue. The other company has
// no alert, and each alert ends when nothing waits.
func TestNotComputed(t *testing.T) {
	t.Parallel()
	k, box := quayWithMail(t)
	other := k.join()
	k.person(k.tenant, "buyer@example.com", auth.Buyer)
	k.person(other, "stranger@example.com", auth.Buyer)
	for _, tenant := range []pgtest.Tenant{k.tenant, other} {
		k.computed(tenant, k.now.Add(-time.Hour))
		k.exec(`INSERT INTO workspace.sales_changed (tenant_id, workspace_id, slug, record_id, changed_at) VALUES ($1, $2, 'orders', 'o', $3)`,
			tenant.ID, tenant.Workspace, k.now)
	}
	require.Empty(t, k.lookThoroughly(k.now.Add(30*minute)), "an import may last")
	k.exec("DELETE FROM workspace.sales_changed WHERE tenant_id = $1", other.ID)
	require.Empty(t, k.look(k.now.Add(31*minute)), "it is looked for now and then, as after a start it may only have to catch up")

	got := k.lookThoroughly(k.now.Add(31 * minute))
	require.Len(t, got, 1)
	require.Equal(t, alert.NotComputed, got[0].Rule)
	require.Equal(t, "The demand is not computed any more", got[0].Summary())
	require.Equal(t, "/w/"+k.tenant.Workspace.String()+"/to-order", got[0].Path)
	require.Equal(t, k.now, got[0].Since.UTC())
	require.Nil(t, got[0].ResolvedAt)
	k.mail(k.now.Add(31 * minute))
	sent := <-box.Mails
	require.Equal(t, "buyer@example.com", sent.To)
	require.Contains(t, sent.Text, "The demand is not computed any more.")
	require.Contains(t, sent.Text, "Since: "+k.now.Format("2 January 2006, 15:04"))
	require.Empty(t, receivers(box))
	require.Empty(t, k.list(other))
	require.Len(t, k.lookThoroughly(k.now.Add(36*minute)), 1, "it does not nag")

	k.exec("DELETE FROM workspace.sales_changed")
	got = k.look(k.now.Add(37 * minute))
	require.Len(t, got, 1)
	require.NotNil(t, got[0].ResolvedAt, "it ends by itself")

	k.exec("INSERT INTO workspace.queue_marks (tenant_id, workspace_id, product_id, marked_at) VALUES ($1, $2, 'p', $3)",
		k.tenant.ID, k.tenant.Workspace, k.now.Add(hour))
	got = k.lookThoroughly(k.now.Add(2 * hour))
	require.Len(t, got, 2)
	require.Equal(t, "What to order is not computed any more", got[0].Summary())
	require.Equal(t, k.now.Add(hour), got[0].Since.UTC())
	require.Empty(t, k.list(other))
}
