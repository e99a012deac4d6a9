package failed

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
)

// TestMayCorrect compares corrections of a supplier's record with what was sent. Its lead time and its language were refused.
func TestMayCorrect(t *testing.T) {
	t.Parallel()
	const sent = `{"external_id": "S1", "name": "Tea \u0048ouse", "email": "orders@tea.example", "lead_time_days": "soon", "min_order_value": 1.50,
		"extra": {"a": [1, 2]}}`
	named := []fault.Field{{Field: "lead_time_days"}, {Field: "language"}}
	for _, tt := range []struct{ name, corrected, others string }{
		{"the field that is named", `{"external_id":"S1","name":"Tea House","email":"orders@tea.example","lead_time_days":21,"min_order_value":1.50,"extra":{"a":[1,2]}}`, ""},
		{"another sequence", `{"lead_time_days":21,"extra":{"a":[1,2]},"min_order_value":1.50,"email":"orders@tea.example","name":"Tea House","external_id":"S1"}`, ""},
		{"a named field is added, another is removed", `{"external_id":"S1","name":"Tea House","email":"orders@tea.example","language":"de","min_order_value":1.50,"extra":{"a":[1,2]}}`, ""},
		{"the address", `{"external_id":"S1","name":"Tea House","email":"orders@evil.example","lead_time_days":21,"min_order_value":1.50,"extra":{"a":[1,2]}}`, "email"},
		{"the address is left out", `{"external_id":"S1","name":"Tea House","lead_time_days":21,"min_order_value":1.50,"extra":{"a":[1,2]}}`, "email"},
		{"the address is null", `{"external_id":"S1","name":"Tea House","email":null,"lead_time_days":21,"min_order_value":1.50,"extra":{"a":[1,2]}}`, "email"},
		{"fields are added", `{"external_id":"S1","name":"Tea House","email":"orders@tea.example","lead_time_days":21,"min_order_value":1.50,"extra":{"a":[1,2]},"address":"Evil Street 1","Email":"orders@evil.example"}`, "Email, address"},
		{"a number in another spelling", `{"external_id":"S1","name":"Tea House","email":"orders@tea.example","lead_time_days":21,"min_order_value":1.5,"extra":{"a":[1,2]}}`, "min_order_value"},
		{"inside another value", `{"external_id":"S1","name":"Tea House","email":"orders@tea.example","lead_time_days":21,"min_order_value":1.50,"extra":{"a":[1,3]}}`, "extra"},
		{"another record", `{"external_id":"S2","name":"Tea House","email":"orders@tea.example","lead_time_days":21,"min_order_value":1.50,"extra":{"a":[1,2]}}`, "external_id"},
		{"the address twice", `{"external_id":"S1","name":"Tea House","email":"orders@tea.example","email":"orders@evil.example","lead_time_days":21,"min_order_value":1.50,"extra":{"a":[1,2]}}`, "edit it by hand"},
		{"no object", `["S1"]`, "edit it by hand"},
	} {
		for who, by := range map[string]auth.Principal{
			"an agent":         {Role: auth.Agent, Token: uuid.New(), Scopes: auth.Scopes()},
			"an admin's token": {Role: auth.CompanyAdmin, Token: uuid.New(), Scopes: auth.Scopes()},
			"a buyer":          {Role: auth.Buyer}, "an admin": {Role: auth.CompanyAdmin},
		} {
			err := mayCorrect(by, []byte(sent), []byte(tt.corrected), named)
			if by.Token == uuid.Nil || tt.others == "" {
				require.NoError(t, err, "%s, by %s", tt.name, who)
				continue
			}
			require.ErrorContains(t, err, tt.others, "%s, by %s", tt.name, who)
		}
	}
	err := mayCorrect(auth.Principal{Role: auth.Agent, Token: uuid.New()}, []byte(sent), []byte(`{"external_id":"S1"}`), nil)
	require.True(t, fault.HasCode(err, "not_named"), "an internal error names no field: %v", err)
}

// TestManyAtOnce checks that no token corrects many imports at once, where nobody compares fields, and that none keeps rules.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	s := New(nil, nil)
	for _, by := range []auth.Principal{
		{Role: auth.Agent, Token: uuid.New(), Scopes: auth.Scopes()}, {Role: auth.CompanyAdmin, Token: uuid.New(), Scopes: auth.Scopes()},
		{Role: auth.Agent},
	} {
		_, _, err := s.Preview(t.Context(), by, Plan{})
		require.True(t, fault.Is(err, fault.Forbidden), "%v", err)
		_, err = s.Start(t.Context(), by, Plan{}, 1, nil)
		require.True(t, fault.Is(err, fault.Forbidden), "%v", err)
		_, err = keepIn(t.Context(), nil, by, Plan{Filter: Filter{Slug: "suppliers"}}, Keep{}, nil)
		require.True(t, fault.Is(err, fault.Forbidden), "%v", err)
	}
}
