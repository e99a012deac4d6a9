package fieldindex

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/pg/q"
)

// stage is a company with a table of its own, notes, and suppliers.
type stage struct {
	t      *testing.T
	db     *pgtest.DB
	admin  *pgx.Conn
	tenant pgtest.Tenant
	s      *Service
}

func newStage(t *testing.T) *stage {
	t.Helper()
	db := pgtest.New(t)
	st := &stage{t: t, db: db, admin: db.Admin(t), tenant: pgtest.NewTenant(t, db), // which checks the entries at the end
		s: New(db.Cells, slog.New(slog.DiscardHandler), func(string, int64, int64) {})}
	st.s.slice = 7
	st.exec("INSERT INTO workspace.registry_tables (tenant_id, slug, title) VALUES ($1, 'notes', 'Notes')", st.tenant.ID)
	st.exec("INSERT INTO workspace.registry_columns (tenant_id, slug, name, position, type) VALUES ($1, 'notes', 'weight', 1, 'number')", st.tenant.ID)
	return st
}

func (st *stage) exec(sql string, args ...any) {
	st.t.Helper()
	_, err := st.admin.Exec(context.WithoutCancel(st.t.Context()), sql, args...)
	require.NoError(st.t, err)
}

// notes adds records to the company's own table.
func (st *stage) notes(weights ...string) {
	st.t.Helper()
	for i, weight := range weights {
		st.exec(`INSERT INTO workspace.records (tenant_id, workspace_id, slug, external_id, data)
			VALUES ($1, $2, 'notes', $3, jsonb_build_object('weight', $4::text))`, st.tenant.ID, st.tenant.Workspace, fmt.Sprint(weight, i), weight)
	}
}

func (st *stage) want(slug, field, home, stored string) {
	st.t.Helper()
	require.NoError(st.t, st.db.InTenant(st.t.Context(), st.tenant.ID, func(tx pgx.Tx) error {
		return q.New(tx).WantIndex(st.t.Context(), q.WantIndexParams{TenantID: st.tenant.ID, WorkspaceID: st.tenant.Workspace, Slug: slug,
			Field: field, Home: home, Stored: stored, Type: "number", Cut: 300, Most: 20})
	}))
}

// state returns the state of the only index, or nothing.
func (st *stage) state() (state string) {
	st.t.Helper()
	require.NoError(st.t, st.admin.QueryRow(st.t.Context(),
		"SELECT coalesce((SELECT state FROM workspace.indexed_fields WHERE tenant_id = $1), '')", st.tenant.ID).Scan(&state))
	return state
}

func (st *stage) entries() (count int) {
	st.t.Helper()
	require.NoError(st.t, st.admin.QueryRow(st.t.Context(), "SELECT count(*) FROM workspace.index_entries").Scan(&count))
	return count
}

// keepUntil runs the builder until the index has a state. Open transactions of other tests may hold it up.
func (st *stage) keepUntil(state string) {
	st.t.Helper()
	require.Eventually(st.t, func() bool {
		require.NoError(st.t, st.s.Keep(st.t.Context()))
		return st.state() == state
	}, time.Minute, 5*time.Millisecond)
}

// TestABuildWaitsForWhoDoesNotKnow has a transaction write a row before the index is wanted, and commit late: a build that
// had begun in between would miss the row.
func TestABuildWaitsForWhoDoesNotKnow(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.notes("1", "2", "3")
	late, err := st.db.Admin(t).Begin(t.Context())
	require.NoError(t, err)
	_, err = late.Exec(t.Context(), `INSERT INTO workspace.records (tenant_id, workspace_id, slug, external_id, data)
		VALUES ($1, $2, 'notes', 'late', '{"weight": 4}')`, st.tenant.ID, st.tenant.Workspace)
	require.NoError(t, err)
	st.want("notes", "weight", "records", "data")
	for range 4 {
		require.NoError(t, st.s.Keep(t.Context()))
	}
	require.Equal(t, building, st.state())
	require.NoError(t, late.Commit(t.Context()))
	st.keepUntil(ready)
	require.Equal(t, 4, st.entries())
}

// TestABuildAmongWriters rewrites rows while their index is built in small slices. What is wrong is found when the
// company's entries are compared with its rows.
func TestABuildAmongWriters(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.exec(`INSERT INTO workspace.suppliers (tenant_id, workspace_id, external_id, name, lead_time_days)
		SELECT $1, $2, 's' || n, 'Supplier', n % 9 FROM generate_series(1, 300) n`, st.tenant.ID, st.tenant.Workspace)
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for w := range 3 {
		writers.Go(func() {
			for n := w; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				err := st.db.InTenant(t.Context(), st.tenant.ID, func(tx pgx.Tx) error {
					_, err := tx.Exec(t.Context(), "UPDATE workspace.suppliers SET lead_time_days = $3 WHERE tenant_id = $1 AND external_id = $2",
						st.tenant.ID, fmt.Sprint("s", 1+n*7%300), n%50)
					return err
				})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	st.want("suppliers", "lead_time_days", "suppliers", "column")
	st.keepUntil(ready)
	close(stop)
	writers.Wait()
	require.Equal(t, 300, st.entries())
}

// TestUnfitValues keeps a value from before its column had a type from failing a write, and from a ready index.
func TestUnfitValues(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.notes("1", "heavy", "2026-02-30")
	st.want("notes", "weight", "records", "data")
	st.keepUntil(refused)
	st.exec(`UPDATE workspace.records SET data = data || '{"other": 1}' WHERE external_id LIKE 'heavy%'`)
	st.exec(`UPDATE workspace.records SET data = data || '{"weight": 7}' WHERE external_id LIKE 'heavy%'`)
	st.exec(`DELETE FROM workspace.records WHERE external_id LIKE '2026%'`)
}

// TestIndexesEnd drops an index with its entries when its column changes or goes, or nobody uses it.
func TestIndexesEnd(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"another type":   "UPDATE workspace.registry_columns SET type = 'text' WHERE tenant_id = $1",
		"retired column": "UPDATE workspace.registry_columns SET retired_at = now() WHERE tenant_id = $1",
		"retired table":  "UPDATE workspace.registry_tables SET retired_at = now() WHERE tenant_id = $1",
		"unused":         "UPDATE workspace.indexed_fields SET used_at = now() - interval '31 days' WHERE tenant_id = $1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := newStage(t)
			for range 10 {
				st.notes("1", "-2.5", "1e3")
				st.exec("UPDATE workspace.records SET external_id = gen_random_uuid()")
			}
			st.want("notes", "weight", "records", "data")
			st.keepUntil(ready)
			require.Equal(t, 30, st.entries())
			st.exec(change, st.tenant.ID)
			if name != "unused" {
				require.Equal(t, leaving, st.state(), "in the same transaction")
			}
			st.keepUntil("")
			require.Zero(t, st.entries())
		})
	}
}

// TestKeys compares the order and the equality of keys with those of the values.
func TestKeys(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	for kind, values := range map[string]string{
		"number numeric": `SELECT (((random() - 0.5) * 10 ^ (random() * 60 - 30))::numeric)::text FROM generate_series(1, 3000)
			UNION ALL SELECT round((random() * 2000 - 1000)::numeric, 2)::text FROM generate_series(1, 3000)
			UNION ALL SELECT unnest('{0,0.0,1,1.0,10,100,-1,-1.00,-10,-0.1,0.1,0.10,0.09,0.9,9,99,-9,-99,-0.09,0.12,0.123,-0.12,-0.123,
				1e308,-1e308,1e-308,-1e-308,12345678901234567890123456789012345678,12345678901234567890123456789012345677,
				-12345678901234567890123456789012345678,NaN,Infinity,-Infinity}'::text[])`,
		"date date":            `SELECT (date '0001-01-01' + (random() * 3652058)::integer)::text FROM generate_series(1, 3000) UNION ALL SELECT unnest('{0001-01-01,9999-12-31,2000-02-29}'::text[])`,
		"datetime timestamptz": `SELECT (timestamptz '0001-01-02Z' + random() * interval '9990 years')::text FROM generate_series(1, 3000) UNION ALL SELECT unnest('{2024-01-01T00:00:00Z,2024-01-01 01:00:00+01,2024-01-01T00:00:00.000001Z}'::text[])`,
		"boolean boolean":      `SELECT unnest('{t,f,true,false}'::text[])`,
		"uuid uuid":            `SELECT gen_random_uuid()::text FROM generate_series(1, 3000)`,
	} {
		var of, sqlType string
		_, err := fmt.Sscan(kind, &of, &sqlType)
		require.NoError(t, err)
		var wrong, all int
		require.NoError(t, st.admin.QueryRow(t.Context(), fmt.Sprintf(`WITH keyed AS (
				SELECT v::%[1]s AS v, workspace.index_key('%[2]s', false, 300, v) COLLATE "C" AS key FROM (%[3]s) x (v)
			), placed AS (SELECT v, key, lag(v) OVER w AS before, lag(key) OVER w AS key_before FROM keyed WINDOW w AS (ORDER BY key, v))
			SELECT count(*) FILTER (WHERE before > v OR (before = v) <> (key_before = key) OR key = ''), count(*) FROM placed`,
			sqlType, of, values)).Scan(&wrong, &all))
		require.Zero(t, wrong, kind)
		require.Positive(t, all)
	}
}
