package servers

import (
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
)

// RabbitMQ is a separate node without plugins, with its own Erlang port mapper.
var RabbitMQ = Kind{
	Name: "rabbitmq", Product: "RabbitMQ", Package: "rabbitmq-server", ports: 3,
	end: syscall.SIGTERM,
	find: func(k Kind) ([]string, error) {
		// the script in Debian's PATH requires a certain user and its directories
		server, err := k.program("rabbitmq-server", "/usr/lib/rabbitmq/bin")
		if err != nil {
			return nil, err
		}
		mapper, err := k.program("epmd")
		return []string{server, mapper}, err
	},
	commands: runRabbitMQ, answers: rabbitMQAnswers,
	address: func(s *Server) string {
		return "amqp://poolbench:" + s.password + "@" + s.host() + "/"
	},
}

func runRabbitMQ(s *Server) ([]command, error) {
	config := fmt.Sprintf("listeners.tcp.1 = %s\ndefault_user = poolbench\ndefault_pass = %s\n",
		s.host(), s.password)
	for name, text := range map[string]string{
		"rabbitmq.conf":     config + s.configuration(" = "),
		"enabled_plugins":   "[].\n",
		"rabbitmq-env.conf": "",
	} {
		if err := os.WriteFile(s.path(name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	return []command{
		{path: s.programs[1], env: s.erlang(),
			args: []string{"-port", fmt.Sprint(s.ports[2]), "-address", "127.0.0.1"}},
		// -noinput prevents input from a console. The variable makes the script exec the node, so
		// that signals reach it.
		{path: s.programs[0], env: s.erlang(), args: []string{"-noinput"}},
	}, nil
}

func (s *Server) erlang() []string {
	return []string{
		"RABBITMQ_NODENAME=poolbench@localhost", // the files depend on the name
		"RABBITMQ_ALLOW_INPUT=1",
		fmt.Sprint("RABBITMQ_DIST_PORT=", s.ports[1]),
		fmt.Sprint("ERL_EPMD_PORT=", s.ports[2]),
		"ERL_EPMD_ADDRESS=127.0.0.1",
		"RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=-kernel inet_dist_use_interface {127,0,0,1}",
		"RABBITMQ_CONF_ENV_FILE=" + s.path("rabbitmq-env.conf"),
		"RABBITMQ_CONFIG_FILE=" + s.path("rabbitmq.conf"),
		"RABBITMQ_ENABLED_PLUGINS_FILE=" + s.path("enabled_plugins"),
		"RABBITMQ_MNESIA_BASE=" + s.path("mnesia"),
		"RABBITMQ_GENERATED_CONFIG_DIR=" + s.path("config"),
		"RABBITMQ_LOG_BASE=" + s.path("logs"),
		"RABBITMQ_LOGS=-",
		"RABBITMQ_PID_FILE=" + s.path("pid"),
	}
}

// RabbitMQ listens only at the end of its start.
func rabbitMQAnswers(s *Server, c net.Conn) error {
	const method = "\x01"
	return expectReply(c, "AMQP\x00\x00\x09\x01", method,
		errors.New("it does not speak AMQP 0-9-1"))
}
