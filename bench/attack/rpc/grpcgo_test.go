package rpc_test

import (
	"math"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/attack/checks"
)

func serveGRPC(
	t *testing.T, handle func(grpc.ServerStream) error, o ...grpc.ServerOption,
) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(append(o, grpc.UnknownServiceHandler(
		func(_ any, s grpc.ServerStream) error { return handle(s) }))...)
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) })
	t.Cleanup(func() {
		server.Stop()
		serving.Wait()
	})
	return listener.Addr().String()
}

// The first messages of each failed status must be kept, readable and without secrets.
func TestSaid(t *testing.T) {
	t.Parallel()
	address := serveGRPC(t, func(s grpc.ServerStream) error {
		md, _ := metadata.FromIncomingContext(s.Context())
		return status.Error(codes.Unavailable, "no room\x00 for "+md.Get("authorization")[0]+
			strings.Repeat(" ü", 5000))
	})
	for _, check := range []string{"", "response < 1h"} {
		a := attack.Attack{Rate: 500, Tasks: 10, Descriptors: descriptors(t),
			Requests: []attack.Request{{URL: "grpc://" + address + "/poolbench.v1.Target/Call",
				Header: http.Header{"Authorization": {"Bearer geheim"}}}}}
		if check != "" {
			c, err := checks.Parse(check)
			if err != nil {
				t.Fatal(err)
			}
			a.Checks = checks.List{c}
		}
		r, err := attack.Run(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Failures) != 1 || r.Failures[0].What != "status UNAVAILABLE" ||
			len(r.Failures[0].Bodies) != checks.MaxBodies {
			t.Fatalf("kept are %.3000v", r.Failures)
		}
		for _, b := range r.Failures[0].Bodies {
			if !strings.HasPrefix(b.Text, `no room\u0000 for … ü ü`) || len(b.Text) > 2<<10 ||
				!b.Cut || b.Status != http.StatusServiceUnavailable ||
				strings.Contains(b.Text, "�") {
				t.Errorf("%+v", b)
			}
		}
	}
}

// If a server limits the calls and the life of connections, all calls must be answered: the client
// opens more connections and retries unprocessed calls.
func TestConnectionsEnd(t *testing.T) {
	t.Parallel()
	address := serveGRPC(t, func(s grpc.ServerStream) error {
		if err := s.RecvMsg(new(emptypb.Empty)); err != nil {
			return err
		}
		time.Sleep(20 * time.Millisecond)
		return s.SendMsg(new(emptypb.Empty))
	}, grpc.MaxConcurrentStreams(8), grpc.KeepaliveParams(
		keepalive.ServerParameters{MaxConnectionAge: 50 * time.Millisecond}))
	a := attack.Attack{Rate: 800, Tasks: 800, Resend: true, Descriptors: descriptors(t),
		Timeout: time.Minute, Drain: time.Minute,
		Requests: []attack.Request{{URL: "grpc://" + address + "/poolbench.v1.Target/Call"}}}
	r, err := attack.Run(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	value := func(unit string) float64 {
		v, ok := r.Metric(unit)
		if !ok {
			t.Errorf("no %s", unit)
		}
		return v
	}
	if len(r.Statuses) != 1 || r.Statuses[0] != (attack.Count{What: "OK", N: 800}) ||
		len(r.Errors) > 0 {
		t.Errorf("%v %v", r.Statuses, r.Errors)
	}
	if v := value("server-streams"); v != 8 {
		t.Errorf("the server allows %v streams", v)
	}
	if value("goaways/op") == 0 || math.Round(value("connections/op")*800) < 10 {
		t.Errorf("%v GOAWAYs, %v connections a call", value("goaways/op"), value("connections/op"))
	}
}
