package strategytest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing/synctest"
	"time"
)

// These checks are about the choice of the next task: the clauses Priority, Deadline and Fair.

type pick struct {
	job     *job
	waiting []*job // the tasks to choose from, in the order of acceptance
}

// picks fills all slots, offers the first half of jobs, and then repeatedly ends one task, so that
// another starts, and offers one more. It stops when no single task starts or one is not accepted
// at once, which other clauses test.
func (r *rig) picks(jobs []*job) (all []pick) {
	release := make(chan struct{})
	for _, j := range jobs {
		j.do = r.held(release)
	}
	r.fill(r.bound(), r.held(release))
	r.rest(warmUp)
	var waiting []*job
	offer := func(j *job) bool {
		accepted := r.call(context.Background(), j).accepted()
		waiting = append(waiting, j)
		return accepted
	}
	half := len(jobs) / 2
	for _, j := range jobs[:half] {
		if !offer(j) {
			return nil
		}
	}
	for len(waiting) > 0 && r.running.Load() > 0 {
		release <- struct{}{}
		synctest.Wait()
		begun := started(waiting)
		if len(begun) != 1 {
			return all
		}
		all = append(all, pick{begun[0], slices.Clone(waiting)})
		waiting = slices.DeleteFunc(waiting, func(j *job) bool { return j == begun[0] })
		if half < len(jobs) {
			if !offer(jobs[half]) {
				return all
			}
			half++
		}
	}
	return all
}

// choose returns an error for the first start that overtakes a waiting task with precedence.
func (r *rig) choose(
	jobs []*job, before func(a, b *job) bool, wrong func(got, want *job) error,
) error {
	for _, p := range r.picks(jobs) {
		first := p.waiting[0]
		for _, j := range p.waiting[1:] {
			if before(j, first) {
				first = j
			}
		}
		if p.job != first {
			return wrong(p.job, first)
		}
	}
	return nil
}

// urgentFirst uses tasks of seven priorities, also negative and equal ones.
func urgentFirst(r *rig) error {
	if !r.spec.ByPriority(r.p) {
		return nil
	}
	random := rand.New(rand.NewPCG(1, 4))
	jobs := r.jobs(100, nil)
	for _, j := range jobs {
		j.Priority = int32(random.IntN(7) - 3)
	}
	r.step("100 tasks of different priorities wait for a slot")
	return r.choose(jobs, func(a, b *job) bool { return a.Priority > b.Priority },
		func(got, want *job) error {
			return fmt.Errorf("task %d of priority %d started while task %d of priority %d waited",
				got.name, got.Priority, want.name, want.Priority)
		})
}

// earliestFirst uses 20 deadlines, some equal, past, or before the clock's origin. Each eighth task
// has none.
func earliestFirst(r *rig) error {
	random := rand.New(rand.NewPCG(1, 5))
	jobs := r.jobs(100, nil)
	for i, j := range jobs {
		if i%8 != 0 {
			j.Deadline = time.Duration(2*random.IntN(20)-15) * time.Millisecond
		}
	}
	r.step("100 tasks of different deadlines wait for a slot")
	return r.choose(jobs, dueBefore, func(got, want *job) error {
		return fmt.Errorf("task %d with deadline %v started while task %d with deadline %v waited "+
			"(0s: none)", got.name, got.Deadline, want.name, want.Deadline)
	})
}

func dueBefore(a, b *job) bool {
	return a.Deadline != 0 && (b.Deadline == 0 || a.Deadline < b.Deadline)
}

// sharesByWeight lets one tenant send half of all tasks before two others come: one that stays, and
// one that comes late, when credit for absence would be largest.
func sharesByWeight(r *rig) error {
	weightOf := r.spec.Weights(r.p)
	if weightOf == nil {
		return nil
	}
	jobs := r.jobs(160, nil)
	for i, j := range jobs {
		switch {
		case i < 40 || i >= 140:
			j.Tenant = 0
		case i < 100:
			j.Tenant = int32(1 + i%2)
		default:
			j.Tenant = 7
		}
	}
	r.step("160 tasks of 4 tenants wait for a slot")
	picks := r.picks(jobs)
	for _, a := range []int32{0, 1, 2, 7} {
		for _, b := range []int32{0, 1, 2, 7} {
			if a == b {
				continue
			}
			if err := shared(picks, a, b, weightOf(a), weightOf(b)); err != nil {
				return err
			}
		}
	}
	return nil
}

// shared checks, for each span in which both tenants have waiting tasks, by how much a's starts
// divided by weight exceed b's. The span with the maximum at some start begins at the preceding
// minimum.
func shared(picks []pick, a, b int32, weightA, weightB int) error {
	ahead, least := 0, 0 // times both weights
	for n, p := range picks {
		if !waits(p.waiting, a) || !waits(p.waiting, b) {
			ahead, least = 0, 0
			continue
		}
		switch p.job.Tenant {
		case a:
			ahead += weightB
		case b:
			ahead -= weightA
		}
		least = min(least, ahead)
		if over := ahead - least; over > weightA*weightB {
			return fmt.Errorf("tenant %d is ahead of tenant %d by %.3g turns at start %d, and both "+
				"had tasks waiting: want 1 at most, by their weights %d and %d", a, b,
				float64(over)/float64(weightA*weightB), n, weightA, weightB)
		}
	}
	return nil
}

func waits(jobs []*job, tenant int32) bool {
	return slices.ContainsFunc(jobs, func(j *job) bool { return j.Tenant == tenant })
}
