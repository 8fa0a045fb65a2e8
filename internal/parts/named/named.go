// Package named has the servers that a user names by an environment variable. It is light: what
// declares flags for them links no client.
package named

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/poolbench/poolbench/internal/text/prose"
)

// A Server is a kind of server that strategies need, and the environment variable that names one of
// the user's. It is named there and nowhere else: what is a parameter stands in the names of
// results, and this may hold a password.
type Server struct {
	Name     string // as in --server
	Product  string
	Variable string
	Example  string
}

// The servers that durable strategies need, or can use.
var (
	NATS     = Server{"nats", "NATS", "POOLBENCH_NATS", "nats://127.0.0.1:4222"}
	Postgres = Server{"postgres", "PostgreSQL", "POOLBENCH_POSTGRES",
		"postgres://user@127.0.0.1:5432/database"}
	Redis    = Server{"redis", "Redis", "POOLBENCH_REDIS", "redis://127.0.0.1:6379/0"}
	RabbitMQ = Server{"rabbitmq", "RabbitMQ", "POOLBENCH_RABBITMQ",
		"amqp://guest@127.0.0.1:5672/"}
)

// DSN is the environment variable that names the PostgreSQL database of sql_query, and it alone
// does: what is a parameter stands in the names of results, and this may hold a password.
const DSN = "POOLBENCH_DSN"

// Servers are all of them.
func Servers() []Server { return []Server{NATS, Postgres, Redis, RabbitMQ} }

// Ready says how to name one, unless one is named.
func (s Server) Ready() error {
	if s.Address() != "" {
		return nil
	}
	return fmt.Errorf("needs %s: name one by --server %s=%s or %s", s.Product, s.Name, s.Example,
		s.Variable)
}

// Address is what the environment says.
func (s Server) Address() string { return os.Getenv(s.Variable) }

// Tell makes an error of a client fit to be shown: in one line, and without the address and the
// password in it. The errors that err wraps are not kept: they may hold both.
func (s Server) Tell(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(s.Product + ": " + prose.Discreet(err.Error(), secrets(s.Address())...))
}

// secrets are the parts of an address that are not shown: all of it, its user information, its
// password and its host.
func secrets(address string) []string {
	parts := []string{address}
	if u, err := url.Parse(address); err == nil {
		if u.User != nil {
			password, _ := u.User.Password()
			parts = append(parts, u.User.String(), password)
		}
		parts = append(parts, u.Host, u.Hostname())
	}
	for _, field := range strings.Fields(address) { // key=value, as PostgreSQL takes it too
		switch key, value, _ := strings.Cut(field, "="); key {
		case "password", "host", "hostaddr":
			parts = append(parts, strings.Trim(value, "'"))
		}
	}
	return parts
}
