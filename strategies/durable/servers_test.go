package durable_test

import (
	"context"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/servers"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/durable"
)

// serve has a server for the test: the one that is named, or one that is started; nil for the
// former. Without either it skips the test, and says why.
func serve(
	t testing.TB, kind servers.Kind, named durable.Server, settings ...string,
) *servers.Server {
	t.Helper()
	if os.Getenv(named.Variable) != "" {
		return nil
	}
	if err := kind.Missing(); err != nil {
		t.Skip(err)
	}
	s, err := kind.Start(t.Context(), servers.Options{Settings: settings})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Setenv(named.Variable, s.Address())
	return s
}

// outlives kills the server of a strategy and starts it again while tasks come and run: a Submit
// fails meanwhile, soon and without the address or the password, and each task that was accepted is
// done.
func outlives(
	t *testing.T, kind servers.Kind, named durable.Server, text string, settings ...string,
) {
	if err := kind.Missing(); err != nil {
		t.Skip(err)
	}
	t.Setenv(named.Variable, "") // one that was named is not killed
	server := serve(t, kind, named, settings...)
	v := strategies.MustParse(text)
	var done, runs atomic.Int64
	s, err := v.Spec.Start(t.Context(), strategies.Params{Limit: 4, Values: v.Values},
		strategies.SinkFunc(func(_ *strategies.Task, r strategies.Result) {
			if r.Err != nil {
				t.Error(r.Err)
			}
			done.Add(1)
		}))
	if err != nil {
		t.Fatal(err)
	}
	run := func(context.Context, *strategies.Task) strategies.Result {
		runs.Add(1)
		time.Sleep(time.Millisecond)
		return strategies.Result{}
	}
	const n = 600
	again := make(chan error, 1)
	accepted, refused := int64(0), 0
	for i := range n {
		if i == n/2 {
			if err := server.Kill(); err != nil {
				t.Fatal(err)
			}
			go func() {
				time.Sleep(500 * time.Millisecond)
				again <- server.Start(t.Context())
			}()
		}
		for start := time.Now(); ; start = time.Now() {
			err := s.Submit(t.Context(), &strategies.Task{ID: uint64(i), Run: run})
			if took := time.Since(start); took > 15*time.Second {
				t.Errorf("a Submit took %v: %v", took, err)
			}
			if err == nil {
				accepted++
				break
			}
			if refused++; refused == 1 {
				t.Log(err)
			}
			checkSecrets(t, err, server.Address())
			time.Sleep(50 * time.Millisecond)
		}
	}
	if err := <-again; err != nil {
		t.Fatal(err)
	}
	if refused == 0 {
		t.Error("no Submit has failed while the server was gone")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if err := s.Drain(ctx); err != nil {
		t.Error(err)
	}
	t.Logf("%d accepted, %d refused, %d runs", accepted, refused, runs.Load())
	if done.Load() != accepted {
		t.Errorf("%d tasks are done of %d that were accepted", done.Load(), accepted)
	}
}

// checkSecrets wants an error without the parts of an address.
func checkSecrets(t *testing.T, err error, address string) {
	t.Helper()
	u, wrong := url.Parse(address)
	if wrong != nil {
		t.Fatal(wrong)
	}
	password, _ := u.User.Password()
	for _, secret := range []string{u.Host, password} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%q is in the error %v", secret, err)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("more than one line: %q", err)
	}
}
