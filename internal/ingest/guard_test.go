package ingest

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/telemetry"
)

const guardedSlug = "purchase_order_lines"

// guardian is a gate for external systems that keeps the status of every guarded line, and notes what it was asked.
type guardian struct {
	mu      sync.Mutex
	asked   []string
	changed []bool
}

func (g *guardian) judge(ctx context.Context, tx pgx.Tx, claim Claim) (ruling Ruling, err error) {
	g.mu.Lock()
	g.asked = append(g.asked, claim.Key)
	g.mu.Unlock()
	var status string
	if err = tx.QueryRow(ctx, "SELECT version, status FROM workspace.purchase_order_lines WHERE tenant_id = $1 AND external_id = $2 FOR UPDATE",
		claim.By.Tenant, claim.Key).Scan(&ruling.Version, &status); err != nil {
		return ruling, err
	}
	if said := claim.Values["status"]; said != nil && *said != status {
		ruling.Values, ruling.Dropped = map[string]*string{"status": &status}, []string{"status"}
	}
	ruling.Done = func(_ context.Context, changed bool) error {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.changed = append(g.changed, changed)
		return nil
	}
	return ruling, nil
}

// take returns what the gate was asked since the last call.
func (g *guardian) take() (asked []string, changed []bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	asked, changed, g.asked, g.changed = g.asked, g.changed, nil, nil
	return asked, changed
}

// guardedStand is a stand whose first two lines are guarded: somebody here made one, and has booked a receipt of the other.
func guardedStand(t *testing.T) (stand, *guardian) {
	t.Helper()
	db, g := pgtest.New(t), &guardian{}
	s := New(db.Cells, registry.New(db.Cells), slog.New(slog.DiscardHandler), telemetry.NewMetrics(), Config{Lanes: 2, Queued: 1000,
		Gates: map[string]Gates{guardedSlug: {Keys: g.judge, Guards: []string{"created_by_type", "received_here"},
			Judged: []string{"status", "price_per_unit"}}}})
	t.Cleanup(s.Close)
	st := newStand(t, s, db)
	admin := db.Admin(t)
	for _, sql := range []string{"UPDATE workspace.purchase_order_lines SET created_by_type = 'user' WHERE external_id = 'known-0'",
		"UPDATE workspace.purchase_order_lines SET received_here = 1 WHERE external_id = 'known-1'"} {
		_, err := admin.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	asked, _ := g.take()
	require.Empty(t, asked)
	return st, g
}

// say sends a status and a note of a line.
func (st stand) say(by auth.Principal, line, status, note string, dry bool) (Outcome, error) {
	return st.s.Write(st.t.Context(), Record{By: by, Slug: guardedSlug, RequestID: "test", DryRun: dry,
		Body: fmt.Appendf(nil, `{"external_id":%q,"status":%q,"note":%q}`, line, status, note)})
}

// TestGuardedRows sends records for guarded rows and for others. The gate is asked about those that would change what it has rules
// for in a guarded row, and about no others.
func TestGuardedRows(t *testing.T) {
	t.Parallel()
	st, g := guardedStand(t)
	for i, line := range []string{"known-0", "known-1", "known-2", "new"} {
		if line == "new" {
			st.write(guardedSlug, `{"external_id":"new","order_no":"1","sku":"TEA","quantity_ordered":10}`)
		}
		guarded := i < 2
		for _, dry := range []bool{true, false} {
			outcome, err := st.say(st.by(), line, "ordered", "first", dry)
			require.NoError(t, err)
			require.Equal(t, Updated, outcome.Result)
			require.Equal(t, guarded, slices.Contains(outcome.Dropped, "status"), line)
			asked, changed := g.take()
			require.Equal(t, guarded, slices.Equal(asked, []string{line}), "%s: %v", line, asked)
			require.Equal(t, guarded && !dry, slices.Equal(changed, []bool{true}), line)
		}
		status := st.ask("SELECT status FROM workspace.purchase_order_lines WHERE tenant_id = $1 AND external_id = $2", st.tenant.ID, line)
		require.Equal(t, map[bool]string{true: "draft", false: "ordered"}[guarded], status)
		require.Equal(t, "2", st.ask(`SELECT count(*)::text FROM workspace.events e JOIN workspace.purchase_order_lines l ON l.tenant_id = e.tenant_id AND l.id = e.subject
			WHERE l.tenant_id = $1 AND l.external_id = $2`, st.tenant.ID, line), "one event for each record")

		for note, want := range map[string]Result{"first": Unchanged, "second": Updated} {
			outcome, err := st.say(st.by(), line, status, note, false)
			require.NoError(t, err)
			require.Equal(t, want, outcome.Result)
			_, err = st.say(st.by(), line, status, "first", false)
			require.NoError(t, err)
			asked, _ := g.take()
			require.Empty(t, asked, "%s: the gate has no rules for a note", line)
		}
		st.write(guardedSlug, fmt.Sprintf(`{"external_id":%q,"expected_arrival_date":"2027-01-31"}`, line))
		asked, _ := g.take()
		require.Empty(t, asked, "%s: the gate has no rules for any of it", line)
		st.write(guardedSlug, fmt.Sprintf(`{"external_id":%q,"price_per_unit":3}`, line))
		asked, _ = g.take()
		require.Equal(t, guarded, len(asked) == 1, line)
	}
	_, err := st.say(st.by(), "known-0", "ordered", "first", false)
	require.NoError(t, err)
	_, changed := g.take()
	require.Equal(t, []bool{false}, changed, "a record of which nothing is left is accepted, too")
}

// TestGuardsAreForKeys: a sync has rules of its own, and a refused record is refused as ever.
func TestGuardsAreForKeys(t *testing.T) {
	t.Parallel()
	st, g := guardedStand(t)
	sync := st.by()
	sync.Role, sync.Actor = auth.Sync, auth.Actor{Type: auth.BySync, ID: "connection"}
	outcome, err := st.say(sync, "known-0", "ordered", "by a sync", false)
	require.NoError(t, err)
	require.Empty(t, outcome.Dropped)

	elsewhere := st.by()
	elsewhere.Workspace = pgtest.NewTenant(t, st.db).Workspace
	_, err = st.say(elsewhere, "known-1", "ordered", "by another workspace", false)
	require.True(t, fault.HasCode(err, "duplicate_key"), "%v", err)
	_, err = st.s.Write(t.Context(), Record{By: st.by(), Slug: guardedSlug, RequestID: "test",
		Body: []byte(`{"external_id":"known-1","status":"shipped"}`)})
	require.True(t, fault.Is(err, fault.Invalid), "%v", err)
	asked, _ := g.take()
	require.Empty(t, asked)
}

// TestGuardedRowIsLocked keeps a guarded row locked. Its record gets a retryable error, others are stored meanwhile, and it
// is stored afterwards.
func TestGuardedRowIsLocked(t *testing.T) {
	t.Parallel()
	st, g := guardedStand(t)
	tx, err := st.db.Admin(t).Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), "SELECT FROM workspace.purchase_order_lines WHERE external_id = 'known-0' FOR UPDATE")
	require.NoError(t, err)
	_, err = st.say(st.by(), "known-0", "ordered", "locked", false)
	require.True(t, fault.HasCode(err, "row_locked"), "%v", err)
	_, err = st.say(st.by(), "known-1", "ordered", "free", false)
	require.NoError(t, err)
	require.NoError(t, tx.Rollback(t.Context()))
	g.take()
	_, err = st.say(st.by(), "known-0", "ordered", "free again", false)
	require.NoError(t, err)
	asked, _ := g.take()
	require.Equal(t, []string{"known-0"}, asked)
}

// TestGuardedMeanwhile guards a row while a record for it waits: at two instances, the record is judged by the gate.
func TestGuardedMeanwhile(t *testing.T) {
	t.Parallel()
	st, g := guardedStand(t)
	admin := st.db.Admin(t)
	tx, err := admin.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), "UPDATE workspace.purchase_order_lines SET received_here = 1 WHERE external_id = 'known-2'")
	require.NoError(t, err)
	written := make(chan error, 1)
	go func() {
		_, err := st.say(st.by(), "known-2", "ordered", "late", false)
		for fault.HasCode(err, "row_locked") {
			_, err = st.say(st.by(), "known-2", "ordered", "late", false)
		}
		written <- err
	}()
	pgtest.AwaitWaiting(t, st.db.Admin(t), 1)
	require.NoError(t, tx.Commit(t.Context()))
	require.NoError(t, <-written)
	asked, _ := g.take()
	require.Equal(t, []string{"known-2"}, asked)
	require.Equal(t, "draft", st.ask("SELECT status FROM workspace.purchase_order_lines WHERE tenant_id = $1 AND external_id = 'known-2'", st.tenant.ID))
}
