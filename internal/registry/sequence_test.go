package registry_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/registry"
)

// TestSequenceOfATable names the column that orders deliveries, another one, and none.
func TestSequenceOfATable(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	s := registry.New(db.Cells)
	tenant := pgtest.NewTenant(t, db)
	by := auth.Operator(tenant.ID)
	sequence := func(name string) *string { return &name }
	definition := registry.Definition{Title: "Decisions", Columns: []registry.ColumnDefinition{
		{Name: "title", Type: registry.Text}, {Name: "changed_at", Type: registry.Datetime}, {Name: "day", Type: registry.Date}, {Name: "revision", Type: registry.Number},
		{Name: "weight", Type: registry.Number, PeopleOnly: true}, {Name: "old", Type: registry.Date},
	}}
	_, err := s.Define(t.Context(), by, definition)
	require.NoError(t, err)
	_, err = s.SetColumnRetired(t.Context(), by, "decisions", "old", 0, true)
	require.NoError(t, err)
	now := func() string {
		table, err := s.Reload(t.Context(), tenant.ID, "decisions")
		require.NoError(t, err)
		require.Equal(t, table.Sequence, table.Describe("", nil).Sequence.Column)
		return table.Sequence
	}
	require.Empty(t, now())

	for name, code := range map[string]string{"title": "sequence", "weight": "sequence", "nothing": "unknown_column", "old": "unknown_column"} {
		_, err := s.Change(t.Context(), by, "decisions", 0, registry.Changes{Sequence: sequence(name)})
		require.True(t, fault.HasCode(err, code), "%s: %v", name, err)
		_, err = s.Define(t.Context(), by, registry.Definition{Title: "Decisions", Sequence: sequence(name)})
		require.True(t, fault.HasCode(err, code), "%s: %v", name, err)
		_, _, err = s.Planned(t.Context(), by, registry.Definition{Title: "Decisions", Sequence: sequence(name)})
		require.True(t, fault.HasCode(err, code), "%s: %v", name, err)
	}
	for _, name := range []string{"changed_at", "day", "revision"} {
		before, err := s.Reload(t.Context(), tenant.ID, "decisions")
		require.NoError(t, err)
		changed, err := s.Change(t.Context(), by, "decisions", 0, registry.Changes{Sequence: &name})
		require.NoError(t, err)
		require.Equal(t, name, changed.Sequence)
		require.Equal(t, name, now())
		require.Greater(t, changed.Version, before.Version, "all instances follow with the next record")
	}

	t.Run("it stays as it is unless a definition names it", func(t *testing.T) {
		definition.Columns = definition.Columns[:5] // without the retired one
		defined, err := s.Define(t.Context(), by, definition)
		require.NoError(t, err)
		require.Equal(t, "revision", defined.Sequence)
	})
	t.Run("its column orders deliveries as long as it is named", func(t *testing.T) {
		_, err := s.SetColumnRetired(t.Context(), by, "decisions", "revision", 0, true)
		require.True(t, fault.HasCode(err, "sequence"), "%v", err)
		_, err = s.DefineColumn(t.Context(), by, "decisions", 0, registry.ColumnDefinition{Name: "revision", Type: registry.Number, PeopleOnly: true})
		require.True(t, fault.HasCode(err, "sequence"), "%v", err)
		_, err = s.Prospect(t.Context(), by, "decisions", 0, registry.ColumnDefinition{Name: "revision", Type: registry.Text})
		require.True(t, fault.HasCode(err, "sequence"), "%v", err)
		_, err = s.DefineColumn(t.Context(), by, "decisions", 0, registry.ColumnDefinition{Name: "revision", Type: registry.Number, Description: "Counts."})
		require.NoError(t, err)
	})
	t.Run("none", func(t *testing.T) {
		defined, err := s.Define(t.Context(), by, registry.Definition{Title: "Decisions", Sequence: sequence("")})
		require.NoError(t, err)
		require.Empty(t, defined.Sequence)
		_, err = s.SetColumnRetired(t.Context(), by, "decisions", "revision", 0, true)
		require.NoError(t, err)
	})
	t.Run("a new table", func(t *testing.T) {
		defined, err := s.Create(t.Context(), by, registry.Definition{Title: "Visits", Sequence: sequence("at"),
			Columns: []registry.ColumnDefinition{{Name: "at", Type: registry.Datetime}}})
		require.NoError(t, err)
		require.Equal(t, "at", defined.Sequence)
	})
	t.Run("a built-in table", func(t *testing.T) {
		_, err := s.Define(t.Context(), by, registry.Definition{Slug: "products", Sequence: sequence("stock_updated_at")})
		require.True(t, fault.HasCode(err, "built_in"), "%v", err)
		_, err = s.Change(t.Context(), by, "products", 0, registry.Changes{Sequence: sequence("stock_updated_at")})
		require.Error(t, err)
	})
}
