package strategytest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

const fifoPromise = "Spec.FIFO promises the order of acceptance"

func startsInOrder(r *rig) error {
	if r.bound() != 1 {
		return nil
	}
	var mu sync.Mutex
	var started []int
	jobs := r.jobs(100, nil)
	for i, j := range jobs {
		j.do = func(context.Context) strategies.Result {
			mu.Lock()
			started = append(started, j.name)
			mu.Unlock()
			time.Sleep(time.Duration(i%3) * time.Millisecond)
			return strategies.Result{}
		}
	}
	r.step("one producer offers 100 tasks")
	if err := r.offer(jobs); err != nil {
		return err
	}
	r.rest(horizon)
	if r.peak.Load() > 1 {
		return nil // two concurrent tasks have no order; the clause Bound reports them
	}
	for at, name := range started {
		if name != at {
			return fmt.Errorf("with a bound of 1, task %d was the %d. to start, but %s", name, at,
				fifoPromise)
		}
	}
	return nil
}

func neverStartsEarlier(r *rig) error {
	random := rand.New(rand.NewPCG(1, 2))
	jobs := r.jobs(100, nil)
	for _, j := range jobs {
		j.do = lasts(time.Duration(random.IntN(10_000)) * time.Microsecond)
	}
	r.step("one producer offers 100 tasks")
	if err := r.offer(jobs); err != nil {
		return err
	}
	r.rest(horizon)
	for i, j := range jobs[1:] {
		if before := jobs[i]; j.begin() < before.begin() {
			return fmt.Errorf("task %d was accepted before task %d, and started %v after it, but %s",
				before.name, j.name, before.begin()-j.begin(), fifoPromise)
		}
	}
	return nil
}

func blockedInOrder(r *rig) error {
	release := make(chan struct{})
	r.fill(r.capacity(), r.held(release))
	r.rest(warmUp)
	var line []*call
	for _, j := range r.jobs(8, r.held(release)) {
		line = append(line, r.call(context.Background(), j))
	}
	for range line {
		if r.running.Load() == 0 {
			break
		}
		release <- struct{}{}
		synctest.Wait()
		for i, c := range line[1:] {
			if before := line[i]; c.isOver() && !before.isOver() {
				return fmt.Errorf("of the Submits that were blocked, number %d was accepted "+
					"before number %d, but %s", i+1, i, fifoPromise)
			}
		}
	}
	return nil
}

// Per slot, tasks of one, two and four steps are accepted in this order. After each step the task
// goes to the tail, so each slot runs 1 2 4 2 4 4 4, and the tasks end after one, four and seven
// steps. If a task kept its slot or returned to the head, the second would end after three.
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
				return nil // full too early, which another clause reports
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
