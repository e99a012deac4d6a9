package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
)

// TestOperator makes, suspends and resumes companies over HTTP. Only the operator's token opens these routes.
func TestOperator(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const tenants = "/api/operator/tenants"
	call := func(method, path string, body any, headers ...string) answer {
		return w.nobody().call(method, path, body, headers...)
	}
	require.Equal(t, http.StatusNotFound, call(http.MethodGet, tenants, nil).status, "no token is configured")

	const token = "canary-operator-3f8a1c5e7b9d2046"
	w.app.HTTP.OperatorToken = token
	shown := "Authorization: Bearer " + token
	admin := w.join(w.tenant, auth.CompanyAdmin).enter()
	for _, path := range []string{tenants, tenants + "/" + w.tenant.ID.String() + "/suspend", "/api/operator/x"} {
		for name, got := range map[string]answer{
			"nobody":      call(http.MethodPost, path, map[string]any{}),
			"other token": call(http.MethodPost, path, map[string]any{}, shown+"x"),
			"no token":    call(http.MethodPost, path, map[string]any{}, "Authorization: Bearer "),
			"an admin":    admin.call(http.MethodPost, path, map[string]any{}),
		} {
			require.Equal(t, http.StatusUnauthorized, got.status, "%s: %s", name, got.body)
		}
	}
	made := call(http.MethodPost, tenants, map[string]any{"name": "Acme"}, shown)
	require.Equal(t, http.StatusOK, made.status, made.body)
	require.Contains(t, call(http.MethodGet, tenants, nil, shown).body, `"name":"Acme"`)
	require.Equal(t, http.StatusUnprocessableEntity, call(http.MethodPost, tenants, map[string]any{"name": " "}, shown).status)
	require.Equal(t, http.StatusBadRequest, call(http.MethodPost, tenants, map[string]any{"nom": "x"}, shown).status)

	this := tenants + "/" + w.tenant.ID.String()
	places := "/api/app/workspaces/" + w.tenant.Workspace.String() + "/tables"
	require.Equal(t, http.StatusOK, admin.call(http.MethodGet, places, nil).status)
	suspended := call(http.MethodPost, this+"/suspend", map[string]any{"reason": "unpaid"}, shown)
	require.Equal(t, http.StatusOK, suspended.status, suspended.body)
	refused := admin.call(http.MethodGet, places, nil)
	require.Equal(t, http.StatusForbidden, refused.status)
	require.Contains(t, refused.body, "your company is suspended")
	require.Equal(t, http.StatusOK, call(http.MethodPost, this+"/resume", nil, shown).status)
	require.Equal(t, http.StatusOK, admin.call(http.MethodGet, places, nil).status)
	planned := call(http.MethodPost, this+"/delete", map[string]any{"wait_days": 7}, shown)
	require.Contains(t, planned.body, "delete_after")
	require.Equal(t, http.StatusForbidden, admin.call(http.MethodGet, places, nil).status)
	require.Equal(t, http.StatusNotFound, call(http.MethodPost, tenants+"/"+uuid.NewString()+"/suspend", nil, shown).status)
	require.Equal(t, http.StatusNotFound, call(http.MethodPost, tenants+"/x/suspend", nil, shown).status)
	require.Equal(t, http.StatusNotFound, call(http.MethodGet, "/api/operator/x", nil, shown).status)
}
