package pace

// A queue is a heap of sleepers, the earliest first. Each knows its place, so that one whose
// context ends can leave from the middle.
type queue []*sleeper

func (q *queue) push(s *sleeper) {
	*q = append(*q, s)
	q.up(len(*q)-1, s)
}

func (q *queue) pop() *sleeper {
	s := (*q)[0]
	q.remove(s)
	return s
}

func (q *queue) remove(s *sleeper) {
	i, last := s.place, len(*q)-1
	moved := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	s.place = -1
	if i == last {
		return
	}
	if i > 0 && moved.at < (*q)[(i-1)/2].at {
		q.up(i, moved)
	} else {
		q.down(i, moved)
	}
}

// up finds the place of s, which is i or above it.
func (q queue) up(i int, s *sleeper) {
	for i > 0 {
		parent := (i - 1) / 2
		if q[parent].at <= s.at {
			break
		}
		q[i], q[parent].place = q[parent], i
		i = parent
	}
	q[i], s.place = s, i
}

// down finds the place of s, which is i or below it.
func (q queue) down(i int, s *sleeper) {
	for {
		child := 2*i + 1
		if child >= len(q) {
			break
		}
		if other := child + 1; other < len(q) && q[other].at < q[child].at {
			child = other
		}
		if s.at <= q[child].at {
			break
		}
		q[i], q[child].place = q[child], i
		i = child
	}
	q[i], s.place = s, i
}
