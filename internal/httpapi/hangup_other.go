//go:build !unix

package httpapi

import "net"

// closedByPeer cannot tell here.
func closedByPeer(net.Conn) bool { return false }
