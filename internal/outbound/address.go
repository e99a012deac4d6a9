package outbound

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"

	"github.com/quayside/quayside/internal/fault"
)

// closed lists the networks that are not part of the public internet, and what they are called. The
// first one that contains an address counts.
var closed = []struct {
	network netip.Prefix
	words   string
}{
	{netip.MustParsePrefix("169.254.169.254/32"), "the metadata service of a cloud"},
	{netip.MustParsePrefix("100.100.100.200/32"), "the metadata service of a cloud"},
	{netip.MustParsePrefix("168.63.129.16/32"), "the metadata service of a cloud"}, // in a public range
	{netip.MustParsePrefix("192.0.0.192/32"), "the metadata service of a cloud"},
	{netip.MustParsePrefix("fd00:ec2::254/128"), "the metadata service of a cloud"},
	{netip.MustParsePrefix("fd20:ce::254/128"), "the metadata service of a cloud"},
	{netip.MustParsePrefix("0.0.0.0/8"), "no address of a host"},
	{netip.MustParsePrefix("127.0.0.0/8"), "the service's own machine"},
	{netip.MustParsePrefix("10.0.0.0/8"), "in a private network"},
	{netip.MustParsePrefix("172.16.0.0/12"), "in a private network"},
	{netip.MustParsePrefix("192.168.0.0/16"), "in a private network"},
	{netip.MustParsePrefix("100.64.0.0/10"), "in a provider's internal network"},
	{netip.MustParsePrefix("169.254.0.0/16"), "link-local"},
	{netip.MustParsePrefix("192.0.0.0/24"), "reserved"},
	{netip.MustParsePrefix("192.0.2.0/24"), "reserved for documentation"},
	{netip.MustParsePrefix("192.88.99.0/24"), "reserved"},
	{netip.MustParsePrefix("198.18.0.0/15"), "reserved for measurements"},
	{netip.MustParsePrefix("198.51.100.0/24"), "reserved for documentation"},
	{netip.MustParsePrefix("203.0.113.0/24"), "reserved for documentation"},
	{netip.MustParsePrefix("224.0.0.0/4"), "a multicast address"},
	{netip.MustParsePrefix("240.0.0.0/4"), "reserved"},
	{netip.MustParsePrefix("::/128"), "no address of a host"},
	{netip.MustParsePrefix("::1/128"), "the service's own machine"},
	{netip.MustParsePrefix("fc00::/7"), "in a private network"},
	{netip.MustParsePrefix("fe80::/10"), "link-local"},
	{netip.MustParsePrefix("ff00::/8"), "a multicast address"},
	{netip.MustParsePrefix("2001::/23"), "reserved"}, // Teredo tunnels among others
	{netip.MustParsePrefix("2001:db8::/32"), "reserved for documentation"},
	{netip.MustParsePrefix("3fff::/20"), "reserved for documentation"},
}

var (
	// public is the only part of IPv6 from which public addresses are assigned.
	public = netip.MustParsePrefix("2000::/3")
	// carriers are IPv6 addresses that lead to the IPv4 address which they contain, from the given
	// byte on.
	carriers = map[netip.Prefix]int{
		netip.MustParsePrefix("64:ff9b::/96"): 12, // NAT64
		netip.MustParsePrefix("2002::/16"):    2,  // 6to4
	}
)

// closedWords says what kind of address it is, or is empty for a public one.
func closedWords(addr netip.Addr) string {
	if addr.Zone() != "" {
		return "link-local"
	}
	addr = addr.Unmap() // ::ffff:10.0.0.5
	for carrier, from := range carriers {
		if carrier.Contains(addr) {
			bytes := addr.As16()
			inner, _ := netip.AddrFromSlice(bytes[from : from+4])
			return closedWords(inner)
		}
	}
	for _, one := range closed {
		if one.network.Contains(addr) {
			return one.words
		}
	}
	if addr.Is6() && !public.Contains(addr) {
		return "not a public address"
	}
	return ""
}

// allowed reports whether the operator allows the address although it may not be public: for the installation and, if
// the transport is narrowed, for the company too.
func (t *Transport) allowed(addr netip.Addr) bool {
	return contains(t.allow, addr) && (!t.narrowed || contains(t.only, addr))
}

func contains(networks []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(networks, func(network netip.Prefix) bool { return network.Contains(addr.Unmap()) })
}

// remedy says how an operator can allow an address.
func (t *Transport) remedy(addr netip.Addr) string {
	if t.narrowed && contains(t.allow, addr) {
		return "an operator can allow its network for your company by 'quayside tenant set --outbound-allow'"
	}
	return "an operator can allow its network in QUAYSIDE_OUTBOUND_ALLOW"
}

// judge refuses an address that must not be reached, or not in the clear.
func (t *Transport) judge(addr netip.Addr, secure bool) error {
	if t.allowed(addr) {
		return nil
	}
	if words := closedWords(addr); words != "" {
		return fault.New(fault.Invalid, "outbound_address",
			"the address %s is %s; %s", addr, words, t.remedy(addr))
	}
	if !secure {
		return fault.New(fault.Invalid, "outbound_plain",
			"the address %s is reached over https only; %s", addr, t.remedy(addr))
	}
	return nil
}

// control returns the check of every address that is about to be dialled. Names have been looked up by
// then, so a name that changes its meaning between a check and its use is not a way around it.
func (t *Transport) control(secure bool) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		dialled, err := netip.ParseAddrPort(address)
		if err != nil {
			return fault.New(fault.Invalid, "outbound_address", "%q is not an address", fault.Shorten(address))
		}
		return t.judge(dialled.Addr(), secure)
	}
}

// mostAddress is the length of the longest address that is accepted.
const mostAddress = 300

// Address returns the base address of another system in its normal form, without a slash at the end. It
// refuses what could never be called. A name is not looked up: every call checks what it means then.
func (t *Transport) Address(ctx context.Context, text string, networks Networks) (string, error) {
	found, err := t.find(ctx, networks)
	if err != nil {
		return "", err
	}
	return found.address(text)
}

// address is Address for the networks of this transport.
func (t *Transport) address(text string) (string, error) {
	refuse := func(format string, args ...any) (string, error) {
		return "", fault.InField("address", "outbound_address", format, args...)
	}
	text = strings.TrimRight(strings.TrimSpace(text), "/")
	parsed, err := url.Parse(text)
	switch {
	case len(text) > mostAddress:
		return refuse("an address has at most %d characters", mostAddress)
	case err != nil, parsed.Hostname() == "", parsed.Opaque != "", parsed.Scheme != "https" && parsed.Scheme != "http":
		return refuse("enter the whole address, such as https://api.example.com/v1")
	case parsed.User != nil:
		return refuse("an address contains no name and no password; the token has its own field")
	case parsed.RawQuery != "", parsed.ForceQuery, parsed.Fragment != "", strings.Contains(text, "#"):
		return refuse("enter the address without anything from ? or # on")
	case parsed.Scheme == "http" && (len(t.allow) == 0 || t.narrowed && len(t.only) == 0):
		return refuse("the address must begin with https://")
	}
	if literal, err := netip.ParseAddr(parsed.Hostname()); err == nil {
		if err := t.judge(literal, parsed.Scheme == "https"); err != nil {
			return refuse("%s", err)
		}
	}
	return parsed.String(), nil
}

// dialer returns a dialer that checks each address.
func (t *Transport) dialer(cfg Config, secure bool) *net.Dialer {
	return &net.Dialer{Timeout: cfg.Limits.Connect, Resolver: cfg.Resolver, Control: t.control(secure)}
}
