package servers

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
)

// A root process runs PostgreSQL, which refuses to run as root, as the user postgres. This user
// must exist and be able to enter the directory.
var Postgres = Kind{
	Name: "postgres", Product: "PostgreSQL", Package: "postgresql", ports: 1,
	end:  syscall.SIGINT, // unlike SIGTERM, it does not wait for clients
	find: findPostgres, prepare: preparePostgres, commands: runPostgres, answers: postgresAnswers,
	address: func(s *Server) string {
		return "postgres://" + postgresUser + ":" + s.password + "@" + s.host() +
			"/postgres?sslmode=disable"
	},
}

const (
	postgresUser    = "poolbench" // user of the database
	postgresAccount = "postgres"  // user of the system
)

// The server and initdb are in the same directory, so they have the same version.
func findPostgres(k Kind) ([]string, error) {
	server, err := k.program("postgres", "/usr/lib/postgresql/[0-9]*/bin", "/usr/pgsql-[0-9]*/bin")
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(server); err == nil {
		server = real
	}
	initdb := filepath.Join(filepath.Dir(server), "initdb"+filepath.Ext(server))
	if _, err := os.Stat(initdb); err != nil {
		return nil, k.missing("initdb")
	}
	return []string{server, initdb}, nil
}

func preparePostgres(ctx context.Context, s *Server) error {
	secret := s.path("initial_password")
	if err := os.WriteFile(secret, []byte(s.password), 0o600); err != nil {
		return err
	}
	for _, path := range []string{s.dir, secret} {
		if err := giveTo(postgresAccount, path); err != nil {
			return err
		}
	}
	err := s.run(ctx, command{path: s.programs[1], user: postgresAccount, args: []string{
		"--pgdata=" + s.path("data"), "--username=" + postgresUser, "--pwfile=" + secret,
		"--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync"}})
	if err != nil {
		return fmt.Errorf("%w (in %s)", err, s.dir)
	}
	return os.Remove(secret)
}

func runPostgres(s *Server) ([]command, error) {
	args := []string{"-D", s.path("data"), "-p", fmt.Sprint(s.ports[0]),
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="}
	for _, text := range s.settings {
		args = append(args, "-c", text)
	}
	return []command{{path: s.programs[0], args: args, user: postgresAccount}}, nil
}

// A server that is not ready refuses clients instead of requesting a password.
func postgresAnswers(s *Server, c net.Conn) error {
	body := "\x00\x03\x00\x00user\x00" + postgresUser + "\x00\x00" // version 3.0 of the protocol
	return expectReply(c, "\x00\x00\x00"+string(rune(len(body)+4))+body, "R", errNotReady)
}
