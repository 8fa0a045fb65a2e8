package strategytest

import (
	"fmt"
	"math"
	"time"
)

func equalTasks(r *rig) error {
	for _, n := range []int{1, 8, 25, 100} {
		fresh := newRig(r.scene, r.spec, r.p)
		took, err := fresh.makespan(fresh.jobs(n, lasts(time.Millisecond)))
		if err != nil {
			return err
		}
		rounds := math.Ceil(float64(n) / float64(fresh.bound()))
		if want := time.Duration(rounds) * time.Millisecond; took > want {
			return fmt.Errorf("%d tasks of 1ms took %v instead of %v", n, took, want)
		}
	}
	return nil
}

// oneLongTask puts a task of 1 s among 511 tasks of 1 ms. At a bound of 8 the other tasks must be
// done after ⌈511/7⌉ = 73 ms. A strategy that assigns tasks to busy workers takes up to a second.
func oneLongTask(r *rig) error {
	if r.bound() == 1 {
		return nil
	}
	for _, position := range []int{0, 7, 31, 300} {
		fresh := newRig(r.scene, r.spec, r.p)
		jobs := fresh.jobs(512, lasts(time.Millisecond))
		jobs[position].do = lasts(time.Second)
		short := append(jobs[:position:position], jobs[position+1:]...)
		begin := fresh.clock()
		if _, err := fresh.makespan(jobs); err != nil {
			return fmt.Errorf("one task of 1s at position %d among 511 of 1ms: %w", position, err)
		}
		rounds := math.Ceil(511 / float64(fresh.bound()-1))
		want := begin + time.Duration(rounds)*time.Millisecond
		for _, j := range short {
			if j.end() > want {
				return fmt.Errorf("one task of 1s at position %d among 511 of 1ms: task %d of "+
					"these was done at %v instead of %v at the latest",
					position, j.name, j.end()-begin, want-begin)
			}
		}
	}
	return nil
}

// makespan checks in the middle of each millisecond whether a slot is idle while a task waits.
func (r *rig) makespan(jobs []*job) (time.Duration, error) {
	begin := r.clock()
	offering := r.start(nil, func() error { return r.offer(jobs) })
	for at := time.Millisecond / 2; ; at += time.Millisecond {
		r.rest(begin + at - r.clock())
		waiting, running := int(r.waiting.Load()), int(r.running.Load())
		if waiting > 0 && running < r.bound() {
			return 0, fmt.Errorf("after %v %d tasks or Submits wait, and only %d of %d slots are "+
				"taken", at, waiting, running, r.bound())
		}
		if offering.isOver() && waiting == 0 || at > 2*time.Second {
			break
		}
	}
	r.rest(horizon)
	if err := offering.err(); err != nil {
		return 0, err
	}
	return lastEnd(jobs) - begin, nil
}
