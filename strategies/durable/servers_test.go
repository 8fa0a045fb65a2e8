package durable_test

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/poolbench/poolbench/internal/project/need"
	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/internal/servers"
	"github.com/poolbench/poolbench/strategies"
)

// serve returns a new server for the strategy, or nil if it needs none or the environment names
// one. Without a server it skips the test.
func serve(t testing.TB, spec strategies.Spec, settings ...string) *servers.Server {
	t.Helper()
	if spec.Needs == "" || spec.Ready() == nil {
		return nil
	}
	i := slices.IndexFunc(servers.Kinds(), func(k servers.Kind) bool {
		return k.Product == spec.Needs
	})
	kind := servers.Kinds()[i]
	if err := kind.Missing(); err != nil {
		need.Skip(t, err)
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
	t.Setenv(serverOf(spec).Variable, s.Address())
	return s
}

func serverOf(spec strategies.Spec) registry.Server {
	all := registry.Servers()
	return all[slices.IndexFunc(all, func(s registry.Server) bool {
		return s.Product == spec.Needs
	})]
}

// Redis uses an fsync per write. With an fsync per second it may answer before a slow write.
func TestServerRestart(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	for _, c := range []struct{ text, setting string }{
		{text: "postgres_queue:lease=500ms,away=1m"},
		{text: "river:lease=500ms,cooldown=1ms,poll=20ms,away=1m"},
		{"redis_stream:lease=1s,away=1m", "appendfsync=always"},
		{"asynq:recovery=start,poll=100ms,scheduled=100ms,away=1m", "appendfsync=always"},
		{text: "rabbitmq:queue=quorum,away=1m"},
		{text: "rabbitmq:queue=classic,away=1m"},
	} {
		t.Run(c.text, func(t *testing.T) {
			checkRestart(t, c.text, strings.Fields(c.setting)...)
		})
	}
}

// checkRestart kills and restarts the server under load. Submit must fail soon, without secrets in
// its error. Each accepted task must be done.
func checkRestart(t *testing.T, text string, settings ...string) {
	v := strategies.MustParse(text)
	t.Setenv(serverOf(v.Spec).Variable, "") // do not kill a named server
	server := serve(t, v.Spec, settings...)
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
	gone, back := make(chan struct{}), make(chan struct{})
	var started error // read once it is back
	accepted, refused := int64(0), 0
	for i := range n {
		if i == n/2 {
			if err := server.Kill(); err != nil {
				t.Fatal(err)
			}
			go func() { // away until a Submit has failed, however slow the machine
				select {
				case <-gone:
				case <-time.After(20 * time.Second):
				}
				time.Sleep(500 * time.Millisecond)
				started = server.Start(t.Context())
				close(back)
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
				close(gone)
			}
			checkSecrets(t, err, server.Address())
			select {
			case <-back:
				if started != nil {
					t.Fatal(started)
				}
			default:
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	if <-back; started != nil {
		t.Fatal(started)
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

// checkSecrets expects one line without the address's password. It may contain the host.
func checkSecrets(t *testing.T, err error, address string) {
	t.Helper()
	u, wrong := url.Parse(address)
	if wrong != nil {
		t.Fatal(wrong)
	}
	password, _ := u.User.Password()
	if password == "" {
		t.Fatalf("no password in %s", u.Redacted())
	}
	if strings.Contains(err.Error(), password) {
		t.Errorf("the password %q is in the error %v", password, err)
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("more than one line: %q", err)
	}
}

func checkNoLeftovers(t *testing.T, text string) {
	v := strategies.MustParse(text)
	serve(t, v.Spec)
	before := goleak.IgnoreCurrent()
	s, err := v.Spec.Start(t.Context(), strategies.Params{Limit: 2, Values: v.Values},
		strategies.SinkFunc(func(*strategies.Task, strategies.Result) {}))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		err := s.Submit(t.Context(), &strategies.Task{ID: uint64(i),
			Run: func(ctx context.Context, _ *strategies.Task) strategies.Result {
				switch i {
				case 0:
					panic("a dead letter")
				case 1:
					return strategies.Result{Err: errors.New("no"), Retry: true, After: time.Hour}
				}
				<-ctx.Done()
				return strategies.Result{Err: ctx.Err()}
			}})
		if err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(100 * time.Millisecond) // some run
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err, ok := errors.AsType[*strategies.DrainError](s.Drain(ended)); !ok {
		t.Errorf("Drain returned %v", err)
	}
	goleak.VerifyNone(t, before)
}
