package bench

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/strategies"
)

func recordedTasks(t *testing.T, s Scenario) (measurement, *rundir.Tasks) {
	t.Helper()
	o, err := s.withDefaults().observe(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	r, err := o.result()
	if err != nil {
		t.Fatal(err)
	}
	kept, err := rundir.UnpackTasks(r.Tasks, r.Responses)
	if err != nil || kept.Parts == nil {
		t.Fatalf("%s: %v", r.Name, err)
	}
	first := o.Trace.Len() - r.Tasks
	for i, lag := range o.Trace.Lags() {
		if i < first {
			continue
		}
		rec := o.Trace.At(i)
		p := rec.Parts(lag)
		want, response := rundir.Parts{}, int64(rundir.NoResponse)
		if rec.Outcome == record.Completed {
			want = rundir.Parts{p.Lag, p.Blocked, p.Queued, p.Between, p.Service}
			response = rec.Response()
		}
		due, _ := kept.Due(i - first)
		if kept.Parts[i-first] != want || kept.Responses[i-first] != response || due != rec.Due {
			t.Fatalf("%s: task %d is kept as %v, %d, due at %d; want %v, %d, %d", r.Name, i,
				kept.Parts[i-first], kept.Responses[i-first], due, want, response, rec.Due)
		}
	}
	return o, &kept
}

// Task i is due at the same time under both strategies, so the differences of its parts add up to
// the difference of its responses.
func TestDifferencesAddUp(t *testing.T) {
	t.Parallel() // real-clock runs mostly wait
	random := rand.New(rand.NewPCG(30, 5))
	names := []string{"retry:attempts=3+token_bucket:rate=200+worker_pool",
		"codel_lifo:queue=30+semaphore"}
	for _, spec := range strategies.All() {
		names = append(names, spec.Name)
	}
	compared := 0
	times := 40
	if testing.Short() {
		times = 2
	}
	for range times {
		w := Encoded{Workload: "two_class:mean=11ms,r=9", Target: "flaky:errors=0.1,spikes=0.1",
			Arrival: "poisson", Limit: 1 + random.IntN(8), Rate: 100 + 300*random.Float64(),
			Tasks: 500, Warmup: 0.1, Timeout: time.Second, Seed: random.Uint64N(1000),
			Clock: "virtual"}
		if random.IntN(4) == 0 {
			w.Clock, w.Workload, w.Rate = "real", "exponential:mean=1ms", 2000
			w.Target = "flaky:errors=0.1,spikes=0.1,spike=2ms" // some calls are slow
		}
		var before *rundir.Tasks
		for range 5 {
			w.Strategy = names[random.IntN(len(names))]
			s, err := w.Scenario()
			if err != nil || s.Validate() != nil {
				continue // requires the real clock or a parameter
			}
			_, now := recordedTasks(t, s)
			if before == nil {
				before = now
				continue
			}
			if !now.SamePlan(before) {
				t.Fatalf("%s: tasks are due at other times than under another strategy", s.Name())
			}
			for i, is := range now.Responses {
				was := before.Responses[i]
				if is < 0 || was < 0 {
					continue
				}
				sum := int64(0)
				for part := range now.Parts[i] {
					sum += now.Parts[i][part] - before.Parts[i][part]
				}
				if compared++; sum != is-was {
					t.Fatalf("%s: task %d: the parts differ by %d, the responses by %d",
						s.Name(), i, sum, is-was)
				}
			}
		}
	}
	if compared < 1000 {
		t.Errorf("%d tasks are compared", compared)
	}
}
