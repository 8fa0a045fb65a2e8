package bench

import (
	"context"
	"math"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/poolbench/poolbench/internal/observe"
)

// A Suite runs scenarios several times. It runs all scenarios once before it repeats them, so a
// slow minute of the machine affects every scenario. Repetition i adds i to each seed.
type Suite struct {
	Scenarios []Scenario
	Count     int // repetitions; 0 means 1
	// number of concurrent virtual-clock runs; 0 is GOMAXPROCS. Real-clock runs always run alone
	Parallel int
}

// Runs returns the number of runs.
func (s Suite) Runs() int { return len(s.Scenarios) * max(s.Count, 1) }

// Estimate returns the expected real time of the whole suite.
func (s Suite) Estimate() time.Duration {
	total := 0.0
	for _, sc := range s.Scenarios {
		t := float64(sc.Estimate()) * float64(max(s.Count, 1))
		if sc.Clock == Virtual {
			t /= float64(s.parallel())
		}
		total += t
	}
	return toDuration(total)
}

func toDuration(ns float64) time.Duration {
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(ns)
}

func (s Suite) parallel() int {
	if s.Parallel > 0 {
		return s.Parallel
	}
	return runtime.GOMAXPROCS(0)
}

// At returns the scenario of run i of the plan, with its seed.
func (s Suite) At(i int) Scenario {
	sc := s.Scenarios[i%len(s.Scenarios)].withDefaults()
	sc.Seed += uint64(i / len(s.Scenarios))
	sc.Among = s.Runs()
	return sc
}

// ahead is the number of runs per processor that may have ended after an unfinished run. A kill
// loses these runs.
const ahead = 32

// Do runs the suite. It calls each with the result or error of every run, from the caller's
// goroutine and in the order of the plan. The first error from each, or the end of ctx, stops the
// suite. When Do returns, no run is in progress.
func (s Suite) Do(
	ctx context.Context, run RunFunc, each func(sc Scenario, r *Result, err error) error,
) error {
	ctx, cancel := context.WithCancel(ctx)
	started := make(chan *execution, ahead*s.parallel())
	var goroutines sync.WaitGroup
	goroutines.Go(func() { s.start(ctx, run, started, &goroutines) })
	defer goroutines.Wait()
	defer cancel()
	for e := range started {
		select {
		case <-e.done:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		if err := each(e.scenario, e.result, e.err); err != nil {
			return err
		}
		close(e.handled)
	}
	return context.Cause(ctx)
}

type execution struct {
	scenario Scenario
	result   *Result
	err      error
	done     chan struct{} // closed when result or err is set
	handled  chan struct{} // closed when each has returned
}

// A real-clock run occupies all slots, so it runs alone.
func (s Suite) start(
	ctx context.Context, run RunFunc, started chan<- *execution, goroutines *sync.WaitGroup,
) {
	defer close(started)
	all := int64(s.parallel())
	slots := semaphore.NewWeighted(all)
	for i := range s.Runs() {
		e := &execution{scenario: s.At(i), done: make(chan struct{}), handled: make(chan struct{})}
		need := int64(1)
		if e.scenario.Clock == Real {
			need = all
		}
		if slots.Acquire(ctx, need) != nil {
			return
		}
		select {
		case started <- e:
		case <-ctx.Done():
			return
		}
		goroutines.Go(func() {
			defer slots.Release(need)
			e.result, e.err = run(ctx, e.scenario)
			close(e.done)
			if e.scenario.Clock == Real {
				select {
				case <-e.handled:
				case <-ctx.Done():
				}
			}
		})
	}
}

// Costs of a run in addition to its own time, measured on two cores, for estimates.
const (
	virtualPerTask = 1500 * time.Nanosecond
	perRun         = 30 * time.Millisecond
)

// Estimate returns the expected real time of one run.
func (s Scenario) Estimate() time.Duration {
	s = s.withDefaults()
	tasks, span := s.expected()
	if s.Clock == Virtual {
		return time.Duration(tasks)*virtualPerTask + perRun
	}
	return span + perRun
}

func (s Scenario) expected() (tasks float64, span time.Duration) {
	w, err := s.Workload.Spec.Build(s.Seed, s.Workload.Values)
	if err != nil {
		return 0, 0
	}
	_ = closeWorkload(w)
	mean := w.Mean().Seconds()
	capacity := float64(s.described().Slots()) / max(mean, 1e-9)
	rate := s.described().Rate(w.Mean())
	if rate == 0 || rate > capacity {
		rate = capacity // the slots limit the rate of closed loops, batches and overload
	}
	if s.Load.Arrival.IsClosed() {
		if c, err := s.Load.Arrival.Spec.Closed(s.Load.Arrival.Values); err == nil {
			rate = min(rate, float64(c.Count)/(c.Think.Mean().Seconds()+mean))
		}
	}
	if s.Stop.Tasks == 0 {
		return rate * s.Stop.Duration.Seconds(), s.Stop.Duration
	}
	tasks = float64(s.Stop.Tasks)
	return tasks, toDuration(tasks / rate * observe.Second)
}
