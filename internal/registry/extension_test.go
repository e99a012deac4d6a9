package registry_test

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/registry"
)

// TestExtend checks that a company adds columns to a built-in table, that other instances see them, and that other
// companies do not.
func TestExtend(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	tenant, other := pgtest.NewTenant(t, db), pgtest.NewTenant(t, db)
	here, there := registry.New(db.Cells), registry.New(db.Cells) // two instances
	ctx, by := t.Context(), auth.Operator(tenant.ID)
	before, err := there.Table(ctx, tenant.ID, "products")
	require.NoError(t, err)

	made, err := here.DefineColumn(ctx, by, "products", 0,
		registry.ColumnDefinition{Name: "hazard_class", Type: registry.Text, Choices: []string{"none", "fire"}})
	require.NoError(t, err)
	require.True(t, made.BuiltIn)
	require.Equal(t, before.Title, made.Title)
	require.Len(t, made.Columns, 1)
	current, err := there.Current(ctx, tenant.ID, before)
	require.NoError(t, err)
	require.Equal(t, append(names(before), "hazard_class"), names(current))
	require.Equal(t, before.Version+made.Version, current.Version)
	class, _ := current.Column("hazard_class")
	require.True(t, class.Custom)
	require.Contains(t, current.DefaultView().Columns, "hazard_class")
	require.NotContains(t, before.DefaultView().Columns, "hazard_class")
	again, err := there.Table(ctx, tenant.ID, "products")
	require.NoError(t, err)
	require.Same(t, current, again, "from the cache")

	// Columns of the same kind as in tables of the company's own, also references in both directions.
	_, err = there.Define(ctx, by, registry.Definition{Slug: "products", Columns: []registry.ColumnDefinition{
		{Name: "carrier", Type: registry.Text, References: "suppliers"}, {Name: "checked_by", Type: registry.Text, PeopleOnly: true},
	}})
	require.NoError(t, err)
	_, err = there.Define(ctx, by, registry.Definition{Title: "Labels", Columns: []registry.ColumnDefinition{
		{Name: "product", Type: registry.Text, References: "products"}}})
	require.NoError(t, err)
	_, err = there.DefineColumn(ctx, by, "suppliers", 0, registry.ColumnDefinition{Name: "label", Type: registry.Text, References: "labels"})
	require.NoError(t, err)
	_, err = there.SetRetired(ctx, by, "labels", 0, true)
	require.True(t, fault.HasCode(err, "referenced"), err)
	current, err = here.Current(ctx, tenant.ID, again)
	require.NoError(t, err)
	carrier, _ := current.Column("carrier")
	require.Equal(t, registry.Reference{Slug: "suppliers", Key: "external_id"}, *carrier.Reference)
	checked, _ := current.Column("checked_by")
	require.True(t, current.ForPeople(checked))
	sku, _ := current.Column("sku")
	require.False(t, current.ForPeople(sku))

	// All tables once, with their versions and the same pointers.
	all, err := here.All(ctx, tenant.ID)
	require.NoError(t, err)
	slugs, err := here.Slugs(ctx, tenant.ID)
	require.NoError(t, err)
	require.Len(t, all, 8)
	require.Len(t, slugs, 8)
	require.Contains(t, all, current)
	definitions, err := here.Definitions(ctx, by)
	require.NoError(t, err)
	require.Len(t, definitions, 3)
	require.False(t, definitions[0].BuiltIn, "tables of the company's own come first")

	// What is retired is hidden and kept.
	_, err = there.SetColumnRetired(ctx, by, "products", "hazard_class", 0, true)
	require.NoError(t, err)
	current, err = here.Current(ctx, tenant.ID, current)
	require.NoError(t, err)
	require.NotContains(t, names(current), "hazard_class")
	_, err = here.SetColumnRetired(ctx, by, "products", "hazard_class", 0, false)
	require.NoError(t, err)

	// The other company has none of it, and columns of its own.
	theirs, err := here.Table(ctx, other.ID, "products")
	require.NoError(t, err)
	require.Equal(t, names(before), names(theirs))
	require.Equal(t, before.Version, theirs.Version)
	_, err = here.DefineColumn(ctx, auth.Operator(other.ID), "products", 0,
		registry.ColumnDefinition{Name: "hazard_class", Type: registry.Number})
	require.NoError(t, err)
	theirs, err = there.Reload(ctx, other.ID, "products")
	require.NoError(t, err)
	class, _ = theirs.Column("hazard_class")
	require.Equal(t, registry.Number, class.Type)
	ours, err := there.Reload(ctx, tenant.ID, "products")
	require.NoError(t, err)
	class, _ = ours.Column("hazard_class")
	require.Equal(t, registry.Text, class.Type)
}

func TestExtendRefusals(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	tenant := pgtest.NewTenant(t, db)
	tables := registry.New(db.Cells)
	ctx, by := t.Context(), auth.Operator(tenant.ID)
	made, err := tables.DefineColumn(ctx, by, "orders", 0, registry.ColumnDefinition{Name: "gift", Type: registry.Boolean})
	require.NoError(t, err)
	column := func(name string, version int64) error {
		_, err := tables.DefineColumn(ctx, by, "orders", version, registry.ColumnDefinition{Name: name, Type: registry.Text})
		return err
	}
	define := func(definition registry.Definition) error { _, err := tables.Define(ctx, by, definition); return err }
	gift := []registry.ColumnDefinition{{Name: "gift", Type: registry.Boolean}}
	words := "Another name"
	for name, tt := range map[string]struct {
		err  error
		code string
	}{
		"a registered column":    {column("total", 0), "name_taken"},
		"the key":                {column("external_id", 0), "name_taken"},
		"a column of every row":  {column("version", 0), "name_taken"},
		"the document itself":    {column("custom", 0), "name_taken"},
		"another type":           {column("gift", 0), "type_fixed"},
		"an old version":         {column("more", made.Version-1), "stale"},
		"a name":                 {define(registry.Definition{Slug: "orders", Title: words, Columns: gift}), "built_in"},
		"a description":          {define(registry.Definition{Slug: "orders", Description: words, Columns: gift}), "built_in"},
		"a table of that name":   {define(registry.Definition{Title: "Orders", Columns: gift}), "slug_taken"},
		"a table without a name": {define(registry.Definition{Slug: "things", Columns: gift}), "required"},
		"a new table": {func() error {
			_, err := tables.Create(ctx, by, registry.Definition{Title: "Orders", Slug: "orders", Columns: gift})
			return err
		}(), "slug_taken"},
		"another name": {func() error {
			_, err := tables.Change(ctx, by, "orders", 0, registry.Changes{Title: &words})
			return err
		}(), "built_in"},
		"the table": {func() error { _, err := tables.SetRetired(ctx, by, "orders", 0, true); return err }(), "built_in"},
		"a built-in column": {func() error {
			_, err := tables.SetColumnRetired(ctx, by, "orders", "total", 0, true)
			return err
		}(), "unknown_column"},
	} {
		require.True(t, fault.HasCode(tt.err, tt.code), "%s: %v", name, tt.err)
	}

	// What was defined can be defined again, with the words of the built-in table or without any.
	again, err := tables.Define(ctx, by, registry.Definition{Slug: "orders", Title: made.Title, Description: made.Description, Columns: gift})
	require.NoError(t, err)
	require.Equal(t, made, again)
	nothing, err := tables.Define(ctx, by, registry.Definition{Slug: "customers"})
	require.NoError(t, err)
	require.True(t, nothing.BuiltIn)
	require.Zero(t, nothing.Version)

	// A release brings a column of the same name: it counts, and the added one cannot come back.
	_, err = db.Admin(t).Exec(ctx, `INSERT INTO workspace.registry_columns (tenant_id, slug, name, position, type)
		VALUES ('00000000-0000-0000-0000-000000000000', 'orders', 'gift', 999, 'boolean')`)
	require.NoError(t, err)
	table, err := tables.Reload(ctx, tenant.ID, "orders")
	require.NoError(t, err)
	found, _ := table.Column("gift")
	require.False(t, found.Custom)
	require.Equal(t, 1, len(slices.DeleteFunc(names(table), func(name string) bool { return name != "gift" })))
	_, err = tables.SetColumnRetired(ctx, by, "orders", "gift", 0, true)
	require.NoError(t, err)
	_, err = tables.SetColumnRetired(ctx, by, "orders", "gift", 0, false)
	require.True(t, fault.HasCode(err, "name_taken"), err)
}

// TestRaise checks that all instances see a change that was stored outside of the registry.
func TestRaise(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	tenant, other := pgtest.NewTenant(t, db), pgtest.NewTenant(t, db)
	tables := registry.New(db.Cells)
	ctx := t.Context()
	_, err := tables.Define(ctx, auth.Operator(tenant.ID), decisions)
	require.NoError(t, err)
	raise := func(slug string) error {
		return db.InTenant(ctx, tenant.ID, func(tx pgx.Tx) error { return registry.Raise(ctx, tx, tenant.ID, slug) })
	}
	for _, slug := range []string{"products", "products", "decisions"} {
		before, err := tables.Table(ctx, tenant.ID, slug)
		require.NoError(t, err)
		require.NoError(t, raise(slug))
		after, err := tables.Current(ctx, tenant.ID, before)
		require.NoError(t, err)
		require.Greater(t, after.Version, before.Version)
		require.Equal(t, names(before), names(after))
	}
	require.True(t, fault.HasCode(raise("nothing"), "unknown_table"))
	theirs, err := tables.Reload(ctx, other.ID, "products")
	require.NoError(t, err)
	require.NotEqual(t, other.ID, theirs.Tenant)
}
