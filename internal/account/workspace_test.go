package account

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
)

// TestWeekStart: a week starts on one of seven days, which a change that does not name one keeps.
func TestWeekStart(t *testing.T) {
	t.Parallel()
	w := Workspace{WeekStart: 1}
	for i, day := range weekdays[1:] {
		require.NoError(t, w.apply(WorkspaceChange{WeekStart: &day}))
		require.EqualValues(t, i+1, w.WeekStart)
		require.Equal(t, day, w.WeekStartDay())
	}
	require.NoError(t, w.apply(WorkspaceChange{}))
	require.Equal(t, "sunday", w.WeekStartDay())
	for _, wrong := range []string{"", "Monday", "someday", "1", "8"} {
		var refused *fault.Error
		require.ErrorAs(t, w.apply(WorkspaceChange{WeekStart: &wrong}), &refused, wrong)
		require.Equal(t, "week_start", refused.Fields[0].Field)
		require.Equal(t, "sunday", w.WeekStartDay())
	}
}
