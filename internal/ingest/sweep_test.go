package ingest

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/telemetry"
)

// swept are the tables of what waits.
var swept = []string{"order_line_items", "purchase_order_lines", "failed_imports"}

// fillWaiting adds so many open failures and so many lines that wait for what does not exist, half of them of orders
// and half of purchase orders, of so many tenants. The connection must be a superuser's.
func fillWaiting(tb testing.TB, admin *pgx.Conn, rows, tenants int) {
	tb.Helper()
	tx, err := admin.Begin(tb.Context())
	require.NoError(tb, err)
	_, err = tx.Exec(tb.Context(), "SET LOCAL session_replication_role = replica") // no trigger: nobody reads orders and tokens here
	require.NoError(tb, err)
	const tenant = "md5('tenant ' || n % $2)::uuid, md5('workspace ' || n % $2)::uuid"
	for _, statement := range []string{
		`INSERT INTO workspace.order_line_items (tenant_id, workspace_id, external_id, order_external_id, name, quantity, unit_price)
			SELECT ` + tenant + `, 'I' || n, 'O' || n, 'Tea', 1, 1 FROM generate_series(1, $1::int / 2) n`,
		`INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, external_id, order_no, sku, quantity_ordered)
			SELECT ` + tenant + `, 'L' || n, 'PO-' || n % 100, 'SKU-' || n, 1 FROM generate_series(1, $1::int / 2) n`,
		`INSERT INTO workspace.failed_imports
			(tenant_id, id, workspace_id, slug, http_status, code, field, message, errors, payload, payload_hash, record_key, key_id, request_id)
			SELECT md5('tenant ' || n % $2)::uuid, gen_random_uuid(), md5('workspace ' || n % $2)::uuid, 'products', 422, 'type', 'price', 'no number',
				'[{"field": "price"}]', '{}', sha256(n::text::bytea), 'P' || n, gen_random_uuid(), '' FROM generate_series(1, $1::int) n`,
	} {
		_, err := tx.Exec(tb.Context(), statement, rows, tenants)
		require.NoError(tb, err)
	}
	require.NoError(tb, tx.Commit(tb.Context()))
	for _, table := range swept {
		_, err := admin.Exec(tb.Context(), "ANALYZE workspace."+table)
		require.NoError(tb, err)
	}
}

// sweeper returns a service on connections of its own.
func sweeper(tb testing.TB, cells *pg.Cells) *Service {
	tb.Helper()
	s := New(cells, registry.New(cells), slog.New(slog.DiscardHandler), telemetry.NewMetrics(), Config{Lanes: 1, Queued: 10})
	tb.Cleanup(s.Close)
	return s
}

// TestSweepReadsOnlyWhatIsNew: what waits for nothing that exists is not read again and again.
func TestSweepReadsOnlyWhatIsNew(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	fillWaiting(t, db.Admin(t), 2000, 20)
	sweep := func(cells *pg.Cells) {
		s := sweeper(t, cells)
		require.NoError(t, s.Sweep(t.Context()))
		require.NoError(t, s.Pass(t.Context()))
	}
	sweep(db.Cells) // the first full pass is due
	require.Zero(t, pgtest.RowsRead(t, db, swept, sweep), "nothing is new")
}

// storeUnlinked stores an order as a process does that dies before it links the lines that wait for it.
func storeUnlinked(tb testing.TB, tx pgx.Tx, tenant pgtest.Tenant, order string) {
	tb.Helper()
	_, err := tx.Exec(tb.Context(), `WITH stored AS (
		INSERT INTO workspace.orders (tenant_id, workspace_id, external_id, ordered_at, status, currency, total)
		VALUES ($1, $2, $3, now(), 'open', 'EUR', 1) RETURNING *)
		INSERT INTO workspace.events (tenant_id, subject, id, workspace_id, kind, slug, version, actor, request_id, data)
		SELECT tenant_id, id, gen_random_uuid(), workspace_id, 'ingest.orders.received', 'orders', 1, '{}', '', '{"record": {}}' FROM stored`,
		tenant.ID, tenant.Workspace, order)
	require.NoError(tb, err)
}

// version returns the version of an order's line, and whether it is linked.
func (st stand) version(order string) (version int64, linked bool) {
	st.t.Helper()
	require.NoError(st.t, st.db.InTenant(st.t.Context(), st.tenant.ID, func(tx pgx.Tx) error {
		return tx.QueryRow(st.t.Context(),
			"SELECT version, order_id IS NOT NULL FROM workspace.order_line_items WHERE tenant_id = $1 AND external_id = $2",
			st.tenant.ID, "line of "+order).Scan(&version, &linked)
	}))
	return version, linked
}

// sweepUntilLinked sweeps until the order's line is linked: transactions of other tests' databases hold up the reader.
func (st stand) sweepUntilLinked(order string) {
	st.t.Helper()
	require.Eventually(st.t, func() bool {
		require.NoError(st.t, st.s.Sweep(st.t.Context()))
		_, linked := st.version(order)
		return linked
	}, time.Minute, 10*time.Millisecond, "%s is not linked", order)
}

func (st stand) begin() pgx.Tx {
	st.t.Helper()
	tx, err := st.db.Admin(st.t).Begin(st.t.Context())
	require.NoError(st.t, err)
	st.t.Cleanup(func() { _ = tx.Rollback(context.WithoutCancel(st.t.Context())) })
	return tx
}

// TestSweepLinksWhatWasLeft has processes die before they link: one whose transaction commits after the sweep has
// read later ones, and one whose line is locked for a while. No full pass is needed, and other lines do not wait.
func TestSweepLinksWhatWasLeft(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	st := newStand(t, s, db)
	for _, order := range []string{"early", "late", "locked", "free"} {
		st.write("order_line_items", `{"external_id":"line of `+order+`","order_id":"`+order+`","name":"Tea","quantity":1,"unit_price":2}`)
	}
	require.NoError(t, s.Sweep(t.Context())) // the reader begins

	late := st.begin()
	storeUnlinked(t, late, st.tenant, "late")
	store := func(order string) {
		tx := st.begin()
		storeUnlinked(t, tx, st.tenant, order)
		require.NoError(t, tx.Commit(t.Context()))
	}
	store("early")
	require.NoError(t, s.Sweep(t.Context()))
	require.NoError(t, late.Commit(t.Context()))
	st.sweepUntilLinked("late")
	st.sweepUntilLinked("early")

	store("locked")
	store("free")
	lock := st.begin() // the sweep reads up to this transaction
	_, err := lock.Exec(t.Context(), "SELECT FROM workspace.order_line_items WHERE external_id = 'line of locked' FOR UPDATE")
	require.NoError(t, err)
	st.sweepUntilLinked("free")
	_, linked := st.version("locked")
	require.False(t, linked)
	require.NoError(t, lock.Commit(t.Context()))
	st.sweepUntilLinked("locked")

	require.NoError(t, s.PassNow(t.Context()))
	require.NoError(t, s.Sweep(t.Context()))
	for _, order := range []string{"early", "late", "locked", "free"} {
		version, _ := st.version(order)
		require.EqualValues(t, 2, version, "%s is linked once", order)
	}
}

// TestSweepResolvesFailures stores records that had failed, one of them without the field that was wrong.
func TestSweepResolvesFailures(t *testing.T) {
	t.Parallel()
	st := newSpoolStand(t, 1<<20)
	require.NoError(t, st.s.Sweep(t.Context()))
	require.Equal(t, 422, st.bad("mended", "r1"))
	require.Equal(t, 422, st.bad("still wrong", "r2"))
	st.write("suppliers", `{"external_id":"still wrong","name":"y"}`)
	st.write("suppliers", `{"external_id":"mended","name":"x","lead_time_days":3}`)
	require.Eventually(t, func() bool {
		require.NoError(t, st.s.Sweep(t.Context()))
		return slices.Equal([]string{"mended resolved 1 r1", "still wrong open 1 r2"}, st.failures())
	}, time.Minute, 10*time.Millisecond)
}

// TestPassGoesOn interrupts a pass. Another instance goes on where it was, and the next one begins in the next night.
func TestPassGoesOn(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	admin := db.Admin(t)
	fillWaiting(t, admin, 2*(2*sliceRows+10), 3)
	exec := func(sql string) {
		_, err := admin.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	s := sweeper(t, db.Cells)
	run := func() (slices int) { // of the lines that wait for their order
		all, err := s.passes(t.Context())
		require.NoError(t, err)
		for _, p := range all {
			require.NoError(t, s.goOn(t.Context(), pass{p.name, func(ctx context.Context, place []string) ([]string, error) {
				if p.name == "order_line_items.order_id" {
					slices++
				}
				return p.slice(ctx, place)
			}}))
		}
		return slices
	}
	whole := run()
	require.Greater(t, whole, 3, "every row is looked at")
	require.Zero(t, run(), "it is done")
	exec(`UPDATE control.full_passes SET finished_at = NULL, place = (SELECT ARRAY[tenant_id::text, order_external_id]
		FROM workspace.order_line_items ORDER BY tenant_id, order_external_id OFFSET 3 * (SELECT count(*) / 4 FROM workspace.order_line_items) LIMIT 1)
		WHERE name = 'order_line_items.order_id'`)
	rest := run()
	require.Positive(t, rest)
	require.Less(t, rest, whole, "it goes on where it was")
	exec("UPDATE control.full_passes SET began_at = now() - interval '1 day'")
	require.Equal(t, whole, run(), "another night")
	require.NoError(t, s.Sweep(t.Context()))
	exec("UPDATE control.full_passes SET began_at = began_at - interval '1 minute'") // though the machine's clock may be set back
	exec("UPDATE control.readers SET began_at = now()")
	require.Equal(t, whole, run(), "the reader has begun anew")
}
