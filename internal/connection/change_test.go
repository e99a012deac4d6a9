package connection

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHost: a token that was stored for one address goes to no other, and to none in the clear.
func TestHost(t *testing.T) {
	t.Parallel()
	const address = "https://stock.example/v1"
	for other, same := range map[string]bool{
		"https://stock.example/v2": true, "HTTPS://Stock.Example": true,
		"http://stock.example/v1": false, "https://stock.example:8443/v1": false, "https://stock.example.org/v1": false, "https://example/v1": false,
	} {
		require.Equal(t, same, host(address) == host(other), other)
	}
}
