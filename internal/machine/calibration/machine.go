package calibration

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/workloads"
)

type Reading struct {
	bench.Result        // its name is like that of a benchmark: Calibrate/lag/rate=1000
	What         string // description with the meaning of the unit
}

func newReading(name, what string, metrics ...result.Metric) Reading {
	return Reading{bench.Result{Name: name, Tasks: 1, Metrics: metrics}, what}
}

// Machine measures the accuracy of this machine under the real clock, in about ten seconds:
//
//	Calibrate/sleep      lateness of a sleep of 1 ms
//	Calibrate/stall      lateness of a goroutine on its own thread that polls the clock
//	Calibrate/lag/rate=… lateness of the generator at 1k, 10k, 100k and 1M arrivals per second
//	Calibrate/task       cost of an empty task: the harness and the cheapest pool together
//	Calibrate/noise      variation of the time of the same computation
//	Calibrate/smallest   task times of which the sleep's median, or a task's cost, is 10 %
//
// Other work on the machine affects all of them, which is intended.
func Machine(ctx context.Context) ([]Reading, error) {
	sleep := sleepReading(ctx, 300)
	stall := stallReading(ctx, 2*time.Second)
	readings := []Reading{sleep, stall}
	for _, rate := range []float64{1e3, 1e4, 1e5, 1e6} {
		r, err := lagReading(ctx, rate)
		if err != nil {
			return nil, err
		}
		readings = append(readings, r)
	}
	task, err := taskReading(ctx)
	if err != nil {
		return nil, err
	}
	noise, err := noiseReading(ctx)
	if err != nil {
		return nil, err
	}
	return append(readings, task, noise, smallest(sleep, task)), ctx.Err()
}

func late(times []time.Duration) []result.Metric {
	if len(times) == 0 {
		return nil
	}
	slices.Sort(times)
	at := func(p float64) float64 {
		return times[int(math.Ceil(p*float64(len(times))))-1].Seconds()
	}
	return []result.Metric{{Unit: metric.P50Late, Value: at(0.5)},
		{Unit: metric.P99Late, Value: at(0.99)}, {Unit: metric.MaxLate, Value: at(1)}}
}

func sleepReading(ctx context.Context, n int) Reading {
	var times []time.Duration
	for range n {
		if ctx.Err() != nil {
			break
		}
		start := time.Now()
		time.Sleep(time.Millisecond)
		times = append(times, time.Since(start)-time.Millisecond)
	}
	return newReading("Calibrate/sleep", "a sleep of 1 ms ends late by", late(times)...)
}

// stallReading polls the clock, so timers do not affect it.
func stallReading(ctx context.Context, span time.Duration) Reading {
	var gaps []time.Duration
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		start := time.Now()
		for before := time.Duration(0); before < span && ctx.Err() == nil; {
			var gap time.Duration
			for slice := before + time.Millisecond; before < slice; {
				now := time.Since(start)
				gap = max(gap, now-before)
				before = now
			}
			gaps = append(gaps, gap)
		}
	}()
	<-done
	return newReading("Calibrate/stall",
		"longest stall of a busy thread, per millisecond", late(gaps)...)
}

// maxTasks limits a run, because an interrupt during the evaluation of a million tasks takes
// seconds on a busy machine.
const maxTasks = 200_000

type nothing struct{}

func (nothing) Do(context.Context, uint64) error { return nil }
func (nothing) Mean() time.Duration              { return time.Microsecond }
func (nothing) C2() float64                      { return 0 }

func empty(arrival string, n int) bench.Scenario {
	s, err := bench.Encoded{Strategy: "dispatcher", Workload: "constant", Target: "none",
		Arrival: arrival, Clock: "real", Limit: 8, Queue: 1 << 16,
		Tasks: n, Warmup: 0.1, Seed: 1}.Scenario()
	if err != nil {
		panic("calibration: " + err.Error())
	}
	s.Workload = workloads.Variant{Spec: workloads.Spec{Name: "nothing",
		New: func(uint64, param.Values) (workloads.Workload, error) { return nothing{}, nil }}}
	return s
}

func lagReading(ctx context.Context, rate float64) (Reading, error) {
	s := empty("constant", int(min(rate, maxTasks)))
	s.Load = bench.Load{Arrival: s.Load.Arrival, PerSecond: rate}
	r, err := bench.Run(ctx, s)
	if err != nil {
		return Reading{}, err
	}
	return newReading(fmt.Sprintf("Calibrate/lag/rate=%.0f", rate),
		fmt.Sprintf("at %.0f arrivals a second, the generator is late by", rate),
		only(r, metric.P99Lag, metric.Offered, metric.CPUPerOp)...), nil
}

func taskReading(ctx context.Context) (Reading, error) {
	r, err := bench.Run(ctx, empty("batch", maxTasks))
	if err != nil {
		return Reading{}, err
	}
	return newReading("Calibrate/task", "overhead of an empty task, poolbench and dispatcher "+
		"together",
		only(r, metric.NsPerOp, metric.AllocsPerOp)...), nil
}

func noiseReading(ctx context.Context) (Reading, error) {
	var times []float64
	for range 10 {
		s, err := bench.Encoded{Strategy: "dispatcher", Workload: "cpu_sha256:mean=200us",
			Target: "none", Arrival: "batch", Clock: "real",
			Limit: runtime.GOMAXPROCS(0), Queue: 1000, Tasks: 500, Seed: 1}.Scenario()
		if err != nil {
			return Reading{}, err
		}
		r, err := bench.Run(ctx, s)
		if err != nil {
			return Reading{}, err
		}
		v, _ := r.Metric(metric.Makespan)
		times = append(times, v)
	}
	average, deviation := stat.Mean(times, nil), stat.StdDev(times, nil)
	return newReading("Calibrate/noise", "ten runs of the same computation, all cores busy, "+
		"differ by (standard deviation, largest over smallest)",
		result.Metric{Unit: metric.RelativeDeviation, Value: deviation / average},
		result.Metric{Unit: metric.LargestOverSmallest,
			Value: slices.Max(times) / slices.Min(times)}), nil
}

func smallest(sleep, task Reading) Reading {
	late, _ := sleep.Metric(metric.P50Late)
	cost, _ := task.Metric(metric.NsPerOp)
	return newReading("Calibrate/smallest",
		"ten times a sleep's median lateness, and ten times an empty task's cost",
		result.Metric{Unit: metric.SmallestWait, Value: 10 * late},
		result.Metric{Unit: metric.SmallestComputation, Value: 10 * cost / 1e9})
}

func only(r *bench.Result, units ...string) (some []result.Metric) {
	for _, unit := range units {
		if v, ok := r.Metric(unit); ok {
			some = append(some, result.Metric{Unit: unit, Value: v})
		}
	}
	return some
}
