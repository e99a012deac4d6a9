package outbound_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/outbound"
)

const token = "canary-token-5f1e"

var here = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}

// short are limits that a test can wait for.
var short = outbound.Limits{
	Wait: time.Second, Connect: 5 * time.Second, Header: 300 * time.Millisecond, Whole: 600 * time.Millisecond,
	RequestBytes: 1 << 10, HeaderBytes: 8 << 10, AnswerBytes: 4 << 10,
}

// patient are short limits without a deadline that a busy machine could miss.
func patient() outbound.Limits {
	limits := short
	limits.Header, limits.Whole = 20*time.Second, 20*time.Second
	return limits
}

// pace is a budget in memory.
type pace struct {
	wait  time.Duration
	err   error
	taken atomic.Int64
	held  atomic.Int64 // nanoseconds
}

func (p *pace) Take(context.Context, time.Duration) (time.Duration, error) {
	p.taken.Add(1)
	return p.wait, p.err
}

func (p *pace) Hold(_ context.Context, pause time.Duration) { p.held.Store(int64(pause)) }

// names is a resolver that answers each look-up of an IPv4 address with the next of the answers, and the
// last one for ever.
func names(t *testing.T, answers ...string) *net.Resolver {
	t.Helper()
	server, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Close() })
	var asked atomic.Int64
	go func() {
		packet := make([]byte, 1500)
		for {
			n, from, err := server.ReadFrom(packet)
			if err != nil {
				return
			}
			end := 12 + strings.IndexByte(string(packet[12:n]), 0) + 5 // the name, the type and the class
			reply := append([]byte{}, packet[:end]...)
			copy(reply[2:], []byte{0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}) // no error, one question
			if binary.BigEndian.Uint16(packet[end-4:]) == 1 {           // A
				at := min(asked.Add(1), int64(len(answers))) - 1
				address := netip.MustParseAddr(answers[at]).As4()
				reply[7] = 1
				reply = append(reply, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
				reply = append(reply, address[:]...)
			}
			_, _ = server.WriteTo(reply, from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

// answer is what a caller gets.
type answer struct {
	status int
	body   string
}

// call makes a call with a secret in every place that has room for one.
func call(t *testing.T, transport *outbound.Transport, p outbound.Pace, method, address, body string) (answer, error) {
	t.Helper()
	t.Cleanup(transport.Close)
	req, err := http.NewRequestWithContext(t.Context(), method, address+"?q="+token, strings.NewReader(body+token))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := transport.Client(p, nil).Do(req)
	if err != nil {
		require.NotContains(t, err.Error(), token, "a secret in an error")
		return answer{}, err
	}
	content, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return answer{resp.StatusCode, string(content)}, resp.Body.Close()
}

// port returns the port of a server.
func port(server *httptest.Server) string {
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	return port
}
