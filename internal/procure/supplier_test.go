package procure_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/procure"
	"github.com/quayside/quayside/internal/purchase"
)

// TestSupplierArticles lists all that can be ordered from a supplier, with the queue's own figures.
func TestSupplierArticles(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.send("suppliers", map[string]any{"external_id": "s2", "name": "Another"})
	st.open()
	other := *st // a company with the same records adds nothing
	other.tenant = pgtest.NewTenant(t, st.db)
	other.open()
	st.product("BLOCKED", 0, map[string]any{"stock_updated_at": nil, "stock_available": nil, "supplier_sku": "HT/7", "variant_name": "100 g"})
	st.product("DRAFTED", 0, nil)
	st.sell("DRAFTED", 12)
	st.product("NEVER", 0, map[string]any{"do_not_reorder": true, "cost_currency": nil})
	st.product("ARCHIVED", 0, map[string]any{"status": "archived"})
	st.product("THEIRS", 0, map[string]any{"supplier_id": "s2"})
	st.compute()
	st.line("d1", "DRAFTED", "draft", 7, nil)
	st.line("o1", "CUP", "ordered", 40, nil)
	st.follow()

	supplier := st.supplier("s1")
	all := st.articles(procure.SupplierFilter{Supplier: supplier})
	require.Equal(t, []string{"DRAFTED", "TEA", "CUP", "BLOCKED", "NEVER"}, skus(all), "suggested, others, left out")
	for i, sku := range []string{"DRAFTED", "TEA", "CUP", "BLOCKED"} {
		require.Equal(t, st.row(sku), *all[i].Row, "the queue's row, and no other figures")
	}
	require.Nil(t, all[4].Row)
	require.Equal(t, "4", all[4].Price.String())
	require.Equal(t, procure.NoStock, all[3].Row.Blocked)
	require.Equal(t, [2]string{"HT/7", "100 g"}, [2]string{all[3].SupplierSKU, all[3].Variant})
	require.Equal(t, "12", all[1].Multiple.String())
	require.Len(t, all[0].OnItsWay, 1)
	require.Equal(t, [2]string{"7", "PO-d1"}, [2]string{all[0].OnItsWay[0].Quantity, all[0].OnItsWay[0].OrderNo})
	require.Equal(t, "40", all[2].OnItsWay[0].Quantity)

	var paged []string
	f := procure.SupplierFilter{Supplier: supplier, Most: 2}
	for more := true; more; more = f.After != "" {
		page, next, err := st.queue.Articles(t.Context(), st.by(auth.Viewer), f)
		require.NoError(t, err)
		require.LessOrEqual(t, len(page), 2)
		paged, f.After = append(paged, skus(page)...), next
	}
	require.Equal(t, skus(all), paged, "page by page, nothing twice and nothing missing")

	for _, c := range []struct {
		filter procure.SupplierFilter
		found  []string
	}{
		{procure.SupplierFilter{Search: "ht/"}, []string{"BLOCKED"}},
		{procure.SupplierFilter{Search: "100 G"}, []string{"BLOCKED"}},
		{procure.SupplierFilter{Search: "_"}, nil},
		{procure.SupplierFilter{Codes: []string{"ht/7", " tea", "THEIRS", "ARCHIVED", all[2].Product}}, []string{"TEA", "CUP", "BLOCKED"}},
	} {
		c.filter.Supplier = supplier
		require.Equal(t, c.found, skus(st.articles(c.filter)), c.filter)
	}
	_, _, err := st.queue.Articles(t.Context(), st.by(auth.Viewer), procure.SupplierFilter{Supplier: supplier, After: "?"})
	require.True(t, fault.HasCode(err, "cursor"), err)
	for _, foreign := range []string{other.supplier("s1"), uuid.NewString()} {
		_, _, err = st.queue.Articles(t.Context(), st.by(auth.Viewer), procure.SupplierFilter{Supplier: foreign})
		require.True(t, fault.HasCode(err, "unknown_supplier"), err)
	}
}

// TestOrderSupplier shows a supplier's terms, with the lead time that the queue uses.
func TestOrderSupplier(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.open()
	st.send("suppliers", map[string]any{"external_id": "s1", "contact_name": "Mo", "email": "mo@harbour.test", "phone": "+49 40 1",
		"currency": "EUR", "min_order_value": 250, "free_shipping_value": 600, "payment_terms_days": 30, "note": "Closed on Fridays"})
	st.send("suppliers", map[string]any{"external_id": "s2", "name": "Idle"})
	get := func(id string) procure.Supplier {
		found, err := st.queue.Supplier(t.Context(), st.by(auth.Viewer), st.supplier(id))
		require.NoError(t, err)
		return found
	}
	harbour := get("s1")
	require.Equal(t, []string{"Harbour Teas", "Mo", "mo@harbour.test", "+49 40 1", "EUR", "250", "600", "30", "Closed on Fridays"},
		[]string{harbour.Name, harbour.Contact, harbour.Email, harbour.Phone, harbour.Currency, shown(harbour.MinOrderValue),
			shown(harbour.FreeShippingValue), shown(harbour.PaymentDays), harbour.Note})
	require.Equal(t, st.row("TEA").LeadDays, *harbour.LeadDays)
	require.Equal(t, procure.LeadOfSupplier, harbour.LeadSource)
	require.Nil(t, get("s2").LeadDays)
}

// TestTakenBackByPerson frees a need at once, whereas a cancelled draft puts it off.
func TestTakenBackByPerson(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.open()
	buyer := st.by(auth.Buyer)
	draft := func() purchase.Ref {
		tea := st.row("TEA")
		lines, err := st.lines.Draft(t.Context(), buyer, []purchase.NewLine{{RecommendationKey: tea.Key,
			Changes: purchase.Changes{ProductID: &tea.Product, QuantityOrdered: new("12")}}})
		require.NoError(t, err)
		st.follow()
		require.Equal(t, procure.GroupDrafted, st.row("TEA").Group)
		return purchase.Ref{ID: lines[0].ID, Version: lines[0].Version}
	}
	_, err := st.lines.TakeBack(t.Context(), buyer, []purchase.Ref{draft()}, "Removed while drafting")
	require.NoError(t, err)
	st.follow()
	require.Equal(t, procure.GroupOrder, st.row("TEA").Group)
	ref := draft()
	_, err = st.lines.Cancel(t.Context(), buyer, []purchase.Ref{ref}, "Not wanted")
	require.NoError(t, err)
	st.follow()
	require.Equal(t, procure.GroupPutOff, st.row("TEA").Group)
	_, err = st.lines.TakeBack(t.Context(), buyer, []purchase.Ref{{ID: ref.ID, Version: ref.Version + 1}}, "Again")
	require.True(t, fault.HasCode(err, "line_status"), err)
}

func skus(articles []procure.SupplierArticle) (all []string) {
	for _, one := range articles {
		all = append(all, one.SKU)
	}
	return all
}

func (st *stage) articles(f procure.SupplierFilter) []procure.SupplierArticle {
	st.t.Helper()
	found, next, err := st.queue.Articles(st.t.Context(), st.by(auth.Viewer), f)
	require.NoError(st.t, err)
	require.Empty(st.t, next)
	return found
}

// supplier returns the id of a supplier.
func (st *stage) supplier(external string) (id string) {
	st.t.Helper()
	require.NoError(st.t, st.admin.QueryRow(st.t.Context(),
		"SELECT id FROM workspace.suppliers WHERE tenant_id = $1 AND external_id = $2", st.tenant.ID, external).Scan(&id))
	return id
}
