//go:build !js

package workloads

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/poolbench/poolbench/internal/machine"
)

type httpOwn struct {
	*httpClient
	service Work
	sleepBy func(sleep Sleep) // tells the service
	server  *loopback         // nil before Serve
}

type seqKey struct{}

// The task's number is sent in a header, so a request does the work of its task.
func (w *httpOwn) Serve(wrap func(work Work) http.Handler) (err error) {
	if w.server != nil {
		return errors.New("the server has been started before")
	}
	handler := wrap(func(ctx context.Context, seq uint64) error {
		if sent, ok := ctx.Value(seqKey{}).(uint64); ok {
			seq = sent
		}
		return w.service(ctx, seq)
	})
	w.server, err = listen(w.timeout, func(rw http.ResponseWriter, r *http.Request) {
		if seq, err := strconv.ParseUint(r.Header.Get(seqHeader), 10, 64); err == nil {
			r = r.WithContext(context.WithValue(r.Context(), seqKey{}, seq))
		}
		handler.ServeHTTP(rw, r)
	})
	if err != nil {
		return err
	}
	w.url.Store(&w.server.url)
	return nil
}

func (w *httpOwn) SleepBy(sleep Sleep) { w.sleepBy(sleep) }

// Close ends pending requests with an error.
func (w *httpOwn) Close() error {
	err := w.httpClient.Close()
	if w.server != nil {
		err = errors.Join(err, w.server.Close())
	}
	return err
}

// roundTrip measures a request without work, on a separate server.
func (w *httpClient) roundTrip() (time.Duration, error) {
	server, err := listen(w.timeout, func(http.ResponseWriter, *http.Request) {})
	if err != nil {
		return 0, err
	}
	w.url.Store(&server.url)
	trip, err := machine.TimeAlone(func() error { return w.Do(context.Background(), 0) })
	return trip, errors.Join(err, w.Close(), server.Close())
}

// The server's timeout is twice as long, so that it does not close a connection that is about to be
// used.
const idleTimeout = time.Minute

type loopback struct {
	url    string
	server http.Server
	cancel context.CancelFunc // ends the contexts of all requests
	ended  sync.WaitGroup     // the goroutine of Serve, and that of each connection
	once   sync.Once
	err    error
}

// The server has longer timeouts than its clients, so the client gives up first.
func listen(timeout time.Duration, handler http.HandlerFunc) (*loopback, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &loopback{url: "http://" + listener.Addr().String() + "/", cancel: cancel}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	s.server = http.Server{
		Protocols:         protocols,
		Handler:           handler,
		ReadHeaderTimeout: timeout + time.Second,
		ReadTimeout:       timeout + time.Second,
		WriteTimeout:      timeout + time.Second,
		IdleTimeout:       2 * idleTimeout,
		MaxHeaderBytes:    64 << 10,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		// A new connection has no goroutine yet.
		ConnState: func(_ net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				s.ended.Add(1)
			case http.StateClosed, http.StateHijacked:
				s.ended.Done()
			}
		},
	}
	discard(&s.server.ErrorLog)
	s.ended.Go(func() {
		if err := s.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.err = err // and the tasks fail; Close tells why
		}
	})
	return s, nil
}

// discard silences a server's logger. The client sees the same errors.
func discard[L any, P interface {
	*L
	SetOutput(io.Writer)
}](logger *P) {
	*logger = new(L)
	(*logger).SetOutput(io.Discard)
}

func (s *loopback) Close() error {
	s.once.Do(func() {
		s.cancel()
		err := s.server.Close()
		s.ended.Wait()
		s.err = errors.Join(s.err, err)
	})
	return s.err
}
