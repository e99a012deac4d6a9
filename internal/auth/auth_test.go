package auth_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
)

func TestRequire(t *testing.T) {
	t.Parallel()
	for role, may := range map[auth.Role]bool{
		auth.CompanyAdmin: true,
		auth.Approver:     false,
		auth.Buyer:        false,
		auth.Viewer:       false,
		"":                false,
	} {
		err := auth.Principal{Tenant: uuid.New(), Role: role}.Require(auth.ManageKeys)
		if may {
			require.NoError(t, err, role)
		} else {
			require.True(t, fault.Is(err, fault.Forbidden), role)
		}
	}
	require.Error(t, auth.Operator(uuid.New()).Require("no such permission"))
}

// TestTokensAndThePlaybook checks that no token manages purchasing, and who may propose and plan with
// a token of the scope write.
func TestTokensAndThePlaybook(t *testing.T) {
	t.Parallel()
	for _, role := range append(auth.Roles(), auth.Agent) {
		token := auth.Principal{Tenant: uuid.New(), Role: role, Token: uuid.New(), Scopes: auth.Scopes()}
		require.True(t, fault.Is(token.Require(auth.ManagePurchasing), fault.Forbidden), role)
		proposes := role == auth.CompanyAdmin || role == auth.Agent
		require.Equal(t, proposes, token.Require(auth.ProposeDocuments) == nil, role)
		require.Equal(t, role == auth.CompanyAdmin, token.Require(auth.PlanPurchasing) == nil, role)
		token.Scopes = []auth.Scope{auth.ScopeRead, auth.ScopeFailures}
		require.True(t, fault.HasCode(token.Require(auth.ProposeDocuments), "missing_scope"), role)
		require.True(t, fault.HasCode(token.Require(auth.PlanPurchasing), "missing_scope"), role)
	}
}
