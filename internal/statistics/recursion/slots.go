package recursion

// Slots are the slots of one pool, each with the instant at which it becomes free.
type Slots struct {
	free   []int64 // in order or, of more than sorted, as a heap; the first is free next
	sorted bool
}

// sorted is the largest number of slots that are kept in order. That takes four instructions a slot
// and no branch that the processor could guess wrong; a heap takes two such branches a level. They
// cost the same at about 32 slots (BenchmarkRun).
const sorted = 32

// NewSlots makes slots, at least one, that are all free at 0.
func NewSlots(limit int) *Slots {
	s := new(Slots)
	s.reset(limit)
	return s
}

// reset makes as many slots free at 0.
func (s *Slots) reset(limit int) {
	if cap(s.free) < limit {
		s.free = make([]int64, limit)
	}
	s.free = s.free[:limit]
	clear(s.free)
	s.sorted = limit <= sorted
}

// Next is when the next slot becomes free.
func (s *Slots) Next() int64 { return s.free[0] }

// Take gives the next free slot to a task and returns when the task starts. Tasks come in the order
// of their due times.
func (s *Slots) Take(due, service int64) (start int64) {
	free := s.free
	start = max(due, free[0])
	if s.sorted {
		insert(free, start+service)
	} else {
		Sink(free, start+service)
	}
	return start
}

// insert puts a later instant in the place of the first of those in order. What stands behind the
// instant moves down by one: each is the middle of its neighbour and the instant.
func insert(free []int64, end int64) {
	here := free[0]
	for i, next := range free[1:] {
		free[i] = max(here, min(next, end))
		here = next
	}
	free[len(free)-1] = max(here, end)
}

// Sink puts a later instant in the place of the first of a heap.
func Sink(free []int64, end int64) {
	at := 0
	for {
		child := 2*at + 1
		if child >= len(free) {
			break
		}
		if right := child + 1; right < len(free) && free[right] < free[child] {
			child = right
		}
		if free[child] >= end {
			break
		}
		free[at] = free[child]
		at = child
	}
	free[at] = end
}
