package bench_test

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/strategies"
)

// BenchmarkMisbehaved runs in a child process, because most misbehaviour ends the process.
func BenchmarkMisbehaved(b *testing.B) {
	how := misdeed(os.Getenv("POOLBENCH_MISDEED"))
	if how == "" {
		b.Skip("for TestMisbehaved alone")
	}
	for _, clock := range []bench.Clock{bench.Real, bench.Virtual} {
		for _, arrival := range []string{"poisson", "closed:clients=3"} {
			b.Run("clock="+clock.String()+"/arrival="+arrival, func(b *testing.B) {
				w := bench.Encoded{Workload: "constant:mean=1ms", Arrival: arrival,
					Clock: clock.String(), Limit: 2, Tasks: 1}
				if arrival == "poisson" {
					w.Rate = 1000
				}
				s := scenario(b, w)
				s.Strategy = strategies.Variant{Spec: misbehavedSpec(how)}
				bench.Benchmark(b, s)
			})
		}
	}
}

// Any misbehaviour must be reported in bounded time.
func TestMisbehaved(t *testing.T) {
	const open, closed, both = "poisson", "closed", ""
	type row struct {
		how     misdeed
		arrival string
		want    string // regular expression
	}
	type cell struct {
		row
		clock, loop string
	}
	var all []cell
	for i, test := range []row{
		{"nothing", both, ""}, // control

		{newIsNil, open, "New returned nil"},
		{newHangs, open, "New does not return"},
		{newPanics, open, "New panicked: no pool today"},
		{newExits, open, "New ended the goroutine of its caller \\(runtime.Goexit\\)"},
		{submitWaits, both, "Submit does not return"},
		{submitLocks, both, "Submit does not return"},
		{submitSpins, both, "Submit does not return"},
		{submitPanic, both, "Submit panicked: send on closed channel"},
		{submitExits, both, "Submit ended the goroutine of its caller \\(runtime.Goexit\\)"},
		{drainWaits, open, "Drain does not return"},
		{drainLocks, open, "Drain does not return"},
		{drainSpins, open, "Drain does not return"},
		{drainPanics, open, "Drain panicked: close of nil channel"},
		{drainExits, open, "Drain ended the goroutine of its caller \\(runtime.Goexit\\)"},
		{workerLocks, open, "Drain does not return|the virtual clock stands still"},
		{workerLocks, closed, "a task is accepted and never done|the virtual clock stands still"},
		{workerSpins, open, "Drain does not return|the virtual clock stands still"},
		{workerSpins, closed, "a task is accepted and never done|the virtual clock stands still"},
		{workerExits, open, "1 of 40 offered tasks were never settled"},
		{workerExits, closed, "a task is accepted and never done"},
		{workerPanic, both, `"benchmark": "BenchmarkMisbehaved/clock=`},

		{leaksWaiting, open,
			"goroutines left after Drain: 1, at bench_test.\\(\\*misbehaved\\).wait"},
		{leaksAsleep, open, "goroutines left after Drain: 1, at time.Sleep"},
		{leaksOnClose, open,
			"goroutines left after Drain: 1, at bench_test.\\(\\*misbehaved\\).wait"},

		{doneNil, both, "Done was called with nil"},
		{doneForeign, open, "Done was called with a task that was never submitted"},
		{doneCopy, open, "Done was called with a copy of a task"},
		// the symptom depends on another task
		{doneOther, both, "settled twice|a task is accepted and never done|inside its Run"},
		{doneTwice, both, "1 tasks were settled twice|inside its Run"},
		{doneEarly, both, "Done was called with a task that is inside its Run"},
		{doneUnrun, open, "1 tasks were done without an error, but never run"},
		{doneNever, open, "1 of 40 offered tasks were never settled"},
		{doneNever, closed, "a task is accepted and never done"},

		{doesNothing, open, "1 of 40 offered tasks were never settled"},
		{doesNothing, closed, "a task is accepted and never done"},
		{runsTwice, both, "1 tasks ran more than once"},
		{runsAtOnce, both, "a task was run that had already run, or was refused or done \\(1×\\)"},
		{runsLate, both, "a task was run that had already run, or was refused or done \\(1×\\)|1 " +
			"tasks ran more than once"},
		{runsRefused, both, "and runs it, but by clause 2"},
		{ranRefused, both, "and runs it, but by clause 2"},
		{doneRefused, both, "1 tasks were settled twice"},
		{refusesOdd, open, `Submit refused a task with "no room in the inn"`},
		{refusesShut, open, "Submit refused a task with"},
		{changesArg, open, "never submitted or has another Arg"},
		{changesRun, open, "a task came back with a changed Run"},
		{changesSize, open, "a task came back with a changed Run"},
	} {
		var cells []cell
		for _, arrival := range []string{open, closed} {
			if test.arrival != both && test.arrival != arrival {
				continue
			}
			cells = append(cells, cell{test, "real", arrival}, cell{test, "virtual", arrival})
		}
		if turn := i / 2 % len(cells); testing.Short() {
			if i%2 != 0 {
				continue
			}
			cells = cells[turn : turn+1]
		}
		all = append(all, cells...)
	}
	for _, test := range all {
		t.Run(strings.Join([]string{string(test.how), test.clock, test.loop}, "/"),
			func(t *testing.T) {
				t.Parallel()
				want := regexp.MustCompile(test.want)
				// With a short patience, a busy machine may look like another hang, so the test
				// then repeats with more.
				patience := []string{"30s"}
				if hangs.MatchString(test.want) {
					patience = []string{"25ms", "200ms", "2s", "20s"}
				}
				var out string
				var failed bool
				for _, p := range patience {
					out, failed = benchmarkMisbehaved(t, test.how, test.clock, test.loop, p)
					if want.MatchString(out) {
						break
					}
				}
				switch {
				case failed != (test.want != ""):
					t.Errorf("failed: %v\n%s", failed, out)
				case !want.MatchString(out):
					t.Errorf("want %q in the output:\n%s", test.want, out)
				case test.want != "" &&
					(strings.Contains(out, "PASS") || strings.Contains(out, "NaN")):
					t.Errorf("it passes, or has a number that is none:\n%s", out)
				case failed && !strings.Contains(out, "BenchmarkMisbehaved/clock="+test.clock+
					"/arrival="+test.loop):
					t.Errorf("the benchmark is not named:\n%s", out)
				}
			})
	}
}

// hangs matches errors that need the patience to expire.
var hangs = regexp.MustCompile("does not return|never done|stands still")

func benchmarkMisbehaved(
	t *testing.T, how misdeed, clock, arrival, patience string,
) (out string, failed bool) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	child := exec.CommandContext(ctx, os.Args[0], "-test.run=^$", "-test.benchtime=40x",
		"-test.bench=^BenchmarkMisbehaved$/^clock="+clock+"$/^arrival="+arrival)
	child.Env = append(os.Environ(), "POOLBENCH_MISDEED="+string(how),
		"POOLBENCH_PATIENCE="+patience)
	if strings.HasSuffix(string(how), "spins") && arrival == "poisson" {
		child.Env = append(child.Env, "GOMAXPROCS=1") // no other processor can run the guard
	}
	text, err := child.CombinedOutput()
	if ctx.Err() != nil {
		t.Fatalf("no end:\n%s", text)
	}
	return regexp.MustCompile("(?m)^Unit .*\n").ReplaceAllString(string(text), ""), err != nil
}
