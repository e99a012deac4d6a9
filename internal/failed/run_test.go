package failed

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAllDone: a bulk retry passes over nothing that somebody else is retrying at the moment.
func TestAllDone(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		done []bool
		want int
	}{{nil, 0}, {[]bool{true, true}, 2}, {[]bool{true, false, true}, 1}, {[]bool{false, true}, 0}} {
		require.Equal(t, tt.want, allDone(tt.done), "%v", tt.done)
	}
}
