package inbox_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/purchase"
)

// TestIndexes checks that an inbox among 100,000 lines and many entries is read through indexes, and so
// is what is new everywhere: no large table is scanned.
func TestIndexes(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	back := st.big()
	box := st.service("smtp://127.0.0.1:1?from=quayside@example.com&tls=none") // nobody is there: nothing is to be mailed
	pgtest.ReadsByIndex(t, st.db, []string{"purchase_order_lines", "order_entries", "audit"}, many+2*some, func() {
		began := time.Now()
		require.EqualValues(t, 2, st.count(st.approver).Unseen)
		require.Equal(t, []string{"sent_back " + back.OrderNo + " new"}, shown(st.list(st.buyer, "")))
		require.NoError(t, box.Mail(t.Context(), time.Now()))
		require.Less(t, time.Since(began), 20*time.Second) // it takes a fraction
	})
}

const many, some = 100_000, 30_000

// big stores many lines, entries and audits, of which few are of somebody's inbox. It returns what was
// sent back to the buyer.
func (st *stage) big() purchase.Line {
	st.t.Helper()
	waits := st.submit(st.buyer, "")
	back := st.sendBack(st.approver, st.submit(st.buyer, ""), "too many")
	st.mention(st.buyer, st.approver, waits.OrderNo, "look")
	st.db.Broken()                                    // orders are not kept without triggers
	st.exec("SET session_replication_role = replica") // no triggers: only the number of rows matters
	st.exec(`INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, external_id, order_no, sku, status, quantity_ordered)
		SELECT $1, $2, 'x' || n, CASE WHEN n % 2 = 0 THEN $3 ELSE 'X' || n / 10 END, 'SKU' || n % 5000, 'ordered', 1
		FROM generate_series(1, $4::integer) n`, st.tenant.ID, st.tenant.Workspace, waits.OrderNo, many)
	st.exec(`INSERT INTO workspace.order_entries (tenant_id, id, workspace_id, order_no, kind, actor, text, mentions, created_at)
		SELECT $1, gen_random_uuid(), $2, 'X' || n / 10, 'comment', '{}', 'said', CASE WHEN n % 3 = 0 THEN ARRAY[gen_random_uuid()] ELSE '{}' END,
			now() - make_interval(mins => n) FROM generate_series(1, $3::integer) n`, st.tenant.ID, st.tenant.Workspace, some)
	st.exec(`INSERT INTO workspace.audit (tenant_id, id, at, workspace_id, actor, request_id, action, subject)
		SELECT $1, gen_random_uuid(), now() - make_interval(mins => n), $2, '{}', 'r', CASE WHEN n % 100 = 0 THEN 'purchase_order_line.sent_back' ELSE 'purchase_order_line.edited' END, 'line-' || n
		FROM generate_series(1, $3::integer) n`, st.tenant.ID, st.tenant.Workspace, some)
	st.exec("ANALYZE workspace.purchase_order_lines, workspace.order_entries, workspace.audit")
	return back
}
