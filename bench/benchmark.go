package bench

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Benchmark runs the scenario as a Go benchmark: one op is one task, b.N of them, and the metrics of the last run are reported
// in the units of Metrics, times in nanoseconds. A run that breaks a law fails the benchmark.
//
// This is how a strategy that lives in another module is measured: fill in Scenario.Strategy.Spec with one of your own. Quantiles need
// tasks (a p99 needs 368), so give `go test` a -benchtime such as 2000x.
//
// Where the environment has a POOLBENCH_SEED, as under `poolbench gate --base`, it is added to that of the scenario: each pair of runs
// then faces other work, and both sides of a pair the same.
//
// It writes the Unit lines, which tell benchstat and `poolbench gate` which direction is better, to standard output, once a process.
func Benchmark(b *testing.B, s Scenario) {
	b.Helper()
	declareUnits()
	warmup := s.withDefaults().Stop.Warmup
	s.Stop = Stop{Tasks: b.N, Warmup: warmup}
	if text, ok := os.LookupEnv(seedVariable); ok {
		more, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			b.Fatalf("%s: want a whole number from 0 to 2^64-1, got %q", seedVariable, text)
		}
		s.Seed += more
	}
	r, err := Run(context.Background(), s)
	if err != nil {
		b.Fatal(err)
	}
	for _, law := range r.Broken {
		b.Errorf("%s", law)
	}
	for _, m := range r.Metrics {
		value, unit := inNanoseconds(m)
		b.ReportMetric(value, unit)
	}
}

// seedVariable is the environment variable that package revisions sets.
const seedVariable = "POOLBENCH_SEED"

// declareUnits runs before the testing package has printed anything of the first benchmark: it prints a benchmark's name only
// after its first round with b.N = 1.
var declareUnits = sync.OnceFunc(func() {
	fmt.Fprint(os.Stdout, unitLines(func(unit string) string {
		_, unit = inNanoseconds(Metric{Unit: unit})
		return unit
	}))
})

// inNanoseconds spells a time as the testing package does.
func inNanoseconds(m Metric) (value float64, unit string) {
	for _, suffix := range []string{"-sec", "-sec/op"} {
		if base, ok := strings.CutSuffix(m.Unit, suffix); ok {
			return m.Value * second, base + strings.Replace(suffix, "sec", "ns", 1)
		}
	}
	return m.Value, m.Unit
}
