package strategytest_test

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/spooltest"
	"github.com/poolbench/poolbench/strategies/strategytest"
)

const faultVariable = "POOLBENCH_FAULT"

// TestRunOne runs only in a child process of TestRun.
func TestRunOne(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv(faultVariable))
	if err != nil {
		t.Skip("for TestRun alone")
	}
	if os.Getenv("POOLBENCH_ONCE") == "2" {
		t.Skip("a copy of the process does not come to Run")
	}
	if os.Getenv("POOLBENCH_ONCE") == "1" {
		t.Setenv("POOLBENCH_ONCE", "2")
	}
	if dir := os.Getenv("POOLBENCH_LIVES"); dir != "" {
		// the open listener shows that the process is alive
		sign, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(os.Getpid())),
			[]byte(sign.Addr().String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if os.Getenv("POOLBENCH_SPOOL") != "" {
		strategytest.Run(t, spooltest.Spec(spooltest.Fault(n)))
		return
	}
	strategytest.Run(t, referenceSpec(fault(n), blocking))
}

func runOne(
	t *testing.T, f fault, env []string, args ...string,
) (passed, failed []string, out string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	p := exec.CommandContext(ctx, os.Args[0],
		append([]string{"-test.v", "-test.run=^TestRunOne$"}, args...)...)
	p.Env = append(append(os.Environ(), faultVariable+"="+strconv.Itoa(int(f)),
		"POOLBENCH_PATIENCE=1s"), env...) // the last value of a variable counts
	text, err := p.CombinedOutput()
	if ctx.Err() != nil {
		t.Fatalf("no end:\n%s", text)
	}
	for _, m := range regexp.MustCompile(
		`(?m)^    --- (PASS|FAIL): TestRunOne/\d+_(\w+)`).FindAllStringSubmatch(string(text), -1) {
		if m[1] == "PASS" {
			passed = append(passed, m[2])
		} else {
			failed = append(failed, m[2])
		}
	}
	if ok := strings.HasSuffix(strings.TrimSpace(string(text)), "PASS"); ok != (err == nil) ||
		ok && failed != nil {
		t.Errorf("%v, and it says\n%s", err, text)
	}
	return passed, failed, string(text)
}

// A clause that crashes, exits or hangs must not affect others. If the first task fails, no clause
// is tested.
func TestRun(t *testing.T) {
	var every []string
	for _, c := range strategytest.Clauses() {
		every = append(every, c.Name)
	}
	for i, test := range []struct {
		name   string
		fault  fault
		clause string // "" means that none is tested
		want   string
	}{
		{"nothing", sound, "none", ""},
		{"a panic in a goroutine of its own", panicsThrough, "Panic",
			"it ended the process (exit status 2)\n        panic: a task that panics"},
		{"the end of the process", diesOnLateSubmit, "Closed",
			"it ended the process (exit status 0)"},
		{"a spin", spinsOnLateSubmit, "Closed", "a goroutine spins or waits for a mutex\n       " +
			" 1 goroutine:\n            strategytest_test.(*reference).Submit"},
		{"a mutex locked twice", locksOnLateSubmit, "Closed",
			"a goroutine spins or waits for a mutex\n"},
		{"runtime.Goexit", exitsOnLateSubmit, "Closed", "(runtime.Goexit) while"},
		{"an ordinary fault", oneTooMany, "Bound", "2 tasks ran at once, where the bound is 1"},

		{"New returns nil", newIsNil, "", "no instance: New returned nil"},
		{"New panics", newPanics, "", "no pool today"},
		{"New locks twice", newLocks, "", "a goroutine spins or waits for a mutex"},
		{"Submit does nothing", swallowsTasks, "",
			"it was accepted, started 0 times and never done"},
		{"Done of nil", settlesOthers, "",
			"it was accepted, started 1 times and never done: Done was called with nil"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if testing.Short() && i%3 != 0 {
				t.Skip("long: skipped with -short")
			}
			t.Parallel()
			passed, failed, out := runOne(t, test.fault, nil)
			var wantFailed []string
			wantPassed := slices.DeleteFunc(slices.Clone(every), func(name string) bool {
				return name == test.clause
			})
			switch test.clause {
			case "":
				wantPassed = nil
			case "none":
			default:
				wantFailed = []string{test.clause}
			}
			if !slices.Equal(passed, wantPassed) || !slices.Equal(failed, wantFailed) {
				t.Errorf("passed %v, failed %v, want %v to fail", passed, failed, wantFailed)
			}
			if !strings.Contains(out, test.want) {
				t.Errorf("want %q in\n%s", test.want, out)
			}
			if strings.Contains(out, "tested in this process") {
				t.Errorf("there was no child:\n%s", out)
			}
		})
	}
}

// With -short, the contract tests of strategies/durable cover the other clauses.
func TestDurableBroken(t *testing.T) {
	for i, test := range []struct {
		name   string
		fault  spooltest.Fault
		clause string
		// may fail too on a slow machine, because the lease of an unacknowledged message ends
		// before the kill
		also string
	}{
		{"nothing", spooltest.Sound, "", ""},
		{"a consumer more than the limit", spooltest.OneConsumerMore, "Bound", ""},
		{"a task that asks for another attempt is acknowledged", spooltest.ForgetsRetries, "Once", ""},
		{"Submit is deaf", spooltest.DeafSubmits, "Context", ""},
		{"nothing is acknowledged", spooltest.AcksNothing, "Drain", "Killed"},
		{"Submit is accepted after Drain", spooltest.TakesAfterDrain, "Closed", ""},
		{"dead letters are not kept", spooltest.KeepsNoLetters, "Panic", ""},
		{"a stack for a queue", spooltest.NewestFirst, "Order", ""},
		{"the queue is removed at the end", spooltest.RemovesAlways, "Kept", ""},
		{"messages are written late", spooltest.PutsLate, "Killed", ""},
		{"attempts are not counted", spooltest.CountsNothing, "Poison", ""},
		{"one put in 700 is dropped", spooltest.DropsSome, "Many", ""},
		{"what is delivered is acknowledged before it is done", spooltest.AcksEarly, "Killed", ""},
		{"one acknowledgement in 20 is dropped", spooltest.AcksMost, "Drain", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			clauses, only := len(strategytest.DurableClauses()), []string(nil)
			if testing.Short() {
				// PutsLate waits half a minute.
				if i%3 != 0 || test.fault == spooltest.PutsLate || test.clause == "" {
					t.Skip("long: skipped with -short")
				}
				clauses, only = 1, []string{`-test.run=^TestRunOne$/^\d+_` + test.clause + "$"}
			}
			t.Parallel()
			passed, failed, out := runOne(t, fault(test.fault),
				[]string{"POOLBENCH_SPOOL=1", "POOLBENCH_PATIENCE=5s"}, only...)
			failed = slices.DeleteFunc(failed, func(clause string) bool {
				if clause == test.also {
					passed = append(passed, clause)
				}
				return clause == test.also
			})
			var want []string
			if test.clause != "" {
				want = []string{test.clause}
			}
			if !slices.Equal(failed, want) ||
				len(passed)+len(failed) != clauses {
				t.Errorf("passed %v, failed %v, want %v to fail:\n%s", passed, failed, want, out)
			}
		})
	}
}

func TestRunAfterCrash(t *testing.T) {
	_, failed, out := runOne(t, panicsThroughAndRemembers, nil)
	if !slices.Equal(failed, []string{"Panic", "Memory"}) {
		t.Errorf("failed %v, want Panic and Memory:\n%s", failed, out)
	}
}

// Without a child process, the clauses must run, and the test must report it.
func TestRunHere(t *testing.T) {
	const here = "POOLBENCH_STRATEGYTEST=here"
	passed, failed, out := runOne(t, oneTooMany, []string{here}, "-test.run=^TestRunOne$/^[12]_")
	if !slices.Equal(passed, []string{"Once"}) || !slices.Equal(failed, []string{"Bound"}) ||
		!strings.Contains(out, "tested in this process, where") {
		t.Errorf("passed %v, failed %v:\n%s", passed, failed, out)
	}
	passed, failed, out = runOne(t, oneTooMany, []string{"POOLBENCH_ONCE=1"},
		"-test.run=^TestRunOne$/^[12]_")
	if !slices.Equal(passed, []string{"Once"}) || !slices.Equal(failed, []string{"Bound"}) ||
		!strings.Contains(out, "a copy of it ended before it came so far") {
		t.Errorf("passed %v, failed %v:\n%s", passed, failed, out)
	}
	if _, failed, out = runOne(t, sound, nil, "-test.count=2", "-test.cpu=1,2",
		"-test.run=^TestRunOne$/^2_"); failed != nil ||
		strings.Count(out, "PASS: TestRunOne/2_Once") != 4 {
		t.Errorf("failed %v:\n%s", failed, out)
	}
}

func TestChildDiesWithParent(t *testing.T) {
	dir := t.TempDir()
	p := exec.Command(os.Args[0], "-test.run=^TestRunOne$")
	p.Env = append(os.Environ(), faultVariable+"="+strconv.Itoa(int(newLocks)),
		"POOLBENCH_PATIENCE=1h", "POOLBENCH_LIVES="+dir)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	var signs []string
	for begin := time.Now(); len(signs) < 2; time.Sleep(10 * time.Millisecond) {
		signs, _ = filepath.Glob(filepath.Join(dir, "*"))
		if time.Since(begin) > 2*time.Minute {
			_ = p.Process.Kill()
			t.Fatalf("%d processes", len(signs))
		}
	}
	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.Wait() // it was killed
	for _, sign := range signs {
		address, err := os.ReadFile(sign)
		if err != nil {
			t.Fatal(err)
		}
		for begin := time.Now(); ; time.Sleep(10 * time.Millisecond) {
			c, err := net.Dial("tcp", string(address))
			if err != nil {
				break
			}
			_ = c.Close()
			if time.Since(begin) > 2*time.Minute {
				t.Fatalf("process %s lives on", filepath.Base(sign))
			}
		}
	}
}
