package purchase_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/purchase"
)

// TestListAbove lists the lines of which more is ordered than their approval tolerates: those that an external system raised, and
// those that an earlier version let people bring there.
func TestListAbove(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	list := func(tenants ...uuid.UUID) (found []string) {
		above, err := o.lines.ListAbove(t.Context(), tenants)
		require.NoError(t, err)
		for _, line := range above {
			require.Equal(t, o.tenant.ID, line.Tenant)
			found = append(found, fmt.Sprintf("%s %s: %s of %s, %v", line.OrderNo, line.SKU, line.Ordered, line.Approved, line.Columns))
		}
		return found
	}
	fine, raised := o.in(purchase.Ordered), o.in(purchase.PartiallyReceived)
	_, err := o.lines.Edit(t.Context(), o.maker, refs(fine)[0], purchase.Changes{QuantityOrdered: set("10.5")})
	require.NoError(t, err)
	require.Empty(t, list(o.tenant.ID), "the rules tolerate 5 %")

	raised.QuantityOrdered = decimal.NewFromInt(40)
	require.NoError(t, o.send(raised, `"note": "more"`))
	left := o.in(purchase.Ordered)
	o.exec("UPDATE workspace.line_approvals SET approved_quantity = 0 WHERE tenant_id = $1 AND line_id = $2", o.tenant.ID, left.ID)
	o.exec("UPDATE workspace.line_approvals SET approved_quantity = 1 WHERE tenant_id = $1 AND line_id = $2", o.tenant.ID, o.in(purchase.Received).ID)
	dearer := o.in(purchase.PartiallyReceived)
	require.NoError(t, o.send(dearer, `"price_per_unit": 1000`))
	elsewhere := o.in(purchase.Ordered)
	o.exec("UPDATE workspace.line_approvals SET approved_quantity = 0, ordered_version = 1 WHERE tenant_id = $1 AND line_id = $2",
		o.tenant.ID, elsewhere.ID)
	want := []string{raised.OrderNo + " TEA: 40 of 10, [quantity_ordered]", left.OrderNo + " TEA: 10 of 0, [quantity_ordered]",
		dearer.OrderNo + " TEA: 10 of 10, [price_per_unit]"}
	require.Equal(t, want, list(o.tenant.ID))
	require.Equal(t, want, list(append(make([]uuid.UUID, 250), o.tenant.ID)...))
	require.Empty(t, list(uuid.New()))

	rules, err := o.lines.Rules(t.Context(), o.maker)
	require.NoError(t, err)
	rules.Reapproval = decimal.Zero
	_, err = o.lines.SetRules(t.Context(), o.who[auth.CompanyAdmin], rules)
	require.NoError(t, err)
	require.Len(t, list(o.tenant.ID), 4, "nothing is tolerated any more")
}
