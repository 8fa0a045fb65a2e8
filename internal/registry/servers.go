package registry

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/lazyregexp"
	"github.com/poolbench/poolbench/internal/text"
)

// A Server is a kind of server that strategies need. Only its environment variable contains the
// user's address, which may contain a password. Parameters would appear in names of results.
type Server struct {
	Name     string // name for --server
	Product  string
	Variable string
	Example  string
	Schemes  []string // schemes of its addresses; the first is the default
}

var (
	NATS = Server{"nats", "NATS", "POOLBENCH_NATS", "nats://127.0.0.1:4222",
		[]string{"nats", "tls", "ws", "wss"}}
	Postgres = Server{"postgres", "PostgreSQL", "POOLBENCH_POSTGRES",
		"postgres://user@127.0.0.1:5432/database", []string{"postgres", "postgresql"}}
	Redis = Server{"redis", "Redis", "POOLBENCH_REDIS", "redis://127.0.0.1:6379/0",
		[]string{"redis", "rediss", "unix"}}
	RabbitMQ = Server{"rabbitmq", "RabbitMQ", "POOLBENCH_RABBITMQ",
		"amqp://guest@127.0.0.1:5672/", []string{"amqp", "amqps"}}
)

// DSN names the PostgreSQL database of sql_query.
const DSN = "POOLBENCH_DSN"

func Servers() []Server { return []Server{NATS, Postgres, Redis, RabbitMQ} }

// Ready returns an error with instructions unless a valid address is set.
func (s Server) Ready() error {
	if address := s.Address(); address != "" {
		if err := s.Check(address); err != nil {
			return fmt.Errorf("%s: %w", s.Variable, err)
		}
		return nil
	}
	return fmt.Errorf("needs %s: name one by --server %s=%s or %s", s.Product, s.Name, s.Example,
		s.Variable)
}

func (s Server) Address() string { return s.WithScheme(os.Getenv(s.Variable)) }

var hostPort = lazyregexp.New(`^([\w.-]+|\[[0-9a-fA-F:.]+\]):\d+(/\S*)?$`)

// Whole adds the scheme if the address lacks one.
func (s Server) WithScheme(address string) string {
	if hostPort.MatchString(address) {
		return s.Schemes[0] + "://" + address
	}
	return address
}

// The error does not contain the address.
func (s Server) Check(address string) error {
	all := []string{address}
	if s.Name == NATS.Name {
		all = strings.Split(address, ",")
	}
	for _, one := range all {
		scheme, rest, ok := strings.Cut(s.WithScheme(strings.TrimSpace(one)), "://")
		switch {
		case s.Name == Postgres.Name && !ok && strings.Contains(one, "="): // host=… user=…
		case !ok || rest == "" || !slices.Contains(s.Schemes, scheme):
			return fmt.Errorf("%s: want an address such as %s, or HOST:PORT", s.Name, s.Example)
		}
	}
	return nil
}

// PublicError converts a client's error to one that may be shown, in one line and without secrets.
// It does not wrap err, which may contain the password.
func (s Server) PublicError(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(s.Product + ": " + text.Discreet(err.Error(), secrets(s.Address())...))
}

// secrets returns the user information and passwords of all addresses, and an unparsable address as
// a whole. Host and port may be shown.
func secrets(addresses string) (parts []string) {
	for _, address := range append(strings.Split(addresses, ","), addresses) {
		u, err := url.Parse(strings.TrimSpace(address))
		if err != nil {
			parts = append(parts, addresses, address)
			continue
		}
		if u.User != nil {
			password, _ := u.User.Password()
			parts = append(parts, u.User.String(), password)
		}
		for name, values := range u.Query() {
			if strings.Contains(name, "pass") {
				parts = append(parts, values...)
			}
		}
	}
	for _, field := range strings.Fields(addresses) { // key=value, which PostgreSQL also accepts
		if key, value, _ := strings.Cut(field, "="); strings.Contains(key, "pass") {
			parts = append(parts, strings.Trim(value, "'"))
		}
	}
	return parts
}
