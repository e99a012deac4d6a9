package procure_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/procure"
)

// TestImplausibleDates takes dates that cannot be true for none: what was ordered is still on order, and what came is in stock.
func TestImplausibleDates(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.open()
	st.line("L1", "TEA", "ordered", 96, map[string]any{"ordered_at": nil, "expected_arrival_date": nil})
	st.follow()
	want := st.row("TEA")
	require.Equal(t, procure.ActionExpedite, want.Action)
	require.Zero(t, want.Suggested)
	require.Zero(t, want.Gaps)

	for _, dates := range [][2]any{
		{"1900-01-01T00:00:00Z", nil}, {"9999-12-31T00:00:00Z", nil}, {today.AddDate(0, 0, 2), nil}, {nil, "1900-01-01"}, {nil, "9999-12-31"},
		{"1900-01-01T00:00:00Z", "9999-12-31"}, {nil, today.AddDate(0, 0, 3651).Format(time.DateOnly)},
	} {
		st.line("L1", "TEA", "ordered", 96, map[string]any{"ordered_at": dates[0], "expected_arrival_date": dates[1]})
		st.follow()
		row := st.row("TEA")
		require.Equal(t, procure.Gaps{Dates: 1}, row.Gaps, dates)
		require.Equal(t, procure.Text(want.Reason), procure.Text(row.Reason), dates)
		require.Equal(t, [4]any{want.Action, want.Suggested, want.OnOrder, want.Overdue}, [4]any{row.Action, row.Suggested, row.OnOrder, row.Overdue}, dates)
	}
	for _, dates := range [][2]any{
		{"2000-01-01T00:00:00Z", nil}, {today.AddDate(0, 0, 1), nil}, {nil, "2000-01-01"}, {nil, today.AddDate(0, 0, 3650).Format(time.DateOnly)},
	} {
		st.line("L1", "TEA", "ordered", 96, map[string]any{"ordered_at": dates[0], "expected_arrival_date": dates[1]})
		st.follow()
		require.Zero(t, st.row("TEA").Gaps, dates)
	}

	for i, at := range []any{"1900-01-01T00:00:00Z", "9999-12-31T00:00:00Z"} {
		st.line("L1", "TEA", "partially_received", 960, map[string]any{"ordered_at": nil, "expected_arrival_date": nil, "quantity_received": 96 * (i + 1), "received_at": at})
		st.follow()
		require.EqualValues(t, 5+96*(i+1), *st.row("TEA").Available, at)
	}
}
