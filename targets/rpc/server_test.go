package rpc_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/poolbench/poolbench/internal/grpcdyn"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/targets/rpc"
)

type refusing struct{ err error }

func (r refusing) Call(
	ctx context.Context, seq uint64, work func(context.Context, uint64) error,
) error {
	if r.err != nil {
		return r.err
	}
	return work(ctx, seq)
}

func call(t *testing.T, of targets.Target, method, message string) grpcdyn.Answer {
	t.Helper()
	server := httptest.NewUnstartedServer(rpc.Handler(of,
		func(context.Context, uint64) error { return nil }))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	defer server.Close()
	c := grpcdyn.NewClient(grpcdyn.Options{Address: server.Listener.Addr().String(),
		Dial: new(net.Dialer).DialContext})
	defer c.Close()
	find, end, err := c.Reflected(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m, err := find.Method("/poolbench.v1.Target/" + method)
	end()
	if err != nil {
		t.Fatal(err)
	}
	bytes, err := m.Encode([]byte(message))
	if err != nil {
		t.Fatal(err)
	}
	return c.Call(t.Context(), grpcdyn.NewMessage(m, nil, bytes),
		time.Now().Add(time.Minute), true)
}

func TestHandler(t *testing.T) {
	for _, c := range []struct {
		err   error
		code  codes.Code
		after time.Duration
	}{
		{nil, codes.OK, 0},
		{&targets.Throttled{RetryAfter: 1500 * time.Millisecond}, codes.ResourceExhausted,
			1500 * time.Millisecond},
		{&targets.Throttled{Refusal: targets.Unavailable}, codes.Unavailable, 0},
		{&targets.Throttled{Refusal: targets.Banned, RetryAfter: time.Second},
			codes.ResourceExhausted, time.Second},
		{context.DeadlineExceeded, codes.Internal, 0},
	} {
		for _, method := range []string{"Call", "Stream"} {
			a := call(t, refusing{c.err}, method, `{"text": "x"}`)
			if a.Code != c.code || a.RetryAfter != c.after || !a.Answered {
				t.Errorf("%s, %v: %+v", method, c.err, a)
			}
		}
	}
	if a := call(t, refusing{}, "Stream", `{"text": "hello", "answers": 3}`); a.In != 7+9+9 ||
		!strings.Contains(string(a.Last), "hello") {
		t.Errorf("%+v", a)
	}
}
