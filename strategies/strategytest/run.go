package strategytest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// Run tests spec, one subtest for each clause, numbered and named as in the documentation of
// package strategies. First it runs one task through an instance: if that fails, no clause is
// tested.
//
// The clauses are tested in a child process, a copy of this test that comes as far as this call of
// Run: so a strategy that crashes the process or hangs fails the clause that it does so in, and the
// others are tested all the same, by another child. What the test does before Run is done there
// too, and what it does after Run; TestMain as well. See the package's documentation.
func Run(t *testing.T, spec strategies.Spec) {
	t.Helper()
	if spec.New == nil && spec.Open == nil {
		t.Fatal("strategytest: the Spec has neither New nor Open")
	}
	call := nameCall(t)
	if ours.call != "" {
		if ours.call == call {
			ours.run(t, spec)
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

// calls counts those of each test that is running.
var calls = struct {
	sync.Mutex
	of map[*testing.T]int
}{of: make(map[*testing.T]int)}

// nameCall names this call of Run: the same in a copy of the process that runs the same test.
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

// first is what comes before the clauses: one task alone.
var first = Clause{Name: "first", Check: func(spec strategies.Spec) error {
	if spec.RealClock {
		return OneTask(spec)
	}
	return try(spec, trial{[]int{1}, []int{0}, oneTask})
}}

func oneTask(r *rig) error {
	j := r.jobs(1, takes(time.Millisecond))[0]
	c := r.call(context.Background(), j)
	r.rest(horizon)
	switch odd := r.odd.Load(); {
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
	if !d.over() {
		return fmt.Errorf("it was done, and Drain does not return%s", r.mark.Where())
	}
	return nil
}
