package retry_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/retry"
)

// TestPauses fails one piece of work until its pause is the longest, while another one works.
func TestPauses(t *testing.T) {
	t.Parallel()
	var pauses retry.Pauses[string]
	now := time.Date(2026, 7, 6, 14, 2, 0, 0, time.UTC)
	broken := errors.New("broken")
	for _, seconds := range []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300} {
		want := time.Duration(seconds) * time.Second
		require.True(t, pauses.Due("bad", now))
		pauses.Note("bad", broken, now)
		pauses.Note("good", nil, now)
		require.False(t, pauses.Due("bad", now.Add(want-1)))
		require.True(t, pauses.Due("good", now))
		now = now.Add(want)
	}
	pauses.Note("bad", nil, now)
	pauses.Note("bad", broken, now)
	require.True(t, pauses.Due("bad", now.Add(time.Second)), "a success ended the pauses")
}

// TestTry leaves work alone that has just failed.
func TestTry(t *testing.T) {
	t.Parallel()
	var pauses retry.Pauses[int]
	tries := 0
	fail := func() error { tries++; return errors.New("broken") }
	require.Error(t, pauses.Try(1, fail))
	require.NoError(t, pauses.Try(1, fail))
	require.Error(t, pauses.Try(2, fail))
	require.Equal(t, 2, tries)
}
