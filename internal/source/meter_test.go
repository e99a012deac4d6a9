package source

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// TestEveryOutcomeIsSummed counts records of two minutes of one hour. Some sums could not be written at first.
func TestEveryOutcomeIsSummed(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	tenant := pgtest.NewTenant(t, db)
	m := NewMeter(db.Cells)
	by := auth.Principal{Tenant: tenant.ID, Workspace: tenant.Workspace}
	hour := time.Now().UTC().Truncate(time.Hour)
	record := func(at time.Time) {
		for outcome, times := range map[Outcome]int{Failed: 1, Lost: 2, Stored: 4, Created: 8, Stale: 16} {
			for range times {
				m.Record(by, "orders", outcome, at)
			}
		}
		m.Warn(by, "orders", []string{"sku_unknown", "sku_padded"}, at)
		m.Warn(by, "orders", []string{"sku_unknown"}, at)
		m.Warn(by, "orders", nil, at)
	}
	record(hour)
	stopped, stop := context.WithCancel(t.Context())
	stop()
	require.Error(t, m.Flush(stopped))
	record(hour)
	record(hour.Add(time.Minute))
	require.NoError(t, m.Flush(t.Context()))
	var accepted, failed, stale int64
	require.NoError(t, db.Admin(t).QueryRow(t.Context(), "SELECT accepted, failed, stale FROM workspace.source_hours WHERE tenant_id = $1 AND slug = $2",
		tenant.ID, "orders").Scan(&accepted, &failed, &stale))
	require.Equal(t, []int64{3 * 28, 3 * 3, 3 * 16}, []int64{accepted, failed, stale})
	read := func() (warned map[string]int64) {
		require.NoError(t, db.Admin(t).QueryRow(t.Context(), "SELECT warned FROM workspace.source_hours WHERE tenant_id = $1", tenant.ID).Scan(&warned))
		return warned
	}
	require.Equal(t, map[string]int64{"sku_unknown": 3 * 2, "sku_padded": 3}, read())
	m.Warn(by, "orders", []string{"sku_twin", "sku_padded"}, hour)
	require.NoError(t, m.Flush(t.Context()))
	require.Equal(t, map[string]int64{"sku_unknown": 3 * 2, "sku_padded": 4, "sku_twin": 1}, read(), "added to what is there")
	m.Record(by, "orders", Stored, hour)
	require.NoError(t, m.Flush(t.Context()))
	require.Len(t, read(), 3, "and kept when nothing is warned of")
}
