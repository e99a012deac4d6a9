package httpapi_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
)

type orderLine struct {
	ID, OrderNo  string
	Status       string
	Version      int64
	QuantityOpen string  `json:"quantity_open"`
	PricePerUnit *string `json:"price_per_unit"`
	ProductName  *string `json:"product_name"`
	Actions      []string
}

// TestPurchaseWalk takes a line through its whole life over the API, like the screens.
func TestPurchaseWalk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.Equal(t, http.StatusOK, w.post("suppliers", `{"external_id":"S1","name":"Tea House"}`).status)
	require.Equal(t, http.StatusOK,
		w.post("products", `{"external_id":"P1","sku":"TEA","name":"Green tea","supplier_id":"S1"}`).status)
	buyer, approver := w.join(w.tenant, auth.Buyer).enter(), w.join(w.tenant, auth.Approver).enter()
	at := "/api/app/workspaces/" + w.tenant.Workspace.String()
	lines := at + "/purchase-order-lines"

	made := decode[page[orderLine]](t, buyer.call(http.MethodPost, lines, map[string]any{"lines": []any{
		map[string]any{"order_no": "PO/7 a", "sku": "TEA", "quantity_ordered": "10", "price_per_unit": "2.50",
			"currency": "eur"},
	}}), http.StatusCreated).Items[0]
	require.Equal(t, "Green tea", *made.ProductName)
	require.Equal(t, []string{"edit", "submit", "cancel", "split"}, made.Actions)

	do := func(who *person, what string, version int64, more map[string]any) answer {
		body := map[string]any{"lines": []any{map[string]any{"id": made.ID, "version": version}}}
		for name, value := range more {
			body[name] = value
		}
		return who.call(http.MethodPost, lines+"/"+what, body)
	}
	step := func(who *person, what string, more map[string]any) {
		t.Helper()
		made = decode[page[orderLine]](t, do(who, what, made.Version, more), http.StatusOK).Items[0]
	}
	edit := func(fields map[string]any, seen string) answer {
		return buyer.call(http.MethodPatch, lines+"/"+made.ID, fields, "If-Match: "+seen)
	}
	requireProblem(t, buyer.call(http.MethodPatch, lines+"/"+made.ID, map[string]any{}), http.StatusPreconditionRequired,
		"if_match")
	requireProblem(t, edit(map[string]any{"price_per_unit": "cheap"}, `"1"`), http.StatusUnprocessableEntity, "number")
	require.Equal(t, http.StatusUnprocessableEntity, edit(map[string]any{"status": "ordered"}, `"1"`).status,
		"a status is no field")
	made = decode[orderLine](t, edit(map[string]any{"price_per_unit": "2.40"}, `"1"`), http.StatusOK)
	require.Equal(t, "2.4", *made.PricePerUnit)

	requireProblem(t, do(buyer, "submit", 1, nil), http.StatusPreconditionFailed, "stale")
	step(buyer, "submit", nil)
	requireProblem(t, do(buyer, "approve", made.Version, nil), http.StatusForbidden, "forbidden")
	step(approver, "approve", nil)
	requireProblem(t, do(approver, "receive", made.Version, nil), http.StatusForbidden, "forbidden")
	arrived := map[string]any{"lines": []any{map[string]any{"id": made.ID, "version": made.Version, "quantity": "4"}}}
	made = decode[page[orderLine]](t, buyer.call(http.MethodPost, lines+"/receive", arrived), http.StatusOK).Items[0]
	require.Equal(t, "partially_received", made.Status)
	require.Equal(t, "6", made.QuantityOpen)
	requireProblem(t, do(buyer, "cancel", made.Version, map[string]any{"reason": "late"}), http.StatusConflict,
		"close_short")
	step(buyer, "receive", nil)
	require.Equal(t, "received", made.Status)

	order := decode[page[orderLine]](t,
		approver.call(http.MethodGet, at+"/purchase-orders/"+url.PathEscape("PO/7 a"), nil), http.StatusOK)
	require.Len(t, order.Items, 1, "a number may hold anything")
	timeline := decode[struct{ Moments, Receipts []any }](t,
		approver.call(http.MethodGet, lines+"/"+made.ID+"/timeline", nil), http.StatusOK)
	require.Len(t, timeline.Moments, 6)
	require.Len(t, timeline.Receipts, 2)

	theirs := w.company("Elsewhere")
	stranger := theirs.roles[auth.CompanyAdmin].enter()
	elsewhere := "/api/app/workspaces/" + theirs.Workspace.String() + "/purchase-order-lines/reopen"
	requireProblem(t, stranger.call(http.MethodPost, elsewhere, map[string]any{"lines": []any{map[string]any{"id": made.ID,
		"version": made.Version}}}), http.StatusNotFound, "unknown_line")
}

// TestPrintingIsPerSupplier prints an order that goes to two suppliers.
func TestPrintingIsPerSupplier(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, id := range map[string]string{"Tea House": "S1", "Cup Works": "S2"} {
		require.Equal(t, http.StatusOK, w.post("suppliers", `{"external_id":"`+id+`","name":"`+name+`"}`).status)
		require.Equal(t, http.StatusOK, w.post("purchase_order_lines",
			`{"external_id":"L`+id+`","order_no":"PO-7","sku":"X`+id+`","quantity_ordered":1,"status":"ordered","supplier_id":"`+id+`"}`).status)
	}
	viewer := w.join(w.tenant, auth.Viewer).enter()
	at := "/api/app/workspaces/" + w.tenant.Workspace.String() + "/purchase-orders/PO-7"

	refusal := viewer.call(http.MethodGet, at+"/pdf", nil)
	requireProblem(t, refusal, http.StatusConflict, "several_suppliers")
	type supplier struct {
		ID, Name string
		Lines    int
	}
	told := decode[struct {
		Detail  string
		Details []supplier
	}](t, refusal, http.StatusConflict)
	require.Equal(t, "this order goes to 2 suppliers: Cup Works, Tea House; print it for one of them at a time",
		told.Detail)
	require.Equal(t, told.Details,
		decode[page[supplier]](t, viewer.call(http.MethodGet, at+"/suppliers", nil), http.StatusOK).Items)

	for _, one := range told.Details {
		printed := viewer.call(http.MethodGet, at+"/pdf?supplier="+one.ID, nil)
		require.Equal(t, http.StatusOK, printed.status)
		require.Equal(t, "application/pdf", printed.header.Get("Content-Type"))
		require.Equal(t, "attachment; filename=purchase-order-PO-7-"+strings.ReplaceAll(one.Name, " ", "-")+".pdf",
			printed.header.Get("Content-Disposition"))
		require.True(t, strings.HasPrefix(printed.body, "%PDF-"))
	}
	requireProblem(t, viewer.call(http.MethodGet, at+"/pdf?supplier=nobody", nil), http.StatusNotFound, "unknown_supplier")
	requireProblem(t, viewer.call(http.MethodGet, at+"0/pdf", nil), http.StatusNotFound, "unknown_order")
}

// TestDraftingWhatIsOnItsWay checks that an article with open lines is refused until the
// caller confirms.
func TestDraftingWhatIsOnItsWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.Equal(t, http.StatusOK, w.post("products", `{"external_id":"P1","sku":"TEA","name":"Green tea"}`).status)
	record := `{"external_id":"L1","order_no":"PO-3131","sku":"TEA","quantity_ordered":12,"status":"ordered","expected_arrival_date":"2020-01-01"}`
	require.Equal(t, http.StatusOK, w.post("purchase_order_lines", record).status)
	require.Equal(t, http.StatusOK, w.post("purchase_order_lines", strings.Replace(record, "L1", "L2", 1)).status,
		"an external system is not asked")
	buyer := w.join(w.tenant, auth.Buyer).enter()
	at := "/api/app/workspaces/" + w.tenant.Workspace.String()
	draft := map[string]any{"lines": []any{map[string]any{"sku": "TEA", "quantity_ordered": "10"}}}

	refusal := buyer.call(http.MethodPost, at+"/purchase-order-lines", draft)
	requireProblem(t, refusal, http.StatusConflict, "already_on_its_way")
	type way struct {
		OrderNo  string `json:"order_no"`
		Quantity string
		Overdue  bool
	}
	const words = "12 overdue on PO-3131, 12 overdue on PO-3131"
	told := decode[struct {
		Detail  string
		Details []way
	}](t, refusal, http.StatusConflict)
	require.Equal(t, "already on its way: TEA: "+words+"; confirm that more is wanted", told.Detail)
	require.Equal(t, []way{{"PO-3131", "12", true}, {"PO-3131", "12", true}}, told.Details)
	found := decode[page[struct {
		OnItsWay []way  `json:"on_its_way"`
		Words    string `json:"on_its_way_words"`
	}]](t, buyer.call(http.MethodGet, at+"/purchasable-products?text=TEA", nil), http.StatusOK).Items
	require.Equal(t, told.Details, found[0].OnItsWay)
	require.Equal(t, words, found[0].Words)

	draft["confirm_on_its_way"] = true
	require.Equal(t, http.StatusCreated, buyer.call(http.MethodPost, at+"/purchase-order-lines", draft).status)
}
