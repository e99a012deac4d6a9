package purchase_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/purchase"
)

// TestOrderTimeline brings an order of three lines forward, and expects one moment for each action,
// however many lines it was taken on.
func TestOrderTimeline(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx := t.Context()
	step := func(lines []purchase.Line, err error) []purchase.Line {
		t.Helper()
		require.NoError(t, err)
		return lines
	}
	three := make([]purchase.NewLine, 3)
	for i := range three {
		three[i] = wanted()
		three[i].OrderNo, three[i].ProductID, three[i].SKU = set("PO-1"), nil, set(fmt.Sprintf("CUP-%d", i))
		three[i].ExpectedArrivalDate = set(fmt.Sprintf("2026-11-0%d", i+1)) // each another day
	}
	lines := step(o.lines.Draft(ctx, o.maker, three))
	lines = step(o.lines.Submit(ctx, o.maker, refs(lines...)))
	lines = append(step(o.lines.SendBack(ctx, o.who[auth.Approver], refs(lines[0]), "too many")), lines[1:]...)
	approved := step(o.lines.Approve(ctx, o.who[auth.Approver], refs(lines[1:]...)))
	moved := step(o.lines.Reschedule(ctx, o.maker, refs(approved...), "2026-12-24", "Ms Berg said so"))
	step(o.lines.Receive(ctx, o.maker, delivery(moved[0], "")))
	require.NoError(t, o.lines.SeeFlags(ctx, o.maker, moved[0].ID))
	o.exec(`INSERT INTO workspace.order_entries (tenant_id, id, workspace_id, order_no, kind, actor, text)
		VALUES ($1, 'ffffffff-0000-7000-8000-000000000000', $2, 'PO-1', 'call', $3, 'Comes on Monday')`, o.tenant.ID,
		o.tenant.Workspace, o.maker.Actor.JSON())

	moments, more, err := o.lines.OrderTimeline(ctx, o.who[auth.Viewer], "PO-1", page.All)
	require.NoError(t, err)
	require.False(t, more)
	var told []string
	for _, m := range moments {
		told = append(told, fmt.Sprintf("%s %d %s%s", m.What, m.Lines, m.SKU, m.Text))
	}
	require.Equal(t, []string{
		"call 0 Comes on Monday", "purchase_order_line.received 1 CUP-1", "purchase_order_line.edited 2 CUP-1",
		"purchase_order_line.approved 2 CUP-1", "purchase_order_line.sent_back 1 CUP-0",
		"purchase_order_line.submitted 3 CUP-0", "purchase_order_line.created 3 CUP-0",
	}, told)
	require.Contains(t, string(moments[2].Data), "Ms Berg said so")
	require.Contains(t, string(moments[2].Data), "2026-12-24")
	require.Equal(t, o.maker.Actor, moments[2].By)

	first, more, err := o.lines.OrderTimeline(ctx, o.maker, "PO-1", page.Request{Most: 3})
	require.NoError(t, err)
	require.True(t, more)
	rest, more, err := o.lines.OrderTimeline(ctx, o.maker, "PO-1", page.Request{Most: 4, After: first[2].ID})
	require.NoError(t, err)
	require.False(t, more)
	require.Equal(t, moments, append(first, rest...), "pages split no moment")

	stranger := o.person(auth.CompanyAdmin)
	other := pgtest.NewTenant(t, o.db)
	stranger.Tenant, stranger.Workspace = other.ID, other.Workspace
	_, _, err = o.lines.OrderTimeline(ctx, stranger, "PO-1", page.All)
	require.True(t, fault.Is(err, fault.NotFound))
}

// TestOrderTimelineOfExternalSystems expects one moment for the records that a system sent in an hour,
// and none for a person's file, which the audit has.
func TestOrderTimelineOfExternalSystems(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx := t.Context()
	for i := range 3 {
		line := purchase.Line{ExternalID: fmt.Sprintf("x%d", i), OrderNo: "PO-7", SKU: "CUP", QuantityOrdered: wantedQuantity}
		require.NoError(t, o.send(line, `"status": "ordered"`))
	}
	_, _, err := o.records.Import(ctx, o.maker, slug, []byte(`{"external_id":"x0","note":"by a file"}`))
	require.NoError(t, err)
	o.exec("UPDATE workspace.events SET created_at = date_trunc('hour', now()) WHERE tenant_id = $1", o.tenant.ID)
	moments, _, err := o.lines.OrderTimeline(ctx, o.maker, "PO-7", page.All)
	require.NoError(t, err)
	require.Len(t, moments, 2)
	require.Equal(t, "purchase_order_line.edited", moments[0].What)
	require.Equal(t, int64(3), moments[1].Lines)
	require.Equal(t, o.trusted.Actor, moments[1].By)
}

// TestOrderTimelineReadsNoOtherOrder reads a small order beside one of 2,000 lines, and then that one.
func TestOrderTimelineReadsNoOtherOrder(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx := t.Context()
	o.exec(`INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, external_id, order_no, sku, quantity_ordered, status)
		SELECT $1, $2, 'l' || n, CASE WHEN n <= 10 THEN 'PO-SMALL' ELSE 'PO-HUGE' END, 'CUP', 10, 'ordered' FROM generate_series(1, 2010) n`,
		o.tenant.ID, o.tenant.Workspace)
	for _, action := range []string{"created", "submitted", "approved"} {
		o.exec(`INSERT INTO workspace.audit (tenant_id, id, workspace_id, actor, request_id, action, subject)
			SELECT tenant_id, gen_random_uuid(), workspace_id, '{"type":"user"}', 'r' || row_number() OVER (ORDER BY id) / 500, $2, id
			FROM workspace.purchase_order_lines WHERE tenant_id = $1`, o.tenant.ID, "purchase_order_line."+action)
	}
	o.exec("ANALYZE workspace.purchase_order_lines, workspace.audit")
	// history returns how many moments there are, and how many rows were read for them.
	history := func(order string) (moments int, read int64) {
		t.Helper()
		require.NoError(t, o.db.InTenant(ctx, o.tenant.ID, func(tx pgx.Tx) error {
			found, err := q.New(tx).ListOrderHistory(ctx, q.ListOrderHistoryParams{TenantID: o.tenant.ID,
				WorkspaceID: o.tenant.Workspace, OrderNo: order, Before: uuid.Max, Most: 100, MostExternal: 500})
			if err != nil {
				return err
			}
			moments = len(found)
			return tx.QueryRow(ctx, `SELECT sum(seq_tup_read + idx_tup_fetch)::bigint FROM pg_stat_xact_user_tables
				WHERE schemaname = 'workspace' AND relname IN ('audit', 'purchase_order_lines')`).Scan(&read)
		}))
		return moments, read
	}
	moments, read := history("PO-SMALL")
	require.Equal(t, 3, moments)
	require.Less(t, read, int64(200), "rows of other orders were read")
	moments, _ = history("PO-HUGE")
	require.Equal(t, 15, moments, "five requests of at most 500 lines each, three times")
}
