package recursion

type Slots struct {
	// times at which the slots become free: sorted, or a heap if there are more than sorted
	free   []int64
	sorted bool
}

// A sorted slice takes four instructions per slot without unpredictable branches, a heap two such
// branches per level. They take equally long at about 32 slots (BenchmarkRun).
const sorted = 32

func NewSlots(limit int) *Slots {
	s := new(Slots)
	s.reset(limit)
	return s
}

func (s *Slots) reset(limit int) {
	if cap(s.free) < limit {
		s.free = make([]int64, limit)
	}
	s.free = s.free[:limit]
	clear(s.free)
	s.sorted = limit <= sorted
}

func (s *Slots) Next() int64 { return s.free[0] }

// Start returns the start of the task. Calls must be in the order of due times.
func (s *Slots) Start(due, service int64) (start int64) {
	free := s.free
	start = max(due, free[0])
	if s.sorted {
		insert(free, start+service)
	} else {
		Sink(free, start+service)
	}
	return start
}

// insert replaces the first of the sorted times by a later one. Each element becomes the median of
// itself, its successor and end, which needs no branch.
func insert(free []int64, end int64) {
	here := free[0]
	for i, next := range free[1:] {
		free[i] = max(here, min(next, end))
		here = next
	}
	free[len(free)-1] = max(here, end)
}

// Sink replaces the first of a heap by a later instant.
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
