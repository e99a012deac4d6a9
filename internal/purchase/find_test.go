package purchase_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/purchase"
)

func TestFindArticlesAndSuppliers(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, one := range [][3]string{{"p-2", "GREEN-1", "Mug"}, {"p-3", "MUG-GREEN", "Cup"}, {"p-4", "GREEN-OLD", "Gone"}} {
		o.exec("INSERT INTO workspace.products (tenant_id, workspace_id, id, external_id, sku, name, status, unit_cost, cost_currency) VALUES ($1, $2, $3, $3, $4, $5, CASE WHEN $5 = 'Gone' THEN 'archived' END, 2.5, 'EUR')",
			o.tenant.ID, o.tenant.Workspace, one[0], one[1], one[2])
	}
	o.exec("INSERT INTO workspace.suppliers (tenant_id, workspace_id, id, external_id, name, active) VALUES ($1, $2, 'sup-2', 'S2', 'Tea closed', false)", o.tenant.ID, o.tenant.Workspace)
	other := pgtest.NewTenant(t, o.db)
	o.exec("INSERT INTO workspace.suppliers (tenant_id, workspace_id, id, external_id, name) VALUES ($1, $2, 'sup-9', 'S9', 'Tea elsewhere')", other.ID, other.Workspace)

	viewer := o.who[auth.Viewer]
	for text, want := range map[string][]string{
		"green": {"GREEN-1", "MUG-GREEN", "TEA"}, // the beginning of a SKU first, archived left out
		"CUP":   {"MUG-GREEN"},
		"%":     {},
		"":      {"GREEN-1", "MUG-GREEN", "TEA"},
	} {
		found, err := o.lines.FindArticles(t.Context(), viewer, text)
		require.NoError(t, err)
		skus := []string{}
		for _, one := range found {
			skus = append(skus, one.SKU)
		}
		require.Equal(t, want, skus, text)
	}
	found, err := o.lines.FindArticles(t.Context(), viewer, "tea")
	require.NoError(t, err)
	require.Equal(t, "Tea House", found[0].SupplierName)

	suppliers, err := o.lines.FindSuppliers(t.Context(), viewer, "tea")
	require.NoError(t, err)
	require.Equal(t, []purchase.Supplier{{ID: "sup-1", Name: "Tea House"}}, suppliers)
	_, err = o.lines.FindSuppliers(t.Context(), auth.Principal{Tenant: o.tenant.ID, Workspace: o.tenant.Workspace}, "tea")
	require.True(t, fault.Is(err, fault.Forbidden))
}

func TestOrdersCountWhatToLookAt(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	text := func(s string) *string { return &s }
	_, err := o.lines.DraftConfirmed(t.Context(), o.maker, []purchase.NewLine{
		{Changes: purchase.Changes{OrderNo: text("A"), ProductID: text("prod-1"), QuantityOrdered: text("3")}},
		{Changes: purchase.Changes{OrderNo: text("B"), SKU: text("NOBODY-KNOWS"), QuantityOrdered: text("3")}},
		{Changes: purchase.Changes{OrderNo: text("C"), ProductID: text("prod-1"), QuantityOrdered: text("3")}},
	})
	require.NoError(t, err)
	o.exec("UPDATE workspace.purchase_order_lines SET status = 'received' WHERE tenant_id = $1 AND order_no = 'C'",
		o.tenant.ID)
	orders, _, err := o.lines.Orders(t.Context(), o.who[auth.Viewer], purchase.OrderFilter{}, purchase.ByNewest, page.All)
	require.NoError(t, err)
	flags := map[string]int64{}
	for _, order := range orders {
		flags[order.OrderNo] = order.Flags
	}
	require.Equal(t, map[string]int64{"A": 0, "B": 1, "C": 1}, flags)
}

// TestScanned finds what is still to come by any code of an article, and nothing of another company.
func TestScanned(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx, buyer := t.Context(), o.who[auth.Buyer]
	o.exec("UPDATE workspace.products SET barcode = '4006381333931', supplier_sku = 'TH/9 x' WHERE id = 'prod-1'")
	o.exec("INSERT INTO workspace.products (tenant_id, workspace_id, id, external_id, sku, name, barcode) VALUES ($1, $2, 'prod-2', 'P2', 'POT', 'Tea pot', '40063813339310')",
		o.tenant.ID, o.tenant.Workspace)
	first, draft := o.in(purchase.Ordered), o.in(purchase.Draft)
	second := o.in(purchase.Ordered)
	_, err := o.lines.Edit(ctx, buyer, refs(second)[0], purchase.Changes{ExpectedArrivalDate: set("2020-01-02")})
	require.NoError(t, err)
	o.exec("UPDATE workspace.purchase_order_lines SET product_id = NULL WHERE id = $1", first.ID)
	for _, code := range []string{"4006381333931", "tea", " TH/9 X "} {
		found, err := o.lines.Scanned(ctx, buyer, code)
		require.NoError(t, err)
		require.Len(t, found, 2, "neither the draft %s nor another article, by %s", draft.ID, code)
		require.Equal(t, []string{second.ID, first.ID}, []string{found[0].ID, found[1].ID}, "the dated one is earlier")
	}
	for _, code := range []string{"400638133393", "40063813339310", "9x", "", "\x00"} {
		found, err := o.lines.Scanned(ctx, buyer, code)
		require.NoError(t, err)
		require.Empty(t, found, "only as a whole: %q", code)
	}
	stranger := newOffice(t)
	found, err := stranger.lines.Scanned(ctx, stranger.who[auth.Buyer], "4006381333931")
	require.NoError(t, err)
	require.Empty(t, found)
}
