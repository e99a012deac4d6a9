package httpapi_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/app"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/mail/mailtest"
)

// TestSendingAnOrder sends an order through an instance with a mail server, whose job mails it.
func TestSendingAnOrder(t *testing.T) {
	t.Parallel()
	w, box := newWorld(t), mailtest.New(t)
	cfg := app.Config{DatabaseURL: w.db.ServiceURL, BaseURL: "https://quay.example", Lanes: 2, MaxQueued: 64, MaxWait: time.Minute,
		MaxBodyBytes: 1 << 20, MaxConns: 32, SMTPURL: box.URL}
	with, err := app.New(t.Context(), cfg, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(with.Close)
	server := httptest.NewServer(with.HTTP.Handler())
	t.Cleanup(server.Close)
	w.url, w.app = server.URL, with
	w.work()
	require.Equal(t, http.StatusOK, w.post("suppliers",
		`{"external_id":"S1","name":"Tea House","email":"orders@tea.example","language":"fr","address":"1 quai\nLyon"}`).status)
	require.Equal(t, http.StatusOK, w.post("purchase_order_lines",
		`{"external_id":"L1","order_no":"PO 1","sku":"TEA","status":"ordered","quantity_ordered":2,"supplier_id":"S1"}`).status)
	buyer := w.join(w.tenant, auth.Buyer).enter()
	path := "/api/app/workspaces/" + w.tenant.Workspace.String() + "/purchase-orders/PO%201/"

	type mail struct {
		ID    uuid.UUID
		State string
	}
	draft := decode[struct {
		To            []string
		Subject, Text string
		Digest        string
		CanMail       bool `json:"can_mail"`
		Last          *mail
	}](t, buyer.call(http.MethodGet, path+"mails/draft", nil), http.StatusOK)
	require.True(t, draft.CanMail)
	require.Equal(t, "Commande PO 1", draft.Subject)
	body := map[string]any{"key": uuid.New(), "digest": draft.Digest, "to": draft.To, "subject": draft.Subject, "text": draft.Text}
	sent := decode[mail](t, buyer.call(http.MethodPost, path+"mails", body), http.StatusCreated)
	repeated := decode[mail](t, buyer.call(http.MethodPost, path+"mails", body), http.StatusCreated)
	require.Equal(t, sent.ID, repeated.ID)
	body["key"] = uuid.New()
	requireProblem(t, buyer.call(http.MethodPost, path+"mails", body), http.StatusConflict, "already_sent")
	got := box.Next(t)
	require.Equal(t, "Commande PO 1", got.Subject)
	require.Equal(t, got.Attached["PO-1.pdf"], buyer.call(http.MethodGet, path+"mails/"+sent.ID.String()+"/pdf", nil).body)
	requireProblem(t, buyer.call(http.MethodGet, path+"mails/"+uuid.NewString()+"/pdf", nil), http.StatusNotFound, "unknown_mail")
	require.Eventually(t, func() bool {
		return w.read("workspace.order_mails", "state", "1")[0] == "sent"
	}, time.Minute, 50*time.Millisecond)
	require.Empty(t, box.Mails)

	// The address is changed by a key; nobody sends the next order without having been told.
	require.Equal(t, http.StatusOK, w.post("suppliers", `{"external_id":"S1","name":"Tea House","email":"orders@evil.example"}`).status)
	changed := decode[struct {
		Digest  string
		To      []string
		Last    *mail
		Changes []struct {
			Field, Was, Is string
			ByType         string `json:"by_type"`
			At             time.Time
		} `json:"supplier_changes"`
		Seen string `json:"changes_digest"`
	}](t, buyer.call(http.MethodGet, path+"mails/draft", nil), http.StatusOK)
	require.Len(t, changed.Changes, 1)
	require.Equal(t, "email orders@tea.example orders@evil.example key", strings.Join([]string{changed.Changes[0].Field, changed.Changes[0].Was,
		changed.Changes[0].Is, changed.Changes[0].ByType}, " "))
	require.WithinDuration(t, time.Now(), changed.Changes[0].At, time.Minute)
	body["key"], body["after"], body["to"] = uuid.New(), changed.Last.ID, changed.To
	requireProblem(t, buyer.call(http.MethodPost, path+"mails", body), http.StatusConflict, "supplier_changed")
	body["changes_seen"] = changed.Seen
	decode[mail](t, buyer.call(http.MethodPost, path+"mails", body), http.StatusCreated)
}
