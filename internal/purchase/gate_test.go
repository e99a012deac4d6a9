package purchase_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/purchase"
)

// file has a person import a record of a line. Values are JSON members.
func (o *office) file(by auth.Principal, line purchase.Line, values string) error {
	_, letter, err := o.records.Import(o.t.Context(), by, "purchase_order_lines", body(line, values))
	if fault.Is(err, fault.Invalid) && letter == nil {
		o.t.Errorf("refused and not kept: %v", err)
	}
	return err
}

// correct has a person edit a failed record and send it again.
func (o *office) correct(by auth.Principal, line purchase.Line, values string) error {
	_, err := o.records.Retry(o.t.Context(), by, "purchase_order_lines", body(line, values), ingest.Terms{})
	return err
}

// cell has a person change a value in the table.
func (o *office) cell(by auth.Principal, line purchase.Line, values string) error {
	_, err := o.records.Edit(o.t.Context(), by, "purchase_order_lines", line.ID, []byte("{"+values+"}"), line.Version)
	return err
}

func body(line purchase.Line, values string) []byte {
	if !strings.Contains(values, "quantity_ordered") {
		values += fmt.Sprintf(`, "quantity_ordered": %s`, line.QuantityOrdered)
	}
	return fmt.Appendf(nil, `{"external_id": %q, "order_no": %q, "sku": %q, %s}`, line.ExternalID, line.OrderNo, line.SKU,
		values)
}

// now returns the line as it is stored.
func (o *office) now(line purchase.Line) purchase.Line {
	o.t.Helper()
	found, err := o.lines.Line(o.t.Context(), o.who[auth.Viewer], line.ID)
	require.NoError(o.t, err)
	return found
}

// fresh is a line that is not stored yet.
func fresh() purchase.Line {
	return purchase.Line{ExternalID: uuid.NewString(), OrderNo: "PO-FILE", SKU: "TEA", QuantityOrdered: wantedQuantity}
}

// stored finds a line by the key that its sender gave it.
func (o *office) stored(line purchase.Line) purchase.Line {
	o.t.Helper()
	require.NoError(o.t, o.admin.QueryRow(o.t.Context(),
		"SELECT id FROM workspace.purchase_order_lines WHERE external_id = $1", line.ExternalID).Scan(&line.ID))
	return o.now(line)
}

// TestGate checks that the table binds a person's record whichever way it comes in.
func TestGate(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.exec("INSERT INTO workspace.suppliers (tenant_id, workspace_id, id, external_id, name) VALUES ($1, $2, 'sup-2', 'S2', 'Coffee House')", o.tenant.ID, o.tenant.Workspace)
	ways := map[string]func(auth.Principal, purchase.Line, string) error{"file": o.file, "edited retry": o.correct}
	const none = purchase.None
	for _, tt := range []struct {
		name   string
		from   purchase.Status
		values string
		want   purchase.Status
		code   string
	}{
		{"a new draft", none, `"price_per_unit": 2`, purchase.Draft, ""},
		{"a new draft that says so", none, `"status": "draft", "quantity_received": 0`, purchase.Draft, ""},
		{"a new line that claims to be ordered", none, `"status": "ordered", "price_per_unit": 100000`, "", "status_claimed"},
		{"a new line that claims to wait", none, `"status": "pending_approval"`, "", "status_claimed"},
		{"a new line that claims receipts", none, `"quantity_received": 3`, "", "receipt_claimed"},
		{"a new line that claims a day of order", none, `"ordered_at": "2026-01-01T00:00:00Z"`, "", "time_claimed"},
		{"a draft that claims to be ordered", purchase.Draft, `"status": "ordered"`, "", "status_claimed"},
		{"a draft that claims to be cancelled", purchase.Draft, `"status": "cancelled"`, "", "status_claimed"},
		{"a draft's price", purchase.Draft, `"price_per_unit": 9`, purchase.Draft, ""},
		{"a draft for nothing", purchase.Draft, `"quantity_ordered": 0`, "", "quantity"},
		{"what waits claims its approval", purchase.PendingApproval, `"status": "ordered"`, "", "status_claimed"},
		{"a price that waits", purchase.PendingApproval, `"price_per_unit": 9, "status": "pending_approval"`, purchase.Draft,
			""},
		{"a note that waits", purchase.PendingApproval, `"note": "by boat"`, purchase.PendingApproval, ""},
		{"an order's note", purchase.Ordered, `"status": "ordered", "note": "by boat"`, purchase.Ordered, ""},
		{"an order at ten times the price", purchase.Ordered, `"status": "ordered", "price_per_unit": 25`,
			purchase.PendingApproval, ""},
		{"an order of another supplier", purchase.Ordered, `"supplier_id": "S2"`, purchase.PendingApproval, ""},
		{"an order of the same supplier, by the supplier's own key", purchase.Ordered,
			`"supplier_id": "S1", "note": "by boat"`, purchase.Ordered, ""},
		{"an order back to a draft", purchase.Ordered, `"status": "draft"`, "", "status_claimed"},
		{"receipts of an order", purchase.Ordered, `"quantity_received": 10`, "", "receipt_claimed"},
		{"receipts reset", purchase.PartiallyReceived, `"quantity_received": 0`, "", "receipt_claimed"},
		{"far more of what has begun to arrive", purchase.PartiallyReceived, `"quantity_ordered": 20`, "", "partly_received"},
		{"no more than has arrived", purchase.PartiallyReceived, `"quantity_ordered": 4`, "", "quantity"},
		{"a note after all", purchase.Received, `"note": "came late"`, purchase.Received, ""},
		{"a price after all", purchase.Received, `"price_per_unit": 1`, "", "line_status"},
		{"a day of receipt after all", purchase.Received, `"received_at": "2026-01-01T00:00:00Z"`, "", "time_claimed"},
		{"a supplier that is none", purchase.Draft, `"supplier_id": "nobody"`, "", "unknown_reference"},
		{"a cancelled line comes back", purchase.Cancelled, `"status": "draft"`, "", "status_claimed"},
	} {
		for way, send := range ways {
			t.Run(way+": "+tt.name, func(t *testing.T) {
				line, by := fresh(), o.who[auth.Buyer]
				if tt.from != none {
					line = o.in(tt.from)
				}
				err := send(by, line, tt.values)
				if tt.code != "" {
					require.True(t, fault.Is(err, fault.Invalid), "%v", err)
					require.True(t, fault.HasCode(err, tt.code), "%v", err)
					if tt.from != none {
						require.Equal(t, line.Version, o.now(line).Version, "a refusal changed something")
					}
					return
				}
				require.NoError(t, err)
				got := o.stored(line)
				require.Equal(t, tt.want, got.Status)
				require.Empty(t, got.Flags, "what a person may do is no surprise")
				if tt.from == purchase.Ordered {
					require.Equal(t, tt.want == purchase.Ordered, got.ApprovedBy != nil, "the approval was for another amount")
				}
				var audited int
				require.NoError(t, o.admin.QueryRow(t.Context(),
					"SELECT count(*) FROM workspace.audit WHERE subject = $1 AND actor ->> 'id' = $2", got.ID,
					by.Actor.ID).Scan(&audited))
				require.Equal(t, 1, audited)
				if tt.from == none {
					require.Equal(t, purchase.Origin{Type: "user", User: &by.Person}, got.CreatedBy)
				}
			})
		}
	}
	o.consistent()
}

// TestGateEyes checks that nobody approves a line that they imported, or whose amount they
// imported.
func TestGateEyes(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx, boss := t.Context(), o.who[auth.CompanyAdmin]
	line := fresh()
	require.NoError(t, o.file(boss, line, `"price_per_unit": 2, "currency": "EUR", "supplier_id": "S1"`))
	made, err := o.lines.Submit(ctx, o.maker, refs(o.stored(line)))
	require.NoError(t, err)
	_, err = o.lines.Approve(ctx, boss, refs(made...))
	require.True(t, fault.HasCode(err, "four_eyes"), "who imported it: %v", err)

	line = o.in(purchase.Draft)
	require.NoError(t, o.file(boss, line, `"price_per_unit": 99`))
	priced, err := o.lines.Submit(ctx, o.maker, refs(o.now(line)))
	require.NoError(t, err)
	_, err = o.lines.Approve(ctx, boss, refs(priced...))
	require.True(t, fault.HasCode(err, "four_eyes"), "who imported its price: %v", err)
}

// TestGateTable checks that the grid edits only the fields that the table lets people edit.
func TestGateTable(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	by := o.who[auth.Buyer]
	require.NoError(t, o.cell(by, o.in(purchase.Received), `"note": "came late"`))
	err := o.cell(by, o.in(purchase.Received), `"expected_arrival_date": "2031-01-01"`)
	require.True(t, fault.HasCode(err, "line_status"), "only the note of what has arrived: %v", err)
	line := o.in(purchase.Ordered)
	require.NoError(t, o.cell(by, line, `"expected_arrival_date": "2031-01-01"`))
	require.True(t, fault.Is(o.cell(by, line, `"note": "second"`), fault.Stale))
}

// TestGateSenders checks that an external system's record still counts as that system's when a
// person resends it unchanged.
func TestGateSenders(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	line := o.in(purchase.Draft)
	sent := body(line, `"status": "ordered"`)
	_, err := o.records.Retry(t.Context(), o.who[auth.Buyer], "purchase_order_lines", sent,
		ingest.Terms{External: true, Origin: &ingest.Origin{Key: o.trusted.Key, Payload: sent}})
	require.NoError(t, err)
	got := o.now(line)
	require.Equal(t, purchase.Ordered, got.Status)
	require.Nil(t, got.ApprovedBy)
	require.Equal(t, purchase.StatusJump, got.Flags[0].Kind)
	o.consistent()
}
