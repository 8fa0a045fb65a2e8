package strategytest

import (
	"context"
	"slices"
	"testing/synctest"
)

// A pick is the choice of a task to start.
type pick struct {
	job     *job
	waiting []*job // the tasks to choose from, in the order of acceptance
}

// picks has all slots taken by tasks that stay, offers the first half of jobs, and then ends one
// task at a time, so that another starts, and offers one more. It stops where no single task starts,
// or one is not accepted at once, which is the business of other clauses.
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

// choose returns the error for the first task that starts while another waits that goes before it.
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
