package procure_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/procure"
	"github.com/quayside/quayside/internal/purchase"
)

// TestRestOn orders a part now and the rest on a day: the rest is held back until then, under the
// next key.
func TestRestOn(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.open()
	ctx := t.Context()
	tea := st.row("TEA")
	later := today.AddDate(0, 0, 20)
	draft := func(quantity *string, rest time.Time) ([]purchase.Line, error) {
		return st.queue.Draft(ctx, st.by(auth.Buyer), []procure.Pick{{Key: tea.Key, Quantity: quantity, RestOn: &rest}}, false)
	}
	for name, refused := range map[string]struct {
		quantity *string
		rest     time.Time
		code     string
	}{
		"as suggested": {nil, later, "no_rest"},
		"all of it":    {new(strconv.FormatFloat(tea.Suggested, 'f', -1, 64)), later, "no_rest"},
		"today":        {new("12"), today, "range"},
		"too late":     {new("12"), today.AddDate(1, 0, 0), "range"},
	} {
		_, err := draft(refused.quantity, refused.rest)
		require.True(t, fault.HasCode(err, refused.code), "%s: %v", name, err)
	}
	lines, err := draft(new("12"), later)
	require.NoError(t, err)
	require.Equal(t, procure.GroupDrafted, st.row("TEA").Group)
	lines, err = st.lines.Submit(ctx, st.by(auth.Buyer), []purchase.Ref{{ID: lines[0].ID, Version: lines[0].Version}})
	require.NoError(t, err)
	_, err = st.lines.Approve(ctx, st.by(auth.Approver), []purchase.Ref{{ID: lines[0].ID, Version: lines[0].Version}})
	require.NoError(t, err)
	st.follow()
	rest := st.row("TEA")
	require.NotEqual(t, tea.Key, rest.Key)
	require.Equal(t, procure.GroupPutOff, rest.Group)
	require.Equal(t, later, *rest.PutOffUntil)
	require.Positive(t, rest.Suggested)
}
