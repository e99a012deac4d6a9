package auth_test

import (
	"testing"
	"time"

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

// TestSync checks everything that a sync may do. It follows another system, so it decides nothing: whoever
// controls that system must not be able to approve, or to change what people see and may do.
func TestSync(t *testing.T) {
	t.Parallel()
	by := auth.Connection(uuid.New(), uuid.New(), uuid.New(), time.UTC)
	require.Equal(t, []auth.Permission{
		auth.CancelOrders, auth.ChangeLines, auth.CorrectOwn, auth.CorrectReceipts, auth.DraftLines, auth.Read, auth.ReceiveLines,
	}, by.Role.Permissions())
	require.Error(t, by.Require(auth.ApproveLines))
	require.True(t, by.MayWrite("purchase_order_lines"))
	require.False(t, by.MayWrite("products"))
	require.NotContains(t, auth.Roles(), auth.Sync, "nobody is invited as a sync")
	require.Nil(t, by.PersonID())
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
