//race:detect requests share the cache of definitions
package registry_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/registry"
)

// TestOneTableForOneVersion checks that all readers get the same pointer while the version is
// the same. Ingest batches records by it.
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

	_, err = db.Admin(t).Exec(ctx,
		"UPDATE workspace.registry_columns SET description = 'Changed' WHERE slug = 'suppliers' AND name = 'note'")
	require.NoError(t, err)
	// Many readers notice the new version at once, and get the same pointer.
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

// TestDefaultViews checks that every built-in table has a default view, and that its columns
// exist.
func TestDefaultViews(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	tenant := pgtest.NewTenant(t, db)
	_, err := db.Admin(t).Exec(t.Context(),
		"INSERT INTO workspace.registry_tables (tenant_id, slug, title) VALUES ($1, 'bins', 'Bins')", tenant.ID)
	require.NoError(t, err)
	_, err = db.Admin(t).Exec(t.Context(), `INSERT INTO workspace.registry_columns (tenant_id, slug, name, position, type)
		SELECT $1, 'bins', 'column_' || n, n, CASE WHEN n < 3 THEN 'number' ELSE 'text' END FROM generate_series(1, 20) n`, tenant.ID)
	require.NoError(t, err)
	tables, err := registry.New(db.Cells).All(t.Context(), tenant.ID)
	require.NoError(t, err)
	require.Len(t, tables, 8)
	for _, table := range tables {
		view := table.DefaultView()
		require.Positive(t, view.Frozen, table.Slug)
		require.Greater(t, len(view.Columns), view.Frozen, table.Slug)
		require.Equal(t, "updated_at", view.Columns[len(view.Columns)-1], table.Slug)
		require.NotEmpty(t, view.Label, table.Slug)
		for _, name := range slices.Concat(view.Columns[:len(view.Columns)-1], view.Label, view.Code) {
			_, known := table.Column(name)
			require.True(t, known, "%s has no column %s", table.Slug, name)
		}
		require.Len(t, slices.Compact(slices.Sorted(slices.Values(view.Columns))), len(view.Columns),
			"%s names a column twice", table.Slug)
		if table.Slug == "bins" {
			require.Equal(t, []string{"column_3", "external_id", "column_1", "column_2"}, view.Columns[:4])
			require.Equal(t, 2, view.Frozen)
			require.Len(t, view.Columns, 11)
		}
	}
}
