package runs

import (
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/reports/why"
)

// plantedCause contains a slow run, and a control run without its cause.
type plantedCause struct {
	slow, control string
	env           []string // environment of the slow run
	beside        func(*exec.Cmd) (end func())
}

var plantedCauses = map[string]plantedCause{
	"lock": {slow: "--workload planted_lock --rate 400",
		control: "--workload constant:mean=2ms --rate 400"},
	"head_of_line": {slow: "--workload mixture:w1=0.98,d1=2ms,w2=0.02,d2=100ms --load 0.7 " +
		"--limit 2", // with more slots, the slowest tasks are the long ones themselves
		control: "--workload constant:mean=4ms --load 0.7"},
	"gc": {slow: "--workload planted_garbage --rate 800", env: []string{"GOGC=5"},
		control: "--workload planted_garbage --rate 800"},
	"scheduler": {slow: "--workload cpu_sha256:mean=2ms --rate 350",
		env: []string{"GOMAXPROCS=1"}, control: "--workload cpu_sha256:mean=2ms --rate 100 --n 500"},
	"target": {
		slow:    "--workload constant:mean=5ms --target conn_pool:conns=4 --limit 16 --rate 640",
		control: "--workload constant:mean=5ms --target conn_pool:conns=16 --limit 16 --rate 640"},
	"throttling": {slow: "--strategy retry_in_place --workload exponential:mean=5ms --rate 180 " +
		"--target token_bucket:rate=200,burst=10",
		control: "--strategy retry_in_place --workload exponential:mean=5ms --rate 180 " +
			"--target token_bucket:rate=2000,burst=100"},
	"generator": {slow: "--workload constant:mean=5ms --load 0.3", beside: stopOnce,
		control: "--workload constant:mean=5ms --load 0.3"},
	"machine": {slow: "--workload cpu_sha256:mean=2ms --rate 150 --n 500", beside: occupyCPUs,
		control: "--workload constant:mean=5ms --load 0.3"},
}

func stopOnce(cmd *exec.Cmd) (end func()) {
	stopped := time.AfterFunc(1500*time.Millisecond, func() {
		_ = cmd.Process.Signal(syscall.SIGSTOP) // the run reveals an error
		time.Sleep(400 * time.Millisecond)
		_ = cmd.Process.Signal(syscall.SIGCONT)
	})
	return func() { stopped.Stop() }
}

func occupyCPUs(*exec.Cmd) (end func()) {
	var done atomic.Bool
	for range 2 * runtime.NumCPU() {
		go func() {
			for !done.Load() {
			}
		}()
	}
	return func() { done.Store(true) }
}

// why must name a planted cause first, and must not name it in the control. Runs on a busy machine
// do not count. One run in twenty may fail.
func TestCauses(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	runs := 2
	if *sweep {
		runs = 20
	}
	for cause, c := range plantedCauses {
		first, judged, controls, wrong := 0, 0, 0, 0
		for range runs {
			planted := runForReal(t, c.slow, c.env, c.beside)
			if cause == "machine" || planted.Why[0].Cause != "machine" {
				judged++
			}
			if planted.Why[0].Cause == cause {
				first++
			} else {
				t.Logf("%s: %+v", cause, planted.Why)
			}
			if cause == "machine" {
				continue // this run may report a busy machine
			}
			if control := runForReal(t, c.control, nil, nil); control.Why[0].Cause != "machine" {
				controls++
				if names(control, cause) {
					wrong++
					t.Logf("without %s: %+v", cause, control.Why)
				}
			}
		}
		t.Logf("%s: first in %d of %d, named in %d of %d controls", cause, first, judged, wrong,
			controls)
		if first < judged-1 || wrong > 1 {
			t.Errorf("%s is first in %d of %d runs, and named in %d of %d without it", cause, first,
				judged, wrong, controls)
		}
	}
}

func names(l why.Line, cause string) bool {
	return slices.ContainsFunc(l.Why, func(c why.Cause) bool { return c.Cause == cause })
}

func runForReal(t *testing.T, args string, env []string, beside func(*exec.Cmd) func(),
) why.Line {
	t.Helper()
	dir := t.TempDir() + "/run"
	all := append([]string{"run", "--n", "1500", "--quiet", "--out", dir}, strings.Fields(args)...)
	if !strings.Contains(args, "--strategy") {
		all = append(all, "--strategy", "worker_pool")
	}
	cmd := clitest.Process(t, append(env, clitest.PlantedHere+"=1"), all...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if beside != nil {
		defer beside(cmd)()
	}
	_ = cmd.Wait() // an INVALID run is explained too
	l := whyIn(t, dir)
	if len(l.Why) == 0 {
		t.Fatalf("nothing explains %s: %+v", args, l)
	}
	return l
}
