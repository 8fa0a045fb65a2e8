package measure_test

import (
	"flag"
	"fmt"
	"testing"
	"time"
)

type options struct {
	poolbench          string
	suite              suite
	unchanged, changed int
	runTime            time.Duration
	seed               int // seed of the first gate; increases by one for each further gate
}

var asked = options{suite: usual}

func init() {
	flag.StringVar(&asked.poolbench, "poolbench", "", "the program whose gate is tested")
	flag.Var(&asked.suite, "suite", "which benchmarks: usual or small")
	flag.IntVar(&asked.unchanged, "unchanged", 20, "gates of unchanged code")
	flag.IntVar(&asked.changed, "changed", 10, "gates with regressions")
	flag.DurationVar(&asked.runTime, "runtime", 250*time.Millisecond, "the length of a run")
	flag.IntVar(&asked.seed, "seed", 1, "that of the first gate; the next have the next seeds")
}

func TestLive(t *testing.T) {
	if asked.poolbench == "" {
		t.Skip("takes an hour: -poolbench")
	}
	if asked.seed < 1 || asked.unchanged < 0 || asked.changed < 0 || asked.runTime <= 0 {
		t.Fatal("want a number of gates of either kind, and a time and a seed above 0")
	}
	trial := asked.try(t)
	fmt.Print(trial.report(time.Now()))
	if !trial.passed() {
		t.Error("a goal is missed")
	}
}
