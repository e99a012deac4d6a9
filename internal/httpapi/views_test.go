package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
)

// TestListViews saves a view of a list, shares it and lets two people change it.
func TestListViews(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	type view struct {
		ID         string
		Name       string
		Shared     bool
		Version    int64
		Definition struct{ Search map[string]string }
	}
	buyer, viewer := w.join(w.tenant, auth.Buyer).enter(), w.join(w.tenant, auth.Viewer).enter()
	lists := "/api/app/workspaces/" + w.tenant.Workspace.String() + "/lists/"
	path := lists + "purchase-orders/views"
	search := map[string]any{"search": map[string]any{"tab": "overdue", "text": "007"}}

	made := buyer.call(http.MethodPost, path, map[string]any{"name": "Late ones", "definition": search})
	saved := decode[view](t, made, http.StatusCreated)
	require.Equal(t, `"1"`, made.header.Get("ETag"))
	require.Equal(t, map[string]string{"tab": "overdue", "text": "007"}, saved.Definition.Search)
	require.Empty(t, decode[page[view]](t, viewer.call(http.MethodGet, path, nil), http.StatusOK).Items)
	one := path + "/" + saved.ID
	requireProblem(t, viewer.call(http.MethodPatch, one, map[string]any{"name": "x"}, `If-Match: "1"`),
		http.StatusNotFound, "unknown_view")

	requireProblem(t, buyer.call(http.MethodPatch, one, map[string]any{"shared": true}), http.StatusPreconditionRequired,
		"if_match")
	shared := decode[view](t, buyer.call(http.MethodPatch, one, map[string]any{"shared": true}, `If-Match: "1"`),
		http.StatusOK)
	require.Equal(t, int64(2), shared.Version)
	require.Equal(t, saved.Definition, shared.Definition)
	require.Equal(t, []view{shared}, decode[page[view]](t, viewer.call(http.MethodGet, path, nil), http.StatusOK).Items)
	requireProblem(t, viewer.call(http.MethodPatch, one, map[string]any{"name": "x"}, `If-Match: "2"`),
		http.StatusForbidden, "forbidden")
	requireProblem(t, viewer.call(http.MethodDelete, one, nil, `If-Match: "2"`), http.StatusForbidden, "forbidden")
	stale := buyer.call(http.MethodPatch, one, map[string]any{"name": "x"}, `If-Match: "1"`)
	requireProblem(t, stale, http.StatusPreconditionFailed, "stale")
	require.Equal(t, `"2"`, stale.header.Get("ETag"))
	requireProblem(t, buyer.call(http.MethodDelete, one, nil, `If-Match: "1"`), http.StatusPreconditionFailed, "stale")

	found := viewer.call(http.MethodGet, "/api/app/workspaces/"+w.tenant.Workspace.String()+"/search?q=late", nil)
	require.Contains(t, found.body, `"list":"purchase-orders","search":{"tab":"overdue","text":"007"}`)
	requireProblem(t, viewer.call(http.MethodGet, lists+"audit/views", nil), http.StatusForbidden, "forbidden")
	requireProblem(t, viewer.call(http.MethodGet, lists+"shoes/views", nil), http.StatusNotFound, "unknown_list")
	requireProblem(t, buyer.call(http.MethodPost, path, map[string]any{"name": "x",
		"definition": map[string]any{"search": map[string]any{"pages": "2"}}}), http.StatusBadRequest, "parameter")
	require.Equal(t, http.StatusNoContent, buyer.call(http.MethodDelete, one, nil, `If-Match: "2"`).status)
	require.Empty(t, decode[page[view]](t, buyer.call(http.MethodGet, path, nil), http.StatusOK).Items)
}

// TestListsAreDescribed compares the lists in the API's description with the existing ones.
func TestListsAreDescribed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var names []string
	for _, list := range auth.Lists() {
		names = append(names, string(list))
	}
	last := len(names) - 1
	said := strings.Join(names[:last], ", ") + " or " + names[last] + "."
	require.Contains(t, w.nobody().call(http.MethodGet, "/api/openapi.json", nil).body, said)
}
