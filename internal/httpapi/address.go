package httpapi

import (
	"net/http"
	"net/netip"
	"strings"
)

// clientAddr returns the caller's address: the peer's or, if the peer is a trusted proxy, the
// last address in X-Forwarded-For that is not a trusted proxy. Anybody could have written the
// addresses before it.
func (s *Server) clientAddr(r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.IPv4Unspecified()
	}
	client := peer.Addr().Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && s.trusts(client); i-- {
		hop := strings.TrimSpace(hops[i])
		addr, err := netip.ParseAddr(hop)
		if withPort, portErr := netip.ParseAddrPort(hop); portErr == nil {
			addr, err = withPort.Addr(), nil // some proxies add the port
		}
		if err != nil {
			break
		}
		client = addr.Unmap()
	}
	return client
}

func (s *Server) trusts(addr netip.Addr) bool {
	for _, prefix := range s.Proxies {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}
