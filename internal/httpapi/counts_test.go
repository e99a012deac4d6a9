package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
)

// TestCountsAgree compares every number that the app shows in two places: a card and the list that it
// leads to, a badge and its page. Records come from outside, and lines from people too.
func TestCountsAgree(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := "/api/app/workspaces/" + w.tenant.Workspace.String()
	buyer, approver, admin := w.join(w.tenant, auth.Buyer).enter(), w.join(w.tenant, auth.Approver).enter(),
		w.join(w.tenant, auth.CompanyAdmin).enter()
	day := func(days int) string { return time.Now().UTC().AddDate(0, 0, days).Format(time.DateOnly) }
	send := func(slug, body string) {
		t.Helper()
		got := w.post(slug, body)
		require.Equal(t, http.StatusOK, got.status, got.body)
	}
	send("suppliers", `{"external_id":"S1","name":"Tea House"}`)
	send("products", `{"external_id":"P1","sku":"TEA","name":"Green tea","supplier_id":"S1"}`)
	for i, expected := range []string{day(-3), day(-1), day(0), day(4), day(20), ""} {
		given := fmt.Sprintf(`,"expected_arrival_date":%q`, expected)
		if expected == "" {
			given = ""
		}
		send("purchase_order_lines", fmt.Sprintf(`{"external_id":"L%d","order_no":"PO-%d","sku":"TEA","supplier_id":"S1",
			"status":"ordered","quantity_ordered":5,"price_per_unit":2,"currency":"EUR"%s}`, i, i/2, given))
	}
	for i := range 3 {
		require.Equal(t, http.StatusUnprocessableEntity,
			w.post("orders", fmt.Sprintf(`{"external_id":"O%d","total":%d}`, i, i)).status)
	}
	// People draft, submit, send back and split; what they make counts as what is sent.
	lines := at + "/purchase-order-lines"
	var drafted []orderLine
	for i := range 4 {
		drafted = append(drafted, decode[page[orderLine]](t, buyer.call(http.MethodPost, lines, map[string]any{
			"confirm_on_its_way": true, "lines": []any{map[string]any{"order_no": fmt.Sprintf("D-%d", i), "sku": "TEA",
				"quantity_ordered": "10", "price_per_unit": "2", "currency": "EUR"}}}), http.StatusCreated).Items...)
	}
	act := func(who *person, what string, line orderLine, more map[string]any) orderLine {
		t.Helper()
		body := map[string]any{"lines": []any{map[string]any{"id": line.ID, "version": line.Version}}}
		for name, value := range more {
			body[name] = value
		}
		return decode[page[orderLine]](t, who.call(http.MethodPost, lines+"/"+what, body), http.StatusOK).Items[0]
	}
	act(buyer, "submit", drafted[0], nil)
	act(approver, "send-back", act(buyer, "submit", drafted[1], nil), map[string]any{"reason": "too many"})
	split := buyer.call(http.MethodPost, lines+"/"+drafted[2].ID+"/split",
		map[string]any{"quantity": "4", "expected_arrival_date": day(40)}, fmt.Sprintf(`If-Match: "%d"`, drafted[2].Version))
	require.Equal(t, http.StatusOK, split.status, split.body)
	require.NoError(t, w.app.Meter.Flush(t.Context()))
	require.NoError(t, w.app.Records.CountStates(t.Context()))

	read := func(who *person, path string) map[string]any {
		t.Helper()
		return decode[map[string]any](t, who.call(http.MethodGet, at+path, nil), http.StatusOK)
	}
	number := func(of map[string]any, names ...string) int {
		t.Helper()
		for _, name := range names[:len(names)-1] {
			inner, ok := of[name].(map[string]any)
			require.True(t, ok, "%s in %v", name, of)
			of = inner
		}
		n, ok := of[names[len(names)-1]].(float64)
		require.True(t, ok, "%v in %v", names, of)
		return int(n)
	}
	listed := func(who *person, path string) int {
		t.Helper()
		items, ok := read(who, path)["items"].([]any)
		require.True(t, ok)
		return len(items)
	}

	// The cards of tables, and the tables.
	for _, source := range decode[page[sourceAnswer]](t, admin.call(http.MethodGet, at+"/sources", nil), http.StatusOK).Items {
		require.Equal(t, number(read(admin, "/tables/"+source.Slug+"/count"), "count"), int(source.Figures.Rows),
			"the card of %s", source.Slug)
	}
	require.Equal(t, 11, number(read(admin, "/tables/purchase_order_lines/count"), "count"))

	// Today, and the lists that it leads to.
	today, counts := read(buyer, "/today"), read(buyer, "/purchase-order-counts")
	for _, one := range []struct {
		card   []string
		tab    string
		filter string
	}{
		{[]string{"mine", "orders"}, "mine", "mine=true"},
		{[]string{"sent_back", "orders"}, "sent_back", "sent_back=true"},
		{[]string{"deliveries", "late", "orders"}, "overdue", "overdue=true"},
		{[]string{"deliveries", "undated", "orders"}, "undated", "undated=true"},
	} {
		shown := number(today, one.card...)
		require.Positive(t, shown, one.filter)
		require.Equal(t, shown, number(counts, one.tab), "the tab of %s", one.filter)
		require.Equal(t, shown, listed(buyer, "/purchase-orders?limit=200&"+one.filter), "the list of %s", one.filter)
	}
	require.Equal(t, number(read(approver, "/today"), "approvals", "orders"),
		listed(approver, "/purchase-orders?status=pending_approval"))
	require.Equal(t, number(counts, "orders"), listed(buyer, "/purchase-orders?limit=200"))
	require.Equal(t, today["deliveries"], any(read(buyer, "/arrivals/summary")), "the page of arrivals")
	expected := 0
	for _, group := range []string{"late", "today", "soon", "later", "undated"} {
		expected += number(today, "deliveries", group, "lines")
	}
	all := listed(buyer, "/arrivals?limit=200&until="+day(4000)) + listed(buyer, "/arrivals?limit=200&undated=true")
	require.Equal(t, expected, all, "what is to arrive")

	// Failed imports: Today, the badge, the page, the card.
	refused := number(read(admin, "/today"), "data", "refused")
	require.Equal(t, 3, refused)
	require.Equal(t, refused, listed(admin, "/failures?limit=200"))
	grouped := 0
	for _, group := range decode[page[map[string]any]](t, admin.call(http.MethodGet, at+"/failure-groups", nil),
		http.StatusOK).Items {
		grouped += number(group, "failures")
	}
	require.Equal(t, refused, grouped)

	// The supplier's page, and its orders.
	suppliers := decode[page[map[string]any]](t, buyer.call(http.MethodGet, at+"/tables/suppliers/rows", nil), http.StatusOK)
	supplier := read(buyer, "/suppliers/"+url.PathEscape(fmt.Sprint(suppliers.Items[0]["id"])))
	ordered := 0
	for _, order := range decode[page[map[string]any]](t, buyer.call(http.MethodGet, at+"/purchase-orders?limit=200&text=Tea+House",
		nil), http.StatusOK).Items {
		by, ok := order["by_status"].(map[string]any)
		require.True(t, ok)
		if by["ordered"] != float64(0) || by["partially_received"] != float64(0) {
			ordered++
		}
	}
	require.Positive(t, ordered)
	require.Equal(t, ordered, number(supplier, "open", "orders"), "open orders of the supplier")
	require.Equal(t, number(today, "deliveries", "late", "lines"), number(supplier, "open", "late"))
	require.Equal(t, number(today, "deliveries", "late", "orders"), number(supplier, "open", "late_orders"))
}
