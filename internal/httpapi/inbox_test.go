package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
)

// TestInbox takes an approval and a mention through an approver's inbox, and chooses mails.
func TestInbox(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.Equal(t, http.StatusOK, w.post("suppliers", `{"external_id":"S1","name":"Tea House"}`).status)
	buyer, approver := w.join(w.tenant, auth.Buyer).enter(), w.join(w.tenant, auth.Approver).enter()
	at := "/api/app/workspaces/" + w.tenant.Workspace.String()
	require.Equal(t, http.StatusOK, w.post("products", `{"external_id":"P1","sku":"TEA","name":"Green tea","supplier_id":"S1"}`).status)
	made := decode[page[orderLine]](t, buyer.call(http.MethodPost, at+"/purchase-order-lines", map[string]any{"lines": []any{
		map[string]any{"order_no": "PO/7 a", "sku": "TEA", "quantity_ordered": "10", "price_per_unit": "2.50", "currency": "eur"},
	}}), http.StatusCreated).Items[0]
	decode[page[orderLine]](t, buyer.call(http.MethodPost, at+"/purchase-order-lines/submit",
		map[string]any{"lines": []any{map[string]any{"id": made.ID, "version": made.Version}}}), http.StatusOK)
	require.Equal(t, http.StatusCreated, buyer.call(http.MethodPost, at+"/purchase-orders/PO%2F7%20a/entries",
		map[string]any{"kind": "comment", "text": "please look", "mentions": []any{approver.id}}).status)

	type item struct {
		Kind, Subject, Text, At string
		ByID                    string `json:"by_id"`
		Seen                    bool
		Suppliers               []string
		Totals                  []struct{ Currency, Amount string }
	}
	type counts struct{ Unseen, Approvals int }
	list := func(query string) []item {
		return decode[page[item]](t, approver.call(http.MethodGet, at+"/inbox"+query, nil), http.StatusOK).Items
	}
	count := func() counts {
		return decode[counts](t, approver.call(http.MethodGet, at+"/inbox/count", nil), http.StatusOK)
	}
	require.Equal(t, counts{2, 1}, count())
	all := list("")
	require.Len(t, all, 2)
	require.Equal(t, "mention PO/7 a please look", all[0].Kind+" "+all[0].Subject+" "+all[0].Text)
	require.Equal(t, buyer.id.String(), all[0].ByID)
	require.Equal(t, []struct{ Currency, Amount string }{{"EUR", "25"}}, all[1].Totals)
	require.Equal(t, []string{"Tea House"}, all[1].Suppliers)
	require.Len(t, list("?kind=mention"), 1)
	first := decode[page[item]](t, approver.call(http.MethodGet, at+"/inbox?limit=1", nil), http.StatusOK)
	require.NotEmpty(t, first.NextCursor)
	require.Equal(t, all[1:], list("?limit=1&cursor="+first.NextCursor))

	mark := func(body map[string]any) answer { return approver.call(http.MethodPost, at+"/inbox/mark", body) }
	require.Equal(t, http.StatusNoContent, mark(map[string]any{"done": true, "items": []any{
		map[string]any{"kind": "mention", "subject": all[0].Subject, "at": all[0].At}}}).status)
	require.Equal(t, counts{1, 1}, count())
	require.Equal(t, http.StatusNoContent, mark(map[string]any{"up_to": all[0].At, "done": true}).status)
	require.Equal(t, counts{0, 1}, count(), "it still waits")
	require.True(t, list("")[0].Seen)
	requireProblem(t, mark(map[string]any{"items": []any{map[string]any{"kind": "alert", "subject": "x", "at": all[0].At}}}),
		http.StatusUnprocessableEntity, "subject")
	require.Equal(t, http.StatusUnprocessableEntity, mark(map[string]any{"items": []any{
		map[string]any{"kind": "news", "subject": "x", "at": all[0].At}}}).status)

	type mails struct {
		Approvals bool `json:"approval_mails"`
		Mentions  bool `json:"mention_mails"`
		SentBack  bool `json:"sent_back_mails"`
	}
	require.Equal(t, mails{true, true, false}, decode[mails](t, approver.call(http.MethodGet, "/api/app/session", nil), http.StatusOK))
	require.Equal(t, mails{false, true, true}, decode[mails](t, approver.call(http.MethodPatch, "/api/app/profile",
		map[string]any{"approval_mails": false, "sent_back_mails": true}), http.StatusOK))
}
