package sales

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRest checks that a backlog waits for those who write, and only for them.
func TestRest(t *testing.T) {
	t.Parallel()
	require.Equal(t, 800*time.Millisecond, rest(200*time.Millisecond, true))
	require.Equal(t, longestRest, rest(time.Minute, true), "a slow round is not followed by minutes of nothing")
	require.Zero(t, rest(time.Second, false), "nobody writes")
}
