//go:build unix

package httpapi

import (
	"errors"
	"net"
	"syscall"
)

// closedByPeer peeks at the connection's next byte without consuming it or waiting for one.
func closedByPeer(conn net.Conn) (closed bool) {
	sysConn, ok := conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := sysConn.SyscallConn()
	if err != nil {
		return false
	}
	// Control, not Read: net/http is already reading, to notice the same.
	_ = raw.Control(func(fd uintptr) {
		var next [1]byte
		n, _, err := syscall.Recvfrom(int(fd), next[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		closed = err == nil && n == 0 || errors.Is(err, syscall.ECONNRESET)
	})
	return closed
}
