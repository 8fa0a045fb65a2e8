package bench

import (
	"context"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

// nothing is an empty workload, so only the harness costs time.
type nothing struct{}

func (nothing) Do(context.Context, uint64) error { return nil }
func (nothing) Mean() time.Duration              { return time.Microsecond }
func (nothing) C2() float64                      { return 0 }

func freeScenario(spec strategies.Spec) Scenario {
	s := Scenario{
		Strategy: strategies.MustParse(spec.Name),
		Workload: workloads.Variant{Spec: workloads.Spec{Name: "nothing",
			New: func(uint64, param.Values) (workloads.Workload, error) { return nothing{}, nil }}},
		Target: targets.MustParse("none"),
		Limit:  8,
		Stop:   Stop{Tasks: 1},
	}
	s.Load.Arrival = arrivals.MustParse("batch")
	return s
}

// BenchmarkDriverOverhead measures empty tasks with and without the driver. The documented maximum
// of the difference is 250 ns per task without allocation.
func BenchmarkDriverOverhead(b *testing.B) {
	for _, name := range []string{"serial", "semaphore", "worker_pool", "dispatcher"} {
		spec, err := strategies.Lookup(name)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("strategy="+spec.Name+"/measured=no", func(b *testing.B) { benchmarkBare(b, spec) })
		b.Run("strategy="+spec.Name+"/measured=yes", func(b *testing.B) {
			benchmarkMeasured(b, spec)
		})
	}
}

func benchmarkBare(b *testing.B, spec strategies.Spec) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := freeScenario(spec)
	s.Queue = queueFor(spec)
	var idle bareList
	strategy := spec.New(ctx, s.params(),
		strategies.SinkFunc(func(t *strategies.Task,
			_ strategies.Result) {
			idle.push(t.Arg.(*job))
		}))
	run := func(context.Context, *strategies.Task) strategies.Result { return strategies.Result{} }
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		j := idle.pop()
		if j == nil {
			j = &job{}
			j.task.Run, j.task.Arg = run, j
		}
		if strategy.Submit(ctx, &j.task) != nil {
			idle.putBack(j)
		}
	}
	if err := strategy.Drain(ctx); err != nil {
		b.Fatal(err)
	}
}

// bareList reuses tasks, as the driver does.
type bareList = jobList

func benchmarkMeasured(b *testing.B, spec strategies.Spec) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := freeScenario(spec)
	s.Queue = queueFor(spec)
	s.Stop.Tasks = b.N
	d, err := newDriver(ctx, s, nil)
	if err != nil {
		b.Fatal(err)
	}
	play, err := d.prepare()
	if err != nil {
		b.Fatal(err)
	}
	if err := d.open(ctx); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	d.base = time.Now()
	play(ctx)
	if err := d.strategy.Drain(ctx); err != nil {
		b.Fatal(err)
	}
}

func queueFor(spec strategies.Spec) int {
	if spec.UsesQueue {
		return 64
	}
	return 0
}
