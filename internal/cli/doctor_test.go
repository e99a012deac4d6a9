package cli

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/event"
	"github.com/quayside/quayside/internal/purchase"
)

// TestApprovals prints the lines that are above their approval. What companies have typed cannot move the terminal's cursor.
func TestApprovals(t *testing.T) {
	t.Parallel()
	require.Equal(t, "no ordered line is above its approval", listAbove(nil, nil))
	tenant := uuid.New()
	names := map[uuid.UUID]string{tenant: "Tea House"}
	line := purchase.Above{Tenant: tenant, OrderNo: "PO-7\x1b[2J", SKU: "TEA", Approved: decimal.New(100, 0), Ordered: decimal.New(305, 0),
		Columns: []string{"quantity_ordered"}}
	require.Equal(t, `ordered lines above their approval: 1. In parentheses is what an edit sends back for approval. `+
		`"PO-7\x1b[2J" of "Tea House", "TEA": 100 approved, 305 ordered (quantity_ordered)`, listAbove([]purchase.Above{line}, names))
	many := listAbove(make([]purchase.Above, mostAbove+3), names)
	require.Equal(t, mostAbove, strings.Count(many, " approved, "))
	require.True(t, strings.HasSuffix(many, "; and 3 more"))
}

// TestHistoryThatNobodyDrops checks that doctor fails because of old events only if there are some, and if they stay until
// somebody does something.
func TestHistoryThatNobodyDrops(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		history event.History
		fails   bool
	}{
		"nothing is due":                   {event.History{}, false},
		"it is dropped soon":               {event.History{Due: 3}, false},
		"what holds it passes":             {event.History{Due: 3, Held: "the clock jumped", Passes: true}, false},
		"nothing is due, and it is held":   {event.History{Held: "the clocks differ"}, false},
		"it is due, and somebody must act": {event.History{Due: 3, Held: "the clocks differ"}, true},
	} {
		err := history(tt.history, nil)
		require.Equal(t, tt.fails, err != nil, name)
		if tt.fails {
			require.EqualError(t, err, "3 days of old events are not dropped: the clocks differ")
		}
	}
	require.Error(t, history(event.History{}, errors.New("it cannot be read")))
}
