package bench

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/rundir"
)

func slowScenarios(t *testing.T) (all []Scenario) {
	t.Helper()
	random := rand.New(rand.NewPCG(30, 4))
	for _, name := range []string{"worker_pool", "semaphore", "bounded_queue_shed", "partitioned",
		"retry:attempts=3+token_bucket:rate=200+worker_pool", "codel_lifo:queue=30+semaphore"} {
		s, err := Encoded{Strategy: name, Workload: "two_class:mean=11ms,r=9",
			Target: "flaky:errors=0.1,spikes=0.1", Arrival: "poisson", Limit: 4,
			Rate: 250 + 150*random.Float64(), Tasks: 700, Warmup: 0.1,
			Seed: random.Uint64N(1000), Clock: "virtual"}.Scenario()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s.withDefaults())
	}
	return all
}

func TestSlowest(t *testing.T) {
	for _, s := range slowScenarios(t) {
		o, err := s.observe(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		r, err := o.result()
		if err != nil {
			t.Fatal(err)
		}
		first, all := int(s.Stop.Warmup*float64(o.Trace.Len())), []int(nil)
		for i := first; i < o.Trace.Len(); i++ {
			all = append(all, i)
		}
		slices.SortStableFunc(all, func(a, b int) int {
			return cmp.Compare(o.Trace.At(b).Response(), o.Trace.At(a).Response())
		})
		if len(r.Slowest) != rundir.MaxSlowest {
			t.Fatalf("%s: %d tasks", r.Name, len(r.Slowest))
		}
		for rank, got := range r.Slowest {
			rec := o.Trace.At(all[rank])
			if got.Task != all[rank] || int64(got.Due) != rec.Due || int64(got.End) != rec.End ||
				int64(got.Start) != rec.Start || int64(got.Accepted) != rec.Left ||
				int64(got.Issue) != rec.Issue || got.Outcome != machine.Names[rec.Outcome] ||
				got.Attempts != int(rec.Attempts) || got.Class != rec.Class.String() {
				t.Fatalf("%s: rank %d is %+v, want task %d, %+v", r.Name, rank, got, all[rank], rec)
			}
			if sum := got.Lag + got.Blocked + got.Queued + got.Between + got.Service; sum !=
				got.Response() {
				t.Errorf("%s: task %d took %v, its parts %v", r.Name, got.Task, got.Response(), sum)
			}
			inFlight, waiting := 0, 0
			for i := range got.Task {
				other, at := o.Trace.At(i), rec.Due
				switch {
				case other.End <= at:
				case other.Attempts > 0 && other.Start <= at:
					inFlight++
				default:
					waiting++
				}
			}
			if got.InFlight != inFlight || got.Waiting != waiting {
				t.Errorf("%s: task %d found %d and %d, counted are %d and %d", r.Name, got.Task,
					got.InFlight, got.Waiting, inFlight, waiting)
			}
		}
	}
}

func TestSlowestOfSoak(t *testing.T) {
	for _, s := range slowScenarios(t) {
		want, err := Run(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		s.Soak = true
		got, err := Run(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want.Slowest {
			want.Slowest[i].InFlight, want.Slowest[i].Waiting = rundir.Unknown, rundir.Unknown
		}
		if len(got.Slowest) == 0 || !slices.Equal(got.Slowest, want.Slowest) {
			t.Errorf("%s: the soak has %+v\nwant %+v", got.Name, got.Slowest, want.Slowest)
		}
	}
}

func TestSlowestTies(t *testing.T) {
	var s observe.Slowest
	for i := range 3 * rundir.MaxSlowest {
		r := record.Record{Due: int64(i)}
		r.Settle(record.Completed, int64(i)+7)
		s.Add(i, &r, 0)
	}
	for i, got := range s.Ended() {
		if got.Task != i {
			t.Fatalf("rank %d is task %d", i, got.Task)
		}
	}
}

// The number of tasks found at arrival is known only if the parts ran one after the other.
func TestSlowestMerged(t *testing.T) {
	part := func(from int, found int) *Result {
		r := &Result{}
		for i := range rundir.MaxSlowest {
			r.Slowest = append(r.Slowest, result.SlowTask{Task: i, End: time.Duration(from - 2*i),
				InFlight: found})
		}
		return r
	}
	for _, together := range []bool{true, false} {
		got := observe.MergeSlowest([]*Result{part(1000, 1), part(1001, 2)}, together)
		if len(got) != rundir.MaxSlowest {
			t.Fatalf("%d tasks", len(got))
		}
		for i, task := range got {
			found := 2 - i%2
			if together {
				found = rundir.Unknown
			}
			if task.Response() != time.Duration(1001-i) || task.InFlight != found {
				t.Errorf("rank %d is %+v", i, task)
			}
		}
	}
}
