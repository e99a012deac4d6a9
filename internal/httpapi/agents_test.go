package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/purchase"
)

// TestAgentsHaveNames checks that whoever sees what an agent did can tell which one it was, also after
// its token has ended.
func TestAgentsHaveNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	admin, viewer := w.join(w.tenant, auth.CompanyAdmin).enter(), w.join(w.tenant, auth.Viewer).enter()
	workspace := "/api/app/workspaces/" + w.tenant.Workspace.String()
	issued := decode[struct {
		Token  struct{ ID string }
		Secret string
	}](t, admin.call(http.MethodPost, workspace+"/tokens", map[string]any{"label": "Night watch", "agent": true, "scopes": []string{"write"}}), http.StatusCreated)
	agent, err := w.app.Tokens.Verify(ctx, issued.Secret)
	require.NoError(t, err)
	sku, quantity := "TEA", "3"
	lines, err := w.app.Purchase.Draft(ctx, agent, []purchase.NewLine{{Changes: purchase.Changes{SKU: &sku, QuantityOrdered: &quantity}}})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, admin.call(http.MethodPost, workspace+"/tokens/"+issued.Token.ID+"/revoke", nil).status)

	entries := admin.audit(w.tenant.ID, "actor=agent").Items
	require.Len(t, entries, 1)
	require.Equal(t, [2]string{lines[0].ID, "Night watch"}, [2]string{entries[0].Subject, entries[0].ByName})

	type agents struct {
		Items []struct {
			ID   uuid.UUID
			Name string
		}
	}
	listed := decode[agents](t, viewer.call(http.MethodGet, workspace+"/agents", nil), http.StatusOK)
	require.Len(t, listed.Items, 2)
	require.Equal(t, "Procurement agent", listed.Items[0].Name)
	require.Equal(t, "Night watch", listed.Items[1].Name)
	require.Equal(t, *lines[0].CreatedBy.Agent, listed.Items[1].ID)
}
