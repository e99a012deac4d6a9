package account_test

import (
	"net/netip"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/account"
	"github.com/quayside/quayside/internal/fault"
)

// TestReach stores what the connections of a company may reach. An empty list is not the same as none.
func TestReach(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	reach := func() account.Reach {
		t.Helper()
		tenants, err := st.accounts.Tenants(t.Context())
		require.NoError(t, err)
		for _, tenant := range tenants {
			if tenant.ID == st.tenant.ID {
				return tenant.Reach
			}
		}
		t.Fatal("the company is not listed")
		return account.Reach{}
	}
	require.False(t, reach().Narrowed)
	require.Nil(t, reach().Texts())
	prefixes := func(texts ...string) (list []netip.Prefix) {
		for _, text := range texts {
			list = append(list, netip.MustParsePrefix(text))
		}
		return list
	}
	for _, tt := range []struct {
		given account.Reach
		want  []string
	}{
		{account.Reach{Narrowed: true, Networks: prefixes("10.2.0.0/16", "10.1.2.3/16", "10.1.0.0/16", "fd00::1/64")},
			[]string{"10.1.0.0/16", "10.2.0.0/16", "fd00::/64"}},
		{account.Reach{Narrowed: true}, []string{}},
		{account.Reach{}, nil},
	} {
		require.NoError(t, st.accounts.SetReach(t.Context(), st.tenant.ID, tt.given))
		require.Equal(t, tt.want, reach().Texts())
	}
	var audited int
	require.NoError(t, st.admin.QueryRow(t.Context(), `SELECT count(*) FROM workspace.audit
		WHERE tenant_id = $1 AND action = 'company.outbound_changed' AND (data->'to' = '[]' OR data->'from' = '[]')`,
		st.tenant.ID).Scan(&audited))
	require.Equal(t, 2, audited, "to nothing, and from nothing to everything")
	err := st.accounts.SetReach(t.Context(), uuid.New(), account.Reach{})
	require.True(t, fault.HasCode(err, "unknown_tenant"), err)
	err = st.accounts.SetReach(t.Context(), st.tenant.ID, account.Reach{Narrowed: true, Networks: make([]netip.Prefix, 1)})
	require.True(t, fault.HasCode(err, "outbound_allow"), err)
}
