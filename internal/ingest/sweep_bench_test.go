package ingest

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// BenchmarkSweep measures the sweep among SWEEP_ROWS lines that wait and as many open failures, of SWEEP_TENANTS
// tenants: with nothing to do, with an order that a crash left unlinked, and an order that is
// linked before its answer. It fails if a sweep with nothing to do takes more than 50 ms, or a link more than a second.
// 'make bench-sweeps' runs it.
func BenchmarkSweep(b *testing.B) {
	rows, tenants := setting(b, "SWEEP_ROWS", 20_000), setting(b, "SWEEP_TENANTS", 100)
	db := pgtest.New(b)
	fillWaiting(b, db.Admin(b), rows, tenants)
	s := sweeper(b, db.Cells)
	require.NoError(b, s.Sweep(b.Context()))
	began := time.Now()
	require.NoError(b, s.PassNow(b.Context()))
	b.Logf("a full pass of %d lines and failures of %d tenants took %s without pauses", 2*rows, tenants, time.Since(began).Round(time.Millisecond))

	var of pgtest.Tenant
	admin := db.Admin(b)
	require.NoError(b, admin.QueryRow(b.Context(), "SELECT tenant_id, workspace_id FROM workspace.order_line_items LIMIT 1").
		Scan(&of.ID, &of.Workspace))
	waits := func() (order string) { // of an order that does not exist yet
		require.NoError(b, admin.QueryRow(b.Context(), `SELECT order_external_id FROM workspace.order_line_items
			WHERE tenant_id = $1 AND order_id IS NULL LIMIT 1`, of.ID).Scan(&order))
		return order
	}
	linked := func(order string) bool {
		var waiting bool
		require.NoError(b, admin.QueryRow(b.Context(), `SELECT EXISTS (SELECT FROM workspace.order_line_items
			WHERE tenant_id = $1 AND order_external_id = $2 AND order_id IS NULL)`, of.ID, order).Scan(&waiting))
		return !waiting
	}
	b.Run("nothing new", func(b *testing.B) {
		for b.Loop() {
			require.NoError(b, s.Sweep(b.Context()))
		}
		require.Less(b, b.Elapsed()/time.Duration(b.N), 50*time.Millisecond)
	})
	b.Run("after a crash", func(b *testing.B) {
		for b.Loop() {
			order := waits()
			require.NoError(b, pgx.BeginFunc(b.Context(), admin, func(tx pgx.Tx) error {
				storeUnlinked(b, tx, of, order)
				return nil
			}))
			for !linked(order) {
				require.NoError(b, s.Sweep(b.Context()))
			}
		}
		require.Less(b, b.Elapsed()/time.Duration(b.N), time.Second)
	})
	b.Run("as it is stored", func(b *testing.B) {
		by := auth.Principal{Tenant: of.ID, Workspace: of.Workspace, Zone: time.UTC, Scope: auth.AllTables,
			Actor: auth.Actor{Type: auth.ByOperator}}
		for b.Loop() {
			order := waits()
			_, err := s.Write(b.Context(), Record{By: by, Slug: "orders", RequestID: uuid.NewString(), Body: []byte(
				`{"external_id":"` + order + `","ordered_at":"2026-03-01T12:00:00Z","status":"open","currency":"EUR","total":20}`)})
			require.NoError(b, err)
			require.True(b, linked(order))
		}
	})
}

func setting(b *testing.B, name string, otherwise int) int {
	b.Helper()
	if text := os.Getenv(name); text != "" {
		n, err := strconv.Atoi(text)
		require.NoError(b, err)
		return n
	}
	return otherwise
}
