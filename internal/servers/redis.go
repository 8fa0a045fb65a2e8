package servers

import (
	"fmt"
	"net"
	"os"
	"syscall"
)

// Redis syncs its file once a second unless the setting appendfsync=always is given.
var Redis = Kind{
	Name: "redis", Product: "Redis", Package: "redis-server", ports: 1, end: syscall.SIGTERM,
	find: func(k Kind) ([]string, error) {
		server, err := k.program("redis-server")
		return []string{server}, err
	},
	commands: runRedis, answers: redisAnswers,
	address: func(s *Server) string { return "redis://:" + s.password + "@" + s.host() + "/0" },
}

func runRedis(s *Server) ([]command, error) {
	// All users of the machine can read arguments, so the password is not an argument.
	config := fmt.Sprintf("bind 127.0.0.1\nport %d\ndir %q\nrequirepass %s\ndaemonize no\n"+
		"save \"\"\nappendonly yes\nappendfsync everysec\n", s.ports[0], s.dir, s.password)
	file := s.path("redis.conf")
	err := os.WriteFile(file, []byte(config+s.configuration(" ")), 0o600)
	return []command{{path: s.programs[0], args: []string{file}}}, err
}

// Redis refuses a ping while it loads its file.
func redisAnswers(s *Server, c net.Conn) error {
	return expectReply(c, "AUTH "+s.password+"\r\nPING\r\n", "+OK\r\n+PONG\r\n", errNotReady)
}
