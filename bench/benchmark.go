package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/rundir"
)

// Benchmark runs the scenario as a Go benchmark of b.N tasks, and reports the units of Metrics with
// times in nanoseconds. A broken invariant or a [StrategyError] fails the benchmark. A strategy
// that hangs under the real clock, spins or holds a mutex ends the process with status 1.
//
// To measure a strategy of another module, set Scenario.Strategy.Spec. Quantiles need enough tasks
// (p99 needs 368), so pass `go test` a -benchtime such as 2000x.
//
// Each repetition of `go test -count` and each value of -cpu uses another seed. The variable
// POOLBENCH_SEED is added to the seed. Poolbench ignores further runs with the same name and
// virtual-seed, which is the seed modulo 2^53.
func Benchmark(b *testing.B, s Scenario) {
	b.Helper()
	labelTraces()
	warmup := s.withDefaults().Stop.Warmup
	s.Stop = Stop{Tasks: b.N, Warmup: warmup}
	if text, ok := os.LookupEnv(seedVariable); ok {
		more, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			b.Fatalf("%s: want a whole number from 0 to 2^64-1, got %q", seedVariable, text)
		}
		s.Seed += more
	}
	s.Seed += repetitions.earlierRuns(b, s)
	ctx := pprof.WithLabels(context.Background(), pprof.Labels("benchmark", b.Name()))
	r, err := Run(ctx, s)
	var wrong *StrategyError
	switch {
	case errors.As(err, &wrong) && wrong.Goes:
		fmt.Fprintf(os.Stdout, "\n--- FAIL: %s\n    %v\n%s\n", b.Name(), wrong,
			indented(wrong.Stacks))
		os.Exit(1)
	case errors.As(err, &wrong):
		b.Fatalf("%v\n%s", wrong, wrong.Stacks)
	case err != nil:
		b.Fatal(err)
	}
	for _, law := range r.Broken {
		b.Errorf("%s", law)
	}
	if b.N == 1 { // the first round, after which the testing package prints the benchmark's name
		fmt.Fprint(os.Stdout, declared.lines(r))
	}
	reportMetrics(b, r.Metrics)
	if s.Clock == Virtual {
		b.ReportMetric(float64(s.Seed%rundir.VirtualSeeds), rundir.VirtualSeed)
	}
}

type runCounter struct {
	lock sync.Mutex
	runs map[string]uint64
}

var repetitions = runCounter{runs: map[string]uint64{}}

// A round of b.N = 1 starts each run of the testing package.
func (r *runCounter) earlierRuns(b *testing.B, s Scenario) uint64 {
	s.Stop = Stop{}
	which := b.Name() + " " + s.Name()
	r.lock.Lock()
	defer r.lock.Unlock()
	if b.N == 1 {
		r.runs[which]++
	}
	return max(r.runs[which], 1) - 1
}

func reportMetrics(b *testing.B, metrics []result.Metric) {
	b.Helper()
	b.ReportMetric(0, metric.NsPerOp)
	for _, m := range metrics {
		value, unit := inNanoseconds(m)
		if math.IsNaN(value) || math.IsInf(value, 0) {
			b.Errorf("%s is %v: nothing was measured", unit, value)
			continue
		}
		b.ReportMetric(value, unit)
	}
}

func indented(lines string) string {
	return strings.ReplaceAll("\n"+lines, "\n", "\n    ")[1:]
}

// seedVariable equals measure.SeedVariable of the gate.
const seedVariable = "POOLBENCH_SEED"

// unitSet contains the units whose lines are printed.
type unitSet struct {
	sync.Mutex
	units map[string]bool
}

var declared = unitSet{units: map[string]bool{}}

// lines returns new Unit lines for the metrics of the first round, which has a single task, and for
// the percentiles that further rounds add.
func (d *unitSet) lines(r *Result) string {
	d.Lock()
	defer d.Unlock()
	var lines strings.Builder
	for _, m := range observe.Metrics() {
		_, has := r.Metric(m.Unit)
		_, hasMean := r.Metric(metric.WithMean(m.Unit))
		_, unit := inNanoseconds(result.Metric{Unit: m.Unit})
		if (has || hasMean) && m.Better != "" && !d.units[unit] {
			d.units[unit] = true
			lines.WriteString(m.Line(unit) + "\n")
		}
	}
	return lines.String()
}

// labelTraces adds goroutine labels to crash traces. The runtime reads GODEBUG again when it
// changes.
var labelTraces = sync.OnceFunc(func() {
	setting := "tracebacklabels=1"
	if others := os.Getenv("GODEBUG"); others != "" {
		setting = others + "," + setting
	}
	os.Setenv("GODEBUG", setting)
})

func inNanoseconds(m result.Metric) (value float64, unit string) {
	for _, suffix := range []string{"-sec", "-sec/op"} {
		if base, ok := strings.CutSuffix(m.Unit, suffix); ok {
			return m.Value * observe.Second, base + strings.Replace(suffix, "sec", "ns", 1)
		}
	}
	return m.Value, m.Unit
}
