package attack_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"
	"go.uber.org/goleak"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
)

func TestMain(m *testing.M) {
	if os.Getenv(servingVariable) != "" {
		serve()
		return
	}
	log.SetOutput(io.Discard) // net/http logs errors of hostile servers
	goleak.VerifyTestMain(m)
}

// pipes is an in-memory listener, because real sockets do not work in a bubble.
type pipes struct {
	made   chan net.Conn
	closed chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.made:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.made <- server:
		return client, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func inBubble(t *testing.T, a attack.Attack, h http.HandlerFunc) *attack.Report {
	t.Helper()
	return inBubbleOf(t, a, func() http.HandlerFunc { return h })
}

// inBubbleOf creates the handler in the bubble.
func inBubbleOf(t *testing.T, a attack.Attack, h func() http.HandlerFunc) (report *attack.Report) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		report = bubbled(t, t.Context(), a, h())
		time.Sleep(time.Hour) // until abandoned handlers have ended
	})
	return report
}

func bubbled(
	t *testing.T, ctx context.Context, a attack.Attack, h http.HandlerFunc,
) *attack.Report {
	t.Helper()
	listener := &pipes{make(chan net.Conn), make(chan struct{})}
	server := &http.Server{Handler: h}
	var serving error
	done := make(chan struct{})
	go func() { defer close(done); serving = server.Serve(listener) }()
	if a.Requests == nil {
		a.Requests = []attack.Request{{Method: "GET", URL: "http://127.0.0.1/"}}
	}
	report, err := attack.Run(ctx, a.Virtual(listener.dial))
	if e := server.Close(); e != nil {
		t.Error(e)
	}
	<-done
	if !errors.Is(serving, http.ErrServerClosed) {
		t.Error(serving)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Broken) > 0 {
		t.Errorf("broken laws: %q", report.Broken)
	}
	return report
}

// decode returns the results of a vegeta file in order of their numbers.
func decode(t *testing.T, from io.Reader) (all []vegeta.Result) {
	t.Helper()
	decoder := vegeta.DecoderFor(from)
	for {
		var r vegeta.Result
		switch err := decoder(&r); err {
		case nil:
			all = append(all, r)
		case io.EOF:
			slices.SortFunc(all, func(a, b vegeta.Result) int { return int(a.Seq) - int(b.Seq) })
			return all
		default:
			t.Fatal(err)
		}
	}
}

func arrival(t *testing.T, text string) arrivals.Variant {
	t.Helper()
	c, err := param.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	v, err := arrivals.Resolve(c)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func strategy(t testing.TB, text string) strategies.Variant {
	t.Helper()
	c, err := param.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	v, err := strategies.Resolve(c)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func metric(t *testing.T, r *attack.Report, unit string) float64 {
	t.Helper()
	v, ok := r.Metric(unit)
	if !ok {
		t.Errorf("no %s", unit)
	}
	return v
}

// frozen returns a handler that needs 1 ms and is frozen for the first 500 ms of every 2 s.
func frozen() http.HandlerFunc {
	begun := time.Now()
	return func(http.ResponseWriter, *http.Request) {
		if at := time.Since(begun) % (2 * time.Second); at < 500*time.Millisecond {
			time.Sleep(500*time.Millisecond - at)
		}
		time.Sleep(time.Millisecond)
	}
}

// freeze returns how long a request due at that time waits.
func freeze(due time.Duration) time.Duration {
	return max(500*time.Millisecond-due%(2*time.Second), 0)
}

func TestFrozen(t *testing.T) {
	for _, process := range []string{"constant", "poisson", "linear:slope=20",
		"sine:amp=0.9,period=2s", "bulk:n=20"} {
		t.Run(process, func(t *testing.T) {
			var file bytes.Buffer
			a := attack.Attack{Arrival: arrival(t, process), Rate: 200, Duration: 6 * time.Second,
				MaxInFlight: attack.Unlimited, Seed: 3, Vegeta: &file}
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				report := bubbled(t, t.Context(), a, frozen())
				next, err := a.Arrival.Spec.Open(200, 3, a.Arrival.Values)
				if err != nil {
					t.Fatal(err)
				}
				results := decode(t, &file)
				for i, r := range results {
					due := next()
					if r.Seq != uint64(i) || r.Timestamp.Sub(begun) != due ||
						r.Latency != freeze(due)+time.Millisecond ||
						r.Code != 200 || r.Error != "" {
						t.Fatalf("request %d, due at %v: %+v", i, due, r)
					}
				}
				if due := next(); due < 6*time.Second || len(results) != report.Tasks ||
					report.Tasks == 0 {
					t.Errorf("%d results for %d requests; the next one is due at %v", len(results),
						report.Tasks, due)
				}
				if lag := metric(t, report, "p99-lag-sec"); lag != 0 {
					t.Errorf("lag %v", lag)
				}
			})
		})
	}
}

// Responses must include the wait in the strategy's queue.
func TestFrozenThroughLimit(t *testing.T) {
	for _, name := range []string{"semaphore", "worker_pool"} {
		var file bytes.Buffer
		a := attack.Attack{Rate: 200, Duration: 6 * time.Second, Strategy: strategy(t, name),
			Limit: 4, Vegeta: &file}
		report := inBubbleOf(t, a, frozen)
		results := decode(t, &file)
		var free [4]time.Duration // when each slot becomes free (Kiefer–Wolfowitz recursion)
		next, err := arrival(t, "constant").Spec.Open(200, 0, param.Values{})
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range results {
			due := next()
			start := max(due, slices.Min(free[:]))
			end := start + freeze(start) + time.Millisecond
			free[slices.Index(free[:], slices.Min(free[:]))] = end
			if r.Latency != end-due {
				t.Fatalf("%s: request %d: response %v, want %v", name, i, r.Latency, end-due)
			}
		}
		if len(results) != 1200 || metric(t, report, "peak-inflight") != 4 {
			t.Errorf("%d results, %v in flight", len(results), metric(t, report, "peak-inflight"))
		}
	}
}

// Responses must include the wait for one of 4 workers. vegeta reports little more than 1 ms.
func TestWorkers(t *testing.T) {
	a := attack.Attack{Rate: 200, Duration: 6 * time.Second, MaxInFlight: 4}
	report := inBubbleOf(t, a, frozen)
	if v := metric(t, report, "p90-response-sec"); v < 0.28 {
		t.Errorf("p90 of the response %v s", v)
	}
	if v := metric(t, report, "p90-service-sec"); v > 0.00101 {
		t.Errorf("p90 of the service %v s", v)
	}
	if wait := metric(t, report, "p99-wait-sec"); wait < 0.4 ||
		metric(t, report, "peak-inflight") != 4 {
		t.Errorf("wait %v s, %v in flight", wait, metric(t, report, "peak-inflight"))
	}
}

func TestClosed(t *testing.T) {
	answer := func(http.ResponseWriter, *http.Request) { time.Sleep(time.Millisecond) }
	report := inBubble(t, attack.Attack{Clients: 3, Duration: time.Second}, answer)
	if report.Tasks != 3003 || metric(t, report, "max-response-sec") != 0.001 ||
		math.Abs(metric(t, report, "ops/s")-3000) > 1e-6 {
		t.Errorf("%d requests, longest %v s, %v a second", report.Tasks,
			metric(t, report, "max-response-sec"), metric(t, report, "ops/s"))
	}
	report = inBubble(t, attack.Attack{Clients: 3, Tasks: 100}, answer)
	if report.Tasks != 100 {
		t.Errorf("%d requests, want 100", report.Tasks)
	}
}

func TestStatuses(t *testing.T) {
	var n atomic.Int64
	statuses := []int{200, 302, 404, 429, 500, 503, 403, 204}
	report := inBubble(t, attack.Attack{Rate: 100, Tasks: 80},
		func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(statuses[int(n.Add(1)-1)%len(statuses)])
		})
	want := []attack.Count{{"200", 10}, {"204", 10}, {"302", 10}, {"403", 10}, {"404", 10},
		{"429", 10}, {"500", 10}, {"503", 10}}
	if !slices.Equal(report.Statuses, want) {
		t.Errorf("statuses %v", report.Statuses)
	}
	if c, f := metric(t, report, "throttled/op"), metric(t, report, "failed/op"); c != 3./8 ||
		f != 2./8 {
		t.Errorf("throttled %v, failed %v", c, f)
	}
	var first time.Time
	report = inBubble(t, attack.Attack{Rate: 100, Tasks: 10, Strategy: strategy(t, "retry_queue"),
		Limit: 4}, func(w http.ResponseWriter, _ *http.Request) {
		if first.IsZero() {
			first = time.Now()
		}
		if time.Since(first) < time.Second {
			w.Header().Set("Retry-After", "2")
			w.WriteHeader(http.StatusTooManyRequests)
		}
	})
	if metric(t, report, "throttled/op") != 0 || metric(t, report, "attempts/op") != 2 ||
		metric(t, report, "p50-response-sec") < 2 {
		t.Errorf("%v", report.Metrics)
	}
}

func TestShed(t *testing.T) {
	served := 0
	report := inBubble(t,
		attack.Attack{Rate: 100, Tasks: 100, Strategy: strategy(t, "bounded_queue_shed"), Limit: 1,
			Queue: bench.NoQueue}, func(http.ResponseWriter, *http.Request) {
			served++
			time.Sleep(25 * time.Millisecond) // arrivals every 10 ms: two of three are refused
		})
	if shed := metric(t, report, "shed/op"); shed != 0.66 || served != 34 {
		t.Errorf("shed %v, served %d", shed, served)
	}
	last := report.Timeline[len(report.Timeline)-1]
	sum := 0
	for _, v := range report.Timeline {
		sum += v.Arrived - v.Completed - v.Shed
	}
	if sum != 0 || last.InFlight != 0 || last.Queued != 0 {
		t.Errorf("the timeline ends with %+v, %d unaccounted for", last, sum)
	}
}

func TestCut(t *testing.T) {
	why := errors.New("enough")
	for name, a := range map[string]attack.Attack{
		"open":    {Rate: 10, Duration: time.Hour},
		"through": {Rate: 10, Duration: time.Hour, Strategy: strategy(t, "unbounded")},
		"queued":  {Rate: 10, Duration: time.Hour, Strategy: strategy(t, "semaphore"), Limit: 1},
		"closed":  {Clients: 10, Duration: time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(5050*time.Millisecond, func() { cancel(why) })
				begun := time.Now()
				var n atomic.Int64
				report := bubbled(t, ctx, a, func(_ http.ResponseWriter, r *http.Request) {
					if n.Add(1) > 20 {
						<-r.Context().Done()
					}
				})
				if given := metric(t, report,
					"abandoned/op") * float64(report.Tasks); !errors.Is(report.Cut, why) ||
					given < 1 {
					t.Errorf("cut %v, %v given up", report.Cut, given)
				}
				if time.Since(begun) != 5050*time.Millisecond {
					t.Errorf("ended after %v", time.Since(begun))
				}
			})
		})
	}
}

// A timeline must need the same memory for ten minutes as for two seconds.
func TestMemory(t *testing.T) {
	report := inBubble(t, attack.Attack{Rate: 10, Duration: 10 * time.Minute},
		func(http.ResponseWriter, *http.Request) {})
	if n := len(report.Timeline); n > 200 || report.Tasks != 6000 {
		t.Errorf("%d intervals, %d requests", n, report.Tasks)
	}
}

func TestVegetaFull(t *testing.T) {
	full := errors.New("no space left")
	synctest.Test(t, func(t *testing.T) {
		listener := &pipes{make(chan net.Conn), make(chan struct{})}
		close(listener.closed)
		a := attack.Attack{Requests: []attack.Request{{Method: "GET", URL: "http://127.0.0.1/"}},
			Rate: 10, Duration: time.Hour, Vegeta: failing{full}}
		if _, err := attack.Run(t.Context(), a.Virtual(listener.dial)); !errors.Is(err, full) {
			t.Errorf("error %v", err)
		}
	})
}

type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }

// Rate and throughput must be exact even for one request.
func TestFenceposts(t *testing.T) {
	for _, c := range []struct {
		a        attack.Attack
		sent     int
		rate     float64
		duration time.Duration
	}{
		{attack.Attack{Rate: 10, Tasks: 1}, 1, 10, 100 * time.Millisecond},
		{attack.Attack{Rate: 10, Tasks: 2}, 2, 10, 200 * time.Millisecond},
		{attack.Attack{Rate: 10, Tasks: 5}, 5, 10, 500 * time.Millisecond},
		{attack.Attack{Rate: 10, Tasks: 10}, 10, 10, time.Second},
		{attack.Attack{Rate: 1, Duration: time.Second}, 1, 1, time.Second},
		{attack.Attack{Rate: 10, Duration: time.Second}, 10, 10, time.Second},
		{attack.Attack{Rate: 200, Duration: 6 * time.Second}, 1200, 200, 6 * time.Second},
		{attack.Attack{Rate: 4, Duration: 1300 * time.Millisecond}, 5, 5 / 1.3,
			1300 * time.Millisecond},
		{attack.Attack{Rate: 2, Duration: time.Minute}, 120, 2, time.Minute},
	} {
		for _, strategies := range []string{"", "worker_pool"} {
			if strategies != "" {
				c.a.Strategy = strategy(t, strategies)
			}
			var served atomic.Int64
			r := inBubble(t, c.a, func(http.ResponseWriter, *http.Request) { served.Add(1) })
			offered, done := metric(t, r, "offered-ops/s"), metric(t, r, "ops/s")
			if int(served.Load()) != c.sent || r.Tasks != c.sent ||
				math.Abs(offered/c.rate-1) > 1e-9 || math.Abs(done/c.rate-1) > 1e-9 {
				t.Errorf("%s: %d served, %d counted, at %v, %v a second: want %d at %v", r.Name,
					served.Load(), r.Tasks, offered, done, c.sent, c.rate)
			}
		}
	}
}

func TestDrain(t *testing.T) {
	for name, a := range map[string]attack.Attack{
		"open":      {Rate: 1000, Duration: 2 * time.Second, MaxInFlight: 5},
		"unlimited": {Rate: 1000, Duration: 2 * time.Second, MaxInFlight: attack.Unlimited},
		"n":         {Rate: 1000, Tasks: 2000},
		"through": {Rate: 1000, Duration: 2 * time.Second, Strategy: strategy(t, "semaphore"),
			Limit: 5},
		"queued": {Rate: 1000, Duration: 2 * time.Second, Strategy: strategy(t, "worker_pool"),
			Limit: 5, Queue: 3000},
		"retried": {Rate: 1000, Duration: 2 * time.Second, Strategy: strategy(t, "retry_queue"),
			Limit: 5},
		"closed": {Clients: 5, Duration: 2 * time.Second},
		"shared": {Clients: 5, Connections: 2, Duration: 2 * time.Second},
	} {
		a.Drain = 500 * time.Millisecond
		synctest.Test(t, func(t *testing.T) {
			slow, begun := make(chan struct{}, 5), time.Now()
			r := bubbled(t, t.Context(), a, func(_ http.ResponseWriter, r *http.Request) {
				slow <- struct{}{}
				defer func() { <-slow }()
				select {
				case <-time.After(300 * time.Millisecond): // 5 slots serve 17 requests/s
				case <-r.Context().Done():
				}
			})
			if took := time.Since(begun); took > 2500*time.Millisecond {
				t.Errorf("%s: took %v", name, took)
			}
			done, open := metric(t, r, "ops/s")*metric(t, r, "makespan-sec"),
				metric(t, r, "abandoned/op")*float64(r.Tasks)
			switch {
			case a.Clients > 0:
				if open > 1 || r.Tasks < 10 { // with two connections the last of five waits
					t.Errorf("%s: %d requests, %v abandoned", name, r.Tasks, open)
				}
			case r.Tasks != 2000 || open < 1900 || done < 30 ||
				!slices.Contains(checkNames(r), "unanswered"):
				t.Errorf("%s: %d requests, %v completed, %v abandoned: %v", name, r.Tasks,
					done, open, r.Reasons)
			}
			time.Sleep(time.Hour)
		})
	}
}
