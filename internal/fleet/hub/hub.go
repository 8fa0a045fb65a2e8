// Package hub connects to NATS servers, and embeds one in this process.
package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/poolbench/poolbench/internal/text"
)

type Conn = nats.Conn

const connecting = 5 * time.Second

// Two unanswered pings end a connection. The defaults of NATS are 2 s and 2 min.
const (
	reconnecting = 250 * time.Millisecond
	pinging      = 5 * time.Second
)

// Connect connects to one of the comma-separated addresses, or to the server given in more.
// Credentials come from the environment, which other users of the machine cannot read. If an
// address contains a user or token, only the variables for TLS are used. Errors contain no
// credentials.
func Connect(addresses string, more ...nats.Option) (*nats.Conn, error) {
	options := append(fromEnvironment(addresses), nats.Name("poolbench"), nats.MaxReconnects(-1),
		nats.Timeout(connecting), nats.ReconnectWait(reconnecting), nats.PingInterval(pinging),
		// A restarting server may briefly lack its users.
		nats.IgnoreAuthErrorAbort(),
		// The default handler writes to stderr.
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	conn, err := nats.Connect(addresses, append(options, more...)...)
	if err != nil {
		return nil, &connectError{cmp.Or(Shown(addresses), "this process"),
			text.OneLine(strings.ReplaceAll(err.Error(), addresses, Shown(addresses))), isUnreachable(err)}
	}
	return conn, nil
}

type connectError struct {
	at, why     string
	unreachable bool // whether no server is reachable
}

func (e *connectError) Error() string { return fmt.Sprintf("NATS at %s: %s", e.at, e.why) }

// A server that refuses this client is reachable. A host name that does not resolve is not.
func isUnreachable(err error) bool {
	_, network := errors.AsType[*net.OpError](err)
	_, lookup := errors.AsType[*net.DNSError](err)
	return errors.Is(err, nats.ErrNoServers) || network || lookup
}

// Await connects like Connect, but waits until a server is reachable or ctx ends. If it waits, it
// calls waiting once.
func Await(ctx context.Context, addresses string, waiting func(error)) (*nats.Conn, error) {
	for told := false; ; told = true {
		conn, err := Connect(addresses, nats.SetCustomDialer(dialer{ctx}))
		if ctx.Err() != nil {
			if conn != nil {
				conn.Close()
			}
			return nil, context.Cause(ctx)
		}
		if e, is := errors.AsType[*connectError](err); !is || !e.unreachable {
			return conn, err
		}
		if !told {
			waiting(err)
		}
		select {
		case <-time.After(reconnecting):
		case <-ctx.Done():
		}
	}
}

type dialer struct{ ctx context.Context }

func (d dialer) Dial(network, address string) (net.Conn, error) {
	return (&net.Dialer{Timeout: connecting}).DialContext(d.ctx, network, address)
}

// The error does not contain the addresses, because they may contain a password.
func Check(addresses string) error {
	for _, a := range strings.Split(addresses, ",") {
		u, err := url.Parse(strings.TrimSpace(a))
		if err != nil || u.Host == "" || !slices.Contains(schemes, u.Scheme) {
			return fmt.Errorf("want addresses such as nats://127.0.0.1:4222, with one of %s",
				strings.Join(schemes, ", "))
		}
	}
	return nil
}

var schemes = []string{"nats", "tls", "ws", "wss"}

func Shown(addresses string) string {
	var hosts []string
	for _, a := range strings.Split(addresses, ",") {
		scheme, rest, given := strings.Cut(strings.TrimSpace(a), "://")
		if !given {
			scheme, rest = "nats", scheme
		}
		host, _, _ := strings.Cut(rest[strings.LastIndex(rest, "@")+1:], "/")
		hosts = append(hosts, scheme+"://"+host)
	}
	return strings.Join(hosts, ",")
}

// An unreadable file causes an error of Connect.
func fromEnvironment(addresses string) (options []nats.Option) {
	known := strings.Contains(addresses, "@")
	encrypts := strings.Contains(addresses, "tls://") || strings.Contains(addresses, "wss://")
	of := func(name string) string {
		isTLS := name == "CA" || name == "CERT" || name == "KEY"
		if known && !(isTLS && encrypts) {
			return ""
		}
		return os.Getenv("NATS_" + name)
	}
	if file := of("CREDS"); file != "" {
		options = append(options, nats.UserCredentials(file))
	}
	if user := of("USER"); user != "" {
		options = append(options, nats.UserInfo(user, of("PASSWORD")))
	}
	if token := of("TOKEN"); token != "" {
		options = append(options, nats.Token(token))
	}
	if file := of("NKEY"); file != "" {
		option, err := nats.NkeyOptionFromSeed(file)
		if err != nil {
			option = func(*nats.Options) error { return fmt.Errorf("NATS_NKEY: %w", err) }
		}
		options = append(options, option)
	}
	if file := of("CA"); file != "" {
		options = append(options, nats.RootCAs(file))
	}
	if cert, key := of("CERT"), of("KEY"); cert != "" || key != "" {
		options = append(options, nats.ClientCert(cert, key))
	}
	return options
}
