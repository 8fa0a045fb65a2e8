package strategytest

import (
	"context"
	"fmt"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// stepsTakeTurns is for strategies that serve tasks in steps, and a part of the clause Order. For
// each slot it has a task of one step, one of two and one of four, accepted in this order. After
// each step the rest goes to the tail, so the slots go through 1 2 4 2 4 4 4, and the tasks are
// done after one, four and seven steps. If a task kept its slot, or came back to the head, the
// second would be done after three.
//
// A strategy that splits is not asked for steps but for sub-tasks of that length: see splits.go.
func stepsTakeTurns(r *rig) error {
	bound := r.bound()
	if r.spec.Quantum == nil || r.spec.Splits || r.spec.Bound == nil || r.capacity() < 3*bound {
		return nil
	}
	quantum := r.spec.Quantum(r.p)
	begin := r.clock()
	ends := map[int]int{1: 1, 2: 4, 4: 7} // by the number of steps
	jobs := map[int][]*job{}
	for _, steps := range []int{1, 2, 4} {
		jobs[steps] = r.jobs(bound, nil)
		for _, j := range jobs[steps] {
			j.do = func(context.Context) strategies.Result {
				time.Sleep(quantum)
				return strategies.Result{More: int(j.starts.Load()) < steps}
			}
			if c := r.call(context.Background(), j); !c.accepted() {
				return nil // full too early, which is a fault of another clause
			}
		}
	}
	r.rest(horizon)
	for steps, want := range ends {
		for _, j := range jobs[steps] {
			if !j.isDone() || j.end()-begin != time.Duration(want)*quantum {
				return fmt.Errorf("tasks of 1, 2 and 4 steps of %v take turns, but one of %d "+
					"steps was done after %v instead of %v",
					quantum, steps, j.end()-begin, time.Duration(want)*quantum)
			}
		}
	}
	return nil
}
