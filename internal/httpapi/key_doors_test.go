package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/apikey"
	"github.com/quayside/quayside/internal/auth"
)

// keyDoors are the calls that a key opens.
var keyDoors = []struct{ name, method, query, accept string }{
	{"a record", http.MethodPost, "", "*/*"},
	{"a rehearsal", http.MethodPost, "?dry_run=true", "*/*"},
	{"discovery", http.MethodGet, "", "*/*"},
	{"the schema", http.MethodGet, "", "application/schema+json"},
}

// keyStates are what can become of a key of the table suppliers after it was used, and how it is then answered at the
// doors above. Discovery is for any live key.
var keyStates = []struct {
	name   string
	scope  string
	change func(w *world, id uuid.UUID)
	want   [4]int
}{
	{"live", "suppliers", func(*world, uuid.UUID) {}, [4]int{200, 200, 200, 200}},
	{"of every table", "*", func(*world, uuid.UUID) {}, [4]int{200, 200, 200, 200}},
	{"of another table", "orders", func(*world, uuid.UUID) {}, [4]int{403, 403, 200, 200}},
	{"expires later", "*", setKey("expires_at = now() + interval '1 minute'"), [4]int{200, 200, 200, 200}},
	{"expired", "*", setKey("expires_at = now()"), [4]int{401, 401, 401, 401}},
	{"expired, of another table", "orders", setKey("expires_at = now()"), [4]int{401, 401, 401, 401}},
	{"revoked", "*", setKey("revoked_at = now()"), [4]int{401, 401, 401, 401}},
	{"revoked, of another table", "orders", setKey("revoked_at = now()"), [4]int{401, 401, 401, 401}},
	{"rotated with an overlap", "suppliers", rotateKey(true), [4]int{200, 200, 200, 200}},
	{"rotated without one", "suppliers", rotateKey(false), [4]int{401, 401, 401, 401}},
	{"gone", "*", func(w *world, id uuid.UUID) { w.exec("DELETE FROM workspace.api_keys WHERE id = $1", id) },
		[4]int{401, 401, 401, 401}},
	{"of a suspended company", "*", func(w *world, _ uuid.UUID) {
		_, err := w.app.Accounts.Suspend(w.t.Context(), w.tenant.ID, "unpaid")
		require.NoError(w.t, err)
	}, [4]int{403, 403, 403, 403}},
	{"of a company that resumed", "*", func(w *world, _ uuid.UUID) {
		_, err := w.app.Accounts.Resume(w.t.Context(), w.tenant.ID)
		require.NoError(w.t, err)
	}, [4]int{200, 200, 200, 200}},
}

func setKey(assignments string) func(*world, uuid.UUID) {
	return func(w *world, id uuid.UUID) {
		w.exec("UPDATE workspace.api_keys SET "+assignments+" WHERE id = $1", id)
	}
}

func rotateKey(overlap bool) func(*world, uuid.UUID) {
	return func(w *world, id uuid.UUID) {
		length := apikey.NoOverlap
		if overlap {
			length = apikey.OverlapHour
		}
		_, _, err := w.app.Keys.Rotate(w.t.Context(), auth.Operator(w.tenant.ID), id, length)
		require.NoError(w.t, err)
	}
}

// TestKeyDoors tries every door with a key in every state. The service knows the key alive from a call before, so its
// cache would let the key in: only the database may decide.
func TestKeyDoors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, state := range keyStates {
		for i, door := range keyDoors {
			w.exec("UPDATE control.tenants SET suspended_at = NULL")
			w.exec("UPDATE workspace.api_keys SET suspended = false")
			key, shown, err := w.app.Keys.Issue(t.Context(), auth.Operator(w.tenant.ID),
				apikey.Request{Label: state.name, Scope: state.scope})
			require.NoError(t, err)
			use := func() answer {
				return w.nobody().call(door.method, "/api/ingest/suppliers"+door.query,
					map[string]string{"external_id": key.ID.String(), "name": "Acme"},
					"Authorization: Bearer "+shown, "Accept: "+door.accept)
			}
			if first := use(); state.scope != "orders" || door.method == http.MethodGet {
				require.Equal(t, http.StatusOK, first.status, first.body)
			}
			w.exec("DELETE FROM workspace.suppliers WHERE external_id = $1", key.ID.String())
			state.change(w, key.ID)
			got := use()
			require.Equal(t, state.want[i], got.status, "%s, %s: %s", state.name, door.name, got.body)
			stored := w.read("workspace.suppliers WHERE external_id = '"+key.ID.String()+"'", "name", "1")
			require.Equal(t, got.status == 200 && door.name == "a record", len(stored) == 1, "%s, %s", state.name, door.name)
			if got.status == http.StatusUnauthorized {
				require.JSONEq(t, `{"error":"invalid or revoked api key"}`, got.body)
			}
			require.Equal(t, state.want[i], use().status, "%s, %s: the second time", state.name, door.name)
		}
	}
}

// TestKeysOpenNothingElse shows a key that may write every table wherever something else is wanted.
func TestKeysOpenNothingElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const record = `{"external_id":"1","name":"x"}`
	master, unknown := w.keys["master"], w.keys["unknown"]
	w.app.HTTP.OperatorToken = "canary-operator-3f8a1c5e7b9d2046"
	at := "/api/app/workspaces/" + w.tenant.Workspace.String()
	for _, call := range []string{
		"GET /api/app/session", "GET " + at + "/keys", "POST " + at + "/keys", "GET " + at + "/tables",
		"GET /api/operator/tenants", "POST /mcp", "GET /mcp",
	} {
		method, path, _ := strings.Cut(call, " ")
		got := w.nobody().call(method, path, map[string]any{}, "Authorization: Bearer "+master, "Cookie: __Host-quayside="+master)
		require.Equal(t, http.StatusUnauthorized, got.status, "%s: %s", call, got.body)
	}
	for name, header := range map[string]string{
		"no header":      "Accept: */*",
		"another scheme": "Authorization: Basic " + master,
		"no scheme":      "Authorization: " + master,
		"no key":         "Authorization: Bearer ",
	} {
		for _, door := range keyDoors {
			got := w.nobody().call(door.method, "/api/ingest/suppliers?key="+master, record, header)
			require.Equal(t, http.StatusUnauthorized, got.status, "%s, %s: %s", name, door.name, got.body)
		}
	}
	for _, door := range keyDoors { // a proxy may read the other one
		for _, two := range [][]string{{master, unknown}, {unknown, master}, {master, master}} {
			request, err := http.NewRequestWithContext(t.Context(), door.method, w.url+"/api/ingest/suppliers",
				strings.NewReader(record))
			require.NoError(t, err)
			request.Header["Authorization"] = []string{"Bearer " + two[0], "Bearer " + two[1]}
			response, err := http.DefaultClient.Do(request)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			require.Equal(t, http.StatusUnauthorized, response.StatusCode, "two keys, %s", door.name)
		}
	}
}
