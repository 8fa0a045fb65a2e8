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

// Conn is a connection to a server of NATS.
type Conn = nats.Conn

// connecting is how long a connection may take to be made.
const connecting = 5 * time.Second

// A lost connection is made again: the client tries every reconnecting, and takes a server that
// leaves two pings unanswered for lost. The defaults of NATS are 2 s and 2 min.
const (
	reconnecting = 250 * time.Millisecond
	pinging      = 5 * time.Second
)

// Connect connects to one of the servers at these addresses, which are divided by commas, or to the
// one that more names. What a server asks of its clients is in the environment, in the variables of
// NATS's own command, where no other user of the machine reads it: NATS_CREDS, NATS_USER,
// NATS_PASSWORD, NATS_TOKEN, NATS_NKEY, NATS_CA, NATS_CERT, NATS_KEY. An address with a user or a
// token in it needs none of them but, with tls, the last three. The error shows no user, no
// password and no token.
func Connect(addresses string, more ...nats.Option) (*nats.Conn, error) {
	options := append(fromEnvironment(addresses), nats.Name("poolbench"), nats.MaxReconnects(-1),
		nats.Timeout(connecting), nats.ReconnectWait(reconnecting), nats.PingInterval(pinging),
		// a server that is started again may lack its users for a moment
		nats.IgnoreAuthErrorAbort(),
		// the default writes to stderr
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	conn, err := nats.Connect(addresses, append(options, more...)...)
	if err != nil {
		return nil, &connectError{cmp.Or(Shown(addresses), "this process"),
			text.OneLine(strings.ReplaceAll(err.Error(), addresses, Shown(addresses))), away(err)}
	}
	return conn, nil
}

// A connectError says why there is no connection.
type connectError struct {
	at, why string
	away    bool // no server can be reached
}

func (e *connectError) Error() string { return fmt.Sprintf("NATS at %s: %s", e.at, e.why) }

// away reports whether no server can be reached: none listens, or the host has no address yet. A
// server that refuses this client is there.
func away(err error) bool {
	_, network := errors.AsType[*net.OpError](err)
	_, lookup := errors.AsType[*net.DNSError](err)
	return errors.Is(err, nats.ErrNoServers) || network || lookup
}

// Await is Connect that waits until a server can be reached, or ctx ends. It calls waiting once if
// it has to wait.
func Await(ctx context.Context, addresses string, waiting func(error)) (*nats.Conn, error) {
	for told := false; ; told = true {
		conn, err := Connect(addresses, nats.SetCustomDialer(dialer{ctx}))
		if ctx.Err() != nil {
			if conn != nil {
				conn.Close()
			}
			return nil, context.Cause(ctx)
		}
		if e, is := errors.AsType[*connectError](err); !is || !e.away {
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

// A dialer does not dial longer than its context lasts.
type dialer struct{ ctx context.Context }

// Dial implements nats.CustomDialer.
func (d dialer) Dial(network, address string) (net.Conn, error) {
	return (&net.Dialer{Timeout: connecting}).DialContext(d.ctx, network, address)
}

// Check says what is wrong with addresses, which it does not repeat: they may hold a password.
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

// Shown is the addresses as a reader may see them: protocol, host and port.
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

// fromEnvironment are the options that the environment asks for, of which those that the addresses
// settle do not count. Files that cannot be read show when the connection is made.
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
