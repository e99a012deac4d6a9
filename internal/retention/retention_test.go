package retention

import (
	"context"
	"log/slog"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/pg/pgtest"
)

// stand is a database with a tenant, and what the gauges were told.
type stand struct {
	t      *testing.T
	db     *pgtest.DB
	admin  *pgx.Conn
	tenant pgtest.Tenant
	due    map[string]int64
	*Service
}

func newStand(t *testing.T) *stand {
	t.Helper()
	db := pgtest.New(t)
	st := &stand{t: t, db: db, admin: db.Admin(t), tenant: pgtest.NewTenant(t, db), due: map[string]int64{}}
	st.Service = New(db.Cells, slog.New(slog.DiscardHandler), func(what string, due int64) { st.due[what] = due })
	return st
}

func (st *stand) exec(sql string, args ...any) {
	st.t.Helper()
	_, err := st.admin.Exec(st.t.Context(), sql, args...)
	require.NoError(st.t, err)
}

func (st *stand) count(table string) (n int64) {
	st.t.Helper()
	return st.countAll("workspace." + table)
}

func (st *stand) countAll(table string) (n int64) {
	st.t.Helper()
	require.NoError(st.t, st.admin.QueryRow(st.t.Context(), "SELECT count(*) FROM "+table).Scan(&n))
	return n
}

// steady has the clock be steady for two days.
func (st *stand) steady() {
	st.exec("UPDATE control.event_retention SET steady_since = now() - interval '2 days', looked_at = now()")
}

// fill adds rows of each kind, one a day old and, beginning with so many days, n old ones.
func (st *stand) fill(n int) {
	st.exec(`INSERT INTO workspace.failed_imports
		(tenant_id, id, workspace_id, slug, status, http_status, code, message, payload, payload_hash, key_id, request_id, last_seen_at, closed_at)
		SELECT $1, gen_random_uuid(), $2, 'orders', s.status, 422, 'type', 'x', '{}', sha256((s.status || d)::bytea), gen_random_uuid(), '',
			now() - make_interval(days => d), CASE WHEN s.status <> 'open' THEN now() - make_interval(days => d) END
		FROM (VALUES ('open', 366), ('ignored', 91), ('resolved', 91)) s (status, old),
			LATERAL (SELECT 1 AS d UNION ALL SELECT s.old + x FROM generate_series(0, $3::int - 1) x) d`, st.tenant.ID, st.tenant.Workspace, n)
	st.exec(`INSERT INTO workspace.failed_import_attempts (tenant_id, failed_id, id, actor, request_id, http_status)
		SELECT tenant_id, id, gen_random_uuid(), '{}', '', 422 FROM workspace.failed_imports`)
	st.exec(`INSERT INTO workspace.source_hours (tenant_id, workspace_id, slug, hour, accepted, failed)
		SELECT $1, $2, 'orders', date_trunc('hour', now()) - make_interval(days => d), 1, 0
		FROM (SELECT 1 AS d UNION ALL SELECT 15 + x FROM generate_series(0, $3::int - 1) x) d`, st.tenant.ID, st.tenant.Workspace, n)
	st.exec(`INSERT INTO workspace.unknown_fields (tenant_id, workspace_id, slug, name, records, first_seen_at, last_seen_at)
		SELECT $1, $2, 'orders', 'f' || d, 1, now() - make_interval(days => d), now() - make_interval(days => d)
		FROM (SELECT 1 AS d UNION ALL SELECT 91 + x FROM generate_series(0, $3::int - 1) x) d`, st.tenant.ID, st.tenant.Workspace, n)
	st.exec(`INSERT INTO workspace.unknown_values (tenant_id, workspace_id, slug, name, record_key, value, seen_at)
		SELECT $1, $2, 'orders', 'f', d, '1', now() - make_interval(days => d)
		FROM (SELECT 1 AS d UNION ALL SELECT 31 + x FROM generate_series(0, $3::int - 1) x) d`, st.tenant.ID, st.tenant.Workspace, n)
	st.exec(`INSERT INTO control.users (id, email, name) VALUES ($1, 'ada@example.com', 'Ada')`, st.tenant.ID)
	st.exec(`INSERT INTO control.sessions (id, user_id, token_hash, expires_at)
		SELECT gen_random_uuid(), $1, sha256(d::text::bytea), now() - make_interval(hours => d)
		FROM (SELECT -1 AS d UNION ALL SELECT 1 UNION ALL SELECT 25 + x FROM generate_series(0, $2::int - 1) x) d`, st.tenant.ID, n)
	st.exec(`INSERT INTO workspace.alerts (tenant_id, id, workspace_id, rule, slug, since, raised_at, resolved_at)
		SELECT $1, gen_random_uuid(), $2, 'silent_source', 'orders', now(), now(), now() - make_interval(days => d)
		FROM (SELECT NULL::int AS d UNION ALL SELECT 1 UNION ALL SELECT 91 + x FROM generate_series(0, $3::int - 1) x) d`, st.tenant.ID, st.tenant.Workspace, n)
	st.exec(`INSERT INTO workspace.alert_reads (tenant_id, alert_id, user_id) SELECT tenant_id, id, tenant_id FROM workspace.alerts`)
	st.exec("INSERT INTO workspace.products (tenant_id, workspace_id, id, external_id, name) VALUES ($1, $2, 'P', 'P', 'Tea'), ($1, $2, 'Q', 'Q', 'Cup')",
		st.tenant.ID, st.tenant.Workspace)
	st.exec(`INSERT INTO workspace.stock_history (tenant_id, product_id, version, workspace_id, observed_at, stock_on_hand)
		SELECT $1, p, 100 + x, $2, now() - make_interval(days => 800 - x), 1 FROM unnest('{P,Q}'::text[]) p, generate_series(0, $3::int) x`,
		st.tenant.ID, st.tenant.Workspace, n)
}

// TestRun: what is older than it is kept goes, with what depends on it, slice by slice; nothing else does.
func TestRun(t *testing.T) {
	t.Parallel()
	st := newStand(t)
	st.slice = 7
	const old = 30
	st.fill(old)
	require.NoError(t, st.Run(t.Context()))
	require.EqualValues(t, 3*(old+1), st.count("failed_imports"), "the clock has not been steady for a day")

	st.steady()
	require.NoError(t, st.Run(t.Context()))
	require.EqualValues(t, 3, st.count("failed_imports"))
	require.EqualValues(t, 3, st.count("failed_import_attempts"))
	require.EqualValues(t, 1, st.count("source_hours"))
	require.EqualValues(t, 1, st.count("unknown_fields"))
	require.EqualValues(t, 1, st.count("unknown_values"))
	require.EqualValues(t, 2, st.countAll("control.sessions"), "one that lasts, and one that expired an hour ago")
	require.EqualValues(t, 2, st.count("alerts"), "an open one, and one that was resolved yesterday")
	require.EqualValues(t, 2, st.count("alert_reads"))
	require.EqualValues(t, 2*(old+1), st.count("stock_history"), "the days are not in stock_days yet")
	require.Equal(t, map[string]int64{"failed_imports": 0, "open_failed_imports": 0, "imports": 0, "bulk_retries": 0,
		"unknown_fields": 0, "unknown_values": 0, "backfills": 0, "tool_calls": 0,
		"sessions": 0, "alerts": 0, "source_hours": 0, "key_hours": 0, "stock_history": 0}, st.due)

	st.exec(`INSERT INTO workspace.sales_series (tenant_id, workspace_id, product_id, stock_version)
		SELECT $1, $2, 'P', 1000`, st.tenant.ID, st.tenant.Workspace)
	require.NoError(t, st.Run(t.Context()))
	require.EqualValues(t, 1+old+1, st.count("stock_history"), "the last count of P, and all of Q, which is not summed up")
}

// TestNothingElseGoes lets the role try to delete everything, and a clock jump.
func TestNothingElseGoes(t *testing.T) {
	t.Parallel()
	st := newStand(t)
	st.fill(1)
	st.steady()
	tables := []string{"failed_imports", "imports", "bulk_retries", "stock_history", "source_hours", "key_hours",
		"unknown_fields", "unknown_values", "backfills", "audit", "alerts"}
	for _, table := range tables {
		require.NoError(t, st.db.InSystem(t.Context(), func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), "DELETE FROM workspace."+table)
			return err
		}), table)
	}
	require.EqualValues(t, 3, st.count("failed_imports"), "only old ones")
	require.EqualValues(t, 1, st.count("source_hours"))
	require.EqualValues(t, 1, st.count("unknown_values"))
	require.EqualValues(t, 2, st.count("alerts"))

	st.exec("UPDATE workspace.source_hours SET hour = hour - interval '30 days'")
	st.exec("UPDATE control.event_retention SET looked_at = now() - interval '2 days'") // the clock jumped since
	require.NoError(t, st.Run(t.Context()))
	require.EqualValues(t, 1, st.count("source_hours"))
	st.steady()
	require.NoError(t, st.Keep(t.Context(), "source_hours", 60))
	st.steady()
	require.NoError(t, st.Run(t.Context()))
	require.EqualValues(t, 1, st.count("source_hours"), "it is kept for longer now")
	require.NoError(t, st.Keep(t.Context(), "source_hours", 8))
	require.NoError(t, st.Run(t.Context()))
	require.EqualValues(t, 1, st.count("source_hours"), "a day to take it back")
	st.steady()
	all, err := st.List(t.Context())
	require.NoError(t, err)
	require.Len(t, all, len(rules))
	for _, kept := range all {
		if kept.Name == "source_hours" {
			require.EqualValues(t, 8, kept.Days)
			require.EqualValues(t, 1, kept.Due)
		}
	}
	require.ErrorContains(t, st.Keep(context.WithoutCancel(t.Context()), "orders", 8), "failed_imports")
}

// TestRulesUseIndexes reads the plan of each rule's slice.
func TestRulesUseIndexes(t *testing.T) {
	t.Parallel()
	st := newStand(t)
	st.steady()
	for _, r := range rules {
		require.NoError(t, st.db.InSystem(t.Context(), func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off"); err != nil {
				return err
			}
			rows, err := tx.Query(t.Context(), "EXPLAIN SELECT FROM "+r.table+" r WHERE "+r.due()+" ORDER BY r."+r.at+" LIMIT 1000", r.name)
			if err != nil {
				return err
			}
			lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
			plan := ""
			for _, line := range lines {
				plan += line + "\n"
			}
			require.NotContains(t, plan, "Sort", "%s: the index gives the order\n%s", r.name, plan)
			require.Contains(t, plan, "Index", r.name)
			return err
		}))
	}
}

// TestTheLastTimeCounts keeps a failure that came first long ago and came again yesterday.
func TestTheLastTimeCounts(t *testing.T) {
	t.Parallel()
	st := newStand(t)
	st.fill(0)
	st.steady()
	st.exec("UPDATE workspace.failed_imports SET first_seen_at = now() - interval '500 days'")
	require.NoError(t, st.Run(t.Context()))
	require.EqualValues(t, 3, st.count("failed_imports"), "an open one, and two that were closed yesterday")
	require.Zero(t, st.due["open_failed_imports"])
	require.Zero(t, st.due["failed_imports"])
}
