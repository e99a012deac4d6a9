package ingest

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/pg/pgtest"
)

// TestManyColumns checks a table with more columns than a byte can count: column 257 is not
// mistaken for column 1.
func TestManyColumns(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	st := stand{t, s, db, pgtest.NewTenant(t, db)}
	st.write("suppliers", `{"external_id":"S1","name":"Acme"}`)
	// The record's external_id comes first, so column c1 is at position 1 and c257 at 257.
	_, err := db.Admin(t).Exec(t.Context(), `WITH wide AS (
			INSERT INTO workspace.registry_tables (tenant_id, slug, title) VALUES ($1, 'wide', 'Wide') RETURNING tenant_id
		)
		INSERT INTO workspace.registry_columns (tenant_id, slug, name, position, type, reference)
		SELECT tenant_id, 'wide', 'c' || n, n, 'text', CASE n WHEN 257 THEN 'suppliers' END FROM wide, generate_series(1, 300) n`, st.tenant.ID)
	require.NoError(t, err)
	st.write("wide", `{"external_id":"W1","c1":"one"}`)
	st.write("wide", `{"external_id":"W2","c257":"S1"}`)
	st.write("wide", `{"external_id":"W3","c1":"one","c257":"S1","c300":"last"}`)
	rows, err := db.Admin(t).Query(t.Context(), `SELECT concat_ws(' ', external_id, data ->> 'c1', data ->> 'c300',
		(data ->> 'c257') = (SELECT id FROM workspace.suppliers WHERE tenant_id = r.tenant_id)) FROM workspace.records r ORDER BY external_id`)
	require.NoError(t, err)
	stored, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Equal(t, []string{"W1 one", "W2 t", "W3 one last t"}, stored)
}
