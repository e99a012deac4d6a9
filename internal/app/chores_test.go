package app

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestChoresThatSendAreKnown checks that there is a chore of each name that does not run while a database holds what it
// sends: a chore with another name would send.
func TestChoresThatSendAreKnown(t *testing.T) {
	t.Parallel()
	a, err := New(t.Context(), Config{
		DatabaseURL: "postgres://quayside@127.0.0.1:1/quayside", Lanes: 1, MaxQueued: 1, MaxQueuedBytes: 1, MaxWait: time.Second,
		MaxBodyBytes: 1, SpoolMaxBytes: 1 << 20,
	}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(a.Cells.Close)
	var names []string
	for _, c := range append(a.ownChores(), a.leaderChores()...) {
		names = append(names, c.name)
	}
	require.Subset(t, names, leaves)
}
