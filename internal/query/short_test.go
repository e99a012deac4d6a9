package query

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/registry"
)

// TestTextsThatAreSortedWhole sorts by the whole text only where every stored row is short: built-in columns that got their
// length late may have longer texts, and indexes that were made before.
func TestTextsThatAreSortedWhole(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	tenant := pgtest.NewTenant(t, db)
	tables := registry.New(db.Cells)
	for slug, want := range map[string]map[string]int32{
		"suppliers": {"external_id": registry.MaxKeyLength, "name": longestOrder, "country": longestOrder, "phone": longestOrder,
			"email": longestOrder, "address": longestOrder},
		"products":             {"sku": registry.MaxKeyLength, "supplier_id": registry.MaxKeyLength, "barcode": longestOrder},
		"purchase_order_lines": {"order_no": registry.MaxKeyLength, "note": longestOrder},
	} {
		table, err := tables.Table(t.Context(), tenant.ID, slug)
		require.NoError(t, err)
		relation := fromTable(table)
		for name, cut := range want {
			field, known := relation.Field(name)
			require.True(t, known)
			require.Equal(t, cut, field.cut(), "%s.%s", slug, name)
		}
	}
	own := registry.NewTable("things", "external_id", registry.Column{Name: "code", Type: registry.Text, MaxLength: 20},
		registry.Column{Name: "words", Type: registry.Text})
	own.Generic = true
	require.Equal(t, "left((t.data ->> 'words')::text, 300)", tableField(own, &own.Columns[1]).order)
	require.Equal(t, "(t.data ->> 'code')::text", tableField(own, &own.Columns[0]).order)
}
