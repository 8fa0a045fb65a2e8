package strategytest

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

func checkDeadline(spec strategies.Spec) error {
	if !spec.ByDeadline || spec.Bound == nil {
		return nil
	}
	return try(spec, trial{[]int{1, 3}, []int{100}, earliestFirst})
}

// earliestFirst has tasks of 20 deadlines, so that some are equal, and each eighth has none.
// Deadlines are instants of the caller's clock, so some are past, and some before its origin.
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

// dueBefore says whether a is due before b.
func dueBefore(a, b *job) bool {
	return a.Deadline != 0 && (b.Deadline == 0 || a.Deadline < b.Deadline)
}
