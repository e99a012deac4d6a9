package httpapi_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// sign returns the header with the signature of a webhook.
func sign(text, with string) string {
	mac := hmac.New(sha256.New, []byte(with))
	mac.Write([]byte(text))
	return "X-Sha2-Signature: " + hex.EncodeToString(mac.Sum(nil))
}

// TestHookLimits sends the webhooks of two companies from one address, as their inventory system does. One of them is
// slowed down, and only by webhooks that are signed; then it is suspended.
func TestHookLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const secret, wrong, body = "canary-secret-9c2e41", "canary-secret-000000", `{"resource_type":"sales_order","object":{"id":"7"}}`
	other := pgtest.NewTenant(t, w.db)
	connect := func(tenant pgtest.Tenant) (path string) {
		admin := w.join(tenant, auth.CompanyAdmin).enter()
		base := "/api/app/workspaces/" + tenant.Workspace.String() + "/connections"
		made := decode[connectionAnswer](t, admin.call(http.MethodPost, base, map[string]any{"system": "katana", "name": "Katana",
			"address": "http://127.0.0.1:1/v1", "token": "a-token-of-16-characters", "may_load": true}), http.StatusCreated)
		w.exec("UPDATE workspace.connections SET state = 'active' WHERE id = $1", made.ID)
		set := admin.call(http.MethodPost, base+"/"+made.ID.String()+"/hook", map[string]any{"secret": secret})
		require.Equal(t, http.StatusOK, set.status, set.body)
		return "/hooks/inventory/" + made.ID.String()
	}
	busy, quiet := connect(w.tenant), connect(other)
	send := func(path, with string) answer { return w.nobody().call(http.MethodPost, path, body, sign(body, with)) }
	const atOnce = 200
	for range atOnce + 50 {
		require.Equal(t, http.StatusUnauthorized, send(busy, wrong).status)
	}
	var last answer
	for sent := 0; last.status != http.StatusTooManyRequests; sent++ {
		require.Less(t, sent, 10*atOnce, "there is no limit")
		last = send(busy, secret)
		if sent < atOnce {
			require.Equal(t, http.StatusNoContent, last.status, last.body)
		}
	}
	require.Equal(t, "1", last.header.Get("Retry-After"))
	require.Equal(t, http.StatusNoContent, send(quiet, secret).status, "another company")

	_, err := w.app.Accounts.Suspend(t.Context(), other.ID, "unpaid")
	require.NoError(t, err)
	gone := send(quiet, secret)
	require.Equal(t, http.StatusGone, gone.status)
	require.Empty(t, gone.body)
	require.Equal(t, http.StatusUnauthorized, send(quiet, wrong).status, "who cannot sign does not learn it")
	_, err = w.app.Accounts.Resume(t.Context(), other.ID)
	require.NoError(t, err)
	require.Equal(t, http.StatusNoContent, send(quiet, secret).status)
}

// TestHooks sends webhooks over HTTP: only a signed one is taken, and every other one gets the same answer.
func TestHooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin := w.join(w.tenant, auth.CompanyAdmin).enter()
	base := "/api/app/workspaces/" + w.tenant.Workspace.String() + "/connections"
	made := decode[connectionAnswer](t, admin.call(http.MethodPost, base, map[string]any{"system": "katana", "name": "Katana",
		"address": "http://127.0.0.1:1/v1", "token": "a-token-of-16-characters", "may_load": true}), http.StatusCreated)
	w.exec("UPDATE workspace.connections SET state = 'active' WHERE id = $1", made.ID)
	w.exec(`INSERT INTO workspace.exchange_orders (tenant_id, connection_id, order_no, workspace_id, external_id, state)
		VALUES ($1, $2, 'PO-1', $3, '7', 'synced')`, w.tenant.ID, made.ID, w.tenant.Workspace)

	const secret, body = "canary-secret-9c2e41", `{"resource_type":"purchase_order","action":"purchase_order.updated","object":{"id":"7"}}`
	send := func(id, text string, headers ...string) answer {
		return w.nobody().call(http.MethodPost, "/hooks/inventory/"+id, text, headers...)
	}
	unset := send(made.ID.String(), body, sign(body, secret))
	require.Equal(t, http.StatusUnauthorized, unset.status, unset.body)
	set := admin.call(http.MethodPost, base+"/"+made.ID.String()+"/hook", map[string]any{"secret": secret})
	require.Equal(t, http.StatusOK, set.status, set.body)
	require.NotContains(t, set.body, secret)
	require.Contains(t, set.body, "hook_set_at")
	for name, got := range map[string]answer{
		"unknown":      send(uuid.NewString(), body, sign(body, secret)),
		"no id":        send("x", body, sign(body, secret)),
		"wrong secret": send(made.ID.String(), body, sign(body, secret+"x")),
		"no signature": send(made.ID.String(), body),
		"changed":      send(made.ID.String(), body+" ", sign(body, secret)),
	} {
		require.Equal(t, masked(unset), masked(got), name)
	}
	require.Equal(t, http.StatusRequestEntityTooLarge, send(made.ID.String(), strings.Repeat(" ", 65<<10), sign(body, secret)).status)
	require.Equal(t, http.StatusMethodNotAllowed, w.nobody().call(http.MethodGet, "/hooks/inventory/"+made.ID.String(), nil).status)
	state := func() []string { return w.read("workspace.exchange_orders", "order_no, state, asked", "1") }
	require.Equal(t, []string{"PO-1 | synced | 0"}, state())

	got := send(made.ID.String(), body, sign(body, secret))
	require.Equal(t, http.StatusNoContent, got.status, got.body)
	require.Equal(t, []string{"PO-1 | waiting | 1"}, state())
	other := `{"resource_type":"sales_order","object":{"id":"7"}}`
	require.Equal(t, http.StatusNoContent, send(made.ID.String(), other, sign(other, secret)).status)
	garbage := `not json`
	require.Equal(t, http.StatusBadRequest, send(made.ID.String(), garbage, sign(garbage, secret)).status)
	require.Equal(t, []string{"PO-1 | waiting | 1"}, state())
}
