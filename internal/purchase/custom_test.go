package purchase_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/purchase"
	"github.com/quayside/quayside/internal/registry"
)

// TestCustomColumnOfALine edits a column that the company has added through the gate: the audit names it, and a part that is
// split off has its value.
func TestCustomColumnOfALine(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	_, err := registry.New(o.db.Cells).DefineColumn(t.Context(), auth.Operator(o.tenant.ID), "purchase_order_lines", 0,
		registry.ColumnDefinition{Name: "dock", Type: registry.Number, Maximum: "9"})
	require.NoError(t, err)
	ask := func(sql string, id string) (text string) {
		require.NoError(t, o.admin.QueryRow(t.Context(), sql, id).Scan(&text))
		return text
	}
	line := o.in(purchase.Ordered)
	require.NoError(t, o.cell(o.maker, line, `"dock": "4"`))
	require.Error(t, o.cell(o.maker, o.now(line), `"dock": 10`))
	require.Equal(t, "4", ask("SELECT custom->>'dock' FROM workspace.purchase_order_lines WHERE id = $1", line.ID))
	require.Equal(t, "null 4", ask(`SELECT (data->'before'->'dock')::text || ' ' || (data->'after'->'dock')::text
		FROM workspace.audit WHERE subject = $1 ORDER BY id DESC LIMIT 1`, line.ID))

	lines, err := o.lines.Split(t.Context(), o.maker, refs(o.now(line))[0], "3", "2027-01-31")
	require.NoError(t, err)
	require.Equal(t, "4", ask("SELECT custom->>'dock' FROM workspace.purchase_order_lines WHERE id = $1", lines[1].ID))
	require.Equal(t, "4", ask("SELECT data->'record'->>'dock' FROM workspace.events WHERE subject = $1 ORDER BY id LIMIT 1", lines[1].ID))
}
