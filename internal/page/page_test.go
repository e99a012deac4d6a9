package page_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/page"
)

// TestCut reads one row more than a page has, to know whether another page follows.
func TestCut(t *testing.T) {
	t.Parallel()
	request := page.Request{Most: 3}
	require.EqualValues(t, 4, request.Limit())
	for rows, want := range map[int]struct {
		items int
		more  bool
	}{0: {0, false}, 2: {2, false}, 3: {3, false}, 4: {3, true}} {
		items, more := page.Cut(request, make([]string, rows))
		require.Len(t, items, want.items, "%d rows", rows)
		require.Equal(t, want.more, more, "%d rows", rows)
	}
	require.Equal(t, uuid.Max, request.Before(), "the newest first")
	request.After = uuid.New()
	require.Equal(t, request.After, request.Before())
	require.Positive(t, page.Request{Most: 1 << 40}.Limit())
}
