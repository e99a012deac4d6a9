package outbound_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/outbound"
)

// refused holds addresses of every network that is not public, in all forms.
var refused = map[string][]string{
	"the service's own machine": {"127.0.0.1", "127.0.0.2", "127.255.255.255", "::1", "::ffff:127.0.0.1", "::ffff:7f00:1",
		"64:ff9b::127.0.0.1", "2002:7f00:1::"},
	"in a private network": {"10.0.0.5", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.168.255.255",
		"fc00::1", "fd12:3456::1", "::ffff:10.0.0.1", "64:ff9b::10.0.0.1", "2002:c0a8:1::1", "2002:a00:1::5"},
	"link-local": {"169.254.0.1", "169.254.255.255", "fe80::1", "febf::1", "fe80::1%eth0", "2001:4860::1%eth0",
		"64:ff9b::169.254.1.1"},
	"the metadata service of a cloud": {"169.254.169.254", "100.100.100.200", "168.63.129.16", "192.0.0.192",
		"fd00:ec2::254", "fd20:ce::254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::"},
	"no address of a host":             {"0.0.0.0", "0.1.2.3", "::", "::ffff:0.0.0.0", "64:ff9b::0.0.0.0"},
	"in a provider's internal network": {"100.64.0.1", "100.127.255.255", "::ffff:100.64.0.1"},
	"a multicast address":              {"224.0.0.1", "239.255.255.255", "ff02::1", "ff0e::1"},
	"reserved": {"192.0.0.8", "192.88.99.1", "240.0.0.1", "255.255.255.255", "2001::1", "2001:10::1",
		"::ffff:255.255.255.255"},
	"reserved for measurements":  {"198.18.0.1", "198.19.255.255"},
	"reserved for documentation": {"192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"},
	"not a public address": {"::127.0.0.1", "::10.0.0.1", "64:ff9b:1::10.0.0.1", "100::1", "5f00::1", "fec0::1",
		"4000::1", "::ffff:0:127.0.0.1"},
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	strict := outbound.New(outbound.Config{})
	for words, addresses := range refused {
		for _, address := range addresses {
			host, parsed := address, netip.MustParseAddr(address)
			if parsed.Is6() {
				host = "[" + strings.Replace(address, "%", "%25", 1) + "]"
			}
			_, err := strict.Address(t.Context(), "https://"+host+"/v1", nil)
			require.ErrorContains(t, err, "the address "+parsed.String()+" is "+words+";", address)
			_, err = call(t, strict, &pace{}, http.MethodGet, "https://"+host+"/v1", "")
			require.True(t, fault.HasCode(err, "outbound_address"), "%s: %v", address, err)
			require.ErrorContains(t, err, words, address)
			require.True(t, outbound.Unsent(err), address)
		}
	}
	for _, address := range []string{
		"1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0", "192.167.1.1",
		"[2606:4700::1111]", "[2a00:1450::1]", "[64:ff9b::1.1.1.1]", "[2002:101:101::1]", "[::ffff:1.1.1.1]",
	} {
		_, err := strict.Address(t.Context(), "https://"+address, nil)
		require.NoError(t, err, address)
		_, err = outbound.New(outbound.Config{Allow: here}).Address(t.Context(), "http://"+address, nil)
		require.ErrorContains(t, err, "over https only", address)
	}
}

func TestAddressAsEntered(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ entered, want, wantErr string }{
		{" https://api.example.com/v1/ ", "https://api.example.com/v1", ""},
		{"https://API.example.com:8443", "https://API.example.com:8443", ""},
		{"", "", "enter the whole address"},
		{"api.example.com/v1", "", "enter the whole address"},
		{"ftp://example.com", "", "enter the whole address"},
		{"file:///etc/passwd", "", "enter the whole address"},
		{"https://", "", "enter the whole address"},
		{"https://:443/", "", "enter the whole address"},
		{"https:example.com", "", "enter the whole address"},
		{"https://exa mple.com", "", "enter the whole address"},
		{"https://me:secret@example.com", "", "no password"},
		{"https://example.com/?key=1", "", "without anything from ? or # on"},
		{"https://example.com/#", "", "without anything from ? or # on"},
		{"http://example.com", "", "must begin with https://"},
		{"https://" + string(make([]byte, 300)), "", "at most 300"},
	} {
		got, err := outbound.New(outbound.Config{}).Address(t.Context(), tt.entered, nil)
		if tt.wantErr != "" {
			require.ErrorContains(t, err, tt.wantErr, tt.entered)
			continue
		}
		require.NoError(t, err, tt.entered)
		require.Equal(t, tt.want, got)
	}
	allowed := outbound.New(outbound.Config{Allow: here})
	got, err := allowed.Address(t.Context(), "http://127.0.0.1:4000/v1", nil)
	require.NoError(t, err)
	require.Equal(t, "http://127.0.0.1:4000/v1", got)
	_, err = allowed.Address(t.Context(), "http://inventory.example.com", nil)
	require.NoError(t, err, "what a name means is known when it is dialled")
}

// TestSpellings calls a listening machine by other spellings of its address, with a resolver that takes
// each of them for a name of this machine, as some resolvers do.
func TestSpellings(t *testing.T) {
	t.Parallel()
	var reached atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(server.Close)
	transport := outbound.New(outbound.Config{Resolver: names(t, "127.0.0.1")})
	for _, host := range []string{
		"localhost", "LOCALHOST", "localhost.", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001", "127.1",
		"127.0.1", "127.000.000.001", "0", "127.0.0.1.", "127.0.0.1.example.com", "①②⑦.0.0.1", "127。0。0。1", "%31%32%37.0.0.1",
		"[::1]", "[::ffff:127.0.0.1]", "[0:0:0:0:0:ffff:7f00:1]", "[::ffff:7f00:0001]", "[::127.0.0.1]", "[::]", "0.0.0.0",
		"127.0.0.1", "127.0.0.2", "a.example.com",
	} {
		for _, scheme := range []string{"http", "https"} {
			address := scheme + "://" + host + ":" + port(server) + "/"
			if _, err := url.Parse(address); err != nil {
				continue // not an address at all
			}
			_, err := call(t, transport, &pace{}, http.MethodGet, address, "")
			require.Error(t, err, host)
			require.True(t, outbound.Unsent(err), "%s: %v", host, err)
			require.True(t, fault.HasCode(err, "outbound_address") || fault.HasCode(err, "outbound_name"), "%s: %v", host, err)
		}
	}
	require.Zero(t, reached.Load())
}

// TestRebinding calls a name that means an allowed address at first, and then another one.
func TestRebinding(t *testing.T) {
	t.Parallel()
	var reached, inside atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reached.Add(1)
		w.Header().Set("Connection", "close")
	}))
	t.Cleanup(server.Close)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.2:"+port(server))
	require.NoError(t, err)
	internal := &http.Server{ReadHeaderTimeout: short.Whole, Handler: http.HandlerFunc(
		func(http.ResponseWriter, *http.Request) { inside.Add(1) })}
	go func() { _ = internal.Serve(listener) }()
	t.Cleanup(func() { _ = internal.Close() })

	transport := outbound.New(outbound.Config{Allow: here, Limits: patient(), Resolver: names(t, "127.0.0.1", "127.0.0.2")})
	address := "http://rebinding.example.com:" + port(server)
	normal, err := transport.Address(t.Context(), address, nil)
	require.NoError(t, err)
	got, err := call(t, transport, &pace{}, http.MethodGet, normal, "")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, got.status)
	_, err = call(t, transport, &pace{}, http.MethodGet, normal, "")
	require.ErrorContains(t, err, "the address 127.0.0.2 is the service's own machine")
	require.True(t, outbound.Unsent(err))
	require.EqualValues(t, 1, reached.Load())
	require.Zero(t, inside.Load())
}

// TestNarrowed narrows what a company may reach, while connections to it are open, and never widens what the installation
// allows.
func TestNarrowed(t *testing.T) {
	t.Parallel()
	var reached atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(server.Close)
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	elsewhere := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	for _, tt := range []struct {
		name        string
		allow, list []netip.Prefix
		says        string // empty: it is reached
	}{
		{"the installation's list", loopback, nil, ""},
		{"the same list", loopback, loopback, ""},
		{"a part of it", loopback, here, ""},
		{"more than it", here, loopback, ""},
		{"another network", loopback, elsewhere, "for your company by 'quayside tenant set --outbound-allow'"},
		{"none", loopback, []netip.Prefix{}, "for your company by 'quayside tenant set --outbound-allow'"},
		{"more than nothing", nil, loopback, "in QUAYSIDE_OUTBOUND_ALLOW"},
		{"more than another network", elsewhere, loopback, "in QUAYSIDE_OUTBOUND_ALLOW"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			transport := outbound.New(outbound.Config{Allow: tt.allow, Limits: patient()})
			t.Cleanup(transport.Close)
			err := do(t, transport.Client(&pace{}, listed(tt.list)), server.URL)
			_, entered := transport.Address(t.Context(), server.URL, listed(tt.list))
			if tt.says == "" {
				require.NoError(t, err)
				require.NoError(t, entered)
				return
			}
			require.ErrorContains(t, err, tt.says)
			require.True(t, fault.HasCode(err, "outbound_address"), err)
			require.True(t, outbound.Unsent(err))
			require.Error(t, entered)
		})
	}

	// A connection that is still open for one list is not used for another one, and the list of the call counts.
	transport := outbound.New(outbound.Config{Allow: loopback, Limits: patient()})
	t.Cleanup(transport.Close)
	now := loopback
	client := transport.Client(&pace{}, func(context.Context) ([]netip.Prefix, error) { return now, nil })
	for range 2 {
		for _, list := range [][]netip.Prefix{loopback, nil, here} {
			now = list
			err := do(t, client, server.URL)
			require.NoError(t, err)
		}
		before := reached.Load()
		now = []netip.Prefix{}
		err := do(t, client, server.URL)
		require.True(t, fault.HasCode(err, "outbound_address"), err)
		require.Equal(t, before, reached.Load())
	}
	unread := transport.Client(&pace{}, func(context.Context) ([]netip.Prefix, error) { return nil, errors.New("no database") })
	before := reached.Load()
	err := do(t, unread, server.URL)
	require.True(t, fault.HasCode(err, "outbound_networks"), err)
	require.True(t, outbound.Unsent(err))
	require.Equal(t, before, reached.Load())
}

func listed(list []netip.Prefix) outbound.Networks {
	return func(context.Context) ([]netip.Prefix, error) { return list, nil }
}

// do makes a call whose answer has no body.
func do(t *testing.T, client *outbound.Client, address string) error {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	require.NoError(t, err)
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
