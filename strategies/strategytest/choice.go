package strategytest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing/synctest"
	"time"
)

type pick struct {
	job     *job
	waiting []*job // tasks to choose from, in order of acceptance
}

// picks fills all slots and submits the first half of jobs. It then repeatedly ends one task, so
// that another starts, and submits one more. It stops if not exactly one task starts or if a task
// is not accepted at once, which other clauses test.
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

func (r *rig) checkChoices(
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
	return r.checkChoices(jobs, func(a, b *job) bool { return a.Priority > b.Priority },
		func(got, want *job) error {
			return fmt.Errorf("task %d of priority %d started while task %d of priority %d waited",
				got.name, got.Priority, want.name, want.Priority)
		})
}

// Some deadlines are equal, past, or before the origin of the clock. Each eighth task has none.
func earliestFirst(r *rig) error {
	random := rand.New(rand.NewPCG(1, 5))
	jobs := r.jobs(100, nil)
	for i, j := range jobs {
		if i%8 != 0 {
			j.Deadline = time.Duration(2*random.IntN(20)-15) * time.Millisecond
		}
	}
	r.step("100 tasks of different deadlines wait for a slot")
	return r.checkChoices(jobs, dueBefore, func(got, want *job) error {
		return fmt.Errorf("task %d with deadline %v started while task %d with deadline %v waited "+
			"(0s: none)", got.name, got.Deadline, want.name, want.Deadline)
	})
}

func dueBefore(a, b *job) bool {
	return a.Deadline != 0 && (b.Deadline == 0 || a.Deadline < b.Deadline)
}

// One tenant submits half of all tasks. A second tenant arrives and stays, and a third arrives
// late, when a credit for its absence would be largest.
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

// shared compares the starts of tenants a and b while both have waiting tasks. In any such span,
// the starts of a divided by its weight may exceed those of b only by a limit. The span with the
// largest excess at some start begins at the preceding minimum.
func shared(picks []pick, a, b int32, weightA, weightB int) error {
	ahead, least := 0, 0 // multiplied by both weights
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
