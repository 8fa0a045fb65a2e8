package strategytest_test

import "github.com/poolbench/poolbench/strategies"

type shares struct {
	turn    int32 // tenant whose turn it is
	left    int   // tasks that it may still start
	started map[int32]int
}

const tenants = 8

// choose returns the index of the next task. The caller holds mu.
func (s *reference) choose() (at int) {
	if s.fault == choosesNothing {
		return 0
	}
	if s.kind.shares {
		return s.chooseTenant()
	}
	for i, e := range s.queue {
		if s.goesBefore(e.task, s.queue[at].task) {
			at = i
		}
	}
	return at
}

func (s *reference) goesBefore(a, b *strategies.Task) bool {
	switch {
	case s.fault == smallestFirst:
		return a.Priority < b.Priority
	case s.fault == newestOfEqual:
		return a.Priority >= b.Priority
	case s.kind.urgent:
		return a.Priority > b.Priority
	case s.fault == undatedFirst:
		return a.Deadline < b.Deadline
	}
	return a.Deadline != 0 && (b.Deadline == 0 || a.Deadline < b.Deadline)
}

func (s *reference) chooseTenant() int {
	first := map[int32]int{} // index of the first task of each tenant
	for i, e := range s.queue {
		if _, known := first[e.task.Tenant]; !known {
			first[e.task.Tenant] = i
		}
	}
	if s.started == nil {
		s.started = map[int32]int{}
	}
	if s.fault == makesUp {
		s.turn, s.left = s.queue[0].task.Tenant, 1
		for tenant := range first {
			if s.started[tenant]*weightOf(s.turn) < s.started[s.turn]*weightOf(tenant) {
				s.turn = tenant
			}
		}
	}
	for {
		if at, waits := first[s.turn]; waits && s.left > 0 {
			s.left--
			s.started[s.turn]++
			return at
		}
		s.turn = (s.turn + 1) % tenants
		if s.left = weightOf(s.turn); s.fault == weighsNothing {
			s.left = 1
		}
	}
}
