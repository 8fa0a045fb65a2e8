// Package rpc registers the workload grpc_call, which calls a method over gRPC. It is a separate
// package because of the gRPC library.
package rpc

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/grpcdyn"
	"github.com/poolbench/poolbench/workloads"
)

var _ = workloads.Register(workloads.Spec{
	Name:    "grpc_call",
	Summary: "calls a gRPC method with one message, and reads the whole answer",
	Source:  "gRPC over HTTP/2 (golang.org/x/net/http2)",
	Kind:    workloads.IO,
	Keys: []param.Key{
		{Name: "url", Kind: param.Text, Default: "none",
			Doc: "URL of the method: grpc://host:port/package.Service/Method, or grpcs"},
		{Name: "body", Kind: param.Text, Default: "none",
			Doc: "file of the message as JSON; none: an empty message"},
		{Name: "proto", Kind: param.Text, Default: "none",
			Doc: "file of the service, a .proto or a descriptor set; none: use the server's " +
				"reflection"},
		{Name: "service", Kind: param.Distribution, Default: "exp(1ms)",
			Doc: "assumed service time"},
		{Name: "conns", Kind: param.Int, Default: "1", Doc: "number of connections, which share " +
			"the tasks"},
		{Name: "streams", Kind: param.Int, Default: "100",
			Doc: "largest number of tasks at once on a connection; further tasks wait"},
		{Name: "timeout", Kind: param.Duration, Default: "5s",
			Doc: "time after which a task fails, at most 1h"},
	},
	New:   newCall,
	Check: check,
})

func check(v param.Values) error {
	for _, key := range []string{"conns", "streams"} {
		if n := v.Int(key); n < 1 {
			return fmt.Errorf("%s: must be positive, got %d", key, n)
		}
	}
	if d := v.Duration("timeout"); d <= 0 || d > time.Hour {
		return fmt.Errorf("timeout: must be positive and at most 1h, got %v", d)
	}
	if v.Dist("service").Mean() <= 0 {
		return errors.New("service: the mean must be positive")
	}
	u, err := url.Parse(v.Text("url"))
	switch { // the errors omit the text, which may contain a password
	case err != nil, u.Scheme != "grpc" && u.Scheme != "grpcs", u.Hostname() == "":
		return errors.New("url: want an address such as " +
			"grpc://127.0.0.1:8080/package.Service/Method")
	case u.User != nil:
		return errors.New("url: must contain neither a user nor a password, because names of " +
			"results contain the url")
	}
	if _, _, err := grpcdyn.CutPath(u.Path); err != nil {
		return fmt.Errorf("url: %w behind the host", err)
	}
	return nil
}

type call struct {
	client  *grpcdyn.Client
	message *grpcdyn.Message
	timeout time.Duration
	mean    time.Duration
	c2      float64
}

func newCall(_ uint64, v param.Values) (workloads.Workload, error) {
	if err := check(v); err != nil {
		return nil, err
	}
	u, err := url.Parse(v.Text("url"))
	if err != nil {
		return nil, err
	}
	address := u.Host
	if u.Port() == "" {
		address = net.JoinHostPort(u.Hostname(), map[string]string{"grpc": "80",
			"grpcs": "443"}[u.Scheme])
	}
	options := grpcdyn.Options{Address: address, Connections: v.Int("conns"),
		Streams: v.Int("streams"), Dial: new(net.Dialer).DialContext}
	if u.Scheme == "grpcs" {
		options.TLS = &tls.Config{ServerName: u.Hostname()}
	}
	w := &call{client: grpcdyn.NewClient(options), timeout: v.Duration("timeout"),
		mean: v.Dist("service").Mean(), c2: v.Dist("service").C2()}
	if w.message, err = w.prepare(u.Path, v); err != nil {
		w.client.Close()
		return nil, err
	}
	return w, nil
}

func (w *call) prepare(path string, v param.Values) (_ *grpcdyn.Message, err error) {
	var find grpcdyn.Source
	if v.Given("proto") {
		set, err := grpcdyn.ReadSet(v.Text("proto"))
		if err == nil {
			find, err = grpcdyn.FromSet(set)
		}
		if err != nil {
			return nil, fmt.Errorf("proto: %w", err)
		}
	} else {
		ctx, cancel := context.WithTimeout(context.Background(), w.timeout)
		defer cancel()
		var end func()
		if find, end, err = w.client.Reflected(ctx); err != nil {
			return nil, err
		}
		defer end()
	}
	m, err := find.Method(path)
	if err != nil {
		return nil, fmt.Errorf("url: %w", err)
	}
	var text []byte
	if v.Given("body") {
		if text, err = files.ReadFile(v.Text("body"), grpcdyn.MaxSet); err != nil {
			return nil, fmt.Errorf("body: %w", err)
		}
	}
	bytes, err := m.Encode(text)
	if err != nil {
		return nil, fmt.Errorf("body: %w", err)
	}
	return grpcdyn.NewMessage(m, nil, bytes), nil
}

// Errors RESOURCE_EXHAUSTED and UNAVAILABLE become a StatusError with code 429 or 503.
func (w *call) Do(ctx context.Context, _ uint64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	a := w.client.Call(ctx, w.message, time.Now().Add(w.timeout), false)
	switch {
	case a.Answered && a.Code == codes.OK:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case a.Answered && a.Code == codes.ResourceExhausted:
		return &workloads.StatusError{Code: http.StatusTooManyRequests, RetryAfter: a.RetryAfter}
	case a.Answered && a.Code == codes.Unavailable:
		return &workloads.StatusError{Code: http.StatusServiceUnavailable,
			RetryAfter: a.RetryAfter}
	case a.Code == codes.DeadlineExceeded:
		return fmt.Errorf("no complete answer within %v", w.timeout)
	}
	return fmt.Errorf("%s: %s", grpcdyn.Spell(a.Code), a.Text)
}

func (w *call) Mean() time.Duration { return w.mean }

func (w *call) C2() float64 { return w.c2 }

func (w *call) Close() error {
	w.client.Close()
	return nil
}
