package inventory_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/inventory"
	"github.com/quayside/quayside/internal/inventory/katana"
	"github.com/quayside/quayside/internal/purchase"
	standin "github.com/quayside/quayside/test/inventory"
)

// TestCut shows that a create without an answer is uncertain, and that looking tells what happened.
func TestCut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fault standin.Fault
		taken bool
	}{
		{standin.CutBefore, false}, {standin.CutAfter, true}, {standin.Broken, false}, {standin.BrokenAfter, true},
	} {
		t.Run(string(tt.fault), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, standin.Options{})
			w.server.Fail("POST /v1/purchase_orders", tt.fault)
			_, err := w.client.Create(t.Context(), w.order("PO-1", inventory.NotReceived, "TEA"))
			requireCode(t, err, inventory.CodeUncertain)
			found, err := w.client.Find(t.Context(), "PO-1", "ref-PO-1")
			if !tt.taken {
				requireCode(t, err, inventory.CodeNotFound)
				return
			}
			require.NoError(t, err)
			require.Equal(t, "PO-1", found.Number)
			require.Len(t, w.server.All(), 1)
		})
	}
}

// TestHalfAnswer cuts the connection in the middle of an answer.
func TestHalfAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, `{"id": 1, "status`)
	}))
	t.Cleanup(server.Close)
	client := katana.New(server.URL, token, http.DefaultClient)
	_, err := client.Create(t.Context(), w.order("PO-1", inventory.NotReceived, "TEA"))
	requireCode(t, err, inventory.CodeUncertain)
	_, err = client.Get(t.Context(), "1")
	requireCode(t, err, inventory.CodeUnreachable)
}

// TestSendLooks carries out plans that were made without knowing what is there.
func TestSendLooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{})
	header := inventory.Header{Number: "PO-1", Reference: "ref-PO-1", Location: w.location}
	ours := inventory.Line{Status: purchase.Ordered, Variant: w.variants["TEA"], Supplier: w.supplier, Currency: "GBP",
		Quantity: dec("10"), Price: price("2.5"), Expected: day("2026-12-01")}
	pairs := []inventory.Pair{{Ours: &ours}}
	for range 2 {
		require.NoError(t, inventory.Plan(nil, pairs).Send(t.Context(), w.client, header, nil, pairs))
		require.Len(t, w.server.All(), 1, "it is looked for before it is made")
	}
	order, err := w.client.Find(t.Context(), "PO-1", "ref-PO-1")
	require.NoError(t, err)
	ours.Status, ours.Received, ours.ReceivedAt = purchase.PartiallyReceived, dec("4"), time.Now()
	pairs[0].Theirs = &inventory.Fold(order)[0]
	plan := inventory.Plan(&order, pairs)
	require.NoError(t, plan.Send(t.Context(), w.client, header, &order, pairs))
	requireCode(t, plan.Send(t.Context(), w.client, header, &order, pairs), inventory.CodeChanged)
	order, err = w.client.Get(t.Context(), order.ID)
	require.NoError(t, err)
	require.Equal(t, "4", inventory.Fold(order)[0].Received.String(), "received once")
}

// TestSlow gives up on an answer that does not come.
func TestSlow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{})
	w.server.Fail("POST", standin.Slow)
	ctx, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer stop()
	_, err := w.client.Create(ctx, w.order("PO-1", inventory.NotReceived, "TEA"))
	requireCode(t, err, inventory.CodeUncertain)
	_, err = w.client.Find(t.Context(), "PO-1", "ref-PO-1")
	require.NoError(t, err)
	_, err = w.client.Create(ctx, w.order("PO-2", inventory.NotReceived, "TEA")) // over before it begins
	require.Error(t, err)
	require.Len(t, w.server.All(), 1)
}

// TestUnreachable tells apart what was never sent.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{})
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	_, err := katana.New(closed.URL, token, http.DefaultClient).Create(t.Context(),
		w.order("PO-1", inventory.NotReceived, "TEA"))
	requireCode(t, err, inventory.CodeUnreachable)
	w.server.Fail("GET", standin.Broken)
	_, err = w.client.Get(t.Context(), "1")
	requireCode(t, err, inventory.CodeUnreachable)
}

func TestWebhooks(t *testing.T) {
	t.Parallel()
	type heard struct{ body, signature string }
	got := []heard{}
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, heard{string(body), r.Header.Get(katana.SignatureHeader)})
	}))
	t.Cleanup(receiver.Close)
	w := newWorld(t, standin.Options{Faults: standin.Plan{Seed: 3},
		Webhooks: standin.Webhooks{URL: receiver.URL, Secret: "s", Shuffle: true, Lose: 0.2, Twice: 0.3}})
	ids := []string{}
	for i := range 20 {
		ids = append(ids, w.create(fmt.Sprint("PO-", i), inventory.NotReceived, "TEA").ID)
	}
	sent, err := w.server.Deliver(t.Context())
	require.NoError(t, err)
	require.Len(t, got, sent)
	count, inOrder := map[string]int{}, []string{}
	for _, h := range got {
		id, err := katana.Hint([]byte(h.body), h.signature, "s")
		require.NoError(t, err)
		count[id]++
		inOrder = append(inOrder, id)
		_, err = katana.Hint([]byte(h.body+" "), h.signature, "s")
		require.Error(t, err)
	}
	lost, twice := 0, 0
	for _, id := range ids {
		switch count[id] {
		case 0:
			lost++
		case 2:
			twice++
		}
	}
	require.Positive(t, lost)
	require.Positive(t, twice)
	require.False(t, slices.IsSorted(inOrder), "out of order")
}

// TestHostileAnswers reads what no documented server sends.
func TestHostileAnswers(t *testing.T) {
	t.Parallel()
	const pages = `{"last_page": "true"}`
	for name, tt := range map[string]struct{ header, body, code string }{
		"not JSON":         {pages, "<html>", inventory.CodeAnswer},
		"no pages":         {"", `{"data": []}`, inventory.CodeAnswer},
		"a huge number":    {pages, `{"data": [{"id": 1, "status": "DRAFT", "purchase_order_rows": [{"quantity": 1e99999999}]}]}`, inventory.CodeAnswer},
		"an unknown state": {pages, `{"data": [{"id": 1, "status": "ON_FIRE"}]}`, inventory.CodeAnswer},
		"a huge body":      {pages, strings.Repeat(" ", 16<<20+1), inventory.CodeUnreachable},
		"unknown fields":   {pages, `{"data": [{"id": 1, "status": "DRAFT", "mood": {"a": []}}], "x": 1}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if tt.header != "" {
					w.Header().Set("X-Pagination", tt.header)
				}
				_, _ = io.WriteString(w, tt.body)
			}))
			t.Cleanup(server.Close)
			_, err := katana.New(server.URL, token, http.DefaultClient).Changed(t.Context(), inventory.Cursor{})
			if tt.code == "" {
				require.NoError(t, err)
				return
			}
			requireCode(t, err, tt.code)
		})
	}
}
