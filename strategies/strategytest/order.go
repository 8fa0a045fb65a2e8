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

func checkOrder(spec strategies.Spec) error {
	turns := trial{[]int{1, 3}, []int{0, 8}, stepsTakeTurns}
	if !spec.FIFO {
		return try(spec, turns)
	}
	return try(spec, trial{[]int{1}, []int{0, 100}, startsInOrder},
		trial{[]int{3, 8}, []int{0, 100}, neverStartsEarlier}, usual(ifBlocks(blockedInOrder)),
		turns)
}

// startsInOrder compares the order of starts at a bound of 1 with that of acceptance, for tasks
// that take no time and some.
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
		return nil // two at once have no order; the clause Bound finds them
	}
	for at, name := range started {
		if name != at {
			return fmt.Errorf("with a bound of 1, task %d was the %d. to start", name, at)
		}
	}
	return nil
}

// neverStartsEarlier gives tasks random lengths and compares the instants of their starts.
func neverStartsEarlier(r *rig) error {
	random := rand.New(rand.NewPCG(1, 2))
	jobs := r.jobs(100, nil)
	for _, j := range jobs {
		j.do = takes(time.Duration(random.IntN(10_000)) * time.Microsecond)
	}
	r.step("one producer offers 100 tasks")
	if err := r.offer(jobs); err != nil {
		return err
	}
	r.rest(horizon)
	for i, j := range jobs[1:] {
		if before := jobs[i]; j.begin() < before.begin() {
			return fmt.Errorf("task %d was accepted before task %d, and started %v after it",
				before.name, j.name, before.begin()-j.begin())
		}
	}
	return nil
}

// blockedInOrder has Submits come one after another to a full instance, and then makes room for one
// at a time.
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
			if before := line[i]; c.over() && !before.over() {
				return fmt.Errorf("of the Submits that were blocked, number %d was accepted "+
					"before number %d", i+1, i)
			}
		}
	}
	return nil
}
