package registry_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/registry"
)

// TestOneTableForOneVersion: whoever reads the registry gets the table that everybody has
// while its version is the same. Records are batched by it.
func TestOneTableForOneVersion(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	tenant := pgtest.NewTenant(t, db)
	tables := registry.New(db.Cells)
	ctx := t.Context()
	first, err := tables.Table(ctx, tenant.ID, "suppliers")
	require.NoError(t, err)
	reload := func() *registry.Table {
		table, err := tables.Reload(ctx, tenant.ID, "suppliers")
		require.NoError(t, err)
		return table
	}
	listed := func() *registry.Table {
		all, err := tables.All(ctx, tenant.ID)
		require.NoError(t, err)
		for _, table := range all {
			if table.Slug == "suppliers" {
				return table
			}
		}
		return nil
	}
	require.Same(t, first, reload())
	require.Same(t, first, listed())

	_, err = db.Admin(t).Exec(ctx, "UPDATE workspace.registry_columns SET description = 'Changed' WHERE slug = 'suppliers' AND name = 'note'")
	require.NoError(t, err)
	// Many find out at once, and still agree.
	found := make([]*registry.Table, 16)
	var group sync.WaitGroup
	for i := range found {
		group.Go(func() {
			if i%2 == 0 {
				found[i] = reload()
			} else {
				found[i] = listed()
			}
		})
	}
	group.Wait()
	for _, table := range found {
		require.Same(t, found[0], table)
	}
	require.NotSame(t, first, found[0])
	require.Greater(t, found[0].Version, first.Version)
	note, _ := found[0].Column("note")
	require.Equal(t, "Changed", note.Description)
	again, err := tables.Table(ctx, tenant.ID, "suppliers")
	require.NoError(t, err)
	require.Same(t, found[0], again)
}
