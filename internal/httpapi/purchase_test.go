package httpapi_test

import (
	"net/http"
	"net/url"
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

// TestPurchaseWalk goes the whole way of a line through the API, as the screens do.
func TestPurchaseWalk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.Equal(t, http.StatusOK, w.post("suppliers", `{"external_id":"S1","name":"Tea House"}`).status)
	require.Equal(t, http.StatusOK, w.post("products", `{"external_id":"P1","sku":"TEA","name":"Green tea","supplier_id":"S1"}`).status)
	buyer, approver := w.join(w.tenant, auth.Buyer).enter(), w.join(w.tenant, auth.Approver).enter()
	at := "/api/app/workspaces/" + w.tenant.Workspace.String()
	lines := at + "/purchase-order-lines"

	made := decode[page[orderLine]](t, buyer.call(http.MethodPost, lines, map[string]any{"lines": []any{
		map[string]any{"order_no": "PO/7 a", "sku": "TEA", "quantity_ordered": "10", "price_per_unit": "2.50", "currency": "eur"},
	}}), http.StatusCreated).Items[0]
	require.Equal(t, "Green tea", *made.ProductName)
	require.Equal(t, []string{"edit", "submit", "cancel"}, made.Actions)

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
	requireProblem(t, buyer.call(http.MethodPatch, lines+"/"+made.ID, map[string]any{}), http.StatusPreconditionRequired, "if_match")
	requireProblem(t, edit(map[string]any{"price_per_unit": "cheap"}, `"1"`), http.StatusUnprocessableEntity, "number")
	require.Equal(t, http.StatusUnprocessableEntity, edit(map[string]any{"status": "ordered"}, `"1"`).status, "a status is no field")
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
	requireProblem(t, do(buyer, "cancel", made.Version, map[string]any{"reason": "late"}), http.StatusConflict, "close_short")
	step(buyer, "receive", nil)
	require.Equal(t, "received", made.Status)

	order := decode[page[orderLine]](t, approver.call(http.MethodGet, at+"/purchase-orders/"+url.PathEscape("PO/7 a"), nil), http.StatusOK)
	require.Len(t, order.Items, 1, "a number may hold anything")
	timeline := decode[struct{ Moments, Receipts []any }](t, approver.call(http.MethodGet, lines+"/"+made.ID+"/timeline", nil), http.StatusOK)
	require.Len(t, timeline.Moments, 6)
	require.Len(t, timeline.Receipts, 2)

	theirs := w.company("Elsewhere")
	stranger := theirs.roles[auth.CompanyAdmin].enter()
	elsewhere := "/api/app/workspaces/" + theirs.Workspace.String() + "/purchase-order-lines/reopen"
	requireProblem(t, stranger.call(http.MethodPost, elsewhere, map[string]any{"lines": []any{map[string]any{"id": made.ID, "version": made.Version}}}), http.StatusNotFound, "unknown_line")
}
