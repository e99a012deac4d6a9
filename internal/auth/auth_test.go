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
