package strategytest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// volume returns the number of tasks with which a clause looks for rare faults. A Check outside Run
// uses fewer tasks.
var volume = func() int {
	if childErrand.call == "" || testing.Short() {
		return 3000
	}
	return 100_000
}

func inVolume(check func(*rig) error) trial {
	return trial{[]int{4}, []int{0}, func(r *rig) error {
		p := r.p
		if r.spec.UsesQueue {
			p.Queue = 8
		}
		return check(newRig(r.scene, r.spec, p))
	}}
}

func (r *rig) offerVolume(lengths func() time.Duration) ([]*job, error) {
	jobs := r.jobs(volume(), nil)
	for _, j := range jobs {
		j.do = lasts(lengths())
	}
	r.step("one producer offers %d tasks", len(jobs))
	offering := r.start(nil, func() error { return r.offer(jobs) })
	r.rest(horizon)
	if !offering.isOver() {
		return jobs, fmt.Errorf("one of %d Submits has not returned after %v", len(jobs),
			horizon)
	}
	return jobs, offering.err()
}

func upTo(most time.Duration) func() time.Duration {
	random := rand.New(rand.NewPCG(7, 7))
	return func() time.Duration { return time.Duration(random.Int64N(int64(most))) }
}

func equal(length time.Duration) func() time.Duration {
	return func() time.Duration { return length }
}

func boundHoldsInVolume(r *rig) error {
	if _, err := r.offerVolume(upTo(2 * time.Millisecond)); err != nil {
		return err
	}
	return r.underBound()
}

func inOrderInVolume(r *rig) error {
	jobs, err := r.offerVolume(upTo(2 * time.Millisecond))
	if err != nil {
		return err
	}
	// The clause Once reports tasks that were lost or ran twice.
	jobs = slices.DeleteFunc(jobs, func(j *job) bool { return j.starts.Load() != 1 })
	for i, j := range jobs[min(1, len(jobs)):] {
		if before := jobs[i]; j.begin() < before.begin() {
			return fmt.Errorf("of %d tasks, task %d was accepted before task %d, and started %v "+
				"after it, but %s", len(jobs), before.name, j.name, before.begin()-j.begin(),
				fifoPromise)
		}
	}
	return nil
}

func busyInVolume(r *rig) error {
	begin := r.clock()
	jobs, err := r.offerVolume(equal(time.Millisecond))
	if err != nil {
		return err
	}
	rounds := math.Ceil(float64(len(jobs)) / float64(r.bound()))
	took, want := lastEnd(jobs)-begin, time.Duration(rounds)*time.Millisecond
	if took > want {
		return fmt.Errorf("%d tasks of 1ms took %v instead of %v", len(jobs), took, want)
	}
	return nil
}

func drainsAfterVolume(r *rig) error {
	jobs, err := r.offerVolume(upTo(2 * time.Millisecond))
	if err != nil {
		return err
	}
	d := r.drain(context.Background())
	r.rest(strategies.DrainGrace)
	if !d.isOver() {
		return fmt.Errorf("%d tasks were done, and then Drain has not returned", len(jobs))
	}
	return d.err()
}
