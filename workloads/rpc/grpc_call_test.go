package rpc_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/targets/rpc"
	"github.com/poolbench/poolbench/workloads"

	_ "github.com/poolbench/poolbench/workloads/rpc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts a server whose calls return next's errors, and returns its address.
func serve(t *testing.T, next func(n int64) error) string {
	t.Helper()
	var calls atomic.Int64
	server := targets.NewServer(rpc.Handler(asked(func() error { return next(calls.Add(1) - 1) }),
		func(context.Context, uint64) error { return nil }))
	s := httptest.NewUnstartedServer(server.Handler)
	s.Config.Protocols = server.Protocols
	s.Start()
	t.Cleanup(s.Close)
	return "grpc" + strings.TrimPrefix(s.URL, "http")
}

type asked func() error

func (f asked) Call(
	ctx context.Context, seq uint64, work func(context.Context, uint64) error,
) error {
	if err := f(); err != nil {
		return err
	}
	return work(ctx, seq)
}

func build(t *testing.T, text string) (workloads.Workload, error) {
	t.Helper()
	v, err := workloads.Parse(text)
	if err != nil {
		return nil, err
	}
	return v.Spec.Build(1, v.Values)
}

func TestCalls(t *testing.T) {
	var n atomic.Int64
	url := serve(t, func(i int64) error {
		n.Add(1)
		if i == 3 {
			return &targets.Throttled{RetryAfter: 1500 * time.Millisecond}
		}
		return nil
	})
	body := filepath.Join(t.TempDir(), "message.json")
	if err := os.WriteFile(body, []byte(`{"text": "x", "answers": 3}`), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"Call", "Stream"} {
		w, err := build(t, "grpc_call:url="+url+"/poolbench.v1.Target/"+method+",body="+body)
		if err != nil {
			t.Fatal(err)
		}
		var refused atomic.Int64
		var all sync.WaitGroup
		for seq := range uint64(20) {
			all.Go(func() {
				err := w.Do(t.Context(), seq)
				if s, ok := errors.AsType[*workloads.StatusError](err); ok &&
					*s == (workloads.StatusError{Code: http.StatusTooManyRequests,
						RetryAfter: 1500 * time.Millisecond}) {
					refused.Add(1)
				} else if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if method == "Call" && (n.Load() != 20 || refused.Load() != 1) ||
			method == "Stream" && n.Load() != 40 {
			t.Errorf("%s: %d calls, %d refused", method, n.Load(), refused.Load())
		}
		if err := w.(interface{ Close() error }).Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestImpossible(t *testing.T) {
	url := serve(t, func(int64) error { return errors.New("was called") })
	bad := filepath.Join(t.TempDir(), "bad.json")
	if err := os.WriteFile(bad, []byte(`{"tekst": 1}`), 0o666); err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		"grpc_call":                        "url: want an address such as grpc://",
		"grpc_call:url=http://h/a.B/C":     "url: want an address such as grpc://",
		"grpc_call:url=grpc://h/a.B":       "url: want /package.Service/Method",
		"grpc_call:url=grpc://u:p@h/a.B/C": "url: must contain neither",
		"grpc_call:conns=0":                "conns: must be positive, got 0",
		"grpc_call:url=" + url + "/poolbench.v1.Target/X": "url: service poolbench.v1.Target " +
			"has no method X (it has: Call, Stream)",
		"grpc_call:url=" + url + "/a.B/C": "url: there is no service a.B (known: ",
		"grpc_call:url=" + url + "/poolbench.v1.Target/Call,body=" + bad: "body: no JSON of a " +
			"poolbench.v1.Request: ",
		"grpc_call:url=" + url + "/poolbench.v1.Target/Call,proto=" + bad: "proto: ",
	} {
		if _, err := build(t, in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", in, err, want)
		}
	}
}
