package options

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
)

// CheckAddress rejects addresses other than loopback unless any is set.
func CheckAddress(addr string, any bool) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("want HOST:PORT, got %q", addr)
	}
	if any || host == "localhost" {
		return nil
	}
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err != nil || !ip.IsLoopback() {
		return fmt.Errorf("%q is not a loopback address: --any-address allows it", host)
	}
	return nil
}
