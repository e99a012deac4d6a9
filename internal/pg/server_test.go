package pg

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSyncNames: every form of synchronous_standby_names, and how many of its standbys are missing.
func TestSyncNames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		value     string
		connected []string
		missing   int
	}{
		{"a", nil, 1},
		{"a", []string{"b"}, 1},
		{"a", []string{"b", "A"}, 0},
		{"a, b", []string{"b"}, 0},
		{"*", nil, 1},
		{"*", []string{"walreceiver"}, 0},
		{"2 (a, b, c)", []string{"a"}, 1},
		{"FIRST 2 (a, b, c)", []string{"a", "c"}, 0},
		{"any 3 (a, b, c)", []string{"c"}, 2},
		{`FIRST 1 ("s (1), x", "a""b")`, []string{"s (1), x"}, 0},
		{`FIRST 1 ("s (1), x", "a""b")`, []string{`a"b`}, 0},
		{`FIRST 1 ("s (1), x", "a""b")`, []string{"s"}, 1},
		{"ANY 2 (*)", []string{"a", "b"}, 0},
	} {
		require.Equal(t, tt.missing, parseSyncNames(tt.value).missing(tt.connected), "%s with %v", tt.value, tt.connected)
	}
}
