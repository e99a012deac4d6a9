package purchase_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/purchase"
)

func of(sku, product, quantity string) purchase.NewLine {
	line := purchase.NewLine{Changes: purchase.Changes{QuantityOrdered: set(quantity)}}
	if sku != "" {
		line.SKU = set(sku)
	}
	if product != "" {
		line.ProductID = set(product)
	}
	return line
}

// TestDraftOfWhatIsOnItsWay checks that an article with open lines is refused until the caller
// confirms.
func TestDraftOfWhatIsOnItsWay(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx := t.Context()
	for _, line := range []struct{ order, status, day, came string }{
		{"PO-3131", "partially_received", "2020-01-01", "8"}, {"PO-3140", "draft", "", "0"},
		{"PO-3141", "pending_approval", "2020-01-01", "0"},
		{"PO-3142", "ordered", "2199-01-31", "0"}, {"PO-3143", "ordered", "", "0"}, {"PO-1", "received", "", "20"},
		{"PO-2", "cancelled", "", "0"},
	} {
		o.exec(`INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, external_id, order_no, sku, product_id, status, quantity_ordered, quantity_received, expected_arrival_date)
		        VALUES ($1, $2, $3, $3, 'TEA', 'prod-1', $4, 20, $5::text::numeric, nullif($6, '')::date)`, o.tenant.ID, o.tenant.Workspace, line.order, line.status, line.came, line.day)
	}
	const said = "already on its way: TEA: 12 overdue on PO-3131, 20 pending approval on PO-3141, 20 expected on 2199-01-31 on PO-3142, " +
		"20 drafted on PO-3140, 20 ordered on PO-3143; confirm that more is wanted"
	for name, by := range map[string]auth.Principal{"a person": o.maker, "an agent": o.who[auth.Agent]} {
		for how, line := range map[string]purchase.NewLine{"by product": of("", "prod-1", "3"),
			"by SKU": of("TEA", "", "3")} {
			_, err := o.lines.Draft(ctx, by, []purchase.NewLine{line})
			require.True(t, fault.HasCode(err, "already_on_its_way") && fault.Is(err, fault.Conflict), "%s, %s: %v", name, how,
				err)
			require.EqualError(t, err, said, how)
		}
	}
	_, err := o.lines.Draft(ctx, o.maker, []purchase.NewLine{of("CUP", "", "1"), of("TEA", "", "3")})
	_, public := fault.Public(err)
	details, isList := public.Details.([]purchase.OnItsWay)
	require.True(t, isList)
	require.Len(t, details, 5)
	details[0].LineID = ""
	require.Equal(t, purchase.OnItsWay{SKU: "TEA", OrderNo: "PO-3131", Status: purchase.PartiallyReceived, Quantity: "12",
		Expected: "2020-01-01", Overdue: true}, details[0])

	made, err := o.lines.DraftConfirmed(ctx, o.maker, []purchase.NewLine{of("", "prod-1", "3")})
	require.NoError(t, err)
	require.Len(t, made, 1)
	_, err = o.lines.Draft(ctx, o.maker, []purchase.NewLine{of("CUP", "", "1")})
	require.NoError(t, err, "nothing of it is on its way: the refusal above made no line")

	articles, err := o.lines.FindArticles(ctx, o.who[auth.Viewer], "TEA")
	require.NoError(t, err)
	require.Len(t, articles[0].OnItsWay, 6, "as it is when the article is picked")
	require.Equal(t, "12 overdue on PO-3131", articles[0].OnItsWay[0].Words())
}

func TestDraftOfOneArticleTwice(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx := t.Context()
	_, err := o.lines.Draft(ctx, o.maker,
		[]purchase.NewLine{of("", "prod-1", "3"), of("CUP", "", "1"), of("TEA", "", "4"), of("TEA", "", "5")})
	require.EqualError(t, err,
		"already on its way: TEA: 4 in another line of this call, 5 in another line of this call; confirm that more is wanted")
	_, err = o.lines.DraftConfirmed(ctx, o.maker, []purchase.NewLine{of("", "prod-1", "3"), of("TEA", "", "4")})
	require.NoError(t, err)
}

// TestArticlesAreTheSame checks that articles are compared by product, or by SKU if there is
// none.
func TestArticlesAreTheSame(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.exec("INSERT INTO workspace.products (tenant_id, workspace_id, id, external_id, sku, name) VALUES ($1, $2, 'prod-2', 'P2', 'TEA-2', 'Black tea')", o.tenant.ID, o.tenant.Workspace)
	o.exec(`INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, external_id, order_no, sku, product_id, status, quantity_ordered)
	        VALUES ($1, $2, 'L1', 'PO-1', 'TEA-2', 'prod-1', 'ordered', 1)`, o.tenant.ID, o.tenant.Workspace) // the product's SKU was another then
	ctx := t.Context()
	_, err := o.lines.Draft(ctx, o.maker, []purchase.NewLine{of("", "prod-2", "1")})
	require.NoError(t, err, "another product, whatever SKU the line has")
	_, err = o.lines.Draft(ctx, o.maker, []purchase.NewLine{of("", "prod-1", "1")})
	require.True(t, fault.HasCode(err, "already_on_its_way"), "the same product: %v", err)
	_, err = o.lines.Draft(ctx, o.maker, []purchase.NewLine{of("TEA-2", "", "1")})
	require.True(t, fault.HasCode(err, "already_on_its_way"), "a SKU, and no product: %v", err)

	elsewhere := o.maker
	o.exec("INSERT INTO control.workspaces (tenant_id, id, name) VALUES ($1, gen_random_uuid(), 'Second')", o.tenant.ID)
	require.NoError(t, o.admin.QueryRow(ctx, "SELECT id FROM control.workspaces WHERE tenant_id = $1 AND name = 'Second'",
		o.tenant.ID).Scan(&elsewhere.Workspace))
	_, err = o.lines.Draft(ctx, elsewhere, []purchase.NewLine{of("TEA-2", "", "1")})
	require.NoError(t, err, "another workspace has orders of its own")
}

// TestTwoDraftsAtOnce checks that one of two simultaneous drafts wins.
func TestTwoDraftsAtOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	require.Equal(t, 1, race(t, func(int) error {
		line := of("TEA", "", "1")
		line.OrderNo = set("PO-RACE")
		_, err := o.lines.Draft(t.Context(), o.maker, []purchase.NewLine{line})
		if err != nil {
			require.True(t, fault.HasCode(err, "already_on_its_way"), "%v", err)
		}
		return err
	}))
}
