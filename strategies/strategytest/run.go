package strategytest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// Run tests spec with one subtest per clause, after one task that must succeed. Clauses run in a
// child process, see the package documentation.
func Run(t *testing.T, spec strategies.Spec) {
	t.Helper()
	if spec.New == nil && spec.Open == nil {
		t.Fatal("strategytest: the Spec has neither New nor Open")
	}
	call := nameCall(t)
	if childErrand.call != "" {
		if childErrand.call == call {
			childErrand.run(t, spec)
		}
		return
	}
	in := &isolation{test: t.Name(), call: call, spec: spec}
	defer in.end()
	if err := in.check(t, first); err != nil {
		t.Errorf("%s: one task alone goes wrong, so no clause was tested: %v", spec.Name, err)
		return
	}
	for i, c := range clausesOf(spec) {
		t.Run(fmt.Sprintf("%d_%s", i+1, c.Name), func(t *testing.T) {
			if err := in.check(t, c); err != nil {
				t.Errorf("%s: %v", spec.Name, err)
			}
		})
	}
}

var calls = struct {
	sync.Mutex
	of map[*testing.T]int
}{of: make(map[*testing.T]int)}

// nameCall is the same in a copy that runs the same test.
func nameCall(t *testing.T) string {
	calls.Lock()
	defer calls.Unlock()
	if calls.of[t]++; calls.of[t] == 1 {
		t.Cleanup(func() {
			calls.Lock()
			defer calls.Unlock()
			delete(calls.of, t)
		})
	}
	return fmt.Sprintf("%d %s", calls.of[t], t.Name())
}

var first = Clause{Name: "first", Check: func(spec strategies.Spec) error {
	if spec.RealClock {
		return OneTask(spec)
	}
	return try(spec, trial{[]int{1}, []int{0}, oneTask})
}}

func oneTask(r *rig) error {
	j := r.jobs(1, lasts(time.Millisecond))[0]
	c := r.call(context.Background(), j)
	r.rest(horizon)
	switch odd := r.doneError.Load(); {
	case !c.accepted():
		return fmt.Errorf("a new instance, and %s%s", c, r.mark.Where())
	case !j.isDone() && odd != nil:
		return fmt.Errorf("it was accepted, started %d times and never done: %w",
			j.starts.Load(), *odd)
	case !j.isDone():
		return fmt.Errorf("it was accepted, started %d times and never done%s",
			j.starts.Load(), r.mark.Where())
	}
	d := r.drain(context.Background())
	r.rest(horizon)
	if !d.isOver() {
		return fmt.Errorf("it was done, and Drain does not return%s", r.mark.Where())
	}
	return nil
}
