package exchange

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// TestQuietHour finds a time at night where the workspace is, spread by connection, and always in the future.
func TestQuietHour(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("America/Sao_Paulo")
	require.NoError(t, err)
	seen := map[time.Duration]bool{}
	for hour := range 24 * 40 {
		now := time.Date(2026, 3, 1, 0, 30, 0, 0, time.UTC).Add(time.Duration(hour) * time.Hour)
		at := quietHour(now, zone, uuid.New())
		require.True(t, at.After(now))
		require.LessOrEqual(t, at.Sub(now), 25*time.Hour)
		require.GreaterOrEqual(t, at.In(zone).Hour(), 1)
		require.Less(t, at.In(zone).Hour(), 5)
		seen[time.Duration(at.In(zone).Hour()*60+at.In(zone).Minute())] = true
	}
	require.Greater(t, len(seen), 100)
}

// TestPatience stops a comparison well before its claim ends.
func TestPatience(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ lease, want time.Duration }{
		{0, 45 * time.Second}, {time.Hour, 45 * time.Second}, {16 * time.Second, 6 * time.Second},
	} {
		service := New(nil, nil, nil, nil, nil, Config{Lease: tt.lease})
		require.Equal(t, tt.want, service.patience())
	}
}
