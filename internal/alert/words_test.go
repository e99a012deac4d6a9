package alert

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestWithoutValues checks that no value of a record gets into an alert.
func TestWithoutValues(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ code, field, message, want string }{
		{"type", "lead_time_days", `lead_time_days: expected a number, received "SECRET"`,
			"lead_time_days: expected a number"},
		{"type", "active", `active: expected true or false, received ", received SECRET`, "active: expected true or false"},
		{"type", "active", `SECRET`, "active: type"},
		{"type", "lead_time_days", `lead_time_days: expected a number, received " is not SECRET"`,
			"lead_time_days: expected a number"},
		{"type", "lead_time_days", `lead_time_days: "SECRET" is not a number`, "lead_time_days: not a number"},
		{"type", "lead_time_days", `lead_time_days: " is not SECRET is too long: SECRET" is not a number`,
			"lead_time_days: not a number"},
		{"type", "lead_time_days", `lead_time_days: "expected a, received SECRET" is not a number`,
			"lead_time_days: not a number"},
		{"type", "price", `price: 5EC2E7 is too long: a number has at most 38 digits`,
			"price: too long: a number has at most 38 digits"},
		{"currency", "cost_currency", `cost_currency: "SECRET" is not a currency code such as EUR`,
			"cost_currency: not a currency code such as EUR"},
		{"ambiguous_time", "ordered_at", `ordered_at: 5EC2E7 is SECRET in seconds`,
			"ordered_at: a time in seconds or in milliseconds"},
		{"choice", "status", `status: "SECRET" is not one of draft, ordered`, "status: not one of draft, ordered"},
		{"choice", "status", `status: " is not one of SECRET" is not one of draft`, "status: not one of draft"},
		{"choice", "status", `SECRET`, "status: choice"},
		{"range", "quantity", "quantity: 5EC2E7 is below 0", "quantity: below 0"},
		{"range", "quantity", "quantity: 5EC2E7 is above 10", "quantity: above 10"},
		{"required", "name", "missing required field: name", "missing required field: name"},
		{"unknown_reference", "supplier_id", "unknown reference: supplier_id", "unknown reference: supplier_id"},
		{"fault", "", "temporary failure, safe to retry", "temporary failure, safe to retry"},
		{"duplicate_key", "external_id", `duplicate key: external_id "SECRET" belongs to another workspace`,
			"external_id: duplicate key"},
		{"some_new_code", "", "SECRET", "some new code"},
	} {
		got := withoutValues(tt.code, tt.field, tt.message)
		require.Equal(t, tt.want, got)
		require.NotContains(t, got, "SECRET")
		require.NotContains(t, got, "5EC2E7")
	}
	require.Len(t, []rune(withoutValues("required", "", strings.Repeat("ä", 1000))), longestMessage+1)
}

func TestLasting(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		15 * time.Minute: "15 minutes", 89*time.Minute + 29*time.Second: "89 minutes", 90 * time.Minute: "2 hours",
		24 * time.Hour: "24 hours",
		36 * time.Hour: "2 days", 7 * 24 * time.Hour: "7 days",
	} {
		require.Equal(t, want, lasting(d))
	}
}
