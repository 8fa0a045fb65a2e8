package strategytest

import (
	"fmt"
	"math/rand/v2"

	"github.com/poolbench/poolbench/strategies"
)

func checkPriority(spec strategies.Spec) error {
	if spec.ByPriority == nil || spec.Bound == nil {
		return nil
	}
	return try(spec, trial{[]int{1, 3}, []int{100}, urgentFirst})
}

// urgentFirst has tasks of seven priorities, negative ones too, so that many are equal.
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
