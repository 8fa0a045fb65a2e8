package hub

import (
	"context"
	"crypto/rand"
	"errors"
	"net/url"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/poolbench/poolbench/internal/files"
)

// A Local is an embedded server for other processes. Its Address contains the required token.
type Local struct {
	Address string
	server  *server.Server
	dir     *files.ScratchDir
	failed  chan error
}

func StartLocal() (*Local, error) { return StartAt("127.0.0.1:0", rand.Text()) }

// With token "" the server accepts every client.
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

func (l *Local) fail(err error) {
	select {
	case l.failed <- err:
	default:
	}
}

// Watch calls failed if the server can no longer use its files.
func (l *Local) Watch(ctx context.Context, failed func(error)) {
	select {
	case err := <-l.failed:
		failed(err)
	case <-ctx.Done():
	}
}

func (l *Local) Close() error {
	l.server.Shutdown()
	l.server.WaitForShutdown()
	return l.dir.Remove()
}
