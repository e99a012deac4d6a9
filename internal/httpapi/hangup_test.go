package httpapi

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestHungUp(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	require.False(t, hungUp(t.Context()), "a connection that nobody knows")

	for _, tt := range []struct {
		name   string
		leave  func(*net.TCPConn) error
		hungUp bool
	}{
		{"a caller who waits", func(*net.TCPConn) error { return nil }, false},
		{"a caller who sends on", func(c *net.TCPConn) error { _, err := c.Write([]byte("GET")); return err }, false},
		{"a caller who closed", func(c *net.TCPConn) error { return c.Close() }, true},
		{"a caller whose machine reset it", func(c *net.TCPConn) error { _ = c.SetLinger(0); return c.Close() }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			client, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", listener.Addr().String())
			require.NoError(t, err)
			defer func() { _ = client.Close() }()
			conn, err := listener.Accept()
			require.NoError(t, err)
			defer func() { _ = conn.Close() }()
			tcp, ok := client.(*net.TCPConn)
			require.True(t, ok)
			require.NoError(t, tt.leave(tcp))
			ctx := ConnContext(t.Context(), conn)
			if !tt.hungUp {
				require.False(t, hungUp(ctx))
				return
			}
			require.Eventually(t, func() bool { return hungUp(ctx) }, 2*time.Minute, time.Millisecond)
		})
	}
}
