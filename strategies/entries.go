package strategies

// Entries are a queue in a ring that doubles when it is full and so, once it has been as long as it gets, costs no
// allocation. Not a channel, because what comes back from its turn must always find room, and be able to go to the front.
type entries struct {
	ring  []entry // its length is a power of two, or 0
	first int
	n     int
}

// at returns the place of the i-th entry.
func (q *entries) at(i int) *entry { return &q.ring[(q.first+i)&(len(q.ring)-1)] }

// grow makes room for one more.
func (q *entries) grow() {
	if q.n < len(q.ring) {
		return
	}
	ring := make([]entry, max(8, 2*len(q.ring)))
	for i := range q.n {
		ring[i] = *q.at(i)
	}
	q.ring, q.first = ring, 0
}

func (q *entries) pushBack(e entry) {
	q.grow()
	*q.at(q.n) = e
	q.n++
}

// insert puts e before the first entry that does not come before it. Few do: it looks for its place from the front.
func (q *entries) insert(e entry) {
	q.grow()
	q.first = (q.first - 1) & (len(q.ring) - 1)
	q.n++
	i := 0
	for ; i+1 < q.n && q.at(i+1).seq < e.seq; i++ {
		*q.at(i) = *q.at(i + 1)
	}
	*q.at(i) = e
}

// pop takes the first entry out and leaves no reference to it behind. The queue must not be empty.
func (q *entries) pop() entry {
	place := q.at(0)
	e := *place
	*place = entry{}
	q.first = (q.first + 1) & (len(q.ring) - 1)
	q.n--
	return e
}

// remove takes out all entries that are unwanted and keeps the order of the others.
func (q *entries) remove(unwanted func(entry) bool) {
	for range q.n {
		if e := q.pop(); !unwanted(e) {
			q.pushBack(e)
		}
	}
}
