package hub

import (
	"context"
	"crypto/rand"
	"errors"
	"net/url"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/poolbench/poolbench/internal/files"
)

// A Local server is embedded in this process for other processes, which know its Address: the token
// that it asks for is in it, so that nobody else gets in.
type Local struct {
	Address string
	server  *server.Server
	dir     *files.ScratchDir
	failed  chan error
}

// StartLocal starts one for processes of this machine that get its Address from this one.
func StartLocal() (*Local, error) { return StartAt("127.0.0.1:0", rand.Text()) }

// StartAt starts one that listens at host:port, with its streams in a temporary directory. A token
// of "" lets everybody in.
func StartAt(listen, token string) (*Local, error) {
	dir, err := files.NewScratch("", "nats")
	if err != nil {
		return nil, err
	}
	l := &Local{dir: dir, failed: make(chan error, 1)}
	if l.server, err = (Embedded{Dir: dir.Path, Listen: listen, Token: token,
		Failed: l.fail}).Start(); err != nil {
		return nil, errors.Join(err, dir.Remove())
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

// fail keeps the first fault.
func (l *Local) fail(err error) {
	select {
	case l.failed <- err:
	default:
	}
}

// Watch calls failed when the server cannot use its files any more, with what it says, until ctx
// ends.
func (l *Local) Watch(ctx context.Context, failed func(error)) {
	select {
	case err := <-l.failed:
		failed(err)
	case <-ctx.Done():
	}
}

// Close ends it.
func (l *Local) Close() error {
	l.server.Shutdown()
	l.server.WaitForShutdown()
	return l.dir.Remove()
}
