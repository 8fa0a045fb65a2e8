package measure

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// The test counts CPU time, which needs no hardware counter.
func TestCounterCountsTheChild(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c, err := openCounter(unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_TASK_CLOCK)
	if err != nil {
		t.Skipf("this system counts no events: %v", err)
	}
	defer c.close()
	sum := 0
	for i := range 10_000_000 {
		sum += i ^ sum
	}
	if n := c.read(); n != 0 {
		t.Errorf("%d ns before there was a child (%d)", n, sum)
	}
	if err := exec.Command("go", "version").Run(); err != nil {
		t.Fatal(err)
	}
	if c.read() == 0 {
		t.Error("nothing was counted in the child")
	}
}

// The test counts CPU time instead of instructions.
func TestInstructionsPerOperation(t *testing.T) {
	clock := func() (*counter, error) {
		return openCounter(unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_TASK_CLOCK)
	}
	runtime.LockOSThread()
	c, err := clock()
	runtime.UnlockOSThread()
	if err != nil {
		t.Skipf("this system counts no events: %v", err)
	}
	c.close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The work of the process is the product of the last two arguments.
	r := &runner{count: clock, options: Options{BenchTime: BenchTime{Iterations: 100},
		Control: func(_ bool, benchTime string) []string {
			return []string{self, asControl, "1000", "100000", benchTime}
		}}}
	for iterations, counted := range map[int]bool{fewestToCount - 1: false,
		10 * fewestToCount: true} {
		b := controls[0]
		b.Iterations = iterations
		got, err := r.measured(t.Context(),
			run{benchmark: b, benchTime: BenchTime{Iterations: iterations}})
		if err != nil {
			t.Fatal(err)
		}
		if v, ok := got.tidy[Instructions]; ok != counted || counted && v <= 0 {
			t.Errorf("%d iterations: %v, %v", iterations, v, ok)
		}
	}
	r.count = func() (*counter, error) { return nil, errors.ErrUnsupported }
	b := controls[0]
	b.Iterations = 100
	if got, err := r.measured(t.Context(),
		run{benchmark: b, benchTime: BenchTime{Iterations: 100}}); err != nil ||
		got.tidy[Instructions] != 0 {
		t.Errorf("where nothing counts: %+v, %v", got, err)
	}
}
