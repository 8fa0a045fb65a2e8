package strategytest

import (
	"fmt"

	"github.com/poolbench/poolbench/strategies"
)

func checkFair(spec strategies.Spec) error {
	if spec.Weights == nil || spec.Bound == nil {
		return nil
	}
	return try(spec, trial{[]int{1, 3}, []int{100}, sharesByWeight})
}

// sharesByWeight has one tenant send half of all tasks before the others come, and then these: two
// that stay, and one that comes late, when it would be owed most if absence counted.
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

// shared looks at each span in which both tenants have tasks waiting for how far a is ahead of b at
// most: by how much its starts divided by its weight exceed those of b. The span in which it is
// furthest ahead at some start begins where it had been least ahead before.
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

// waits says whether a task of the tenant waits.
func waits(jobs []*job, tenant int32) bool {
	for _, j := range jobs {
		if j.Tenant == tenant {
			return true
		}
	}
	return false
}
