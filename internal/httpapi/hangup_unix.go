//go:build unix

package httpapi

import (
	"errors"
	"net"
	"syscall"
)

// closedByPeer looks at the connection's next byte without taking it, and without
// waiting for one.
func closedByPeer(conn net.Conn) (closed bool) {
	sysConn, ok := conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := sysConn.SyscallConn()
	if err != nil {
		return false
	}
	// Control, not Read: net/http is reading already, to notice what this looks for.
	_ = raw.Control(func(fd uintptr) {
		var next [1]byte
		n, _, err := syscall.Recvfrom(int(fd), next[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		closed = err == nil && n == 0 || errors.Is(err, syscall.ECONNRESET)
	})
	return closed
}
