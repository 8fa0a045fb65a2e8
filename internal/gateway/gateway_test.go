package gateway_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/gateway"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func variant[V any](t *testing.T, text string, of func(param.Call) (V, error)) V {
	t.Helper()
	c, err := param.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	v, err := of(c)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func nap(ctx context.Context, _ uint64) error {
	select {
	case <-time.After(10 * time.Millisecond):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// 20 requests of 10 ms on 4 slots need 50 ms in every work-conserving strategy.
func TestMakespan(t *testing.T) {
	for _, spec := range strategies.All() {
		if !spec.WorkConserving || spec.Sheds || spec.UsesSize || spec.ClassPools != nil ||
			spec.Splits || spec.Quantum != nil || spec.Bound == nil {
			continue
		}
		if spec.Bound(strategies.Params{Limit: 4}) != 4 {
			continue
		}
		t.Run(spec.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := gateway.New(t.Context(), variant(t, spec.Name, strategies.Resolve), 4, 0)
				begun := time.Now()
				var clients sync.WaitGroup
				for seq := range uint64(20) {
					clients.Go(func() {
						if err := g.Call(t.Context(), seq, nap); err != nil {
							t.Error(err)
						}
					})
				}
				clients.Wait()
				if took := time.Since(begun); took != 50*time.Millisecond || g.Peak() != 4 {
					t.Errorf("took %v, %d at work at once", took, g.Peak())
				}
				if err := g.Drain(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// A full server must answer 503 with Retry-After.
func TestShed(t *testing.T) {
	g := gateway.New(t.Context(), variant(t, "bounded_queue_shed", strategies.Resolve), 1, 0)
	begun, finish := make(chan struct{}), make(chan struct{})
	h := targets.Handler(g, func(context.Context, uint64) error {
		begun <- struct{}{}
		<-finish
		return nil
	})
	get := func() *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/", nil))
		return w
	}
	var first sync.WaitGroup
	first.Go(func() {
		if w := get(); w.Code != 200 {
			t.Errorf("status %d", w.Code)
		}
	})
	<-begun
	if w := get(); w.Code != 503 || w.Header().Get("Retry-After") != "1" {
		t.Errorf("status %d, header %v", w.Code, w.Header())
	}
	finish <- struct{}{}
	first.Wait()
	go func() { <-begun; finish <- struct{}{} }()
	if w := get(); w.Code != 200 {
		t.Errorf("status %d", w.Code)
	}
	if err := g.Drain(t.Context()); err != nil {
		t.Error(err)
	}
	if w := get(); w.Code != 503 {
		t.Errorf("closed: status %d", w.Code)
	}
}

// When a client disconnects, its work must be canceled or never start.
func TestClientLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gateway.New(t.Context(), variant(t, "worker_pool", strategies.Resolve), 1, 0)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var clients sync.WaitGroup
		var worked atomic.Int64
		for seq := range uint64(3) {
			clients.Go(func() {
				err := g.Call(ctx, seq, func(ctx context.Context, _ uint64) error {
					worked.Add(1)
					<-ctx.Done()
					return ctx.Err()
				})
				if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			})
		}
		clients.Wait()
		if worked.Load() != 1 {
			t.Errorf("%d were begun", worked.Load())
		}
		if err := g.Drain(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// A panic must give status 500 and release its slot.
func TestPanic(t *testing.T) {
	g := gateway.New(t.Context(), variant(t, "semaphore", strategies.Resolve), 1, 0)
	h := targets.Handler(g, func(context.Context, uint64) error { panic("cheese") })
	for range 3 {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/", nil))
		body, err := io.ReadAll(w.Result().Body)
		if err != nil || w.Code != http.StatusInternalServerError ||
			!strings.Contains(string(body), "cheese") {
			t.Errorf("status %d, %q, %v", w.Code, body, err)
		}
	}
	if err := g.Drain(t.Context()); err != nil {
		t.Error(err)
	}
}

func scenario(t *testing.T, strategy string) gateway.Scenario {
	return gateway.Scenario{
		Strategy: variant(t, strategy, strategies.Resolve), Limit: 2,
		Workload: variant(t, "constant:mean=20ms", workloads.Resolve),
		Load:     attack.Attack{Rate: 400, Tasks: 60, Seed: 1},
	}
}

// At four times its capacity, a server sheds only if its strategy does.
func TestRun(t *testing.T) {
	for name, sheds := range map[string]bool{"bounded_queue_shed": true, "semaphore": false} {
		s := scenario(t, name)
		r, err := gateway.Run(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		shed, _ := r.Metric("shed/op")
		throttled, _ := r.Metric("throttled/op")
		failed, _ := r.Metric("failed/op")
		if r.Tasks != 60 || (shed > 0) != sheds || throttled != 0 || failed != 0 ||
			len(r.Broken) > 0 {
			t.Errorf("%s: %d requests, shed %v, throttled %v, failed %v, broken %q, statuses %v, "+
				"errors %v", name, r.Tasks, shed, throttled, failed, r.Broken, r.Statuses, r.Errors)
		}
		if want := "Gateway/strategy=" + name +
			"/workload=constant:mean=20ms/limit=2/arrival=constant/rate=400/n=60/clock=real"; r.Name != want {
			t.Errorf("name %s, want %s", r.Name, want)
		}
	}
}

func TestCut(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := scenario(t, "semaphore")
	s.Load.Tasks, s.Load.Duration = 0, time.Hour
	s.Load.Watch = func(p attack.Progress) {
		if p.Settled > 5 {
			cancel()
		}
	}
	r, err := gateway.Run(ctx, s)
	if err != nil || !errors.Is(r.Cut, context.Canceled) {
		t.Errorf("%v, %v", r, err)
	}
}

func TestValidate(t *testing.T) {
	for want, change := range map[string]func(*gateway.Scenario){
		"no strategy is given": func(s *gateway.Scenario) {
			s.Strategy = strategies.Variant{}
		},
		"no workload is given": func(s *gateway.Scenario) {
			s.Workload = workloads.Variant{}
		},
		"the server has the strategy, so the load must have none": func(s *gateway.Scenario) {
			s.Load.Strategy = s.Strategy
		},
		"strategy hedged+semaphore: it makes a second attempt in parallel, but an HTTP answer is " +
			"written only once": func(s *gateway.Scenario) {
			s.Strategy = variant(t, "hedged+semaphore", strategies.Resolve)
		},
		"strategy semaphore: limit -1 is below 1": func(s *gateway.Scenario) { s.Limit = -1 },
	} {
		s := scenario(t, "semaphore")
		change(&s)
		if _, err := gateway.Run(t.Context(), s); err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// An overloaded server must be reported, as in a run.
func TestSaturated(t *testing.T) {
	r, err := gateway.Run(t.Context(), gateway.Scenario{
		Strategy: variant(t, "semaphore", strategies.Resolve), Limit: 1,
		Workload: variant(t, "constant:mean=10ms", workloads.Resolve),
		Load: attack.Attack{Rate: 200, Tasks: 400, MaxInFlight: attack.Unlimited,
			Drain: time.Minute, Seed: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(r.Reasons,
		func(r result.Reason) bool { return r.Check == "not stationary" }) {
		t.Errorf("%v: %v", r.Verdict, r.Reasons)
	}
}
