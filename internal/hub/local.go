package hub

import (
	"crypto/rand"
	"errors"
	"net/url"
	"os"

	"github.com/nats-io/nats-server/v2/server"
)

// A Local server is embedded in this process, for other processes of this machine that know its
// Address: a token is in it, so that nobody else gets in.
type Local struct {
	Address string
	server  *server.Server
	dir     string
}

// StartLocal starts one, with its streams in a temporary directory.
func StartLocal() (*Local, error) {
	dir, err := os.MkdirTemp("", "poolbench-nats-")
	if err != nil {
		return nil, err
	}
	l := &Local{dir: dir}
	token := rand.Text()
	if l.server, err = (Embedded{Dir: dir, Token: token}).Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	at, err := url.Parse(l.server.ClientURL())
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	at.User = url.User(token)
	l.Address = at.String()
	return l, nil
}

// Close ends it.
func (l *Local) Close() error {
	l.server.Shutdown()
	l.server.WaitForShutdown()
	return os.RemoveAll(l.dir)
}
