package registry_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/registry"
)

// decisions is a table that a company might define.
var decisions = registry.Definition{Title: "Decisions", Description: "What was decided.", Columns: []registry.ColumnDefinition{
	{Name: "title", Type: registry.Text, Required: true},
	{Name: "supplier_id", Type: registry.Text, References: "suppliers"},
	{Name: "status", Type: registry.Text, Choices: []string{"open", "done"}},
	{Name: "weight", Type: registry.Number, Minimum: "0", Maximum: "10"},
}}

// names returns the names of a table's columns.
func names(table *registry.Table) (names []string) {
	for i := range table.Columns {
		names = append(names, table.Columns[i].Name)
	}
	return names
}

func TestDefine(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	tenant, other := pgtest.NewTenant(t, db), pgtest.NewTenant(t, db)
	here, there := registry.New(db.Cells), registry.New(db.Cells) // two instances
	ctx, by := t.Context(), auth.Operator(tenant.ID)
	audited := func() []string {
		rows, err := db.Admin(t).Query(ctx, "SELECT action || ' ' || subject FROM workspace.audit WHERE tenant_id = $1 ORDER BY id", tenant.ID)
		require.NoError(t, err)
		found, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		return found
	}

	made, err := here.Define(ctx, by, decisions)
	require.NoError(t, err)
	require.Equal(t, "decisions", made.Slug)
	require.Len(t, made.Columns, 4)
	first, err := there.Table(ctx, tenant.ID, "decisions")
	require.NoError(t, err)
	require.Equal(t, made.Version, first.Version)
	require.Equal(t, []string{"external_id", "title", "supplier_id", "status", "weight"}, names(first))
	supplier, _ := first.Column("supplier_id")
	require.Equal(t, "suppliers", supplier.Reference.Slug)
	require.Equal(t, []string{"table.defined decisions"}, audited())

	// The same again changes nothing, not even the version.
	again, err := there.Define(ctx, by, decisions)
	require.NoError(t, err)
	require.Equal(t, made, again)
	require.Len(t, audited(), 1)

	// A change is a new version, which the other instance sees.
	changed, err := here.DefineColumn(ctx, by, "decisions", made.Version,
		registry.ColumnDefinition{Name: "status", Type: registry.Text, Choices: []string{"open", "done", "void"}, Required: true})
	require.NoError(t, err)
	require.Greater(t, changed.Version, made.Version)
	current, err := there.Current(ctx, tenant.ID, first)
	require.NoError(t, err)
	status, _ := current.Column("status")
	require.Equal(t, []string{"open", "done", "void"}, status.Choices)
	require.True(t, status.Required)
	require.Equal(t, []string{"external_id", "title", "supplier_id", "status", "weight"}, names(current), "the order stays")
	_, err = there.DefineColumn(ctx, by, "decisions", made.Version, registry.ColumnDefinition{Name: "more", Type: registry.Text})
	require.True(t, fault.Is(err, fault.Stale), err)

	// A retired column is hidden and its name stays taken; restored, it is as it was.
	retired, err := here.SetColumnRetired(ctx, by, "decisions", "weight", 0, true)
	require.NoError(t, err)
	require.NotNil(t, retired.Columns[3].RetiredAt)
	current, err = there.Current(ctx, tenant.ID, current)
	require.NoError(t, err)
	require.NotContains(t, names(current), "weight")
	for _, kind := range []registry.Type{registry.Number, registry.Text} {
		_, err = here.DefineColumn(ctx, by, "decisions", 0, registry.ColumnDefinition{Name: "weight", Type: kind})
		require.True(t, fault.HasCode(err, "retired"), err)
	}
	restored, err := there.SetColumnRetired(ctx, by, "decisions", "weight", 0, false)
	require.NoError(t, err)
	require.Equal(t, made.Columns[3], restored.Columns[3])

	// A retired table is hidden, and its slug stays taken.
	_, err = here.SetRetired(ctx, by, "decisions", 0, true)
	require.NoError(t, err)
	_, err = there.Current(ctx, tenant.ID, current)
	require.True(t, fault.HasCode(err, "unknown_table"), err)
	slugs, err := there.Slugs(ctx, tenant.ID)
	require.NoError(t, err)
	require.NotContains(t, slugs, "decisions")
	for _, define := range []func() (*registry.Defined, error){
		func() (*registry.Defined, error) { return here.Define(ctx, by, decisions) },
		func() (*registry.Defined, error) { return here.Create(ctx, by, decisions) },
	} {
		_, err = define()
		require.True(t, fault.HasCode(err, "retired"), err)
	}
	_, err = there.SetRetired(ctx, by, "decisions", 0, false)
	require.NoError(t, err)
	_, err = here.Table(ctx, tenant.ID, "decisions")
	require.NoError(t, err)
	require.Equal(t, []string{"column.changed decisions.status", "column.retired decisions.weight", "column.restored decisions.weight",
		"table.retired decisions", "table.restored decisions"}, audited()[1:])

	// The other company sees none of it, and has another table of the same slug.
	theirs, err := here.Define(ctx, auth.Operator(other.ID), registry.Definition{Title: "Decisions",
		Columns: []registry.ColumnDefinition{{Name: "verdict", Type: registry.Boolean}}})
	require.NoError(t, err)
	require.Len(t, theirs.Columns, 1)
	table, err := here.Table(ctx, other.ID, "decisions")
	require.NoError(t, err)
	require.Equal(t, []string{"external_id", "verdict"}, names(table))
	table, err = here.Table(ctx, tenant.ID, "decisions")
	require.NoError(t, err)
	require.Contains(t, names(table), "status")
}

func TestDefineRefusals(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	tenant := pgtest.NewTenant(t, db)
	tables := registry.New(db.Cells)
	ctx, by := t.Context(), auth.Operator(tenant.ID)
	_, err := tables.Define(ctx, by, decisions)
	require.NoError(t, err)
	_, err = tables.Define(ctx, by, registry.Definition{Title: "Votes",
		Columns: []registry.ColumnDefinition{{Name: "decision", References: "decisions"}, {Name: "follows", References: "votes"}}})
	require.NoError(t, err)
	before, err := tables.Definitions(ctx, by)
	require.NoError(t, err)

	one := func(column registry.ColumnDefinition) func() error {
		return func() error { _, err := tables.DefineColumn(ctx, by, "decisions", 0, column); return err }
	}
	define := func(definition registry.Definition) func() error {
		return func() error { _, err := tables.Define(ctx, by, definition); return err }
	}
	for name, tt := range map[string]struct {
		do   func() error
		code string
	}{
		"a built-in slug":     {define(registry.Definition{Title: "Orders"}), "slug_taken"},
		"a slug that exists":  {func() error { _, err := tables.Create(ctx, by, decisions); return err }, "slug_taken"},
		"another type":        {one(registry.ColumnDefinition{Name: "weight", Type: registry.Text}), "type_fixed"},
		"another reference":   {one(registry.ColumnDefinition{Name: "supplier_id", Type: registry.Text, References: "products"}), "type_fixed"},
		"no reference":        {one(registry.ColumnDefinition{Name: "supplier_id", Type: registry.Text}), "type_fixed"},
		"a reference nowhere": {one(registry.ColumnDefinition{Name: "x", References: "nothing"}), "unknown_table"},
		"a hostile reference": {one(registry.ColumnDefinition{Name: "x", References: "orders'; --"}), "unknown_table"},
		"a column of orders": {func() error {
			_, err := tables.DefineColumn(ctx, by, "orders", 0, registry.ColumnDefinition{Name: "total", Type: registry.Text})
			return err
		}, "name_taken"},
		"a column of a view": {func() error {
			_, err := tables.DefineColumn(ctx, by, "weekly_sales", 0, registry.ColumnDefinition{Name: "x", Type: registry.Text})
			return err
		}, "unknown_table"},
		"the key": {func() error {
			_, err := tables.SetColumnRetired(ctx, by, "decisions", "external_id", 0, true)
			return err
		}, "identity"},
		"an unknown column":    {func() error { _, err := tables.SetColumnRetired(ctx, by, "decisions", "x", 0, true); return err }, "unknown_column"},
		"what is referred to":  {func() error { _, err := tables.SetRetired(ctx, by, "decisions", 0, true); return err }, "referenced"},
		"half of a definition": {define(registry.Definition{Title: "Half", Columns: []registry.ColumnDefinition{{Name: "a", Type: registry.Text}, {Name: "b", References: "nothing"}}}), "unknown_table"},
	} {
		err := tt.do()
		require.True(t, fault.HasCode(err, tt.code), "%s: %v", name, err)
	}
	after, err := tables.Definitions(ctx, by)
	require.NoError(t, err)
	require.Equal(t, before, after, "a refusal changes nothing")

	for _, role := range append(auth.Roles(), auth.Agent, auth.Sync, "") {
		if role == auth.CompanyAdmin {
			continue
		}
		other := by
		other.Role = role
		_, listed := tables.Definitions(ctx, other)
		_, defined := tables.Define(ctx, other, decisions)
		_, changed := tables.Change(ctx, other, "decisions", 0, registry.Changes{})
		_, added := tables.DefineColumn(ctx, other, "decisions", 0, decisions.Columns[0])
		_, retired := tables.SetRetired(ctx, other, "votes", 0, true)
		_, hidden := tables.SetColumnRetired(ctx, other, "votes", "decision", 0, true)
		for _, err := range []error{listed, defined, changed, added, retired, hidden} {
			require.True(t, fault.Is(err, fault.Forbidden), role)
		}
	}

	// The table that is referred to can go after what refers to it, which then comes back only after it.
	_, err = tables.SetRetired(ctx, by, "votes", 0, true)
	require.NoError(t, err)
	_, err = tables.SetRetired(ctx, by, "decisions", 0, true)
	require.NoError(t, err)
	_, err = tables.SetRetired(ctx, by, "votes", 0, false)
	require.True(t, fault.HasCode(err, "retired"), err)
}

// TestDefineAtOnce checks that changes by two instances at once neither fail nor lose each other.
func TestDefineAtOnce(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	tenant := pgtest.NewTenant(t, db)
	instances := []*registry.Service{registry.New(db.Cells), registry.New(db.Cells)}
	by := auth.Operator(tenant.ID)
	var group sync.WaitGroup
	failed := make([]error, 12)
	for i := range failed {
		group.Go(func() {
			_, failed[i] = instances[i%2].Define(t.Context(), by, registry.Definition{Title: "Decisions",
				Columns: []registry.ColumnDefinition{{Name: fmt.Sprintf("column_%d", i), Type: registry.Number}}})
		})
	}
	group.Wait()
	require.NoError(t, errors.Join(failed...))
	for _, instance := range instances {
		table, err := instance.Reload(t.Context(), tenant.ID, "decisions")
		require.NoError(t, err)
		require.Len(t, table.Columns, 13)
		positions, err := instance.Definitions(t.Context(), by)
		require.NoError(t, err)
		require.Len(t, positions[0].Columns, 12)
	}
}
