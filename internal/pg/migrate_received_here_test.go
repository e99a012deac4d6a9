package pg_test

import (
	"io/fs"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// TestReceivedHere checks that what people have booked is counted beside the lines: for lines that were there before, and for
// every receipt since. The lines keep their versions.
func TestReceivedHere(t *testing.T) {
	t.Parallel()
	const person, sync, system = `{"type": "user", "id": "p"}`, `{"type": "sync", "id": "c"}`, ""
	type receipt struct {
		by       string
		quantity int
	}
	lines := map[string]struct {
		receipts []receipt
		want     string // "": nothing
	}{
		"nothing arrived":               {nil, ""},
		"a system's":                    {[]receipt{{system, 5}}, ""},
		"a sync's":                      {[]receipt{{sync, 5}}, ""},
		"a person's":                    {[]receipt{{person, 5}}, "5"},
		"several people's":              {[]receipt{{person, 5}, {person, 2}}, "7"},
		"a person's and a system's":     {[]receipt{{system, 4}, {person, 5}, {system, 3}}, "5"},
		"taken back in part":            {[]receipt{{person, 5}, {person, -2}}, "3"},
		"taken back":                    {[]receipt{{person, 5}, {person, -5}}, ""},
		"more taken back than booked":   {[]receipt{{system, 9}, {person, -4}}, ""},
		"and booked again":              {[]receipt{{system, 9}, {person, -4}, {person, 3}}, "3"},
		"and taken back, several times": {[]receipt{{system, 9}, {person, 2}, {person, -4}, {person, 3}, {person, -1}}, "2"},
		"taken back by a sync":          {[]receipt{{person, 5}, {sync, -3}}, "5"},
	}
	db := pgtest.NewEmpty(t)
	owner, admin := db.Owner(t), db.Admin(t)
	files, err := fs.Glob(pg.Migrations(), "*.sql")
	require.NoError(t, err)
	tenant, workspace := uuid.New(), uuid.New()
	// fill makes every line with its receipts, as the service writes them.
	fill := func(prefix string) {
		t.Helper()
		for name, line := range lines {
			_, err := admin.Exec(t.Context(), `INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, external_id, order_no, sku, status, quantity_ordered)
				VALUES ($1, $2, $3, 'PO-1', 'TEA', 'ordered', 20)`, tenant, workspace, prefix+name)
			require.NoError(t, err)
			for _, one := range line.receipts {
				said := ""
				if one.by != system {
					said = `{"actor": ` + one.by + `, "at": "2026-11-01T00:00:00Z", "note": ""}`
				}
				tx, err := admin.Begin(t.Context())
				require.NoError(t, err)
				_, err = tx.Exec(t.Context(), "SELECT set_config('app.receipt', $1, true)", said)
				require.NoError(t, err)
				_, err = tx.Exec(t.Context(), "UPDATE workspace.purchase_order_lines SET quantity_received = quantity_received + $3 WHERE tenant_id = $1 AND external_id = $2",
					tenant, prefix+name, one.quantity)
				require.NoError(t, err, name)
				require.NoError(t, tx.Commit(t.Context()))
			}
		}
	}
	for _, file := range files {
		if file == "0077_received_here.sql" {
			fill("before ")
		}
		text, err := fs.ReadFile(pg.Migrations(), file)
		require.NoError(t, err)
		// One text of many statements is one transaction.
		_, err = owner.PgConn().Exec(t.Context(), string(text)).ReadAll()
		require.NoError(t, err, file)
	}
	fill("since ")
	for _, prefix := range []string{"before ", "since "} {
		for name, line := range lines {
			var here string
			var version int
			require.NoError(t, admin.QueryRow(t.Context(), "SELECT coalesce(received_here::text, ''), version FROM workspace.purchase_order_lines WHERE external_id = $1",
				prefix+name).Scan(&here, &version))
			require.Equal(t, line.want, here, "%s%s", prefix, name)
			require.Equal(t, 1+len(line.receipts), version, "%s%s", prefix, name)
		}
	}
}
