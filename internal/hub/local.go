package hub

import (
	"crypto/rand"
	"errors"
	"net/url"
	"os"

	"github.com/nats-io/nats-server/v2/server"
)

// A Local server is embedded in this process for other processes, which know its Address: the token
// that it asks for is in it, so that nobody else gets in.
type Local struct {
	Address string
	server  *server.Server
	dir     string
}

// StartLocal starts one for processes of this machine that get its Address from this one.
func StartLocal() (*Local, error) { return StartAt("127.0.0.1:0", rand.Text()) }

// StartAt starts one that listens at host:port, with its streams in a temporary directory. A token
// of "" lets everybody in.
func StartAt(listen, token string) (*Local, error) {
	dir, err := os.MkdirTemp("", "poolbench-nats-")
	if err != nil {
		return nil, err
	}
	l := &Local{dir: dir}
	if l.server, err = (Embedded{Dir: dir, Listen: listen, Token: token}).Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	at, err := url.Parse(l.server.ClientURL())
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	if token != "" {
		at.User = url.User(token)
	}
	l.Address = at.String()
	return l, nil
}

// Close ends it.
func (l *Local) Close() error {
	l.server.Shutdown()
	l.server.WaitForShutdown()
	return os.RemoveAll(l.dir)
}
