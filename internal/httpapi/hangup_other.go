//go:build !unix

package httpapi

import "net"

// closedByPeer cannot tell on this platform.
func closedByPeer(net.Conn) bool { return false }
