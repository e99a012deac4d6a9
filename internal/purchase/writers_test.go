package purchase_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/purchase"
)

// These tests check what the database guarantees to every writer of lines, also to those that know none of
// the rules: what a line is called, when it arrived, what holds a recommendation, and what an approval covers.

// TestAmbiguousSKU checks that a line which names no product takes the name of the article with its SKU, but
// of none if several have it. A product that is known by its SKU alone does not compete with one that has an id.
func TestAmbiguousSKU(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, product := range []struct {
		id, sku string
		key     any
	}{
		{"first-of-two", "TWO", "A1"}, {"second-of-two", "TWO", "A2"}, {"with-an-id", "KNOWN", "A3"}, {"by-its-sku", "KNOWN", nil},
		{"alone", "ONE", nil},
	} {
		o.exec("INSERT INTO workspace.products (tenant_id, workspace_id, id, external_id, sku, name) VALUES ($1, $2, $3, $4, $5, $3)",
			o.tenant.ID, o.tenant.Workspace, product.id, product.key, product.sku)
	}
	for sku, want := range map[string]string{"TWO": "", "KNOWN": "with-an-id", "ONE": "alone", "NONE": "", "TEA": "Green tea"} {
		line := fresh()
		line.SKU = sku
		require.NoError(t, o.send(line, priced))
		name := ""
		if told := o.stored(line).ProductName; told != nil {
			name = *told
		}
		require.Equal(t, want, name, sku)
	}
}

// TestRecommendationLock checks that nobody writes a second line for a recommendation while the first one is
// open, in whatever status that is.
func TestRecommendationLock(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	insert := func(status purchase.Status) error {
		_, err := o.admin.Exec(t.Context(), `INSERT INTO workspace.purchase_order_lines
				(tenant_id, workspace_id, external_id, order_no, sku, quantity_ordered, status, recommendation_key)
			VALUES ($1, $2, gen_random_uuid()::text, 'ANY', 'TEA', 1, $3, $4)`, o.tenant.ID, o.tenant.Workspace, status, "rq1:"+string(status))
		return err
	}
	for _, status := range purchase.Statuses() {
		require.NoError(t, insert(status), status)
		if status == purchase.Received || status == purchase.Cancelled {
			require.NoError(t, insert(status), "a line that is %s holds nothing", status)
			continue
		}
		require.ErrorContains(t, insert(status), "purchase_order_lines_open_recommendation", status)
	}
}

// TestReceivedAtStays checks that a record which repeats a receipt without its day leaves the day as it was.
func TestReceivedAtStays(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	line := o.arrive(`"status": "received", "quantity_received": 10, "received_at": "2026-03-03T09:00:00Z"`)
	at := time.Date(2026, 3, 3, 9, 0, 0, 0, time.UTC)
	require.True(t, at.Equal(*line.ReceivedAt))
	for _, again := range []string{`"status": "received", "quantity_received": 10`, `"quantity_received": 10, "note": "on pallet 7"`,
		`"status": "received", "quantity_received": 11`} {
		require.NoError(t, o.send(line, again))
		require.True(t, at.Equal(*o.now(line).ReceivedAt), "%s: %s", again, o.now(line).ReceivedAt)
	}
	o.exec("UPDATE workspace.purchase_order_lines SET received_at = NULL WHERE id = $1", line.ID)
	require.True(t, at.Equal(*o.now(line).ReceivedAt), "a line that has arrived has its day")
}

// TestFlagsMove checks that a line which moves to another order takes its flags along.
func TestFlagsMove(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	line := o.in(purchase.Ordered)
	require.NoError(t, o.send(line, `"status": "draft"`))
	flags := func(orderNo string) int64 {
		t.Helper()
		order, err := o.lines.Order(t.Context(), o.maker, orderNo)
		require.NoError(t, err)
		return order.Flags
	}
	require.EqualValues(t, 1, flags(line.OrderNo))
	o.exec("UPDATE workspace.purchase_order_lines SET order_no = 'N-1' WHERE id = $1", line.ID)
	require.EqualValues(t, 1, flags("N-1"))
	require.NoError(t, o.lines.SeeFlags(t.Context(), o.maker, line.ID))
	require.Zero(t, flags("N-1"))
}

// TestSuppliersByName checks how many suppliers an order has when lines know some by name alone: a name is that of
// the supplier whose id other lines have.
func TestSuppliersByName(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, line := range []struct{ sku, supplier, name string }{
		{"A", "sup-1", "Tea House"}, {"B", "", "Tea House"}, {"C", "", "Acorn"}, {"D", "", "Acorn"},
	} {
		o.line("PO-7", line.sku, "ordered", line.supplier, line.name, "1")
	}
	suppliers := func() int64 {
		t.Helper()
		order, err := o.lines.Order(t.Context(), o.maker, "PO-7")
		require.NoError(t, err)
		return order.SupplierNum
	}
	require.EqualValues(t, 2, suppliers())
	o.exec("UPDATE workspace.purchase_order_lines SET status = 'cancelled' WHERE sku = 'A'")
	require.EqualValues(t, 2, suppliers(), "Tea House is known by its name now")
	o.exec("UPDATE workspace.purchase_order_lines SET status = 'cancelled' WHERE sku IN ('C', 'D')")
	require.EqualValues(t, 1, suppliers())
	// The recount at the end of the test folds them as the database does.
	o.line("ÄB-9", "E", "ordered", "", "ÖLMÜHLE", "1")
	o.line("ÄB-9", "F", "ordered", "", "Ölmühle", "1")
}

// TestWithdrawnApproval checks what an edit is measured against after an external system took a line back and
// ordered it again: what was ordered since, if the approval was withdrawn, and otherwise what was ordered first.
func TestWithdrawnApproval(t *testing.T) {
	t.Parallel()
	for back, want := range map[string]purchase.Status{"draft": purchase.Ordered, "cancelled": purchase.PendingApproval} {
		o := newOffice(t)
		line := o.arrive(`"status": "ordered", ` + priced)
		require.NoError(t, o.send(line, `"status": "`+back+`"`))
		line.QuantityOrdered = money("20")
		require.NoError(t, o.send(line, `"status": "ordered"`))
		edited, err := o.lines.Edit(t.Context(), o.who[auth.Buyer], refs(o.now(line))[0], purchase.Changes{QuantityOrdered: set("20.5")})
		require.NoError(t, err)
		require.Equal(t, want, edited[0].Status, "10, then %s, then 20, then 20.5", back)
	}
}

// TestImporterDoesNotApprove checks that who sent a file does not approve its line, even if somebody else has
// sent the record again after it had failed.
func TestImporterDoesNotApprove(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	boss, line := o.who[auth.CompanyAdmin], fresh()
	_, err := o.records.Retry(t.Context(), o.maker, "purchase_order_lines", body(line, priced), ingest.Terms{Sender: &boss.Actor})
	require.NoError(t, err)
	waits, err := o.lines.Submit(t.Context(), o.maker, refs(o.stored(line)))
	require.NoError(t, err)
	_, err = o.lines.Approve(t.Context(), boss, refs(waits...))
	require.True(t, fault.HasCode(err, "four_eyes"), "%v", err)
	require.ErrorContains(t, err, "you imported this line")
	_, err = o.lines.Approve(t.Context(), o.who[auth.Approver], refs(waits...))
	require.NoError(t, err)
}
