package attack_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/bench/attack"
)

// Connections must use all addresses of a host in turn and skip failing ones. After a head start,
// the other address family is tried.
func TestNames(t *testing.T) {
	const host = "shop.example:80"
	for name, c := range map[string]struct {
		ttl     time.Duration
		all     string
		down    string // addresses that refuse connections
		silent  string // addresses that do not answer
		want    string // addresses of five connections, one per minute
		lookups int
		took    time.Duration // time to the first connection
	}{
		"in turn":            {time.Hour, "10.0.0.1 10.0.0.2", "", "", "1 2 1 2 1", 1, 0},
		"each time anew":     {0, "10.0.0.1 10.0.0.2", "", "", "1 2 1 2 1", 5, 0},
		"every two minutes":  {2 * time.Minute, "10.0.0.1", "", "", "1 1 1 1 1", 3, 0},
		"one is down":        {time.Hour, "10.0.0.1 10.0.0.2 10.0.0.3", "10.0.0.2", "", "1 3 3 1 3", 1, 0},
		"all are down":       {time.Hour, "10.0.0.1 10.0.0.2", "10.0.0.1 10.0.0.2", "", "- - - - -", 1, 0},
		"one is silent":      {time.Hour, "10.0.0.1 10.0.0.2", "", "10.0.0.1", "2 2 2 2 2", 1, 5 * time.Second},
		"the first family":   {time.Hour, "fd::6 10.0.0.1 10.0.0.2", "", "", "6 6 6 6 6", 1, 0},
		"it is down":         {time.Hour, "fd::6 10.0.0.1 10.0.0.2", "fd::6", "", "1 1 1 1 1", 1, 0},
		"it is silent":       {time.Hour, "fd::6 10.0.0.1", "", "fd::6", "1 1 1 1 1", 1, 300 * time.Millisecond},
		"there is none":      {time.Hour, "", "", "", "- - - - -", 5, 0},
		"all families fail":  {time.Hour, "fd::6 10.0.0.1", "fd::6 10.0.0.1", "", "- - - - -", 1, 0},
		"IPv4 as IPv6 is v4": {time.Hour, "::ffff:10.0.0.1 10.0.0.2", "", "", "1 2 1 2 1", 1, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			lookups, opened := 0, 0
			var at string
			connect := attack.Connecting(c.ttl,
				func(_ context.Context, of string) (all []netip.Addr, err error) {
					lookups++
					if of != "shop.example" {
						t.Errorf("looked up is %s", of)
					}
					for a := range strings.FieldsSeq(c.all) {
						all = append(all, netip.MustParseAddr(a))
					}
					return all, nil
				},
				func(ctx context.Context, _, address string) (net.Conn, error) {
					ip, port, _ := net.SplitHostPort(address)
					if port != "80" {
						t.Errorf("connected to %s", address)
					}
					if slices.Contains(strings.Fields(c.down), ip) {
						return nil, errors.New("refused")
					}
					if slices.Contains(strings.Fields(c.silent), ip) {
						<-ctx.Done()
						return nil, ctx.Err()
					}
					opened++
					at = ip[len(ip)-1:]
					return &piped{}, nil
				})
			var got []string
			for i := range 5 {
				begun := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				at = "-"
				conn, err := connect(ctx, "tcp", host)
				cancel()
				if (err != nil) != (conn == nil) || (err != nil) != (at == "-") {
					t.Errorf("%s: %v %v", name, conn, err)
				}
				if took := time.Since(begun); i == 0 && took != c.took {
					t.Errorf("%s: after %v, want %v", name, took, c.took)
				}
				got = append(got, at)
				time.Sleep(time.Minute)
			}
			if got := strings.Join(got, " "); got != c.want || lookups != c.lookups {
				t.Errorf("%s: %s with %d lookups, want %s with %d", name, got, lookups, c.want,
					c.lookups)
			}
		})
	}
}

type piped struct{ net.Conn }

func (*piped) Close() error { return nil }
