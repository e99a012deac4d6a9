package sending_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/sending"
	"github.com/quayside/quayside/internal/telemetry"
)

// TestAChangedAddressIsSeen changes a supplier's address between two orders. Whoever sends the next one is told by whom and when, and
// a letter that does not repeat it is refused; each change is said once.
func TestAChangedAddressIsSeen(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	records := ingest.New(d.cells, registry.New(d.cells), slog.New(slog.DiscardHandler), telemetry.NewMetrics(),
		ingest.Config{Lanes: 1, Queued: 16})
	t.Cleanup(records.Close)
	write := func(by auth.Principal, body string) {
		t.Helper()
		by.Scope = auth.AllTables
		_, err := records.Write(ctx, ingest.Record{By: by, Slug: "suppliers", Body: []byte(body), RequestID: "test"})
		require.NoError(t, err)
	}
	bot := d.by
	bot.Actor = auth.Actor{Type: auth.ByAgent, ID: uuid.NewString()}
	refused := func(letter sending.Letter) {
		t.Helper()
		for _, byHand := range []bool{false, true} {
			letter.ByHand = byHand
			_, err := d.two.Send(ctx, d.by, order, letter, time.Now())
			require.True(t, fault.HasCode(err, "supplier_changed"), "%v", err)
			require.ErrorContains(t, err, "email")
		}
	}

	write(d.by, `{"external_id": "S1", "name": "Tea House", "email": "orders@tea.example", "payment_terms_days": 30}`)
	draft := d.draft()
	require.Empty(t, draft.SupplierChanges)
	d.send(letter(draft))
	write(d.by, `{"external_id": "S1", "name": "Tea House", "phone": "1", "payment_terms_days": 30.0}`)
	require.Empty(t, d.draft().SupplierChanges, "nothing that matters has changed")

	write(bot, `{"external_id": "S1", "name": "Tea House", "email": "orders@evil.example"}`)
	draft = d.draft()
	require.Len(t, draft.SupplierChanges, 1)
	change := draft.SupplierChanges[0]
	require.Equal(t, []any{"email", "orders@tea.example", "orders@evil.example", bot.Actor},
		[]any{change.Field, change.Was, change.Is, change.By})
	require.WithinDuration(t, time.Now(), change.At, time.Minute)
	wanted := letter(draft)
	refused(wanted)
	wanted.SeenChanges = "something"
	refused(wanted)
	write(bot, `{"external_id": "S1", "name": "Tea House", "email": "orders@worse.example"}`)
	wanted.SeenChanges = draft.ChangesDigest
	refused(wanted) // it changed again since the draft was read

	draft = d.draft()
	wanted = letter(draft)
	wanted.SeenChanges = draft.ChangesDigest
	sent := d.send(wanted)
	again, err := d.two.Send(ctx, d.by, order, wanted, time.Now())
	require.NoError(t, err)
	require.Equal(t, sent.ID, again.ID)
	require.Empty(t, d.draft().SupplierChanges, "the last order went to the new address")

	// Nor does somebody else's note that they sent one with their own program hide a change.
	colleague := d.by
	colleague.Actor = auth.Actor{Type: auth.ByPerson, ID: uuid.NewString()}
	write(d.by, `{"external_id": "S1", "name": "Tea House", "email": "orders@hidden.example"}`)
	draft = d.draft()
	wanted = letter(draft)
	wanted.SeenChanges, wanted.ByHand, wanted.To = draft.ChangesDigest, true, nil
	_, err = d.two.Send(ctx, colleague, order, wanted, time.Now())
	require.NoError(t, err)
	require.Len(t, d.draft().SupplierChanges, 1, "it is still shown to the next sender")
	seen, err := d.two.Draft(ctx, colleague, order, time.Now())
	require.NoError(t, err)
	require.Empty(t, seen.SupplierChanges, "whoever noted it has seen it")
	write(d.by, `{"external_id": "S1", "name": "Tea House", "email": "orders@worse.example"}`)

	// An order that failed is no last order.
	write(d.by, `{"external_id": "S1", "name": "Tea House", "email": "orders@tea.example"}`)
	draft = d.draft()
	wanted = letter(draft)
	wanted.SeenChanges = draft.ChangesDigest
	sent = d.send(wanted)
	d.exec("UPDATE workspace.order_mails SET state = 'failed' WHERE tenant_id = $1 AND id = $2", d.tenant.ID, sent.ID)
	require.Equal(t, draft.SupplierChanges, d.draft().SupplierChanges)

	// The history of the record is gone: the change is still known, and nobody is named.
	d.exec("DELETE FROM workspace.events WHERE tenant_id = $1 AND slug = 'suppliers'", d.tenant.ID)
	require.Equal(t, []sending.Change{{Field: "email", Was: "orders@worse.example", Is: "orders@tea.example"}}, d.draft().SupplierChanges)
}

// TestASecondRecordOfASupplierIsCompared moves an order to a new record of the same supplier, which has another address. The first
// order there is compared with the last one to the supplier of that name; each later one with its own.
func TestASecondRecordOfASupplierIsCompared(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.send(letter(d.draft()))
	d.exec(`INSERT INTO workspace.suppliers (tenant_id, workspace_id, id, external_id, name, email)
		VALUES ($1, $2, 'sup-2', 'S2', 'tea house', 'orders@evil.example')`, d.tenant.ID, d.tenant.Workspace)
	d.exec(`UPDATE workspace.purchase_order_lines SET supplier_id = 'sup-2', supplier_name = 'tea house' WHERE tenant_id = $1`, d.tenant.ID)
	draft := d.draft()
	require.Equal(t, []sending.Change{{Field: "email", Was: "orders@tea.example", Is: "orders@evil.example"}}, draft.SupplierChanges)
	_, err := d.two.Send(t.Context(), d.by, order, letter(draft), time.Now())
	require.True(t, fault.HasCode(err, "supplier_changed"), "%v", err)
	wanted := letter(draft)
	wanted.SeenChanges = draft.ChangesDigest
	d.send(wanted)
	require.Empty(t, d.draft().SupplierChanges)

	d.exec(`UPDATE workspace.purchase_order_lines SET supplier_id = 'sup-1', supplier_name = 'Tea House' WHERE tenant_id = $1`, d.tenant.ID)
	require.Empty(t, d.draft().SupplierChanges, "this supplier had orders of its own")
}

// TestTheSuppliersCodesAreSeen changes what a supplier calls an article after the order was looked at: the letter would order another
// article.
func TestTheSuppliersCodesAreSeen(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.exec(`INSERT INTO workspace.products (tenant_id, workspace_id, id, sku, name, supplier_id, supplier_sku)
		VALUES ($1, $2, 'tea', 'TEA', 'Tea', 'sup-1', 'T-1')`, d.tenant.ID, d.tenant.Workspace)
	d.exec("UPDATE workspace.purchase_order_lines SET product_id = 'tea' WHERE tenant_id = $1 AND sku = 'TEA'", d.tenant.ID)
	seen := letter(d.draft())
	d.exec("UPDATE workspace.products SET supplier_sku = 'T-2' WHERE tenant_id = $1 AND id = 'tea'", d.tenant.ID)
	_, err := d.two.Send(t.Context(), d.by, order, seen, time.Now())
	require.True(t, fault.HasCode(err, "order_changed"), "%v", err)
	d.send(letter(d.draft()))
	d.exec("UPDATE workspace.products SET supplier_sku = 'T-3' WHERE tenant_id = $1 AND id = 'tea'", d.tenant.ID)
	require.Equal(t, 1, d.draft().Changed)
}

// TestLinesOfOthersAreCounted adds a line of another system to an order that people drafted. A person who sends the order is told.
func TestLinesOfOthersAreCounted(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	require.Zero(t, d.draft().Outside, "the whole order came from another system")
	d.exec(`UPDATE workspace.purchase_order_lines SET created_by_type = 'user', created_by_user_id = $2
		WHERE tenant_id = $1 AND sku = 'TEA'`, d.tenant.ID, d.by.Person)
	require.EqualValues(t, 1, d.draft().Outside)
	d.exec("UPDATE workspace.purchase_order_lines SET status = 'cancelled' WHERE tenant_id = $1 AND sku = 'CUP'", d.tenant.ID)
	require.Zero(t, d.draft().Outside)
}
