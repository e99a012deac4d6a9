//race:detect the service's loops share the gate and its troubles
package app

import (
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGate takes in more connections than there is room for, in every state.
func TestGate(t *testing.T) {
	t.Parallel()
	g := newGate(2, 1)
	conn := func() net.Conn {
		here, there := net.Pipe()
		t.Cleanup(func() { _ = here.Close(); _ = there.Close() })
		return here
	}
	spare := func(c net.Conn) bool { return g.guests[c].room == &g.spares }
	one, two, three, four, five := conn(), conn(), conn(), conn(), conn()
	require.Nil(t, g.admit(one))
	require.Nil(t, g.admit(two))
	g.changed(one, http.StateActive)
	g.changed(one, http.StateIdle) // it has waited for less long than two
	require.Equal(t, two, g.admit(three), "the longest waiting one makes room")
	g.changed(two, http.StateClosed) // the server's word comes later
	g.changed(one, http.StateActive)
	g.changed(three, http.StateActive)
	require.Nil(t, g.admit(four))
	require.True(t, spare(four), "requests are under way on all others")
	require.Equal(t, four, g.admit(five), "a spare one that waits makes room for another")
	g.changed(five, http.StateActive)
	six := conn()
	require.Equal(t, five, g.admit(six), "one that is being refused does not keep a probe out")
	bare := newGate(1, 0)
	require.Nil(t, bare.admit(two))
	bare.changed(two, http.StateActive)
	require.Equal(t, three, bare.admit(three), "there is no room at all")
	g.changed(one, http.StateClosed)
	seven := conn()
	require.Nil(t, g.admit(seven))
	require.False(t, spare(seven))
	for _, c := range []net.Conn{three, six, seven} {
		g.changed(c, http.StateClosed)
	}
	require.Zero(t, g.open())
	require.Zero(t, g.main.taken+g.spares.taken+g.main.waiting.Len()+g.spares.waiting.Len())
}

// TestConnsAllowed: what callers get leaves the service what it needs.
func TestConnsAllowed(t *testing.T) {
	t.Parallel()
	require.Equal(t, 256-20-96, connsAllowed(256, 20))
	require.Equal(t, 16, connsAllowed(64, 20))
	require.Less(t, connsAllowed(1<<63, 20), mostConns)
}
